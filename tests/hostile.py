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
    """Put hostile tokens where the main scenario was, and further files beside the others."""
    scenarios = {"profiles.v1.json": _tokens(), "texts.v1.json": _texts(), **SHAPES}
    profiles = [profile for each in scenarios.values() for profile in each["profiles"]]
    texts = [*ONLY_AT_THE_START, *_groups(14)]
    assert len(texts) <= 2 * len(profiles), "each text is a title or a description"
    for profile, description, title in zip(
        profiles, texts, reversed(texts[: 2 * len(profiles)]), strict=False
    ):
        profile |= {"title": title, "short_title": title, "description": description}
    for name, scenario in scenarios.items():
        content = json.dumps({"version": 1, **scenario}, ensure_ascii=False)
        (data / name).write_text(content, encoding="utf-8")


def _groups(size: int) -> list[str]:
    """Return the texts that work anywhere, several in one."""
    groups = [" · ".join(ANYWHERE[start : start + size]) for start in range(0, len(ANYWHERE), size)]
    assert all(len(group) < 1000 for group in groups)
    return groups


def _tokens() -> dict[str, Any]:
    """Every text as a token."""
    size = len(TOKENS)

    def row(*weights: tuple[int, int]) -> list[int]:
        return [dict(weights).get(token, 0) for token in range(size)]

    return {
        "title": " ".join(ANYWHERE)[:1000],
        "context": " ".join(TOKENS),
        "denominator": 8,
        "vocabulary": list(TOKENS),
        "target": [row((0, 2), (18, 2), (20, 4)), row((19, 8))],
        "bonus": row((size - 1, 8)),
        "cost_model": {"draft_step": "1/10", "verify_pass": "1"},
        "profiles": [
            _profile("tokens", [row((18, 4), (30, 4)), row((22, 8))], [TOKENS[18], TOKENS[22]])
        ],
    }


def _texts() -> dict[str, Any]:
    """Texts that break out, wherever else a scenario has texts."""
    return {
        "title": ANYWHERE[2],
        "short_title": ANYWHERE[0],
        "context": ANYWHERE[4],
        "description": ANYWHERE[5],
        "denominator": 8,
        "vocabulary": [ANYWHERE[0], "b"],
        "target": [[7, 1]],
        "bonus": [8, 0],
        "cost_model": {"draft_step": "1/10", "verify_pass": "1"},
        "profiles": [_profile(f"texts-{n}", [[4, 4]], [ANYWHERE[0]]) for n in range(3)],
    }


def _profile(
    name: str, draft: list[list[int]], proposals: list[str], accept: str = "1/2"
) -> dict[str, Any]:
    return {
        "id": name,
        "title": "",
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
    # Thousandths: a pass that costs more than a step.
    "two.v1.json": {
        "title": "Two",
        "context": "One two",
        "denominator": 1000,
        "vocabulary": ["one", "two", "three"],
        "target": [[999, 1, 0], [333, 333, 334]],
        "bonus": [1, 0, 999],
        "cost_model": {"draft_step": "1/3", "verify_pass": "3/2"},
        "profiles": [
            _profile(f"draft-{n}", [[999 - n, 1, n], [n, 1000 - n, 0]], ["one", "two"])
            for n in (1, 7)
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
