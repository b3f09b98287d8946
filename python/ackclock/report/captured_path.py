"""The picture of a path found in a capture: rate and smallest round-trip time over time."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ackclock.report import style
from ackclock.report.figures import new_figure

__all__ = ["draw"]


Floats = NDArray[np.float64]


def draw(edges_s: Floats, rate_bit_per_s: Floats, rtt_s: Floats) -> Figure:
    """One panel, or two if the capture shows round trips. `edges_s` are those of the bins."""
    has_rtt = bool(np.isfinite(rtt_s).any())
    figure, panels = new_figure(2 if has_rtt else 1, 1, height=4.4 if has_rtt else 2.6)
    with mpl.rc_context(style.MATPLOTLIB):
        panels[0].stairs(rate_bit_per_s / 1e6, edges_s, color=style.BLUE)
        panels[0].set(ylabel="rate [Mbit/s]", xlabel="time [s]", ylim=(0, None))
        if has_rtt:
            panels[1].stairs(rtt_s * 1e3, edges_s, color=style.VERMILION, baseline=None)
            panels[1].set(ylabel="min RTT [ms]", xlabel="time [s]", ylim=(0, None))
    return figure
