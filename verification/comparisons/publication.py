"""Tables of comparisons: printed, and published with the version and the command that made them."""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import ackclock
from ackclock.cli.progress import ProgressBar
from ackclock.measures.statistics import Interval
from ackclock.provenance import command_line, described_version, git_commit
from ackclock.sweeps.sweep import Sweep
from verification.peers.harness import versions

__all__ = [
    "Rows",
    "folder",
    "made",
    "parser",
    "print_and_publish",
    "print_rows",
    "publish",
    "swept",
    "write_rows",
    "write_versions",
    "written",
]

ROOT = Path(__file__).resolve().parents[2]

Rows = list[list[str]]
"""A table, its headings first."""


def folder(name: str) -> Path:
    """The published folder of a comparison."""
    return ROOT / "published" / "comparisons" / name


def parser(module: str, description: str | None) -> argparse.ArgumentParser:
    """The arguments of a program in `verification.comparisons`; `--publish` writes its tables."""
    made = argparse.ArgumentParser(
        prog=f"python -m verification.comparisons.{module}", description=description
    )
    made.add_argument("--publish", action="store_true", help="renew what the documentation shows")
    return made


def swept(plans: Path, names: Iterable[str], results: Path, workers: int | None) -> dict[str, Sweep]:
    """The sweeps of the plans `<name>.toml` in a folder, whose runs are kept below `results`.

    Raises SweepInterrupted.
    """
    sweeps = {}
    for name in names:
        plan = plans / f"{name}.toml"
        with ProgressBar(f"Sweeping {plan.name}") as bar:
            sweeps[name] = ackclock.sweep(plan, results / "store", workers=workers, progress=bar.tell)
    return sweeps


def print_and_publish(
    name: str, tables: Mapping[str, Iterable[list[str]]], is_published: bool, *others: str
) -> None:
    """Prints the tables, each when it is complete, and then publishes them if asked.

    `others` are versions in addition to those of the simulators.
    """
    complete = {}
    for table, rows in tables.items():
        complete[table] = list(rows)
        print_rows(complete[table])
    if is_published:
        publish(name, complete, *others)


def publish(name: str, tables: Mapping[str, Rows], *dates: str) -> None:
    """Writes `<table>.csv` for each table, and `versions.txt`."""
    folder(name).mkdir(parents=True, exist_ok=True)
    for table, rows in tables.items():
        write_rows(rows, folder(name) / f"{table}.csv")
    write_versions(folder(name), *dates)


def write_versions(target: Path, *dates: str) -> None:
    """Writes `versions.txt`: the versions that made the tables and figures of a folder, and the command."""
    (target / "versions.txt").write_text(f"{made(*dates)}\n{command_line()}\n", encoding="utf-8")


def made(*dates: str) -> str:
    """The versions of all simulators, and the dates of their runs, on one line."""
    return ", ".join((f"Ackclock {described_version(git_commit())}", *versions(), *dates))


def print_rows(rows: Rows) -> None:
    """Prints a table in columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def write_rows(rows: Iterable[Sequence[str]], file: Path) -> None:
    """Writes a table as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    file.write_text(text.getvalue(), encoding="utf-8")


def written(interval: Interval, digits: int, sign: str = "") -> str:
    """An estimate with the half width of its interval."""
    # Adding zero turns minus zero into zero.
    estimate = round(interval.estimate, digits) + 0.0
    return f"{estimate:{sign}.{digits}f} ± {interval.half_width:.{digits}f}"
