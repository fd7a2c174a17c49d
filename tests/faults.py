"""A small good file, and the edits that make it bad, for the tests of loader and schema."""

from __future__ import annotations

import json
import tempfile
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from specdec import Fault, ProfileError, load

GOOD = """\
{
  "$schema": "profiles.v1.schema.json",
  "version": 1,
  "title": "A small scenario",
  "short_title": "Small",
  "context": "Once upon",
  "description": "For tests.",
  "denominator": 8,
  "vocabulary": ["ant", "bee", "cow"],
  "target": [
    [4, 4, 0],
    [1, 2, 5]
  ],
  "bonus": [0, 0, 8],
  "cost_model": {"draft_step": "1/10", "verify_pass": "1"},
  "profiles": [
    {
      "id": "near",
      "title": "A near draft",
      "short_title": "Near",
      "description": "Close.",
      "draft": [
        [5, 3, 0],
        [2, 1, 5]
      ],
      "proposals": ["ant", "cow"],
      "draws": {
        "accept": ["1/2", "0.25"],
        "replacement": "0",
        "bonus": "3/4"
      }
    },
    {
      "id": "far",
      "title": "A far draft",
      "draft": [[1, 1, 6], [6, 2, 0]],
      "proposals": ["bee", "bee"],
      "draws": {"accept": ["2/3", "1/3"], "replacement": "1/8", "bonus": "0.5"}
    }
  ]
}
"""

TEXT_NOT_VALUE = "a schema is given a number, not its text"
DUPLICATE = "a schema is given an object whose keys were already merged"
OTHER_VALUES = "a schema cannot compare a value with others of the file"
FRACTION = "to a schema, a fraction in a string is text"


@dataclass(frozen=True)
class Bad:
    """A file that must be refused.

    Attributes:
        rule: what it breaks, as a sentence.
        text: the file.
        faults: all messages, without the name of the file.
        beyond_schema: why the JSON Schema cannot refuse it; empty if it does.
    """

    rule: str
    text: str | bytes
    faults: tuple[str, ...]
    beyond_schema: str = ""

    @property
    def raw(self) -> bytes:
        """The bytes of the file."""
        return self.text if isinstance(self.text, bytes) else self.text.encode()


def edited(*edits: tuple[str, str]) -> str:
    """Return the good file with parts replaced; every part must be there, once."""
    text = GOOD
    for old, new in edits:
        if text.count(old) != 1:
            raise ValueError(f"{old!r} is there {text.count(old)} times")
        text = text.replace(old, new)
    return text


def bad(rule: str, old: str, new: str, *faults: str, beyond_schema: str = "") -> Bad:
    """Return the good file with one edit."""
    return Bad(rule, edited((old, new)), faults, beyond_schema)


ROW = "    [1, 2, 5]\n"  # line 12, /target/1
WHOLE = "a whole number >= 0"
EXACT = 'a string such as "1/2" or "0.1"'
SLUG = "small letters, digits and single hyphens, such as 'my-draft'"
CLEAN = "no control character, line end or lone surrogate"
PROFILE_KEYS = (
    "'id' or 'title' or 'draft' or 'proposals' or 'draws' or 'short_title' or 'description'"
)


def bad_row(rule: str, row: str, *faults: str, beyond_schema: str = "") -> Bad:
    """Return the good file with another second target row."""
    return bad(rule, ROW, f"    {row}\n", *faults, beyond_schema=beyond_schema)


NOT_JSON = (
    Bad("an empty file", "", ("1: (document): the end of the file, expected a JSON value",)),
    Bad(
        "nothing but space",
        " \n\n",
        ("3: (document): the end of the file, expected a JSON value",),
    ),
    Bad(
        "a byte that is no UTF-8",
        GOOD.encode().replace(b"ant", b"\xff", 1),
        ("9: (document): byte 0xff at offset 210, expected UTF-8 text",),
    ),
    Bad(
        "UTF-16",
        GOOD.encode("utf-16"),
        ("1: (document): byte 0xff at offset 0, expected UTF-8 text",),
    ),
    bad(
        "a comma after the last element",
        "[0, 0, 8]",
        "[0, 0, 8,]",
        "14: /bonus/3: ']', expected a JSON value",
    ),
    bad(
        "a comma after the last member",
        '"bonus": "3/4"',
        '"bonus": "3/4",',
        "31: /profiles/0/draws: '}', expected a key in double quotes",
    ),
    bad(
        "a comma before the first element",
        "[0, 0, 8]",
        "[, 0, 8]",
        "14: /bonus/0: ',', expected a JSON value",
    ),
    bad(
        "a comma before the first member",
        '{"draft_step"',
        '{, "draft_step"',
        "15: /cost_model: ',', expected a key in double quotes",
    ),
    bad(
        "a missing comma between elements",
        "[0, 0, 8]",
        "[0, 0 8]",
        "14: /bonus: '8', expected ',' or ']'",
    ),
    bad(
        "a missing comma between members",
        '"denominator": 8,',
        '"denominator": 8',
        "9: (document): 'vocabulary', expected ',' or '}'",
    ),
    bad("a missing colon", '"version": 1', '"version" 1', "3: (document): '1', expected ':'"),
    bad(
        "a list closed as an object",
        "[0, 0, 8]",
        "[0, 0, 8}",
        "14: /bonus: '}', expected ',' or ']'",
    ),
    bad(
        "a file that ends early",
        ', "bonus": "0.5"}\n    }\n  ]\n}\n',
        "",
        "38: /profiles/1/draws: the end of the file, expected ',' or '}'",
    ),
    Bad(
        "something after the end",
        GOOD + "{}",
        ("42: (document): '{', expected the end of the file",),
    ),
    bad(
        "a string that does not end",
        '"A small scenario"',
        '"A small scenario',
        "4: /title: a string that does not end on its line, expected '\"'",
    ),
    bad(
        "an unknown escape",
        '"A small scenario"',
        '"C:\\data"',
        "4: /title: a backslash before 'd', expected an escape such as \\\" or \\u00e9",
    ),
    bad(
        "an unfinished escape",
        '"A small scenario"',
        '"\\u12"',
        "4: /title: a backslash before 'u', expected an escape such as \\\" or \\u00e9",
    ),
    bad("a leading zero", "[0, 0, 8]", "[0, 0, 08]", "14: /bonus/2: '08', expected a JSON value"),
    bad("a leading plus", "[0, 0, 8]", "[0, 0, +8]", "14: /bonus/2: '+8', expected a JSON value"),
    bad(
        "Python's True", "[0, 0, 8]", "[0, 0, True]", "14: /bonus/2: 'True', expected a JSON value"
    ),
    bad(
        "a comment",
        '"version": 1,',
        '"version": 1, // the format',
        "3: (document): '//', expected a key in double quotes",
    ),
    bad(
        "single quotes",
        '"title": "A small scenario"',
        "'title': 'Small'",
        "4: (document): \"'title'\", expected a key in double quotes",
    ),
    Bad(
        "thousands of lists inside one another",
        "[" * 5000 + "]" * 5000,
        ("1: " + "/0" * 32 + ": lists and objects more than 32 deep, expected at most 32",),
    ),
    Bad(
        "thousands of objects inside one another, left open",
        '{"a":' * 5000,
        ("1: " + "/a" * 32 + ": lists and objects more than 32 deep, expected at most 32",),
    ),
)

KEYS = (
    Bad(
        "a document that is no object", "[]", ("1: (document): an empty list, expected an object",)
    ),
    bad(
        "an unknown key, with the nearest known one",
        '"denominator": 8,',
        '"denominator": 8, "vocabulry": [],',
        "8: /vocabulry: unknown key, expected 'vocabulary'",
    ),
    bad(
        "a misspelled key is one mistake",
        '"denominator"',
        '"denominatr"',
        "8: /denominatr: unknown key, expected 'denominator'",
    ),
    bad(
        "an unknown key that is near to none",
        '"id": "near",',
        '"id": "near", "x": 1,',
        f"18: /profiles/0/x: unknown key, expected {PROFILE_KEYS}",
    ),
    bad(
        "an unknown key that a terminal could not show",
        '"id": "near",',
        '"id": "near", "a/~\\n\\ud800": 1,',
        f"18: /profiles/0/a~1~0\\u000a\\ud800: unknown key, expected {PROFILE_KEYS}",
    ),
    bad(
        "an unknown key in the cost model",
        '"verify_pass": "1"',
        '"verify_pass": "1", "verify_pas": "1"',
        "15: /cost_model/verify_pas: unknown key, expected 'verify_pass'",
    ),
    bad(
        "a missing version",
        '  "version": 1,\n',
        "",
        "1: /version: missing, expected the whole number 1",
    ),
    bad(
        "a missing key of a profile, at the line of its object",
        '      "title": "A far draft",\n',
        "",
        "33: /profiles/1/title: missing, expected text that is not blank",
    ),
    bad(
        "missing draws",
        '"accept": ["2/3", "1/3"], ',
        "",
        "38: /profiles/1/draws/accept: missing, expected a list of at least one draw",
    ),
    bad(
        "a key that stands twice",
        '"context": "Once upon",',
        '"context": "Once upon",\n  "context": "a time",',
        "7: /context: key again, first on line 6, expected each key once",
        beyond_schema=DUPLICATE,
    ),
    bad(
        "a denominator that stands twice does not make rows wrong",
        '"denominator": 8,',
        '"denominator": 9, "denominator": 8,',
        "8: /denominator: key again, first on line 8, expected each key once",
        beyond_schema=DUPLICATE,
    ),
)

NUMBERS = (
    bad(
        "a schema in the place of a scenario",
        '"profiles.v1.schema.json"',
        '"https://json-schema.org/draft/2020-12/schema"',
        "2: /$schema: a JSON Schema, expected a scenario",
        beyond_schema="an editor may be pointed to any schema",
    ),
    bad(
        "a denominator whose powers could not be printed",
        '"denominator": 8',
        f'"denominator": {10**18 + 1}',
        f"8: /denominator: {10**18 + 1}, expected at most {10**18}",
    ),
    bad(
        "another version",
        '"version": 1',
        '"version": 2',
        "3: /version: 2, expected the whole number 1",
    ),
    bad(
        "true is not version 1",
        '"version": 1',
        '"version": true',
        "3: /version: true, expected the whole number 1",
    ),
    bad(
        "1.0 is not version 1",
        '"version": 1',
        '"version": 1.0',
        "3: /version: 1.0, expected the whole number 1",
        beyond_schema=TEXT_NOT_VALUE,
    ),
    bad(
        "a version in quotes",
        '"version": 1',
        '"version": "1"',
        "3: /version: '1', expected the whole number 1",
    ),
    bad(
        "a denominator of 0",
        '"denominator": 8',
        '"denominator": 0',
        "8: /denominator: 0, expected a whole number >= 1",
    ),
    bad(
        "a negative denominator",
        '"denominator": 8',
        '"denominator": -8',
        "8: /denominator: -8, expected a whole number >= 1",
    ),
    bad_row(
        "decimals, though they sum to 1",
        "[0.2, 0.8, 0]",
        f"12: /target/1/0: 0.2, expected {WHOLE}",
        f"12: /target/1/1: 0.8, expected {WHOLE}",
    ),
    bad_row(
        "4.0 is no whole number",
        "[4.0, 4, 0]",
        f"12: /target/1/0: 4.0, expected {WHOLE}",
        beyond_schema=TEXT_NOT_VALUE,
    ),
    bad_row("true is no number", "[true, 7, 0]", f"12: /target/1/0: true, expected {WHOLE}"),
    bad_row("null is no number", "[null, 8, 0]", f"12: /target/1/0: null, expected {WHOLE}"),
    bad_row("a number in quotes", '["1", 7, 0]', f"12: /target/1/0: '1', expected {WHOLE}"),
    bad_row("a list among numbers", "[[1], 7, 0]", f"12: /target/1/0: a list, expected {WHOLE}"),
    bad_row(
        "an object among numbers", "[{}, 7, 0]", f"12: /target/1/0: an object, expected {WHOLE}"
    ),
    bad_row(
        "a negative number, though the sum is right",
        "[-1, 9, 0]",
        f"12: /target/1/0: -1, expected {WHOLE}",
    ),
    bad_row("NaN", "[NaN, 8, 0]", f"12: /target/1/0: NaN, expected {WHOLE}"),
    bad_row(
        "Infinity",
        "[Infinity, -Infinity, 0]",
        f"12: /target/1/0: Infinity, expected {WHOLE}",
        f"12: /target/1/1: -Infinity, expected {WHOLE}",
    ),
    bad_row("1e400", "[1e400, 8, 0]", f"12: /target/1/0: 1e400, expected {WHOLE}"),
    bad_row(
        "1e999999999 is not expanded",
        "[1e999999999, 8, 0]",
        f"12: /target/1/0: 1e999999999, expected {WHOLE}",
    ),
    bad_row(
        "an integer of 41 digits",
        f"[{'1' * 41}, 8, 0]",
        "12: /target/1/0: a number of 41 characters, expected at most 40",
        beyond_schema=TEXT_NOT_VALUE,
    ),
    bad_row(
        "an integer of thousands of digits",
        f"[{'9' * 100_000}, 8, 0]",
        "12: /target/1/0: a number of 100000 characters, expected at most 40",
    ),
)

ROWS = (
    bad_row(
        "a row that sums to less",
        "[1, 2, 4]",
        "12: /target/1: numerators sum to 7, expected 8",
        beyond_schema=OTHER_VALUES,
    ),
    bad(
        "a bonus row that sums to more",
        "[0, 0, 8]",
        "[1, 0, 8]",
        "14: /bonus: numerators sum to 9, expected 8",
        beyond_schema=OTHER_VALUES,
    ),
    bad(
        "a draft row of zeros",
        "[6, 2, 0]",
        "[0, 0, 0]",
        "36: /profiles/1/draft/1: numerators sum to 0, expected 8",
        beyond_schema=OTHER_VALUES,
    ),
    bad_row(
        "a short row",
        "[3, 5]",
        "12: /target/1: 2 numerators, expected 3, one per token",
        beyond_schema=OTHER_VALUES,
    ),
    bad_row(
        "a long row",
        "[1, 2, 5, 0]",
        "12: /target/1: 4 numerators, expected 3, one per token",
        beyond_schema=OTHER_VALUES,
    ),
    bad_row(
        "the length of a row with a bad number",
        "[-1]",
        "12: /target/1: 1 numerator, expected 3, one per token",
        f"12: /target/1/0: -1, expected {WHOLE}",
    ),
    bad_row(
        "an empty row",
        "[]",
        "12: /target/1: an empty list, expected a list of at least one numerator",
    ),
    bad_row(
        "a row that is none", "8", "12: /target/1: 8, expected a list of at least one numerator"
    ),
    bad(
        "no target rows",
        "[\n    [4, 4, 0],\n    [1, 2, 5]\n  ]",
        "[]",
        "10: /target: an empty list, expected a list of at least one row",
    ),
    bad(
        "a target that is no list makes no other part wrong",
        "[\n    [4, 4, 0],\n    [1, 2, 5]\n  ]",
        "8",
        "10: /target: 8, expected a list of at least one row",
    ),
    bad(
        "a draft with a row too few",
        "[[1, 1, 6], [6, 2, 0]]",
        "[[1, 1, 6]]",
        "36: /profiles/1/draft: 1 row, expected 2, one per target row",
        beyond_schema=OTHER_VALUES,
    ),
    bad(
        "a draft with a row too many",
        "[[1, 1, 6], [6, 2, 0]]",
        "[[1, 1, 6], [6, 2, 0], [6, 2, 0]]",
        "36: /profiles/1/draft: 3 rows, expected 2, one per target row",
        beyond_schema=OTHER_VALUES,
    ),
    bad(
        "no draft rows",
        "[[1, 1, 6], [6, 2, 0]]",
        "[]",
        "36: /profiles/1/draft: an empty list, expected a list of at least one row",
    ),
    bad(
        "a proposal too few",
        '["bee", "bee"]',
        '["bee"]',
        "37: /profiles/1/proposals: 1 proposal, expected 2, one per target row",
        beyond_schema=OTHER_VALUES,
    ),
    bad(
        "an accept draw too many",
        '["2/3", "1/3"]',
        '["2/3", "1/3", "0"]',
        "38: /profiles/1/draws/accept: 3 draws, expected 2, one per target row",
        beyond_schema=OTHER_VALUES,
    ),
)

TOKENS = (
    bad(
        "a token that stands twice",
        '"vocabulary": ["ant", "bee", "cow"]',
        '"vocabulary": ["ant", "bee", "cow", "bee"]',
        "9: /vocabulary/3: 'bee' again, first at /vocabulary/1, expected each token once",
    ),
    bad(
        "one token in two spellings of JSON",
        '"vocabulary": ["ant", "bee", "cow"]',
        '"vocabulary": ["ant", "bee", "cow", "\\u0061nt"]',
        "9: /vocabulary/3: 'ant' again, first at /vocabulary/0, expected each token once",
    ),
    bad(
        "an empty token",
        '"vocabulary": ["ant", "bee", "cow"]',
        '"vocabulary": ["ant", "bee", "cow", ""]',
        "9: /vocabulary/3: '', expected text that is not empty",
    ),
    bad(
        "a token that is a number",
        '"vocabulary": ["ant", "bee", "cow"]',
        '"vocabulary": ["ant", 5, "cow"]',
        "9: /vocabulary/1: 5, expected text that is not empty",
    ),
    bad(
        "a token of 1,001 characters",
        '"vocabulary": ["ant", "bee", "cow"]',
        f'"vocabulary": ["ant", "bee", "cow", "{"x" * 1001}"]',
        "9: /vocabulary/3: text of 1001 characters, expected at most 1000",
    ),
    bad(
        "no tokens",
        '"vocabulary": ["ant", "bee", "cow"]',
        '"vocabulary": []',
        "9: /vocabulary: an empty list, expected a list of at least one token",
    ),
    bad(
        "a vocabulary that is text",
        '"vocabulary": ["ant", "bee", "cow"]',
        '"vocabulary": "ant bee cow"',
        "9: /vocabulary: 'ant bee cow', expected a list of at least one token",
    ),
    *(
        bad(
            f"{name} in a token",
            '"vocabulary": ["ant", "bee", "cow"]',
            f'"vocabulary": ["ant", "bee", "cow", "x{written}"]',
            f"9: /vocabulary/3: U+{code} in 'x{shown}', expected {CLEAN}",
            beyond_schema=beyond,
        )
        for name, written, code, shown, beyond in (
            ("NUL", r"\u0000", "0000", r"\x00", ""),
            ("a raw NUL", "\0", "0000", r"\x00", ""),
            ("a line end", r"\n", "000A", r"\n", ""),
            ("a raw tab", "\t", "0009", r"\t", ""),
            ("DEL", "\x7f", "007F", r"\x7f", ""),
            ("NEL, a C1 control", "\x85", "0085", r"\x85", ""),
            ("a line separator", "\u2028", "2028", r"\u2028", ""),
            ("what XML excludes", "\ufffe", "FFFE", r"\ufffe", ""),
            ("a lone high surrogate", r"\ud800", "D800", r"\ud800", ""),
            ("a lone low surrogate", r"\uDC00!", "DC00", r"\udc00!", ""),
            ("surrogates in the wrong order", r"\udc00\ud800", "DC00", r"\udc00\ud800", ""),
        )
    ),
    bad(
        "a proposal outside the vocabulary",
        '["bee", "bee"]',
        '["bee", "Bee"]',
        "37: /profiles/1/proposals/1: 'Bee', expected a token of the vocabulary",
        beyond_schema=OTHER_VALUES,
    ),
    bad(
        "a proposal by index",
        '["bee", "bee"]',
        '["bee", -1]',
        "37: /profiles/1/proposals/1: -1, expected text that is not empty",
    ),
    bad(
        "a proposal that the draft cannot make",
        '["bee", "bee"]',
        '["bee", "cow"]',
        "37: /profiles/1/proposals/1: 'cow', to which its draft row gives probability 0, "
        "expected a token that the draft can propose",
        beyond_schema=OTHER_VALUES,
    ),
)

DRAWS_AND_COSTS = (
    *(
        bad(
            f"a draw {what}",
            '"replacement": "1/8"',
            f'"replacement": {written}',
            f"38: /profiles/1/draws/replacement: {found}, expected {EXACT}, in [0, 1)",
            beyond_schema=beyond,
        )
        for what, written, found, beyond in (
            ("of 1", '"1"', "'1'", FRACTION),
            ("of 1 as a fraction", '"8/8"', "'8/8'", FRACTION),
            ("of 1 as a decimal", '"1.000"', "'1.000'", FRACTION),
            ("below 0", '"-1/8"', "'-1/8'", FRACTION),
            ("with denominator 0", '"1/0"', "'1/0'", ""),
            ("with an exponent", '"1e-1"', "'1e-1'", ""),
            ("that would never be expanded", '"1e-999999999"', "'1e-999999999'", ""),
            ("with spaces", '" 1/8"', "' 1/8'", ""),
            ("with a line end", '"1/8\\n"', r"'1/8\n'", ""),
            ("with an underscore", '"0.1_0"', "'0.1_0'", ""),
            ("in other digits", '"٠.٥"', "'٠.٥'", ""),
            ("without a leading digit", '".5"', "'.5'", ""),
            ("that is a word", '"half"', "'half'", ""),
            ("that is NaN", '"nan"', "'nan'", ""),
            ("that is empty", '""', "''", ""),
            ("that is a JSON number", "0.5", "0.5", ""),
            ("that is a JSON integer", "0", "0", ""),
            ("that is true", "true", "true", ""),
            ("that is null", "null", "null", ""),
        )
    ),
    bad(
        "a draw of 41 characters",
        '"replacement": "1/8"',
        f'"replacement": "0.{"1" * 39}"',
        "38: /profiles/1/draws/replacement: a string of 41 characters, expected at most 40",
    ),
    bad(
        "an accept draw of 1",
        '["2/3", "1/3"]',
        '["2/3", "1"]',
        f"38: /profiles/1/draws/accept/1: '1', expected {EXACT}, in [0, 1)",
        beyond_schema=FRACTION,
    ),
    bad(
        "accept draws that are no list",
        '["2/3", "1/3"]',
        '"2/3"',
        "38: /profiles/1/draws/accept: '2/3', expected a list of at least one draw",
    ),
    bad(
        "a draft step below 0",
        '"draft_step": "1/10"',
        '"draft_step": "-1/10"',
        f"15: /cost_model/draft_step: '-1/10', expected {EXACT}, >= 0",
        beyond_schema=FRACTION,
    ),
    bad(
        "a draft step that is a JSON number",
        '"draft_step": "1/10"',
        '"draft_step": 0.1',
        f"15: /cost_model/draft_step: 0.1, expected {EXACT}, >= 0",
    ),
    bad(
        "a verify pass of 0",
        '"verify_pass": "1"',
        '"verify_pass": "0.00"',
        f"15: /cost_model/verify_pass: '0.00', expected {EXACT}, > 0",
        beyond_schema=FRACTION,
    ),
    bad(
        "a verify pass below 0",
        '"verify_pass": "1"',
        '"verify_pass": "-1"',
        f"15: /cost_model/verify_pass: '-1', expected {EXACT}, > 0",
        beyond_schema=FRACTION,
    ),
    bad(
        "a cost model that is no object",
        '{"draft_step": "1/10", "verify_pass": "1"}',
        '["1/10", "1"]',
        "15: /cost_model: a list, expected an object",
    ),
)

IDS_AND_TITLES = (
    *(
        bad(
            f"an id {what}",
            '"id": "far"',
            f'"id": {written}',
            f"34: /profiles/1/id: {found}, expected {SLUG}",
        )
        for what, written, found in (
            ("with a capital", '"Far"', "'Far'"),
            ("with a space", '"far away"', "'far away'"),
            ("with an underscore", '"far_away"', "'far_away'"),
            ("that begins with a digit", '"2far"', "'2far'"),
            ("that begins with a hyphen", '"-far"', "'-far'"),
            ("that ends with a hyphen", '"far-"', "'far-'"),
            ("with two hyphens together", '"far--away"', "'far--away'"),
            ("with a line end", '"far\\n"', r"'far\n'"),
            ("with an accent", '"fär"', "'fär'"),
            ("that leaves its folder", '"../far"', "'../far'"),
            ("with an ending", '"far.html"', "'far.html'"),
            ("that is empty", '""', "''"),
            ("that is a number", "7", "7"),
        )
    ),
    bad(
        "an id of 41 characters",
        '"id": "far"',
        f'"id": "{"a" * 41}"',
        "34: /profiles/1/id: an id of 41 characters, expected at most 40",
    ),
    bad(
        "an id that is a page of the site",
        '"id": "far"',
        '"id": "compare"',
        "34: /profiles/1/id: 'compare', which is reserved, expected another id",
    ),
    bad(
        "an id that Windows keeps for itself",
        '"id": "far"',
        '"id": "com1"',
        "34: /profiles/1/id: 'com1', which is reserved, expected another id",
    ),
    bad(
        "two profiles with one id",
        '"id": "far"',
        '"id": "near"',
        "34: /profiles/1/id: 'near' again, first in bad.json:18, expected an id of its own",
        beyond_schema=OTHER_VALUES,
    ),
    bad(
        "an empty title",
        '"A small scenario"',
        '""',
        "4: /title: '', expected text that is not blank",
    ),
    bad(
        "a blank title",
        '"A far draft"',
        '" \u3000"',
        r"35: /profiles/1/title: ' \u3000', expected text that is not blank",
    ),
    bad(
        "a line end in a title",
        '"A small scenario"',
        '"A small\\nscenario"',
        r"4: /title: U+000A in 'A small\nscenario', expected " + CLEAN,
    ),
    bad(
        "an empty short title",
        '"Near"',
        '""',
        "20: /profiles/0/short_title: '', expected text that is not blank",
    ),
    bad(
        "a title that is a number",
        '"A small scenario"',
        "1",
        "4: /title: 1, expected text that is not blank",
    ),
    bad(
        "a title of 1,001 characters",
        '"A small scenario"',
        f'"{"x" * 1001}"',
        "4: /title: text of 1001 characters, expected at most 1000",
    ),
    bad("a context that is null", '"Once upon"', "null", "6: /context: null, expected text"),
    bad(
        "NUL in a description",
        '"Close."',
        '"\\u0000"',
        r"21: /profiles/0/description: U+0000 in '\x00', expected " + CLEAN,
    ),
    bad(
        "a context of 10,001 characters",
        '"Once upon"',
        f'"{"x" * 10_001}"',
        "6: /context: text of 10001 characters, expected at most 10000",
    ),
    bad(
        "a schema that is no text",
        '"profiles.v1.schema.json"',
        "1",
        "2: /$schema: 1, expected text",
    ),
    Bad(
        "no profiles",
        GOOD[: GOOD.index('"profiles": [')] + '"profiles": []\n}\n',
        ("16: /profiles: an empty list, expected a list of at least one profile",),
    ),
    bad(
        "profiles that are an object",
        '"profiles": [\n',
        '"profiles": {}, "profile": [\n',
        "16: /profiles: an object, expected a list of at least one profile",
        "16: /profile: unknown key, expected 'profiles'",
    ),
)

SEVERAL = Bad(
    "many mistakes in one file",
    edited(
        ('"version": 1', '"version": "1"'),
        ('"context": "Once upon",\n', ""),
        ("    [4, 4, 0],", "    [4, 3, 0],"),
        ("[0, 0, 8]", "[-1, 1.0, 8]"),
        ('"verify_pass": "1"', '"verify_pass": "0"'),
        ('"id": "near"', '"id": "search"'),
        ("        [5, 3, 0],", "        [5, 3],"),
        ('["ant", "cow"]', '["dog", "cow"]'),
        ('"accept": ["1/2", "0.25"]', '"accept": ["1/2"]'),
        ('"title": "A far draft"', '"title": "A far draft", "titel": "Far"'),
        ('["bee", "bee"]', '["bee", "cow"]'),
        ('"bonus": "0.5"', '"bonus": "5e-1", "bonus": "0.5"'),
    ),
    (
        "1: /context: missing, expected text",
        "3: /version: '1', expected the whole number 1",
        "10: /target/0: numerators sum to 7, expected 8",
        f"13: /bonus/0: -1, expected {WHOLE}",
        f"13: /bonus/1: 1.0, expected {WHOLE}",
        f"14: /cost_model/verify_pass: '0', expected {EXACT}, > 0",
        "17: /profiles/0/id: 'search', which is reserved, expected another id",
        "22: /profiles/0/draft/0: 2 numerators, expected 3, one per token",
        "25: /profiles/0/proposals/0: 'dog', expected a token of the vocabulary",
        "27: /profiles/0/draws/accept: 1 draw, expected 2, one per target row",
        "34: /profiles/1/titel: unknown key, expected 'title'",
        "36: /profiles/1/proposals/1: 'cow', to which its draft row gives probability 0, "
        "expected a token that the draft can propose",
        f"37: /profiles/1/draws/bonus: '5e-1', expected {EXACT}, in [0, 1)",
        "37: /profiles/1/draws/bonus: key again, first on line 37, expected each key once",
    ),
)

BROKEN_VOCABULARY = Bad(
    "a broken vocabulary leaves what does not depend on it to be checked",
    edited(
        ('"vocabulary": ["ant", "bee", "cow"]', '"vocabulary": ["ant", "ant", "bee", "cow"]'),
        ("    [4, 4, 0],", "    [4, 3, 0],"),
        ('["bee", "bee"]', '["bee", "dog"]'),
    ),
    (
        "9: /vocabulary/1: 'ant' again, first at /vocabulary/0, expected each token once",
        "11: /target/0: numerators sum to 7, expected 8",
        "37: /profiles/1/proposals/1: 'dog', expected a token of the vocabulary",
    ),
)

BAD_FILES = (
    *NOT_JSON,
    *KEYS,
    *NUMBERS,
    *ROWS,
    *TOKENS,
    *DRAWS_AND_COSTS,
    *IDS_AND_TITLES,
    SEVERAL,
    BROKEN_VOCABULARY,
)

ODD_TOKENS = (
    "<script>alert(1)</script>",
    " leading spaces",
    "quote \" and ' and `",
    "a|b",
    "$x$ \\(y\\) \\",
    "&amp; {{ name }} {% raw %} #{",
    "🙂👩‍👩‍👧",
    "שלום مرحبا",
    "\u202eturned\u202c",
    "x" * 400,
    " ",
    "\u00a0",
    "é",
    "e\u0301",
)
"""Tokens that must be accepted and shown as they are."""

_OTHER_SPELLING = GOOD.replace('"ant", "bee"', '"\\u0061nt", "be\\u0065"')

GOOD_FILES = {
    "a plain file": GOOD.encode(),
    "a byte order mark": b"\xef\xbb\xbf" + GOOD.encode(),
    "CRLF": GOOD.replace("\n", "\r\n").encode(),
    "CR": GOOD.replace("\n", "\r").encode(),
    "one line": GOOD.replace("\n", "").encode(),
    "no end of the last line": GOOD.rstrip().encode(),
    "escapes": _OTHER_SPELLING.encode(),
    "empty texts": edited(('"Once upon"', '""'), ('"Close."', '""')).encode(),
}
"""Different texts of the good file; all but the last say the same."""


def faults_of(raw: bytes) -> tuple[Fault, ...]:
    """Return the faults with which the loader refuses a file; none if it loads."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "fuzz.json")
        file.write_bytes(raw)
        try:
            load(file)
        except ProfileError as error:
            return error.faults
    return ()


_JUNK: tuple[Any, ...] = (
    None, True, False, 0, 1, 8, -1, 10**50, 4.0, 0.5, float("nan"), float("inf"),
    "", " ", "1", "0", "1/2", "1/0", "1e5", "ant", "cow", "near", "far", "index", "\0", "\ud800",
    [], [[]], {}, [8], [8, 0, 0], [0, 0, 8], ["ant"], ["ant", "bee"], {"id": "x"}, "x" * 1001,
)  # fmt: skip


@st.composite
def mutated_files(draw: st.DrawFn) -> bytes:
    """The good file after one to three edits of random places."""
    document = json.loads(GOOD)
    for _ in range(draw(st.integers(1, 3))):
        places = [(parent, key) for parent in _containers(document) for key in _keys(parent)]
        if not places:
            break
        parent, key = draw(st.sampled_from(places))
        match draw(st.sampled_from(["replace", "delete", "copy", "move"])):
            case "replace":
                parent[key] = deepcopy(draw(st.sampled_from(_JUNK)))  # edited in turn, perhaps
            case "delete":
                del parent[key]
            case "copy" if isinstance(parent, list):
                parent.insert(key, deepcopy(parent[key]))
            case "copy":
                parent[key + draw(st.sampled_from(["s", "_", "\n"]))] = deepcopy(parent[key])
            case _:
                other, there = draw(st.sampled_from(places))
                parent[key] = json.loads(json.dumps(other[there])) if there in _keys(other) else 0
    text = json.dumps(document, indent=draw(st.sampled_from([None, 1])))
    if draw(st.booleans()):  # a member twice
        text = text.replace("{", '{"context": "", ', 1)
    return text.encode()


def _containers(value: Any) -> list[Any]:
    if not isinstance(value, list | dict):
        return []
    parts = value if isinstance(value, list) else list(value.values())
    return [value, *(inner for part in parts for inner in _containers(part))]


def _keys(parent: Any) -> list[Any]:
    return list(range(len(parent))) if isinstance(parent, list) else list(parent)
