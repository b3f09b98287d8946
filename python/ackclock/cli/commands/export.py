"""The command `export`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli.command import Options
from ackclock.cli.options import Trust
from ackclock.errors import InputError, unknown

__all__ = ["Export"]

CAPTURES = ("wireshark", "pcap", "pcapng", "tcpdump", "tshark")
"""Names under which people seek captures of packets."""


@dataclass(frozen=True, kw_only=True)
class Export(Options):
    """Write results as other programs write measurements, into their folder, without a simulation."""

    EXAMPLES = (
        "ackclock export results/two-megabit-compare --as flent",
        "ackclock export results/two-megabit-run --as iperf3",
        "ackclock export results/two-megabit-run --as xpl",
    )

    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A results folder of run or compare.")]
    kind: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="FORMAT",
            help="flent: a data file of Flent. iperf3: the JSON of iperf3. xpl: a time-sequence graph of "
            "tcptrace per connection, of runs with trace.packets.",
        ),
    ]
    trust: Trust = False

    def execute(self) -> None:
        """Adds exports/<run>.<suffix> to a results folder, instead of those of the same name."""
        from ackclock.cli.folders import readable
        from ackclock.formats import EXPORTS
        from ackclock.results_folder import ResultsFolder
        from ackclock.runs.result import KINDS
        from ackclock.runs.saved import load
        from ackclock.runs.tables import NotRecorded
        from ackclock.runs.written import write_files

        if self.kind in CAPTURES:
            raise InputError(
                f'no format is named "{self.kind}": a run whose scenario has trace.packets = '
                '["left->right"], say, writes captures/*.pcapng itself'
            )
        if self.kind not in EXPORTS:
            raise unknown("format", self.kind, EXPORTS)
        export = EXPORTS[self.kind]
        comparison = load(self.folder, trust=self.trust)
        files, missing = [], []
        for run in comparison.results:
            try:
                files += [(run, *file) for file in export.files(run).items()]
            except NotRecorded as error:
                missing.append(error)
        if missing and not files:
            raise missing[0]
        with ResultsFolder(self.folder, KINDS, adds=True) as opened:
            names = write_files(opened, "exports", files, export.suffix)
            path = opened.commit()
        for name in names:
            print(f"{readable(path)}/{name}")
        if missing:
            of = f"{len(missing)} of {len(comparison.results)} runs"
            why = "nothing is recorded over time of further seeds"
            right = 'run with --set "trace.interval=100 ms", say, to record every seed'
            print(f"ackclock: left out {of}: {why}; {right}", file=sys.stderr)
