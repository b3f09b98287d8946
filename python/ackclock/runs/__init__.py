"""Simulations: one run, runs over seeds and algorithms, and what they produce."""
