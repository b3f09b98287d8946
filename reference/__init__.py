"""A second reading of every congestion-control algorithm and bit-rate adaptation, to be read with its paper.

Constructors take the parameters of the registry by name. Decorators of the classes give their names in the
registry.
"""

import importlib
import pkgutil

from reference.adaptation.facts import Download, Film, Moment
from reference.facts import Ack, Congestion, LossSample, RateSample, Signal, Start
from reference.media.facts import MediaDecision, MediaFrame, MediaPacket, MediaReport, MediaStart
from reference.registered import ADAPTATIONS, AVOIDANCES, CONTROLLERS, MEDIA, SLOW_STARTS
from reference.windowed import Avoidance, SlowStart, Window, Windowed

__all__ = [
    "ADAPTATIONS",
    "AVOIDANCES",
    "CONTROLLERS",
    "MEDIA",
    "SLOW_STARTS",
    "Ack",
    "Avoidance",
    "Congestion",
    "Download",
    "Film",
    "LossSample",
    "MediaDecision",
    "MediaFrame",
    "MediaPacket",
    "MediaReport",
    "MediaStart",
    "Moment",
    "RateSample",
    "Signal",
    "SlowStart",
    "Start",
    "Window",
    "Windowed",
]

for _folder in ("avoidance", "slow_start", "controllers", "media", "adaptation"):
    for _module in pkgutil.iter_modules([f"{__path__[0]}/{_folder}"]):
        importlib.import_module(f"reference.{_folder}.{_module.name}")
