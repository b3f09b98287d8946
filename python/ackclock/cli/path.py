"""The command `ackclock path`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ackclock.atomic import write_file
from ackclock.errors import InputError, OutputError
from ackclock.provenance import command_line
from ackclock.report import captured_path as figure
from ackclock.report.figures import image
from ackclock.report.text import counted
from ackclock.scenarios.captured_path import read_capture

__all__ = ["find"]


def find(file: Path, bin_ms: float, output: Path | None) -> None:
    """Writes the schedule and its picture, and prints how a scenario has it."""
    if not bin_ms > 0:
        raise InputError(f"--bin: found {bin_ms:g}; expected milliseconds above 0")
    found = read_capture(file, bin_ms / 1e3)
    stem = output or Path(file.stem)
    csv, svg = stem.with_name(f"{stem.name}.csv"), stem.with_name(f"{stem.name}.svg")
    edges = np.append(found.times_s, found.duration_s)
    picture = figure.draw(edges, found.rate_bit_per_s, found.rtt_s)
    about = {"Title": f"Path of {file.name}", "Description": command_line()}
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
