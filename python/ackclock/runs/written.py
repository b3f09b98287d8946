"""The files of a results folder: scenarios, a plan, the source of classes, provenance, tables, captures."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import polars as pl

from ackclock._native import Scenario
from ackclock.errors import MOST_LETTERS
from ackclock.measures.metric_columns import RUNS
from ackclock.measures.record import RunRecord
from ackclock.provenance import provenance, scenario_facts
from ackclock.report.record import ComparisonRecord
from ackclock.runs.build import of_build
from ackclock.runs.tables import TABLES
from ackclock.scenarios import own_code
from ackclock.scenarios.algorithms import label_of
from ackclock.scenarios.together import TOGETHER

if TYPE_CHECKING:
    from ackclock.results_folder import ResultsFolder
    from ackclock.scenarios.algorithms import Factory

__all__ = ["scenario_files", "with_sources", "write", "write_files"]


class WrittenRun(RunRecord, Protocol):
    """A finished run that a folder can keep. `ackclock.Result` is one."""

    @property
    def classes(self) -> Mapping[str, Factory]:
        """The Python classes that its algorithms are, by name."""

    @property
    def captures(self) -> Mapping[str, bytes]:
        """Packet captures by link direction."""

    @property
    def qlogs(self) -> Mapping[str, bytes]:
        """The logs of QUIC stacks, by flow."""

    @property
    def packets_delivered(self) -> int:
        """The number of data packets that reached their receivers."""

    @property
    def finished_at_s(self) -> float:
        """The simulated time at the end, in seconds."""


class AskedRuns(Protocol):
    """All that an interrupted experiment was to run. `ackclock.runs.result.Asked` is one."""

    @property
    def variants(self) -> Mapping[str, tuple[Scenario, Mapping[str, Factory]]]:
        """The scenario of each label, and its classes."""

    @property
    def seeds(self) -> Sequence[int]:
        """The seeds of each label."""


class WrittenRuns(ComparisonRecord, Protocol):
    """Runs that a folder can keep. `ackclock.Comparison` is one."""

    @property
    def results(self) -> Sequence[WrittenRun]:
        """The runs by label and seed."""

    @property
    def wall_s(self) -> float:
        """The time that the runs took."""

    @property
    def asked(self) -> AskedRuns | None:
        """Everything that it was to run, if it was interrupted."""

    @property
    def competition(self) -> pl.DataFrame:
        """One row per seed and competitor in the runs that all share."""

    def result(self, label: str, seed: int | None = None) -> WrittenRun:
        """One run; without `seed`, the first run of the label."""

    def groups(self, links: Sequence[str] = ()) -> pl.DataFrame:
        """Statistics of each group of flows."""


def _measured(seconds: float) -> float | None:
    """The time in milliseconds; None for results read from a folder."""
    return round(seconds, 3) if math.isfinite(seconds) else None


def write(comparison: WrittenRuns, folder: ResultsFolder) -> None:
    """Writes scenarios, provenance, tables and captures into an open folder."""
    classes = _write_classes(comparison, folder)
    places = _write_scenarios(comparison, folder, classes)
    if comparison.is_comparison:
        folder.write_text("plan.toml", _plan(comparison, classes, places))
    scenario = (
        comparison.scenario
        if comparison.is_comparison or not comparison.results
        else comparison.results[0].scenario
    )
    document = provenance(
        "comparison" if comparison.is_comparison else "run",
        scenario,
        comparison.seeds,
        comparison.labels,
        classes,
        comparison.competitors,
        interrupted=comparison.interrupted,
        **_asked(comparison),
        wall_s=_measured(comparison.wall_s),
        cpu_s=_measured(sum(result.cpu_s for result in comparison.results)),
    )
    folder.write_json("provenance.json", document)
    _write_tables(comparison, folder, scenario_facts(scenario))
    for suffix, files in (("pcapng", "captures"), ("sqlog", "qlogs")):
        found = [(result, *file) for result in comparison.results for file in getattr(result, files).items()]
        write_files(folder, "captures", found, suffix)


def write_files(
    folder: ResultsFolder, place: str, files: Sequence[tuple[RunRecord, str, bytes]], suffix: str
) -> list[str]:
    """Writes files of runs, each with the part of the run that it shows, and returns their names."""
    titles = ("-".join(filter(None, (run.label, f"seed{run.seed}", part))) for run, part, _ in files)
    names = [f"{place}/{name}.{suffix}" for name in _file_names(titles)]
    for name, (_, _, data) in zip(names, files, strict=True):
        folder.write_bytes(name, data)
    return names


def _write_tables(comparison: WrittenRuns, folder: ResultsFolder, scenario: Mapping[str, str]) -> None:
    for name in TABLES:
        if (table := comparison.table(name)).width:
            folder.write_table(name, table, scenario)
    folder.write_table("runs", comparison.runs, scenario, RUNS)
    further = ["summary", "differences"]
    if comparison.shared_run is not None:
        further += ["competition", "competition_summary"]
    for name in further:
        folder.write_table(name, getattr(comparison, name), scenario)
    folder.write_table("simulations", _simulations(comparison), scenario)
    folder.write_table("groups", comparison.groups(), scenario)


def _write_classes(comparison: WrittenRuns, folder: ResultsFolder) -> dict[str, dict[str, str]]:
    """Writes the source of the Python classes.

    Returns, by name, `file.py:Class` and the hash of each file.
    """
    classes = {name: made for result in comparison.results for name, made in result.classes.items()}
    for _, asked in comparison.asked.variants.values() if comparison.asked else ():
        classes = {**asked, **classes}
    places = _file_names(label_of(made) for made in classes.values())
    found = {}
    for place, (name, made) in zip(places, classes.items(), strict=True):
        own = f"algorithms/{place}"
        hashes = own_code.write(folder, own, name, made)
        by_file = {path.removeprefix(f"{own}/"): digest for path, digest in hashes.items()}
        found[name] = {"class": own_code.reference(own, name, made), **by_file}
    return found


def _write_scenarios(
    comparison: WrittenRuns, folder: ResultsFolder, classes: Mapping[str, Mapping[str, str]]
) -> dict[str, str]:
    """Writes the scenario of each label, with its algorithm, from which the label's runs can be repeated.

    By label. The scenario of a single run is scenario.toml. Python classes are named by their files in the
    folder.
    """
    labels = tuple(comparison.asked.variants) if comparison.asked else comparison.labels
    places = scenario_files(labels, is_comparison=comparison.is_comparison)
    for label, place in places.items():
        scenario, made = _variant(comparison, label)
        above = "../" * place.count("/")
        sources = {name: above + classes[name]["class"] if classes[name]["class"] else name for name in made}
        folder.write_text(place, (with_sources(scenario, sources) if sources else scenario).to_toml())
    return places


def _variant(comparison: WrittenRuns, label: str) -> tuple[Scenario, Mapping[str, Factory]]:
    """The scenario of a label with its algorithm, and its classes; also of one without a finished run."""
    if comparison.asked and label not in comparison.labels:
        return comparison.asked.variants[label]
    result = comparison.result(label)
    return result.scenario, result.classes


def _asked(comparison: WrittenRuns) -> dict[str, object]:
    """The algorithms and seeds of an interrupted experiment, by which the same command goes on."""
    if not comparison.asked:
        return {}
    return {
        "asked": {"algorithms": list(comparison.asked.variants), "seeds": list(comparison.asked.seeds)},
        "build": of_build(),
    }


def _simulations(comparison: WrittenRuns) -> pl.DataFrame:
    """The counts of each simulation: a row per run, the same on every machine."""
    facts = ("label", "seed", "events", "packets_delivered", "conserved", "finished_at_s")
    columns = {fact: [getattr(result, fact) for result in comparison.results] for fact in facts}
    return pl.DataFrame(columns, schema_overrides=dict.fromkeys(facts[1:4], pl.UInt64))


def _plan(
    comparison: WrittenRuns, classes: Mapping[str, Mapping[str, str]], places: Mapping[str, str]
) -> str:
    """A plan of the same runs, for `ackclock sweep`."""
    lines = [
        "# The runs of this folder again: ackclock sweep plan.toml",
        f"name = {json.dumps(f'{comparison.scenario.name}-again')}",
        f"scenario = {json.dumps(places[comparison.labels[0]])}",
        f"seeds = {list(comparison.asked.seeds if comparison.asked else comparison.seeds)}",
        "",
        "[algorithms]",
    ]
    for label in places:
        if comparison.competitors and label == TOGETHER:
            continue
        scenario, made = _variant(comparison, label)
        spec = json.loads(scenario.to_json()).get("tcp", {}).get("algorithm", "newreno")
        for name in made:
            spec = own_code.with_class(spec, name, classes[name]["class"] or name)
        lines.append(f"{json.dumps(label)} = {json.dumps(spec)}")
    return "\n".join(lines) + "\n"


def scenario_files(labels: Sequence[str], *, is_comparison: bool) -> dict[str, str]:
    """The scenario file of each label in a results folder."""
    if not is_comparison:
        return dict.fromkeys(labels, "scenario.toml")
    names = _file_names(labels)
    return {label: f"scenarios/{name}.toml" for label, name in zip(labels, names, strict=True)}


def with_sources(scenario: Scenario, sources: Mapping[str, str]) -> Scenario:
    """The scenario with Python classes named by their files, `file.py:Class`."""

    def by_file(spec: str) -> str:
        return functools.reduce(
            lambda found, named: own_code.with_class(found, *named), sources.items(), spec
        )

    tree = own_code.with_algorithms(json.loads(scenario.to_json()), by_file)
    return Scenario.from_json(json.dumps(tree), [*sources, *sources.values()], scenario.folder)


def _file_names(texts: Iterable[str]) -> list[str]:
    """A file name for each text: all names differ, and have only letters that every file system takes."""
    names: list[str] = []
    for text in texts:
        safe = "".join(
            letter if letter.isalnum() or letter in "-_.+=(), " else "_"
            for letter in text.replace("->", "-to-")
        )[:MOST_LETTERS]
        same = sum(name == safe or name.startswith(f"{safe}~") for name in names)
        names.append(f"{safe}~{same + 1}" if same else safe)
    return names
