"""`python -m ackclock`: the command line `ackclock`."""

import os
import sys

# Python looks for modules in the working directory first, which may hold somebody else's files.
if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:  # noqa: PTH109 - nothing is imported before
    del sys.path[0]

from ackclock.cli import main

main()
