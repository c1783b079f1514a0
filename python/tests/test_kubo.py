"""Files and directories that Kubo added, from its gateway, and names that it published."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import quick, words
from ipfsz import NameNotResolvedError
from kubo import Kubo

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def kubo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubo]:
    kubo = Kubo(tmp_path_factory.mktemp("kubo"))
    yield kubo
    kubo.close()


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("directory")
    for index in range(1500):
        (directory / f"{index:04d}-{'n' * 200}").write_text(str(index))
    (directory / f"ünïcode-{'ä' * 90}").write_text("unicode")
    return directory


@pytest.mark.parametrize("options", [[], ["--cid-version=1"], ["--trickle"], ["--chunker=size-1000"]])
def test_reads_files_of_every_kind(kubo: Kubo, tmp_path: Path, options: list[str]) -> None:
    data = words(900_000)
    (tmp_path / "file").write_bytes(data)
    cid = kubo("add", "-Q", *options, tmp_path / "file")
    fs = quick(kubo.url, timeout=20, stall_timeout=10)

    assert fs.cat_file(cid, 500_000, 500_100) == data[500_000:500_100]
    assert fs.cat_file(cid) == data


def test_finds_entries_of_a_sharded_directory(kubo: Kubo, directory: Path) -> None:
    cid = kubo("add", "-Q", "-r", directory)
    fs = quick(kubo.url, timeout=20, stall_timeout=10)
    names = sorted(os.listdir(directory))

    for name in [*names[::100], names[-1]]:
        assert fs.cat_file(f"{cid}/{name}") == (directory / name).read_bytes()
    assert not fs.exists(f"{cid}/missing")
    assert fs.ls(cid, detail=False) == [f"{cid}/{name}" for name in names]


def test_resolves_a_name_and_verifies_its_record(kubo: Kubo, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site/file").write_text("published")
    name = kubo("key", "gen", "--type=ed25519", "name")
    cid = kubo("add", "-Q", "-r", tmp_path / "site")
    kubo("name", "publish", "--allow-offline", "--key=name", f"/ipfs/{cid}")
    fs = quick(kubo.url, timeout=20, stall_timeout=10)

    assert fs.cat_file(f"ipns://{name}/file") == b"published"
    assert fs.info(f"ipns://{name}")["cid"] == cid
    with pytest.raises(NameNotResolvedError, match="not Ed25519"):
        rsa = kubo("key", "gen", "--type=rsa", "rsa")
        kubo("name", "publish", "--allow-offline", "--key=rsa", f"/ipfs/{cid}")
        fs.info(f"ipns://{rsa}")
