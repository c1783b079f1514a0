"""Vectors: a CAR, and beside it a JSON file that says what a reader makes of it: vectors/README.md.

Those in `vectors/` of the repository run, and two made here.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT, words
from ipfsz import IpfszError, IpfszFileSystem
from ipfsz.errors import UnsupportedError
from make import Store, header_of, marked, simple_file

#: This package does not read streams of these codecs that others made, and says so.
UNSUPPORTED = {"stream-lzo", "stream-snappy-frames"}


def check_original(fs: IpfszFileSystem, path: str, original: dict[str, Any]) -> None:
    assert fs.info(path)["size"] == original["size"]
    for one in original["ranges"]:
        assert fs.cat_file(path, one["offset"], one["offset"] + one["length"]).hex() == one["hex"]
    if "sha256" in original:
        data = fs.cat_file(path)
        assert (len(data), hashlib.sha256(data).hexdigest()) == (original["size"], original["sha256"])


def check_vector(vector: dict[str, Any], car: Path) -> None:
    fs = IpfszFileSystem(cars=[car], gateways=[], cache=False, skip_instance_cache=True)
    cid = vector["marked"]
    if "error" in vector:
        with pytest.raises(IpfszError) as caught:
            fs.cat_file(cid)
        assert type(caught.value).__name__ == vector["error"]
        assert getattr(caught.value, "rule", None) == vector.get("rule")
    elif "entries" in vector:
        for entry in vector["entries"]:
            check_original(fs, f"{cid}/{entry['path']}", entry)
    else:
        check_original(fs, cid, vector)


@pytest.mark.parametrize("path", sorted((ROOT / "vectors").glob("*.json")), ids=lambda path: path.stem)
def test_every_vector_of_the_repository_is_read_or_refused(path: Path) -> None:
    vector = json.loads(path.read_text())
    if path.stem in UNSUPPORTED:
        vector = {"marked": vector["marked"], "error": UnsupportedError.__name__}
    check_vector(vector, path.with_suffix(".car"))


def test_a_vector_of_a_file_is_read(tmp_path: Path) -> None:
    store, data = Store(), words(200_000)
    root = simple_file(store, data)
    ranges = [{"offset": 65_530, "length": 10, "hex": data[65_530:65_540].hex()}]
    vector = {"marked": marked(root), "size": len(data), "sha256": hashlib.sha256(data).hexdigest(), "ranges": ranges}

    check_vector(vector, store.car(tmp_path / "file.car", root))
    with pytest.raises(AssertionError):
        check_vector({**vector, "size": 1}, tmp_path / "file.car")


def test_a_vector_of_a_bad_file_is_refused(tmp_path: Path) -> None:
    store = Store()
    root = store.file(b"x", header=header_of(size=1, lengths=[1], version=3))

    check_vector(
        {"marked": marked(root), "error": "InvalidHeaderError", "rule": "version"},
        store.car(tmp_path / "file.car", root),
    )
