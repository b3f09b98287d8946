"""Scenarios and the algorithms that they name: what is simulated."""
