"""The networks of the cases: built-in scenarios with the jitter and the audio that RFC 8867 asks for."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from ackclock.scenarios.load import scenario_folder
from ackclock.toml_reader import read_toml

__all__ = ["AUDIO", "HIGHEST", "JITTER", "LOWEST", "Table", "call", "forwards", "jittery", "scenario"]

LOWEST, HIGHEST = 150e3, 1.5e6
"""The limits of the encoder (RFC 8867, 4.3), in bit/s."""

AUDIO = 20e3
"""The rate of the audio of a call (RFC 8867, 4.3), in bit/s."""

Table = dict[str, Any]

JITTER: Sequence[Mapping[str, object]] = [{"jitter": {"uniform": "10 ms"}}] * 3
"""RFC 8868, 4.5: a variation of 30 ms in all, with a standard deviation of 5 ms, which keeps the order.

The sum of three uniform delays is close to the Gaussian that the RFC recommends, cut off at three deviations.
"""


@functools.cache
def _text(name: str) -> str:
    return (scenario_folder() / f"{name}.toml").read_text(encoding="utf-8")


def scenario(name: str) -> Table:
    """A built-in scenario as a table without the algorithm of its calls, with audio for each of them."""
    table: Table = read_toml(_text(name))
    for group in table["call"]:
        del group["algorithm"]
    return _with_audio(table)


def _with_audio(table: Table) -> Table:
    """The scenario with a stream of audio as long as each call."""
    kept = ("count", "from", "to", "start", "stop")
    table["udp"] = [
        *table.get("udp", []),
        *(
            {"name": f"audio {group.get('name', 'call')}", "rate": "20 kbit/s", "packet": "200 bytes"}
            | {key: group[key] for key in kept if key in group}
            for group in table["call"]
        ),
    ]
    return table


def forwards(table: Table) -> Table:
    """The bottleneck of a scenario, as its table of keys."""
    topology = table["topology"]
    if "dumbbell" in topology:
        found: Table = topology["dumbbell"]["bottleneck"]
        return found
    (found,) = (link for link in topology["graph"]["link"] if (link["from"], link["to"]) == ("left", "right"))
    return found


def jittery(table: Table) -> Table:
    """The scenario with jitter behind the bottleneck, both ways."""
    link = forwards(table)
    link["impairments"] = list(JITTER)
    link["reverse"] = {**link.get("reverse", {}), "impairments": list(JITTER)}
    return table


def call(name: str, keys: Mapping[str, object]) -> Table:
    """A group of calls with the encoder of the built-in scenarios."""
    return {"name": name, "variation": 0.1, "encoder_lag": "100 ms", **keys}
