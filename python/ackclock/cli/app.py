"""The command line. An error in the input is one message and exit code 2; Ctrl-C is exit code 130."""

# Commands import data frames, figures and statistics themselves, so that help appears at once.
# ruff: noqa: PLC0415

from __future__ import annotations

import errno
import sys
import warnings
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from ackclock.cli import names, streams
from ackclock.cli.command import Command, Group
from ackclock.cli.options import (
    Baseline,
    Cluster,
    Duration,
    FailIf,
    FigureFormats,
    Json,
    Links,
    NoReport,
    Open,
    Output,
    Seed,
    Seeds,
    SeedsIfAny,
    Settings,
    Tolerance,
    Width,
    Workers,
)
from ackclock.cli.playground import digest, playground
from ackclock.cli.reproduce_options import (
    MeasuredBefore,
    PaperOutput,
    PaperSource,
    Parts,
    QuickCheck,
    Strict,
)
from ackclock.errors import InputError, OutputError, ScenarioError, Stopped, unknown
from ackclock.interrupts import raise_on_termination
from ackclock.provenance import version as package_version

__all__ = ["app", "main"]

app = typer.Typer(
    name="ackclock",
    cls=Group,
    help="A packet-level laboratory for TCP congestion control.",
    epilog="Begin with:  ackclock compare",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="rich",
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"ackclock {package_version()}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", metavar="", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


def _examples(*lines: str) -> str:
    return "[bold]Examples[/bold]\n\n" + "\n\n".join(lines)


@app.command(
    cls=Command,
    epilog=_examples(
        "ackclock run two-megabit",
        "ackclock run my-network.toml --output results/mine",
        'ackclock run two-megabit --set "topology.dumbbell.bottleneck.buffer=40 packets"',
        "ackclock run lossy-link --seeds 20 --json > lossy.json",
    ),
)
def run(
    scenario: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO",
            help="A built-in scenario's name, a TOML file, or - for standard input.",
            autocompletion=names.scenarios,
        ),
    ],
    algorithm: Annotated[
        str | None,
        typer.Option(
            "--algorithm",
            "-a",
            metavar="ALGORITHM",
            help='In place of tcp.algorithm: a name, or a class in a file, as "mine.py:Mine".',
            autocompletion=names.algorithms,
        ),
    ] = None,
    settings: Settings = None,
    seeds: Seeds = 1,
    seed: Seed = None,
    duration: Duration = None,
    output: Output = None,
    no_report: NoReport = False,
    figure_formats: FigureFormats = None,
    width: Width = None,
    open_report: Open = False,
    fail_if: FailIf = None,
    baseline: Baseline = None,
    tolerance: Tolerance = None,
    links: Links = None,
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Simulate one scenario."""
    from ackclock.cli.guards import Guards
    from ackclock.cli.run import experiment

    failures = experiment(
        None, scenario, settings or [], seeds, seed, duration, output, algorithm=algorithm,
        report=not no_report, figure_formats=figure_formats or [], width=width, open_report=open_report,
        guards=Guards.read(fail_if or [], baseline, tolerance), links=links or [],
        workers=workers, as_json=json,
    )  # fmt: skip
    _fail_of(failures)


@app.command(
    cls=Command,
    epilog=_examples(
        "ackclock compare",
        "ackclock compare tahoe newreno vegas --seeds 20",
        'ackclock compare sack "sack+vegas(alpha=2,beta=4)" --scenario my-network.toml',
        "ackclock compare cubic bbr3 mine.py:Mine",
        "ackclock compare rack+reno cubic --together --seeds 10",
        'ackclock compare cubic mine.py:Mine --seeds 10 --fail-if "mine.goodput < 4 Mbit/s"',
        "ackclock compare cubic bbr3 --baseline results/known --tolerance 2%",
        'ackclock compare reno sack --set "topology.dumbbell.bottleneck.buffer=5 packets"',
    ),
)
def compare(
    algorithms: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ALGORITHM",
            help="Algorithms, or classes in files, as mine.py:Mine. (default: tahoe reno newreno sack vegas)",
            autocompletion=names.algorithms,
        ),
    ] = None,
    scenario: Annotated[
        str,
        typer.Option(
            "--scenario",
            "-s",
            metavar="SCENARIO",
            help="A built-in scenario's name or a TOML file.",
            autocompletion=names.scenarios,
        ),
    ] = "two-megabit",
    together: Annotated[
        bool,
        typer.Option(
            "--together", metavar="", help="Let all share the bottleneck too, each with all of the flows."
        ),
    ] = False,
    settings: Settings = None,
    seeds: Seeds = 1,
    seed: Seed = None,
    duration: Duration = None,
    output: Output = None,
    no_report: NoReport = False,
    figure_formats: FigureFormats = None,
    width: Width = None,
    open_report: Open = False,
    fail_if: FailIf = None,
    baseline: Baseline = None,
    tolerance: Tolerance = None,
    links: Links = None,
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Run a scenario with each of several algorithms, over the same seeds, and compare."""
    from ackclock.cli.guards import Guards
    from ackclock.cli.run import experiment

    failures = experiment(
        algorithms or [], scenario, settings or [], seeds, seed, duration, output, together=together,
        report=not no_report, figure_formats=figure_formats or [], width=width, open_report=open_report,
        guards=Guards.read(fail_if or [], baseline, tolerance), links=links or [],
        workers=workers, as_json=json,
    )  # fmt: skip
    _fail_of(failures)


@app.command(
    cls=Command,
    epilog=_examples(
        "ackclock figures results/two-megabit-compare",
        "ackclock figures results/race --figure-format pdf --width ieee-column",
    ),
)
def figures(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A results folder of run or compare.")],
    figure_formats: Annotated[
        list[str] | None,
        typer.Option(
            "--figure-format", metavar="FORMAT", help="svg, png or pdf. May be repeated. (default: svg)"
        ),
    ] = None,
    width: Width = None,
) -> None:
    """Draw the figures of results for paper and slides, into their folder, without a simulation."""
    from ackclock.cli.figures import drawing

    drawing(folder, figure_formats or ["svg"], width)


@app.command(
    cls=Command,
    epilog=_examples(
        "ackclock sweep buffers.toml",
        "ackclock sweep buffers.toml --output results/buffers --workers 2",
        "ackclock sweep buffers.toml --cluster tcp://scheduler:8786",
    ),
)
def sweep(
    plan: Annotated[
        Path, typer.Argument(metavar="PLAN", help="A TOML file: scenario, grid, algorithms, seeds.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Where results are, and are added to. (default: results/<name>-sweep)",
        ),
    ] = None,
    cluster: Cluster = None,
    no_report: NoReport = False,
    figure_formats: FigureFormats = None,
    width: Width = None,
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Run a grid of settings with several algorithms and seeds; a repeated command resumes."""
    from ackclock.cli.run import sweeping

    sweeping(
        plan, output=output, workers=workers, address=cluster, report=not no_report,
        figure_formats=figure_formats or ["svg"], width=width, as_json=json,
    )  # fmt: skip


@app.command(
    cls=Command,
    epilog=_examples(
        "ackclock evaluate cubic --quick",
        "ackclock evaluate my_algorithm.py:Gentle",
        "ackclock evaluate bbr3 --against vegas --only short-flows,bufferbloat --quick",
        "ackclock evaluate bbr3 --suite tcpeval --quick",
        'ackclock evaluate mine.py:Mine --quick --fail-on "bufferbloat: worse"',
    ),
)
def evaluate(
    algorithm: Annotated[
        str,
        typer.Argument(metavar="ALGORITHM", help='An algorithm, or a class in a file, as "mine.py:Mine".'),
    ],
    against: Annotated[
        str,
        typer.Option(
            "--against", metavar="NAMES", help="Algorithms shown beside it; Reno and CUBIC are in any case."
        ),
    ] = "rack+reno,cubic,bbr3",
    only: Annotated[
        str, typer.Option("--only", metavar="KEYS", help="Criteria by their keys. (default: all)")
    ] = "",
    suite: Annotated[
        str,
        typer.Option(
            "--suite", metavar="SUITE", help="rfc9743, or tcpeval: the Common TCP Evaluation Suite."
        ),
    ] = "rfc9743",
    stack: Annotated[
        str | None,
        typer.Option("--stack", metavar="STACK", help="Run the algorithms on this QUIC stack: quinn or noq."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", metavar="", help="Fewer settings, shorter runs, three seeds.")
    ] = False,
    seeds: SeedsIfAny = None,
    thresholds: Annotated[
        Path | None,
        typer.Option(
            "--thresholds", metavar="FILE", help="A TOML file with other thresholds of the classes."
        ),
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="CONDITION",
            help='Exit status 1 if a class is found, as "bufferbloat: worse". May be repeated.',
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Where results are. (default: results/<name>-evaluation)"
        ),
    ] = None,
    cluster: Cluster = None,
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Evaluate an algorithm by RFC 9743 or by tcpeval; a repeated command resumes."""
    from ackclock.cli.evaluate import evaluating

    status = evaluating(
        algorithm, against=against, only=only, suite=suite, stack=stack, quick=quick, seeds=seeds,
        thresholds=thresholds, fail_on=fail_on or [], output=output, workers=workers, address=cluster,
        as_json=json,
    )  # fmt: skip
    if status:
        raise typer.Exit(status)


@app.command(
    cls=Command,
    epilog=_examples(
        "ackclock coexist reno cubic bbr3 vegas --quick",
        "ackclock coexist rack+reno mine.py:Mine --flows 1",
        'ackclock coexist cubic bbr1 --rate "100 Mbit/s" --rtt "20 ms" --buffer 0.1,1,10',
    ),
)
def coexist(
    algorithms: Annotated[
        list[str],
        typer.Argument(
            metavar="ALGORITHM", help="Two or more algorithms, or classes in files, as mine.py:Mine."
        ),
    ],
    rate: Annotated[
        str, typer.Option("--rate", metavar="RATE", help="The rate of the bottleneck.")
    ] = "20 Mbit/s",
    rtt: Annotated[
        str, typer.Option("--rtt", metavar="TIME", help="The round-trip time without queueing.")
    ] = "40 ms",
    buffer: Annotated[
        str,
        typer.Option("--buffer", metavar="DEPTHS", help="Depths of the buffer in bandwidth-delay products."),
    ] = "0.2,1,4",
    flows: Annotated[
        int, typer.Option("--flows", metavar="N", min=1, help="How many incumbents, and how many newcomers.")
    ] = 4,
    seeds: SeedsIfAny = None,
    quick: Annotated[bool, typer.Option("--quick", metavar="", help="Shorter runs, three seeds.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Where results are. (default: results/<names>-coexistence)"
        ),
    ] = None,
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Run every algorithm beside every other on one bottleneck; a repeated command resumes."""
    from ackclock.cli.coexist import coexisting

    coexisting(
        algorithms, rate=rate, rtt=rtt, buffers=buffer, flows=flows, seeds=seeds, quick=quick, output=output,
        workers=workers, as_json=json,
    )  # fmt: skip


app.command(
    cls=Command, epilog=_examples("ackclock playground", "ackclock playground --no-open --port 8000")
)(playground)
app.command(
    cls=Command,
    epilog=_examples("ackclock digest two-megabit", "ackclock digest my-network.toml --set seed=2"),
)(digest)


@app.command(
    cls=Command,
    epilog=_examples("ackclock path drive.pcapng", "ackclock path call.pcap --bin 100 --output paths/call"),
)
def path(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A capture in pcap or pcapng format.")],
    bin_ms: Annotated[
        float, typer.Option("--bin", metavar="MS", help="Milliseconds over which a rate is taken.")
    ] = 200,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="NAME", help="Write NAME.csv and NAME.svg."),
    ] = None,
) -> None:
    """Turn a packet capture into the schedule of a link, with a picture of its rate and round trips."""
    from ackclock.cli.path import find

    find(file, bin_ms, output)


@app.command(
    "list",
    cls=Command,
    epilog=_examples("ackclock list algorithms", "ackclock list queues", "ackclock list papers --json"),
)
def list_command(
    what: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="algorithms, recoveries, transports, queues, losses, impairments, paths, systems, "
            "mechanisms, sharings, applications, topologies, scenarios or papers.",
        ),
    ],
    json: Json = False,
) -> None:
    """List what scenarios can name, with parameters and sources; scenarios; papers."""
    from ackclock.cli.list import LISTED, show

    if what not in LISTED:
        raise unknown("list", what, LISTED)
    show(what, as_json=json)


@app.command(
    cls=Command,
    epilog=_examples(
        "ackclock crosscheck stacks --quick",
        "ackclock crosscheck stacks cubic bbr3 --repeats 5 --output stacks",
        'ackclock crosscheck stacks --stack "quinn, virtual time"',
    ),
)
def crosscheck(
    what: Annotated[
        str, typer.Argument(metavar="WHAT", help="stacks: the simulator's TCP, QUIC stacks and the kernel.")
    ],
    algorithms: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ALGORITHM",
            help="Algorithms on all paths; those of the table if left out.",
            autocompletion=names.algorithms,
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", metavar="", help="Fewer algorithms and paths.")] = False,
    repeats: Annotated[
        int,
        typer.Option(
            "--repeats", metavar="N", min=1, help="Runs of each case on real sockets and in the kernel."
        ),
    ] = 3,
    duration_s: Annotated[
        int | None,
        typer.Option("--duration", metavar="SECONDS", help="Length of a run. (default: 60; quick, 17 to 21)"),
    ] = None,
    stack: Annotated[
        list[str] | None, typer.Option("--stack", metavar="STACK", help="Only this stack. May be repeated.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="(default: results/stacks-crosscheck)"),
    ] = None,
    json: Json = False,
) -> None:
    """Compare one controller on all stacks that this machine has; a repeated command resumes."""
    from ackclock.cli.crosscheck import COMPARISONS, crosscheck_stacks

    if what not in COMPARISONS:
        raise unknown("crosscheck", what, COMPARISONS)
    crosscheck_stacks(
        algorithms or [],
        quick=quick,
        repeats=repeats,
        duration_s=duration_s,
        stacks=stack or [],
        output=output,
        as_json=json,
    )


@app.command(
    cls=Command,
    epilog=_examples(
        "ackclock reproduce tcp-variants",
        "ackclock reproduce tcp-variants --quick --json",
        "ackclock reproduce all --quick",
        "ackclock reproduce he-tcp --from results/papers/he-tcp",
        "ackclock list papers",
    ),
)
def reproduce(
    paper: PaperSource,
    quick: QuickCheck = False,
    part: Parts = None,
    output: PaperOutput = None,
    measured: MeasuredBefore = None,
    strict: Strict = False,
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Check the claims of a paper, one by one, with verdicts; or of all papers, with one scorecard."""
    from ackclock.cli.run import every_reproduction, reproduction

    if paper == "all":
        if part:
            raise InputError('"all" has no parts: --part goes with one paper')
        failures = every_reproduction(
            quick=quick, output=output, measured=measured, workers=workers, as_json=json
        )
    else:
        failures = reproduction(
            paper,
            quick=quick,
            parts=part or (),
            output=output,
            measured=measured,
            workers=workers,
            as_json=json,
        )
    if strict:
        _fail_of(failures)


def _fail_of(failures: list[str]) -> None:
    """Ends the command with 1 and a line for each failure, if there is one."""
    for line in failures:
        print(f"ackclock: failed: {line}", file=sys.stderr)
    if failures:
        raise typer.Exit(1)


def _fail(message: str, code: int) -> NoReturn:
    print(f"ackclock: {message}", file=sys.stderr)
    sys.exit(code)


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    print(f"ackclock: {message}", file=sys.stderr)


def main() -> None:
    """The program `ackclock`."""
    raise_on_termination()
    warnings.showwarning = _warn
    streams.make_readable()
    try:
        try:
            app(prog_name="ackclock")
        finally:
            streams.flush()
    except (ScenarioError, InputError, OutputError) as error:
        _fail(str(error), 2)
    except Stopped as stopped:
        _fail(str(stopped), 130)
    except BrokenPipeError:
        sys.stderr.close()  # the reader is gone, and Python must not report it at exit either
        sys.exit(141)
    except OSError as error:
        # Results folders explain their own errors: what is left is the output of this command.
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO):
            raise
        streams.let_go()
        _fail(
            f"cannot write the output of this command: {error.strerror}; results that it saved are complete",
            2,
        )
    except Exception as error:
        from ackclock.scenarios.own_code import raised_in

        where = raised_in(error)
        if not where:
            raise
        _fail(where, 2)
