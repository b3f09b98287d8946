"""Shards of a sweep: parts of its runs, each made by a process of its own, as a job of an array."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from ackclock.errors import InputError

__all__ = ["Shard"]

T = TypeVar("T")


@dataclass(frozen=True)
class Shard:
    """The part `number` of `of`, counted from 1: every `of`-th run, so that all parts take about as long."""

    number: int
    of: int

    @staticmethod
    def read(text: str) -> Shard:
        """The shard that a text such as "3/40" names. Raises InputError."""
        found = re.fullmatch(r"([1-9]\d{0,5})/([1-9]\d{0,5})", text.strip())
        if found is None or int(found[1]) > int(found[2]):
            raise InputError(f'shard: found "{text}"; expected a part and the number of parts, as "3/40"')
        return Shard(int(found[1]), int(found[2]))

    @property
    def name(self) -> str:
        """The ending of the name of its folder."""
        return f"-{self.number}-of-{self.of}"

    def part(self, runs: Sequence[T]) -> Sequence[T]:
        """Its part of all runs."""
        return runs[self.number - 1 :: self.of]
