"""Analytical models to compare simulations with: TCP below one packet per round trip, and response functions.

`SubPacketModel` is the Markov model of TCP under heavy loss; `risk` and `FlowForecast` predict timeouts from
it at a middlebox. Formulas give the window under random loss, all as functions of arrays: `mathis`, `padhye`,
`padhye_approximate`, `tfrc`, and the response functions of the algorithms for fast paths (`HIGH_SPEED`).
`FileModel` gives the expected completion time of a file by standard slow start and by Burst TCP.
"""

from ackclock.models.completion import FileModel
from ackclock.models.formulas import (
    HIGH_SPEED,
    PERIODIC,
    bic,
    compound,
    cubic,
    hstcp,
    htcp,
    mathis,
    padhye,
    padhye_approximate,
    random_constant,
    scalable,
    tfrc,
)
from ackclock.models.middlebox import FlowForecast, Risk, beliefs, packets_per_epoch, risk
from ackclock.models.sub_packet import COUNTER_LIMIT, READINGS, Distribution, SubPacketModel, expected_idle

__all__ = [
    "COUNTER_LIMIT",
    "HIGH_SPEED",
    "PERIODIC",
    "READINGS",
    "Distribution",
    "FileModel",
    "FlowForecast",
    "Risk",
    "SubPacketModel",
    "beliefs",
    "bic",
    "compound",
    "cubic",
    "expected_idle",
    "hstcp",
    "htcp",
    "mathis",
    "packets_per_epoch",
    "padhye",
    "padhye_approximate",
    "random_constant",
    "risk",
    "scalable",
    "tfrc",
]
