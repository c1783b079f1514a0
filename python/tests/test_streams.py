"""Streams that other tools made, whose CID was marked later."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import brotli
import lz4.frame
import pytest

from conftest import words
from ipfsz import (
    CorruptFrameError,
    IpfszError,
    IpfszFileSystem,
    StreamTooLargeError,
    UnsupportedError,
    WindowTooLargeError,
)
from ipfsz.cid import BROTLI, GZIP, LZ4, SNAPPY, ZSTD
from ipfsz.codecs.zstd import zstd_module
from make import Store, marked, seek_table

DATA = words(3_000_000)
HALVES = DATA[:1_000_000], DATA[1_000_000:]
SKIPPABLE = b"\x5a\x2a\x4d\x18\x05\0\0\0hello"
zstd = zstd_module()


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
    ],
    ids=["zstd", "zstd frames", "gzip members", "lz4 frames", "brotli"],
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
        (SNAPPY, b"\xff\x06\0\0sNaPpY", UnsupportedError),
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
