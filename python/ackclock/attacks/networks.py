"""The scenario of a path: a plain dumbbell with the path's changes."""

from __future__ import annotations

from ackclock.attacks.space import Path

__all__ = ["OMNISCIENT", "OTHER", "OWN", "PLAIN_MBIT", "PLAIN_MS", "Timeline", "number", "sender", "table"]

PLAIN_MBIT = 10.0
PLAIN_MS = 40.0
"""The rate, and the round trip without a queue, of the plain path."""

OWN, OTHER = "own", "other"
"""The groups of flows: those of the algorithm under attack, and those that it shares with."""

OMNISCIENT = "omniscient"
"""The name of a sender that knows the path, and sends what the path has for it at each time."""

DIP_S = 0.02
"""The time for which a delay is shorter."""

LATE_EVERY_S = 0.5
"""The interval at which packets come late, where reordering grows."""

JITTER_S = 0.1
"""The flows begin within this time, so that seeds differ."""

PACKET_BITS, PAYLOAD_BITS = 1500 * 8, 1460 * 8


def number(path: Path, change: str, key: str, otherwise: float) -> float:
    """A number of a path, or the plain one."""
    return float(path[change][key]) if change in path else otherwise


class Timeline:
    """The rate and the round trip of a path over time, as steps."""

    def __init__(self, path: Path) -> None:
        mbit = number(path, "rate", "mbit", PLAIN_MBIT)
        rtt = number(path, "round-trip", "ms", PLAIN_MS)
        steps = [
            (float(path[name]["at"]), mbit * float(path[name]["factor"]))
            for name in ("rate-step", "second-rate-step")
            if name in path
        ]
        self.mbit = [(0.0, mbit), *sorted(steps)]
        """The rate from each time on."""
        self.rtt_ms = [(0.0, rtt)]
        """The round trip from each time on."""
        if "delay-step" in path:
            change = path["delay-step"]
            self.rtt_ms.append((float(change["at"]), rtt * float(change["factor"])))


def _of(value: float, digits: int = 4) -> str:
    return f"{float(f'{value:.{digits}g}'):.10g}"


def _stepped(steps: list[tuple[float, float]], unit: str) -> object:
    """A value, or a table of steps if it changes."""
    if len(steps) == 1:
        return f"{_of(steps[0][1])} {unit}"
    return {"steps": [[f"{at:.10g} s", f"{_of(value)} {unit}"] for at, value in steps]}


def _delay(path: Path, times: Timeline, duration_s: float) -> object:
    one_way = [(at, rtt / 2) for at, rtt in times.rtt_ms]
    if "reordering-growth" in path:
        return _stepped(_growing(path, one_way, duration_s), "ms")
    if "delay-dips" not in path or len(one_way) > 1:
        return _stepped(one_way, "ms")
    every, whole = float(path["delay-dips"]["every"]), one_way[0][1]
    short = max(whole - float(path["delay-dips"]["ms"]), 0.5)
    begin = max(every - DIP_S, DIP_S)
    steps = [["0 s", f"{_of(whole)} ms"], [f"{begin:.10g} s", f"{_of(short)} ms"]]
    return {"steps": steps, "every": f"{max(every, 2 * DIP_S):.10g} s"}


def _growing(path: Path, one_way: list[tuple[float, float]], duration_s: float) -> list[tuple[float, float]]:
    """Delays that are longer for a part of each interval, by more and more: what follows overtakes."""
    change = path["reordering-growth"]
    share, most, by = (float(change[key]) for key in ("share", "ms", "by"))
    begins = [LATE_EVERY_S * number for number in range(1, int(duration_s / LATE_EVERY_S))]
    late = {at: most * min(at / by, 1.0) for at in begins} | {at + share * LATE_EVERY_S: 0.0 for at in begins}

    def latest(steps: list[tuple[float, float]], time_s: float) -> float:
        return [value for at, value in steps if at <= time_s][-1]

    pulses = [(0.0, 0.0), *sorted(late.items())]
    moments = sorted({at for at, _ in (*one_way, *pulses)})
    return [(at, latest(one_way, at) + latest(pulses, at)) for at in moments]


def _impairments(path: Path, mbit: float) -> list[str]:
    found = []
    if "policer" in path:
        share, burst = float(path["policer"]["share"]), float(path["policer"]["kilobytes"])
        found.append(f"policer(rate={_of(share * mbit)} Mbit/s, burst={_of(burst)} kB)")
    if "jitter" in path:
        found.append(f"jitter(uniform={_of(float(path['jitter']['ms']))} ms)")
    if "reordering" in path:
        share, late = float(path["reordering"]["share"]), float(path["reordering"]["ms"])
        found.append(f"reordering(probability={_of(share)}, delay={_of(late)} ms)")
    if "reordering-growth" in path:
        found.append("overtaking")
    if "aggregation" in path:
        found.append(f"aggregation(period={_of(float(path['aggregation']['ms']))} ms)")
    return found


def _link(path: Path, times: Timeline, duration_s: float) -> dict[str, object]:
    packets = number(path, "buffer", "packets", 0)
    link: dict[str, object] = {
        "rate": _stepped(times.mbit, "Mbit/s"),
        "delay": _delay(path, times, duration_s),
        "buffer": f"{packets:.0f} packets" if packets else "100% bdp",
    }
    if "queue" in path:
        link["queue"] = path["queue"]["discipline"]
    if "loss" in path:
        link["loss"] = {"bernoulli": float(path["loss"]["share"])}
    if "outage" in path:
        at, length = float(path["outage"]["at"]), float(path["outage"]["seconds"])
        link["outage"] = {"spans": [[f"{at:.10g} s", f"{at + length:.10g} s"]]}
    if impairments := _impairments(path, times.mbit[0][1]):
        link["impairments"] = impairments
    if "ack-loss" in path:
        link["reverse"] = {"loss": {"bernoulli": float(path["ack-loss"]["share"])}}
    return link


def _own(path: Path) -> list[dict[str, object]]:
    """The groups of the algorithm's own flows."""
    count = int(number(path, "flows", "count", 1))
    group: dict[str, object] = {"name": OWN, "start_jitter": f"{JITTER_S * 1e3:.0f} ms"}
    if "files" in path:
        group["size"] = {"constant": f"{path['files']['packets']:.0f} packets"}
        group["think"] = {"constant": f"{_of(float(path['files']['pause']))} ms"}
    groups = [{**group, "count": count} if count > 1 else group]
    if "latecomer" in path:
        groups.append({**group, "name": f"{OWN}-late", "start": f"{path['latecomer']['at']:.10g} s"})
    return groups


def _others(path: Path, algorithm: str) -> list[dict[str, object]]:
    if "competitors" not in path:
        return []
    change = path["competitors"]
    group: dict[str, object] = {
        "name": OTHER,
        "start_jitter": f"{JITTER_S * 1e3:.0f} ms",
        "algorithm": algorithm,
    }
    if (count := int(change["count"])) > 1:
        group["count"] = count
    if float(change["at"]):
        group["start"] = f"{change['at']:.10g} s"
    return [group]


def _bursts(path: Path, mbit: float) -> list[dict[str, object]]:
    if "bursts" not in path:
        return []
    share, on, every = (float(path["bursts"][key]) for key in ("share", "on", "every"))
    silent = max(every - on, 1.0)
    return [
        {
            "name": "bursts",
            # The first second is free of them, so that connections begin.
            "start": "1 s",
            "rate": f"{_of(share * mbit)} Mbit/s",
            "on": {"constant": f"{_of(on)} ms"},
            "off": {"constant": f"{_of(silent)} ms"},
        }
    ]


def sender(spec: str, path: Path) -> str:
    """The specification of an algorithm with the recovery and the slow start that a path changes."""
    parts = [part for part in (spec,) if part]
    if "slow-start" in path:
        parts.insert(0, str(path["slow-start"]["name"]))
    if "recovery" in path:
        parts.insert(0, str(path["recovery"]["name"]))
    return "+".join(parts)


def table(path: Path, duration_s: float, *, name: str = "attack", competitor: str = "") -> dict[str, object]:
    """The scenario of a path. The algorithm takes the place of `tcp.algorithm`.

    `competitor` is the specification of the other flows, where it is not the path's.
    """
    times = Timeline(path)
    own = _own(path)
    others = _others(path, competitor or str(path.get("competitors", {}).get("algorithm", "")))
    bursts = _bursts(path, times.mbit[0][1])
    flows = [*own, *others]
    pairs = sum(int(str(group.get("count", 1))) for group in (*flows, *bursts))
    fastest = max(rate for _, rate in times.mbit)
    tcp: dict[str, object] = {}
    if "delayed-acks" in path:
        tcp["segments_per_ack"] = int(str(path["delayed-acks"]["segments"]))
    if "receive-window" in path:
        tcp["receive_window"] = f"{path['receive-window']['packets']:.0f} packets"
    return {
        "name": name,
        "duration": f"{duration_s:.10g} s",
        "topology": {
            "dumbbell": {
                **({"pairs": pairs} if pairs > 1 else {}),
                "bottleneck": _link(path, times, duration_s),
                "access": {"rate": f"{max(100.0, 10 * fastest):.10g} Mbit/s", "delay": "0 ms"},
            }
        },
        "tcp": tcp,
        "flow": flows,
        **({"udp": bursts} if bursts else {}),
        "trace": {"interval": "100 ms"},
    }
