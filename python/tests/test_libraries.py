"""The libraries that people read data with, on compressed files: from `ipfsz gateway`, and from Kubo's gateway."""

from __future__ import annotations

import sqlite3
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import Added, quick
from ipfsz import IpfszFileSystem
from kubo import Kubo

pytestmark = pytest.mark.nightly
ROWS = 50_000


class Dataset:
    """Files that the libraries wrote, as one marked directory."""

    def __init__(self, added: Added, folder: Path) -> None:
        import h5netcdf  # noqa: F401
        import numpy as np
        import pandas as pd
        import rasterio
        import xarray as xr

        self.frame = pd.DataFrame(
            {"key": np.arange(ROWS), "value": np.sin(np.arange(ROWS)), "name": [f"name {i % 97}" for i in range(ROWS)]}
        )
        self.frame.to_csv(folder / "table.csv", index=False)
        self.frame.to_parquet(folder / "table.parquet", compression=None, row_group_size=5000)
        time = pd.date_range("2020-01-01", periods=400)
        values = np.random.default_rng(1).normal(15, 5, (400, 40, 50)).astype("float32").round(1)
        self.grid = xr.Dataset({"t": (("time", "lat", "lon"), values)}, {"time": time})
        self.grid.to_netcdf(folder / "grid.nc", engine="h5netcdf")
        self.grid.chunk({"time": 10}).to_zarr(folder / "grid.zarr", consolidated=True)
        with zipfile.ZipFile(folder / "files.zip", "w") as archive:
            for index in range(100):
                archive.writestr(f"member {index}", f"member {index} " * 1000)
        with sqlite3.connect(folder / "data.sqlite") as database:
            self.frame.to_sql("data", database, index=False)
            database.execute("CREATE INDEX keys ON data (key)")
        database.close()
        with rasterio.open(
            folder / "image.tif", "w", width=1024, height=1024, count=1, dtype="uint16", tiled=True, blockxsize=256,
            blockysize=256,
        ) as image:  # fmt: skip
            self.image = np.arange(1024 * 1024, dtype="uint16").reshape(1024, 1024)
            image.write(self.image, 1)
        (self.cid,) = added.command.add("--optimize", "ranges", folder)
        self.options: dict[str, Any] = {}

    def url(self, name: str) -> str:
        return f"ipfsz://{self.cid}/{name}"


@pytest.fixture(scope="module")
def dataset(added: Added, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return Dataset(added, tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def kubo(added: Added, dataset: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubo]:
    """With the same blocks, of which it knows nothing."""
    kubo = Kubo(tmp_path_factory.mktemp("kubo"))
    car = tmp_path_factory.mktemp("car") / "data.car"
    added.command("car", "export", "--output", car, dataset.cid)
    kubo("dag", "import", car)
    yield kubo
    kubo.close()


@pytest.fixture(scope="module", params=["ipfsz", "kubo"])
def data(request: pytest.FixtureRequest, added: Added, dataset: Dataset, kubo: Kubo) -> Dataset:
    dataset.options = {"gateways": [added.url if request.param == "ipfsz" else kubo.url], "cache": False}
    return dataset


@pytest.fixture
def reader(data: Dataset) -> IpfszFileSystem:
    return quick(*data.options["gateways"], timeout=20, stall_timeout=10)


def test_pandas_reads_csv_and_parquet(data: Dataset) -> None:
    import pandas as pd

    csv = pd.read_csv(data.url("table.csv"), storage_options=data.options)
    parquet = pd.read_parquet(data.url("table.parquet"), storage_options=data.options)

    pd.testing.assert_frame_equal(csv, data.frame)
    pd.testing.assert_frame_equal(parquet, data.frame)


def test_pyarrow_reads_columns_and_datasets(data: Dataset, reader: IpfszFileSystem) -> None:
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq

    table = pq.read_table(f"{data.cid}/table.parquet", filesystem=reader, columns=["key"])
    found = ds.dataset(f"{data.cid}/table.parquet", filesystem=reader).to_table(filter=ds.field("key") == 43_210)

    assert table["key"].to_pylist() == list(range(ROWS))
    assert found["name"].to_pylist() == ["name 45"]


def test_polars_reads_csv_and_parquet(data: Dataset, reader: IpfszFileSystem) -> None:
    import polars as pl

    assert pl.read_parquet(reader.open(f"{data.cid}/table.parquet"))["key"].sum() == ROWS * (ROWS - 1) // 2
    assert pl.read_csv(reader.open(f"{data.cid}/table.csv"))["key"].sum() == ROWS * (ROWS - 1) // 2


def test_duckdb_queries_parquet_and_csv(data: Dataset, reader: IpfszFileSystem) -> None:
    import duckdb

    connection = duckdb.connect()
    connection.register_filesystem(reader)

    for function, name in (("read_parquet", "table.parquet"), ("read_csv", "table.csv")):
        query = f"SELECT count(*), sum(key) FROM {function}('{data.url(name)}')"
        assert connection.sql(query).fetchone() == (ROWS, ROWS * (ROWS - 1) // 2)


def test_xarray_reads_zarr(data: Dataset) -> None:
    import xarray as xr

    found = xr.open_zarr(data.url("grid.zarr"), storage_options=data.options)

    xr.testing.assert_equal(found.load(), data.grid)


def test_a_chunk_that_cannot_be_fetched_is_an_error_for_zarr(data: Dataset, added: Added) -> None:
    import asyncio

    import zarr
    from aiohttp import web

    from gateway import Gateway

    answers: dict[str, bytes] = {}

    async def forget(request: web.Request, _: bytes | None) -> web.StreamResponse:
        if request.path not in answers:
            if blocked:
                return web.Response(status=404)
            import urllib.request

            url = f"{added.url}{request.path}?format=raw"
            answers[request.path] = await asyncio.to_thread(lambda: urllib.request.urlopen(url).read())
        return web.Response(body=answers[request.path])

    blocked: list[bool] = []
    with Gateway({}, forget) as gateway:
        options = {**data.options, "gateways": [gateway.url], "retries": 0}
        array = zarr.open(data.url("grid.zarr"), mode="r", storage_options=options)["t"]
        assert (array[:10] == data.grid["t"].values[:10]).all()
        blocked.append(True)
        with pytest.raises(OSError):
            array[200:210]


def test_h5netcdf_reads_a_slice(data: Dataset, reader: IpfszFileSystem) -> None:
    import h5py
    import xarray as xr

    with reader.open(f"{data.cid}/grid.nc") as file, h5py.File(file) as grid:
        assert (grid["t"][100:110] == data.grid["t"].values[100:110]).all()
    with reader.open(f"{data.cid}/grid.nc") as file:
        xr.testing.assert_equal(xr.open_dataset(file, engine="h5netcdf").load(), data.grid)


def test_rasterio_reads_a_window(data: Dataset, reader: IpfszFileSystem) -> None:
    import rasterio
    from rasterio.windows import Window

    read = []
    fetch = reader.cat_file

    def count(path: str, start: int | None = None, end: int | None = None, **options: Any) -> bytes:
        found: bytes = fetch(path, start=start, end=end, **options)
        read.append(len(found))
        return found

    reader.cat_file = count
    with rasterio.open(f"{data.cid}/image.tif", opener=reader) as image:
        window = image.read(1, window=Window(300, 300, 100, 100))

    assert (window == data.image[300:400, 300:400]).all()
    assert 0 < sum(read) < data.image.nbytes // 2


def test_zipfile_reads_a_member(data: Dataset, reader: IpfszFileSystem) -> None:
    with reader.open(f"{data.cid}/files.zip") as file, zipfile.ZipFile(file) as archive:
        assert archive.read("member 42") == b"member 42 " * 1000


def test_sqlite_queries_by_an_index(data: Dataset, reader: IpfszFileSystem) -> None:
    import apsw

    class File:
        def __init__(self, name: Any, _: Any) -> None:
            self._file = reader.open(name if isinstance(name, str) else name.filename())

        def xRead(self, amount: int, offset: int) -> bytes:
            self._file.seek(offset)
            return bytes(self._file.read(amount))

        def xFileSize(self) -> int:
            return int(self._file.size)

        def xClose(self) -> None:
            self._file.close()

        def xLock(self, _: int) -> None: ...

        def xUnlock(self, _: int) -> None: ...

        def xCheckReservedLock(self) -> bool:
            return False

        def xFileControl(self, *_: Any) -> bool:
            return False

        def xSectorSize(self) -> int:
            return 4096

        def xDeviceCharacteristics(self) -> int:
            return int(apsw.SQLITE_IOCAP_IMMUTABLE)

    class Vfs(apsw.VFS):
        def __init__(self) -> None:
            super().__init__("ipfsz", "")

        def xOpen(self, name: Any, flags: Any) -> File:
            flags[1] = flags[0]
            return File(name, flags)

        def xFullPathname(self, name: str) -> str:
            return name

        def xAccess(self, _: str, __: int) -> bool:
            return False

    vfs = Vfs()
    database = apsw.Connection(f"{data.cid}/data.sqlite", flags=apsw.SQLITE_OPEN_READONLY, vfs="ipfsz")
    assert list(database.execute("SELECT name FROM data WHERE key = 43210")) == [("name 45",)]
    database.close()
    vfs.unregister()


def test_dask_reads_in_processes(data: Dataset) -> None:
    import dask
    from dask import delayed

    def count(url: str, options: dict[str, Any], start: int) -> bytes:
        import fsspec

        with fsspec.open(url, **options) as file:
            file.seek(start)
            return bytes(file.read(10))

    url = data.url("table.csv")
    with dask.config.set(scheduler="processes", num_workers=2):
        found = dask.compute(*[delayed(count)(url, data.options, start) for start in (0, 4)])

    assert found[0][4:] == found[1][:6]
