"""Runs on the workers of a Dask cluster. Needs `ackclock[cluster]`, on the workers too."""

from __future__ import annotations

import importlib
import pickle
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ackclock.errors import InputError
from ackclock.interrupts import held
from ackclock.provenance import version
from ackclock.runs.crew import end_all
from ackclock.scenarios.own_code import modules

if TYPE_CHECKING:
    from ackclock.runs.parallel import Progress
    from ackclock.sweeps.task import PackedRows, Task

__all__ = ["execute"]

CONNECT_WITHIN = "20 s"

END_WITHIN_S = 1.0

LOOK_EVERY_S = 0.05
"""The interval at which outcomes and signals are checked while no worker is done."""


def execute(
    address: str,
    tasks: Sequence[Task],
    work: Callable[[Task], PackedRows],
    take: Callable[[PackedRows], None],
    progress: Progress | None,
) -> None:
    """Runs the tasks on the workers of the scheduler at `address`, and takes each outcome once.

    If a worker dies, the scheduler gives its tasks to another. Raises InputError if Dask is not installed, if
    no scheduler answers, or if a worker has another version; KeyboardInterrupt on Ctrl-C, after the outcomes
    that have arrived are taken.
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
        packed = _packer(tasks)
        total = sum(task.duration_s for task in tasks)
        done = 0.0
        durations = {task.key: task.duration_s for task in tasks}
        futures: list[Any] = []
        finished: Any = distributed.as_completed([], with_results=True)
        # A signal takes effect between two outcomes, so that none is lost on its way to the store.
        with held() as pressed:
            try:
                for task in tasks:
                    if pressed:
                        break
                    futures.append(client.submit(_unpacked, work, packed(task), key=task.key, pure=True))
                    finished.add(futures[-1])
                while finished.has_ready() or not (pressed or finished.is_empty()):
                    if not finished.has_ready():
                        time.sleep(LOOK_EVERY_S)
                        continue
                    future, outcome = next(finished)
                    take(outcome)
                    done += durations[future.key]
                    future.release()
                    if progress:
                        progress(done, total)
            finally:
                client.cancel([future for future in futures if not future.done()])
        if pressed:
            _end_on_workers(client)
            raise KeyboardInterrupt


def _end_on_workers(client: Any) -> None:
    """Ends the runs that the workers are at; one that answers no more is not waited for."""
    asking = threading.Thread(target=client.run, args=(end_all,), daemon=True)
    asking.start()
    asking.join(END_WITHIN_S)


def _packer(tasks: Sequence[Task]) -> Callable[[Task], bytes]:
    """A function that packs a task with the Python classes in files that it names, which workers do not have.

    Dask by itself would send their names alone.
    """
    cloudpickle: Any = importlib.import_module("cloudpickle")  # a dependency of Dask
    made = {id(each): each for task in tasks for each in task.factories.values()}
    for each in made.values():
        for module in modules(each):
            cloudpickle.register_pickle_by_value(module)
    packed: Callable[[Task], bytes] = cloudpickle.dumps
    return packed


def _unpacked(work: Callable[[Task], PackedRows], packed: bytes) -> PackedRows:
    """Does the work on a task, on a worker."""
    return work(pickle.loads(packed))  # noqa: S301 - a cluster runs what its clients send, as Dask does


def _check_versions(client: Any) -> None:
    theirs = client.run(version)
    for worker, found in theirs.items():
        if found != version():
            raise InputError(
                f"worker {worker} has ackclock {found}, but here is {version()}: install the same"
            )
