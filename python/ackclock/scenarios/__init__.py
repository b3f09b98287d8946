"""Scenarios, and the algorithms that they name."""
