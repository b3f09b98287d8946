"""Congestion controls for real-time media, one per file."""
