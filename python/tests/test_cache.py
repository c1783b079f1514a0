"""The cache on disk, with what others do to it, and forks and threads."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import quick, words
from gateway import Gateway
from ipfsz import IpfszFileSystem
from ipfsz.blocks import Blocks
from ipfsz.cache import DiskCache
from ipfsz.cid import CID
from make import Store, marked, simple_file

DATA = words(300_000)
STORE = Store()
ROOT = simple_file(STORE, DATA)
NAME = marked(ROOT)


@pytest.fixture
def gateway() -> Iterator[Gateway]:
    with Gateway(STORE.blocks) as gateway:
        yield gateway


def read_in_process(gateway: str, cache: str | bool) -> subprocess.CompletedProcess[str]:
    code = "import sys, fsspec; fs = fsspec.filesystem('ipfsz', gateways=[sys.argv[1]], cache=eval(sys.argv[2])); "
    code += "print(len(fs.cat_file(sys.argv[3])))"
    args = [sys.executable, "-W", "always", "-c", code, gateway, repr(cache), NAME]
    return subprocess.run(args, capture_output=True, text=True, timeout=60)


def files(cache: Path) -> list[Path]:
    return [path for path in cache.rglob("*") if path.is_file()]


def test_blocks_are_fetched_once_by_all_processes(gateway: Gateway, tmp_path: Path) -> None:
    assert quick(gateway.url, cache=tmp_path).cat_file(NAME) == DATA
    asked = len(gateway.paths)
    found = read_in_process("http://127.0.0.1:1", str(tmp_path))

    assert (found.stdout, found.stderr) == (f"{len(DATA)}\n", "")
    assert len(gateway.paths) == asked


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "huge", "pipe", "link", "directory", "unreadable"])
def test_a_damaged_file_is_fetched_again(gateway: Gateway, tmp_path: Path, damage: str) -> None:
    quick(gateway.url, cache=tmp_path).cat_file(NAME)
    for path in files(tmp_path):
        data = path.read_bytes()
        if damage == "flip":
            path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        elif damage == "cut":
            path.write_bytes(data[:-1])
        elif damage == "empty":
            path.write_bytes(b"")
        elif damage == "huge":
            os.truncate(path, 1 << 40)
        elif damage == "unreadable":
            path.chmod(0)
        else:
            path.unlink()
            if damage == "pipe":
                os.mkfifo(path)
            elif damage == "link":
                path.symlink_to("/dev/zero")
            else:
                path.mkdir()

    assert quick(gateway.url, cache=tmp_path).cat_file(NAME) == DATA


def test_a_damaged_file_is_replaced(gateway: Gateway, tmp_path: Path) -> None:
    quick(gateway.url, cache=tmp_path).cat_file(NAME)
    for path in files(tmp_path):
        path.write_bytes(b"damaged")
    quick(gateway.url, cache=tmp_path).cat_file(NAME)

    assert quick("http://127.0.0.1:1", cache=tmp_path).cat_file(NAME) == DATA


@pytest.mark.parametrize("place", ["file", "missing", "read-only", "full"])
def test_a_cache_that_cannot_be_written_is_none(gateway: Gateway, tmp_path: Path, place: str, monkeypatch) -> None:
    cache = tmp_path / "cache"
    if place == "file":
        cache.write_text("not a directory")
    elif place == "missing":
        cache = Path("/proc/nowhere")
    elif place == "read-only":
        cache.mkdir(mode=0o555)
    else:

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "replace", full)

    assert quick(gateway.url, cache=cache).cat_file(NAME) == DATA
    if place == "full":
        assert files(cache) == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make files of other users")
def test_what_another_user_put_there_is_compared_with_its_hash(gateway: Gateway, tmp_path: Path) -> None:
    cache = DiskCache(tmp_path)
    forged = cache._path(CID(1, ROOT.codec, ROOT.hash, ROOT.digest))
    forged.parent.mkdir(parents=True)
    forged.write_bytes(b"forged")
    for path in (tmp_path, forged.parent, forged):
        os.chown(path, 12345, 12345)

    assert quick(gateway.url, cache=tmp_path).cat_file(NAME) == DATA


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make files of other users")
@pytest.mark.parametrize("place", ["", "fetched", ".."])
def test_nothing_is_written_or_deleted_where_another_user_may_put_links(tmp_path: Path, place: str) -> None:
    cache = DiskCache(tmp_path / "cache", limit=1000)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path = cache._path(ROOT)
    (elsewhere / path.name).write_bytes(b"of another program")
    path.parent.parent.mkdir(parents=True)
    path.parent.symlink_to(elsewhere)
    os.chown(tmp_path / "cache" / place, 12345, 12345)
    cache.put(ROOT, DATA[:100])
    cache.remove(ROOT)

    assert [(file.name, file.read_bytes()) for file in elsewhere.iterdir()] == [(path.name, b"of another program")]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make files of other users")
def test_nothing_is_written_or_deleted_through_a_link_of_another_user(tmp_path: Path) -> None:
    victim = tmp_path / "victim/fetched/aa"
    victim.mkdir(parents=True)
    (victim / ("a" * 20)).write_bytes(bytes(2000))
    link = tmp_path / "cache"
    link.symlink_to(tmp_path / "victim")
    os.lchown(link, 12345, 12345)
    cache = DiskCache(link, limit=1000)
    cache.put(ROOT, DATA[:100])

    assert [path.name for path in files(tmp_path / "victim")] == ["a" * 20]


def test_a_link_of_ones_own_is_followed(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "cache").symlink_to(tmp_path / "disk")
    DiskCache(tmp_path / "cache").put(ROOT, DATA[:100])

    assert len(files(tmp_path / "disk")) == 1


def test_files_of_others_are_not_deleted(tmp_path: Path) -> None:
    others = [tmp_path / "blocks/aa" / ("a" * 20), tmp_path / "fetched/readme.txt"]
    for path in others:
        path.parent.mkdir(parents=True)
        path.write_bytes(bytes(2000))
    DiskCache(tmp_path, limit=1000).put(ROOT, DATA[:100])

    assert all(path.exists() for path in others)


def test_blocks_that_came_together_are_one_file(tmp_path: Path) -> None:
    store = Store()
    blocks = [(store.put(data), data) for data in (b"one", b"another", b"")]
    blocks.append((CID(1, 0x55, 0, bytes(300)), bytes(300)))
    DiskCache(tmp_path).put_pack(ROOT, blocks)
    cache = DiskCache(tmp_path)

    assert len(files(tmp_path)) == 1
    assert not cache.has(blocks[0][0])
    assert cache.open_pack(ROOT)
    assert not cache.open_pack(blocks[0][0])
    assert [cache.get(cid) for cid, _ in blocks] == [b"one", b"another", b"", None]
    cache.remove(blocks[1][0])
    assert [cache.get(cid) for cid, _ in blocks] == [None] * 4
    assert files(tmp_path) == []


@pytest.mark.parametrize("head", [b"", b"\xff" * 3, b"\xff" * 4, b"\xff" * 100, b"\1\0\0\0\x22\xff\xff\xff\xff"])
def test_a_damaged_pack_is_passed_over(tmp_path: Path, head: bytes) -> None:
    cid = Store().put(b"block")
    DiskCache(tmp_path).put_pack(ROOT, [(cid, b"block")])
    (path,) = files(tmp_path)
    for data in (head, head + path.read_bytes()[len(head) :]):
        path.write_bytes(data)
        cache = DiskCache(tmp_path)
        cache.open_pack(ROOT)
        assert cache.get(cid) is None or cache.get(cid) == b"block"


def test_places_in_packs_are_bounded(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("ipfsz.cache._MAX_PLACES", 10)
    cache, store = DiskCache(tmp_path), Store()
    blocks = [(store.put(bytes([index])), bytes([index])) for index in range(25)]
    for start in (0, 5, 10, 20):
        cache.put_pack(blocks[start][0], blocks[start : start + 5])

    assert [cache.has(cid) for cid, _ in blocks] == [False] * 10 + [True] * 5 + [False] * 5 + [True] * 5


def test_the_cache_stays_within_its_size(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path, 1 << 20)
    store = Store()
    cids = [store.put(index.to_bytes(4, "big") * 5000) for index in range(200)]
    for age, cid in enumerate(cids):
        cache.put(cid, store.blocks[cid.multihash])
        path = cache._path(cid)
        if path.exists():
            os.utime(path, (age, age))
        cache.get(cids[0])
    total = sum(path.stat().st_size for path in files(tmp_path))

    assert total <= (1 << 20) * 17 // 16 + 20_000
    assert cache.get(cids[-1]) is not None
    assert cache.get(cids[1]) is None


def test_threads_share_one_file_system(gateway: Gateway) -> None:
    fs = quick(gateway.url)
    found: list[bytes] = []

    def read(index: int) -> None:
        found.append(fs.cat_file(NAME, index * 1000, index * 1000 + 1000) == DATA[index * 1000 : index * 1000 + 1000])

    threads = [threading.Thread(target=read, args=(index,)) for index in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert found == [True] * 32
    assert len(gateway.paths) == len(set(gateway.paths))


@pytest.mark.parametrize("turns", range(10))
def test_a_block_is_fetched_once_whenever_it_is_asked_for_again(turns: int) -> None:
    store = Store()
    cid = store.put(b"a block")
    fetched: list[CID] = []

    class Slow:
        async def fetch(self, cid: CID) -> bytes:
            fetched.append(cid)
            await asyncio.sleep(0)
            return store.blocks[cid.multihash]

        async def close(self) -> None: ...

    async def get_again(blocks: Blocks) -> bytes:
        for _ in range(turns):
            await asyncio.sleep(0)
        return await blocks.get(cid)

    async def get_twice() -> list[bytes]:
        blocks = Blocks([Slow()], None)
        return await asyncio.gather(blocks.get(cid), get_again(blocks))

    assert asyncio.run(get_twice()) == [b"a block"] * 2
    assert fetched == [cid]


def _read(fs: IpfszFileSystem, queue) -> None:
    try:
        queue.put(fs.cat_file(NAME) == DATA)
    except BaseException as err:
        queue.put(repr(err))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_read_with_a_file_system_from_before(gateway: Gateway, tmp_path: Path, method: str) -> None:
    fs = quick(gateway.url, cache=tmp_path)
    assert fs.cat_file(NAME) == DATA
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    processes = [context.Process(target=_read, args=(fs, queue), daemon=True) for _ in range(3)]
    for process in processes:
        process.start()

    assert [queue.get(timeout=30) for _ in processes] == [True] * 3
    for process in processes:
        process.join(10)
    assert fs.cat_file(NAME, 0, 10) == DATA[:10]


def test_a_process_reads_after_a_fork_in_which_locks_were_held(gateway: Gateway, tmp_path: Path) -> None:
    fs = quick(gateway.url, cache=tmp_path)
    assert fs._cache is not None
    queue = multiprocessing.get_context("fork").Queue()
    with fs._lock, fs._cache._lock:
        process = multiprocessing.get_context("fork").Process(target=_read, args=(fs, queue), daemon=True)
        process.start()

        assert queue.get(timeout=30) is True


def test_a_process_ends_without_a_word(gateway: Gateway) -> None:
    found = read_in_process(gateway.url, False)

    assert (found.returncode, found.stderr) == (0, "")
