"""Numbers of training runs: what each episode gave, handed to a log such as TensorBoard's."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import gymnasium

from ackclock.errors import InputError
from ackclock.gym.observations import COLUMNS

__all__ = ["EpisodeLog", "Log", "TensorBoard"]

Log = Callable[[int, Mapping[str, float]], object]
"""Takes the number of a step or an episode, and numbers by their names."""


class TensorBoard:
    """A log in a folder that `tensorboard --logdir` shows.

    Needs tensorboardX: `pip install ackclock[tensorboard]`. Raises InputError without it.
    """

    def __init__(self, folder: str | Path) -> None:
        try:
            writers = importlib.import_module("tensorboardX")
        except ModuleNotFoundError:
            raise InputError("tensorboardX is needed: pip install ackclock[tensorboard]") from None
        self._writer = writers.SummaryWriter(str(folder))

    def __call__(self, step: int, numbers: Mapping[str, float]) -> None:
        """Writes numbers at a step."""
        for name, value in numbers.items():
            self._writer.add_scalar(name, float(value), step)

    def __enter__(self) -> TensorBoard:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Writes what is left, and closes the file."""
        self._writer.close()


class EpisodeLog(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment that logs each episode at its end: rewards, steps, goodput, and the share of losses.

    Any agent that steps it is logged, whichever library trains it; `log` may be a `TensorBoard`, or a
    function that calls `mlflow.log_metrics(numbers, step=episode)`.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], log: Log) -> None:
        super().__init__(env)
        self.log = log
        self.episode = 0
        self._begin()

    def _begin(self) -> None:
        self._steps = 0
        self._reward = self._duration_s = self._delivered = self._lost = 0.0

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        """Begins an episode; one that was not finished is not logged."""
        self._begin()
        return super().reset(**options)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps, and logs if the episode ends."""
        observed, reward, terminated, truncated, info = super().step(action)
        self._steps += 1
        self._reward += float(reward)
        facts = info["facts"]
        self._duration_s += facts[COLUMNS["duration_s"]]
        self._delivered += facts[COLUMNS["delivered_packets"]]
        self._lost += facts[COLUMNS["lost_packets"]]
        if terminated or truncated:
            self.episode += 1
            self.log(self.episode, self._numbers())
        return observed, reward, terminated, truncated, info

    def _numbers(self) -> dict[str, float]:
        sent = self._delivered + self._lost
        goodput = self._delivered / self._duration_s if self._duration_s > 0 else 0.0
        return {
            "episode/reward": self._reward,
            "episode/steps": float(self._steps),
            "episode/goodput_packets_per_s": goodput,
            "episode/loss_share": self._lost / sent if sent > 0 else 0.0,
        }
