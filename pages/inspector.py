"""Inspect."""

from dashboard import components

components.header("Inspect", "")
