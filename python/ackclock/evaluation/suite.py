"""A suite of experiments: a document's criteria, and sentences about all of them."""

from __future__ import annotations

from dataclasses import dataclass

from ackclock.evaluation.criterion import Criterion, NotEvaluated

__all__ = ["Suite"]


@dataclass(frozen=True)
class Suite:
    """The experiments that a document asks for."""

    key: str
    title: str
    """The document's name, as "RFC 9743"."""
    criteria: tuple[Criterion, ...]
    not_evaluated: tuple[NotEvaluated, ...]
    thresholds: str
    """A sentence about thresholds in the document."""
    replaced: tuple[str, ...] = ()
    """Sentences about the differences from the document."""

    @property
    def has_forces(self) -> bool:
        """The document gives each criterion a word such as "MUST"."""
        return any(criterion.force for criterion in self.criteria)
