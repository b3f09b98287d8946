"""Measures what sections III to VI of the paper claim; claims.toml holds the rules that judge it.

`ackclock reproduce tcp-variants` runs everything; `--quick` has fewer seeds, and no search over settings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from ackclock import Scenario, load_scenario
from ackclock.papers import Context, Holds, Measured, Ordered, Undecidable, Values

from . import choices, drawing, links
from .choices import NS_2_KBIT_S, OPEN, PAPER_KBIT_S, PER_ACK, SPECIFICATIONS, VARIANTS, wire_kbit_s
from .shapes import Trace

SETTLED_S = 2.0
"""From here on, a tenth of the time axis, Vegas is past its slow start."""
QUARTER_S = 5.0
"""From here on, a quarter of the time axis, throughput should be constant."""
PLAUSIBLE_UDP_MBIT_S = (0.8, 0.9, 1.1, 1.2)
"""In addition to the chosen rate: what leaves TCP about the 1 Mbit/s that the paper's figures are below."""
NEAR = 0.02
"""The part of the paper's figures that all three of a reading may differ by to be called near."""
WIRE_PER_PAYLOAD = 1040 / 1000
"""Bytes on the wire per byte of payload."""
ONE_PACKET_KBIT_S = 1040 * 8 / 20 / 1e3
"""One packet in the whole run, as throughput."""


@dataclass(frozen=True)
class Effort:
    """The extent of the runs."""

    seeds: int
    seeds_per_setting: int
    udp_step_mbit_s: float
    has_search: bool

    @staticmethod
    def of(context: Context) -> Effort:
        """A minute's worth, or all of it."""
        return Effort(3, 2, 0.1, False) if context.quick else Effort(20, 10, 0.02, True)


def measure(context: Context) -> Mapping[str, Measured]:
    """Every claim's measurement, by its id."""
    effort = Effort.of(context)
    base = context.scenario("figure-1", OPEN)
    rates = np.arange(0.5, 1.5 + 1e-9, effort.udp_step_mbit_s)
    searches = choices.search_size() if effort.has_search else 0
    others_sets = len(links.KINDS) * len(links.LATE_MS) + len(links.WIRELESS)
    context.expect(8 + len(choices.alternatives()) + len(rates) + searches + others_sets)

    race = context.compare(SPECIFICATIONS, base.with_value("trace.interval", "2 ms"), seeds=effort.seeds)
    traces = {
        name: [Trace.of(result) for result in race.results if result.label == name] for name in VARIANTS
    }
    firsts = {name: traces[name][0] for name in VARIANTS}
    context.figure("windows", drawing.windows(firsts), "Figures 2 to 4 of the paper: cwnd against time.")
    caption = """Figure 5 of the paper: throughput since the beginning, with headers, against time. Thin: in
    each second. Dotted: the paper's three figures."""
    context.figure("throughput", drawing.throughput(firsts, WIRE_PER_PAYLOAD), _one_line(caption))
    context.note(CHOSEN)

    sweep = choices.over_udp_rates(context, base, rates, effort.seeds_per_setting)
    others = choices.one_at_a_time(context, base, effort.seeds_per_setting)
    _report_choices(context, sweep, others)
    if effort.has_search:
        _report_search(context, choices.search(context, base))
    return {
        **network(context, base),
        **halving("tahoe", traces["tahoe"]),
        **halving("newreno", traces["newreno"]),
        **after_tahoe_cuts(traces["tahoe"]),
        **after_newreno_cuts(traces["newreno"]),
        **vegas_window(traces),
        **over_time(traces),
        **throughputs(wire_kbit_s(race)),
        **reasons(context, base, effort.seeds),
        **conclusions(context, base, sweep, others, effort.seeds),
        **links.measure(context, base, wire_kbit_s(race), effort.seeds),
    }


# --- III ---


def network(context: Context, base: Scenario) -> dict[str, Measured]:
    """That the scenario is the network of figure 1, seen from its ends."""
    full = context.run(base.with_value("udp.0.rate", "3 Mbit/s"))
    link = full.links.row(by_predicate=pl.col("name") == "left->right", named=True)
    delays = []
    for pair in (1, 2):
        ends = {"flow.0.from": f"src{pair}", "flow.0.to": f"dst{pair}"}
        idle = context.run(base, settings={**ends, "udp.0.start": "19 s"})
        least = float(idle.flows["min_rtt_s"][0])
        bits = 8 * (1040 + 40)
        sending = bits / 2e6 + 2 * bits / 10e6
        delays.append((least - sending) / 2 * 1e3)
    return {
        "network-rate": Values([float(full.flows["throughput_bit_per_s"].sum()) / 1e6]),
        "network-buffer": Values([float(link["max_queue_packets"]) + 1]),
        "network-delay": Values(delays),
    }


# --- IV ---


def halving(name: str, traces: Sequence[Trace]) -> dict[str, Measured]:
    """The sentence of the paper that holds for both Tahoe's window and NewReno's."""
    cuts = [cut for trace in traces for cut in trace.cuts()]
    return {
        f"{name}-slow-start": Values([trace.doubling_factor() for trace in traces]),
        f"{name}-avoidance": Values([trace.growth_per_round_trip() for trace in traces]),
        f"{name}-threshold": of_cuts([cut.ssthresh / cut.before for cut in cuts]),
    }


def of_cuts(samples: Sequence[float]) -> Measured:
    """A measurement at each reduction of the window."""
    return Values(samples, f"{len(samples)} cuts") if samples else Undecidable("the window was never cut")


def after_tahoe_cuts(traces: Sequence[Trace]) -> dict[str, Measured]:
    """One segment, then slow start."""
    after = [cut.after for trace in traces for cut in trace.cuts()]
    climbs = [trace.climbs_back(cut) for trace in traces for cut in trace.cuts()[:-1]]
    return {"tahoe-window": of_cuts(after), "tahoe-restart": Holds(climbs)}


def after_newreno_cuts(traces: Sequence[Trace]) -> dict[str, Measured]:
    """Half the window, then no slow start."""
    halves = [cut.after / cut.before for trace in traces for cut in trace.cuts()]
    stays = [
        bool(np.all(trace.cwnd[cut.index : following.index] >= trace.ssthresh[cut.index : following.index]))
        for trace in traces
        for cut, following in zip(trace.cuts(), trace.cuts()[1:], strict=False)
    ]
    return {"newreno-window": of_cuts(halves), "newreno-restart": Holds(stays)}


def vegas_window(traces: Mapping[str, Sequence[Trace]]) -> dict[str, Measured]:
    """Half the rate in slow start, then constant."""
    ratios = []
    for vegas, newreno, tahoe in zip(*(traces[name] for name in VARIANTS), strict=True):
        top = 2.0 ** np.floor(np.log2(vegas.cwnd[vegas.time < SETTLED_S].max()))
        theirs = (newreno.first_reaches(top) + tahoe.first_reaches(top)) / 2
        ratios.append(theirs / vegas.first_reaches(top))
    return {
        "vegas-slow-start": Values(ratios),
        "vegas-constant": Values([trace.excursion(SETTLED_S) for trace in traces["vegas"]]),
    }


# --- V ---


def over_time(traces: Mapping[str, Sequence[Trace]]) -> dict[str, Measured]:
    """Figure 5: a rise, then a constant, read in two ways; each seed by its worst variant."""
    rise, drift, uneven = [], [], []
    worst = {"drift": "", "uneven": ""}
    for runs in zip(*(traces[name] for name in VARIANTS), strict=True):
        rise.append(max(trace.rises_within(0.5, 0.9) for trace in runs))
        drifts = [100 * trace.drift(QUARTER_S) for trace in runs]
        evens = [100 * trace.unevenness(2.0, QUARTER_S) for trace in runs]
        drift.append(max(drifts))
        uneven.append(max(evens))
        for key, values in (("drift", drifts), ("uneven", evens)):
            found = ", ".join(f"{name} {value:.1f}" for name, value in zip(VARIANTS, values, strict=True))
            worst[key] = worst[key] or f"seed 1: {found} %"
    return {
        "throughput-rises": Values(rise),
        "throughput-constant": Values(drift, worst["drift"]),
        "throughput-even": Values(uneven, worst["uneven"]),
    }


def throughputs(wire: Mapping[str, Sequence[float]]) -> dict[str, Measured]:
    """The three figures and their order."""
    note = "no evidence: what the paper leaves open was chosen with this figure in view"
    return {
        "throughput-order": Ordered(dict(wire), "see what the paper leaves open for where it holds"),
        **{f"throughput-{name}": Values(wire[name], note) for name in VARIANTS},
    }


def reasons(context: Context, base: Scenario, seeds: int) -> dict[str, Measured]:
    """Take the cause away that the paper names, and see how much of the effect goes with it."""
    without = {
        "slow start": f"standard+{SPECIFICATIONS['vegas']}",
        "congestion avoidance": f"vegas+vegas+{PER_ACK}",
        "retransmission": f"newreno+{SPECIFICATIONS['vegas']}",
    }
    specifications = {**SPECIFICATIONS, "reno": f"reno+{PER_ACK}", **without}
    wire = {
        name: float(np.mean(v))
        for name, v in wire_kbit_s(context.compare(specifications, base, seeds=seeds)).items()
    }
    _compare_with_ns_2(context, wire)
    costs = {part: wire["vegas"] - wire[part] for part in without}
    said = ", ".join(f"without its {part} {-cost:+.1f} kbit/s" for part, cost in costs.items())

    vegas = context.run(base, algorithm=SPECIFICATIONS["vegas"], series=True)
    window = int(np.median(Trace.of(vegas).cwnd[Trace.of(vegas).time >= SETTLED_S]))
    capped = context.compare(
        {"newreno": SPECIFICATIONS["newreno"]},
        base.with_value("tcp.receive_window", f"{window} packets"),
        seeds=seeds,
    )
    unthrottled = float(np.mean(wire_kbit_s(capped)["newreno"]))
    losses = int(capped.runs["retransmissions"].sum())
    gained = (unthrottled - wire["newreno"]) / (wire["vegas"] - wire["newreno"])
    halved = (wire["reno"] - wire["tahoe"]) / (wire["newreno"] - wire["tahoe"])
    return {
        "reason-vegas": Holds([cost > ONE_PACKET_KBIT_S for cost in costs.values()], note=said),
        "reason-newreno": Values(
            [gained],
            f"capped at {window} packets, NewReno sends {losses} again and gets {unthrottled:.1f} kbit/s",
        ),
        "reason-tahoe": Values([halved], f"Reno gets {wire['reno']:.1f} kbit/s"),
    }


# --- VI ---


def conclusions(
    context: Context, base: Scenario, sweep: pl.DataFrame, others: pl.DataFrame, seeds: int
) -> dict[str, Measured]:
    """The conclusion of section VI, taken literally."""
    plausible = sweep.filter(pl.col("udp_mbit_per_s").round(3).is_in(PLAUSIBLE_UDP_MBIT_S))
    columns = [f"{name}_kbit_per_s" for name in VARIANTS]
    both = pl.concat([table.select(*columns, "vegas_highest") for table in (plausible, others)])
    held = both["vegas_highest"].sum()
    mean = dict(zip(VARIANTS, both.select(columns).mean().row(0), strict=True))
    where = [
        f"{row['question']} {row['answer']}" for row in others.filter(~pl.col("vegas_highest")).to_dicts()
    ]
    where += [
        f"UDP at {row['udp_mbit_per_s']:.2f} Mbit/s"
        for row in plausible.filter(~pl.col("vegas_highest")).to_dicts()
    ]
    note = f"{held} of {both.height} settings" + (f"; not with {', '.join(where)}" if where else "")
    means = ", ".join(f"{name} {rate:.0f} kbit/s" for name, rate in mean.items())
    return {
        "conclusion-highest-each": Holds([held >= 0.95 * both.height], note=note),
        "conclusion-highest-most": Holds([2 * held > both.height], note=note),
        "conclusion-highest-mean": Holds([mean["vegas"] == max(mean.values())], note=means),
        "conclusion-adapts": adapts(context, base, seeds),
    }


def adapts(context: Context, base: Scenario, seeds: int) -> Measured:
    """UDP pauses from 20 to 40 s; Vegas' window before, meanwhile and after."""
    scenario = json.loads(base.to_json())
    udp = scenario["udp"][0]
    scenario["udp"] = [{**udp, "stop": "20 s"}, {**udp, "name": "connection-2-again", "start": "40 s"}]
    scenario["tcp"]["receive_window"] = "unlimited"  # 20 packets would cap the window where more is free
    scenario |= {"duration": "60 s", "trace": {"interval": "20 ms"}}
    runs = context.compare({"vegas": SPECIFICATIONS["vegas"]}, load_scenario(scenario), seeds=seeds)
    outcomes, found = [], []
    for result in runs.results:
        trace = Trace.of(result)
        before, paused, after = (
            float(np.median(trace.cwnd[(trace.time > end - 10) & (trace.time <= end)]))
            for end in (20, 40, 60)
        )
        outcomes.append(paused >= 1.5 * before and abs(after - before) <= 2)
        found.append((before, paused, after))
    return Holds(outcomes, note="seed 1: {:.0f}, {:.0f} and {:.0f} packets".format(*found[0]))


# --- What the paper leaves open ---


CHOSEN = """The paper does not give the rate of UDP, the packet sizes, the limit of the window, the other
links, the duration, or what throughput counts. Chosen: UDP at 1 Mbit/s in packets of 1000 bytes; TCP
packets of 1000 bytes of payload and 40 of header, at most 20 of them in flight, every one acknowledged,
no handshake; access links of 10 Mbit/s with 10 of the 40 ms on either side; 20 s; throughput with
headers, from the beginning. They are ns-2's defaults and round numbers, and of those the ones that come
close to the paper's three figures. So it is no evidence for the paper that these agree, nor that they are
in order with these settings; what says something is under how many others the order holds. The shapes did
not enter the choice."""


def _report_choices(context: Context, sweep: pl.DataFrame, others: pl.DataFrame) -> None:
    context.table("udp-rates", sweep)
    context.table("choices", others)
    caption = """How the three throughputs depend on the rate of UDP, which the paper does not give. Grey:
    not in the paper's order. Dotted: the paper's figures. Dashed: the rate chosen."""
    context.figure("udp-rates", drawing.over_udp_rates(sweep, 1.0), _one_line(caption))
    caption = """How they depend on what else it does not give, one other answer at a time. Grey: not in the
    paper's order. Dotted: the paper's figures."""
    context.figure("choices", drawing.choices(others), _one_line(caption))
    rates = sweep["udp_mbit_per_s"].to_list()
    wrong = others.filter(~pl.col("in_order")).to_dicts()
    exceptions = ", ".join(f"{row['question']} {row['answer']}" for row in wrong) or "none"
    context.note(
        f"""The order Vegas > NewReno > Tahoe holds at UDP rates of {_stretches(sweep)} Mbit/s, of those
        tried from {rates[0]:.2f} to {rates[-1]:.2f}; and with {others.height - len(wrong)} of
        {others.height} answers to what else is open. Exceptions: {exceptions}."""
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _stretches(sweep: pl.DataFrame) -> str:
    """The rates at which the order holds, as stretches of neighbours."""
    stretches: list[list[float]] = []
    previous = False
    for rate, holds in zip(sweep["udp_mbit_per_s"], sweep["in_order"], strict=True):
        if holds and previous:
            stretches[-1].append(rate)
        elif holds:
            stretches.append([rate])
        previous = holds
    return (
        ", ".join(f"{s[0]:.2f} to {s[-1]:.2f}" if len(s) > 1 else f"{s[0]:.2f}" for s in stretches) or "none"
    )


def _report_search(context: Context, found: pl.DataFrame) -> None:
    context.table("search", found)
    near = found.filter(pl.col("farthest") <= NEAR)
    rate, payload, window = "udp.0.rate", "tcp.mss", "tcp.receive_window"
    context.note(
        f"""A search over {found.height} readings (UDP rate and packet size, TCP payload, window limit,
        access links, buffer, duration, way of counting, each with each): the order holds in {_share(found)}
        of them ({_shares(found, payload)} of payload; window limit {_shares(found, window)}), and Vegas is
        highest in {_share(found, "vegas_highest")}. In {near.height} all three throughputs lie within
        {NEAR:.0%} of the paper's (UDP: {_commonest(near, rate)}; payload: {_commonest(near, payload)}), the
        nearest within {found["farthest"][0]:.2%}: three numbers do not pin down that many unknowns."""
    )


def _share(readings: pl.DataFrame, name: str = "in_order") -> str:
    """The share of readings of which this is true."""
    return f"{np.mean(readings[name].to_numpy()):.0%}"


def _shares(readings: pl.DataFrame, column: str) -> str:
    """The share in order, by value of a column."""
    values = readings[column].unique(maintain_order=True).sort().to_list()
    return ", ".join(f"{_share(readings.filter(pl.col(column) == value))} with {value}" for value in values)


def _commonest(readings: pl.DataFrame, column: str) -> str:
    """The most frequent values of a column, with how often."""
    counted = readings[column].value_counts(sort=True).head(3)
    return ", ".join(f"{count} times {value}" for value, count in counted.iter_rows())


def _compare_with_ns_2(context: Context, ours: Mapping[str, float]) -> None:
    """The paper, ns-2 and Ackclock side by side, in kbit/s with headers."""
    sources = (("the paper", PAPER_KBIT_S), ("ns-2", NS_2_KBIT_S), ("Ackclock", ours))
    rows = [
        {"source": source, **{name: found.get(name) for name in NS_2_KBIT_S}} for source, found in sources
    ]
    context.table("simulators", pl.DataFrame(rows))
    farthest = max(abs(ours[name] / NS_2_KBIT_S[name] - 1) for name in NS_2_KBIT_S)
    without = ", ".join(f"{name} {ours[name] / WIRE_PER_PAYLOAD:.1f}" for name in VARIANTS)
    context.note(
        f"""ns-2 itself, with the same settings (tcp_and_udp.tcl), differs from Ackclock by {farthest:.1%} at
        most. Without headers the throughputs are {without} kbit/s."""
    )


SEARCHED = ()
"""The search of settings runs all of the paper."""
