"""Measures reads over HTTP on loopback: parts of a file, a Zarr of many chunks, and a whole file.

Beside it, ipfsspec reads the same data uncompressed from Kubo's gateway, without verifying it, and the command reads
the whole file. Run it in the environment of the nightly tests, after a build of the repository:

    node_modules/.cache/ipfsz-python/nightly/bin/python python/bench/measure.py [--megabytes 1000] [--chunks 10000]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import ipfsz.ahead
from conftest import Command, words
from ipfsz import IpfszFileSystem
from kubo import Kubo

READS = 20
MAX_BELOW = ipfsz.ahead._MAX_BELOW


class CountingProxy:
    """Counts requests and bytes between a client and a server on loopback."""

    def __init__(self, url: str) -> None:
        self._host, self._port = url.removeprefix("http://").split(":")
        self.requests = self.bytes = 0
        self._loop = asyncio.new_event_loop()
        self.url = ""
        ready = threading.Event()

        def run() -> None:
            server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            ready.set()
            self._loop.run_forever()

        threading.Thread(target=run, daemon=True).start()
        ready.wait()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream, upstream_writer = await asyncio.open_connection(self._host, int(self._port))

        async def pump(source: asyncio.StreamReader, target: asyncio.StreamWriter, answers: bool) -> None:
            while data := await source.read(1 << 16):
                if answers:
                    self.bytes += len(data)
                else:
                    self.requests += data.count(b" HTTP/1.1\r\n")
                target.write(data)
                await target.drain()
            target.close()

        await asyncio.gather(pump(reader, upstream_writer, False), pump(upstream, writer, True), return_exceptions=True)

    def take(self) -> tuple[int, int]:
        found = self.requests, self.bytes
        self.requests = self.bytes = 0
        return found


def report(name: str, proxy: CountingProxy, seconds: list[float], count: int) -> None:
    requests, size = proxy.take()
    print(f"| {name} | {requests / count:.1f} | {size / count / 1e3:,.0f} | {statistics.median(seconds) * 1e3:,.1f} |")


def timed(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure_parts(data: bytes, sources: list[tuple[str, CountingProxy, Callable[[], Any], str]]) -> None:
    print("\n4 KiB at a random offset, without a cache\n\n| | requests | kB | ms |\n|---|---:|---:|---:|")
    offsets = random.Random(1).sample(range(len(data) - 4096), READS)
    for name, proxy, make, cid in sources:
        seconds = []
        count = READS if "ipfsspec" not in name else 3
        for offset in offsets[:count]:
            fs = make()

            def read(fs: Any = fs, offset: int = offset, cid: str = cid) -> None:
                with fs.open(cid) as file:
                    file.seek(offset)
                    assert file.read(4096) == data[offset : offset + 4096]

            seconds.append(timed(read))
        report(name, proxy, seconds, count)


def measure_zarr(chunks: int, folder: Path, command: Command, kubo: Kubo, url: str) -> None:
    import numpy as np
    import xarray as xr

    values = np.random.default_rng(1).normal(15, 5, (chunks, 40, 50)).astype("float32").round(1)
    data = xr.Dataset({"t": (("time", "lat", "lon"), values)})
    data.to_zarr(
        folder / "zarr", zarr_format=2, consolidated=True, encoding={"t": {"chunks": (1, 40, 50), "compressors": None}}
    )
    (cid,) = command.add("--hidden", folder / "zarr")
    plain = kubo("add", "-Q", "-r", "--hidden", "--cid-version=1", folder / "zarr")
    print(f"\na Zarr of {chunks:,} chunks of 8 kB, all read\n\n| | requests | kB | ms |\n|---|---:|---:|---:|")
    for name, server, path in (
        ("ipfsz, compressed", url, f"ipfsz://{cid}"),
        ("ipfsz, compressed, each block by itself", url, f"ipfsz://{cid}"),
        ("ipfsz, uncompressed on Kubo's gateway", kubo.url, f"ipfsz://{plain}"),
        ("ipfsspec, uncompressed on Kubo's gateway", kubo.url, f"ipfs://{plain}"),
    ):
        proxy = CountingProxy(server)
        options: dict[str, Any] = {"gateways": [proxy.url], "cache": tempfile.mkdtemp(dir=folder)}
        ipfsz.ahead._MAX_BELOW = 0 if "by itself" in name else MAX_BELOW
        if name.startswith("ipfsspec"):
            use_ipfsspec()
            options = {"gateway_addr": proxy.url}

        def read(path: str = path, options: dict[str, Any] = options) -> None:
            found = xr.open_zarr(path, storage_options=options, chunks=None).load()
            assert (found["t"].values == values).all()

        report(name, proxy, [timed(read)], 1)


def use_ipfsspec() -> None:
    import fsspec
    from ipfsspec import AsyncIPFSFileSystem

    fsspec.register_implementation("ipfs", AsyncIPFSFileSystem, clobber=True)


def measure_whole(size: int, command: Command, url: str, cid: str) -> None:
    empty = Path("empty").absolute()
    print("\nthe whole file, median of 5, in turns\n\n| | MB/s |\n|---|---:|")
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(5):
        fs = IpfszFileSystem(gateways=[url], cache=False, skip_instance_cache=True)
        ours.append(timed(lambda fs=fs: fs.get_file(cid, "/dev/null")))
        command("init", "--repo", str(empty))
        args = [*command.program, "cat", "--gateway", url, "--repo", str(empty), cid]
        theirs.append(
            timed(lambda args=args: subprocess.run(args, stdout=subprocess.DEVNULL, env=command.env, check=True))
        )
        subprocess.run(["rm", "-rf", str(empty)], check=True)
    for name, seconds in (("ipfsz in Python", ours), ("`ipfsz cat --gateway`, with the start of its process", theirs)):
        print(f"| {name} | {size / 1e6 / statistics.median(seconds):,.0f} |")
    ratios = sorted(their / own for own, their in zip(ours, theirs, strict=True))
    print(f"\nspeed against the command, by rounds: {', '.join(f'{ratio:.2f}' for ratio in ratios)}")


def measure_file(megabytes: int, folder: Path, command: Command, kubo: Kubo, url: str) -> None:
    # repeats itself after 64 MB, which no frame of 4 MiB can use
    parts = [words(1_000_000, seed) for seed in range(min(64, megabytes))]
    data = b"".join(b"%010d" % index + parts[index % len(parts)][10:] for index in range(megabytes))
    (folder / "data").write_bytes(data)
    (default,) = command.add("data")
    (ranges,) = command.add("--optimize", "ranges", "data")
    plain = kubo("add", "-Q", "--cid-version=1", "data")
    compressed, uncompressed = CountingProxy(url), CountingProxy(kubo.url)

    def ours(proxy: CountingProxy) -> Callable[[], Any]:
        return lambda: IpfszFileSystem(gateways=[proxy.url], cache=False, skip_instance_cache=True)

    def theirs() -> Any:
        from ipfsspec import AsyncIPFSFileSystem

        return AsyncIPFSFileSystem(gateway_addr=uncompressed.url, skip_instance_cache=True)

    measure_parts(
        data,
        [
            ("ipfsz, `add --optimize ranges`", compressed, ours(compressed), ranges),
            ("ipfsz, `add`", compressed, ours(compressed), default),
            ("ipfsz, uncompressed on Kubo's gateway", uncompressed, ours(uncompressed), plain),
            ("ipfsspec, uncompressed on Kubo's gateway", uncompressed, theirs, plain),
        ],
    )
    measure_whole(len(data), command, url, default)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=1000, help="of the file. 0: only the Zarr")
    parser.add_argument("--chunks", type=int, default=10_000, help="of the Zarr. 0: only the file")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.chdir(folder)
        command, kubo = Command(folder / "repo"), Kubo(folder / "kubo")
        command("init")
        process, url = command.gateway()
        try:
            if args.megabytes > 0:
                measure_file(args.megabytes, folder, command, kubo, url)
            if args.chunks > 0:
                measure_zarr(args.chunks, folder, command, kubo, url)
        finally:
            process.terminate()
            kubo.close()


main()
