"""The facts of a controller have one shape: as reported, in the protocols and in the reference."""

import dataclasses
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import ackclock
import reference

CRATES = Path(__file__).resolve().parents[2] / "crates"


class Recorder:
    """Keeps an object of each kind that the simulator hands over."""

    seen: dict[str, Any]

    def __init__(self, start: ackclock.Start) -> None:
        self.cwnd = start.initial_window
        type(self).seen = {"Start": start}

    def on_ack(self, ack: ackclock.Ack) -> None:
        self.cwnd += 1.0 if ack.may_grow else 0.0
        self.seen["Ack"] = ack
        self.seen.update({type(part).__name__: part for part in (ack.rate, ack.loss) if part is not None})

    def on_congestion(self, event: ackclock.Congestion) -> None:
        self.cwnd = 1.0 if event.restart else event.flight / 2
        self.seen["Congestion"] = event


def names(shape: object) -> set[str]:
    return {name for name, _ in inspect.getmembers(shape) if not name.startswith("_")}


@pytest.fixture(scope="module")
def reported() -> dict[str, Any]:
    ackclock.run("lossy-link", algorithm=Recorder, settings={"duration": "20 s"})
    return Recorder.seen


@pytest.mark.parametrize("kind", ["Start", "Ack", "RateSample", "LossSample", "Congestion"])
def test_all_three_have_the_same_attributes(kind: str, reported: dict[str, Any]) -> None:
    dataclass = getattr(reference, kind)
    fields = {field.name for field in dataclasses.fields(dataclass)}
    fields |= {name for name, value in vars(dataclass).items() if isinstance(value, property)}
    binding = names(reported[kind])
    protocol = names(getattr(ackclock, kind))
    assert binding == fields, (
        f"{kind} differs between ackclock-python/src/facts.rs and reference/facts.py: "
        f"{sorted(binding ^ fields)}"
    )
    assert protocol == binding, (
        f"{kind} differs between python/ackclock/scenarios/algorithms.py and ackclock-python/src/facts.rs: "
        f"{sorted(protocol ^ binding)}"
    )


def test_signals_have_the_same_texts() -> None:
    assert {*map(str, ackclock.Signal)} == {*map(str, reference.Signal)} == {"loss", "ecn", "timeout"}


@pytest.mark.parametrize(
    "driver", ["ackclock-python/src/python_controller.rs", "ackclock-web/src/controller.rs"]
)
def test_a_binding_passes_every_event_on(driver: str) -> None:
    """`Event` is open to new cases, so that the compiler finds none that is missing."""
    facts = (CRATES / "ackclock-congestion" / "src" / "facts.rs").read_text(encoding="utf-8")
    body = facts.split("pub enum Event {")[1].split("\n}\n")[0]
    cases = re.findall(r"^    (\w+)(?: \{|,)", body, re.MULTILINE)
    assert {"Spurious", "SegmentSize"} <= set(cases)
    text = (CRATES / driver).read_text(encoding="utf-8")
    assert [case for case in cases if f"Event::{case}" not in text] == [], f"crates/{driver}"
