"""The models in one figure: windows over the loss rate, and packets sent per epoch."""

from __future__ import annotations

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ackclock.models.formulas import HIGH_SPEED, mathis, padhye, padhye_approximate, tfrc
from ackclock.models.sub_packet import SubPacketModel
from ackclock.report import style
from ackclock.report.figures import new_figure

__all__ = ["draw"]

STANDARD = ("#0072b2", "#d55e00", "#cc79a7", "#e69f00")
FAST = ("#999999", "#777777", "#aaaaaa", "#555555", "#bbbbbb", "#666666")
DASHES = ((4, 2), (1, 1), (6, 1, 1, 1), (3, 1, 1, 1, 1, 1), (8, 2), (6, 1, 1, 1, 1, 1))
LONGEST_RTO = 160
"""The longest timeout, 64 s, in round trips of 0.4 s."""


def draw(rtt_s: float = 0.1, rto_round_trips: float = 2.0) -> Figure:
    """Packets per round trip by every model over the loss rate, and the stationary probabilities of "n sent".

    The formulas with timeouts use the timeout of the Markov model, `rto_round_trips`; only CUBIC and H-TCP
    depend on `rtt_s`.
    """
    with rc_context(style.MATPLOTLIB):
        figure, (windows, groups) = new_figure(1, 2, height=4.2)
        _draw_windows(windows, rtt_s, rto_round_trips)
        _draw_groups(groups)
        for axis, columns in ((windows, 2), (groups, 4)):
            axis.legend(loc="upper center", bbox_to_anchor=(0.45, -0.16), ncols=columns, fontsize=7)
    return figure


def _draw_windows(axis: Axes, rtt_s: float, rto: float) -> None:
    p = np.geomspace(1e-5, 0.7, 300)
    for (name, law), colour, dash in zip(HIGH_SPEED.items(), FAST, DASHES, strict=True):
        rare = p[p < 0.02]
        window = law(rare, rtt_s=rtt_s) if name in ("CUBIC", "H-TCP") else law(rare)
        axis.plot(rare, window, color=colour, linestyle=(0, dash), linewidth=0.9, label=name)
    curves = {
        "Mathis et al.": mathis(p),
        "PFTK, full": padhye(p, rto_s=rto),
        "PFTK, approximate": padhye_approximate(p, rto_s=rto),
        "TFRC, 4 RTT": tfrc(p),
    }
    for (name, window), colour in zip(curves.items(), STANDARD, strict=True):
        axis.plot(p, window, color=colour, linewidth=1.1, label=name)
    heavy = p[(p > 0.01) & (p < 0.49)]
    axis.plot(
        heavy, SubPacketModel().at(heavy).throughput, color="black", linewidth=1.6, label="Markov, full"
    )
    counted = p[p > 0.01]
    model = SubPacketModel("counter", max_rto=LONGEST_RTO)
    axis.plot(counted, model.at(counted).throughput, "k:", linewidth=1.3, label="Markov, counter")
    axis.axhline(1, color="#bbbbbb", linewidth=0.6)
    axis.set(
        xscale="log", yscale="log", xlabel="loss rate p", ylabel="packets per round trip", ylim=(0.01, 1e4)
    )
    axis.set_title("Windows by every model")


def _draw_groups(axis: Axes) -> None:
    p = np.linspace(0.001, 0.499, 200)
    sent = SubPacketModel().at(p).sent
    capped = SubPacketModel("counter", max_rto=LONGEST_RTO).at(p).sent
    for n in range(sent.shape[1]):
        colour = f"C{n}"
        axis.plot(p, sent[:, n], color=colour, label=f"{n} sent")
        axis.plot(p, capped[:, n], color=colour, linestyle=":", linewidth=0.9)
    axis.set(xlabel="loss rate p", ylabel="share of epochs", xlim=(0, 0.5), ylim=(0, 1))
    axis.set_title("Full model; dotted: counter, 64 s")
