"""What is wrong with a save: every fault with its place, for the terminal and for the pages."""

from __future__ import annotations

import ast
import logging
import re
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path

import jinja2
from yaml import MarkedYAMLError

STYLE = "/livereload/faults.css"
"""Where the server has the style sheet of what it adds to pages."""

HOOK_LOG = "mkdocs.hooks.specdec"

_TOLD_BETTER = ("Error reading page ", "Error building page ", "Aborted with ")
"""How lines of MkDocs begin that say less than the exception after them."""

_PLACES = (
    (re.compile(r"Doc file '(?P<file>[^']+)' contains an? [^']*'(?P<what>[^']+)'"), "docs/"),
    (re.compile(r"A reference to '(?P<what>[^']+)' is included in the 'nav'"), "mkdocs.yml"),
    (re.compile(r"Config value '(?P<what>\w+)'"), "mkdocs.yml"),
    (re.compile(r'The following pages exist .* included in the "(?P<what>nav)"'), "mkdocs.yml"),
)
"""Lines of MkDocs, and the file that each is about."""


class Listener(logging.Filter):
    """Of what MkDocs says, keeps faults for later and shows no more than a few lines."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.listening = False

    @contextmanager
    def build(self) -> Iterator[list[str]]:
        """Collect the faults of one build; in the order of their messages."""
        self.faults, self.listening = [], True
        try:
            yield self.faults
        finally:
            self.listening = False

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the terminal shows a message."""
        if record.name == HOOK_LOG:
            return True
        said = record.getMessage()
        if record.name == "mkdocs.livereload":
            return record.levelno >= logging.WARNING or "Serving on" in said
        if self.listening and record.levelno >= logging.WARNING:
            self.faults.append(said)
            return False
        return not self.listening and record.levelno >= logging.WARNING


def syntax_faults(root: Path, sources: Iterable[str]) -> list[str]:
    """Return what Python cannot read of our own code, all files at once."""
    faults = []
    for path in sources:
        try:
            ast.parse((root / path).read_bytes(), path)
        except SyntaxError as fault:
            faults.append(f"{path}:{fault.lineno}: {type(fault).__name__}: {fault.msg}")
        except (OSError, ValueError) as fault:
            faults.append(f"{path}: {fault}")
    return faults


def explained(fault: BaseException, root: Path, page: str | None = None) -> str:
    """Return one line about an exception, with its place.

    Args:
        fault: what ended a build.
        root: the project folder.
        page: the page that Markdown was reading, by its path below ``docs/``.
    """
    said = str(fault) or type(fault).__name__
    tex = getattr(fault, "tex", None)
    if page and isinstance(tex, str):
        return f"docs/{page}{_line(root / 'docs' / page, tex)}: {said}"
    for cause in (fault, fault.__cause__, fault.__context__):
        if isinstance(cause, MarkedYAMLError) and cause.problem_mark:
            return f"mkdocs.yml:{cause.problem_mark.line + 1}: {cause.problem}"
    if isinstance(fault, jinja2.TemplateSyntaxError):
        return f"{_shown(fault.filename or fault.name or '?', root)}:{fault.lineno}: {said}"
    own = [
        frame
        for frame in traceback.extract_tb(fault.__traceback__)
        if Path(frame.filename).is_relative_to(root) and "/." not in frame.filename
    ]
    if not own:
        return said if not page else f"docs/{page}: {said}"
    kind = "" if isinstance(fault, jinja2.TemplateError) else f"{type(fault).__name__}: "
    return f"{_shown(own[-1].filename, root)}:{own[-1].lineno}: {kind}{said}"


def told(messages: list[str], root: Path) -> list[str]:
    """Return faults, each once and with its place, from what MkDocs and exceptions said."""
    faults: dict[str, None] = {}
    for message in messages:
        if not message.startswith(_TOLD_BETTER):
            lines = [message] if "\n  - " in message else message.splitlines()
            faults.update(dict.fromkeys(_placed(line, root) for line in lines if line.strip()))
    # MkDocs repeats what an exception said, without its place.
    return [
        fault
        for fault in faults
        if not any(other != fault and other.endswith(f": {fault}") for other in faults)
    ]


def _placed(message: str, root: Path) -> str:
    for pattern, file in _PLACES:
        if found := pattern.match(message):
            path = file + found["file"] if file.endswith("/") else file
            return f"{path}{_line(root / path, found['what'])}: {message}"
    return message


def _line(path: Path, text: str) -> str:
    """Return ``:12``, the first line of a file that has a text; nothing if none has."""
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
    # A setting; else words, such as those of a formula, which are told on one line.
    found = re.search(rf"^{re.escape(text)}:", content, re.MULTILINE) or re.search(
        r"\s+".join(map(re.escape, text.split())), content
    )
    return f":{content.count(chr(10), 0, found.start()) + 1}" if found else ""


def _shown(file: str, root: Path) -> str:
    path = Path(file)
    return str(path.relative_to(root) if path.is_relative_to(root) else path)


def banner(faults: list[str]) -> bytes:
    """Return HTML for the beginning of a page's body that lists the faults."""
    return (
        f'<link rel="stylesheet" href="{STYLE}"><div class="specdec-faults" role="alert">'
        f"<details open><summary>{_count(faults)}. This page is from the last good save."
        f"</summary>{_listed(faults)}</details></div>"
    ).encode()


def page_of(faults: list[str]) -> bytes:
    """Return a page that lists the faults, while there is no good site."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{_count(faults)}</title><link rel="stylesheet" href="{STYLE}"></head>'
        '<body class="specdec-faults-alone"><main class="specdec-faults" role="alert">'
        f"<h1>{_count(faults)}</h1>{_listed(faults)}"
        "<p>No site has been built yet. The next good save shows it here.</p></main></body></html>"
    ).encode()


def _count(faults: list[str]) -> str:
    return "1 fault" if len(faults) == 1 else f"{len(faults)} faults"


def _listed(faults: list[str]) -> str:
    items = "".join(f"<li>{escape(fault)}</li>" for fault in faults)
    return f'<ul tabindex="0" aria-label="Faults">{items}</ul>'


def style() -> bytes:
    """Return the style sheet of both."""
    return Path(__file__).with_name("faults.css").read_bytes()
