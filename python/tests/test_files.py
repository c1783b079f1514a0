"""Files that the command added are read back, by whole and by range."""

from __future__ import annotations

import pickle

import fsspec
import pytest

from conftest import CODECS, Added, stat
from ipfsz import IpfszFileSystem, NotAFileError, PathNotFoundError, ReadOnlyError, UnsupportedError
from ipfsz.cid import CID

FILES = [f"{codec}-{name}" for codec in CODECS for name in ("text", "small", "wave")]
FILES += ["plain-text", "plain-small", "cut-text", "based-later", "based-plain-later"]


@pytest.mark.parametrize("name", FILES)
def test_reads_the_original_bytes(added: Added, fs: IpfszFileSystem, name: str) -> None:
    cid, data = added.cids[name], added.bytes[name]

    assert fs.cat_file(cid) == data
    assert fs.info(f"ipfsz://{cid}")["size"] == len(data)


@pytest.mark.parametrize("name", FILES)
def test_reads_ranges(added: Added, fs: IpfszFileSystem, name: str) -> None:
    cid, data = added.cids[name], added.bytes[name]
    middle = len(data) // 2
    ranges = [(middle, middle + 4096), (5, 50), (-100, None), (None, 1), (65_530, 65_540), (0, 0), (len(data), None)]
    found = fs.cat_ranges([cid] * len(ranges), [start for start, _ in ranges], [end for _, end in ranges])

    assert found == [data[slice(*one)] for one in ranges]


def test_says_what_the_command_says(added: Added, fs: IpfszFileSystem) -> None:
    expected = stat(added.command, added.cids["gzip-text"])
    info = fs.info(added.cids["gzip-text"])

    assert (info["size"], info["codec"], info["type"]) == (expected["size"], "gzip", "file")


def test_a_plain_cid_is_what_is_stored(added: Added, fs: IpfszFileSystem) -> None:
    plain = str(CID.parse(added.cids["gzip-text"]).plain())

    assert fs.cat_file(plain)[:2] == b"\x1f\x8b"
    assert fs.info(plain)["size"] == len(fs.cat_file(plain)) < len(added.bytes["gzip-text"])


def test_reads_a_tree_with_dictionaries(added: Added, fs: IpfszFileSystem) -> None:
    tree, root = added.cids["tree"], added.folder / "tree"
    found = {path.removeprefix(tree + "/"): info for path, info in fs.find(tree, detail=True).items()}
    expected = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and not path.is_symlink()}

    assert expected <= found.keys()
    for name in expected:
        data = (root / name).read_bytes()
        assert fs.cat_file(f"{tree}/{name}") == data
        assert found[name]["size"] == len(data)
    assert fs.info(f"{tree}/link")["destination"] == "sub/deeper/text"


def test_lists_names_sizes_and_types(added: Added, fs: IpfszFileSystem) -> None:
    tree = added.cids["tree"]
    found = {info["name"].removeprefix(tree + "/"): (info["type"], info["size"]) for info in fs.ls(f"ipfs://{tree}/")}

    assert found["sub"] == ("directory", 0)
    assert found["random"] == ("file", 3000)
    assert found["record 1.json"] == ("file", (added.folder / "tree/record 1.json").stat().st_size)
    assert fs.ls(tree, detail=False) == sorted(f"{tree}/{name}" for name in found)


def test_what_is_not_there_is_not_found(added: Added, fs: IpfszFileSystem) -> None:
    tree = added.cids["tree"]

    with pytest.raises(PathNotFoundError):
        fs.cat_file(f"{tree}/missing")
    with pytest.raises(FileNotFoundError):
        fs.open(f"{tree}/sub/missing")
    with pytest.raises(NotADirectoryError):
        fs.cat_file(f"{tree}/random/below")
    with pytest.raises(NotAFileError):
        fs.cat_file(f"{tree}/sub")
    with pytest.raises(UnsupportedError):
        fs.cat_file(f"{tree}/link")
    with pytest.raises(ReadOnlyError):
        fs.open(f"{tree}/new", "wb")
    assert not fs.exists(f"{tree}/missing")
    assert fs.isdir(f"{tree}/sub")


def test_files_are_opened_by_url_and_chained(added: Added) -> None:
    with fsspec.open(f"ipfsz://{added.cids['zstd-text']}", gateways=[added.url], cache=False) as file:
        file.seek(100_000)
        assert file.read(50) == added.bytes["zstd-text"][100_000:100_050]
        assert b"".join(iter(lambda: file.read(8192), b"")) == added.bytes["zstd-text"][100_050:]


def test_a_file_system_is_pickled_with_its_settings(added: Added, fs: IpfszFileSystem) -> None:
    copy = pickle.loads(pickle.dumps(fs))

    assert copy.cat_file(added.cids["zstd-small"]) == added.bytes["zstd-small"]


def test_gets_a_tree_to_disk(added: Added, fs: IpfszFileSystem, tmp_path) -> None:
    fs.get(f"{added.cids['tree']}/sub", str(tmp_path / "out"), recursive=True)

    assert (tmp_path / "out/deeper/text").read_bytes() == (added.folder / "tree/sub/deeper/text").read_bytes()
