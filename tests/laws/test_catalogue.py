"""Every mechanism that declares a catalogue entry is in the list of its kind."""

import re
from pathlib import Path

import pytest

import ackclock
from ackclock.scenarios.catalogue import KINDS as LISTS
from ackclock.scenarios.catalogue import Entry

CRATES = Path(__file__).resolve().parents[2] / "crates"

# The folder whose files hold the entries of a kind, or the file that does, and the file that lists them.
KINDS = {
    "slow start": ("ackclock-congestion/src/slow_start", "ackclock-congestion/src/slow_start.rs"),
    "avoidance": ("ackclock-congestion/src/avoidance", "ackclock-congestion/src/avoidance.rs"),
    "controller": ("ackclock-congestion/src/controllers", "ackclock-congestion/src/controllers.rs"),
    "media": ("ackclock-congestion/src/media", "ackclock-congestion/src/media.rs"),
    "adaptation": ("ackclock-application/src/adaptation", "ackclock-application/src/adaptation.rs"),
    "recovery": ("ackclock-transport/src/tcp/recovery", "ackclock-transport/src/tcp/recovery.rs"),
    "transport": ("ackclock-transport/src", "ackclock-transport/src/variant.rs"),
    "queue": ("ackclock-network/src/queue/disciplines", "ackclock-network/src/queue/disciplines.rs"),
    "loss": ("ackclock-network/src/loss", "ackclock-network/src/loss.rs"),
    "impairment": ("ackclock-network/src/path/impairment", "ackclock-network/src/path/impairment.rs"),
    "path": ("ackclock-scenario/src/links/paths", "ackclock-scenario/src/links/paths.rs"),
    "protocol": (
        "ackclock-scenario/src/endpoints/protocols.rs",
        "ackclock-scenario/src/endpoints/protocols.rs",
    ),
    "system": ("ackclock-scenario/src/endpoints/systems", "ackclock-scenario/src/endpoints/systems.rs"),
    "mechanism": ("ackclock-transport/src/tcp/mechanism", "ackclock-transport/src/tcp/mechanism.rs"),
    "sharing": ("ackclock-transport/src/tcp/sharing", "ackclock-transport/src/tcp/sharing.rs"),
    "application": ("ackclock-application/src", "ackclock-application/src/lib.rs"),
    "topology": ("ackclock-scenario/src/topology", "ackclock-scenario/src/topology.rs"),
}
# A macro declares all tunnels where it lists them, so that none can be missing.
ONE_LIST = {"tunnel"}
# The folder of transports holds the recoveries and what connections share as well, that of applications
# the adaptations.
SHARED = {"transport": {"recovery", "sharing", "mechanism"}, "application": {"adaptation"}}
DECLARATION = re.compile(r'(?:Entry =|entry:|\n    )\s*Entry \{\s*kind: "([^"]+)",\s*name: "([^"]+)"')


def listed() -> list[Entry]:
    """Each entry once, though lists overlap."""
    entries = (entry for what in LISTS for entry in ackclock.list_entries(what))
    return list({(entry.kind, entry.name): entry for entry in entries}.values())


@pytest.mark.parametrize("kind", KINDS)
def test_every_declared_entry_is_listed(kind: str) -> None:
    folder, list_file = KINDS[kind]
    names = {entry.name for entry in listed() if entry.kind == kind}
    declared = {}
    within = CRATES / folder
    for path in sorted(within.rglob("*.rs")) if within.is_dir() else [within]:
        for found, name in DECLARATION.findall(path.read_text(encoding="utf-8")):
            where = path.relative_to(CRATES)
            if found in SHARED.get(kind, ()):
                continue
            assert found == kind, f'{where}: the entries of this folder have kind: "{kind}"'
            declared[name] = where
    for name, path in declared.items():
        assert name in names, (
            f'{path} declares "{name}": add "mod {path.stem};" and the line of {path.stem} to the list in '
            f"crates/{list_file}, then build the binding again"
        )
    assert names == declared.keys(), f"without a file in crates/{folder}: {sorted(names - declared.keys())}"


@pytest.mark.parametrize("entry", listed(), ids=lambda entry: f"{entry.kind}/{entry.name}")
def test_an_entry_is_complete(entry: Entry) -> None:
    assert entry.title
    assert entry.source
    for parameter in entry.parameters:
        if parameter.default is not None:
            assert parameter.minimum <= parameter.default <= parameter.maximum
        assert parameter.meaning
        if parameter.unit == "0 or 1":
            assert (parameter.minimum, parameter.maximum) == (0, 1)
    for key in entry.keys:
        assert key.meaning
        assert key.example
    assert bool(entry.keys) <= bool(entry.table), "keys stand in a table of a scenario"


def test_every_kind_has_a_list() -> None:
    kinds = KINDS.keys() | ONE_LIST
    assert {entry.kind for entry in listed()} == kinds
    assert {kind for listed_kinds in LISTS.values() for kind in listed_kinds} == kinds
