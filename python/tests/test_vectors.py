"""Vectors: a CAR, and beside it a JSON file that says what a reader makes of it: vectors/README.md.

Those in `vectors/` of the repository run, and two made here.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from fsspec.asyn import sync

from conftest import ROOT, words
from ipfsz import CID, CorruptBlockError, CorruptFrameError, IpfszError, IpfszFileSystem
from ipfsz.car import CarSource
from ipfsz.cid import CODEC_NAMES, verify_block
from ipfsz.codecs import decode_frame
from ipfsz.varint import read_varint, write_varint
from make import Store, header_of, marked, simple_file


def check_original(fs: IpfszFileSystem, path: str, original: dict[str, Any]) -> None:
    assert fs.info(path)["size"] == original["size"]
    for one in original["ranges"]:
        assert fs.cat_file(path, one["offset"], one["offset"] + one["length"]).hex() == one["hex"]
    if "sha256" in original:
        data = fs.cat_file(path)
        assert (len(data), hashlib.sha256(data).hexdigest()) == (original["size"], original["sha256"])


def stat_of(fs: IpfszFileSystem, cid: str) -> dict[str, Any]:
    """What the root alone says."""

    async def read() -> dict[str, Any]:
        entry = await fs.reader.resolve(cid)
        if not entry.is_compressed:
            codec = CODEC_NAMES.get(entry.cid.codec)
            return {"codec": "none", "frames": 0} if codec is None else {"codec": codec}
        header = entry.header()
        stat: dict[str, Any] = {
            "codec": CODEC_NAMES[header.codec],
            "frames": header.frames,
            "frameSize": header.frame_size,
        }
        if header.filters:
            kinds = {1: "delta", 2: "shuffle", 3: "records"}
            stat["filters"] = [{"kind": kinds[code >> 8], "width": code & 0xFF} for code in header.filters]
        if header.has_base:
            stat["base"] = str(entry.node.links[-1].cid.plain())
        if header.content_cid is not None:
            stat["contentCid"] = str(header.content_cid)
        return stat

    return sync(fs.loop, read)


def read_envelope(cid: CID, value: bytes) -> bytes:
    """A block from what a store holds that compresses at rest: docs/format.md, sections 5 and 7."""

    def is_block(data: bytes) -> bool:
        try:
            verify_block(cid, data)
        except CorruptBlockError:
            return False
        return True

    if is_block(value):
        return value
    try:
        code, at = read_varint(value, 0)
        size, at = read_varint(value, at)
    except ValueError as err:
        raise CorruptBlockError(f"{cid}: {err}") from err
    if value[:at] != write_varint(code) + write_varint(size):
        raise CorruptBlockError(f"{cid}: a number that is longer than it must be")
    if code != 0x3F5A0F and code not in CODEC_NAMES:
        raise UnsupportedCodecError(f"{code:x}")
    if size > 16 << 20:
        raise BlockTooLargeError(f"{size} bytes")
    try:
        block = value[at:] if code == 0x3F5A0F else decode_frame(code, value[at:], size)
    except CorruptFrameError as err:
        raise CorruptBlockError(f"{cid}: {err}") from err
    if len(block) != size or not is_block(block):
        raise CorruptBlockError(f"{cid}")
    return block


class UnsupportedCodecError(IpfszError): ...


class BlockTooLargeError(IpfszError): ...


class AtRest:
    """A source of blocks that has what a store holds."""

    def __init__(self, car: Path) -> None:
        self._car = CarSource(car)

    async def fetch(self, cid: CID) -> bytes:
        return read_envelope(cid, await self._car.fetch(cid))

    async def close(self) -> None: ...


def check_vector(vector: dict[str, Any], car: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if vector.get("atRest"):
        monkeypatch.setattr("ipfsz.fs.CarSource", AtRest)
    fs = IpfszFileSystem(cars=[car], gateways=[], cache=False, skip_instance_cache=True)
    cid = vector["marked"]
    if "error" in vector:
        with pytest.raises(IpfszError) as caught:
            if vector.get("listing"):
                fs.ls(cid)
            else:
                fs.cat_file(f"{cid}/{vector['path']}" if "path" in vector else cid)
        assert type(caught.value).__name__ == vector["error"]
        assert getattr(caught.value, "rule", None) == vector.get("rule")
    elif "entries" in vector:
        for entry in vector["entries"]:
            check_original(fs, f"{cid}/{entry['path']}", entry)
    else:
        if "stat" in vector:
            stat = stat_of(fs, cid)
            # this package does not look at the table of a stream that another tool made
            assert stat == {key: vector["stat"][key] for key in (stat if len(stat) == 1 else vector["stat"])}
        check_original(fs, cid, vector)


@pytest.mark.parametrize("path", sorted((ROOT / "vectors").glob("*.json")), ids=lambda path: path.stem)
def test_every_vector_of_the_repository_is_read_or_refused(path: Path, monkeypatch) -> None:
    vector = json.loads(path.read_text())
    assert str(CID.parse(vector["marked"]).plain()) == vector["plain"]
    check_vector(vector, path.with_suffix(".car"), monkeypatch)


def test_a_vector_of_a_file_is_read(tmp_path: Path, monkeypatch) -> None:
    store, data = Store(), words(200_000)
    root = simple_file(store, data)
    ranges = [{"offset": 65_530, "length": 10, "hex": data[65_530:65_540].hex()}]
    vector = {"marked": marked(root), "size": len(data), "sha256": hashlib.sha256(data).hexdigest(), "ranges": ranges}

    check_vector(vector, store.car(tmp_path / "file.car", root), monkeypatch)
    with pytest.raises(AssertionError):
        check_vector({**vector, "size": 1}, tmp_path / "file.car", monkeypatch)


def test_a_vector_of_a_bad_file_is_refused(tmp_path: Path, monkeypatch) -> None:
    store = Store()
    root = store.file(b"x", header=header_of(size=1, lengths=[1], version=3))

    check_vector(
        {"marked": marked(root), "error": "InvalidHeaderError", "rule": "version"},
        store.car(tmp_path / "file.car", root),
        monkeypatch,
    )
