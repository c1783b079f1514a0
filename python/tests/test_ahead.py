"""Small files of a directory, which come together: as CARs of gateways that may lie."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from aiohttp import web

from conftest import Added, quick
from gateway import Gateway, serve
from ipfsz import CID, IpfszFileSystem
from ipfsz.car import read_below
from ipfsz.unixfs import parse_node
from make import Store

FILES = {f"{index}.bin": bytes([index % 251]) * 3000 + b"%d" % index for index in range(200)}


def make_flat(store: Store) -> CID:
    return store.directory({name: store.file(data) for name, data in FILES.items()})


def make_nested(store: Store) -> CID:
    """As the chunks of Zarr 3: directories of 20 files."""
    names = list(FILES)
    inner = {
        f"d{at}": store.directory({name: store.file(FILES[name]) for name in names[at : at + 20]})
        for at in range(0, len(names), 20)
    }
    return store.node(b"\x08\x01", [(name, cid, 20 * 3100) for name, cid in sorted(inner.items())])


STORE = Store()
FLAT, NESTED = make_flat(STORE), make_nested(STORE)
PATHS = {FLAT: {f"{FLAT}/{name}": data for name, data in FILES.items()}}
PATHS[NESTED] = {f"{NESTED}/d{int(name[:-4]) // 20 * 20}/{name}": data for name, data in FILES.items()}


def car_of(blocks: dict[bytes, bytes], root: CID) -> bytes:
    """Depth first, each block once."""
    seen: set[bytes] = set()
    out = Store()

    def visit(cid: CID) -> None:
        if cid.multihash not in seen:
            seen.add(cid.multihash)
            out.blocks[cid.multihash] = blocks[cid.multihash]
            for link in parse_node(cid, blocks[cid.multihash]).links:
                visit(link.cid)

    visit(root)
    return out.car_bytes(root)


Change = Callable[[bytes], bytes]


def behave(change: Change) -> Callable[[web.Request, bytes | None], Awaitable[web.StreamResponse]]:
    """A gateway that sends CARs, changed."""

    async def answer(request: web.Request, block: bytes | None) -> web.StreamResponse:
        if request.query.get("format") != "car":
            return await serve(request, block)
        cars.append(request.path)
        assert request.query["dag-scope"] == "all"
        body = car_of(STORE.blocks, CID.parse(request.path.split("/")[2]))
        return web.Response(body=change(body), content_type="application/vnd.ipld.car")

    cars: list[str] = []
    answer.cars = cars  # type: ignore[attr-defined]
    return answer


def read_all(fs: IpfszFileSystem, files: dict[str, bytes], at_a_time: int = 10) -> None:
    async def read() -> list[bytes]:
        turns = asyncio.Semaphore(at_a_time)

        async def one(path: str) -> bytes:
            async with turns:
                return await fs._cat_file(path)

        try:
            return await asyncio.gather(*map(one, files))
        finally:
            await fs.reader.blocks.close()

    assert asyncio.run(read()) == list(files.values())


def asynchronous(url: str, **options: object) -> IpfszFileSystem:
    return quick(url, asynchronous=True, **{"timeout": 20, "stall_timeout": 10, **options})


@pytest.mark.parametrize("root", [FLAT, NESTED], ids=["flat", "nested"])
def test_all_files_of_a_directory_come_with_few_requests(root: CID) -> None:
    with Gateway(STORE.blocks, behave(lambda car: car)) as gateway:
        read_all(asynchronous(gateway.url), PATHS[root])

        assert len(gateway.paths) < len(FILES) // 3


def test_the_files_of_a_sharded_directory_come_with_few_requests(added: Added, tmp_path: Path) -> None:
    names = [f"{index:04d} {'n' * 200}" for index in range(1400)]
    for name in names:
        (tmp_path / name).write_text(name[:4] * 500)
    (cid,) = added.command.add("--codec", "none", tmp_path)
    fs = asynchronous(added.url)
    reader = fs._new_reader()
    fs._new_reader = lambda: reader  # type: ignore[method-assign]
    read_all(fs, {f"{cid}/{name}": name[:4].encode() * 500 for name in names})

    # 1,400 files and 256 shards
    assert reader.blocks.sources[0].requests < 800


def test_who_reads_few_files_fetches_little_more() -> None:
    with Gateway(STORE.blocks, behave(lambda car: car)) as gateway:
        sent = 0

        async def count(request: web.Request, block: bytes | None) -> web.StreamResponse:
            nonlocal sent
            response = await behave(lambda car: car)(request, block)
            sent += len(response.body)  # type: ignore[attr-defined]
            return response

        gateway.behave = count
        files = dict(list(PATHS[NESTED].items())[::20])
        read_all(asynchronous(gateway.url), files, 1)

        # a request counts as much as 16 KiB
        assert sent < 5 * len(files) * (16 << 10)


def test_what_came_ahead_is_in_the_cache(tmp_path: Path) -> None:
    with Gateway(STORE.blocks, behave(lambda car: car)) as gateway:
        read_all(asynchronous(gateway.url, cache=tmp_path), PATHS[NESTED])
        asked = len(gateway.paths)
        read_all(asynchronous(gateway.url, cache=tmp_path), PATHS[NESTED])

        assert len(gateway.paths) == asked


@pytest.mark.parametrize("root", [FLAT, NESTED], ids=["flat", "nested"])
@pytest.mark.parametrize("damage", ["flip", "cut", "gone"])
def test_a_damaged_cache_of_what_came_ahead_is_passed_over(root: CID, damage: str, tmp_path: Path) -> None:
    with Gateway(STORE.blocks, behave(lambda car: car)) as gateway:
        read_all(asynchronous(gateway.url, cache=tmp_path), PATHS[root])
        packs = [path for path in tmp_path.rglob("*+")]
        assert packs
        for path in packs:
            data = path.read_bytes()
            if damage == "gone":
                path.unlink()
            else:
                path.write_bytes(
                    data[: len(data) // 2] + (b"" if damage == "cut" else b"x" + data[len(data) // 2 + 1 :])
                )
        read_all(asynchronous(gateway.url, cache=tmp_path), PATHS[root])


def test_what_came_ahead_takes_few_files(tmp_path: Path) -> None:
    with Gateway(STORE.blocks, behave(lambda car: car)) as gateway:
        read_all(asynchronous(gateway.url, cache=tmp_path), PATHS[FLAT])

    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) < len(FILES) // 3


def test_the_rest_of_a_shard_comes_even_if_its_block_is_known(added: Added, tmp_path: Path) -> None:
    names = [f"{index:04d} {'n' * 200}" for index in range(1400)]
    for name in names:
        (tmp_path / name).write_text(name[:4] * 500)
    (cid,) = added.command.add("--codec", "none", tmp_path)
    fs = asynchronous(added.url)
    reader = fs._new_reader()
    fs._new_reader = lambda: reader  # type: ignore[method-assign]

    async def read() -> int:
        # all shards, before anything may come ahead
        await reader.list(await reader.resolve(cid))
        before: int = reader.blocks.sources[0].requests  # type: ignore[attr-defined]
        for name in names:
            assert await fs._cat_file(f"{cid}/{name}") == name[:4].encode() * 500
        return reader.blocks.sources[0].requests - before  # type: ignore[attr-defined]

    # one for each of the 256 shards, and some files before that is allowed
    assert asyncio.run(read()) < 400


def flip(car: bytes) -> bytes:
    return car[:-1] + bytes([car[-1] ^ 1])


BAD: dict[str, Change] = {
    "another byte": flip,
    "cut": lambda car: car[:-1],
    "a page": lambda _: b"<!DOCTYPE html><p>Sign in",
    "nothing": lambda _: b"",
    "no blocks": lambda car: car[: car[0] + 1],
    "too much": lambda car: car * 3,
    "other blocks": lambda _: STORE.car_bytes(FLAT)[:100_000],
    "an endless number": lambda _: b"\xff" * 1000,
}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("root", [FLAT, NESTED], ids=["flat", "nested"])
def test_a_bad_car_is_passed_over(kind: str, root: CID) -> None:
    answer = behave(BAD[kind])
    with Gateway(STORE.blocks, answer) as gateway:
        read_all(asynchronous(gateway.url), PATHS[root])

    assert answer.cars


def test_a_gateway_without_cars_is_asked_for_one_once() -> None:
    with Gateway(STORE.blocks, serve) as gateway:
        read_all(asynchronous(gateway.url), PATHS[NESTED], 1)

        assert len(gateway.paths) <= len(set(gateway.paths)) + 1


def test_a_car_that_stalls_is_passed_over_in_time() -> None:
    async def stall(request: web.Request, block: bytes | None) -> web.StreamResponse:
        if request.query.get("format") == "car":
            await asyncio.sleep(60)
        return await serve(request, block)

    with Gateway(STORE.blocks, stall) as gateway:
        start = time.monotonic()
        read_all(asynchronous(gateway.url, stall_timeout=1), PATHS[FLAT])

    assert time.monotonic() - start < 10


def test_a_directory_that_lies_about_its_size_is_read_with_bounded_cars() -> None:
    store = Store()
    files = {name: store.file(data * 20) for name, data in FILES.items()}
    root = store.node(b"\x08\x01", [(name, cid, 1) for name, cid in sorted(files.items())])
    whole = car_of(store.blocks, root)

    async def send(request: web.Request, block: bytes | None) -> web.StreamResponse:
        if request.query.get("format") != "car":
            return await serve(request, block)
        response = web.StreamResponse()
        await response.prepare(request)
        for at in range(0, len(whole), 65_536):
            sent.append(at)
            await response.write(whole[at : at + 65_536])
        return response

    sent: list[int] = []
    with Gateway(store.blocks, send) as gateway:
        read_all(asynchronous(gateway.url), {f"{root}/{name}": data * 20 for name, data in FILES.items()}, 1)

    assert len(whole) > 10 << 20
    # what the buffers of both sides hold comes in addition
    assert 0 < max(sent) < 8 << 20


def test_a_response_with_more_links_than_files_have_is_read_in_part() -> None:
    """In memory, each link takes half a kilobyte."""
    store, leaf = Store(), STORE.file(b"")
    child, size = store.file(b"x"), 1
    nodes = [child]
    for _ in range(3):
        child = store.file(children=[(child, size), *[(leaf, 0)] * 40_000])
        nodes.append(child)
    car = Store()
    for cid in reversed(nodes):
        car.blocks[cid.multihash] = store.blocks[cid.multihash]

    assert [cid for cid, *_ in read_below(child, car.car_bytes(child))] == [nodes[3], nodes[2]]
