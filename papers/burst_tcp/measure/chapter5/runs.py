"""Everything that is run for chapter 5."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..file_runs import Study
from . import s5_2_2_competition as competition
from . import s5_2_3_buffers as buffers
from . import s5_3_3_unresponsive_traffic as udp
from . import s5_3_reverse_traffic as two_way
from . import s5_4_multi_hop as multihop
from . import s5_6_deployment as deployment
from .experiment import Contest
from .s5_6_deployment import Mixtures

__all__ = ["Contests", "Runs"]

Contests = Mapping[str, Contest]


@dataclass(frozen=True)
class Runs:
    """Everything that was run, by stack."""

    base: Contests
    slow: Contests
    large: Contests
    small: Contests
    reverse: Contests
    delayed: Contests
    delayed_otherwise: Contests
    """Under the thesis' stack, by way."""
    udp: Mapping[str, Contests]
    udp_in_one_packet: Mapping[str, Contest]
    """Under the thesis' stack, by span."""
    hops: Contests
    crossed: Contests
    deployment: Mapping[str, Mixtures]

    @staticmethod
    def of(study: Study) -> Runs:
        """All experiments."""
        heavier = () if study.context.quick else (buffers.HEAVIEST_LARGE,)
        return Runs(
            base=competition.base(study),
            slow=competition.changed(study, competition.SLOW),
            large=competition.changed(study, buffers.LARGE, heavier),
            small=competition.changed(study, buffers.SMALL),
            reverse=two_way.reverse(study),
            delayed=two_way.delayed(study),
            delayed_otherwise=two_way.delayed_otherwise(study),
            udp=udp.unresponsive(study),
            udp_in_one_packet=udp.in_one_packet(study),
            hops=multihop.alone(study),
            crossed=multihop.crossed(study),
            deployment=deployment.deployed(study),
        )
