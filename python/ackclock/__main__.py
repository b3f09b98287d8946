"""Lets `python -m ackclock` do what `ackclock` does."""

from ackclock.cli import main

main()
