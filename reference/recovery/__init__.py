"""A second reading of every recovery of TCP in plain Python, to be read together with its RFC or paper."""

from reference.recovery.newreno import NewReno
from reference.recovery.prr import Prr, PrrCrb
from reference.recovery.rack import Rack
from reference.recovery.reno import Reno
from reference.recovery.rfc9002 import Rfc9002
from reference.recovery.sack import Sack
from reference.recovery.segment import Segment
from reference.recovery.sender import Block, Phase, Sender, Settings
from reference.recovery.tahoe import Tahoe
from reference.recovery.vegas import Vegas

__all__ = ["RECOVERIES", "Block", "Phase", "Segment", "Sender", "Settings"]

RECOVERIES: dict[str, type[Sender]] = {
    "tahoe": Tahoe,
    "reno": Reno,
    "newreno": NewReno,
    "sack": Sack,
    "prr": Prr,
    "prr-crb": PrrCrb,
    "rack": Rack,
    "rfc9002": Rfc9002,
    "vegas": Vegas,
}
