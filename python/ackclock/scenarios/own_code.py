"""Python classes by file, `file.py:Class`, and the source files that their behaviour depends on."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import inspect
import os
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO
from weakref import WeakKeyDictionary

from ackclock.errors import InputError, advice
from ackclock.results_folder import SUMS, ResultsFolder, read_file

__all__ = [
    "TRUST",
    "SavedClass",
    "fresh",
    "is_any_loaded",
    "is_own_file",
    "is_reference",
    "load",
    "module_files",
    "modules",
    "named_in",
    "raised_in",
    "reference",
    "refuse_elsewhere",
    "refuse_file",
    "source_files",
    "with_algorithms",
    "with_class",
    "write",
    "written",
]

PART = r"[\w-]+(?:\([^()]*\))?"
REFERENCE = re.compile(rf"(?P<before>(?:{PART}\+)*)(?P<file>.+\.py):(?P<name>\w+)(?P<after>\+{PART})?")
"""A class in a file: a recovery or a slow start may stand before it, an avoidance behind it."""
PREFIX = "_ackclock_"
"""The prefix of the names of modules imported from a user's files."""

TRUST = "--trust, or trust=True in Python"
"""How a user says that who wrote a file may name and run others."""

PACKAGE = Path(__file__).resolve().parents[1]


def is_reference(text: object) -> bool:
    """True if a text names a class in a file: `file.py:Class`, or with parts `sack+file.py:Class+reno`."""
    return isinstance(text, str) and REFERENCE.fullmatch(text.strip()) is not None


def named_in(tree: object) -> list[str]:
    """The classes among the algorithms of a scenario's tree, as `file.py:Class` without other parts."""
    found: list[str] = []

    def note(spec: str) -> str:
        if match := REFERENCE.fullmatch(spec.strip()):
            found.append(f"{match['file']}:{match['name']}")
        return spec

    with_algorithms(tree, note)
    return list(dict.fromkeys(found))


def with_algorithms(tree: object, change: Callable[[str], str], owner: str = "") -> object:
    """A scenario's tree in which each specification of an algorithm is changed."""
    if isinstance(tree, Mapping):
        return {
            key: change(value)
            if isinstance(value, str) and (key == "algorithm" or (owner, key) == ("algorithms", "name"))
            else with_algorithms(value, change, key)
            for key, value in tree.items()
        }
    return [with_algorithms(value, change, owner) for value in tree] if isinstance(tree, list) else tree


def with_class(spec: str, name: str, other: str) -> str:
    """A specification in which a class goes by another name, as by its file."""
    return "+".join(other if piece.strip() == name else piece.strip() for piece in spec.split("+"))


def load(
    text: str, folder: Path, *, within: Path | None = None, trust: bool = False
) -> tuple[tuple[str, str], Callable[..., object]]:
    """The parts before and behind the class that a reference names, and the class.

    They come with their "+", as ("sack+", "+reno"), or are empty. Files are relative to `folder`.

    The file and the modules next to it are read anew. With `within` the file must lie below that folder. Code
    in a results folder runs only if it is what was written. Neither holds where `trust`. Raises InputError.
    """
    found = REFERENCE.fullmatch(text.strip())
    if found is None:
        raise InputError(f'{text}: expected a class in a file, as "file.py:Class"')
    path = folder / found["file"]
    if within is not None and not trust:
        refuse_elsewhere(text, path, within, "a scenario or plan names no code elsewhere")
    if not path.is_file():
        raise InputError(f"{path}: there is no such file; an own algorithm is file.py:Class")
    if not trust:
        _refuse_changed(path.resolve())
    module = _imported(path.resolve(), text)
    made = getattr(module, found["name"], None)
    if not callable(made):
        own = [name for name, thing in vars(module).items() if inspect.isclass(thing)]
        raise InputError(f'{path}: no class is named "{found["name"]}"{advice(found["name"], own)}')
    if not trust:
        _remember(made, _Origin(path.resolve(), found["name"]))
    return (found["before"], found["after"] or ""), made


def refuse_elsewhere(named: object, path: Path, within: Path, rule: str) -> None:
    """Refuses a file that is not below the folder that its writer may name files of. Raises InputError."""
    if not path.resolve().is_relative_to(within.resolve()):
        raise InputError(
            f"{named}: this file is not below {within}, and {rule}; copy it there, or trust whoever wrote "
            f"this ({TRUST})"
        )


def refuse_file(text: str, folder: Path) -> None:
    """Refuses the name of a file without a class, and says how one is written. Raises InputError."""
    if not text.strip().endswith(".py"):
        return
    file = text.strip().rpartition("+")[2]
    path = folder / file
    if not path.is_file():
        raise InputError(f"{path}: there is no such file; an own algorithm is written {file}:Class")
    try:
        made = [
            node.name
            for node in ast.parse(path.read_bytes(), path.name).body
            if isinstance(node, ast.ClassDef)
        ]
    except (SyntaxError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as Python: {error}") from None
    if not made:
        raise InputError(f"{path}: there is no class in this file; an own algorithm is written {file}:Class")
    written = " or ".join(f"{text.strip()}:{name}" for name in made[:3])
    raise InputError(f"{text.strip()}: this is a file, and an algorithm is a class in it; write {written}")


def _refuse_changed(path: Path) -> None:
    """Refuses code of a results folder that is not what was written there; results come from other people.

    All files of the folder of the class count: Python would take any of them for a module.
    """
    results = next((parent for parent in path.parents if (parent / SUMS).is_file()), None)
    if results is None:
        return
    there = (file for file in path.parent.rglob("*") if file.is_file()) if path.parent != results else ()
    for file in sorted({*module_files(path), *there}):
        try:
            read_file(results, file.relative_to(results).as_posix())
        except InputError as error:
            raise InputError(
                f"{error}; code next to it does not run: look at it, and copy it out of the results folder "
                f"to use it, or trust whoever wrote it ({TRUST})"
            ) from None


def is_any_loaded() -> bool:
    """True once a class of a user's file was imported."""
    return any(name.startswith(PREFIX) for name in list(sys.modules))


class _Neighbours(MetaPathFinder):
    """Finds what classes import from their folders, now or when they run.

    Such a folder is on no search path: whatever else lies there hides no library from others.
    """

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}

    def forget(self, folder: Path, files: list[Path]) -> None:
        """Makes the modules of these files, and no others of their names, those that are imported next."""
        names = {file.relative_to(folder).parts[0].removesuffix(".py") for file in files}
        known = {str(file) for file in files}
        for name, module in list(sys.modules.items()):
            file, top = getattr(module, "__file__", None) or "", name.partition(".")[0]
            is_anothers = top in names and file.startswith(self._folders.get(top, "\0"))
            if (file in known or is_anothers) and name != "__main__":
                del sys.modules[name]  # it may have been edited since, or is of the folder of another class
        self._folders |= dict.fromkeys(names, str(folder))

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002 - as Python calls it
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """The module of a class's folder, if a class imports one of this name."""
        folder = self._folders.get(fullname)
        return None if folder is None else PathFinder.find_spec(fullname, [folder], target)


_neighbours = _Neighbours()
sys.meta_path.insert(0, _neighbours)


def _imported(path: Path, text: str) -> ModuleType:
    """The module of a file, executed anew, as are those of its folder that it imports."""
    with _importing:
        return _executed(path, text)


def _executed(path: Path, text: str) -> ModuleType:
    name = f"{PREFIX}{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    own = module_files(path)
    _neighbours.forget(path.parent, own)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path}: cannot be imported")
    module = importlib.util.module_from_spec(spec)
    vars(module)["print"] = _print_aside
    sys.modules[name] = module
    importlib.invalidate_caches()
    # Compiled code is known by the second and the size of its file: an edit within a second may keep both,
    # and who sends a file may send other code as its compiled form. So none is written, and none is read.
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    kept, sys.pycache_prefix = sys.pycache_prefix, os.devnull
    # For what it imports by a name that its text does not show.
    if is_added := str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        told = raised_in(error) or f"{type(error).__name__}: {error}"
        raise InputError(f"{text}: {path} cannot be imported: {told}") from error
    finally:
        sys.dont_write_bytecode, sys.pycache_prefix = before, kept
        if is_added:
            sys.path.remove(str(path.parent))
    return module


def _print_aside(*values: object, file: TextIO | None = None, **keywords: Any) -> None:
    """Prints as the class of a file does: not amid the table or the document that a command prints."""
    print(*values, file=file or sys.stderr, **keywords)


def raised_in(error: BaseException) -> str:
    """The exception of a class in a file, and the lines of the file that led to it.

    Empty for other classes.
    """
    frames = list(traceback.walk_tb(error.__traceback__))
    for place, (frame, _) in enumerate(frames):
        if str(frame.f_globals.get("__name__", "")).startswith(PREFIX):
            own = list(traceback.StackSummary.extract(iter(frames[place:])))
            own = [at for at in own if not at.filename.startswith("<frozen")]  # Python's own importer
            lines = [f"  {Path(at.filename).name}, line {at.lineno}, in {at.name}: {at.line}" for at in own]
            last = "".join(traceback.format_exception_only(error)).strip()
            return "\n".join([f"{Path(own[0].filename).name}: {last}", *lines])
    return ""


class SavedClass:
    """A class of a results folder, whose code has not run: `reference` names it, relative to `folder`.

    With `trust`, its code runs even if it has changed since the results were written.
    """

    def __init__(self, reference: str, folder: Path, *, within: Path | None, trust: bool) -> None:
        file, _, self.class_name = reference.rpartition(":")
        self._within = within
        self.file = (folder / file).resolve()
        self.name = self.file.parent.name
        self._trust = trust

    def files(self) -> dict[str, Path]:
        """The source files of the class, by their path relative to its folder."""
        return {path.relative_to(self.file.parent).as_posix(): path for path in module_files(self.file)}

    def resolved(self) -> Callable[..., object]:
        """The class, imported. Raises InputError where its code has changed."""
        name = f"{self.file.name}:{self.class_name}"
        return load(name, self.file.parent, within=self._within, trust=self._trust)[1]

    def __call__(self, *given: object) -> object:
        """A controller, as the class makes it."""
        return self.resolved()(*given)


class _Origin:
    """The file that a class was imported from, as it was then."""

    def __init__(self, path: Path, name: str) -> None:
        self.path, self.name, self.digest = path, name, _digest(path)

    def fresh(self) -> Callable[..., object]:
        """The class, executed anew. Raises InputError where its code has changed meanwhile."""
        try:
            made: Callable[..., object] = getattr(_imported(self.path, f"{self.path}:{self.name}"), self.name)
        finally:  # also where half of the file was written, so that it does not compile or lacks the class
            if _digest(self.path) != self.digest:
                raise InputError(
                    f"{self.path}: this file, or one that it imports, was edited while runs went on"
                )
        _remember(made, self)
        return made


_importing = threading.RLock()
"""Held while a file is imported: modules are shared by threads."""

_origins: WeakKeyDictionary[Callable[..., object], _Origin] = WeakKeyDictionary()


def _remember(made: Callable[..., object], origin: _Origin) -> None:
    with suppress(TypeError):  # no weak references to it
        _origins[made] = origin


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    for file in module_files(path):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def fresh(made: Callable[..., object]) -> Callable[..., object]:
    """The class for one run: that of a file is executed anew, so that no run sees what another left in it.

    Raises InputError.
    """
    if isinstance(made, SavedClass):
        return made.resolved()
    origin = _origins.get(made)
    return made if origin is None else origin.fresh()


def is_own_file(name: str) -> bool:
    """True for the file of a user's code, by the name that its compiled code has."""
    return not name.startswith("<frozen") and not _is_installed(Path(name).resolve())


def source_files(thing: object) -> dict[str, Path]:
    """The files of a user's class or function and of its imports from its folder, by relative path.

    Empty if it has no file, as in a notebook, or belongs to an installed package.
    """
    if isinstance(thing, SavedClass):
        return thing.files()
    files: dict[str, Path] = {}
    for part in _parts(thing):
        try:
            path = Path(inspect.getsourcefile(part) or "").resolve()
        except TypeError:
            continue
        if path.is_file() and not _is_installed(path):
            for file in module_files(path):
                files[file.relative_to(path.parent).as_posix()] = file
    return files


def modules(thing: object) -> Iterator[ModuleType]:
    """The imported modules of those files, which other computers do not have."""
    own = {str(path) for path in source_files(thing).values()}
    for name, module in list(sys.modules.items()):
        if name != "__main__" and getattr(module, "__file__", None) in own:
            yield module


def _parts(thing: object) -> list[type | Callable[..., object]]:
    while isinstance(thing, functools.partial):
        thing = thing.func
    if inspect.isclass(thing):
        return [part for part in thing.__mro__ if part is not object]
    return [thing] if inspect.isroutine(thing) else _parts(type(thing))


def _is_installed(path: Path) -> bool:
    folders = {"site-packages", "dist-packages"}
    return path.is_relative_to(PACKAGE) or bool(folders & set(path.parts)) or _is_standard(path)


def _is_standard(path: Path) -> bool:
    return path.is_relative_to(Path(inspect.__file__).resolve().parent)


def module_files(path: Path) -> list[Path]:
    """A file and all that it imports from its folder, directly or through others, alphabetically."""
    root, found, waiting = path.parent, {path}, [path]
    while waiting:
        for file in _imports(waiting.pop(), root):
            if file not in found:
                found.add(file)
                waiting.append(file)
    return sorted(found)


def _imports(path: Path, root: Path) -> Iterator[Path]:
    """The files in `root` and below that a file imports."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _found(root, alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            base = root
            if node.level:
                base = path.parents[min(node.level, len(path.parents)) - 1]
            steps = node.module.split(".") if node.module else []
            for alias in node.names:
                yield from _found(base, [*steps, alias.name], root)


def _found(base: Path, steps: list[str], root: Path | None = None) -> Iterator[Path]:
    """The files of a package, of its parts, and of the module at the end."""
    for count in range(1, len(steps) + 1):
        place = base.joinpath(*steps[:count])
        for file in (place.with_suffix(".py"), place / "__init__.py"):
            if file.is_file() and file.is_relative_to(root or base):
                yield file


def reference(folder: str, name: str, made: object) -> str:
    """The `file.py:Class` of a class whose source is `written` into a folder.

    Empty for a class without source.
    """
    files = written(name, made)
    if not files:
        return ""
    if isinstance(made, SavedClass):
        return f"{folder}/{made.file.name}:{made.class_name}"
    parts = _parts(made)
    source = Path(inspect.getsourcefile(parts[0]) or "").name
    return f"{folder}/{source if source in files else name + '.py'}:{parts[0].__name__}"


def written(name: str, made: object) -> Mapping[str, bytes]:
    """The source of a class as files of a results folder, by relative path.

    Empty for a class without source.
    """
    files = {file: path.read_bytes() for file, path in source_files(made).items()}
    if files:
        return files
    try:
        parts = [inspect.getsource(part) for part in _parts(made) if part.__module__ == "__main__"]
    except (OSError, TypeError):
        return {}
    return {f"{name}.py": "\n\n".join(reversed(parts)).encode()} if parts else {}


def write(folder: ResultsFolder, place: str, name: str, made: object) -> dict[str, str]:
    """Writes the source of a class into `place` of a results folder.

    Returns the SHA-256 of each file by its path.
    """
    return {
        f"{place}/{file}": folder.write_bytes(f"{place}/{file}", data)
        for file, data in written(name, made).items()
    }
