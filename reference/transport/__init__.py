"""Transports other than TCP, one per file."""
