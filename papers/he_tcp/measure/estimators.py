"""The other estimators that 3.1 names, and the path of section 2 with 83,333 packets.

ABE samples the rate of the acknowledgments once per round trip, TSW at every packet, the paper's own, GTSW,
ten times per round trip; nothing else differs.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from ackclock import Comparison
from ackclock.models import mathis
from ackclock.papers import Context, Each, Measured, NotRun, Values

from .beyond import interval_of
from .study import CHOSEN, LOSS, pipe

ESTIMATORS = {
    "gtsw": f"sack+hetcp({CHOSEN})",
    "abe": f"sack+hetcp({CHOSEN},n=1)",
    "tsw": f"sack+hetcp({CHOSEN},n=1000000)",
    "reno": "sack+reno(limit=1)",
}
TITLES = {"gtsw": "GTSW", "abe": "ABE", "tsw": "TSW", "reno": "standard TCP"}
LOSS_RATE = 1e-6
"""Figure 3's."""
SECTION_2_PACKETS = 83_333
_WAY = "topology.dumbbell.bottleneck"
PATHS: dict[str, dict[str, object]] = {
    "20,000 packets": {"duration": "30 s", "warm_up": "15 s"},
    "83,333 packets": {
        "duration": "12 s",
        "warm_up": "6 s",
        "topology.dumbbell.access.rate": "100 Gbit/s",
        f"{_WAY}.rate": "10 Gbit/s",
        f"{_WAY}.delay": "48 ms",
        f"{_WAY}.buffer": f"{SECTION_2_PACKETS // 2} packets",
        f"{_WAY}.reverse.rate": "10 Gbit/s",
        f"{_WAY}.reverse.delay": "48 ms",
        f"{_WAY}.reverse.buffer": f"{SECTION_2_PACKETS // 2} packets",
        "tcp.mss": "1460 bytes",
        "flow.0.start_jitter": "500 ms",
    },
}
"""Figure 3's path, and that of section 2, 10 Gbit/s and 100 ms; half of either may wait."""
CAPACITY_BIT_S = {"20,000 packets": 800e6 * 0.96, "83,333 packets": 10e9 * 1460 / 1500}
"""Without headers."""


def report(context: Context, seeds: int) -> dict[str, Measured]:
    """The table of estimators, and what the paper says of them."""
    shares: dict[str, dict[str, list[float]]] = {}
    paths = dict(list(PATHS.items())[:1]) if context.quick else PATHS
    races = {}
    for path, settings in paths.items():
        race = context.compare(ESTIMATORS, pipe(context, {**settings, LOSS: LOSS_RATE}), seeds=seeds)
        races[path] = race
        shares[path] = {
            name: [
                float(result.flows["goodput_bit_per_s"].sum()) / CAPACITY_BIT_S[path]
                for result in race.results
                if result.label == name
            ]
            for name in ESTIMATORS
        }
    context.table("estimators", table(shares))
    section_2: dict[str, Measured] = dict.fromkeys(
        ("section-2-window", "section-2-standard"), NotRun("the quick check leaves out 10 Gbit/s")
    )
    if not context.quick:
        standard = shares["83,333 packets"]
        section_2 = {
            "section-2-window": Values([path_in_packets(races["83,333 packets"])]),
            "section-2-standard": Values(standard["reno"], f"HE-TCP {np.mean(standard['gtsw']):.2f}"),
        }
    return {
        **section_2,
        "estimator-abe": Each(
            {
                path: [own - other for own, other in zip(mine["gtsw"], mine["abe"], strict=True)]
                for path, mine in shares.items()
            }
        ),
        "estimator-gtsw": Each(
            {
                path: [own / other for own, other in zip(mine["gtsw"], mine["tsw"], strict=True)]
                for path, mine in shares.items()
            }
        ),
        "section-2-losses": Values([packets_per_loss(SECTION_2_PACKETS)]),
    }


def path_in_packets(race: Comparison) -> float:
    """The bandwidth-delay product: the bottleneck's rate times the least round trip."""
    least_s = min(float(result.flows["min_rtt_s"][0]) for result in race.results)
    return 10e9 * least_s / (8 * 1500)


def packets_per_loss(window: float) -> float:
    """The packets from loss to loss with which standard TCP has a window: it goes with their square root."""
    some = 1e6
    return float(some * (window / mathis(1 / some)) ** 2)


def table(shares: Mapping[str, Mapping[str, list[float]]]) -> pl.DataFrame:
    """A row per estimator, a column per path: the share of the link, mean and 95 % interval."""
    return pl.DataFrame(
        [
            {
                "estimator": TITLES[name],
                **{f"on {path}": interval_of(mine[name]) for path, mine in shares.items()},
            }
            for name in ESTIMATORS
        ]
    )
