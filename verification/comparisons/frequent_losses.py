"""Frequent losses in ns-2 and here: one flow over a lossy path, and 100 flows over 1 Mbit/s.

`python -m verification.comparisons.frequent_losses` prints the tables; `--publish` renews those that the
documentation shows. ns-2 must be installed.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ackclock import load_scenario, run
from ackclock.measures import short_term_fairness
from ackclock.measures.statistics import Interval, mean_interval
from ackclock.models import tfrc
from ackclock.papers import load_paper
from verification.checks.runs import Settings, simulate_all
from verification.comparisons.publication import parser, print_and_publish, written
from verification.peers.harness import NS2, cached_output

Floats = NDArray[np.float64]

RTT_S = 0.6
SECONDS = 50_000
LOSSES = (0.1, 0.2, 0.3)
SEEDS = range(1, 9)
LEAST_TIMEOUTS_S = (0.2, 1.0)
ANY_SAMPLE: Settings = {"rto_backoff_until": "any-sample"}
CLEARED: Settings = {"rtt_clear_after": 4}
"""The number of timeouts in a row after which ns-2 forgets the smoothed round trip."""
AGENTS = {
    "Tahoe": ("tahoe+reno(limit=1)", {}),
    "Reno": ("reno+reno(limit=1)", {}),
    "Newreno": ("newreno+reno(limit=1)", {}),
    "Sack1": ("sack+reno(limit=1)", ANY_SAMPLE),
    "TFRC": ("tfrc", {}),
}
"""ns-2's agents, which count acknowledgments, ours, and another setting to show with the default."""


def lossy_path(algorithm: str, p: float, seed: int, least_s: float, tcp: Settings) -> Settings:
    """One flow that loses every packet with the same probability; ns-2's timers."""
    link = {
        "from": "sender",
        "to": "receiver",
        "rate": "100 Mbit/s",
        "delay": f"{RTT_S / 2 * 1e3:g} ms",
        "buffer": "100000 packets",
        "loss": {"bernoulli": p},
    }
    settings: Settings = {
        "algorithm": algorithm,
        "mss": "460 bytes",
        "header": "40 bytes",
        "initial_window": "2 packets",
        "segments_per_ack": 1,
        "handshake": False,
        "rto_initial": "3 s",
        "rto_min": f"{least_s:g} s",
        "clock_granularity": "10 ms",
        "rearm_at_fast_retransmit": True,
        **tcp,
    }
    return {
        "name": "lossy-path",
        "seed": seed,
        "duration": f"{SECONDS} s",
        "topology": {"graph": {"link": [link]}},
        "tcp": settings,
        "flow": [{"from": "sender", "to": "receiver"}],
    }


def sent_here(algorithm: str, p: float, least_s: float, tcp: Settings) -> Interval:
    """Packets per round trip, over seeds."""
    results = simulate_all([lossy_path(algorithm, p, seed, least_s, tcp) for seed in SEEDS])
    return mean_interval([float(r.flows["packets_sent"][0]) * RTT_S / SECONDS for r in results])


def sent_in_ns2(agent: str, p: float, least_s: float | None = None, *variables: str) -> Interval:
    """The run in ns-2, with a least timeout of TCP if one is given."""
    sent = []
    if least_s is not None:
        variables = (f"minrto_={least_s:g}", *variables)
    for seed in SEEDS:
        path = [f"{value:g}" for value in (p, RTT_S, SECONDS, seed)]
        printed = cached_output(NS2, "lossy_path", agent, *path, *variables)
        sent.append(float(printed.splitlines()[-1].split()[0]) * RTT_S / SECONDS)
    return mean_interval(sent)


def lossy_paths() -> Iterator[list[str]]:
    """A row per agent, least timeout and loss rate: packets sent per round trip of 0.6 s."""
    head = ["ns-2's agent", "least timeout, s", "loss", "ns-2", "Ackclock"]
    yield [*head, "cleared after 4", "any sample", "RFC 5348, 3.1"]
    for agent, (algorithm, other) in AGENTS.items():
        for least_s in LEAST_TIMEOUTS_S[: 1 if agent == "TFRC" else None]:
            for p in LOSSES:
                row = [agent, "" if agent == "TFRC" else f"{least_s:g}", f"{p:g}"]
                row.append(written(sent_in_ns2(agent, p, None if agent == "TFRC" else least_s), 3))
                row.append(written(sent_here(algorithm, p, least_s, {}), 3))
                cleared = {} if agent == "TFRC" else CLEARED
                row += [
                    written(sent_here(algorithm, p, least_s, tcp), 3) if tcp else ""
                    for tcp in (cleared, other)
                ]
                row.append(f"{float(tfrc(p)):.2f}" if agent == "TFRC" else "")
                yield row


WITHOUT: dict[str, tuple[tuple[str, ...], Settings]] = {
    "as above": ((), {}),
    "without limited transmit": (("singledup_=0",), {"limited_transmit": False}),
    "repeated fast retransmits": (("bugFix_=0",), {"fast_retransmit_beyond": "nothing"}),
}
"""The rules that are removed in both simulators."""


def taken_apart() -> Iterator[list[str]]:
    """Reno and NewReno at a loss rate of 0.1, each time without one of the rules."""
    yield ["ns-2's agent", "rules", "ns-2", "Ackclock"]
    for agent in ("Reno", "Newreno"):
        for name, (there, tcp) in WITHOUT.items():
            if agent == "Newreno" and "fast_retransmit_beyond" in tcp:
                continue  # NewReno has RFC 6582's rule in any case.
            found = (sent_in_ns2(agent, 0.1, 0.2, *there), sent_here(AGENTS[agent][0], 0.1, 0.2, tcp))
            yield [agent, name, *(written(interval, 3) for interval in found)]


HUNDRED = 100
SLICE_S = 20
WARM_UP_S = 100
LINK_SECONDS = 1100
STARTS = (1, 2, 3)


@dataclass(frozen=True)
class Scene:
    """100 flows of the sub-packet paper's figure 3, in both simulators."""

    name: str
    ns2: tuple[str, ...] = ()
    """The agent's variables in ns-2."""
    tcp: Settings = field(default_factory=dict)
    overhead: bool = False
    agent: str = "Sack1"


OVERHEAD = {"uniform": {"from": "0 us", "to": "4 ms"}}
SCENES = (
    Scene("SACK, ns-2's defaults"),
    Scene("SACK, timeouts from 1 s", ("minrto_=1",), {"rto_min": "1 s"}),
    Scene("SACK, overhead up to 4 ms", ("overhead_=0.004",), overhead=True),
    Scene(
        "SACK, timeouts from 1 s, overhead up to 4 ms",
        ("minrto_=1", "overhead_=0.004"),
        {"rto_min": "1 s"},
        overhead=True,
    ),
    Scene("TFRC", (), {"algorithm": "tfrc"}, agent="TFRC"),
)


@dataclass(frozen=True)
class Shared:
    """One run after the warm-up."""

    loss: float
    got: Floats
    """The share of each flow in each slice: a row per slice."""

    def row(self) -> list[float]:
        """Per cent of packets lost, of flows locked out of a slice, and of goodput for the first 40 %.

        Jain's index over a slice.
        """
        ranked = np.sort(self.got, axis=1)[:, ::-1]
        top = ranked[:, : round(0.4 * HUNDRED)].sum(axis=1) / ranked.sum(axis=1)
        index = self.got.sum(axis=1) ** 2 / (HUNDRED * (self.got**2).sum(axis=1))
        silent = (self.got == 0).mean()
        return [100 * self.loss, 100 * float(silent), 100 * float(top.mean()), float(index.mean())]


def link_in_ns2(scene: Scene, seed: int) -> Shared:
    """The link in ns-2; a queue limit of 51 lets 50 packets wait."""
    path = [str(value) for value in (HUNDRED, 1000000, 51, LINK_SECONDS, SLICE_S, seed)]
    lines = cached_output(NS2, "shared_link", scene.agent, *path, *scene.ns2).splitlines()
    table = np.array([line.split() for line in lines if line[0].isdigit()], dtype=float)
    table = table[table[:, 0] >= WARM_UP_S - SLICE_S / 2]
    dropped, forwarded = np.ptp(table[:, 1]), np.ptp(table[:, 2])
    return Shared(float(dropped / (dropped + forwarded)), np.diff(table[:, 3:], axis=0))


def link_here(scene: Scene, seed: int) -> Shared:
    """The link here."""
    file = load_paper("sub-packet").folder / "scenarios" / "link.toml"
    tree = tomllib.loads(file.read_text(encoding="utf-8"))
    tree["tcp"] |= scene.tcp
    if scene.overhead:
        tree["flow"][0]["send_overhead"] = OVERHEAD
    result = run(load_scenario(tree), seed=seed)
    link = next(row for row in result.links.iter_rows(named=True) if row["name"] == "left->right")
    seen = link["dropped_queue"] + link["packets_forwarded"]
    got = short_term_fairness.goodputs(result, SLICE_S)["goodput_bit_per_s"].to_numpy()
    return Shared(link["dropped_queue"] / seen, got.reshape(-1, HUNDRED).astype(np.float64))


def shared_links() -> Iterator[list[str]]:
    """A row per scene and simulator, means over three sets of starts; the paper's numbers first."""
    yield ["senders", "simulator", "lost, %", "locked out, %", "first 40 % get, %", "index 20 s"]
    yield ["SACK", "the paper's ns-2", "12.8", "30", "80", ""]
    yield ["TFRC", "the paper's ns-2", "20.7", "", "", ""]
    for scene in SCENES:
        for name, shared in ((NS2, link_in_ns2), ("Ackclock", link_here)):
            loss, silent, top, index = np.mean([shared(scene, seed).row() for seed in STARTS], axis=0)
            # ns-2 counts TFRC's packets when they are sent.
            if (scene.agent, name) == ("TFRC", NS2):
                yield [scene.name, name, f"{loss:.1f}", "", "", ""]
            else:
                yield [scene.name, name, f"{loss:.1f}", f"{silent:.0f}", f"{top:.0f}", f"{index:.2f}"]


def main(arguments: Sequence[str]) -> int:
    """Prints the tables, and publishes them if asked."""
    chosen = parser("frequent_losses", __doc__).parse_args(arguments)
    print_and_publish(
        "frequent-losses",
        {"lossy-path": lossy_paths(), "taken-apart": taken_apart(), "shared-link": shared_links()},
        chosen.publish,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
