"""Sharded directories: those of the command, and those that claim to be endless."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from conftest import Added, quick
from ipfsz import DirectoryTooLargeError, InvalidDagError, IpfszError, IpfszFileSystem, ReadTooLargeError
from ipfsz.murmur3 import murmur3_x64_64
from make import Store, number

NAMES = [f"{index:04d} {'n' * 200}" for index in range(1400)] + [f"ünïcode {'ä' * 90}"]


def shard(store: Store, links: list[tuple[str, object, int]], fanout: int = 256, hash_type: int = 0x22) -> object:
    return store.node(number(1, 5) + number(5, hash_type) + number(6, fanout), links)  # type: ignore[arg-type]


def test_hashes_as_the_reference_does() -> None:
    assert murmur3_x64_64(b"") == 0
    assert murmur3_x64_64(b"hello") == 0xCBD8A7B341BD9B02
    assert murmur3_x64_64(b"The quick brown fox jumps over the lazy dog") == 0xE34BBC7BBC071B6C


def test_finds_and_lists_the_entries_of_a_large_directory(added: Added, tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / name).write_text(name[:4])
    (cid,) = added.command.add("--codec", "none", tmp_path)
    fs = quick(added.url, timeout=20, stall_timeout=10)

    for name in [*NAMES[::100], NAMES[-1]]:
        assert fs.cat_file(f"{cid}/{name}").decode() == name[:4]
    assert not fs.exists(f"{cid}/missing")
    assert fs.ls(cid, detail=False) == sorted(f"{cid}/{name}" for name in NAMES)


def read(store: Store, root: object, tmp_path: Path) -> IpfszFileSystem:
    car = store.car(tmp_path / "file.car", root)  # type: ignore[arg-type]
    return IpfszFileSystem(cars=[car], gateways=[], cache=False, skip_instance_cache=True)


def test_a_directory_of_too_many_entries_is_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("ipfsz.directories._MAX_ENTRIES", 100)
    store = Store()
    file = store.file(b"x")
    node = shard(store, [(f"{index % 256:02X}name {index}", file, 1) for index in range(101)])

    with pytest.raises(DirectoryTooLargeError):
        read(store, node, tmp_path).ls(str(node))


def test_an_endless_directory_is_refused(tmp_path: Path) -> None:
    store = Store()
    node = shard(store, [("00a", store.file(b"x"), 1)])
    for _ in range(40):
        node = shard(store, [("00", node, 1), ("01", node, 1)])
    start = time.monotonic()

    with pytest.raises(InvalidDagError):
        read(store, node, tmp_path).ls(str(node))
    assert time.monotonic() - start < 10


@pytest.mark.parametrize("options", [{"fanout": 3}, {"fanout": 1 << 20}, {"hash_type": 0x12}])
def test_a_shard_of_another_kind_is_refused(tmp_path: Path, options: dict[str, int]) -> None:
    store = Store()
    node = shard(store, [("00a", store.file(b"x"), 1)], **options)

    with pytest.raises(InvalidDagError):
        read(store, node, tmp_path).ls(str(node))
    with pytest.raises(InvalidDagError):
        read(store, node, tmp_path).info(f"{node}/a")


def test_shards_that_lead_nowhere_are_refused(tmp_path: Path) -> None:
    store = Store()
    node = store.file(b"x")
    for _ in range(20):
        node = shard(store, [(f"{digit:02X}", node, 1) for digit in range(256)])

    with pytest.raises(IpfszError):
        read(store, node, tmp_path).info(f"{node}/a")


def test_a_file_that_claims_to_be_endless_is_read_in_parts_only(tmp_path: Path) -> None:
    store = Store()
    node, size = store.file(b"0123456789"), 10
    for _ in range(5):
        node, size = store.file(children=[(node, size)] * 100), size * 100
    fs = read(store, node, tmp_path)

    with pytest.raises(ReadTooLargeError):
        fs.cat_file(str(node))
    assert fs.info(str(node))["size"] == size
    assert fs.cat_file(str(node), size // 2, size // 2 + 12) == b"012345678901"
