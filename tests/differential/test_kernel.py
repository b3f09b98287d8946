"""Recordings of Linux's TCP through the second reading of its adapter.

The tables next to the recordings have the window after each record, and that which a loss would leave. They
are written by the second reading, `python -m tests.differential.test_kernel`; the crate's own tests hold the
adapter to them: `crates/ackclock-kernel/tests/recorded.rs`.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ackclock.gym.policy import Policy, controller
from reference import AVOIDANCES, CONTROLLERS, SLOW_STARTS, Start, Windowed
from reference.transport.kernel import END, START, KernelFlow, records

RECORDED = Path(__file__).resolve().parents[2] / "crates" / "ackclock-kernel" / "tests" / "recorded"


def windowed(slow_start: str, avoidance: str, **parameters: float) -> Callable[[Start], Any]:
    """A composition of the reference."""
    return lambda start: Windowed(SLOW_STARTS[slow_start](), AVOIDANCES[avoidance](**parameters), start)


def whole(name: str) -> Callable[[Start], Any]:
    """A whole controller of the reference."""

    def make(start: Start) -> Any:
        controller = CONTROLLERS[name]()
        controller.begin(start)
        return controller

    return make


CASES: dict[str, tuple[str, Callable[[Start], Any]]] = {
    "reno": ("reno", windowed("standard", "reno")),
    "cubic": ("reno", windowed("standard", "cubic")),
    "bbr3": ("bbr3", whole("bbr3")),
    "policy": (
        "reno",
        controller(Policy.load(RECORDED / "policy.json"), largest_window_packets=120.0),
    ),
}
"""By table: the recording, and the controller."""


def answers(recording: str, make: Callable[[Start], Any]) -> Iterator[tuple[int, float, float]]:
    """The number of each record with an answer, the window, and the window that a loss would leave."""
    flow = None
    for record in records((RECORDED / f"{recording}.ring").read_bytes()):
        if record.kind == START:
            flow = KernelFlow(make, record)
        if flow is not None and record.kind not in (START, END) and flow.take(record):
            yield record.number, flow.controller.cwnd, flow.after_loss(record)


@pytest.mark.parametrize("table", CASES)
def test_a_recording_gives_the_windows_of_its_table(table: str) -> None:
    recording, make = CASES[table]
    lines = (RECORDED / f"{table}.csv").read_text(encoding="utf-8").splitlines()[1:]
    expected = [tuple(map(float, line.split(","))) for line in lines]
    found = list(answers(recording, make))
    assert len(found) == len(expected) > 500
    for one, other in zip(found, expected, strict=True):
        assert one == pytest.approx(other, rel=1e-6)


def main() -> None:
    """Writes the tables."""
    for table, (recording, make) in CASES.items():
        rows = [f"{number},{cwnd:.9g},{after:.9g}" for number, cwnd, after in answers(recording, make)]
        text = "\n".join(["number,cwnd,cwnd_after_loss", *rows, ""])
        (RECORDED / f"{table}.csv").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
