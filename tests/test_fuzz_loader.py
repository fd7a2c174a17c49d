"""Files that nobody wrote by hand: the loader and a plain second judge say the same of each.

``make fuzz`` tries many more files than a run of the tests, and others by what code they reach
(`tests.fuzz`).
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from specdec.__main__ import main
from specdec.source import LARGEST_FILE, MOST_VALUES
from tests.faults import GOOD, edited, faults_of, mutated_files
from tests.judge import assert_judged_alike

fuzzed = settings(
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", "150")),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let messages name a short file."""
    monkeypatch.chdir(tmp_path)


# Files.


@st.composite
def scenarios(draw: st.DrawFn) -> dict[str, Any]:
    """Good data: any texts, any numbers that fit together."""
    labels = st.text(TEXT, min_size=1, max_size=8)
    vocabulary = draw(st.lists(labels, min_size=1, max_size=4, unique=True))
    k = draw(st.integers(1, 3))
    denominator = draw(st.sampled_from([1, 2, 8, 1000, 10**18]))

    def row(least: int = 0) -> list[int]:
        rest, numerators = denominator - least, []
        for _ in vocabulary[1:]:
            numerators.append(draw(st.integers(0, rest)))
            rest -= numerators[-1]
        numerators.append(rest)
        return numerators

    def profile(name: str) -> dict[str, Any]:
        proposed = [draw(st.integers(0, len(vocabulary) - 1)) for _ in range(k)]
        draft = [row(least=1) for _ in range(k)]
        for numerators, index in zip(draft, proposed, strict=True):
            numerators[index] += 1
        return {
            "id": name,
            "title": draw(labels.filter(str.strip)),
            "draft": draft,
            "proposals": [vocabulary[index] for index in proposed],
            "draws": {
                "accept": [draw(DRAWS) for _ in range(k)],
                "replacement": draw(DRAWS),
                "bonus": draw(DRAWS),
            },
            **draw(OPTIONAL),
        }

    return {
        "version": 1,
        "title": draw(labels.filter(str.strip)),
        "context": draw(st.text(TEXT, max_size=8)),
        "denominator": denominator,
        "vocabulary": vocabulary,
        "target": [row() for _ in range(k)],
        "bonus": row(),
        "cost_model": {
            "draft_step": draw(st.sampled_from(["0", "1/10", "-0", "0.05", "007"])),
            "verify_pass": draw(st.sampled_from(["1", "3/2", "0.001", "9" * 40])),
        },
        "profiles": [profile(name) for name in ["one", "two", "a-2-b"][: draw(st.integers(1, 3))]],
        **draw(OPTIONAL),
    }


TEXT = st.one_of(
    st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"], exclude_characters="\ufffe\uffff"),
    st.sampled_from('"\\/<>&|${}[]`\u202e\u2069\ufeff\u00a0 \U0001f642'),
)
OPTIONAL = st.fixed_dictionaries(
    {}, optional={"description": st.text(TEXT, max_size=8), "short_title": st.just("s")}
)
DRAWS = st.sampled_from(["0", "1/2", "0.25", "-0", "-0.0", "0/7", f"0.{'9' * 38}", "1/3", "000"])

ODD_VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2, 7, 8, 10**18, 10**18 + 1, 10**39, -(10**39), 10**40, 1.0, 8.0,
    0.5, -0.0, 1e300, float("nan"), float("inf"), float("-inf"), "", " ", "\u3000", "\ufeff", "1",
    "-0", "-1", "1/1", "0/0", "1/0", "2/3", "1e400", "0x1", "١", "1_0", "1/2 ", "0.1\n", "0" * 41,
    "\0", "\x7f", "\u2028", "\ud800", "\ufffe", "\U0001fffe", "a" * 41, "x" * 1001, "x" * 10_001,
    "con", "index", "One", "one", "two", "https://json-schema.org/x", [], {}, [[]], [{}], {"a": 1},
]  # fmt: skip
"""What may stand anywhere instead of what stood there."""


@st.composite
def changed(draw: st.DrawFn) -> bytes:
    """A good file with up to two changes of its data and, perhaps, one of its text or bytes."""
    data = draw(scenarios())
    for _ in range(draw(st.integers(0, 2))):
        draw(st.sampled_from([replaced, dropped, doubled, exchanged, renamed]))(draw, data)
    text = json.dumps(data, ensure_ascii=draw(st.booleans()), indent=draw(INDENTS))
    raw = text.encode("utf-8", "surrogatepass")
    change = draw(st.sampled_from([as_it_is] * 6 + [cut, patched, repeated, respelt, encoded]))
    return change(draw, raw)


INDENTS = st.sampled_from([None, 0, 1, "\t"])


def places(data: Any) -> list[tuple[Any, Any]]:
    """Return every list or object in a value with each of its keys."""
    if not isinstance(data, list | dict):
        return []
    keys = list(range(len(data)) if isinstance(data, list) else data)
    inner = [place for key in keys for place in places(data[key])]
    return [*((data, key) for key in keys), *inner]


def chosen(draw: st.DrawFn, data: Any) -> tuple[Any, Any]:
    place: tuple[Any, Any] = draw(st.sampled_from(places(data) or [({"": 0}, "")]))
    return place


def replaced(draw: st.DrawFn, data: Any) -> None:
    parent, key = chosen(draw, data)
    parent[key] = json.loads(json.dumps(draw(st.sampled_from(ODD_VALUES))))


def dropped(draw: st.DrawFn, data: Any) -> None:
    parent, key = chosen(draw, data)
    del parent[key]


def doubled(draw: st.DrawFn, data: Any) -> None:
    parent, key = chosen(draw, data)
    if isinstance(parent, list):
        parent.insert(key, json.loads(json.dumps(parent[key])))
    else:
        parent[f"{key}{draw(st.sampled_from(['s', ' ', '/']))}"] = parent[key]


def exchanged(draw: st.DrawFn, data: Any) -> None:
    parent, key = chosen(draw, data)
    other, there = chosen(draw, data)
    kept = json.dumps(parent[key])
    parent[key] = json.loads(json.dumps(other[there]))
    other[there] = json.loads(kept)


def renamed(draw: st.DrawFn, data: Any) -> None:
    parent, key = chosen(draw, data)
    if isinstance(parent, dict):
        parent[draw(KEYS)] = parent.pop(key)


KEYS = st.sampled_from(["", "id", "Title", "draft", "\ud800", "k" * 99])


def as_it_is(draw: st.DrawFn, raw: bytes) -> bytes:  # noqa: ARG001 - as the others
    return raw


def cut(draw: st.DrawFn, raw: bytes) -> bytes:
    start = draw(st.integers(0, len(raw)))
    return raw[:start] + raw[draw(st.integers(start, len(raw))) :]


def patched(draw: st.DrawFn, raw: bytes) -> bytes:
    start = draw(st.integers(0, len(raw)))
    piece = draw(st.binary(max_size=3) | st.sampled_from([b"\0", b"\xef\xbb\xbf", b"\xed\xa0\x80"]))
    return raw[:start] + piece + raw[start + draw(st.integers(0, 3)) :]


def repeated(draw: st.DrawFn, raw: bytes) -> bytes:
    """Write a slice twice: a member, an element or half of one."""
    start = draw(st.integers(0, len(raw)))
    end = draw(st.integers(start, min(start + 40, len(raw))))
    return raw[:end] + raw[start:]


# fmt: off
NUMBERS = st.sampled_from([
    "-0", "00", "0.0", "1e0", "1E400", "-1e999999999", "NaN", "-Infinity", "Infinity", "+1", ".5",
    "1.", "0x8", "1_0", "١", "8e-1", "true",
])
# fmt: on


def respelt(draw: st.DrawFn, raw: bytes) -> bytes:
    """Write one number, or a digit of a text, in another way."""
    found = list(re.finditer(rb"\d+", raw))
    number = draw(st.sampled_from(found))
    return raw[: number.start()] + draw(NUMBERS).encode() + raw[number.end() :]


def encoded(draw: st.DrawFn, raw: bytes) -> bytes:
    text = raw.decode("utf-8", "replace")
    coding = draw(
        st.sampled_from(["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp037"])
    )
    line_end = draw(st.sampled_from(["\n", "\r\n", "\r", "\u2028", "\x0b"]))
    return text.replace("\n", line_end).encode(coding, "replace")


# Both judges.


@fuzzed
@given(data=scenarios(), escaped=st.booleans(), indent=INDENTS)
def test_good_data_load_to_what_they_say(
    data: Any, escaped: bool, indent: int | str | None
) -> None:
    text = json.dumps(data, ensure_ascii=escaped, indent=indent)
    assert assert_judged_alike(text.encode())


@fuzzed
@given(raw=changed())
def test_a_changed_file_is_judged_alike(raw: bytes) -> None:
    assert_judged_alike(raw)


@fuzzed
@given(raw=mutated_files() | st.binary() | st.text().map(str.encode))
@example(raw=b"\xef\xbb\xbf" * 2 + GOOD.encode())
def test_any_file_is_judged_alike(raw: bytes) -> None:
    assert_judged_alike(raw)


def dropped_one(text: str) -> Iterator[str]:
    for match in re.finditer(r"\S", text):
        yield text[: match.start()] + text[match.end() :]


def test_each_character_matters_to_both_or_to_neither() -> None:
    good = sum(assert_judged_alike(text.encode()) for text in dropped_one(GOOD))
    assert 50 < good < 200  # letters of texts and of ids, and digits of draws


# What large files cost.


def filled(unit: str, old: str, before: str, after: str) -> bytes:
    """Return the good file, made as large as a file may be by one part written again and again."""
    times = (LARGEST_FILE - len(GOOD) - 100) // len(unit)
    return edited((old, before + unit * times + after)).encode()


LARGE: dict[str, Callable[[], bytes]] = {
    "numerators": lambda: filled("0,", "[0, 0, 8]", "[", "8]"),
    "rows": lambda: filled("[0],", "[4, 4, 0],", "", "[0],"),
    "a key again": lambda: filled('"a":0,', '"version": 1', "", '"version": 1'),
    "different keys": lambda: edited(
        ('"version": 1', ",".join(f'"{number:x}": 0' for number in range(360_000)))
    ).encode(),
}


@pytest.mark.parametrize(
    "what",
    [
        "different keys",
        *(
            pytest.param(what, marks=pytest.mark.long)
            for what in ("numerators", "rows", "a key again")
        ),
    ],
)
def test_a_large_file_of_small_parts_takes_seconds(what: str) -> None:
    raw = LARGE[what]()
    assert 0.9 * LARGEST_FILE < len(raw) <= LARGEST_FILE
    start = time.process_time()
    faults = faults_of(raw)
    assert time.process_time() - start < 8  # 3 where nothing else is to do
    assert all(len(str(fault)) < 400 for fault in faults)
    if what != "different keys":
        assert [(fault.found, fault.expected) for fault in faults] == [
            ("more than 500,000 values", "a smaller file")
        ]


def test_as_many_values_as_a_file_may_have() -> None:
    spare = MOST_VALUES - count_of(json.loads(GOOD))
    for more, found in ((0, f"{spare + 3} numerators"), (1, "more than 500,000 values")):
        row = ",".join("0" * (spare + more)) + ",0,0,8"
        assert [fault.found for fault in faults_of(edited(("0, 0, 8", row)).encode())] == [found]


def count_of(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(count_of, inner))


# Several files.


def test_the_good_files_are_named_beside_the_faults_of_others(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("bad.json").write_text("[", "utf-8")
    Path("good.json").write_text(GOOD, "utf-8")
    assert main(["check", "bad.json", "good.json", "gone.json"]) == 1
    told = capsys.readouterr()
    assert told.out == "good.json: good, 2 profiles (near, far)\n"
    assert told.err.splitlines() == [
        "bad.json:1: /0: the end of the file, expected a JSON value",
        "gone.json:1: (document): cannot be read (No such file or directory), "
        "expected a file of JSON text",
    ]
