"""Packages: the recipes agree with pyproject.toml, and the README's links hold on the package index."""

import re
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CARGO = tomllib.loads((REPOSITORY / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]
VERSION = CARGO["package"]["version"]

PRIVATE = {"ackclock-python", "ackclock-web", "ackclock-kernel"}
"""Crates that are not published: bindings are wheels and pages; the kernel's programs need clang for eBPF."""

CONDA_NAMES = {"matplotlib": "matplotlib-base"}
"""Packages that conda-forge calls otherwise."""


def test_the_conda_recipe_has_the_version_and_the_dependencies_of_the_project() -> None:
    recipe = (REPOSITORY / "packaging" / "conda" / "meta.yaml").read_text(encoding="utf-8")
    assert f'{{% set version = "{VERSION}" %}}' in recipe
    runs = recipe.split("  run:\n")[1].split("\n\n")[0]
    listed = {line.removeprefix("    - ") for line in runs.splitlines()} - {
        f"python {PROJECT['requires-python']}"
    }
    wanted = set()
    for requirement in PROJECT["dependencies"]:
        name, bound = re.fullmatch(r"([a-z0-9]+)(.*)", requirement).groups()  # type: ignore[union-attr]
        wanted.add(f"{CONDA_NAMES.get(name, name)} {bound}")
    assert listed == wanted


def test_crates_depend_on_each_other_in_the_version_of_the_workspace() -> None:
    ours = {name: crate for name, crate in CARGO["dependencies"].items() if name.startswith("ackclock")}
    assert {crate["version"] for crate in ours.values()} == {VERSION}


def test_crates_can_be_published_with_what_they_depend_on() -> None:
    manifests = [
        tomllib.loads(path.read_text(encoding="utf-8"))
        for path in sorted((REPOSITORY / "crates").glob("*/Cargo.toml"))
    ]
    crates = {crate["package"]["name"]: crate for crate in manifests}
    private = {name for name, crate in crates.items() if crate["package"].get("publish") is False}
    assert private == PRIVATE
    assert "publish" not in CARGO["package"]
    for name in crates.keys() - private:
        crate = crates[name]
        assert {"description", "readme", "keywords", "categories"} <= crate["package"].keys(), name
        needed = {*crate.get("dependencies", {}), *crate.get("build-dependencies", {})}
        assert not needed & private, f"{name} depends on a crate that is not published"


def test_every_public_enum_can_grow_or_says_why_not() -> None:
    """A new case breaks programs that match an enum, unless it is `non_exhaustive`: see `docs/rust.md`."""
    undecided = []
    for path in sorted((REPOSITORY / "crates").glob("*/src/**/*.rs")):
        if path.relative_to(REPOSITORY / "crates").parts[0] in PRIVATE:
            continue
        text = path.read_text(encoding="utf-8")
        for found in re.finditer(r"((?:^ *(?:///|#\[).*\n)*)^ *pub enum (\w+)", text, re.MULTILINE):
            above, name = found.groups()
            if "#[non_exhaustive]" not in above and "/// Exhaustive: " not in above:
                undecided.append(f"{path.relative_to(REPOSITORY)}: {name}")
    assert undecided == []


def test_the_source_distribution_has_the_scenarios_and_the_papers(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "maturin", "sdist", "--out", str(tmp_path)]
    subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        files = {member.name.split("/", 1)[1] for member in archive.getmembers() if member.isfile()}
        archive.extractall(tmp_path, filter="data")
    data = "python/ackclock/data"
    for kind in ("scenarios", "papers"):
        known = subprocess.run(
            ["git", "ls-files", kind], cwd=REPOSITORY, check=True, capture_output=True, text=True
        )
        assert {f"{data}/{path}" for path in known.stdout.split()} <= files
    assert {"LICENSE-MIT", "LICENSE-APACHE", "Cargo.lock"} <= files
    assert not [path for path in files if "__pycache__" in path]
    # Cargo takes the manifests and the lock file as they are, without which nothing is built from them.
    metadata = ["cargo", "metadata", "--locked", "--offline", "--format-version", "1"]
    unpacked = next(path for path in tmp_path.iterdir() if path.is_dir())
    done = subprocess.run(metadata, cwd=unpacked, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_release_builds_the_playground_before_the_source_distribution_that_carries_it() -> None:
    """The pages are built, not kept: without this step wheels have no playground."""
    release = (REPOSITORY / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    sdist = release.split("  sdist:")[1].split("  wheels:")[0]
    assert "actions/setup-node" in sdist
    assert "make playground sdist" in sdist
    assert "ackclock/data/playground/index.html" in release


def test_the_picture_of_the_readme_is_light_and_dark() -> None:
    svg = (REPOSITORY / "published" / "figures" / "windows.svg").read_text(encoding="utf-8")
    dark = svg.split("@media (prefers-color-scheme: dark)")[1].split("</style>")[0]
    # Neither the paper nor letters, axes and grid have the same colour in both.
    drawn = set(re.findall(r'style="(?:[^"]*; )?((?:fill|stroke): #(?:f{6}|0{6}|d{6}))', svg))
    assert {"fill: #ffffff", "stroke: #000000", "stroke: #dddddd"} <= drawn
    assert [colour for colour in drawn if f'[style*="{colour}"]' not in dark] == []
    assert "text tspan" in dark


def test_links_of_the_readme_are_absolute_and_lead_to_files_of_the_repository() -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\((\S+?)\)|(?:src|srcset|href)=\"(\S+?)\"", readme)
    ours = re.compile(
        r"https://(?:github\.com/ackclock/ackclock/(?:blob|tree)|raw\.githubusercontent\.com/ackclock/ackclock)"
        r"/main/(?P<path>[^#]+)"
    )
    assert links
    for link in (one or other for one, other in links):
        assert link.startswith("https://"), f"{link} is relative: the package index shows the README too"
        if found := ours.match(link):
            assert (REPOSITORY / found["path"]).exists(), f"{link}: no such file"
