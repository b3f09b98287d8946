"""Each path, system, queue and rule of TCP has a built-in scenario that shows its use."""

from pathlib import Path

import pytest

from ackclock._native import list_entries

TEXTS = {
    file.stem: file.read_text(encoding="utf-8")
    for file in (Path(__file__).resolve().parents[2] / "scenarios").glob("*.toml")
}

KEYS = (
    "accecn_option",
    "ack_splitting",
    "close_by_reset",
    "dsack",
    "early_retransmit",
    "fast_open",
    "frto",
    "hide_marks",
    "initial_receive_window",
    "optimistic_acks",
    "read_rate",
    "timestamps",
)
"""Of `[tcp]`: what TCP does in addition to the defaults."""

WRITTEN = {
    "path": 'path = "{}"',
    "system": 'system = "{}"',
}
QUEUES = ("cobalt", "codel", "drr", "dualpi2", "fq-codel", "fq-pie", "pie", "priority", "weighted-priority")
ALGORITHMS = (
    "copa",
    "hybla",
    "illinois",
    "ledbat",
    "ledbat-plus-plus",
    "lp",
    "prague",
    "veno",
    "yeah",
)
IMPAIRMENTS = ("duplication", "jitter", "overtaking", "policer", "reordering", "shaper", "spraying")
"""`aggregation`, `retransmission` and `thinning` are of the paths `wifi-home` and `docsis`."""


def wanted() -> list[str]:
    """What some scenario must have written in it."""
    listed = [
        WRITTEN[str(entry["kind"])].format(entry["name"])
        for entry in list_entries()
        if entry["kind"] in WRITTEN
    ]
    return [
        *listed,
        *(f"{key} = " for key in KEYS),
        *(f'queue = "{queue}' for queue in QUEUES),
        *(f"{name}(" if name != "overtaking" else f'"{name}"' for name in IMPAIRMENTS),
        'pacing = "auto"',
        'ecn = "classic"',
        "ecn_beta=",
        "ce_threshold=",
        "delay = { steps",
    ]


@pytest.mark.parametrize("text", wanted())
def test_some_scenario_shows_it(text: str) -> None:
    assert any(text in scenario for scenario in TEXTS.values()), f"no file of scenarios/ has {text}"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_some_scenario_runs_the_algorithm(algorithm: str) -> None:
    ends = (f'+{algorithm}"', f'"{algorithm}"', f"+{algorithm}(", f'"{algorithm}(')
    assert any("algorithm = " in text and any(end in text for end in ends) for text in TEXTS.values()), (
        algorithm
    )
