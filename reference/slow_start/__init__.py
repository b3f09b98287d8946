"""Slow start, one algorithm per file."""
