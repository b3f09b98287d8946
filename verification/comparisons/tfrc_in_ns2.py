"""The timeout in the equation is the reason why ns-2's TFRC sends more than RFC 5348 under frequent losses.

`python -m verification.comparisons.tfrc_in_ns2` prints the tables; `--publish` renews those that the
documentation shows. ns-2 must be installed.

The RFC's t_RTO is four round trips. ns-2's agent (`tfrc.cc`, `update_rtt`) takes TCP's estimate, SRTT +
4 RTTVAR, which on a steady path is one round trip, and at least its variable `minrto_`, 0 by default. With
four round trips, ns-2's agent should send at the rate of the equation. With TCP's estimate, the flows of
Ackclock (`tfrc(estimated_rto=1)`) should lose as much as those of ns-2.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import numpy as np

from ackclock.models import tfrc
from verification.comparisons.frequent_losses import (
    LOSSES,
    RTT_S,
    SCENES,
    STARTS,
    Scene,
    link_here,
    link_in_ns2,
    sent_here,
    sent_in_ns2,
)
from verification.comparisons.publication import parser, print_and_publish, written

FULL_RTT_S = 0.4
"""The round trip of the shared link with a full buffer."""
SHARED = next(scene for scene in SCENES if scene.agent == "TFRC")


def lossy_paths() -> Iterator[list[str]]:
    """A row per loss rate: packets sent per round trip of 0.6 s."""
    yield ["loss", "ns-2", "equation, t_RTO = R", "ns-2, t_RTO = 4 R", "equation, t_RTO = 4 R", "Ackclock"]
    for p in LOSSES:
        yield [
            f"{p:g}",
            written(sent_in_ns2("TFRC", p), 3),
            f"{float(tfrc(p, rto_s=1)):.2f}",
            written(sent_in_ns2("TFRC", p, None, f"minrto_={4 * RTT_S:g}"), 3),
            f"{float(tfrc(p)):.2f}",
            written(sent_here("tfrc", p, 0.2, {}), 3),
        ]


def shared_links() -> Iterator[list[str]]:
    """The loss rate of 100 flows over 1 Mbit/s, means over three sets of starts."""
    yield ["simulator", "t_RTO", "lost, %"]
    yield ["the paper's ns-2", "", "20.7"]
    four = Scene(SHARED.name, (f"minrto_={4 * FULL_RTT_S:g}",), SHARED.tcp, agent="TFRC")
    estimated = Scene(SHARED.name, tcp={"algorithm": "tfrc(estimated_rto=1)"}, agent="TFRC")
    for name, timeout, shared, scene in (
        ("ns-2", "SRTT + 4 RTTVAR", link_in_ns2, SHARED),
        ("Ackclock", "SRTT + 4 RTTVAR", link_here, estimated),
        ("ns-2", f"at least {4 * FULL_RTT_S:g} s", link_in_ns2, four),
        ("Ackclock", "4 R", link_here, SHARED),
    ):
        lost = np.mean([100 * shared(scene, seed).loss for seed in STARTS])
        yield [name, timeout, f"{lost:.1f}"]


def main(arguments: Sequence[str]) -> int:
    """Prints the tables, and publishes them if asked."""
    chosen = parser("tfrc_in_ns2", __doc__).parse_args(arguments)
    tables = {"lossy-path": lossy_paths(), "shared-link": shared_links()}
    print_and_publish("tfrc-in-ns2", tables, chosen.publish)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
