"""Streams that other tools made: files whose CID is marked, and whose root has no header (docs/format.md, section 7).

They are decompressed from the front, once, into a temporary file without a name. Ranges are read from that.
"""

from __future__ import annotations

import asyncio
import tempfile
import zlib
from collections.abc import AsyncIterator
from typing import IO, Any, Protocol

from .blocks import Blocks
from .cid import BROTLI, CODEC_NAMES, GZIP, LZ4, LZO, SNAPPY, ZSTD
from .codecs import PACKAGES
from .codecs.lzo import LzoMember
from .codecs.snappy import SnappyStream
from .codecs.zstd import zstd_module
from .dag import read_stored
from .errors import (
    CorruptFrameError,
    MissingPackageError,
    StreamTooLargeError,
    WindowTooLargeError,
)
from .unixfs import Node

_STEP = 1 << 20
#: libzstd refuses frames with larger windows: 8 MiB.
_WINDOW_LOG = 23


class _Decoder(Protocol):
    eof: bool
    unused_data: bytes

    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class StreamFile:
    piece = 1 << 20

    def __init__(self, file: IO[bytes], size: int) -> None:
        self.size = size
        self._file = file

    @classmethod
    async def open(cls, blocks: Blocks, root: Node, codec: int, limit: int) -> StreamFile:
        """Raises CorruptFrameError, StreamTooLargeError, WindowTooLargeError, MissingPackageError."""
        file: IO[bytes] = tempfile.TemporaryFile(prefix="ipfsz-")  # noqa: SIM115
        try:
            writer = _Writer(codec, file, limit)
            for start in range(0, root.size, _STEP):
                await asyncio.to_thread(writer.write, await read_stored(blocks, root, start, start + _STEP))
            return cls(file, await asyncio.to_thread(writer.end))
        except BaseException:
            file.close()
            raise

    async def split(self, start: int, end: int) -> AsyncIterator[tuple[int, int]]:
        if start < end:
            yield start, end

    async def read(self, start: int, end: int) -> bytes:
        # no turn is given up in between, and all readers are in this event loop
        self._file.seek(start)
        return self._file.read(end - start)


class _Writer:
    """Frames or members that follow each other, as the tool of the codec reads them."""

    def __init__(self, codec: int, file: IO[bytes], limit: int) -> None:
        self._codec, self._file, self._limit = codec, file, limit
        self._size = self._skip = self._stored = 0
        self._rest = b""
        self._decoder: Any = None
        self._snappy: SnappyStream | None = None
        self._padding = False

    def write(self, data: bytes) -> None:
        self._rest += data
        self._stored += len(data)
        while self._rest and self._step():
            pass

    def end(self) -> int:
        """The size of the original. Raises CorruptFrameError if the stream is cut, or something else follows it."""
        if not self._stored or self._rest or self._decoder is not None or self._skip:
            raise CorruptFrameError("A stream is cut, or something else follows it")
        self._file.flush()
        return self._size

    def _step(self) -> bool:
        """Whether there is more to do without more bytes."""
        if self._padding:
            if self._rest.strip(b"\0"):
                raise CorruptFrameError("Something else follows a stream")
            self._rest = b""
            return False
        if self._decoder is None and not self._begin():
            return False
        if self._skip:
            count = min(self._skip, len(self._rest))
            self._skip, self._rest = self._skip - count, self._rest[count:]
            return True
        if self._decoder is None:
            return True
        self._decode()
        return True

    def _begin(self) -> bool:
        """At the start of a frame: whether it is known what it is."""
        if self._skip:
            return True
        if self._codec == GZIP and self._size and self._rest[0] == 0:
            self._padding = True
            return True
        if self._codec in (ZSTD, LZ4):
            if len(self._rest) < 8:
                return False
            magic = int.from_bytes(self._rest[:4], "little")
            if magic & 0xFFFFFFF0 == 0x184D2A50:
                self._skip = int.from_bytes(self._rest[4:8], "little")
                self._rest = self._rest[8:]
                return True
        self._decoder = self._new_decoder()
        return True

    def _new_decoder(self) -> Any:
        try:
            if self._codec == GZIP:
                return zlib.decompressobj(31)
            if self._codec == ZSTD:
                zstd = zstd_module()
                return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _WINDOW_LOG})
            if self._codec == LZ4:
                from lz4.frame import LZ4FrameDecompressor

                return LZ4FrameDecompressor()
            if self._codec == LZO:
                return LzoMember()
            if self._codec == SNAPPY:
                # a stream has no end: chunks go on where the last ones ended
                self._snappy = self._snappy or SnappyStream()
                return self._snappy
            import brotli

            return brotli.Decompressor()
        except ImportError as err:
            package = PACKAGES[self._codec]
            raise MissingPackageError(f"pip install {package}", package=package) from err

    def _decode(self) -> None:
        data, self._rest = self._rest, b""
        decoder = self._decoder
        try:
            while True:
                if self._codec == BROTLI:
                    out = decoder.process(data, output_buffer_limit=_STEP)
                    done = decoder.is_finished()
                    more = bool(out)
                    data = b""
                else:
                    out = decoder.decompress(data, _STEP)
                    done = decoder.eof
                    data = decoder.unconsumed_tail if self._codec == GZIP else b""
                    more = bool(data) or (self._codec != GZIP and not decoder.needs_input)
                self._size += len(out)
                if self._size > self._limit:
                    raise StreamTooLargeError(f"A stream decompresses to more than {self._limit} bytes: max_stream")
                self._file.write(out)
                if done:
                    self._rest = b"" if self._codec == BROTLI else decoder.unused_data or b""
                    self._decoder = None
                    return
                if not more:
                    return
        except (StreamTooLargeError, OSError):
            raise
        except Exception as err:
            if "window" in str(err).lower() or "memory" in str(err).lower():
                raise WindowTooLargeError(f"A stream needs a window of more than 8 MiB: {err}") from err
            raise CorruptFrameError(f"A stream of {CODEC_NAMES[self._codec]}: {err}") from err
