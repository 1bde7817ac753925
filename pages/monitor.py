"""Monitor."""

from dashboard import components

components.header("Monitor", "")
