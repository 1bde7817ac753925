"""Tune."""

from dashboard import components

components.header("Tune", "")
