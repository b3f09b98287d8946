"""Congestion avoidance, one algorithm per file."""
