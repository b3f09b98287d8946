"""Reproduction of papers: reading their claims, running their experiments, judging the claims.

A paper is a folder `papers/<key>/` of the repository (or any folder of this shape):

    README.md       the findings, and the questions that the paper leaves open
    claims.toml     [paper] with key, title, authors, and year and source if known; a [[claim]] for each claim
    scenarios/      TOML scenarios, used by name through `context.scenario`
    measure/        a package with `measure(context: Context) -> Mapping[str, Measured]`, which uses only
                    Ackclock's public API; its modules import each other relatively. A single file
                    reproduce.py may take its place

In the repository the folder of `he-tcp` is `papers/he_tcp`: see `papers.loader`.

A claim has an `id`, a `place` in the paper, its `statement`, a `kind` with the `expected` outcome, and `why`,
the reason for its tolerance. The kinds, and the measurements that `measure` returns under the claim's id:

    kind = "value"      expected = 974.8, unit, tolerance = 30 or relative_tolerance = 0.03
                        -> Values([one per seed])
    kind = "range"      expected = [0.70, 0.80], unit
                        -> Values([one per seed])
    kind = "order"      expected = ["vegas", "newreno", "tahoe"], highest first; tolerance = 0
                        -> Ordered({name: [one per seed]})
    kind = "predicate"  expected = "in words"; at_least = 1.0, the share of trials
                        -> Holds([True, ...], number)

A published table is a [[table]] with `columns` and `rows`, of which every cell becomes a claim of kind
"value" (see `read_table`); for cells that `spread` names, it suffices that the published number lies in the
range of `Values(.., spread=[one per varied run])`.

A claim that cannot be tested is `Undecidable("why")`; a claim for which `measure` returns nothing counts as
such. Values are judged by their 95 % interval: a claim is reproduced if the whole interval meets its rule,
not reproduced if the whole interval breaks it, and undecided otherwise.

`measure` runs experiments through its context, which brings workers, progress and the choice of a quick
check:

    def measure(context):
        race = context.compare(["tahoe", "vegas"], context.scenario("base"), seeds=3 if context.quick else 30)
        context.figure("race", draw(race), "What the figure shows.")          # a matplotlib figure
        context.note("A choice where the paper is silent.")                   # a paragraph of the report
        goodput = {label: samples(race, label) for label in race.labels}
        return {"order": Ordered(goodput), "vegas-goodput": Values(goodput["vegas"])}

Results go to results/papers/<key>/: claims.json, verdicts.md, report.html, figures/, tables/,
provenance.json.
"""

from __future__ import annotations

from ackclock.papers.claims import Claim, read_claim, read_table
from ackclock.papers.context import Context, Figure
from ackclock.papers.judge import (
    VERDICTS,
    ClaimVerdict,
    Holds,
    Measured,
    Ordered,
    Undecidable,
    Values,
    judge,
)
from ackclock.papers.loader import load_measure
from ackclock.papers.paper import Paper, PaperEntry, list_papers, load_paper, paper_folder
from ackclock.papers.reproduction import KIND, Reproduction, check, reproduce
from ackclock.runs.parallel import ProgressCallback

__all__ = [
    "KIND",
    "VERDICTS",
    "Claim",
    "ClaimVerdict",
    "Context",
    "Figure",
    "Holds",
    "Measured",
    "Ordered",
    "Paper",
    "PaperEntry",
    "ProgressCallback",
    "Reproduction",
    "Undecidable",
    "Values",
    "check",
    "judge",
    "list_papers",
    "load_measure",
    "load_paper",
    "paper_folder",
    "read_claim",
    "read_table",
    "reproduce",
]
