"""The examples of python/README.md and docs/guide/python.md run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conftest import ROOT, Added

README, GUIDE = (
    re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    for page in ("python/README.md", "docs/guide/python.md")
)
#: What the short suite does not install.
HEAVY = re.compile(r"^import (pandas|xarray)", re.MULTILINE)


@pytest.mark.parametrize(
    "code", [pytest.param(code, marks=pytest.mark.nightly if HEAVY.search(code) else ()) for code in README + GUIDE]
)
def test_an_example_runs(added: Added, code: str, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.setenv("IPFSZ_CACHE", str(tmp_path / "cache"))
    directory = tmp_path / "data"
    directory.mkdir()
    (directory / "table.csv").write_text("key,value\n" + "".join(f"key {i},{i}\n" for i in range(20_000)))
    if "CID/" in code or '"CID"' in code:
        (cid,) = added.command.add(directory)
    else:
        (cid,) = added.command.add(directory / "table.csv")
    exec(compile(code.replace("CID", cid).replace("http://127.0.0.1:8080", added.url), "guide", "exec"), {})

    assert capsys.readouterr().out


def test_the_readme_has_an_example_and_the_guide_others() -> None:
    assert README
    assert not set(README) & set(GUIDE)
