"""draft-irtf-iccrg-tcpeval-01, 6.3: several bottlenecks on a path."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from ackclock.evaluation.criterion import Cell, Criterion, Measure
from ackclock.evaluation.quantities import LOSS, loss_share
from ackclock.evaluation.tcpeval.networks import packets_of, sessions
from ackclock.evaluation.tcpeval.quantities import delivered
from ackclock.measures.record import RunRecord

RATE_MBIT_PER_S = 100.0
BUFFER_S = 0.06
"""The round trip of all flows."""

ROUTERS = ("left", "right", "third", "fourth")
"""The first bottleneck is the link that measures refer to."""

EDGES_MS = {"n1": ("left", 0), "n2": ("left", 10), "n3": ("right", 10), "n4": ("right", 10),
            "n5": ("third", 10), "n6": ("third", 10), "n7": ("fourth", 10), "n8": ("fourth", 0)}  # fmt: skip

SHORT = (("n2", "n3"), ("n4", "n5"), ("n6", "n7"))

RATIO = Measure("ratio", "throughput over three bottlenecks over that of one", "", 1, 3, "higher", 0.02)


def cells(quick: bool) -> tuple[Cell, ...]:
    """A path over three bottlenecks, with one path over each."""
    seconds = 20 if quick else 200
    links = [
        {
            "from": first, "to": last, "rate": f"{RATE_MBIT_PER_S:g} Mbit/s", "delay": "10 ms",
            "buffer": f"{packets_of(RATE_MBIT_PER_S, BUFFER_S)} packets",
        }
        for first, last in itertools.pairwise(ROUTERS)
    ]  # fmt: skip
    links += [
        {"from": node, "to": router, "rate": "1 Gbit/s", "delay": f"{ms} ms"}
        for node, (router, ms) in EDGES_MS.items()
    ]

    def traffic(name: str, ends: tuple[str, str], load: float) -> dict[str, object]:
        return sessions(name, load, RATE_MBIT_PER_S) | {"from": ends[0], "to": ends[1]}

    return tuple(
        Cell(
            f"load {2 * load:.0%} of each bottleneck",
            {
                "name": "cell",
                "duration": f"{seconds} s",
                "topology": {"graph": {"link": links}},
                "flow": [traffic("through", ("n1", "n8"), load),
                         *(traffic(f"hop{'abc'[hop]}", ends, load) for hop, ends in enumerate(SHORT))],
                "trace": {"flows": False},
            },
        )
        for load in ((0.4, 0.5) if quick else (0.3, 0.4, 0.5))
    )  # fmt: skip


def measure(result: RunRecord) -> Mapping[str, float]:
    """The long path's throughput over the short ones' mean, and the loss of the first bottleneck."""
    short = sum(delivered(result, f"hop{letter}") for letter in "abc") / 3
    through = delivered(result, "through")
    return {RATIO.key: through / short if short else 0.0, LOSS.key: loss_share(result)}


CRITERION = Criterion(
    key="multiple-bottlenecks",
    section="6.3",
    title="Multiple bottlenecks",
    force="",
    question="What does a flow get that meets three bottlenecks, beside flows that meet one?",
    experiment="A parking lot of three links of 100 Mbit/s with equal round trips of 60 ms; files at equal "
    "loads on the long path and on the three short ones.",
    measures=(RATIO, LOSS),
    cells=cells,
    measure=measure,
)
