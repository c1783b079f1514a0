"""Kubo, on loopback and without a network: its files, its sharded directories, its records of IPNS."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from pathlib import Path
from urllib.request import urlopen

from conftest import ROOT


def _free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])


class Kubo:
    def __init__(self, repo: Path) -> None:
        self.env = {**os.environ, "IPFS_PATH": str(repo)}
        self("init", "--profile", "test")
        port = _free_port()
        self.url = f"http://127.0.0.1:{port}"
        self("config", "Addresses.Gateway", f"/ip4/127.0.0.1/tcp/{port}")
        self._daemon = subprocess.Popen(
            [self._program, "daemon", "--offline"], env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for _ in range(300):
            try:
                with urlopen(f"{self.url}/ipfs/bafkqaaa", timeout=5):
                    return
            except OSError:
                time.sleep(0.1)
        raise AssertionError("Kubo did not start")

    @property
    def _program(self) -> str:
        own = ROOT / "node_modules/.bin/ipfs"
        return str(own) if own.exists() else "ipfs"

    def __call__(self, *args: str | Path) -> str:
        run = subprocess.run(
            [self._program, *map(str, args)], env=self.env, capture_output=True, text=True, timeout=600
        )
        assert run.returncode == 0, run.stderr
        return run.stdout.strip()

    def close(self) -> None:
        self._daemon.terminate()
        self._daemon.wait(20)
