"""Every congestion-control algorithm once more, in plain Python, to be read beside its paper.

Constructors take the parameters of the registry by name.
"""

from collections.abc import Callable

from reference.base import Base
from reference.bbr1 import Bbr1
from reference.bbr3 import Bbr3
from reference.bic import Bic
from reference.btcp import BurstTcp, BurstTcpAnnex
from reference.compound import Compound
from reference.cubic import Cubic
from reference.dctcp import Dctcp
from reference.facts import Ack, Congestion, LossSample, RateSample, Signal, Start
from reference.fast import Fast
from reference.hetcp import HeTcp
from reference.hstcp import Hstcp
from reference.htcp import Htcp
from reference.hystart import HyStart
from reference.limited import LimitedMesoNet, LimitedSlowStart
from reference.reno import Reno
from reference.scalable import Scalable
from reference.standard_slow_start import StandardSlowStart
from reference.subpacket import SubPacket
from reference.vegas import Vegas, VegasSlowStart
from reference.westwood import Westwood
from reference.windowed import Avoidance, SlowStart, Window, Windowed

__all__ = [
    "AVOIDANCES",
    "CONTROLLERS",
    "SLOW_STARTS",
    "Ack",
    "Avoidance",
    "Congestion",
    "LossSample",
    "RateSample",
    "Signal",
    "SlowStart",
    "Start",
    "Window",
    "Windowed",
]

SLOW_STARTS: dict[str, Callable[..., SlowStart]] = {
    "base": Base,
    "btcp": BurstTcp,
    "btcp-annex": BurstTcpAnnex,
    "hystart": HyStart,
    "limited": LimitedSlowStart,
    "limited-mesonet": LimitedMesoNet,
    "standard": StandardSlowStart,
    "vegas": VegasSlowStart,
}

AVOIDANCES: dict[str, Callable[..., Avoidance]] = {
    "bic": Bic,
    "compound": Compound,
    "cubic": Cubic,
    "dctcp": Dctcp,
    "fast": Fast,
    "hetcp": HeTcp,
    "hstcp": Hstcp,
    "htcp": Htcp,
    "reno": Reno,
    "scalable": Scalable,
    "vegas": Vegas,
    "westwood": Westwood,
}

CONTROLLERS: dict[str, Callable[..., Bbr1 | Bbr3 | SubPacket]] = {
    "bbr1": Bbr1,
    "bbr3": Bbr3,
    "subpacket": SubPacket,
}
