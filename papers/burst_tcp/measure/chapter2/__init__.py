"""Chapter 2: congestion."""
