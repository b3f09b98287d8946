"""Simulations: one run, runs over seeds and algorithms, and their results."""
