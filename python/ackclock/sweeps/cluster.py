"""Runs on the workers of a Dask cluster. Needs `ackclock[cluster]`, on the workers too."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ackclock.errors import InputError
from ackclock.provenance import version
from ackclock.scenarios.own_code import modules

if TYPE_CHECKING:
    from ackclock.runs.parallel import Progress
    from ackclock.sweeps.task import PackedRows, Task

__all__ = ["execute"]

CONNECT_WITHIN = "20 s"


def execute(
    address: str,
    tasks: Sequence[Task],
    work: Callable[[Task], PackedRows],
    take: Callable[[PackedRows], None],
    progress: Progress | None,
) -> None:
    """Runs the tasks on the workers of the scheduler at `address`, and takes each outcome once.

    If a worker dies, the scheduler gives its tasks to another. Raises InputError if Dask is not installed, if
    no scheduler answers, or if a worker has another version.
    """
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise InputError("--cluster needs Dask: install ackclock[cluster], here and on the workers") from None
    try:
        client: Any = distributed.Client(address, timeout=CONNECT_WITHIN, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(f"--cluster {address}: no Dask scheduler answers there: {error}") from None
    with client, client.as_current():
        _check_versions(client)
        _send_own_code(tasks)
        total = sum(task.duration_s for task in tasks)
        done = 0.0
        durations = {task.key: task.duration_s for task in tasks}
        futures = [client.submit(work, task, key=task.key, pure=True) for task in tasks]
        try:
            for future, outcome in distributed.as_completed(futures, with_results=True):
                take(outcome)
                done += durations[future.key]
                future.release()
                if progress:
                    progress(done, total)
        finally:
            client.cancel([future for future in futures if not future.done()])


def _send_own_code(tasks: Sequence[Task]) -> None:
    """Lets tasks carry the modules of Python classes in files, which workers do not have."""
    cloudpickle: Any = importlib.import_module("cloudpickle")  # a dependency of Dask
    made = {id(each): each for task in tasks for each in task.factories.values()}
    for each in made.values():
        for module in modules(each):
            cloudpickle.register_pickle_by_value(module)


def _check_versions(client: Any) -> None:
    theirs = client.run(version)
    for worker, found in theirs.items():
        if found != version():
            raise InputError(
                f"worker {worker} has ackclock {found}, but here is {version()}: install the same"
            )
