"""Data files: the good load to their values, the bad get every message, nothing else happens."""

from __future__ import annotations

import json
import os
import pickle
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec import CostModel, Distribution, Draws, ProfileError, load
from specdec.checks import MOST_FAULTS
from specdec.profiles import Profile, Scenario, load_all
from specdec.report import report
from specdec.rules import RESERVED_IDS
from specdec.source import LARGEST_FILE
from tests.faults import (
    BAD_FILES,
    GOOD,
    GOOD_FILES,
    ODD_TOKENS,
    Bad,
    edited,
    faults_of,
    mutated_files,
)

DATA = Path(__file__).parent.parent / "data"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages name files as the caller did: let them be short."""
    monkeypatch.chdir(tmp_path)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail if the block takes longer, as it would if a number were expanded."""
    start = time.process_time()  # of this process: others may be busy
    yield
    assert time.process_time() - start < seconds


def messages(*names: str) -> list[str]:
    """Return what the loader says about files that it must refuse."""
    with pytest.raises(ProfileError) as refusal:
        load_all(names)
    return [str(fault) for fault in refusal.value.faults]


def over_8(*numerators: int) -> Distribution:
    tokens = ("ant", "bee", "cow")
    return Distribution({t: Fraction(n, 8) for t, n in zip(tokens, numerators, strict=True)})


SMALL = Scenario(
    title="A small scenario",
    short_title="Small",
    context="Once upon",
    description="For tests.",
    denominator=8,
    vocabulary=("ant", "bee", "cow"),
    target=(over_8(4, 4, 0), over_8(1, 2, 5)),
    bonus=over_8(0, 0, 8),
    cost_model=CostModel("1/10", "1"),
    profiles=(
        Profile(
            id="near",
            title="A near draft",
            short_title="Near",
            description="Close.",
            draft=(over_8(5, 3, 0), over_8(2, 1, 5)),
            proposals=("ant", "cow"),
            draws=Draws(accept=["1/2", "1/4"], replacement="0", bonus="3/4"),
        ),
        Profile(
            id="far",
            title="A far draft",
            short_title="A far draft",
            description="",
            draft=(over_8(1, 1, 6), over_8(6, 2, 0)),
            proposals=("bee", "bee"),
            draws=Draws(accept=["2/3", "1/3"], replacement="1/8", bonus="1/2"),
        ),
    ),
)


@pytest.mark.parametrize("bad", [pytest.param(bad, id=bad.rule) for bad in BAD_FILES])
def test_a_bad_file_gets_every_message(bad: Bad) -> None:
    Path("bad.json").write_bytes(bad.raw)
    with within(seconds=2):
        assert messages("bad.json") == [f"bad.json:{message}" for message in bad.faults]


@pytest.mark.parametrize("name", [name for name in GOOD_FILES if name != "empty texts"])
def test_a_good_file_loads_to_its_values(name: str) -> None:
    Path("good.json").write_bytes(GOOD_FILES[name])
    assert load("good.json") == SMALL
    assert load(Path("good.json")).k == 2


def test_context_and_description_may_be_empty() -> None:
    Path("good.json").write_bytes(GOOD_FILES["empty texts"])
    scenario = load("good.json")
    assert (scenario.context, scenario.profiles[0].description) == ("", "")


@pytest.mark.parametrize("escaped", [True, False])
def test_odd_tokens_load_as_they_are(escaped: bool) -> None:
    size = len(ODD_TOKENS)
    data = json.loads(GOOD)
    data.update(
        vocabulary=ODD_TOKENS, denominator=size, target=[[1] * size], bonus=[1] * size,
        context=ODD_TOKENS[0], title=ODD_TOKENS[2],
    )  # fmt: skip
    data["profiles"][1:] = []
    data["profiles"][0].update(
        draft=[[1] * size],
        proposals=[ODD_TOKENS[0]],
        draws={"accept": ["0"], "replacement": "0", "bonus": "0"},
    )
    Path("odd.json").write_text(json.dumps(data, ensure_ascii=escaped), "utf-8")
    scenario = load("odd.json")
    assert scenario.vocabulary == scenario.bonus.vocabulary == ODD_TOKENS
    assert (scenario.context, scenario.title) == (ODD_TOKENS[0], ODD_TOKENS[2])
    assert scenario.bonus[ODD_TOKENS[-1]] == Fraction(1, size)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param('"draft_step": "1/10"', '"draft_step": "0"', id="drafting that costs nothing"),
        pytest.param('"bonus": "0.5"', f'"bonus": "0.{"1" * 38}"', id="a draw of 40 characters"),
        pytest.param('"bonus": "0.5"', '"bonus": "-0"', id="a draw of minus 0"),
        pytest.param("[4, 4, 0]", "[8, -0, 0]", id="a numerator of minus 0"),
        pytest.param('"id": "far"', f'"id": "{"a" * 40}"', id="an id of 40 characters"),
        pytest.param('"id": "far"', '"id": "far-2-x"', id="an id with hyphens and digits"),
        pytest.param('"id": "far"', '"id": "index-2"', id="an id that begins as a reserved one"),
        pytest.param('"Close."', f'"{"x" * 10_000}"', id="a description of 10,000 characters"),
        pytest.param('  "description": "For tests.",\n', "", id="no description"),
        pytest.param('  "$schema": "profiles.v1.schema.json",\n', "", id="no schema"),
        pytest.param('  "short_title": "Small",\n', "", id="no short title"),
    ],
)
def test_what_is_just_allowed(old: str, new: str) -> None:
    assert faults_of(edited((old, new)).encode()) == ()


def test_a_vocabulary_of_one_token_is_one() -> None:
    data = json.loads(GOOD)
    data.update(vocabulary=["ant"], target=[[8], [8]], bonus=[8])
    for profile in data["profiles"]:
        profile.update(draft=[[8], [8]], proposals=["ant", "ant"])
    assert faults_of(json.dumps(data).encode()) == ()


def test_what_is_shipped_loads() -> None:
    scenarios = load_all([DATA / "profiles.v1.json", DATA / "nimbus.v1.json"])
    assert [s.k for s in scenarios] == [5, 4]
    ids = [profile.id for scenario in scenarios for profile in scenario.profiles]
    assert ids == ["aligned", "divergent", "nimbus-mini"]
    assert scenarios[0].profiles[1].draft[4]["dog"] == Fraction(3, 8)
    assert scenarios[1].context == "Your export failed because your"
    assert scenarios[1].profiles[0].draws.replacement == Fraction(1, 4)


def test_an_id_of_another_file_is_taken() -> None:
    Path("a.json").write_text(GOOD, "utf-8")
    Path("b.json").write_text(edited(('"id": "near"', '"id": "other"')), "utf-8")
    assert messages("a.json", "b.json") == [
        "b.json:34: /profiles/1/id: 'far' again, first in a.json:34, expected an id of its own"
    ]


def test_all_faults_of_all_files_come_together() -> None:
    Path("a.json").write_text(edited(('"denominator": 8', '"denominator": 0')), "utf-8")
    Path("b.json").write_text("[", "utf-8")
    Path("c.json").write_text(edited(('"id": "near"', '"id": "other"')), "utf-8")
    assert messages("a.json", "gone.json", "b.json", "c.json") == [
        "a.json:8: /denominator: 0, expected a whole number >= 1",
        "gone.json:1: (document): cannot be read (No such file or directory), "
        "expected a file of JSON text",
        "b.json:1: /0: the end of the file, expected a JSON value",
        "c.json:34: /profiles/1/id: 'far' again, first in a.json:34, expected an id of its own",
    ]


def test_no_files_are_no_scenarios() -> None:
    assert load_all([]) == ()


def test_reserved_ids_are_refused() -> None:
    accepted = [
        name
        for name in sorted(RESERVED_IDS)
        if not faults_of(edited(('"id": "far"', f'"id": "{name}"')).encode())
    ]
    assert accepted == []


def test_a_folder_is_no_file() -> None:
    Path("folder.json").mkdir()
    assert messages("folder.json") == [
        "folder.json:1: (document): no regular file, expected a file of JSON text"
    ]


def test_a_pipe_is_not_waited_for() -> None:
    os.mkfifo("pipe.json")
    assert messages("pipe.json") == [
        "pipe.json:1: (document): no regular file, expected a file of JSON text"
    ]


def test_a_file_that_may_not_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    Path("secret.json").write_text(GOOD, "utf-8")
    monkeypatch.setattr(Path, "open", refuse)
    assert messages("secret.json") == [
        "secret.json:1: (document): cannot be read (Permission denied), "
        "expected a file of JSON text"
    ]


def test_a_name_that_no_file_can_have() -> None:
    assert messages("a\0b")[0].endswith(
        "a name that no file can have, expected a file of JSON text"
    )


def test_a_file_may_be_large_but_not_larger() -> None:
    Path("large.json").write_text(GOOD.ljust(LARGEST_FILE), "utf-8")
    assert load("large.json") == SMALL
    Path("large.json").write_text(GOOD.ljust(LARGEST_FILE + 1), "utf-8")
    assert messages("large.json") == [
        "large.json:1: (document): more than 4,000,000 bytes, expected a smaller file"
    ]


def test_faults_end_somewhere() -> None:
    zeros = ", ".join(["-1"] * (MOST_FAULTS + 5))
    Path("bad.json").write_text(edited(("[0, 0, 8]", f"[{zeros}]")), "utf-8")
    found = messages("bad.json")
    assert len(found) == MOST_FAULTS + 1
    assert found[-1] == (
        "bad.json:14: /bonus/9999: checking ended here, expected under 10,000 faults"
    )


def test_every_element_of_a_long_row_is_checked() -> None:
    row = ", ".join(["-1"] * 3000)
    Path("bad.json").write_text(edited(("[0, 0, 8]", f"[{row}]")), "utf-8")
    assert len(messages("bad.json")) == 3001  # and the length of the row


@pytest.mark.parametrize(
    ("before", "repeated", "times", "after"),
    [
        pytest.param("1e", "9", 9, "", id="a huge exponent"),
        pytest.param("", "9", 3_000_000, "", id="millions of digits"),
        pytest.param("0.", "9", 3_000_000, "", id="millions of decimals"),
        pytest.param('"1e', "9", 9, '"', id="a huge exponent in quotes"),
        pytest.param('"1/', "9", 3_000_000, '"', id="millions of digits in quotes"),
        pytest.param('"', "x", 3_000_000, '"', id="a huge string"),
        pytest.param('"', r"\\", 1_000_000, '"', id="a million backslashes"),
        pytest.param('"', "\\", 3_000_000, "", id="millions of backslashes without end"),
        pytest.param("", "[", 3_000_000, "", id="millions of lists inside one another"),
        pytest.param("", '{"":', 900_000, "", id="hundreds of thousands of objects"),
    ],
)
@pytest.mark.parametrize(
    "place", ['"denominator": 8', '"replacement": "1/8"', '"id": "far"', '"draft_step": "1/10"']
)
def test_hostile_values_cost_no_time(
    place: str, before: str, repeated: str, times: int, after: str
) -> None:
    key, _, _ = place.partition(":")
    raw = edited((place, f"{key}: {before}{repeated * times}{after}")).encode()
    with within(seconds=3):
        [fault] = faults_of(raw)
    assert len(str(fault)) < 300


def test_a_large_scenario_loads_quickly() -> None:
    tokens, k = 1000, 16
    row = [1] * tokens
    data = json.loads(GOOD)
    data.update(
        denominator=tokens,
        vocabulary=[f"token {i}" for i in range(tokens)],
        target=[row] * k,
        bonus=row,
    )
    for profile in data["profiles"]:
        profile.update(draft=[row] * k, proposals=["token 0"] * k)
        profile["draws"]["accept"] = ["0"] * k
    Path("large.json").write_text(json.dumps(data), "utf-8")
    with within(seconds=3):
        assert load("large.json").k == k


def test_an_error_survives_pickling() -> None:
    Path("bad.json").write_text("", "utf-8")
    with pytest.raises(ProfileError) as refusal:
        load("bad.json")
    assert pickle.loads(pickle.dumps(refusal.value)).faults == refusal.value.faults


def assert_readable(raw: bytes) -> None:
    """Check that whatever the loader says about a file can be printed and is in order."""
    faults = faults_of(raw)
    lines = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n") + 1
    assert all(1 <= fault.line <= lines for fault in faults)
    assert [fault.line for fault in faults] == sorted(fault.line for fault in faults)
    assert all(fault.found and fault.expected for fault in faults)
    assert all(f"{f.pointer}{f.found}{f.expected}".isprintable() for f in faults)
    assert len(set(faults)) == len(faults)


@given(raw=st.binary())
def test_any_bytes_are_refused_in_words(raw: bytes) -> None:
    assert faults_of(raw)
    assert_readable(raw)


@given(text=st.text(st.sampled_from('{}[],:" \n\r\\u0019dDaeE.+-ntfrlsuNI/ü\0\x7f🙂'), max_size=60))
def test_any_text_is_refused_in_words(text: str) -> None:
    assert faults_of(text.encode())
    assert_readable(text.encode())


@given(raw=mutated_files())
def test_any_mutation_loads_or_is_refused_in_words(raw: bytes) -> None:
    assert_readable(raw)


@given(data=st.data())
def test_any_cut_or_changed_character_is_refused_in_words_or_loads(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(GOOD)))
    until = data.draw(st.integers(at, min(at + 20, len(GOOD))))
    assert_readable((GOOD[:at] + data.draw(st.text(max_size=3)) + GOOD[until:]).encode())


def test_so_many_positions_that_the_results_could_not_be_printed(tmp_path: Path) -> None:
    data = json.loads(GOOD)
    data["target"] = [[4, 4, 0]] * 65
    for profile in data["profiles"]:
        profile["draft"] = [[5, 3, 0]] * 65
        profile["proposals"] = ["ant"] * 65
        profile["draws"]["accept"] = ["1/2"] * 65
    file = tmp_path / "long.json"
    file.write_text(json.dumps(data, indent=1), encoding="utf-8")
    with pytest.raises(ProfileError) as refusal:
        load(file)
    (fault,) = refusal.value.faults
    assert (fault.pointer, fault.found, fault.expected) == ("/target", "65 rows", "at most 64")


def test_the_longest_round_with_the_largest_denominator_can_be_printed(tmp_path: Path) -> None:
    whole = 10**18
    data = json.loads(GOOD)
    data["denominator"] = whole
    data["target"] = [[whole - 7, 7, 0]] * 64
    data["bonus"] = [0, 0, whole]
    for profile in data["profiles"]:
        profile["draft"] = [[11, whole - 11, 0]] * 64
        profile["proposals"] = ["ant"] * 64
        profile["draws"]["accept"] = ["1/2"] * 64
    file = tmp_path / "long.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    scenario = load(file)
    for profile in scenario.profiles:
        assert report(scenario, profile).as_json()["variance"]
