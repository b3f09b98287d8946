"""Random scenes that nobody tuned, in ns-2 and in Ackclock: goodput, loss, fairness and timeouts.

`python -m verification.comparisons.random_scenes` draws the scenes, runs both and prints the tables;
`--publish` renews those that the documentation shows. Without ns-2 it says so, and does nothing.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

from ackclock.measures.statistics import jain_index, mean_interval
from ackclock.provenance import command_line
from ackclock.report.figures import image, new_figure
from ackclock.report.style import BLUE, MATPLOTLIB, VERMILION
from verification.checks.runs import Settings, row, simulate
from verification.comparisons.publication import folder, made, parser, print_rows, publish
from verification.peers.harness import NS2, NotInstalledError, cached_output, ns2_command, today

PUBLISHED = folder("random-scenes")

SCENES = 40
SEEDS = range(1, 6)
WARM_UP_S, SECONDS = 10, 60
OVERHEAD_S = 0.001
CONFIDENCE = 0.99
"""The confidence of the interval of a difference: of 160 equal pairs one or two would be called different."""
SMALL = {"goodput, Mbit/s": 0.01, "loss, %": 0.1, "Jain": 0.01, "timeouts": 0.1}
"""The least differences that are listed: a hundredth of the goodput of all flows, a tenth of a per
cent of the packets offered to all hops, a hundredth of the index, a timeout per flow in ten minutes."""

AGENTS = {
    "Reno": "reno+reno(limit=1)",
    "Newreno": "newreno+reno(limit=1)",
    "Sack1": "sack+reno(limit=1)",
    "Vegas": "vegas",
    "Linux/reno": "sack+reno(limit=1)",
    "Linux/cubic": "sack+cubic",
}
"""ns-2's agents and ours."""


@dataclass(frozen=True)
class Hop:
    """A link of the chain."""

    rate_bit_per_s: int
    delay_s: float
    buffer: int
    red: bool
    datagrams: float
    """Poisson datagrams over this hop alone, as a part of its rate."""


@dataclass(frozen=True)
class Flow:
    """A long TCP flow that enters the chain at one node and leaves it at another."""

    agent: str
    first: int
    last: int
    access_s: float


@dataclass(frozen=True)
class Scene:
    """The part of a scene that is drawn once; starts, datagrams and overheads are drawn for each seed."""

    number: int
    hops: tuple[Hop, ...]
    flows: tuple[Flow, ...]
    delayed: bool
    ns2: tuple[str, ...] = ()
    """Variables of ns-2's agents."""

    @property
    def features(self) -> list[str]:
        """The features that may cause a difference."""
        agents = sorted({flow.agent for flow in self.flows})
        extras = {
            "RED": any(hop.red for hop in self.hops),
            "datagrams": any(hop.datagrams for hop in self.hops),
            "delayed ACKs": self.delayed,
            f"{len(self.hops)} hops": len(self.hops) > 1,
        }
        return [*agents, *(name for name, is_there in extras.items() if is_there)]

    def starts(self, seed: int) -> list[float]:
        """The time at which each flow starts, in seconds."""
        random = np.random.default_rng([self.number, seed])
        return [round(float(start), 6) for start in random.uniform(0, 2, len(self.flows))]


def drawn(number: int) -> Scene:
    """The scene of this number."""
    random = np.random.default_rng([15, number])

    def between(low: float, high: float) -> float:
        """A random number, uniform in its logarithm, to two digits."""
        return float(f"{math.exp(random.uniform(math.log(low), math.log(high))):.2g}")

    count = int(random.choice([1, 1, 2, 3]))
    hops = tuple(
        Hop(
            round(between(1e6, 8e6)),
            between(0.002, 0.04),
            round(between(8, 80)),
            bool(random.random() < 0.3),
            float(random.choice([0.0, 0.0, 0.1, 0.3])),
        )
        for _ in range(count)
    )
    mixed = random.random() < 0.25
    own = str(random.choice(list(AGENTS)))
    flows = []
    for place in range(int(random.integers(2, 9))):
        # The first flow crosses the whole chain.
        first = int(random.integers(count)) if place else 0
        last = int(random.integers(first + 1, count + 1)) if place else count
        agent = str(random.choice(list(AGENTS))) if mixed else own
        flows.append(Flow(agent, first, last, between(0.001, 0.05)))
    return Scene(number, hops, tuple(flows), bool(random.random() < 0.4))


def scenario(scene: Scene, seed: int) -> Settings:
    """The scene here, with ns-2's timers and its way to count acknowledgments."""
    links: list[Settings] = [
        {
            "from": f"node{i}",
            "to": f"node{i + 1}",
            "rate": f"{hop.rate_bit_per_s} bit/s",
            "delay": f"{hop.delay_s * 1e3:g} ms",
            "buffer": f"{hop.buffer} packets",
            "queue": "red(least_gap=1,least_queue=2)" if hop.red else "droptail",
            "reverse": {"queue": "droptail", "buffer": "10000 packets"},
        }
        for i, hop in enumerate(scene.hops)
    ]
    groups: list[Settings] = []
    for i, (flow, start) in enumerate(zip(scene.flows, scene.starts(seed), strict=True)):
        ends = ((f"from{i}", f"node{flow.first}", flow.access_s), (f"node{flow.last}", f"to{i}", 0.001))
        links += [
            {
                "from": tail,
                "to": head,
                "rate": "100 Mbit/s",
                "delay": f"{delay * 1e3:g} ms",
                "buffer": "10000 packets",
            }
            for tail, head, delay in ends
        ]
        groups.append(
            {
                "from": f"from{i}",
                "to": f"to{i}",
                "algorithm": AGENTS[flow.agent],
                "start": f"{start * 1e6:.0f} us",
                "send_overhead": {"uniform": {"from": "0 us", "to": f"{OVERHEAD_S * 1e6:g} us"}},
            }
        )
    datagrams = [
        {
            "from": f"node{i}",
            "to": f"node{i + 1}",
            "rate": f"{hop.datagrams * hop.rate_bit_per_s:.0f} bit/s",
            "packet": "1000 bytes",
            "pattern": "poisson",
        }
        for i, hop in enumerate(scene.hops)
        if hop.datagrams
    ]
    return {
        "name": f"scene-{scene.number}",
        "seed": seed,
        "duration": f"{SECONDS} s",
        "warm_up": f"{WARM_UP_S} s",
        "topology": {"graph": {"link": links}},
        "tcp": {
            "mss": "960 bytes",
            "header": "40 bytes",
            "initial_window": "2 packets",
            "segments_per_ack": 2 if scene.delayed else 1,
            "ack_delay": "100 ms",
            "handshake": False,
            "rto_initial": "3 s",
            "rto_min": "1 s",
            "clock_granularity": "10 ms",
            "rearm_at_fast_retransmit": True,
        },
        "flow": groups,
        **({"udp": datagrams} if datagrams else {}),
    }


Measures = dict[str, float]


def measures(
    scene: Scene, delivered: Sequence[float], timeouts: float, dropped: float, passed: float
) -> Measures:
    """The shares of the packets counted after the warm-up."""
    seconds = SECONDS - WARM_UP_S
    return {
        "goodput, Mbit/s": sum(delivered) * 960 * 8e-6 / seconds,
        "loss, %": 100 * dropped / (dropped + passed),
        "Jain": jain_index(delivered),
        "timeouts": timeouts / len(scene.flows) / seconds * 60,
    }


def here(scene: Scene, seed: int) -> Measures:
    """A run here. Timeouts before the end of the warm-up are those of a run that ends there."""
    result = simulate(scenario(scene, seed))
    before = simulate({**scenario(scene, seed), "duration": f"{WARM_UP_S} s", "warm_up": "0 s"})
    tcp = [flow for flow in result.flows.iter_rows(named=True) if flow["kind"] == "tcp"]
    early = sum(flow["timeouts"] for flow in before.flows.iter_rows(named=True))
    delivered = [flow["goodput_bit_per_s"] * (SECONDS - WARM_UP_S) / (960 * 8) for flow in tcp]
    hops = [row(result.links, f"node{i}->node{i + 1}") for i in range(len(scene.hops))]
    return measures(
        scene,
        delivered,
        sum(flow["timeouts"] for flow in tcp) - early,
        sum(hop["dropped_queue"] for hop in hops),
        sum(hop["packets_forwarded"] for hop in hops),
    )


def in_ns2(scene: Scene, seed: int) -> Measures:
    """The same in ns-2."""
    hops = ":".join(
        f"{hop.rate_bit_per_s},{hop.delay_s:g},{hop.buffer},{'RED' if hop.red else 'DropTail'}"
        for hop in scene.hops
    )
    flows = ":".join(
        f"{flow.agent},{flow.first},{flow.last},{flow.access_s:g},{start:.6f}"
        for flow, start in zip(scene.flows, scene.starts(seed), strict=True)
    )
    datagrams = ":".join(
        f"{i},{hop.datagrams * hop.rate_bit_per_s:.0f}" for i, hop in enumerate(scene.hops) if hop.datagrams
    )
    times = [str(value) for value in (seed, WARM_UP_S, SECONDS, int(scene.delayed), OVERHEAD_S)]
    printed = cached_output(NS2, "random_scene", *times, hops, flows, datagrams, *scene.ns2)
    table = [line.split() for line in printed.splitlines() if line[0].isdigit()]
    pairs = [(float(first), float(second)) for first, second in table]
    ends, queues = pairs[: len(scene.flows)], pairs[len(scene.flows) :]
    return measures(
        scene,
        [delivered for delivered, _ in ends],
        sum(timeouts for _, timeouts in ends),
        sum(dropped for dropped, _ in queues),
        sum(passed for _, passed in queues),
    )


@dataclass(frozen=True)
class Compared:
    """A measure of a scene in both simulators, over seeds."""

    scene: Scene
    measure: str
    there: tuple[float, ...]
    here: tuple[float, ...]

    @property
    def difference(self) -> float:
        """Ours less ns-2's."""
        return float(np.mean(self.here) - np.mean(self.there))

    @property
    def differs(self) -> bool:
        """True if the difference exceeds the seeds' spread (Welch's interval) and the least difference."""
        scale = float(np.mean(self.there)) if self.measure.startswith("goodput") else 1.0
        if abs(self.difference) < SMALL[self.measure] * scale:
            return False
        if np.ptp(self.here) == np.ptp(self.there) == 0:
            return True
        p = stats.ttest_ind(self.here, self.there, equal_var=False).pvalue
        return bool(p < 1 - CONFIDENCE)


def compared(scene: Scene) -> list[Compared]:
    """All measures of a scene."""
    there, ours = [in_ns2(scene, seed) for seed in SEEDS], [here(scene, seed) for seed in SEEDS]
    return [
        Compared(scene, measure, tuple(one[measure] for one in there), tuple(one[measure] for one in ours))
        for measure in SMALL
    ]


def without(scene: Scene) -> dict[str, Scene]:
    """The scene without one feature: if the difference disappears with it, the feature is the reason."""
    found = {}
    if any(flow.agent == "Reno" for flow in scene.flows):
        found["bugFix_"] = replace(scene, ns2=("bugFix_=false",))
    if any(flow.agent != "Sack1" for flow in scene.flows):
        found["the agent"] = replace(scene, flows=tuple(replace(flow, agent="Sack1") for flow in scene.flows))
    if any(hop.red for hop in scene.hops):
        found["RED"] = replace(scene, hops=tuple(replace(hop, red=False) for hop in scene.hops))
    if scene.delayed:
        found["delayed ACKs"] = replace(scene, delayed=False)
    return found


def reason(row: Compared, variants: dict[str, list[Compared]]) -> str:
    """The features without which this measure does not differ, or "open"."""
    ended = [
        feature
        for feature, rows in variants.items()
        if not next(other for other in rows if other.measure == row.measure).differs
    ]
    return " or ".join(ended) or "open"


def _written(values: Sequence[float]) -> str:
    """Three digits, since the scenes' rates differ by orders of magnitude."""
    interval = mean_interval(values)
    return f"{interval.estimate:.3g} ± {interval.half_width:.2g}"


def tables(scenes: Sequence[Scene]) -> tuple[list[list[str]], list[list[str]], list[Compared]]:
    """A table with a row per scene, one with a row per differing measure, and all comparisons."""
    head = [f"{measure}, {name}" for measure in SMALL for name in ("ns-2", "Ackclock")]
    every = [["scene", "flows", "features", *head]]
    differing = [["scene", "measure", "ns-2", "Ackclock", "features", "gone without"]]
    found = []
    for scene in scenes:
        rows = compared(scene)
        found += rows
        cells = [_written(values) for row in rows for values in (row.there, row.here)]
        features = ", ".join(scene.features)
        every.append([str(scene.number), str(len(scene.flows)), features, *cells])
        if not any(row.differs for row in rows):
            continue
        variants = {name: compared(other) for name, other in without(scene).items()}
        differing += [
            [
                str(scene.number),
                row.measure,
                *map(_written, (row.there, row.here)),
                features,
                reason(row, variants),
            ]
            for row in rows
            if row.differs
        ]
    return every, differing, found


def by_agent(found: Sequence[Compared], differing: Sequence[Sequence[str]]) -> list[list[str]]:
    """A row per agent: the scenes in which it is alone, their measures that differ, and those unexplained."""
    rows = [["agent", "scenes", *(f"{measure} differs" for measure in SMALL), "open"]]
    opened = {(row[0], row[1]) for row in differing if row[-1] == "open"}
    for agent in (*AGENTS, "several"):
        own = [row for row in found if _only_agent(row.scene) == agent]
        counts = [sum(row.differs for row in own if row.measure == measure) for measure in SMALL]
        still = sum((str(row.scene.number), row.measure) in opened for row in own)
        rows.append([agent, str(len(own) // len(SMALL)), *map(str, counts), str(still)])
    return rows


def _only_agent(scene: Scene) -> str:
    agents = {flow.agent for flow in scene.flows}
    return agents.pop() if len(agents) == 1 else "several"


def draw(found: Sequence[Compared]) -> Figure:
    """Each measure here against the same in ns-2, with 95 % intervals; measures that differ are filled."""
    figure, axes = new_figure(2, 2, height=5.6)
    with rc_context(MATPLOTLIB):
        for axis, measure in zip(axes, SMALL, strict=True):
            rows = [row for row in found if row.measure == measure]
            for row in rows:
                _point(axis, row)
            values = [value for row in rows for value in row.there + row.here]
            axis.plot(*[[min(values), max(values)]] * 2, linewidth=0.6, color="0.5", zorder=0)
            axis.set_title(measure)
            axis.set_xlabel("ns-2")
            axis.set_ylabel("Ackclock")
    return figure


def _point(axis: Axes, row: Compared) -> None:
    x, y = mean_interval(row.there), mean_interval(row.here)
    colour = VERMILION if row.differs else BLUE
    axis.errorbar(
        x.estimate,
        y.estimate,
        xerr=x.half_width,
        yerr=y.half_width,
        fmt="s" if row.differs else "o",
        markersize=3.5,
        linewidth=0.6,
        color=colour,
        markerfacecolor=colour if row.differs else "none",
    )


def main(arguments: Sequence[str]) -> int:
    """Prints the tables, and publishes them if asked."""
    arguments_of = parser("random_scenes", __doc__)
    arguments_of.add_argument("--scenes", type=int, default=SCENES, help="the number of scenes (%(default)s)")
    chosen = arguments_of.parse_args(arguments)
    try:
        ns2_command("random_scene")
    except NotInstalledError as error:
        print(f"left out: {error}")
        return 0
    print("ns-3 is left out: it has no program for these scenes")
    every, differing, found = tables([drawn(number) for number in range(chosen.scenes)])
    made_tables = {"table": every, "differences": differing, "agents": by_agent(found, differing[1:])}
    for rows in made_tables.values():
        print_rows(rows)
    print(f"{sum(one.differs for one in found)} of {len(found)} differ")
    if chosen.publish:
        publish("random-scenes", made_tables, today())
        title = "Random scenes in ns-2 and Ackclock"
        about = {"Title": title, "Description": f"{made()}; {command_line()}"}
        (PUBLISHED / "scenes.json").write_bytes(image(draw(found), "json", about))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
