"""A directive that shows what `make bench JSON=published/bench.json` measured: no number is copied by hand.

```{bench} shares
| case | ... |
```

`shares` has speeds with the shares of the bare loop; `costs` speed, events and memory of this simulator;
`commands` a comparison and a sweep; `machine` the machine of the measurement. The content is for readers of
the Markdown; a test holds it to what is shown.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

PUBLISHED = Path(__file__).resolve().parents[2] / "published" / "bench.json"
BARE_LOOP = "bare loop"
OTHERS = ("htsim", "ns-2", "ns-3")
MISSING = "–"

Results = Mapping[str, Any]


def cases(results: Results) -> dict[str, Results]:
    """The cases by what a table calls them."""
    return {case.get("title") or key: case for key, case in results.items() if "peers" in case}


def shares(results: Results) -> Iterator[str]:
    """Million packets per CPU-second, and in brackets the share of the bare loop."""
    measured = cases(results).values()
    others = [name for name in OTHERS if any(speed(case["peers"].get(name)) for case in measured)]
    yield row("case", BARE_LOOP, "Ackclock", *others)
    yield "|---" * (3 + len(others)) + "|"
    for name, case in cases(results).items():
        bare = speed(case["peers"].get(BARE_LOOP))
        beside = (case["peers"].get(other) for other in others)
        yield row(name, millions(bare), *(shared(speed(each), bare) for each in (case, *beside)))


def costs(results: Results) -> Iterator[str]:
    """The absolute numbers of this simulator."""
    yield row(
        "case", "million packets per CPU-second", "fastest run", "aim, at least", "aim, go for",
        "events per packet", "peak memory",
    )  # fmt: skip
    yield "|---" * 7 + "|"
    for name, case in cases(results).items():
        memory = f"{case['peak_memory_bytes'] / 1e6:.0f} MB" if case["peak_memory_bytes"] else MISSING
        yield row(
            name,
            millions(speed(case)),
            millions(case["packets_per_cpu_s_at_best"]),
            millions(case["at_least"]),
            millions(case["go_for"]),
            f"{case['events_per_packet']:.1f}",
            memory,
        )


def commands(results: Results) -> Iterator[str]:
    """A comparison, and a run of a sweep."""
    whole = results["commands"]
    run_ms, alone_ms, elapsed_ms = (
        1e3 * whole[f"sweep_{part}_s_per_run"] for part in ("cpu", "simulating_cpu", "elapsed")
    )
    yield (
        f"A comparison of five algorithms takes {whole['comparison_cpu_s']:.2f} s of CPU time, "
        f"{whole['simulating_cpu_s']:.3f} of them for the simulations, and a sweep {run_ms:.2f} ms per run, "
        f"{alone_ms:.2f} of them for the simulation, and {elapsed_ms:.2f} ms of elapsed time: "
        f"medians of {whole['runs']}."
    )


def machine(results: Results) -> Iterator[str]:
    """Where, when and how."""
    machine, made = results["machine"], results["provenance"]
    yield (
        f"`{made['command']}` of commit {(made['commit'] or 'unknown')[:12]} on {made['date'][:10]}, on "
        f"{machine['cores']} cores of {machine['processor'] or 'a processor without a name'}."
    )


def speed(measured: Results | None) -> float | None:
    """Packets per CPU-second; none if a program was left out."""
    return None if measured is None else measured.get("packets_per_cpu_s")


def millions(value: float | None) -> str:
    """Two or three digits."""
    if value is None:
        return MISSING
    return f"{value / 1e6:.{1 if value >= 1e7 else 2 if value >= 1e6 else 3}f}"


def shared(value: float | None, bare: float | None) -> str:
    """A speed with its share of the bare loop's."""
    if value is None or bare is None:
        return millions(value)
    share = 100 * value / bare
    return f"{millions(value)} ({share:.{0 if share > 1 else 1 if share > 0.1 else 2}f} %)"


def row(*words: str) -> str:
    """A row of a table."""
    return f"| {' | '.join(words)} |"


SHOWN: Mapping[str, Callable[[Results], Iterator[str]]] = {
    "shares": shares,
    "costs": costs,
    "commands": commands,
    "machine": machine,
}


class Bench(SphinxDirective):
    """Shows one part of the published run."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """The table or the sentence."""
        show = SHOWN.get(self.arguments[0])
        if show is None:
            raise self.error(f"no table {self.arguments[0]} (there are: {', '.join(SHOWN)})")
        self.env.note_dependency(str(PUBLISHED))
        results = json.loads(PUBLISHED.read_text(encoding="utf-8"))
        text = StringList(list(show(results)), source="")
        holder = nodes.container()
        self.state.nested_parse(text, self.content_offset, holder)
        return holder.children


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("bench", Bench)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
