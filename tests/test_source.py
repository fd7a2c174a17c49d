"""JSON text with places: the values are those of `json`, the lines those of an editor."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec import ProfileError
from specdec.source import DEEPEST, LONGEST_NUMBER, Document, Node, Number, parse


def read(text: str) -> Document:
    return parse(text.encode(), "x.json")


def nodes(node: Node) -> Iterator[Node]:
    yield node
    if isinstance(node.value, dict):
        for member in node.value.values():
            yield from nodes(member)
    for element in node.elements:
        yield from nodes(element)


def is_refused(text: str) -> bool:
    try:
        read(text)
    except ProfileError:
        return True
    return False


def converted(value: Any) -> Any:
    """Return a plain value with its numbers as `json` gives them."""
    if isinstance(value, list):
        return [converted(element) for element in value]
    if isinstance(value, dict):
        return {key: converted(member) for key, member in value.items()}
    if isinstance(value, Number):
        whole = value.text.lstrip("-").isdecimal()
        return int(value.text) if whole else float(value.text)
    return value


documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(value=documents, escaped=st.booleans(), indent=st.sampled_from([None, 0, "\t", " \r\n"]))
def test_values_are_those_of_json(value: Any, escaped: bool, indent: int | str | None) -> None:
    text = json.dumps(value, ensure_ascii=escaped, indent=indent)
    found = converted(read(text).root.plain())
    assert found == json.loads(text)
    assert repr(found) == repr(json.loads(text))  # 1, 1.0 and True are equal, but not the same


@given(text=st.text(st.sampled_from('[]{},:"\\/ \n\r\tbfu0123e+-.trunalsNI\0é')))
def test_text_that_json_refuses_is_refused_and_the_reverse(text: str) -> None:
    if is_refused(text):
        with pytest.raises(ValueError):  # noqa: PT011 - whichever way json says it
            json.loads(text)
    else:
        json.loads(text, strict=False)


@given(
    escapes=st.lists(
        st.sampled_from(
            [r"\ud83d", r"\ude00", r"\uD800", r"\udfff", r"\u0000", r"\"", r"\\", r"\/", "u", "😀"]
        )
    )
)
def test_strings_are_those_of_json(escapes: list[str]) -> None:
    text = '"' + "".join(escapes) + '"'
    assert read(text).root.value == json.loads(text)


@given(
    value=documents, end=st.sampled_from(["\n", "\r\n", "\r"]), mark=st.sampled_from(["", "\ufeff"])
)
def test_every_value_stands_at_its_line_and_pointer(value: Any, end: str, mark: str) -> None:
    text = mark + json.dumps([0, value], indent=1).replace("\n", end)
    document = read(text)
    lines = json.dumps([0, value], indent=1).split("\n")
    for node in nodes(document.root):
        stands = lines[document.line(node) - 1].strip().rstrip(",")
        if isinstance(node.value, list | dict):
            assert stands.endswith(("[", "{", "[]", "{}"))
        else:
            assert stands.endswith(json.dumps(converted(node.value)))


def test_pointers_follow_rfc_6901() -> None:
    document = read('{"a/b": {"m~n": [10, {"": 11}]}}')
    assert [node.pointer for node in nodes(document.root)] == [
        "",
        "/a~1b",
        "/a~1b/m~0n",
        "/a~1b/m~0n/0",
        "/a~1b/m~0n/1",
        "/a~1b/m~0n/1/",
    ]


def test_a_long_key_is_cut_in_pointers() -> None:
    [_, member] = nodes(read(f'{{"{"k" * 100}": 1}}').root)
    assert member.pointer == "/" + "k" * 59 + "…"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("0", 0),
        ("-0", 0),
        ("8", 8),
        ("-12", -12),
        ("9" * LONGEST_NUMBER, int("9" * LONGEST_NUMBER)),
        ("9" * (LONGEST_NUMBER + 1), Number("9" * (LONGEST_NUMBER + 1))),
        ("4.0", Number("4.0")),
        ("1e2", Number("1e2")),
        ("1E-2", Number("1E-2")),
        ("NaN", Number("NaN")),
        ("-Infinity", Number("-Infinity")),
    ],
)
def test_only_short_whole_numbers_are_converted(written: str, value: object) -> None:
    found = read(written).root.value
    assert found == value
    assert type(found) is type(value)


def test_a_repeated_key_is_kept_aside() -> None:
    document = read('{"a": 1,\n "b": 2,\n "a": 3,\n "a": 4}')
    assert document.root.plain() == {"a": 1, "b": 2}
    found = [(again.value, document.line(again), first.value) for again, first in document.repeated]
    assert found == [(3, 3, 1), (4, 4, 1)]


def test_nesting_ends_at_the_limit() -> None:
    assert read("[" * DEEPEST + "]" * DEEPEST).root.plain()
    with pytest.raises(ProfileError, match=f"more than {DEEPEST} deep"):
        read("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1))


def test_a_member_of_what_is_no_object_is_none() -> None:
    root = read('{"a": {"b": [1]}}').root
    assert root.find("a", "b") is not None
    assert root.find("a", "c", "d") is None
    assert root.find("a", "b", "c") is None


def test_a_byte_that_is_no_utf_8_has_line_and_offset() -> None:
    with pytest.raises(ProfileError) as refusal:
        parse(b'{"a":\r\n"\xc3\xa9",\r"b": "\xc3"}', "x.json")
    assert str(refusal.value) == "x.json:3: (document): byte 0xc3 at offset 19, expected UTF-8 text"
