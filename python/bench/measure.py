"""Measures reads over HTTP on loopback: parts of a file, a Zarr of many chunks, and a whole file.

Beside it, ipfsspec reads the same data uncompressed from Kubo's gateway, without verifying it, and the command reads
the whole file. Run it in the environment of the nightly tests, after a build of the repository:

    node_modules/.cache/ipfsz-python/nightly/bin/python python/bench/measure.py [--megabytes 1000] [--chunks 10000]
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from conftest import Command, words
from ipfsz import IpfszFileSystem
from kubo import Kubo

READS, WHOLE_READS = 20, 3
ZARR_ROUNDS = 3
HEAD = "\n\n| | requests | kB | ms | processor ms |\n|---|---:|---:|---:|---:|"


def _serve_proxy(host: str, upstream_port: int, port: Any, requests: Any, size: Any) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream, upstream_writer = await asyncio.open_connection(host, upstream_port)

        async def pump(source: asyncio.StreamReader, target: asyncio.StreamWriter, answers: bool) -> None:
            while data := await source.read(1 << 18):
                if answers:
                    size.value += len(data)
                else:
                    requests.value += data.count(b" HTTP/1.1\r\n")
                target.write(data)
                await target.drain()
            target.close()

        await asyncio.gather(pump(reader, upstream_writer, False), pump(upstream, writer, True), return_exceptions=True)

    async def run() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port.value = server.sockets[0].getsockname()[1]
        await server.serve_forever()

    asyncio.run(run())


class CountingProxy:
    """Counts requests and bytes between a client and a server on loopback, in a process of its own."""

    def __init__(self, url: str) -> None:
        context = multiprocessing.get_context("spawn")
        host, port = url.removeprefix("http://").split(":")
        own_port, self._requests, self._bytes = (context.Value("q", 0) for _ in range(3))
        values = (host, int(port), own_port, self._requests, self._bytes)
        context.Process(target=_serve_proxy, args=values, daemon=True).start()
        while own_port.value == 0:
            time.sleep(0.01)
        self.url = f"http://127.0.0.1:{own_port.value}"

    def add(self, requests: int, size: int) -> None:
        self._requests.value += requests
        self._bytes.value += size

    def take(self) -> tuple[int, int]:
        found = self._requests.value, self._bytes.value
        self._requests.value = self._bytes.value = 0
        return found


def report(name: str, proxy: CountingProxy, times: list[tuple[float, float]], count: int) -> None:
    requests, size = proxy.take()
    wall, cpu = (statistics.median(one[kind] for one in times) * 1e3 for kind in (0, 1))
    print(f"| {name} | {requests / count:,.1f} | {size / count / 1e3:,.0f} | {wall:,.1f} | {cpu:,.1f} |", flush=True)


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Seconds, and those of the processor that this process took."""
    start, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start, time.process_time() - cpu


def measure_parts(data: bytes, sources: list[tuple[str, CountingProxy, Callable[[], Any], str]]) -> None:
    print(f"\n4 KiB at a random offset, without a cache, in turns: median{HEAD}")
    times: dict[str, list[tuple[float, float]]] = {name: [] for name, *_ in sources}
    counts = {name: [0, 0] for name, *_ in sources}
    for turn, offset in enumerate(random.Random(1).sample(range(len(data) - 4096), READS)):
        for name, proxy, make, cid in sources:
            if turn >= WHOLE_READS and "ipfsspec" in name:
                continue
            fs = make()

            def read(fs: Any = fs, offset: int = offset, cid: str = cid) -> None:
                with fs.open(cid) as file:
                    file.seek(offset)
                    assert file.read(4096) == data[offset : offset + 4096]

            times[name].append(timed(read))
            requests, size = proxy.take()
            counts[name][0] += requests
            counts[name][1] += size
    for name, proxy, *_ in sources:
        proxy.add(*counts[name])
        report(name, proxy, times[name], len(times[name]))


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
    print(f"\na Zarr of {chunks:,} chunks of 8 kB, all read, in turns: median of {ZARR_ROUNDS}{HEAD}")
    kinds = (
        ("ipfsz, compressed", url, f"ipfsz://{cid}"),
        ("ipfsz, uncompressed on Kubo's gateway", kubo.url, f"ipfsz://{plain}"),
        ("ipfsspec, uncompressed on Kubo's gateway", kubo.url, f"ipfs://{plain}"),
    )
    proxies = {name: CountingProxy(server) for name, server, _ in kinds}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name, *_ in kinds}
    use_ipfsspec()
    for _ in range(ZARR_ROUNDS):
        for name, _, path in kinds:
            cache = tempfile.mkdtemp(dir=folder)
            options: dict[str, Any] = {"gateways": [proxies[name].url], "cache": cache}
            if name.startswith("ipfsspec"):
                options = {"gateway_addr": proxies[name].url}

            def read(path: str = path, options: dict[str, Any] = options) -> None:
                found = xr.open_zarr(path, storage_options={**options, "skip_instance_cache": True}, chunks=None).load()
                assert (found["t"].values == values).all()

            times[name].append(timed(read))
    for name, *_ in kinds:
        report(name, proxies[name], times[name], ZARR_ROUNDS)
    first, last = times[kinds[0][0]], times[kinds[-1][0]]
    for kind, what in enumerate(("by the clock", "of the processor")):
        ratios = ", ".join(f"{own[kind] / their[kind]:.2f}" for own, their in zip(first, last, strict=True))
        print(f"\ncompressed against ipfsspec, {what}: {ratios}", flush=True)


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
        ours.append(timed(lambda fs=fs: fs.get_file(cid, "/dev/null"))[0])
        command("init", "--repo", str(empty))
        args = [*command.program, "cat", "--gateway", url, "--repo", str(empty), cid]
        theirs.append(
            timed(lambda args=args: subprocess.run(args, stdout=subprocess.DEVNULL, env=command.env, check=True))[0]
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
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}", flush=True)
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
            print(f"\nload {os.getloadavg()[0]:.1f}")
        finally:
            process.terminate()
            kubo.close()


if __name__ == "__main__":
    main()
