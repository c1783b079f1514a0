"""IPNS records, and the names that gateways resolve."""

from __future__ import annotations

import calendar
from collections.abc import Awaitable, Callable

import pytest
from aiohttp import web

from conftest import quick
from gateway import Gateway
from ipfsz import CID, NameNotResolvedError
from ipfsz.cid import RAW, TREE, ZSTD
from ipfsz.ed25519 import verify_ed25519
from ipfsz.ipns import read_record
from make import Store

NAME = CID.parse("k51qzi5uqu5dkdshchl4ffmc08969jsh0lj0m9697z4il9llgf640iva4yxqar")
#: As `ipfsz name publish MARKED` made it, for a marked directory.
RECORD = bytes.fromhex(
    "0a412f697066732f626166796265696671356d75677765756d73726235737075717a6c343269646a666963327a7770326c67"
    "6465336866687971326e6a667a697235651240a68d34abd85c40eb3ba36e5ecd46bc5c6de2b5fd9b328908b57abb665a639d"
    "ddd98dc7424b33e77ad46307d89882d41ef7fa463de26b84a1891cd0a9a9bd22021800221e323032362d31312d3239543038"
    "3a32313a32352e3334353030303030305a28013080f092cbdd084240a9d9aa0536304ff4f128ab547d0dbff4a6384adb1010"
    "5748182816a060b6b4c025b638fbb4bf4efabade6f7dda390098109c1fe8e34cb79de7fb76e817c790054aa401a66354544c"
    "1b00000045d964b8006556616c756558412f697066732f626166796265696671356d75677765756d73726235737075717a6c"
    "343269646a666963327a7770326c676465336866687971326e6a667a69723565665f697066737a1a003f5a00685365717565"
    "6e6365016856616c6964697479581e323032362d31312d32395430383a32313a32352e3334353030303030305a6c56616c69"
    "646974795479706500"
)
MARKED = "bagalj7ibciqlb2zinmjizfcd3e7jbsxzuqgskqfvtm7uwmgjwokprbu2slsrd2i"
PLAIN = CID.parse(MARKED).plain()
VALID = calendar.timegm((2026, 11, 28, 0, 0, 0))


def test_a_record_says_the_marked_cid_that_was_published() -> None:
    record = read_record(NAME, RECORD, VALID)

    assert (record.value, record.ttl) == (MARKED, 300)


def test_refuses_a_record_that_has_expired() -> None:
    with pytest.raises(ValueError, match="expired"):
        read_record(NAME, RECORD, VALID + 2 * 86_400)


def test_refuses_a_record_with_any_bit_changed_in_what_is_signed() -> None:
    from ipfsz.protobuf import read_fields

    data = next(bytes(data) for number, _, _, data in read_fields(memoryview(RECORD)) if number == 9)
    start = RECORD.rindex(data)
    for at in range(start, start + len(data), 7):
        changed = bytearray(RECORD)
        changed[at] ^= 1
        with pytest.raises(ValueError):
            read_record(NAME, bytes(changed), VALID)


@pytest.mark.parametrize(
    ("value", "marker"),
    [
        (f"/ipfs/{PLAIN}", 0x3F5A99),
        (f"/ipfs/{PLAIN}", "zstd"),
        (f"/ipfs/{CID(1, RAW, PLAIN.hash, PLAIN.digest)}", TREE),
        (f"/ipfs/{MARKED}", ZSTD),
    ],
)
def test_refuses_a_marker_that_the_root_cannot_have(value: str, marker: object, monkeypatch) -> None:
    data = {"Value": value.encode(), "Validity": b"2100-01-01T00:00:00Z", "ValidityType": 0, "_ipfsz": marker}
    monkeypatch.setattr("ipfsz.ipns.verify_ed25519", lambda *_: True)
    monkeypatch.setattr("ipfsz.ipns.decode_cbor", lambda _: data)

    with pytest.raises(ValueError, match="marker"):
        read_record(NAME, RECORD, VALID)


@pytest.mark.parametrize("record", [b"", b"<!DOCTYPE html>", RECORD[:-1], b"\0" * 500])
def test_refuses_what_is_no_record(record: bytes) -> None:
    with pytest.raises(ValueError):
        read_record(NAME, record, VALID)


def test_refuses_the_record_of_another_name() -> None:
    other = CID(1, NAME.codec, NAME.hash, NAME.digest[:-1] + bytes([NAME.digest[-1] ^ 1]))
    with pytest.raises(ValueError):
        read_record(other, RECORD, VALID)


@pytest.mark.parametrize(
    ("key", "message", "signature"),
    [
        # RFC 8032, section 7.1, tests 1 and 3
        (
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
        ),
    ],
)
def test_verifies_signatures_of_the_rfc(key: str, message: str, signature: str) -> None:
    parts = [bytes.fromhex(part) for part in (key, message, signature)]

    assert verify_ed25519(*parts)
    assert not verify_ed25519(parts[0], parts[1] + b"x", parts[2])
    assert not verify_ed25519(parts[0], parts[1], parts[2][:-1])
    assert not verify_ed25519(parts[0], parts[1], bytes(32) + parts[2][32:])


def answering(answer: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> Gateway:
    async def behave(request: web.Request, block: bytes | None) -> web.StreamResponse:
        if request.path.startswith("/ipns/"):
            return await answer(request)
        return web.Response(body=block) if block is not None else web.Response(status=404)

    return Gateway(STORE.blocks, behave)


STORE = Store()
FILE = STORE.file(b"of a name")
SITE = STORE.directory({"file": FILE})


def test_a_dnslink_is_what_the_gateway_says() -> None:
    async def answer(_: web.Request) -> web.StreamResponse:
        return web.Response(body=STORE.blocks[SITE.multihash], headers={"X-Ipfs-Roots": str(SITE)})

    with answering(answer) as gateway:
        fs = quick(gateway.url)
        assert fs.cat_file("ipns://example.org/file") == b"of a name"
        assert fs.info("ipns://example.org/file")["cid"] == str(FILE)
        assert gateway.paths.count("/ipns/example.org/") == 1


@pytest.mark.parametrize("name", ["example.org", str(NAME), "12D3KooWMABDv7564azxS7TXagRHMJYRzVzjUob4VbKWyq9oW7hL"])
@pytest.mark.parametrize("roots", ["", "nonsense"])
def test_a_name_that_is_not_resolved_is_a_named_error(name: str, roots: str) -> None:
    async def answer(_: web.Request) -> web.StreamResponse:
        return web.Response(body=b"no record", headers={"X-Ipfs-Roots": roots})

    with answering(answer) as gateway, pytest.raises(NameNotResolvedError):
        quick(gateway.url).cat_file(f"ipns://{name}/file")
