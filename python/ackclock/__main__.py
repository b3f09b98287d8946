"""`python -m ackclock`: the command line `ackclock`."""

from ackclock.cli import main

main()
