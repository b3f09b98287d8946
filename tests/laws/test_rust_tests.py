"""Where one program has all integration tests of a crate, every file is in it: another would never run."""

import re
import tomllib
from pathlib import Path

import pytest

CRATES = Path(__file__).resolve().parents[2] / "crates"
JOINED = [
    manifest.parent
    for manifest in sorted(CRATES.glob("*/Cargo.toml"))
    if tomllib.loads(manifest.read_text(encoding="utf-8"))["package"].get("autotests") is False
]


@pytest.mark.parametrize("crate", JOINED, ids=lambda crate: crate.name)
def test_every_file_of_integration_tests_is_in_a_program(crate: Path) -> None:
    programs = tomllib.loads((crate / "Cargo.toml").read_text(encoding="utf-8"))["test"]
    main = (crate / "tests" / "main.rs").read_text(encoding="utf-8")
    listed = {f"tests/{name}.rs" for name in re.findall(r"^mod (\w+);$", main, re.MULTILINE)}
    listed |= {program["path"] for program in programs}
    files = {path.relative_to(crate).as_posix() for path in (crate / "tests").glob("*.rs")}
    files |= {path.relative_to(crate).as_posix() for path in (crate / "tests").glob("*/main.rs")}
    missing = sorted(files - listed)
    assert not missing, f"no `mod` line in tests/main.rs of {crate.name} for {missing}"
