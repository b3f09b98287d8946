"""The command line `ackclock`."""

from ackclock.cli.app import app, main

__all__ = ["app", "main"]
