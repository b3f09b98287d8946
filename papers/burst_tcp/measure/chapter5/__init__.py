"""Chapter 5: the experiments."""
