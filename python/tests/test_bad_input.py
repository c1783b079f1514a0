"""Gateways that do not even speak HTTP, caches that this user may not use, and what all of it takes of time and memory.

Each read is a process of its own, so that its user, its limits and its memory are its own too.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from aiohttp import web

from conftest import ROOT, words
from gateway import Gateway
from ipfsz import CID
from make import Store, marked, simple_file

DATA = words(300_000)
STORE = Store()
NAME = marked(simple_file(STORE, DATA))
pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from Linux")
#: Python with aiohttp and zstd, without reading anything, takes about 60 MB.
MAX_RSS = 200 << 20

#: Not ru_maxrss, which the process that starts another one hands on to it.
PEAK = """
import re
def peak():
    with open("/proc/self/status") as status:
        return int(re.search(r"VmHWM:\\s+(\\d+)", status.read())[1]) * 1024
"""
READ = (
    PEAK
    + """
import os, resource, sys
from ipfsz import IpfszError, IpfszFileSystem
if "nobody" in sys.argv:
    # another user may not be able to import what is installed for this one: so read once before
    IpfszFileSystem(gateways=[sys.argv[1]], cache=False, skip_instance_cache=True).cat_file(sys.argv[3])
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
if "limit" in sys.argv:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
fs = IpfszFileSystem(gateways=[sys.argv[1]], cache=eval(sys.argv[2]), timeout=5, stall_timeout=2, retries=0)
try:
    print(len(fs.cat_file(sys.argv[3])))
except IpfszError as err:
    print(type(err).__name__)
print(peak())
"""
)


def read(url: str, cache: object = False, *options: str) -> tuple[str, int]:
    """Its outcome, and the most memory that it had."""
    args = [sys.executable, "-c", READ, url, repr(cache), NAME, *options]
    run = subprocess.run(args, capture_output=True, text=True, timeout=60)
    assert run.stderr == ""
    outcome, memory = run.stdout.split()
    return outcome, int(memory)


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    with Gateway(STORE.blocks) as gateway:
        yield gateway


@contextmanager
def raw_server(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """Does with each connection what it likes."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=run, args=(connection,), daemon=True).start()

    def run(connection: socket.socket) -> None:
        with connection:
            try:
                connection.recv(65_536)
                answer(connection)
            except OSError:
                pass

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()


def endless_headers(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"X-More: " + b"x" * 1000 + b"\r\n")


def endless_header(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-More: ")
    while True:
        connection.sendall(b"x" * 65_536)


def endless_chunks(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        connection.sendall(b"10000\r\n" + bytes(65_536) + b"\r\n")


def endless_chunk_size(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        connection.sendall(b"0" * 65_536)


def noise(connection: socket.socket) -> None:
    connection.sendall(bytes(range(256)) * 100)


def close(_: socket.socket) -> None: ...


def silence(_: socket.socket) -> None:
    time.sleep(60)


def negative_length(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nx")


def slow_headers(connection: socket.socket) -> None:
    for byte in b"HTTP/1.1 200 OK\r\n" * 100:
        connection.sendall(bytes([byte]))
        time.sleep(0.5)


def endless_hints(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" * 100)


def endless_trailers(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n")
    while True:
        connection.sendall(b"X-More: " + b"x" * 1000 + b"\r\n")


def endless_extension(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;")
    while True:
        connection.sendall(b"x" * 65_536)


def tiny_chunks(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        connection.sendall(b"1\r\nx\r\n" * 10_000)


def two_lengths(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde")


def no_http(connection: socket.socket) -> None:
    connection.sendall(STORE.blocks[CID.parse(NAME).multihash])


@pytest.mark.parametrize(
    "answer",
    [
        endless_hints,
        endless_trailers,
        endless_extension,
        tiny_chunks,
        two_lengths,
        no_http,
        endless_headers,
        endless_header,
        endless_chunks,
        endless_chunk_size,
        noise,
        close,
        silence,
        negative_length,
        slow_headers,
    ],
)
def test_a_server_that_is_no_gateway_is_a_named_error(
    answer: Callable[[socket.socket], None],
) -> None:
    with raw_server(answer) as url:
        start = time.monotonic()
        outcome, memory = read(url)

    assert outcome == "GatewaysFailedError"
    assert time.monotonic() - start < 30
    assert memory < MAX_RSS


def test_a_body_without_end_takes_little_memory() -> None:
    async def endless(request: web.Request, _: bytes | None) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(bytes(1 << 20))

    with Gateway(STORE.blocks, endless) as gateway:
        outcome, memory = read(gateway.url)

    assert outcome == "GatewaysFailedError"
    assert memory < MAX_RSS


needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can read as another user")


@pytest.fixture
def open_path(tmp_path: Path) -> Path:
    """A directory that every user can reach. pytest's own are only for this one."""
    for parent in [tmp_path, *tmp_path.parents]:
        if parent.stat().st_uid == os.getuid() and parent != parent.parent and not parent.stat().st_mode & 0o005:
            parent.chmod(0o755)
    return tmp_path


def tree_of(path: Path) -> list[Path]:
    return sorted(path.rglob("*"))


@needs_root
@pytest.mark.parametrize("mode", [0o755, 0o700, 0o500, 0o000], ids=["readable", "hidden", "read-only", "closed"])
def test_a_cache_of_another_user_is_read_or_passed_over(gateway: Gateway, open_path: Path, mode: int) -> None:
    cache = open_path / "cache"
    assert read(gateway.url, str(cache))[0] == str(len(DATA))
    before = tree_of(cache)
    cache.chmod(mode)

    assert read(gateway.url, str(cache), "nobody")[0] == str(len(DATA))
    cache.chmod(0o755)
    assert tree_of(cache) == before


@needs_root
def test_a_cache_that_may_only_be_read_is_passed_over(gateway: Gateway, open_path: Path) -> None:
    cache = open_path / "cache"
    cache.mkdir()
    os.chown(cache, 65534, 65534)
    cache.chmod(0o555)

    assert read(gateway.url, str(cache), "nobody")[0] == str(len(DATA))
    assert tree_of(cache) == []


def test_a_cache_on_a_full_disk_is_passed_over(gateway: Gateway, tmp_path: Path) -> None:
    # the system refuses to write more than 1,000 bytes of a file, as it does where the disk is full
    assert read(gateway.url, str(tmp_path / "cache"), "limit")[0] == str(len(DATA))
    assert [path for path in tree_of(tmp_path) if path.is_file() and path.stat().st_size >= 1000] == []


def test_nodes_of_the_smallest_links_take_little_memory(tmp_path: Path) -> None:
    """One in another: each has 60,000 links, of 14 bytes, to no bytes."""
    store, leaf = Store(), CID(1, 0x55, 0, b"")
    child, size = store.file(b"x"), 1
    for _ in range(6):
        child = store.file(children=[(child, size), *[(leaf, 0)] * 60_000])
    code = "import sys; from ipfsz import IpfszFileSystem; "
    code += "fs = IpfszFileSystem(cars=[sys.argv[1]], gateways=[], cache=False); print(fs.cat_file(sys.argv[2])); "
    args = [sys.executable, "-c", PEAK + code + "print(peak())", store.car(tmp_path / "a.car", child), str(child)]
    found, memory = subprocess.run(args, capture_output=True, text=True, timeout=300, check=True).stdout.split()

    assert found == "b'x'"
    assert int(memory) < 120 << 20


@pytest.mark.nightly
def test_no_hostile_vector_takes_more_than_its_bounds() -> None:
    code = """
import json, pathlib, sys
from ipfsz import IpfszError, IpfszFileSystem
for path in sorted(pathlib.Path(sys.argv[1]).glob("bad-*.json")):
    vector = json.loads(path.read_text())
    fs = IpfszFileSystem(cars=[path.with_suffix(".car")], gateways=[], cache=False, skip_instance_cache=True)
    try:
        fs.ls(vector["marked"]) if "listing" in vector else fs.cat_file(vector["marked"])
    except IpfszError:
        pass
print(peak())
"""
    code = PEAK + code
    args = [sys.executable, "-c", code, str(ROOT / "vectors")]
    run = subprocess.run(args, capture_output=True, text=True, timeout=120, check=True)

    # a base in frames of 16 MiB is among them, and 64 MiB of frames are kept
    assert int(run.stdout) < 512 << 20


CLOSE = """
import asyncio, sys
from ipfsz import IpfszFileSystem
from ipfsz.http import Http
close = Http.close
async def slow(self):
    await asyncio.sleep(0.2)
    await close(self)
    print("closed")
Http.close = slow
fs = IpfszFileSystem(gateways=[sys.argv[1]], cache=False)
print(len(fs.cat_file(sys.argv[2])))
"""


def test_connections_are_closed_before_the_process_ends(gateway: Gateway) -> None:
    args = [sys.executable, "-X", "dev", "-c", CLOSE, gateway.url, NAME]
    run = subprocess.run(args, capture_output=True, text=True, timeout=60)

    assert (run.stdout.split(), run.stderr) == ([str(len(DATA)), "closed"], "")
