"""3.3.2 beyond Table I: the routers of TCP Fast Start, and the flows of a Congestion Manager.

The thesis gives no setting for either. Both are run over the base experiment's bottleneck.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

import ackclock
from ackclock import Result
from ackclock.papers import Measured, Ordered, Values

from .. import survey
from ..file_runs import ByStack, Study
from ..stack import THESIS

__all__ = ["COUNT", "measure"]

COUNT = 1
SEEDS, SEEDS_QUICK = 20, 3
CONNECTIONS = 4
"""Of a pair of hosts, with the Congestion Manager and without."""
LINK: dict[str, object] = {"rate": "1.5 Mbit/s", "delay": "35 ms"}
"""The base experiment's bottleneck."""
TCP: dict[str, object] = {
    "algorithm": "newreno",
    "mss": "1024 bytes",
    "header": "40 bytes",
    "initial_window": "2 packets",
    "segments_per_ack": 1,
}
PATH_S = 200
"""Seconds, of which the first tenth does not count where files go on."""
FILE_PACKETS = 500
"""Of each of the connections between two hosts."""
WINDOW = 8
"""Packets of a file that leaves at once, together with a burst of Fast Start."""
ENDLESS = 10**6
"""Packets of a file that lasts longer: flows without an end share nothing."""


@dataclass(frozen=True)
class Experiment:
    """A network with traffic, and the number that is taken of a run."""

    links: Sequence[Mapping[str, object]]
    flow: Sequence[Mapping[str, object]]
    number: Callable[[Result], float]
    udp: Sequence[Mapping[str, object]] = ()
    warm_up_s: float = 0.0

    def value(self, seed: int) -> float:
        """The number of one run."""
        return self.number(
            ackclock.run(
                {
                    "name": "path",
                    "duration": f"{PATH_S} s",
                    "warm_up": f"{self.warm_up_s} s",
                    "seed": seed,
                    "topology": {"graph": {"link": self.links}},
                    "tcp": {**TCP, "initial_window": survey.LEVELS["first_window"]},
                    "flow": self.flow,
                    "udp": self.udp,
                    "trace": {"flows": False},
                }
            )
        )


MANAGED = {"sharing": "congestion-manager"}
ENDS = {"from": "a", "to": "b"}


def fast_start(queue: str) -> Experiment:
    """A burst of Fast Start meets the first window of another file, which loses a share, in per cent.

    The file before it leaves a window that is too large for the queue.
    """
    links: list[Mapping[str, object]] = [
        {"from": host, "to": "router", "rate": "10 Mbit/s", "delay": "5 ms"} for host in ("fast", "other")
    ]
    links.append({"from": "router", "to": "sink", **LINK, "buffer": buffer(6), "queue": queue})
    fast = {"from": "fast", "to": "sink", "tcp": {"sharing": "fast-start"}}
    other = {"from": "other", "to": "sink", "tcp": {"initial_window": f"{WINDOW} packets"}}
    again = {"start": "20 s"}

    def lost(result: Result) -> float:
        return 100 * float(result.flows["packets_lost"].to_list()[-1]) / WINDOW

    flows = [
        {**fast, "name": "before", "packets": 20},
        {**fast, **again, "name": "fast", "packets": 32},
        {**other, **again, "name": "other", "packets": WINDOW, "start_jitter": "50 ms"},
    ]
    return Experiment(links, flows, lost)


def connections(tcp: Mapping[str, object], number: Callable[[Result], float]) -> Experiment:
    """Connections between two hosts with a file each, which begin within a second."""
    flow = {**ENDS, "count": CONNECTIONS, "packets": FILE_PACKETS, "start_jitter": "1 s", "tcp": tcp}
    return Experiment([{**ENDS, **LINK, "buffer": buffer(13)}], [flow], number)


def together(result: Result) -> float:
    """The goodput of all files, from the first start to the last end, in Mbit/s."""
    files = result.transfers
    seconds = float(files["finish_s"].to_numpy().max() - files["start_s"].to_numpy().min())
    return CONNECTIONS * FILE_PACKETS * 1024 * 8 / 1e6 / seconds


def variation(result: Result) -> float:
    """The standard deviation of the files' goodputs over their mean."""
    goodputs = 1 / (result.transfers["finish_s"].to_numpy() - result.transfers["start_s"].to_numpy())
    return float(goodputs.std() / goodputs.mean())


def datagrams(sharing: Mapping[str, object]) -> Experiment:
    """A connection together with datagrams at twice the link's rate: their share of all packets."""
    flow = {**ENDS, "packets": ENDLESS, "start_jitter": "1 s", "tcp": sharing}
    udp = {**ENDS, "rate": "3 Mbit/s", "packet": "1064 bytes", "start_jitter": "1 s", **sharing}

    def share(result: Result) -> float:
        tcp, of_udp = result.flows["packets_delivered"].to_list()
        return float(of_udp / (tcp + of_udp))

    return Experiment([{**ENDS, **LINK, "buffer": buffer(13)}], [flow], share, [udp], PATH_S / 10)


def buffer(packets: int) -> str:
    """The room of a bottleneck, or by the other level of `queue` ns-2's default, 49 that wait."""
    return f"{packets if survey.LEVELS['queue'] == '7 packets' else survey.packets('queue') - 1} packets"


def experiments() -> dict[str, Experiment]:
    """All experiments, by name."""
    return {
        "lost: drop-tail": fast_start("droptail"),
        "lost: drop priority": fast_start("drop-priority"),
        "goodput: NewReno": connections({}, together),
        "goodput: Congestion Manager": connections(MANAGED, together),
        "variation: NewReno": connections({}, variation),
        "variation: Congestion Manager": connections(MANAGED, variation),
        "datagrams: alone": datagrams({}),
        "datagrams: managed": datagrams(MANAGED),
    }


def measure(study: Study) -> ByStack:
    """All claims, which no stack of the thesis enters."""
    seeds = range(1, 1 + (survey.seeds(SEEDS_QUICK) if study.context.quick else SEEDS))
    every = experiments()
    wanted = [(name, experiment, seed) for name, experiment in every.items() for seed in seeds]

    def work(item: tuple[str, Experiment, int], _: Callable[[float], bool]) -> float:
        experiment, seed = item[1:]
        return experiment.value(seed)

    values = study.context.each([(float(PATH_S), item) for item in wanted], work)
    found: dict[str, list[float]] = {name: [] for name in every}
    for item, value in zip(wanted, values, strict=True):
        found[item[0]].append(value)

    def ordered(of: str, first: str, second: str) -> Ordered:
        return Ordered({name: found[f"{of}: {name}"] for name in (first, second)})

    alone = np.mean(found["datagrams: alone"])
    claims: dict[str, Measured] = {
        "fast-start-drops": ordered("lost", "drop-tail", "drop priority"),
        "cm-aggregate": ordered("goodput", "NewReno", "Congestion Manager"),
        "cm-variability": ordered("variation", "NewReno", "Congestion Manager"),
        "cm-datagrams": Values(
            found["datagrams: managed"], note=f"without the Congestion Manager {alone:.2f}"
        ),
    }
    return {THESIS.name: claims}
