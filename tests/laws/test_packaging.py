"""Packages: the recipes agree with pyproject.toml, and the README's links hold wherever it is shown."""

import base64
import hashlib
import io
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

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
    assert "make sdist" in sdist
    assert "ackclock/data/playground/index.html" in release


@pytest.mark.parametrize("target", ["site", "wheel", "sdist", "slides"])
def test_what_carries_the_playground_builds_it_or_leaves_it_out(target: str) -> None:
    """A playground older than its sources went into a wheel and a site."""
    command = ["make", "--dry-run", "--what-if=playground/index.html", target]
    planned = subprocess.run(command, cwd=REPOSITORY, check=False, capture_output=True, text=True).stdout
    assert "node playground/build.mjs" in planned or "it is left out" in planned


README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
LONGEST_README = 120
LINK = re.compile(r"\]\((\S+?)\)|(?:src|srcset|href)=\"(\S+?)\"")


def links(text: str) -> list[str]:
    """The targets of links and pictures in Markdown."""
    return [one or other for one, other in LINK.findall(text)]


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= LONGEST_README, "move what is more than a first look into docs/"


def test_links_of_the_readme_are_relative_and_lead_to_files_that_git_knows() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, check=True, capture_output=True, text=True)
    known = set(listed.stdout.splitlines())
    inside = [link for link in links(README) if not link.startswith("https://")]
    assert len(inside) > 10
    for link in inside:
        assert link.split("#")[0] in known, f"README.md: {link}: no such file in the repository"
    outside = [link for link in links(README) if "github.com/ackclock" in link or "githubusercontent" in link]
    assert not outside, f"README.md: links into this repository are relative: {outside}"


def test_the_picture_of_the_readme_is_small() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\((\S+?)\)", README)
    assert len(pictures) == 1, "one picture, with a text for those who do not see it"
    assert (REPOSITORY / pictures[0]).stat().st_size <= 200_000


def described(path: Path) -> str:
    """The README as a wheel carries it, once hash and size in its `RECORD` are checked."""
    with zipfile.ZipFile(path) as archive:
        record = archive.read("ackclock-0.1.0.dist-info/RECORD").decode()
        data = archive.read("ackclock-0.1.0.dist-info/METADATA")
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    assert f"METADATA,sha256={digest},{len(data)}\n" in record
    return data.decode()


def test_distributions_carry_the_readme_with_absolute_links(tmp_path: Path) -> None:
    text = f"Name: ackclock\n\n{README}".encode()
    wheel, source = tmp_path / "ackclock-0.1.0.whl", tmp_path / "ackclock-0.1.0.tar.gz"
    digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("ackclock-0.1.0.dist-info/METADATA", text)
        archive.writestr(
            "ackclock-0.1.0.dist-info/RECORD",
            f"ackclock-0.1.0.dist-info/METADATA,sha256={digest},{len(text)}\n",
        )
    with tarfile.open(source, "w:gz") as archive_of_sources:
        for name in ("README.md", "PKG-INFO"):
            member = tarfile.TarInfo(f"ackclock-0.1.0/{name}")
            member.size = len(text)
            archive_of_sources.addfile(member, io.BytesIO(text))
    program = [sys.executable, str(REPOSITORY / "packaging" / "readme.py"), str(wheel), str(source)]
    subprocess.run(program, check=True)
    with tarfile.open(source) as archive_of_sources:
        members = [archive_of_sources.extractfile(member) for member in archive_of_sources]
        written = [member.read().decode() for member in members if member]
    for readme in (described(wheel), *written):
        assert all(link.startswith("https://") for link in links(readme))
        assert re.sub(r"https://\S+?/ackclock/ackclock/(?:blob/)?main/", "", readme) == text.decode()


def test_make_gives_distributions_the_readme_with_absolute_links() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    for target in ("wheel", "sdist"):
        recipe = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
        assert recipe
        assert "packaging/readme.py dist/" in recipe[1], f"make {target}"
