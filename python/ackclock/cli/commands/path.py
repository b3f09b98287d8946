"""The command `path`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli.command import Options
from ackclock.errors import InputError, OutputError

__all__ = ["CapturedPath"]


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
        """Writes the schedule and its picture, and prints how a scenario has it."""
        import numpy as np

        from ackclock.atomic import write_file
        from ackclock.provenance import command_line
        from ackclock.report import captured_path as figure
        from ackclock.report.figures import image
        from ackclock.report.text import counted
        from ackclock.scenarios.captured_path import read_capture

        if not self.bin_ms > 0:
            raise InputError(f"--bin: found {self.bin_ms:g}; expected milliseconds above 0")
        found = read_capture(self.file, self.bin_ms / 1e3)
        stem = self.output or Path(self.file.stem)
        csv, svg = stem.with_name(f"{stem.name}.csv"), stem.with_name(f"{stem.name}.svg")
        edges = np.append(found.times_s, found.duration_s)
        picture = figure.draw(edges, found.rate_bit_per_s, found.rtt_s)
        about = {"Title": f"Path of {self.file.name}", "Description": command_line()}
        try:
            write_file(csv, found.csv().encode())
            write_file(svg, image(picture, "svg", about))
        except OSError as error:
            raise OutputError(f"{stem}: cannot be written: {error.strerror}") from None
        rates = found.rate_bit_per_s / 1e6
        print(f"{counted(found.packets, 'packet')} in {found.duration_s:g} s")
        print(f"rate: {rates.mean():.3g} Mbit/s on average, {rates.min():.3g} to {np.max(rates):.3g}")
        rtt = found.min_rtt_s
        print("no round trips: one direction only" if rtt is None else f"min RTT: {rtt * 1e3:.3g} ms")
        print(f'schedule = {{ file = "{csv.name}", every = "{found.duration_s * 1e3:.0f} ms" }}')
        print(f"written: {csv}, {svg}")
