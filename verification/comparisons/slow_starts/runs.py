"""The runs of the race: starts, transfers, and the measures of each run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path as Folder

import numpy as np

import ackclock
from ackclock import Result
from ackclock.evaluation.networks import BOTTLENECK
from ackclock.measures import over_time
from verification.comparisons.slow_starts.paths import LOAD, RIVAL, WEB, WIRE_BITS, Path

__all__ = ["STARTS", "TRANSFERS", "Cells", "measured", "plan", "scenario", "spec"]

NEWCOMER = "newcomer"
AVOIDANCE = "cubic"
QUIET_S, CROWDED_S = 1, 5
"""The newcomer's start: others need time to fill the link."""
PATIENCE = 4
"""How many times its ideal time a file is waited for; one that takes longer counts as taking this long."""
SIZES = {"10 kB": 7, "100 kB": 70, "1 MB": 691, "10 MB": 6907}
"""In packets of 1448 bytes."""
RESPONSES, RESPONSE_PACKETS = 6, 150
TRANSFERS: dict[str, dict[str, object]] = {
    "long": {},
    **{name: {"flow.0.packets": packets} for name, packets in SIZES.items()},
    "pages": {
        "flow.0.request.size.constant": "1 packets",
        "flow.0.response.size.pareto": {"mean": f"{RESPONSE_PACKETS} packets", "shape": 1.3},
        "flow.0.response.think.constant": "50 ms",
        "flow.0.think.constant": "200 ms",
    },
}
"""The newcomer's transfers: one without end; files of these sizes; six responses over one connection, between
which the
server and the user think, so that the application limits the beginning."""
FILLED = 0.95
"""The share of the capacity that counts as reached."""
PAYLOAD = 1448 / 1500
SAMPLES = 4
"""The length of the window of the goodput: two round trips."""


def spec(start: str, path: Path) -> str:
    """The newcomer's algorithm."""
    if start == "bbr3":
        return start
    return f"rack+{STARTS[start].format(path=path)}+{AVOIDANCE}"


STARTS = {
    "hystart-linux": "hystart-linux(paced=1)",
    "standard": "standard",
    "byte counting": "standard(limit=8)",
    "hystart": "hystart",
    "limited": "limited",
    "search": "search",
    "search, no drain": "search(drain=0)",
    "rapid-start": "rapid-start",
    "rapid-start, 20": "rapid-start",
    "resume, right": "careful-resume(saved_cwnd={path.memory_packets:.1f},saved_rtt={path.round_trip_ms:g})",
    "resume, wrong": "careful-resume(saved_cwnd={path.wrong_packets:.1f},saved_rtt={path.round_trip_ms:g})",
    "bbr3": "",
    "btcp": "btcp",
    "hoe": "hoe",
    "smooth": "smooth",
    "adaptive": "adaptive",
    "decreasing": "decreasing",
    "gallop-vegas": "gallop-vegas",
}
"""The slow starts by name; the first is the one that the others are measured against.

Byte counting is standard slow start that counts every packet, as HyStart++ and Linux do: up to eight of an
acknowledgment. Careful Resume remembers the newcomer's part of the link, or eight times as much.
"""
KEYS: Mapping[str, Mapping[str, object]] = {"rapid-start, 20": {"flow.0.tcp.initial_window": "20 packets"}}
"""Further settings of a start."""


def scenario(path: Path) -> dict[str, object]:
    """A newcomer on a path, whose slow start and transfer the cases of a plan set."""
    newcomer = {
        "name": NEWCOMER,
        "from": "src1",
        "to": "dst1",
        "start": f"{begins(path)} s",
        "start_jitter": "100 ms",
    }
    return {
        "name": f"path-{path.number}",
        "seed": path.number + 1,
        "duration": f"{begins(path) + limit_s(path, 'long'):.6g} s",
        "warm_up": f"{begins(path)} s",
        "topology": {
            "dumbbell": {
                "pairs": 4,
                "bottleneck": path.bottleneck,
                "access": {"rate": "1 Gbit/s", "delay": f"{path.access_ms:.6g} ms"},
            }
        },
        "tcp": {"system": "linux", "pacing": "auto"},
        "flow": [newcomer, *path.others],
    }


def begins(path: Path) -> int:
    """The newcomer's start, in s."""
    return CROWDED_S if path.rivals or path.web else QUIET_S


def limit_s(path: Path, transfer: str) -> float:
    """The time that the newcomer has: 60 round trips, or enough for the transfer."""
    round_trip_s = path.round_trip_ms / 1e3
    if transfer == "long":
        return min(max(60 * round_trip_s, 3.0), 12.0)
    rate = path.share * path.rate_mbit_per_s * 1e6 / WIRE_BITS
    if transfer == "pages":
        return min(max(3 * RESPONSES * (RESPONSE_PACKETS / rate + 4 * round_trip_s), 6.0), 30.0)
    return min(max(PATIENCE * (SIZES[transfer] / rate + 15 * round_trip_s), 3.0), 45.0)


def plan(path: Path, starts: Sequence[str]) -> dict[str, object]:
    """Every start with every transfer on a path."""
    series = {"trace.interval": f"{min(max(path.round_trip_ms / 2, 5), 50):.6g} ms"}
    return {
        "name": f"path-{path.number}",
        "scenario": scenario(path),
        "bottleneck": BOTTLENECK,
        "cases": {
            "start": {
                start: {"flow.0.algorithm": spec(start, path), **KEYS.get(start, {})} for start in starts
            },
            "transfer": {
                name: {
                    "duration": f"{begins(path) + limit_s(path, name):.6g} s",
                    **settings,
                    **(series if name == "long" else {}),
                }
                for name, settings in TRANSFERS.items()
            },
        },
    }


def measure(result: Result) -> Mapping[str, float]:
    """The newcomer's time and losses, and the goodput of the long flows and the times of the other files.

    With series, also the time to the capacity and the end of slow start.
    """
    flows = result.columns("flows")
    names = np.array([str(name) for name in flows["name"]])
    mine = int(np.flatnonzero(names == NEWCOMER)[0])
    begin = float(flows["start_s"][mine])
    end = result.scenario.duration_s
    rivals = np.char.startswith(names, RIVAL)
    found = {
        "time_s": _time(result, mine, begin, end),
        "sent": float(flows["packets_sent"][mine]),
        "lost": float(flows["packets_lost"][mine]),
        "rival_bit_per_s": float(np.sum(np.asarray(flows["goodput_bit_per_s"], dtype=float)[rivals])),
        "rival_sent": float(np.sum(np.asarray(flows["packets_sent"], dtype=float)[rivals])),
        "rival_lost": float(np.sum(np.asarray(flows["packets_lost"], dtype=float)[rivals])),
        "web_s": _web(result, names, begin, end),
        "filled_s": math.nan,
        "left_s": math.nan,
        "lost_before": math.nan,
    }
    return found | (_start(result, mine, begin, end, names) if "flow_series" in result.tables else {})


def _time(result: Result, mine: int, begin: float, end: float) -> float:
    """The time of the transfer, at most to the end of the run."""
    columns = result.columns("flows")
    finish = float(columns["finish_s"][mine])
    if len(result.columns("responses")["flow"]):
        ended = np.asarray(result.columns("responses")["finish_s"], dtype=float)
        ended = np.sort(ended[np.isfinite(ended)])
        finish = float(ended[RESPONSES - 1]) if ended.size >= RESPONSES else math.nan
    return (finish if math.isfinite(finish) else end) - begin


def _web(result: Result, names: np.ndarray, begin: float, end: float) -> float:
    """The mean time of others' files that are requested in the first half of the newcomer's time.

    NaN without any.
    """
    transfers = result.columns("transfers")
    starts = np.asarray(transfers["start_s"], dtype=float)
    theirs = np.array([names[int(flow)].startswith(WEB) for flow in transfers["flow"]], dtype=bool)
    chosen = theirs & (starts >= begin) & (starts < (begin + end) / 2)
    if not chosen.any():
        return math.nan
    finish = np.asarray(transfers["finish_s"], dtype=float)[chosen]
    return float(np.mean(np.where(np.isfinite(finish), finish, end) - starts[chosen]))


def _start(result: Result, mine: int, begin: float, end: float, names: np.ndarray) -> dict[str, float]:
    """The time to the capacity; the end of slow start, and the packets dropped until then."""
    series = over_time.of_flow(result, mine)
    time = series["time_s"]
    links = result.columns("link_series")
    place = list(result.columns("links")["name"]).index(BOTTLENECK)
    shared = np.asarray(links["link"]) == place
    offered = np.asarray(links["capacity_bit_per_s"], dtype=float)[shared]
    rivals = int(np.sum(np.char.startswith(names, RIVAL)))
    share = (1 - LOAD if any(name.startswith(WEB) for name in names) else 1.0) / (1 + rivals)
    goodput = np.nan_to_num(series["goodput_bit_per_s"])
    window = np.ones(SAMPLES)
    got, most = np.convolve(goodput, window)[: time.size], np.convolve(offered, window)[: time.size]
    full = np.flatnonzero((time > begin) & (got >= FILLED * share * PAYLOAD * most) & (most > 0))
    left = np.flatnonzero((time > begin) & (series["cwnd_packets"] >= series["ssthresh_packets"]))
    drops = result.columns("drops")
    dropped = np.asarray(drops["time_s"], dtype=float)[np.asarray(drops["flow"]) == mine]
    leaves = float(time[left[0]]) if left.size else end
    return {
        "filled_s": (float(time[full[0]]) if full.size else end) - begin,
        "left_s": leaves - begin,
        "lost_before": float(np.sum(dropped <= leaves)),
    }


Cells = Mapping[tuple[int, str, str], Mapping[str, float]]
"""The measures by path, start and transfer."""


MEASURES = (
    *("time_s", "sent", "lost", "rival_bit_per_s", "rival_sent", "rival_lost", "web_s"),
    *("filled_s", "left_s", "lost_before"),
)


def measured(store: Folder, paths: Sequence[Path], starts: Sequence[str]) -> Cells:
    """Executes the runs that the store lacks, and returns the measures of all."""
    found: dict[tuple[int, str, str], Mapping[str, float]] = {}
    for path in paths:
        done = ackclock.sweep(plan(path, starts), store / str(path.number), measure=measure)
        for row in done.runs.iter_rows(named=True):
            found[path.number, str(row["start"]), str(row["transfer"])] = {key: row[key] for key in MEASURES}
        print(f"path {path.number}: done", flush=True)
    return found
