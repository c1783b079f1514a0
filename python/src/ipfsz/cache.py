"""Blocks on disk, which processes share.

One file for each block, named after its multihash, or for all blocks below a directory that came together: it has the
name of that, and a `+`. Files appear by rename, so that nobody reads half of one. The caller compares what it gets with
the hash: a damaged or forged file is a miss. So is everything that fails: nothing shall be unreadable because of a
cache.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import tempfile
import threading
from base64 import b32encode
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from struct import Struct
from struct import error as struct_error

from .cid import CID, IDENTITY

DEFAULT_CACHE_BYTES = 1 << 30
MAX_BLOCK = 2 << 20
#: Of blocks together.
_MAX_PACK = 32 << 20
_MAX_PLACES = 100_000
_SCAN_AFTER = 16
#: At the beginning of a pack: how many blocks it has, and for each the bytes of its multihash and its own.
_COUNT, _ENTRY = Struct("<I"), Struct("<BI")
#: Of blocks and packs, and of those that a killed process was writing.
_OWN_NAME = re.compile(r"[a-z2-7]{8,}\+?|\.\w+")


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
        self.root = Path(directory)
        # not `blocks`, which repos have: what is deleted here must be of this cache
        self.directory = self.root / "fetched"
        self.limit = limit
        # the first block that is written looks at what others left
        self._unscanned = limit
        self._lock = threading.Lock()
        #: Of blocks in packs, by multihash: the file, where they begin in it, and how many bytes they have.
        self._places: dict[bytes, tuple[Path, int, int]] = {}

    def _path(self, cid: CID) -> Path:
        name = b32encode(cid.multihash).decode().lower().rstrip("=")
        return self.directory / name[-3:-1] / name

    def _pack(self, cid: CID) -> Path:
        path = self._path(cid)
        return path.with_name(path.name + "+")

    def get(self, cid: CID) -> bytes | None:
        """Not verified. None if there is none, or it cannot be read."""
        place = self._places.get(cid.multihash)
        data = None if place is None else _read(*place)
        return _read(self._path(cid), 0, MAX_BLOCK) if data is None else data

    def has(self, cid: CID) -> bool:
        """Whether there is a file. It may be damaged."""
        return cid.multihash in self._places or os.path.exists(self._path(cid))

    def put(self, cid: CID, data: bytes) -> None:
        self._write(self._path(cid), data)

    def put_pack(self, cid: CID, blocks: Sequence[tuple[CID, bytes]]) -> None:
        """Blocks below `cid`, in one file."""
        blocks = [(one, block) for one, block in blocks if one.hash != IDENTITY]
        head = b"".join(_ENTRY.pack(len(one.multihash), len(block)) + one.multihash for one, block in blocks)
        path, data = self._pack(cid), b"".join([_COUNT.pack(len(blocks)), head, *(block for _, block in blocks)])
        if len(data) <= _MAX_PACK and self._write(path, data):
            self._add_places(path, data)

    def open_pack(self, cid: CID) -> bool:
        """Whether blocks below `cid` were kept together. They are found from now on."""
        path = self._pack(cid)
        data = _read(path, 0, _MAX_PACK) if os.path.exists(path) else None
        return data is not None and self._add_places(path, data)

    def remove(self, cid: CID) -> None:
        """One that turned out to be damaged."""
        place = self._places.pop(cid.multihash, None)
        if self._is_own():
            _unlink(self._path(cid))
            if place is not None:
                _unlink(place[0])

    def _add_places(self, path: Path, data: bytes) -> bool:
        """Of the blocks in a pack. False if it is damaged."""
        places: dict[bytes, tuple[Path, int, int]] = {}
        try:
            (count,), at, offset = _COUNT.unpack_from(data), _COUNT.size, 0
            if count > _MAX_PLACES:
                return False
            for _ in range(count):
                length, size = _ENTRY.unpack_from(data, at)
                at += _ENTRY.size + length
                places[data[at - length : at]] = (path, offset, size)
                offset += size
        except struct_error:
            return False
        self._places.update((key, (path, at + start, size)) for key, (_, start, size) in places.items())
        with self._lock:
            for key in list(islice(self._places, max(0, len(self._places) - _MAX_PLACES))):
                del self._places[key]
        return True

    def _write(self, path: Path, data: bytes) -> bool:
        if len(data) > self.limit or not self._is_own():
            return False
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
            return False
        with self._lock:
            self._unscanned += len(data)
            evict = self._unscanned >= self.limit // _SCAN_AFTER
            if evict:
                self._unscanned = 0
        if evict:
            self._evict()
        return True

    def _is_own(self) -> bool:
        """Whether no other user may rename what is in it, or a directory above it: with a link in its place, files
        would be written and deleted elsewhere."""
        if sys.platform == "win32":
            return True
        named = Path(os.path.abspath(self.directory))
        real = Path(os.path.realpath(self.root)) / self.directory.name
        return all(_is_safe(path, os.lstat) for path in (named, *named.parents)) and all(
            _is_safe(path, os.stat) for path in (real, *real.parents)
        )

    def _evict(self) -> None:
        """Deletes what was used longest ago, down to seven eighths of the limit, once there is more than the limit."""
        files = []
        for directory, _, names in os.walk(self.directory):
            for name in filter(_OWN_NAME.fullmatch, names):
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


def _is_safe(path: Path, stat_of: Callable[[Path], os.stat_result]) -> bool:
    """Whether it belongs to this user or to the system, and no other user can rename what is in it."""
    try:
        status = stat_of(path)
    except OSError:
        return True
    shared = status.st_mode & stat.S_IWOTH or (status.st_mode & stat.S_IWGRP and status.st_gid != os.getegid())
    writable = shared and not status.st_mode & stat.S_ISVTX and not stat.S_ISLNK(status.st_mode)
    return status.st_uid in (0, os.geteuid()) and not writable


def _read(path: Path, start: int, size: int) -> bytes | None:
    """At most `size` bytes of a file from `start` on. None if it has more than may be, or cannot be read."""
    try:
        # another user may have put something there: neither follow a link nor wait for a pipe
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or status.st_size > (_MAX_PACK if start else size):
                return None
            with open(handle, "rb", closefd=False) as file:
                file.seek(start)
                data = file.read(size)
            with suppress(OSError):
                os.utime(handle if os.utime in os.supports_fd else path)
        finally:
            os.close(handle)
    except (OSError, ValueError):
        return None
    return data


def _unlink(path: str | Path) -> None:
    with suppress(OSError):
        os.unlink(path)
