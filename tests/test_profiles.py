"""Data files: the good load to the right values, the bad get every message, nothing else happens."""

from __future__ import annotations

from pathlib import Path

import pytest

from specdec import ProfileError, load
from tests.faults import BAD_FILES, Bad


@pytest.mark.parametrize("bad", [pytest.param(bad, id=bad.rule) for bad in BAD_FILES])
def test_a_bad_file_gets_every_message(
    bad: Bad, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.json").write_bytes(bad.raw)
    with pytest.raises(ProfileError) as refusal:
        load("bad.json")
    assert [str(fault) for fault in refusal.value.faults] == [
        f"bad.json:{message}" for message in bad.faults
    ]
