"""Paths that vary, one mechanism per file."""
