"""Files that the built command of this repository adds, and its gateway. Everything is on loopback."""

from __future__ import annotations

import json
import math
import os
import random
import struct
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from ipfsz import IpfszFileSystem

ROOT = Path(__file__).parents[2]
CODECS = ("zstd", "gzip", "lz4", "brotli", "snappy", "lzo")


def words(size: int, seed: int = 1) -> bytes:
    rng = random.Random(seed)
    known = ["".join(rng.choices("abcdefghijklmnop", k=rng.randint(2, 9))) for _ in range(3000)]
    return " ".join(rng.choices(known, k=size // 3))[:size].encode()


def wave(samples: int, seed: int = 2) -> bytes:
    rng = random.Random(seed)
    return b"".join(struct.pack("<h", int(20000 * math.sin(i / 30)) + rng.randint(-50, 50)) for i in range(samples))


class Command:
    """The command `ipfsz`, with a repo of its own."""

    def __init__(self, repo: Path) -> None:
        node = ROOT / "node_modules/.bin/node"
        self.program = [str(node) if node.exists() else "node", str(ROOT / "packages/cli/bin/ipfsz.js")]
        self.env = {**os.environ, "IPFSZ_PATH": str(repo), "IPFSZ_BOOTSTRAP": "none"}

    def __call__(self, *args: str | Path) -> str:
        run = subprocess.run(
            [*self.program, *map(str, args)], env=self.env, capture_output=True, text=True, timeout=600
        )
        assert run.returncode == 0, run.stderr
        return run.stdout

    def add(self, *args: str | Path) -> list[str]:
        """The CID of each path."""
        return self("add", "--quieter", "--no-sync", *args).split()

    def gateway(self) -> tuple[subprocess.Popen[str], str]:
        process = subprocess.Popen(
            [*self.program, "gateway", "--listen", "127.0.0.1:0"], env=self.env, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("Gateway\t"):
                url = line.split("\t")[1].split("/ipfs")[0]
                _wait_for(f"{url}/ipfs/bafkqaaa")
                return process, url
        raise AssertionError("the gateway did not start")


def _wait_for(url: str) -> None:
    for _ in range(100):
        try:
            with urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.1)


@dataclass
class Added:
    """What the command added: CID by name, and the bytes of each."""

    cids: dict[str, str]
    bytes: dict[str, bytes]
    url: str
    command: Command
    folder: Path


@pytest.fixture(scope="session")
def added(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Added]:
    folder = tmp_path_factory.mktemp("files")
    command = Command(tmp_path_factory.mktemp("repo"))
    text = words(700_003)
    files = {"text": text, "small": text[:20_000], "wave": wave(120_000)}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    cids: dict[str, str] = {}
    contents: dict[str, bytes] = {}

    def add(prefix: str, names: list[str], *options: str) -> None:
        for name, cid in zip(names, command.add(*options, *(folder / name for name in names)), strict=True):
            cids[f"{prefix}-{name}"], contents[f"{prefix}-{name}"] = cid, (folder / name).read_bytes()

    for codec in CODECS:
        add(codec, list(files), "--codec", codec, "--frame-size", "64KiB", "--no-detect")
    add("plain", list(files), "--codec", "none")
    add("cut", ["text"], "--cut", "content", "--link")
    (folder / "later").write_bytes(text[:300_000] + b"inserted " + text[300_000:])
    add("based", ["later"], "--base", cids["zstd-text"])
    (folder / "plain-later").write_bytes(text[5:])
    add("based", ["plain-later"], "--base", cids["plain-text"])
    tree = folder / "tree"
    (tree / "sub/deeper").mkdir(parents=True)
    for index in range(8):
        (tree / f"record {index}.json").write_bytes(
            b'{"record":%d}' % index + text[index * 2000 :][:1500] + text[:3000]
        )
    (tree / "sub/deeper/text").write_bytes(text)
    (tree / "empty").touch()
    (tree / "random").write_bytes(random.Random(3).randbytes(3000))
    (tree / "link").symlink_to("sub/deeper/text")
    (cids["tree"],) = command.add("--dictionaries", tree)
    process, url = command.gateway()
    try:
        yield Added(cids, contents, url, command, folder)
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture
def fs(added: Added) -> Iterator[IpfszFileSystem]:
    yield IpfszFileSystem(gateways=[added.url], cache=False, retries=0, skip_instance_cache=True)


def quick(*gateways: str, **options: Any) -> IpfszFileSystem:
    """A file system that gives up soon."""
    options = {"cache": False, "timeout": 2, "stall_timeout": 0.5, "retries": 0, **options}
    return IpfszFileSystem(gateways=list(gateways), skip_instance_cache=True, **options)


def stat(command: Command, cid: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(command("stat", "--json", cid))
    return found
