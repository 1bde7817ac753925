"""What the README and `docs/performance.md` quote, measured; nothing here is part of the product."""
