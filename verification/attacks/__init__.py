"""Findings of `ackclock attack`: those that it must make again, a gallery, and a comparison of optimisers."""
