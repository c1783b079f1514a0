"""Files that are open, for what reads them as Python does: by seek and read."""

from __future__ import annotations

from typing import Any, ClassVar

from fsspec import AbstractFileSystem
from fsspec.caching import BaseCache, register_cache
from fsspec.spec import AbstractBufferedFile

from .errors import NotAFileError

_MAX_AHEAD = 32 << 20
_FIRST_AHEAD = 256 << 10


class IpfszFile(AbstractBufferedFile):  # type: ignore[misc]
    """A file that is open. Reads that follow each other are done ahead, ever further."""

    def __init__(self, fs: AbstractFileSystem, path: str, *args: Any, size: int | None = None, **kwargs: Any) -> None:
        info = fs.info(path)
        if info["type"] != "file":
            raise NotAFileError(f"{path} is a {info['type']}")
        self.details = info
        super().__init__(fs, path, *args, size=info["size"], **kwargs)

    def _fetch_range(self, start: int, end: int) -> bytes:
        data: bytes = self.fs.cat_file(self.path, start=start, end=end)
        return data


class _Ahead(BaseCache):  # type: ignore[misc]
    """Keeps what was fetched last. A read that follows the one before it fetches twice as much as that one did."""

    name: ClassVar[str] = "ipfsz"

    def __init__(self, blocksize: int, fetcher: Any, size: int) -> None:
        super().__init__(blocksize, fetcher, size)
        self._start, self._data, self._ahead = 0, b"", 0

    def _fetch(self, start: int | None, stop: int | None) -> bytes:
        start = start or 0
        stop = self.size if stop is None else min(stop, self.size)
        if start >= stop:
            return b""
        end = self._start + len(self._data)
        if self._start <= start and stop <= end:
            return self._data[start - self._start : stop - self._start]
        kept = b""
        if self._start <= start <= end and self._data:
            kept = self._data[start - self._start :]
            self._ahead = min(_MAX_AHEAD, max(2 * self._ahead, _FIRST_AHEAD))
        else:
            self._ahead = 0
        fetched: bytes = self.fetcher(start + len(kept), min(self.size, stop + self._ahead))
        self._start, self._data = start, kept + fetched
        return self._data[: stop - start]


register_cache(_Ahead, clobber=True)
