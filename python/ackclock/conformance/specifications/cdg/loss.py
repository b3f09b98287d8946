"""A loss halves the window."""

from dataclasses import replace

from ackclock.conformance.specifications.cdg.backoffs import (
    without_delay,
)
from ackclock.conformance.specifications.reno.halving import CASE as HALVING

CASE = replace(
    HALVING,
    number=4,
    section="the paper, 3.3; tcp_cdg.c",
    title="A loss halves the window",
    statement="A loss that is taken for congestion halves the window, if no back-off came before it.",
    scenario=without_delay(HALVING.scenario),
)
