"""Data that is legal and tries everything: markup in every text, numbers at their limits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ONLY_AT_THE_START = (
    "- list",
    "+ list",
    "1. one",
    "12) twelve",
    "# h",
    "> quote",
    "    code",
    "---",
    "===",
    "!!! note",
    "*[abbr]: x",
    "[^1]: foot",
    "[l]: https://example.com",
    ": definition",
    "```",
    "<div>",
    "<!-- c",
    "=cmd|' /C calc'!A0",
)
"""Texts that mean something to Markdown, or to a spreadsheet, where they begin a line."""

ANYWHERE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "</title><script>alert(1)</script>",
    "</bdi></textarea></style>",
    '" onmouseover="alert(1)',
    "{{ 7*7 }}",
    "{% raw %}",
    "[[ 7*7 ]]",
    "[% raw %]",
    "[# no #]",
    "{#id}",
    "{: .c #i onclick=alert(1) }",
    r"$\foo$",
    "$$x$$",
    r"\(x\)",
    r"\[x\]",
    "a|b",
    "`code`",
    "*it*",
    "**b**",
    "__b__",
    "_i_",
    "~~x~~",
    "^s^",
    "==m==",
    "++k++",
    "[l](javascript:alert(1))",
    "![i](https://example.com/x.png)",
    "<https://example.com>",
    "https://example.com",
    "a@example.com",
    "[TOC]",
    "--8<--",
    "[^1]",
    ":smile:",
    ":material-star:",
    "&amp;",
    "&#42;",
    "&lt;b&gt;",
    "&",
    "<",
    "\"quotes'",
    "key: value # comment",
    "%s %(x)s {0} {x}",
    "\\\\",
    "term\\",
    "שלום (עולם)",
    "مرحبا",
    "\u202eabc",
    "👩\u200d👩\u200d👧\u200d👦",
    "e\u0301",
    "  two  ",
    "\u00a0",
    "x" * 400,
)

TOKENS = (*ONLY_AT_THE_START, *ANYWHERE)


def write_hostile_data(data: Path) -> None:
    """Put a hostile scenario where the main one was, and further files beside the others."""
    _write(data / "profiles.v1.json", _texts())
    for name, scenario in SHAPES.items():
        _write(data / name, scenario)


def _write(path: Path, scenario: dict[str, Any]) -> None:
    path.write_text(json.dumps({"version": 1, **scenario}, ensure_ascii=False), encoding="utf-8")


def _labels() -> list[str]:
    """Return each text that minds its place alone, the others several in one."""
    groups = [list(ANYWHERE[start : start + 9]) for start in range(0, len(ANYWHERE), 9)]
    assert all(sum(map(len, group)) < 900 for group in groups)
    return [*ONLY_AT_THE_START, *map(" · ".join, groups)]


def _texts() -> dict[str, Any]:
    """Every token in the vocabulary; every text as title, short title and description."""
    size = len(TOKENS)

    def row(*weights: tuple[int, int]) -> list[int]:
        return [dict(weights).get(token, 0) for token in range(size)]

    profiles = [
        {
            "id": f"hostile-{n}",
            "title": label,
            "short_title": label,
            "description": label,
            "draft": [row((n, 4), (n + 1, 4)), row((size - 1, 8))],
            "proposals": [TOKENS[n], TOKENS[-1]],
            "draws": {"accept": ["1/2", "0"], "replacement": "0", "bonus": "1/2"},
        }
        for n, label in enumerate(_labels())
    ]
    return {
        "title": " ".join(ANYWHERE)[:1000],
        "short_title": ANYWHERE[0],
        "context": " ".join(TOKENS),
        "description": " ".join(TOKENS),
        "denominator": 8,
        "vocabulary": list(TOKENS),
        "target": [row((18, 1), (20, 3), (30, 4)), row((size - 1, 7), (0, 1))],
        "bonus": row((19, 8)),
        "cost_model": {"draft_step": "1/10", "verify_pass": "1"},
        "profiles": profiles,
    }


def _profile(
    name: str, draft: list[list[int]], proposals: list[str], accept: str = "1/2"
) -> dict[str, Any]:
    return {
        "id": name,
        "title": f"The profile {name}",
        "draft": draft,
        "proposals": proposals,
        "draws": {"accept": [accept] * len(draft), "replacement": "1/3", "bonus": "0.999"},
    }


SHAPES: dict[str, dict[str, Any]] = {
    # The smallest, of halves: equal distributions, so that no residual exists.
    "smallest.v1.json": {
        "title": "Smallest",
        "context": "",
        "denominator": 2,
        "vocabulary": ["heads", "tails"],
        "target": [[1, 1]],
        "bonus": [0, 2],
        "cost_model": {"draft_step": "0", "verify_pass": "1"},
        "profiles": [_profile("equal", [[1, 1]], ["heads"], accept="0.999")],
    },
    # The longest, of quarters: too many tuples of proposals for brute force.
    "longest.v1.json": {
        "title": "Longest",
        "context": "Go",
        "denominator": 4,
        "vocabulary": ["a", "b", "c"],
        "target": [[2, 1, 1]] * 12,
        "bonus": [0, 0, 4],
        "cost_model": {"draft_step": "1/10", "verify_pass": "1"},
        "profiles": [
            _profile("twelve", [[1, 2, 1]] * 12, ["a"] * 12),
            _profile("twelve-unlucky", [[2, 2, 0]] * 12, ["a", "a", "b", *["a"] * 9], "3/4"),
        ],
    },
    # Tenths: a draft without a token in common, rejected at position 1, that no price makes pay.
    "worst.v1.json": {
        "title": "Worst",
        "context": "",
        "denominator": 10,
        "vocabulary": ["x", "y", "z"],
        "target": [[10, 0, 0], [7, 3, 0]],
        "bonus": [0, 0, 10],
        "cost_model": {"draft_step": "0.5", "verify_pass": "3"},
        "profiles": [_profile("disjoint", [[0, 1, 9], [0, 0, 10]], ["z", "z"], accept="0")],
    },
    # Thousandths: five profiles, a pass that costs more than a step.
    "five.v1.json": {
        "title": "Five",
        "context": "One two",
        "denominator": 1000,
        "vocabulary": ["one", "two", "three"],
        "target": [[999, 1, 0], [333, 333, 334]],
        "bonus": [1, 0, 999],
        "cost_model": {"draft_step": "1/3", "verify_pass": "3/2"},
        "profiles": [
            _profile(f"draft-{n}", [[999 - n, 1, n], [n, 1000 - n, 0]], ["one", "two"])
            for n in (1, 2, 3, 5, 7)
        ],
    },
    # A name that an address has to escape.
    "my data (1) & more.json": {
        "title": "Odd name",
        "context": "",
        "denominator": 1,
        "vocabulary": ["all"],
        "target": [[1]],
        "bonus": [1],
        "cost_model": {"draft_step": "1", "verify_pass": "1"},
        "profiles": [_profile("odd", [[1]], ["all"])],
    },
}
