"""The tables of a benchmark: on the terminal, and in Markdown for the page on performance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.table import Table

from benches.cases import BARE_LOOP
from benches.rounds import Range, ranged
from verification.peers.harness import HTSIM, NS2, NS3

__all__ = ["cases", "commands", "costs", "machine", "ratios", "remarks", "shares", "table", "utilisations"]

OTHERS = (HTSIM, NS2, NS3)
MISSING = "–"
SET_UP_SHOWS = 0.1
"""The part of a run that setting up takes before a table says the speed without it."""

Results = Mapping[str, Any]


def cases(results: Results) -> dict[str, Results]:
    """The cases by what a table calls them."""
    return {case.get("title") or key: case for key, case in results.items() if "peers" in case}


def shares(results: Results) -> Iterator[str]:
    """Million packets per CPU-second, and the share of the bare loop."""
    others = _others(results)
    yield row("case", BARE_LOOP, "Ackclock", *others)
    yield ruler(3 + len(others))
    for name, case in cases(results).items():
        bare = measured(case, BARE_LOOP)
        theirs = (shared(measured(case, other), bare) for other in others)
        yield row(name, millions(bare), shared(case, bare), *theirs)


def ratios(results: Results) -> Iterator[str]:
    """Our speed over the others', by the rounds in which both ran, with and without setting up."""
    others = _others(results)
    yield row("times as fast as", *others)
    yield ruler(1 + len(others))
    for name, case in cases(results).items():
        found = [measured(case, other) for other in others]
        if any(found):
            yield row(name, *(ratio(each) for each in found))


def utilisations(results: Results) -> Iterator[str]:
    """The share of the bottleneck's capacity that each program delivers, and the simulated time.

    A case that only the bare loop ran too has no row: the loop has neither the algorithm nor the queue.
    """
    others = (BARE_LOOP, *_others(results))
    yield row("case", "simulated", "Ackclock", *others)
    yield ruler(3 + len(others))
    for name, case in cases(results).items():
        found = [case, *(measured(case, other) for other in others)]
        if any(found[2:]):
            yield row(name, f"{case['simulated_s']:.0f} s", *(percent(each) for each in found))


def costs(results: Results) -> Iterator[str]:
    """The absolute numbers of this simulator."""
    yield row(
        "case", "million packets per CPU-second", "ns per packet", "aim, at least", "aim, go for",
        "events per packet", "peak memory",
    )  # fmt: skip
    yield ruler(7)
    for name, case in cases(results).items():
        memory = f"{case['peak_memory_bytes'] / 1e6:.0f} MB" if case["peak_memory_bytes"] else MISSING
        aims = (MISSING if case[aim] is None else f"{case[aim] / 1e6:g}" for aim in ("at_least", "go_for"))
        nanoseconds = 1e9 / case["packets_per_cpu_s"]["median"]
        events = f"{case['events_per_packet']:.1f}"
        yield row(name, millions(case), f"{nanoseconds:.0f}", *aims, events, memory)


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
    """Where, when and how, and what else the machine did."""
    machine, made = results["machine"], results["provenance"]
    load = machine.get("others_share")
    others = "" if load is None else f", of which other programs used {load:.1%}"
    yield (
        f"`{made['command']}` of commit {(made['commit'] or 'unknown')[:12]} on {made['date'][:10]}, on "
        f"{machine['cores']} cores of {machine['processor'] or 'a processor without a name'}{others}."
    )


def _others(results: Results) -> list[str]:
    """The other simulators that ran at all."""
    return [name for name in OTHERS if any(measured(case, name) for case in cases(results).values())]


def measured(case: Results, program: str) -> Results | None:
    """What another program did; none if it was left out."""
    found: Results = case["peers"].get(program, {})
    return found if "packets_per_cpu_s" in found else None


def millions(found: Results | None) -> str:
    """A speed in million packets per CPU-second, with its range."""
    return MISSING if found is None else ranged(found["packets_per_cpu_s"], 1e6)


def shared(found: Results | None, bare: Results | None) -> str:
    """A speed with its share of the bare loop's."""
    if found is None or bare is None:
        return millions(found)
    share = 100 * found["packets_per_cpu_s"]["median"] / bare["packets_per_cpu_s"]["median"]
    return f"{millions(found)}, {share:.{0 if share > 1 else 1 if share > 0.1 else 2}f} %"


def ratio(found: Results | None) -> str:
    """Our speed over a program's; without setting up too, where that takes a tenth of the program's time."""
    if found is None:
        return MISSING
    whole, bare = found["ratio"], found["ratio_without_set_up"]
    said = ranged(whole)
    if whole["median"] > (1 + SET_UP_SHOWS) * bare["median"]:
        said += f"; without set-up {ranged(bare)}"
    return said


def percent(found: Results | None) -> str:
    """A program's utilisation."""
    return MISSING if found is None else f"{100 * found['utilisation']:.0f} %"


def row(*words: str) -> str:
    """A row of a table."""
    return f"| {' | '.join(words)} |"


def ruler(columns: int) -> str:
    """The line below the headings of a table."""
    return "|---" * columns + "|"


def table(results: Results) -> Table:
    """One row per case and program."""
    shown = Table(box=None, pad_edge=False, header_style="bold")
    shown.add_column("case\n")
    shown.add_column("simulator\n")
    for heading in (
        "flows\n",
        "simulated\ns",
        "utilisation\n%",
        "runs\n",
        "packets/CPU-s\nmillion",
        "without\nset-up",
        "events per\npacket",
        "peak memory\nMB",
        "per flow\nkB",
        "we are faster\ntimes",
        "without\nset-up",
    ):
        shown.add_column(heading, justify="right")
    for key, case in results.items():
        if "peers" not in case:
            continue
        shown.add_row(key, "Ackclock", *_cells(case))
        for name, result in case["peers"].items():
            shown.add_row("", name, *(() if "skipped" in result else _cells(result)))
    return shown


def _cells(result: Results) -> list[str]:
    def number(key: str, scale: float, places: int) -> str:
        value = result.get(key)
        return MISSING if value is None else f"{value / scale:.{places}f}"

    def spread(key: str, scale: float = 1.0) -> str:
        values: Range | None = result.get(key)
        return "" if values is None else ranged(values, scale)

    return [
        str(result["flows"]),
        number("simulated_s", 1, 0),
        number("utilisation", 0.01, 1),
        str(len(result["cpu_s_of_runs"])),
        spread("packets_per_cpu_s", 1e6),
        spread("packets_per_cpu_s_without_set_up", 1e6),
        number("events_per_packet", 1, 2),
        number("peak_memory_bytes", 1e6, 1),
        number("bytes_per_flow", 1e3, 1),
        spread("ratio"),
        spread("ratio_without_set_up"),
    ]


def remarks(results: Results) -> Iterator[str]:
    """Facts for which the table has no column."""
    yield from commands(results)
    idle = results["idle"]
    if idle["bytes_per_connection"] is not None:
        yield (
            f"An established idle connection takes {idle['bytes_per_connection']} bytes"
            f" (mean of {idle['connections']})."
        )
    skipped: dict[str, list[str]] = {}
    for key, case in results.items():
        for result in case.get("peers", {}).values():
            if "skipped" in result:
                skipped.setdefault(result["skipped"], []).append(key)
    yield from (f"{reason}; left out: {', '.join(keys)}." for reason, keys in skipped.items())
