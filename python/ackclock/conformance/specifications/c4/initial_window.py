"""The initial window."""

from dataclasses import replace

from ackclock.conformance.specifications.reno.initial_window import CASE as INITIAL_WINDOW

CASE = replace(
    INITIAL_WINDOW,
    number=1,
    section="draft-huitema-ccwg-c4-spec, Setting pacing rate, congestion window and quantum",
    title="The initial window",
    statement="Until a rate and a round trip are known, the window is ten packets.",
)
