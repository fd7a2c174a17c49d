"""Data that is legal and tries everything: markup in every text, numbers at their limits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from build_scripts.figures.token_rows import LONGEST_NAMED
from tests.site_checks import BuiltSite

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
    "<?x",
    "~~~",
    "| a | b |",
    '??? "note"',
    "@SUM(1)",
    "=cmd|' /C calc'!A0",
)
"""Texts that mean something to Markdown, or to a spreadsheet, where they begin a line."""

ANYWHERE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "</title><script>alert(1)</script>",
    "</bdi></textarea></style>",
    "</p></pre></code></svg></metadata>",
    "<svg onload=alert(1)>",
    '<iframe srcdoc="<script>alert(1)</script>">',
    '<a href="javascript:alert(1)">',
    "<!-- -->",
    "]]>",
    "<![CDATA[x]]>",
    '" onmouseover="alert(1)',
    "{{ 7*7 }}",
    "{% raw %}",
    "[[ 7*7 ]]",
    "[% raw %]",
    "[# no #]",
    "[[ results ]]",
    "{{constructor.constructor('alert(1)')()}}",
    "${alert(1)}",
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
    "[residual]",
    "[glossary/draft]",
    "residual",
    "acceptance rates",
    "{#x .y}",
    ":smile:",
    ":material-star:",
    "&amp;",
    "&#42;",
    "&lt;b&gt;",
    "&amp;lt;",
    "&#0;",
    "&",
    "<",
    "\"quotes'",
    "key: value # comment",
    "%s %(x)s {0} {x}",
    "\\\\",
    r"\input{/etc/passwd}",
    r"50% \u0000 %00 #1 ~",
    "}, title = {x",
    "ER  - TY  - JOUR",
    ")) >> endobj",
    "term\\",
    "שלום (עולם)",
    "مرحبا",
    "\u202eabc",
    "\u2069\u202eabc",
    "\u2067abc",
    "👩\u200d👩\u200d👧\u200d👦",
    "e\u0301",
    "q" + "\u0302\u0303" * 20,
    "\u200b\ufeff\u00ad",
    "  two  ",
    "\u00a0",
    "x" * 400,
)

TOKENS = (*ONLY_AT_THE_START, *ANYWHERE)


_ALIKE = re.compile(r"figures/.+-(?!tokens/|texts-1/|odd/)[a-z0-9-]+/index\.html")


def unlike(site: BuiltSite) -> list[str]:
    """Return the pages of a site, but of the hostile one not all pages of figures.

    Those of three profiles are there. The others have the same templates and, but for titles, the
    same texts.
    """
    is_hostile = (site.project / "data" / _OF_TEXTS).exists()
    return [path for path in site.pages if not (is_hostile and _ALIKE.fullmatch(path))]


_OF_TEXTS = "texts.v1.json"


def write_hostile_data(data: Path) -> None:
    """Put hostile tokens where the main scenario was, and further files beside the others."""
    scenarios = {"profiles.v1.json": _tokens(), _OF_TEXTS: _texts(), **SHAPES}
    profiles = [profile for each in scenarios.values() for profile in each["profiles"]]
    # Each text is the title of a profile, its description or the title of a scenario.
    titles, texts = grouped(950), list(ONLY_AT_THE_START)
    titles += [texts.pop() for _ in profiles[len(titles) :]]
    for profile, title in zip(profiles, titles, strict=True):
        profile |= {"title": title, "short_title": title, "description": texts.pop()}
    for scenario, title in zip(SHAPES.values(), texts, strict=False):
        scenario["title"] = title
    for name, scenario in scenarios.items():
        content = json.dumps({"version": 1, **scenario}, ensure_ascii=False)
        (data / name).write_text(content, encoding="utf-8")


DEBRIS = re.compile(
    r"alert|onerror|onload=|onmouse|javascript:|example\.com|</?script|</?svg|</?bdi|</title|<!--|"
    r"-->|\]\]>|CDATA|srcdoc|constructor|7\*7|\[\[ results|\[%|%\]|\[#|\{%|%\}|\{#|\{:|\\foo|\$\$|"
    r"&#|&amp|&lt|&gt|&quot|etc/passwd|JOUR|endobj|\[TOC\]|8<--|\[\^1\]|:smile:|material-star|"
    r"%\(x\)s|\*it\*|~~x|\^s\^|==m|\+\+k|\\u0000|a\|b|x{100}"
)
"""What is left of the texts above where one is not shown as it is; no page of ours says it."""

_MARKS = re.compile("[\u202a-\u202e\u2066-\u2069]")


def texts_of(data: Path) -> list[str]:
    """Return every text of every data file, whole and as an alternative text cuts it.

    Each is `plainly` written; the longest come first.
    """
    texts = {
        text
        for file in data.glob("*.json")
        if ".schema." not in file.name
        for text in _texts_in(json.loads(file.read_bytes()))
    }
    short = {f"{text[: LONGEST_NAMED - 1]}…" for text in texts if len(text) > LONGEST_NAMED}
    return sorted(map(plainly, texts | short), key=len, reverse=True)


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(inner)


def plainly(text: str) -> str:
    """Return a text without marks of direction, any white space as one space."""
    return " ".join(_MARKS.sub("", text).split())


def debris(shown: str, texts: list[str]) -> list[str]:
    """Return what is neither ours nor a text of the data, word for word.

    Args:
        shown: what a reader or a program is given.
        texts: those of the data.
    """
    rest = plainly(shown)
    if not DEBRIS.search(rest):
        return []
    for text in texts:
        if DEBRIS.search(text):
            rest = rest.replace(text, "\N{OBJECT REPLACEMENT CHARACTER}")
    return [rest[max(0, each.start() - 40) : each.end() + 40] for each in DEBRIS.finditer(rest)]


def grouped(longest: int) -> list[str]:
    """Return the texts that work anywhere, as many in one as fit."""
    groups = [ANYWHERE[0]]
    for text in ANYWHERE[1:]:
        together = f"{groups[-1]} · {text}"
        if len(together) <= longest:
            groups[-1] = together
        else:
            groups.append(text)
    return groups


def _tokens() -> dict[str, Any]:
    """Every text as a token."""
    size, first = len(TOKENS), len(ONLY_AT_THE_START)

    def row(*weights: tuple[int, int]) -> list[int]:
        return [dict(weights).get(token, 0) for token in range(size)]

    return {
        "title": " ".join(ANYWHERE)[:1000],
        "context": " ".join(TOKENS),
        "denominator": 8,
        "vocabulary": list(TOKENS),
        "target": [row((0, 2), (first, 2), (first + 2, 4)), row((first + 1, 8))],
        "bonus": row((size - 1, 8)),
        "cost_model": {"draft_step": "1/10", "verify_pass": "1"},
        "profiles": [
            _profile(
                "tokens",
                [row((first, 4), (first + 12, 4)), row((first + 4, 8))],
                [TOKENS[first], TOKENS[first + 4]],
            )
        ],
    }


def _texts() -> dict[str, Any]:
    """Texts that break out, wherever else a scenario has texts."""
    return {
        "title": ANYWHERE[2],
        "short_title": ANYWHERE[0],
        "context": '" onmouseover="alert(1)',
        "description": "{{ 7*7 }}",
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
