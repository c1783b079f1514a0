"""Gateways that lie, stall, redirect and fail."""

from __future__ import annotations

import asyncio
import gzip
import time
import traceback
from collections.abc import Iterator

import pytest
from aiohttp import web

from conftest import quick, words
from gateway import Gateway, serve
from ipfsz import GatewaysFailedError, InvalidCidError, IpfszError
from ipfsz.http import is_public
from make import Store, marked, simple_file

DATA = words(200_000)
STORE = Store()
ROOT = simple_file(STORE, DATA)
CID = marked(ROOT)


@pytest.fixture
def good() -> Iterator[Gateway]:
    with Gateway(STORE.blocks) as gateway:
        yield gateway


async def lie(_: web.Request, block: bytes | None) -> web.StreamResponse:
    return web.Response(body=bytes(len(block or b"")))


async def page(_: web.Request, __: bytes | None) -> web.StreamResponse:
    return web.Response(text="<!DOCTYPE html><p>Sign in", content_type="text/html")


async def stall(_: web.Request, __: bytes | None) -> web.StreamResponse:
    await asyncio.sleep(60)
    raise AssertionError


async def stall_in_the_body(request: web.Request, block: bytes | None) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    await response.write((block or b"")[:10])
    await asyncio.sleep(60)
    return response


async def trickle(request: web.Request, block: bytes | None) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    for at in range(len(block or b"")):
        await response.write((block or b"")[at : at + 1])
        await asyncio.sleep(0.2)
    return response


async def cut(request: web.Request, block: bytes | None) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Length": str(len(block or b""))})
    await response.prepare(request)
    await response.write((block or b"")[:10])
    assert request.transport is not None
    request.transport.close()
    return response


async def endless(request: web.Request, _: bytes | None) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    while True:
        await response.write(bytes(65536))


async def huge(_: web.Request, __: bytes | None) -> web.StreamResponse:
    return web.Response(body=bytes(3 << 20))


async def compressed(_: web.Request, block: bytes | None) -> web.StreamResponse:
    return web.Response(body=block, headers={"Content-Encoding": "gzip"})


async def bomb(_: web.Request, __: bytes | None) -> web.StreamResponse:
    return web.Response(body=gzip.compress(bytes(64 << 20)), headers={"Content-Encoding": "gzip"})


async def empty(_: web.Request, __: bytes | None) -> web.StreamResponse:
    return web.Response(body=b"")


async def another_block(_: web.Request, __: bytes | None) -> web.StreamResponse:
    return web.Response(body=b"of another CID", content_type="application/vnd.ipld.raw")


async def redirect_in_circles(request: web.Request, _: bytes | None) -> web.StreamResponse:
    return web.Response(status=302, headers={"Location": str(request.url)})


async def broken(_: web.Request, __: bytes | None) -> web.StreamResponse:
    return web.Response(status=500)


async def missing(_: web.Request, __: bytes | None) -> web.StreamResponse:
    return web.Response(status=404)


BAD = [
    lie,
    page,
    stall,
    stall_in_the_body,
    trickle,
    cut,
    endless,
    huge,
    compressed,
    bomb,
    empty,
    another_block,
    redirect_in_circles,
    broken,
    missing,
]


@pytest.mark.parametrize("behaviour", BAD)
def test_a_bad_gateway_alone_is_a_named_error_in_time(behaviour) -> None:
    with Gateway(STORE.blocks, behaviour) as gateway:
        start = time.monotonic()
        with pytest.raises(GatewaysFailedError) as caught:
            quick(gateway.url).cat_file(CID)

    assert gateway.url in str(caught.value)
    assert time.monotonic() - start < 10


@pytest.mark.parametrize("behaviour", BAD)
def test_the_next_gateway_is_asked(good: Gateway, behaviour) -> None:
    with Gateway(STORE.blocks, behaviour) as bad:
        assert quick(bad.url, good.url).cat_file(CID) == DATA


def test_a_gateway_that_does_not_listen_is_passed_over(good: Gateway) -> None:
    assert quick("http://127.0.0.1:1", good.url).cat_file(CID) == DATA


def test_a_gateway_that_lied_is_asked_last(good: Gateway) -> None:
    with Gateway(STORE.blocks, lie) as liar:
        fs = quick(liar.url, good.url)
        fs.cat_file(CID)
        before = len(liar.paths)
        store = Store()
        cid = store.file(b"more")
        good.blocks = {**STORE.blocks, **store.blocks}

        assert fs.cat_file(str(cid)) == b"more"
        assert len(liar.paths) == before


def test_asks_again_after_a_passing_failure() -> None:
    async def fail_once(request: web.Request, block: bytes | None) -> web.StreamResponse:
        if gateway.paths.count(request.path) == 1:
            return web.Response(status=503, headers={"Retry-After": "0"})
        return await serve(request, block)

    with Gateway(STORE.blocks, fail_once) as gateway:
        assert quick(gateway.url, retries=1).cat_file(CID) == DATA


def test_only_plain_cids_are_asked_for(good: Gateway) -> None:
    quick(good.url).cat_file(CID)

    assert not [path for path in good.paths if CID in path]


@pytest.mark.parametrize(
    "address", ["10.0.0.1", "192.168.1.1", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]", "0.0.0.0"]
)
def test_no_redirect_leads_into_a_private_network(address: str) -> None:
    async def redirect(_: web.Request, __: bytes | None) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": f"http://{address}:1/"})

    with Gateway(STORE.blocks, redirect) as gateway, pytest.raises(GatewaysFailedError, match="private network"):
        quick(gateway.url).cat_file(CID)


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "localhost"])
def test_no_name_leads_to_another_port_of_this_machine(good: Gateway, host: str) -> None:
    async def redirect(_: web.Request, __: bytes | None) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": f"http://{host}:{good.port}/ipfs/{ROOT}?format=raw"})

    with Gateway(STORE.blocks, redirect) as gateway, pytest.raises(GatewaysFailedError):
        quick(gateway.url).cat_file(CID)
    assert good.paths == []


def test_a_gateway_on_this_machine_may_redirect_to_its_subdomains() -> None:
    async def redirect(request: web.Request, block: bytes | None) -> web.StreamResponse:
        if request.host.startswith("127"):
            location = f"http://{ROOT}.ipfs.localhost:{gateway.port}{request.path_qs}"
            return web.Response(status=301, headers={"Location": location})
        return await serve(request, block)

    with Gateway(STORE.blocks, redirect) as gateway:
        assert quick(gateway.url).cat_file(CID) == DATA


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "ftp://example.org/", "http://user@example.org/", "http://"]
)
def test_no_redirect_leads_elsewhere_than_http(location: str) -> None:
    async def redirect(_: web.Request, __: bytes | None) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": location})

    with Gateway(STORE.blocks, redirect) as gateway, pytest.raises(GatewaysFailedError):
        quick(gateway.url).cat_file(CID)


def test_headers_of_the_user_do_not_follow_redirects() -> None:
    seen = []

    async def redirect(request: web.Request, block: bytes | None) -> web.StreamResponse:
        seen.append((request.host.partition(":")[0], request.headers.get("Authorization")))
        if request.host.startswith("127"):
            location = f"http://x.ipfs.localhost:{gateway.port}{request.path_qs}"
            return web.Response(status=301, headers={"Location": location})
        return await serve(request, block)

    with Gateway(STORE.blocks, redirect) as gateway:
        quick(gateway.url, headers={"Authorization": "Bearer secret"}).info(CID)
    assert seen == [("127.0.0.1", "Bearer secret"), ("x.ipfs.localhost", None)]


def test_passwords_are_not_in_messages() -> None:
    with Gateway(STORE.blocks, broken) as gateway, pytest.raises(GatewaysFailedError) as caught:
        quick(f"http://user:secret@127.0.0.1:{gateway.port}").cat_file(CID)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["user:s3cr3t@host", "ftp://u:s3cr3t@x/", "//u:s3cr3t@x", "ftp://x/?token=s3cr3t", "http://u:s3cr3t@h:x/"]
)
def test_secrets_of_refused_urls_are_not_in_messages(url: str) -> None:
    with pytest.raises(IpfszError) as caught:
        quick(url).cat_file(CID)
    assert "s3cr3t" not in "".join(traceback.format_exception(caught.value))


PRIVATE = ["127.0.0.1", "10.1.2.3", "::1", "::ffff:127.0.0.1", "fe80::1%eth0", "224.0.0.1", "64:ff9b::10.1.2.3"]
PRIVATE += ["2002:a01:203::1", "2001:0:102:304:0:0:f5fe:fdfc"]
PRIVATE += ["64:ff9b:1::7f00:1", "fec0::1", "::127.0.0.1", "192.0.0.192", "168.63.129.16"]


@pytest.mark.parametrize("address", PRIVATE)
def test_knows_private_addresses(address: str) -> None:
    assert not is_public(address)
    assert is_public("1.1.1.1")
    assert is_public("64:ff9b::1.1.1.1")
    assert is_public("2606:4700::1111")


def test_redirects_have_one_timeout_together() -> None:
    async def redirect(_: web.Request, __: bytes | None) -> web.StreamResponse:
        await asyncio.sleep(0.6)
        return web.Response(status=302, headers={"Location": "/again"})

    with Gateway(STORE.blocks, redirect) as gateway:
        start = time.monotonic()
        with pytest.raises(GatewaysFailedError, match="in time"):
            quick(gateway.url, timeout=1, stall_timeout=1).cat_file(CID)

    assert time.monotonic() - start < 3


@pytest.mark.parametrize("url", ["127.0.0.1:8080", "ftp://host", "http://"])
def test_refuses_what_is_no_url_of_a_gateway(url: str) -> None:
    with pytest.raises(IpfszError):
        quick(url).cat_file(CID)


@pytest.mark.parametrize(
    "path", ["", "nonsense", "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbz", CID[:-1], "Qm" + "1" * 44]
)
def test_refuses_what_is_no_cid(good: Gateway, path: str) -> None:
    with pytest.raises((InvalidCidError, FileNotFoundError)):
        quick(good.url).cat_file(path)


def test_a_failing_gateway_is_not_a_missing_file() -> None:
    store = Store()
    directory = store.directory({"there": ROOT})
    blocks = {directory.multihash: store.blocks[directory.multihash]}

    with Gateway(blocks) as gateway, pytest.raises(GatewaysFailedError) as caught:
        quick(gateway.url).cat_file(f"{directory}/there")
    assert not isinstance(caught.value, FileNotFoundError)


def test_frames_that_several_ranges_need_are_fetched_once(good: Gateway) -> None:
    fs = quick(good.url)
    found = fs.cat_ranges([CID] * 50, list(range(0, 50_000, 1000)), list(range(10, 50_010, 1000)))

    assert found == [DATA[at : at + 10] for at in range(0, 50_000, 1000)]
    assert len(good.paths) == len(set(good.paths)) == 2


def test_a_range_fetches_the_root_and_the_leaf_that_holds_it() -> None:
    store = Store()
    data = words(2_000_000)
    frames = [data[at : at + 65536] for at in range(0, len(data), 65536)]
    from make import header_of, zstd_frame

    encoded = [zstd_frame(frame) for frame in frames]
    children = [store.leaves(frame)[0] for frame in encoded]
    root = store.file(children=children, header=header_of(size=len(data), lengths=[len(frame) for frame in encoded]))
    with Gateway(store.blocks) as gateway:
        assert quick(gateway.url).cat_file(marked(root), 1_000_000, 1_000_100) == data[1_000_000:1_000_100]
        assert len(gateway.paths) == 2
