"""The command `packetdrill`."""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ackclock.cli.command import Options
from ackclock.cli.options import Json, Junit, settings_of
from ackclock.errors import InputError

if TYPE_CHECKING:
    from ackclock.packetdrill.scripts import Outcome

__all__ = ["Packetdrill"]


@dataclass(frozen=True, kw_only=True)
class Packetdrill(Options):
    """Run scripts of packetdrill in virtual time; exit code 1 where one fails, or none runs."""

    EXAMPLES = (
        "ackclock packetdrill my-test.pkt",
        "ackclock packetdrill gtests/net/tcp --system linux --junit report.xml",
        'ackclock packetdrill tests --set "algorithm=rack+hystart+reno" --json',
    )

    scripts: Annotated[list[Path], typer.Argument(metavar="FILE|FOLDER", help="Scripts, or folders of them.")]
    system: Annotated[
        str,
        typer.Option(
            "--system", metavar="SYSTEM", help="Whose settings: a system of the catalogue, or rfc for none."
        ),
    ] = "linux"
    settings: Annotated[
        list[str],
        typer.Option(
            "--set", metavar="KEY=VALUE", help='A key of \\[tcp], as "rto_min=1 s". May be repeated.'
        ),
    ] = field(default_factory=list)
    tolerance_us: Annotated[
        int,
        typer.Option("--tolerance-usecs", metavar="MICROSECONDS", min=0, help="How far an event may be off."),
    ] = 4000
    program: Annotated[
        str | None,
        typer.Option(
            "--program", metavar="PACKETDRILL", help="Run on this machine's kernel, by this packetdrill."
        ),
    ] = None
    junit: Junit = None
    json: Json = False

    def execute(self) -> None:
        """Runs the scripts and prints what each has shown; exits with code 1 where one failed or none ran."""
        from ackclock import provenance
        from ackclock.own_files import refuse_foreign
        from ackclock.packetdrill import scripts
        from ackclock.packetdrill.junit import test_cases
        from ackclock.report import junit
        from ackclock.report.json_text import dumps

        keys = self._keys()
        scripts.check_keys(keys)
        if self.junit is not None:
            refuse_foreign(self.junit)
        outcomes = [
            scripts.run_by_program(path, self.program)
            if self.program is not None
            else scripts.run_script(path, keys, tolerance_us=self.tolerance_us)
            for path in scripts.find(self.scripts)
        ]
        if self.junit is not None:
            junit.write(self.junit, "packetdrill", test_cases(outcomes))
        counts = {
            verdict: sum(outcome.verdict == verdict for outcome in outcomes)
            for verdict in (scripts.PASSED, scripts.FAILED, scripts.NOT_RUNNABLE)
        }
        if self.json:
            rows = [dataclasses.asdict(outcome) for outcome in outcomes]
            head = {"schema": "ackclock-packetdrill/1", "version": provenance.version()}
            print(dumps({**head, "tcp": keys, "counts": counts, "scripts": rows}))
        else:
            for outcome in outcomes:
                _tell(outcome)
            print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
        if counts[scripts.FAILED] or not counts[scripts.PASSED]:
            sys.exit(1)

    def _keys(self) -> dict[str, object]:
        from ackclock.scenarios import own_code

        keys: dict[str, object] = {} if self.system == "rfc" else {"system": self.system}
        for name, value in settings_of(self.settings).items():
            if own_code.is_reference(value):
                raise InputError(
                    f"--set {name}={value}: a class in Python does not run in scripts, which take the names "
                    "that `ackclock list algorithms` shows"
                )
            keys[name.removeprefix("tcp.")] = _value(str(value))
        return keys


def _value(text: str) -> object:
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.isdigit() else text


def _tell(outcome: Outcome) -> None:
    """Prints the verdict and, for a failure, the events around it."""
    print(f"{outcome.script}: {outcome.verdict}", end="")
    if outcome.reason:
        print(f", line {outcome.line}: {outcome.reason}")
    elif outcome.expected or outcome.seen:
        print(f" at line {outcome.line}")
        print(f"  expected {outcome.expected}")
        print(f"  seen     {outcome.seen}")
        for line in outcome.context:
            print(f"    {line}")
    else:
        print()
