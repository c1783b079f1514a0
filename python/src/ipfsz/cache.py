"""Blocks on disk, which processes share.

One file for each block, named after its multihash. Files appear by rename, so that nobody reads half of one. The caller
compares what it gets with the hash: a damaged or forged file is a miss. So is everything that fails: nothing shall be
unreadable because of a cache.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import threading
from base64 import b32encode
from contextlib import suppress
from pathlib import Path

from .cid import CID

DEFAULT_CACHE_BYTES = 1 << 30
MAX_BLOCK = 2 << 20
_SCAN_AFTER = 16


def default_directory() -> Path:
    """`$IPFSZ_CACHE`, or `ipfsz` in the user's folder for caches."""
    if "IPFSZ_CACHE" in os.environ:
        return Path(os.environ["IPFSZ_CACHE"])
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/ipfsz"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local")) / "ipfsz/cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ipfsz"


class DiskCache:
    """At most `limit` bytes, and a sixteenth more for each process that writes. The files used last stay."""

    def __init__(self, directory: str | os.PathLike[str], limit: int = DEFAULT_CACHE_BYTES) -> None:
        self.directory = Path(directory) / "blocks"
        self.limit = limit
        # the first block that is written looks at what others left
        self._unscanned = limit
        self._lock = threading.Lock()

    def _path(self, cid: CID) -> Path:
        name = b32encode(cid.multihash).decode().lower().rstrip("=")
        return self.directory / name[-3:-1] / name

    def get(self, cid: CID) -> bytes | None:
        """Not verified. None if there is none, or it cannot be read."""
        path = self._path(cid)
        try:
            # another user may have put something there: neither follow a link nor wait for a pipe
            handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
            try:
                status = os.fstat(handle)
                if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BLOCK:
                    return None
                with open(handle, "rb", closefd=False) as file:
                    data = file.read(MAX_BLOCK + 1)
                with suppress(OSError):
                    os.utime(handle if os.utime in os.supports_fd else path)
            finally:
                os.close(handle)
        except (OSError, ValueError):
            return None
        return data

    def has(self, cid: CID) -> bool:
        """Whether there is a file. It may be damaged."""
        return os.path.exists(self._path(cid))

    def put(self, cid: CID, data: bytes) -> None:
        if len(data) > self.limit or not self._is_own():
            return
        path = self._path(cid)
        temporary = None
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(prefix=".", dir=path.parent)
            with open(handle, "wb") as file:
                file.write(data)
            os.replace(temporary, path)
        except OSError:
            if temporary is not None:
                _unlink(temporary)
            return
        with self._lock:
            self._unscanned += len(data)
            if self._unscanned < self.limit // _SCAN_AFTER:
                return
            self._unscanned = 0
        self._evict()

    def remove(self, cid: CID) -> None:
        """One that turned out to be damaged."""
        if self._is_own():
            _unlink(self._path(cid))

    def _is_own(self) -> bool:
        """Whether no other user may rename what is in it: with a link in its place, files would be written and deleted
        elsewhere."""
        if sys.platform == "win32":
            return True
        for directory in (self.directory.parent, self.directory):
            with suppress(OSError):
                status = os.stat(directory)
                others = status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX
                if status.st_uid not in (0, os.geteuid()) or others:
                    return False
        return True

    def _evict(self) -> None:
        """Deletes what was used longest ago, down to seven eighths of the limit, once there is more than the limit."""
        files = []
        for directory, _, names in os.walk(self.directory):
            for name in names:
                path = os.path.join(directory, name)
                try:
                    status = os.lstat(path)
                except OSError:
                    continue
                files.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in files)
        if total <= self.limit:
            return
        for _, size, path in sorted(files):
            if total <= self.limit * 7 // 8:
                break
            _unlink(path)
            total -= size


def _unlink(path: str | Path) -> None:
    with suppress(OSError):
        os.unlink(path)
