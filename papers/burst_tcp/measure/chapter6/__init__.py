"""Chapter 6: the future work."""
