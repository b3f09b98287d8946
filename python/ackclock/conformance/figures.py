"""The figure of a case: the series that its rule is about, over time, one below the other."""

from __future__ import annotations

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

from ackclock.conformance.judge import CaseVerdict, Conformance
from ackclock.report import style
from ackclock.report.canvas import new_figure
from ackclock.report.text import for_figures

__all__ = ["draw"]

SERIES = {
    "cwnd_packets": "window [packets]",
    "window": "window [packets]",
    "in_flight_packets": "in flight [packets]",
    "rtt_s": "round trip [s]",
    "ssthresh_packets": "threshold [packets]",
    "goodput_bit_per_s": "goodput [bit/s]",
    "retransmissions": "sent again [packets]",
}


ENDINGS = ("_packet_per_s", "_packets", "_s")
"""The units in the names of gauges, which the axis has in brackets."""


def draw(verdict: CaseVerdict, conformance: Conformance) -> Figure:
    """A panel for each series; where a gauge is a state, its steps by their names."""
    gauges = {gauge.name: gauge for gauge in conformance.specification.gauges}
    curves = verdict.curves
    with rc_context(style.MATPLOTLIB):
        figure, axes = new_figure(len(curves), 1, height=0.5 + 1.05 * len(curves), sharex=True)
        for axis, curve in zip(axes, curves, strict=True):
            finite = np.isfinite(curve.value)
            axis.step(
                curve.time_s[finite], curve.value[finite], where="post", color=style.BLUE, linewidth=0.9
            )
            gauge = gauges.get(curve.name)
            if gauge is not None and gauge.values:
                axis.set_yticks(range(len(gauge.values)), map(for_figures, gauge.values), fontsize=6)
            label = SERIES.get(curve.name) or _words(curve.name, gauge.unit if gauge else "")
            lines = "\n".join(map(for_figures, label.splitlines()))
            axis.set_ylabel(lines, fontsize=7, rotation=0, ha="right", va="center")
        axes[-1].set_xlabel("time [s]")
    return figure


def _words(name: str, unit: str) -> str:
    """The name of a gauge in words, on two lines with its unit."""
    for ending in ENDINGS:
        if name.endswith(ending):
            name = name.removesuffix(ending)
            break
    return name.replace("_", " ") + (f"\n[{unit}]" if unit else "")
