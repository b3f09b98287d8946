"""The first window is an initial window."""

from dataclasses import replace

from ackclock.conformance.specifications.reno.initial_window import CASE as INITIAL_WINDOW
from ackclock.conformance.specifications.rledbat.receivers import (
    path,
)

CASE = replace(
    INITIAL_WINDOW,
    number=7,
    section="RFC 9840, 4.1",
    title="The first window is an initial window",
    statement=(
        "The sender sends what both windows permit, so that it is never more aggressive than without the "
        "receiver's control."
    ),
    scenario=path(1),
)
