"""The facts of a controller have one declaration, `crates/ackclock-congestion/src/facts.rs`.

The bindings are made from it. The protocols and the reference are written by hand, and held to it here.
"""

import dataclasses
import inspect
import types
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest

import ackclock
import reference
from ackclock import _native

RECORDS = sorted(_native.FACTS)
DECLARED = "crates/ackclock-congestion/src/facts.rs"
TYPES = {
    "flag": "bool",
    "count": "int",
    "packets": "float",
    "seconds": "float",
    "packets per second": "float",
}
UNITS = {"seconds": "In seconds.", "packets per second": "In packets per second."}


def texts(kind: str) -> set[str]:
    """The texts of which a fact is one."""
    return set() if kind in TYPES or kind in RECORDS else set(kind.split(" | "))


def split(kind: str) -> tuple[str, bool]:
    """A kind, and whether the fact may be absent."""
    return kind.removesuffix(" | None"), kind.endswith(" | None")


def type_of(kind: str) -> str:
    plain, optional = split(kind)
    return TYPES.get(plain, plain if plain in RECORDS else "str") + " | None" * optional


def meaning(kind: str, doc: str) -> str:
    """A fact's meaning with what its kind adds."""
    plain, _ = split(kind)
    added = UNITS.get(plain, "One of [`Signal`]." if texts(plain) else "")
    return f"{doc} {added}".strip()


def name_of(annotation: Any) -> str:
    if get_origin(annotation) in (Union, types.UnionType):
        return " | ".join(map(name_of, get_args(annotation)))
    if annotation is type(None):
        return "None"
    return "str" if issubclass(annotation, str) else str(annotation.__name__)


def fields_of(protocol: type) -> dict[str, tuple[str, str]]:
    """The type and the documentation of each property of a protocol."""
    properties = {name: value for name, value in vars(protocol).items() if isinstance(value, property)}
    return {
        name: (
            name_of(get_type_hints(value.fget)["return"]),
            " ".join(inspect.getdoc(value).split()),  # type: ignore[union-attr]
        )
        for name, value in properties.items()
    }


def test_a_declaration_has_records_events_and_needs() -> None:
    assert RECORDS == ["Ack", "Congestion", "LossSample", "RateSample", "Start"]
    assert ("feedback", "packets per second | None") in [fact[:2] for fact in _native.FACTS["Ack"][1]]
    assert dict(_native.NEEDS).keys() >= {"accurate_ecn", "l4s", "explicit_feedback"}


@pytest.mark.parametrize("record", RECORDS)
def test_a_protocol_is_as_declared(record: str) -> None:
    about, facts = _native.FACTS[record]
    declared = {name: (type_of(kind), meaning(kind, doc)) for name, kind, doc in facts}
    protocol = getattr(ackclock, record)
    found = fields_of(protocol)
    where = f"{record} in python/ackclock/scenarios/algorithms.py differs from {DECLARED}"
    assert list(found) == list(declared), where
    for name, expected in declared.items():
        assert found[name] == expected, f"{where}: {name}"
    assert " ".join((inspect.getdoc(protocol) or "").split()) == about, where


@pytest.mark.parametrize("record", RECORDS)
def test_the_reference_has_what_is_declared(record: str) -> None:
    dataclass = getattr(reference, record)
    found = {name: name_of(kind) for name, kind in get_type_hints(dataclass).items()}
    assert {field.name for field in dataclasses.fields(dataclass)} == set(found)
    properties = {name for name, value in vars(dataclass).items() if isinstance(value, property)}
    found |= {name: name_of(get_type_hints(getattr(dataclass, name).fget)["return"]) for name in properties}
    declared = {name: type_of(kind) for name, kind, _ in _native.FACTS[record][1]}
    assert found == declared, f"{record} in reference/facts.py differs from {DECLARED}"


@pytest.mark.parametrize("record", RECORDS)
def test_a_meaning_names_the_unit_that_its_kind_does_not(record: str) -> None:
    for name, kind, doc in _native.FACTS[record][1]:
        assert doc.endswith("."), f"{record}.{name} in {DECLARED}"
        assert ("packet" in doc.lower()) or kind != "packets", (
            f"{record}.{name} in {DECLARED}: packets of what?"
        )


def test_signals_have_the_same_texts() -> None:
    kind = next(kind for name, kind, _ in _native.FACTS["Congestion"][1] if name == "signal")
    assert {*map(str, ackclock.Signal)} == {*map(str, reference.Signal)} == texts(kind)


def test_a_compiled_controller_takes_every_event() -> None:
    for method, _, arguments in _native.EVENTS:
        taken = inspect.signature(getattr(_native.Controller, method)).parameters
        assert len(taken) == len(arguments) + 1, f"{method} in crates/ackclock-python/src/controller.rs"


def test_the_documentation_of_controllers_names_every_need_and_event() -> None:
    documented = inspect.getdoc(ackclock.CongestionControl) or ""
    for name in [name for name, _ in _native.NEEDS if name not in {"samples", "pacing"}]:
        assert f"`{name} = True`" in documented, f"{name} in python/ackclock/scenarios/algorithms.py"
    for method, _, _ in _native.EVENTS:
        assert method in documented, f"{method} in python/ackclock/scenarios/algorithms.py"


class Recorder:
    """Keeps what a controller is told."""

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


@pytest.fixture(scope="module")
def reported() -> dict[str, Any]:
    ackclock.run("lossy-link", algorithm=Recorder, settings={"duration": "20 s"})
    return Recorder.seen


@pytest.mark.parametrize("record", RECORDS)
def test_a_python_class_is_told_what_is_declared(record: str, reported: dict[str, Any]) -> None:
    names = {name for name, _ in inspect.getmembers(reported[record]) if not name.startswith("_")}
    assert names == {name for name, _, _ in _native.FACTS[record][1]}


class Watcher(Recorder):
    """Notes the texts of all values of each fact of an acknowledgment."""

    values: dict[str, set[str]] = {}  # noqa: RUF012 - of all flows

    def on_ack(self, ack: ackclock.Ack) -> None:
        super().on_ack(ack)
        for name, _, _ in _native.FACTS["Ack"][1]:
            value = getattr(ack, name)
            plain = value if value is None or isinstance(value, bool | int | float) else type(value).__name__
            self.values.setdefault(name, set()).add(str(plain))


class Marked(Watcher):
    """Counts marks."""

    accurate_ecn = l4s = True


class Granted(Watcher):
    """Is told what routers grant."""

    explicit_feedback = True


def scenario(queue: str) -> dict[str, Any]:
    bottleneck = {"rate": "5 Mbit/s", "delay": "20 ms", "buffer": "20 packets", "queue": queue}
    return {
        "name": "told",
        "duration": "6 s",
        "topology": {
            "dumbbell": {
                "pairs": 1,
                "bottleneck": {**bottleneck, "loss": {"bernoulli": 0.003}},
                "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
            }
        },
        "flow": [{}],
    }


def test_tcp_tells_every_fact() -> None:
    """A fact that is the same in all of these runs has no value in TCP, except `acks`, which is 1."""
    Watcher.values.clear()
    for made, queue in ((Watcher, "droptail"), (Marked, "dualpi2"), (Granted, "xcp")):
        ackclock.run(scenario(queue), algorithm=made)
    files = {"size": {"constant": "8 packets"}, "think": {"constant": "100 ms"}}
    requests = {
        "request": {"size": {"constant": "1 packet"}},
        "response": {"size": {"constant": "4 packets"}},
    }
    for group in (files, requests):
        ackclock.run({**scenario("droptail"), "flow": [group]}, algorithm=Watcher)
    silent = {name for name, values in Watcher.values.items() if len(values) < 2}
    assert silent <= {"acks"}, "crates/ackclock-transport/src/tcp/sender/endpoint.rs"
