"""The time-sequence figure of a run whose packets are captured: how its sender repairs losses."""

from __future__ import annotations

import numpy as np
import polars as pl

from ackclock.measures.record import RunRecord
from ackclock.measures.time_sequence import TimeSequence, time_sequences
from ackclock.report import style
from ackclock.report.curves import Curve, Floats, Panel, TimeFigure
from ackclock.report.quantities import QUANTITIES

__all__ = ["sequence_figure"]

MOST_SEGMENTS = 160
"""The most segments that a figure shows: those around the first loss. An export as `xpl` has all of them."""

MOST_IN_LOSS = 640
"""The most segments where the figure also has the drop of the first one sent again, and its repair."""

SENT = style.Look(style.BLUE, "", ())
SENT_AGAIN = style.Look(style.CRIMSON, "x", ())
ACKNOWLEDGED = style.Look(style.GREEN, "", ())


def sequence_figure(result: RunRecord) -> TimeFigure | None:
    """The figure of the first connection in the capture; None without a capture of data."""
    if "packets" not in result.tables:
        return None
    first = next(time_sequences(result), None)
    if first is None:
        return None
    segments, span_s = _around_a_loss(first)
    low, high = span_s
    kept = pl.col("time_s").is_between(low, high)
    factor = QUANTITIES["time-sequence"].factor
    again = segments.filter("again")
    acknowledged = first.acknowledgments.filter(kept)
    curves = [_strokes("segment", SENT, segments.filter(~pl.col("again")), factor)]
    if again.height:
        curves.append(_strokes("sent again", SENT_AGAIN, again, factor))
    if acknowledged.height:
        times = acknowledged["time_s"].to_numpy()
        values = acknowledged["acknowledgment"].cum_max().to_numpy().astype(np.float64) * factor
        curves.append(Curve("acknowledged", ACKNOWLEDGED, times, values, is_step=True))
    drops = first.drops.filter(kept)["time_s"].to_numpy()
    names = dict(result.flows.select("flow", "name").iter_rows())
    note = f"The flow {names[first.flow]}{'; ticks on top mark its drops' if drops.size else ''}."
    if segments.height < first.segments.height:
        note += f" {segments.height} of {first.segments.height} segments, around the first loss."
    panel = Panel("", tuple(curves), drops)
    return TimeFigure(QUANTITIES["time-sequence"], (panel,), note, span_s)


def _around_a_loss(of: TimeSequence) -> tuple[pl.DataFrame, tuple[float, float]]:
    """As many segments as a figure shows, around the first that was sent again, and their times."""
    losses = np.flatnonzero(of.segments["again"].to_numpy())
    middle = int(losses[0]) if losses.size else 0
    count = MOST_SEGMENTS
    begin = max(0, min(middle - count // 3, of.segments.height - count))
    dropped = of.drops.filter(pl.col("first") == of.segments["first"][middle])["time_s"]
    if losses.size and dropped.len():
        # The drop comes a round trip before the repair: a tenth more before it, and a half after the repair.
        drop = int(of.segments["time_s"].search_sorted(dropped[0]))
        between = middle - drop
        if between + between // 2 + between // 10 <= MOST_IN_LOSS:
            begin = max(0, min(begin, drop - max(4, between // 10)))
            count = max(count, middle + between // 2 - begin)
    segments = of.segments.slice(begin, count)
    return segments, (float(segments["time_s"][0]), float(segments["time_s"][-1]))


def _strokes(label: str, look: style.Look, segments: pl.DataFrame, factor: float) -> Curve:
    """A vertical stroke for each segment, from its first byte to its last, with gaps between them."""
    times = np.repeat(segments["time_s"].to_numpy(), 3)
    ends: Floats = np.full((segments.height, 3), np.nan)
    ends[:, 0] = segments["first"].to_numpy() * factor
    ends[:, 1] = segments["last"].to_numpy() * factor
    return Curve(label, look, times, ends.ravel(), is_strokes=True)
