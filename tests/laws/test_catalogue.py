"""Every mechanism that declares a catalogue entry is in the list of its kind."""

import re
from pathlib import Path

import pytest

import ackclock
from ackclock.scenarios.algorithms import Algorithm

CRATES = Path(__file__).resolve().parents[2] / "crates"

# The folder whose files hold the entries of a kind, and the file that lists them.
KINDS = {
    "slow start": ("ackclock-congestion/src/slow_start", "ackclock-congestion/src/slow_start.rs"),
    "avoidance": ("ackclock-congestion/src/avoidance", "ackclock-congestion/src/avoidance.rs"),
    "controller": ("ackclock-congestion/src/whole", "ackclock-congestion/src/whole.rs"),
    "recovery": ("ackclock-transport/src/tcp/recovery", "ackclock-transport/src/tcp/recovery.rs"),
    "queue": ("ackclock-network/src/queue", "ackclock-network/src/queue.rs"),
}
DECLARATION = re.compile(r'(?:Entry =|entry:)\s*Entry \{\s*kind: "([^"]+)",\s*name: "([^"]+)"')


def listed() -> list[Algorithm]:
    return [*ackclock.list_algorithms(), *ackclock.list_queues()]


@pytest.mark.parametrize("kind", KINDS)
def test_every_declared_entry_is_listed(kind: str) -> None:
    folder, list_file = KINDS[kind]
    names = {entry.name for entry in listed() if entry.kind == kind}
    declared = {}
    for path in sorted((CRATES / folder).rglob("*.rs")):
        for found, name in DECLARATION.findall(path.read_text(encoding="utf-8")):
            where = path.relative_to(CRATES)
            assert found == kind, f'{where}: the entries of this folder have kind: "{kind}"'
            declared[name] = where
    for name, path in declared.items():
        assert name in names, (
            f'{path} declares "{name}": add "mod {path.stem};" and the line of {path.stem} to the list in '
            f"crates/{list_file}, then build the binding again"
        )
    assert names == declared.keys(), f"without a file in crates/{folder}: {sorted(names - declared.keys())}"


@pytest.mark.parametrize("entry", listed(), ids=lambda entry: f"{entry.kind}/{entry.name}")
def test_an_entry_is_complete(entry: Algorithm) -> None:
    assert entry.title
    assert entry.source
    for parameter in entry.parameters:
        assert parameter.minimum <= parameter.default <= parameter.maximum
        assert parameter.meaning
        if parameter.unit == "0 or 1":
            assert (parameter.minimum, parameter.maximum) == (0, 1)
