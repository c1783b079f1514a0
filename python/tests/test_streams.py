"""Streams that other tools made, whose CID was marked later."""

from __future__ import annotations

import gzip
import struct
import zlib
from pathlib import Path
from typing import Any

import brotli
import cramjam
import lz4.frame
import pytest

from conftest import words
from ipfsz import (
    CorruptFrameError,
    IpfszError,
    IpfszFileSystem,
    StreamTooLargeError,
    WindowTooLargeError,
)
from ipfsz.cid import BROTLI, GZIP, LZ4, LZO, SNAPPY, ZSTD
from ipfsz.codecs.zstd import zstd_module
from make import Store, marked, seek_table

DATA = words(3_000_000)
HALVES = DATA[:1_000_000], DATA[1_000_000:]
SKIPPABLE = b"\x5a\x2a\x4d\x18\x05\0\0\0hello"
zstd = zstd_module()
SNAPPY_STREAM = bytes(cramjam.snappy.compress(DATA))
SNAPPY_REST = bytes(cramjam.snappy.compress(HALVES[1]))


def lzo_member(data: bytes) -> bytes:
    """As lzop writes it, with checksums of the original bytes, of blocks that do not gain."""
    head = struct.pack(">HHHBBIIII", 0x1040, 0x20A0, 0x0940, 1, 5, 0x03000001, 0o100644, 0, 0) + b"\0"
    out = b"\x89LZO\0\r\n\x1a\n" + head + struct.pack(">I", zlib.adler32(head))
    for at in range(0, len(data), 256 << 10):
        block = data[at : at + (256 << 10)]
        out += struct.pack(">III", len(block), len(block), zlib.adler32(block)) + block
    return out + bytes(4)


LZO_MEMBER = lzo_member(DATA)


def compress(data: bytes, **options: int) -> bytes:
    names = {getattr(zstd.CompressionParameter, name): value for name, value in options.items()}
    return bytes(zstd.compress(data, options=names))


def open_stream(tmp_path: Path, stream: bytes, codec: int, **options: Any) -> tuple[IpfszFileSystem, str]:
    store = Store()
    root = store.file(children=store.leaves(stream))
    car = store.car(tmp_path / "stream.car", root)
    return IpfszFileSystem(cars=[car], gateways=[], cache=False, skip_instance_cache=True, **options), marked(
        root, codec
    )


@pytest.mark.parametrize(
    ("codec", "stream"),
    [
        (ZSTD, compress(DATA)),
        (ZSTD, SKIPPABLE + compress(HALVES[0]) + SKIPPABLE + compress(HALVES[1]) + seek_table([(1, 1)])),
        (GZIP, gzip.compress(HALVES[0]) + gzip.compress(HALVES[1]) + bytes(700)),
        (LZ4, lz4.frame.compress(HALVES[0]) + SKIPPABLE + lz4.frame.compress(HALVES[1])),
        (BROTLI, brotli.compress(DATA, quality=3)),
        (SNAPPY, SNAPPY_STREAM),
        (SNAPPY, bytes(cramjam.snappy.compress(HALVES[0])) + b"\xfe\5\0\0hello" + SNAPPY_REST),
        (LZO, LZO_MEMBER),
        (LZO, lzo_member(HALVES[0]) + lzo_member(HALVES[1])),
    ],
    ids=[
        "zstd",
        "zstd frames",
        "gzip members",
        "lz4 frames",
        "brotli",
        "snappy",
        "snappy streams with padding",
        "lzo",
        "lzo members",
    ],
)
def test_reads_a_stream_whole_and_by_range(tmp_path: Path, codec: int, stream: bytes) -> None:
    fs, cid = open_stream(tmp_path, stream, codec)

    assert fs.cat_file(cid) == DATA
    assert fs.cat_file(cid, 999_990, 1_000_010) == DATA[999_990:1_000_010]
    assert fs.info(cid)["size"] == len(DATA)


def test_a_stream_of_skippable_frames_is_empty(tmp_path: Path) -> None:
    fs, cid = open_stream(tmp_path, SKIPPABLE * 3, ZSTD)

    assert fs.cat_file(cid) == b""


@pytest.mark.parametrize(
    ("codec", "stream", "error"),
    [
        (ZSTD, compress(DATA)[:-1], CorruptFrameError),
        (ZSTD, compress(DATA) + b"more", CorruptFrameError),
        (ZSTD, b"not a stream at all", CorruptFrameError),
        (ZSTD, SKIPPABLE[:-1], CorruptFrameError),
        (ZSTD, compress(bytes(100_000_000), window_log=24, enable_long_distance_matching=1), WindowTooLargeError),
        (GZIP, gzip.compress(DATA)[:-3], CorruptFrameError),
        (GZIP, gzip.compress(DATA) + bytes(10) + b"x", CorruptFrameError),
        (GZIP, gzip.compress(DATA) + b"more", CorruptFrameError),
        (LZ4, lz4.frame.compress(DATA)[:-5], CorruptFrameError),
        (BROTLI, brotli.compress(DATA, quality=3) + b"x", CorruptFrameError),
        (BROTLI, brotli.compress(DATA, quality=3)[:-1], CorruptFrameError),
        (SNAPPY, SNAPPY_STREAM[:-1], CorruptFrameError),
        (SNAPPY, SNAPPY_STREAM[10:], CorruptFrameError),
        (SNAPPY, SNAPPY_STREAM + b"more", CorruptFrameError),
        (SNAPPY, SNAPPY_STREAM[:-1] + b"x", CorruptFrameError),
        (LZO, LZO_MEMBER[:-5], CorruptFrameError),
        (LZO, LZO_MEMBER[:20], CorruptFrameError),
        (LZO, LZO_MEMBER + b"more", CorruptFrameError),
        (LZO, LZO_MEMBER[:400] + b"x" + LZO_MEMBER[401:], CorruptFrameError),
        (LZO, LZO_MEMBER[:34] + b"x" + LZO_MEMBER[35:], CorruptFrameError),
    ],
)
def test_refuses_a_stream_that_is_cut_or_followed_by_something(
    tmp_path: Path, codec: int, stream: bytes, error: type[IpfszError]
) -> None:
    fs, cid = open_stream(tmp_path, stream, codec)

    with pytest.raises(error):
        fs.cat_file(cid)


def test_a_bomb_ends_at_the_limit(tmp_path: Path) -> None:
    fs, cid = open_stream(tmp_path, compress(bytes(200_000_000)), ZSTD, max_stream=10_000_000)

    with pytest.raises(StreamTooLargeError):
        fs.cat_file(cid)
