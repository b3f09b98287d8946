"""Every congestion-control algorithm once more, in plain Python, to be read together with its paper.

Constructors take the parameters of the registry by name.
"""

from collections.abc import Callable

from reference.avoidance.bic import Bic
from reference.avoidance.bic_linux import BicLinux
from reference.avoidance.compound import Compound
from reference.avoidance.cubic import Cubic
from reference.avoidance.dctcp import Dctcp
from reference.avoidance.fast import Fast
from reference.avoidance.hetcp import HeTcp
from reference.avoidance.hstcp import Hstcp
from reference.avoidance.htcp import Htcp
from reference.avoidance.htcp_linux import HtcpLinux
from reference.avoidance.hybla import Hybla
from reference.avoidance.illinois import Illinois
from reference.avoidance.illinois_linux import IllinoisLinux
from reference.avoidance.ledbat import Ledbat
from reference.avoidance.lp import Lp
from reference.avoidance.lp_linux import LpLinux
from reference.avoidance.reno import Reno
from reference.avoidance.scalable import Scalable
from reference.avoidance.scalable_linux import ScalableLinux
from reference.avoidance.sctp import Sctp
from reference.avoidance.vegas import Vegas, VegasSlowStart
from reference.avoidance.vegas_linux import VegasLinux, VegasLinuxSlowStart
from reference.avoidance.veno import Veno
from reference.avoidance.veno_linux import VenoLinux
from reference.avoidance.westwood import Westwood
from reference.avoidance.yeah import Yeah
from reference.controllers.bbr1 import Bbr1
from reference.controllers.bbr3 import Bbr3
from reference.controllers.copa import Copa
from reference.controllers.ledbat_plus_plus import LedbatPlusPlus
from reference.controllers.prague import Prague
from reference.controllers.subpacket import SubPacket
from reference.controllers.xcp import Xcp
from reference.facts import Ack, Congestion, LossSample, RateSample, Signal, Start
from reference.slow_start.adaptive import AdaptiveStart
from reference.slow_start.base import Base
from reference.slow_start.btcp import BurstTcp, BurstTcpAnnex
from reference.slow_start.decreasing import DecreasingByteCounting
from reference.slow_start.gallop_vegas import GallopVegasSlowStart
from reference.slow_start.hoe import HoeSlowStart
from reference.slow_start.hybla import HyblaSlowStart
from reference.slow_start.hystart import HyStart
from reference.slow_start.hystart_linux import HyStartLinux
from reference.slow_start.limited import LimitedMesoNet, LimitedSlowStart
from reference.slow_start.smooth import SmoothStart
from reference.slow_start.standard import StandardSlowStart
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
    "adaptive": AdaptiveStart,
    "base": Base,
    "btcp": BurstTcp,
    "btcp-annex": BurstTcpAnnex,
    "decreasing": DecreasingByteCounting,
    "gallop-vegas": GallopVegasSlowStart,
    "hoe": HoeSlowStart,
    "hybla": HyblaSlowStart,
    "hystart": HyStart,
    "hystart-linux": HyStartLinux,
    "limited": LimitedSlowStart,
    "limited-mesonet": LimitedMesoNet,
    "smooth": SmoothStart,
    "standard": StandardSlowStart,
    "vegas": VegasSlowStart,
    "vegas-linux": VegasLinuxSlowStart,
}

AVOIDANCES: dict[str, Callable[..., Avoidance]] = {
    "bic": Bic,
    "bic-linux": BicLinux,
    "compound": Compound,
    "cubic": Cubic,
    "dctcp": Dctcp,
    "fast": Fast,
    "hetcp": HeTcp,
    "hstcp": Hstcp,
    "htcp": Htcp,
    "htcp-linux": HtcpLinux,
    "hybla": Hybla,
    "illinois": Illinois,
    "illinois-linux": IllinoisLinux,
    "ledbat": Ledbat,
    "lp": Lp,
    "lp-linux": LpLinux,
    "reno": Reno,
    "scalable": Scalable,
    "scalable-linux": ScalableLinux,
    "sctp": Sctp,
    "vegas": Vegas,
    "vegas-linux": VegasLinux,
    "veno": Veno,
    "veno-linux": VenoLinux,
    "westwood": Westwood,
    "yeah": Yeah,
}

CONTROLLERS: dict[str, Callable[..., Bbr1 | Bbr3 | Copa | LedbatPlusPlus | Prague | SubPacket | Xcp]] = {
    "bbr1": Bbr1,
    "bbr3": Bbr3,
    "copa": Copa,
    "ledbat-plus-plus": LedbatPlusPlus,
    "prague": Prague,
    "subpacket": SubPacket,
    "xcp": Xcp,
}
