"""Puts files and folders in place in one step: after a crash, the old or the new one is there, complete."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # no locks on this platform: one process at a time
    fcntl = None  # type: ignore[assignment]

__all__ = ["Lock", "locked", "put", "sync", "try_lock", "write_file"]

PARTIAL = ".partial"
"""The ending of a file or folder while it is written."""

OLD = ".old"
"""The ending of a folder while it is replaced, if the platform cannot exchange two folders."""

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)
_OCCUPIED = (errno.ENOTEMPTY, errno.EEXIST, errno.EISDIR, errno.EACCES, errno.EPERM)


def sync(path: Path) -> None:
    """Waits until a file's contents, or a folder's entries, are on the disk."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except PermissionError:  # Windows opens no folders
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:  # some file systems sync no folders
            raise
    finally:
        os.close(handle)


def write_file(path: Path, data: bytes) -> None:
    """Writes a file next to its place and renames it there. A failure leaves what was there before."""
    partial = path.with_name(f".{secrets.token_hex(4)}{PARTIAL}")
    try:
        with partial.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    sync(path.parent)


def put(new: Path, target: Path) -> Path | None:
    """Puts a folder in another's place, and returns the path of the old one; None if there was none.

    The two are exchanged in one step where the platform can. Elsewhere the old one is renamed to `.old`
    first, and a crash before the second step leaves both under their hidden names.
    """
    try:
        new.rename(target)
    except OSError as error:
        if error.errno not in _OCCUPIED or not target.is_dir():
            raise
    else:
        sync(target.parent)
        return None
    if _exchange(new, target):
        replaced = new
    else:
        replaced = new.with_suffix(OLD)
        with contextlib.ExitStack() as stack:
            lock = try_lock(target)
            if lock is not None:
                stack.callback(lock.release)
            target.rename(replaced)
            try:
                new.rename(target)
            except OSError:
                replaced.rename(target)
                raise
    sync(target.parent)
    return replaced


def _exchange(first: Path, second: Path) -> bool:
    """Exchanges two paths in one step; False where the kernel or the file system cannot."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    failed = renameat2(
        _AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), ctypes.c_uint(_RENAME_EXCHANGE)
    )
    if not failed:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), str(second))


class Lock:
    """A lock on a file or folder; it ends with the process that holds it, even if that crashes."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def is_on(self, path: Path) -> bool:
        """True if the locked file or folder is still at this path."""
        try:
            return os.path.samestat(os.fstat(self._handle), path.stat())
        except OSError:
            return False

    def release(self) -> None:
        """Lets others have it."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def try_lock(path: Path, *, wait: bool = False) -> Lock | None:
    """Locks a file or folder; None if it is gone, or, without `wait`, if another process holds the lock."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        os.close(handle)
        return None
    except OSError as error:
        if error.errno not in (*_UNSUPPORTED, errno.ENOLCK):
            os.close(handle)
            raise
    return Lock(handle)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Waits for the lock on a folder and holds it; on a file system without locks, continues without one."""
    lock = try_lock(path, wait=True)
    try:
        yield
    finally:
        if lock is not None:
            lock.release()
