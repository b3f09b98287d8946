"""Reproduction of papers: reading their claims, running their experiments, judging the claims.

A paper is a folder `papers/<key>/` of the repository (or any folder of this shape)::

    README.md       the findings, and the questions that the paper leaves open
    claims.toml     [paper] with key, title, authors, and year and source if known; a [[claim]] for each claim
    scenarios/      TOML scenarios, used by name through `context.scenario`
    measure/        a package with `measure(context: Context) -> Mapping[str, Measured]`, which uses only
                    Ackclock's public API; its modules import each other relatively. A single file
                    reproduce.py may take its place

In the repository the folder of `he-tcp` is `papers/he_tcp`: see `papers.loader`.

A claim has an `id`, a `place` in the paper, its `statement`, a `class`, a `kind` with the `expected` outcome,
and `why`, the reason for its tolerance. The kinds, and the measurements that `measure` returns for them::

    kind = "value"      expected = 974.8, unit, tolerance = 30 or relative_tolerance = 0.03
                        -> Values([one per seed])
    kind = "range"      expected = [0.70, 0.80], unit
                        -> Values([one per seed])
    kind = "each"       expected = [0.9, inf], unit: bounds that hold at every load (or rate, or delay)
                        -> Each({load: [one per seed]})
    kind = "order"      expected = ["vegas", "newreno", "tahoe"], highest first; tolerance = 0
                        -> Ordered({name: [one per seed]})
    kind = "predicate"  expected = "in words"; at_least = 1.0, the share of trials
                        -> Holds([True, ...], number)

For ratios, `scale = "log"` of a "range" or "each" takes the geometric mean, with an interval on logarithms.

A published table is a [[table]] with `columns` and `rows`, of which every cell becomes a claim of kind
"value" (see `read_table`).

Only claims of the class `paper` count in the scorecard; the others are listed separately::

    class = "paper"             a statement of the paper that the experiment could contradict
    class = "set by us"         a number or rule that the scenario or algorithm was given, measured again
    class = "fitted"            settings or readings were chosen with the number in view
    class = "beyond the paper"  conditions or comparisons that the paper does not have
    class = "restated"          follows from a definition, or from a statement that is counted already
    class = "illustration"      asserts little: it could hardly have come out otherwise

A statement counts once, however many rules test it (`papers.statements`)::

    part_of = "id"              claims with one `part_of` are parts of one statement: all must be reproduced
    ways = ["a", "b"]           judged under each of these settings, which the table [ways] describes and of
                                which the paper states none; [paper] chosen = "a" names the one
                                that decides -> measurements under `<id>-a` and `<id>-b`
    definitions = { 80 = "80 %", 90 = "90 %" }
                                judged under each of these definitions of a word
                                -> measurements under `<id>-80` and `<id>-90`; with ways too, `<id>-80-a`

A statement that is not reproduced has a cause, with its evidence in words, with numbers or a link::

    cause = "own rules"           the paper's own rules or numbers give something else
    cause = "setting not stated"  the paper does not state a setting or a definition that decides
    cause = "ours"                ours differs, for a reason that is known
    cause = "unresolved"          the reason is not known
    evidence = "..."

If a statement is reproduced in one way and not in another, its cause is "setting not stated", and the
evidence is computed. If several parts of it are not reproduced, the evidence is that of each.

A search of the settings that a paper leaves open, `settings*.csv` next to claims.json (`papers.searched`),
says under how many of them a statement is reproduced; [paper] setting has the levels of the measurements::

    setting = { timeout = "1 s", overhead = "half" }

A claim that counts although it can hardly fail says so, in a [[table]] by the value of the cell::

    weak = "why"
    weak = { "1.0" = "why" }

The scorecard also gives its sum without each group of claims that has a title and the prefix of their ids::

    [[apart]]
    title = "Table I"
    prefix = "table-1-"

A claim that cannot be tested is `Undecidable("why")`; a claim for which `measure` returns nothing counts as
such. One that the quick check leaves out is `NotRun("why")`, and counted apart. Values are judged by their
95 % interval: a claim is reproduced if the whole interval meets its rule, not reproduced if the whole
interval breaks it, and inconclusive otherwise.

`measure` runs experiments through its context, which brings workers, progress and the choice of a quick
check::

    def measure(context):
        race = context.compare(["tahoe", "vegas"], context.scenario("base"), seeds=3 if context.quick else 30)
        context.figure("race", draw(race), "What the figure shows.")          # a matplotlib figure
        context.note("A choice where the paper is silent.")                   # a paragraph of the report
        goodput = {label: samples(race, label) for label in race.labels}
        return {"order": Ordered(goodput), "vegas-goodput": Values(goodput["vegas"])}

With `--with ALGORITHM` a user adds competitors, `context.competitors`, to the experiments of a paper that has
`COMPARES`, the parts that take them, next to `measure`. `context.with_competitors` and
`Competitor.in_place_of` give their specifications, and `context.answer(title, table)` a table that the
command prints.

Results go to results/papers/<key>/: claims.json, verdicts.md, report.html, figures/, tables/,
provenance.json. claims.json holds the measurements, so that `judged_again` (`ackclock reproduce <key> --from
<folder>`) judges them by changed rules without a simulation.
"""

from __future__ import annotations

from ackclock.papers.claims import Claim, read_claims, read_table
from ackclock.papers.classes import Cause, CauseClass, ClaimClass
from ackclock.papers.competitors import Competitor
from ackclock.papers.context import Context, Figure
from ackclock.papers.judge import NOT_RUN, VERDICTS, ClaimVerdict, judge
from ackclock.papers.judged_again import judged_again
from ackclock.papers.loader import load_measure
from ackclock.papers.measurements import Each, Holds, Measured, NotRun, Ordered, Undecidable, Values
from ackclock.papers.paper import Paper, PaperEntry, list_papers, load_paper, paper_folder
from ackclock.papers.reproduction import KIND, Reproduction, check, reproduce
from ackclock.papers.statements import Statement, statements
from ackclock.runs.parallel import ProgressCallback

__all__ = [
    "KIND",
    "NOT_RUN",
    "VERDICTS",
    "Cause",
    "CauseClass",
    "Claim",
    "ClaimClass",
    "ClaimVerdict",
    "Competitor",
    "Context",
    "Each",
    "Figure",
    "Holds",
    "Measured",
    "NotRun",
    "Ordered",
    "Paper",
    "PaperEntry",
    "ProgressCallback",
    "Reproduction",
    "Statement",
    "Undecidable",
    "Values",
    "check",
    "judge",
    "judged_again",
    "list_papers",
    "load_measure",
    "load_paper",
    "paper_folder",
    "read_claims",
    "read_table",
    "reproduce",
    "statements",
]
