"""What other readers make of the stored bytes of a file, its plain twin as `.csv.zst`: the table in docs/faq.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from conftest import Added, quick
from ipfsz import CID

pytestmark = pytest.mark.nightly
FRAME = 65_536


@dataclass
class Twin:
    """A table of three frames."""

    path: Path
    original: bytes
    rows: int

    @property
    def stored(self) -> bytes:
        return self.path.read_bytes()


@pytest.fixture(scope="module")
def twin(added: Added, tmp_path_factory: pytest.TempPathFactory) -> Twin:
    folder = tmp_path_factory.mktemp("twin")
    rows = 15_000
    table = "key,value\n" + "".join(f"{index},{index * 7919 % 10_007}\n" for index in range(rows))
    (folder / "table.csv").write_text(table)
    (cid,) = added.command.add("--frame-size", "64KiB", "--no-detect", folder / "table.csv")
    path = folder / "table.csv.zst"
    path.write_bytes(quick(added.url, timeout=20, stall_timeout=10).cat_file(str(CID.parse(cid).plain())))
    assert 2 * FRAME < len(table) < 3 * FRAME
    return Twin(path, table.encode(), rows)


def polars_rows(path: Path) -> int:
    import polars

    return len(polars.read_csv(path))


def duckdb_rows(path: Path) -> int:
    import duckdb

    (count,) = duckdb.sql(f"SELECT count(*) FROM read_csv('{path}')").fetchone() or (0,)
    return int(count)


def pandas_rows(path: Path) -> int:
    import pandas

    return len(pandas.read_csv(path))


def pyarrow_rows(path: Path) -> int:
    from pyarrow import csv

    return int(csv.read_csv(path).num_rows)


@pytest.mark.parametrize("count", [pandas_rows, polars_rows, duckdb_rows, pyarrow_rows])
def test_libraries_of_tables_read_all_rows(twin: Twin, count: Callable[[Path], int]) -> None:
    assert count(twin.path) == twin.rows


def pyarrow_stream(path: Path) -> bytes:
    import pyarrow

    return bytes(pyarrow.input_stream(str(path)).read())


def pyarrow_compressed(path: Path) -> bytes:
    import pyarrow

    return bytes(pyarrow.CompressedInputStream(pyarrow.OSFile(str(path)), "zstd").read())


def standard_open(path: Path) -> bytes:
    from ipfsz.codecs.zstd import zstd_module

    with zstd_module().open(path) as file:
        return bytes(file.read())


def standard_decompress(path: Path) -> bytes:
    from ipfsz.codecs.zstd import zstd_module

    return bytes(zstd_module().decompress(path.read_bytes()))


def zstandard_open(path: Path) -> bytes:
    import zstandard

    with zstandard.open(path) as file:
        return bytes(file.read())


def zstandard_reader(path: Path) -> bytes:
    import zstandard

    with path.open("rb") as file:
        return zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True).read()


def zstandard_plain_reader(path: Path) -> bytes:
    import zstandard

    with path.open("rb") as file:
        return zstandard.ZstdDecompressor().stream_reader(file).read()


def zstandard_copy(path: Path) -> bytes:
    import io

    import zstandard

    with path.open("rb") as file, io.BytesIO() as target:
        zstandard.ZstdDecompressor().copy_stream(file, target)
        return target.getvalue()


def zstandard_across(path: Path) -> bytes:
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj(read_across_frames=True).decompress(path.read_bytes())


def fsspec_open(path: Path) -> bytes:
    import fsspec

    with fsspec.open(str(path), compression="zstd") as file:
        return bytes(file.read())


def pyzstd_decompress(path: Path) -> bytes:
    import pyzstd

    return pyzstd.decompress(path.read_bytes())


def cramjam_decompress(path: Path) -> bytes:
    import cramjam

    return bytes(cramjam.zstd.decompress(path.read_bytes()))


@pytest.mark.parametrize(
    "read",
    [
        pyarrow_stream,
        pyarrow_compressed,
        standard_open,
        standard_decompress,
        zstandard_open,
        zstandard_reader,
        zstandard_plain_reader,
        zstandard_copy,
        zstandard_across,
        fsspec_open,
        pyzstd_decompress,
        cramjam_decompress,
    ],
)
def test_all_of_it_is_read(twin: Twin, read: Callable[[Path], bytes]) -> None:
    assert read(twin.path) == twin.original


def pyzstd_seekable(path: Path) -> Any:
    import pyzstd

    return pyzstd.SeekableZstdFile(str(path))


def indexed(path: Path) -> Any:
    import indexed_zstd

    return indexed_zstd.IndexedZstdFile(str(path))


@pytest.mark.parametrize("open_file", [pyzstd_seekable, indexed])
def test_a_range_is_read(twin: Twin, open_file: Callable[[Path], Any]) -> None:
    file = open_file(twin.path)
    file.seek(2 * FRAME + 10)

    assert file.read(100) == twin.original[2 * FRAME + 10 : 2 * FRAME + 110]
    file.close()


def zstandard_one(stored: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdDecompressor().decompress(stored)


def zstandard_object(stored: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj().decompress(stored)


def zstandard_iterator(stored: bytes) -> bytes:
    import io

    import zstandard

    return b"".join(zstandard.ZstdDecompressor().read_to_iter(io.BytesIO(stored)))


def standard_one(stored: bytes) -> bytes:
    from ipfsz.codecs.zstd import zstd_module

    return bytes(zstd_module().ZstdDecompressor().decompress(stored))


@pytest.mark.parametrize("read", [zstandard_one, zstandard_object, zstandard_iterator, standard_one])
def test_the_first_frame_alone_is_returned_without_an_error(twin: Twin, read: Callable[[bytes], bytes]) -> None:
    assert read(twin.stored) == twin.original[:FRAME]
