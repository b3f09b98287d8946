"""The command `path`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli.command import Options
from ackclock.errors import InputError, OutputError

__all__ = ["CapturedPath"]

MARK = "SHA-256 of its table "
"""Before the checksum of the table in the picture."""


@dataclass(frozen=True, kw_only=True)
class CapturedPath(Options):
    """Turn a packet capture into the schedule of a link, with a picture of its rate and round trips."""

    EXAMPLES = (
        "ackclock path drive.pcapng",
        "ackclock path call.pcap --bin 100 --output paths/call",
    )

    file: Annotated[Path, typer.Argument(metavar="FILE", help="A capture in pcap or pcapng format.")]
    bin_ms: Annotated[
        float, typer.Option("--bin", metavar="MS", help="Milliseconds over which a rate is taken.")
    ] = 200
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="NAME", help="Write NAME.csv and NAME.svg."),
    ] = None

    def execute(self) -> None:
        """Writes the schedule and its picture, and prints the lines with which a scenario uses it."""
        import numpy as np

        from ackclock.atomic import write_file
        from ackclock.captures.path import read_capture
        from ackclock.own_files import HOLE, refuse_foreign, sealed
        from ackclock.provenance import command_line
        from ackclock.report import captured_path as figure
        from ackclock.report.figures import image
        from ackclock.report.text import counted

        if not self.bin_ms > 0:
            raise InputError(f"--bin: found {self.bin_ms:g}; expected milliseconds above 0")
        found = read_capture(self.file, self.bin_ms / 1e3)
        stem = self.output or Path(self.file.stem)
        csv, svg = stem.with_name(f"{stem.name}.csv"), stem.with_name(f"{stem.name}.svg")
        edges = np.append(found.times_s, found.duration_s)
        picture = figure.draw(edges, found.rate_bit_per_s, found.rtt_s)
        table = found.csv().encode()
        about = {
            "Title": f"Path of {self.file.name}",
            "Description": f"{command_line()}; {MARK}{hashlib.sha256(table).hexdigest()}; {HOLE}",
        }
        drawn = sealed(image(picture, "svg", about))
        known = svg.read_bytes() if svg.is_file() else b""
        refuse_foreign(svg)
        refuse_foreign(csv, lambda data: MARK.encode() + hashlib.sha256(data).hexdigest().encode() in known)
        try:
            write_file(csv, table)
            write_file(svg, drawn)
        except OSError as error:
            raise OutputError(f"{stem}: cannot be written: {error.strerror}") from None
        rates = found.rate_bit_per_s / 1e6
        print(f"{counted(found.packets, 'packet')} in {found.duration_s:g} s")
        print(f"rate: {rates.mean():.3g} Mbit/s on average, {rates.min():.3g} to {np.max(rates):.3g}")
        rtt = found.min_rtt_s
        if rtt is None:
            print(f"no round trips: {found.rtt_source}")
        else:
            print(f"min RTT: {rtt * 1e3:.3g} ms, by {found.rtt_source}")
        for note in found.notes:
            print(f"note: {note}")
        print(f'schedule = {{ file = "{csv.name}", every = "{found.duration_s * 1e3:.0f} ms" }}')
        print(f"written: {csv}, {svg}")
