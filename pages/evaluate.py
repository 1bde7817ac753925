"""Evaluate."""

from dashboard import components

components.header("Evaluate", "")
