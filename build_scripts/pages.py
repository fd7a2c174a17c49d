"""The generated site as one mapping: path below ``docs/`` → bytes.

Authored pages are Markdown with computed parts: ``[[ value ]]``, ``[% statement %]`` and
``[# comment #]``, delimiters that LaTeX braces and ``{#anchors}`` cannot run into. An unknown name
is an error. Every value is made inert (see `wording.inert`) unless a filter says it is markup.
"""

from __future__ import annotations

import inspect
import json
import re
import traceback
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from textwrap import dedent

import jinja2
from markupsafe import Markup, escape
from mkdocs.utils import meta

import specdec
from build_scripts import wording
from build_scripts.cache import Keep, anew, code_digest
from build_scripts.citations import cite, the_site
from build_scripts.columns import columns
from build_scripts.compiled_templates import CompiledTemplates
from build_scripts.edit_guide import edit_guide
from build_scripts.errors import SiteError
from build_scripts.figure_pages import figure_tree
from build_scripts.figures.files import Drawn
from build_scripts.figures.registry import gallery
from build_scripts.frames import frames_json
from build_scripts.glossary import PAGE as GLOSSARY
from build_scripts.glossary import read_terms, references
from build_scripts.mathml import tex_to_mathml
from build_scripts.offline import OFFLINE_ZIP, paths_below
from build_scripts.profile_results import ProfileResults
from build_scripts.publishing import rules
from build_scripts.results import Results
from build_scripts.sampled import (
    FEW_ROUNDS,
    RANDOM_PROFILES,
    ROUNDS,
    SAMPLING_SEED,
    random_profiles,
)
from build_scripts.work import CONTENT_LICENCE, CONTENT_LICENCE_URL, Work
from specdec import textbook
from specdec.agreement import AGREEMENT_SEED
from specdec.claims import GENERATION_ROUNDS
from specdec.convergence import FALSE_ALARM, FEWEST_EXPECTED, expected_least
from specdec.textbook import beliefs, blackboard
from specdec.wrong_contexts import context_case

TEMPLATES = Path(__file__).parent / "templates"
PROFILE_TEMPLATE = "profile.md"
DATA_SCHEMA = "data/profiles.v1.schema.json"


def site_tree(
    docs: Path,
    results: Results,
    figures: Mapping[str, Drawn],
    work: Work,
    offline_zip: bytes | None = None,
    *,
    earlier: bool = False,
    keep: Keep = anew,
) -> dict[str, bytes]:
    """Return every page and file that is computed, by its path below ``docs/``.

    Args:
        docs: the folder of authored pages.
        results: what they show.
        figures: the figures on them, by slug.
        work: what all of it is part of.
        offline_zip: the same site as a zip, to be one of its files; None to do without.
        earlier: whether the data are older than the record of moved figures.
        keep: what renders pages, those written by hand by the name ``docs/…``, or has them from
            the build before.

    Raises:
        SiteError: pages or templates that cannot be rendered, each with its place.
    """

    @cache
    def environment() -> jinja2.Environment:
        made = _environment(docs, results, figures, work)
        made.globals["offline_zip"] = offline_zip and {
            "path": OFFLINE_ZIP,
            "size": len(offline_zip),
        }
        return made

    def render(path: str, **context: object) -> bytes:
        return _rendered(environment(), path, **context)

    def authored(path: str) -> dict[str, bytes]:
        page = render(path)
        _require_plain_front_matter(docs / path, page.decode())
        return {path: page}

    tree = _all_parts(
        {
            **{f"docs/{path}": partial(authored, path) for path in authored_pages(docs)},
            "pages of figures": lambda: figure_tree(figures, work, render, earlier=earlier),
            "data of no profile": lambda: {
                RANDOM_PROFILES: random_profiles(),
                DATA_SCHEMA: (docs.parent / DATA_SCHEMA).read_bytes(),
            },
            "pages of profiles": lambda: _profile_tree(results, environment(), render),
        },
        keep,
    )
    terms = read_terms(tree.get(GLOSSARY, b"").decode())
    prose = {*authored_pages(docs), *map(profile_path, results.profiles)} & tree.keys()
    for path in prose - {GLOSSARY}:
        tree[path] += references(terms, path).encode()
    if offline_zip:
        tree[OFFLINE_ZIP] = offline_zip
    return tree


def _all_parts(parts: Mapping[str, Callable[[], dict[str, bytes]]], keep: Keep) -> dict[str, bytes]:
    """Return the files of all parts of the site, or refuse with the faults of all."""
    tree: dict[str, bytes] = {}
    faults: dict[str, None] = {}  # in order; that of a template is met on many pages
    for name, make in parts.items():
        try:
            tree |= keep(name, make)
        except SiteError as fault:
            faults[str(fault)] = None
    if faults:
        raise SiteError("\n".join(faults))
    return tree


def _profile_tree(
    results: Results, environment: jinja2.Environment, render: Callable[..., bytes]
) -> dict[str, bytes]:
    """Return the data files, and the pages and frames of each profile."""
    caption = vars(environment.get_template("_words.html").module)["caption"]
    tree: dict[str, bytes] = {}
    for home in results.scenarios.values():
        tree[f"data/{home.file_name}"] = home.data
        for each in home.profiles:
            tree[profile_path(each)] = render(PROFILE_TEMPLATE, this=each)
            tree[embed_path(each)] = render("embed.html", this=each, up="../../../")
            tree[f"frames/{each.profile.id}.json"] = frames_json(
                each, caption, engine_version=results.engine_version
            )
    return tree


def authored_pages(docs: Path) -> list[str]:
    """Return the Markdown pages written by hand; ``decisions/`` is for developers, no page."""
    pages = (page.relative_to(docs) for page in paths_below(docs) if page.suffix == ".md")
    return sorted(page.as_posix() for page in pages if page.parts[0] != "decisions")


def profile_path(each: ProfileResults) -> str:
    """Return the path of a profile's page below ``docs/``."""
    return f"profiles/{each.profile.id}.md"


def embed_path(each: ProfileResults) -> str:
    """Return the path of the page to embed: the player of a profile and nothing around it."""
    return f"profiles/{each.profile.id}/embed/index.html"


def social_image(results: Results, tree: Mapping[str, bytes]) -> str:
    """Return the path of the picture of pages that have none of their own, if it was drawn."""
    path = f"figures/timeline-{results.main.profiles[0].profile.id}.slide.png"
    return path if path in tree else ""


def with_profile_pages(nav: list[object], results: Results) -> list[object]:
    """Return a MkDocs ``nav`` whose section of profiles lists the page of each profile.

    The section is the one that holds ``profiles/index.md``; pages are listed by short title, as
    `Markup`: the theme prints titles without escaping them.
    """
    pages = [
        {escape(wording.isolated(each.profile.short_title)): profile_path(each)}
        for each in results.profiles
    ]
    return [
        {title: _section(inner, pages) for title, inner in entry.items()}
        if isinstance(entry, dict)
        else entry
        for entry in nav
    ]


def _section(inner: object, pages: list[dict[Markup, str]]) -> object:
    """Return a section of the nav, with the profiles' pages if it is the one of the overview."""
    if not isinstance(inner, list):
        return inner
    paths = [
        path for each in inner for path in (each.values() if isinstance(each, dict) else [each])
    ]
    return [*inner, *pages] if "profiles/index.md" in paths else inner


def _environment(
    docs: Path, results: Results, figures: Mapping[str, Drawn], work: Work
) -> jinja2.Environment:
    environment = jinja2.Environment(
        bytecode_cache=CompiledTemplates(
            # All our code: what filters return for constants is compiled in.
            docs.parent / ".cache/templates",
            code_digest(TEMPLATES.parent) + code_digest(Path(specdec.__file__).parent),
        ),
        loader=jinja2.FileSystemLoader([docs, TEMPLATES]),
        variable_start_string="[[",
        variable_end_string="]]",
        block_start_string="[%",
        block_end_string="%]",
        comment_start_string="[#",
        comment_end_string="#]",
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        finalize=_inert_output,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    for worded in (
        wording.token,
        wording.quoted,
        wording.titled,
        wording.isolated,
        wording.attribute,
        wording.read_twice,
        wording.exact,
        wording.divisor,
        wording.over,
        wording.decimal,
        wording.about,
        wording.times,
        wording.percent,
        wording.signed,
        wording.number,
        wording.grouped,
        wording.scientific,
        wording.digits,
        wording.p_value,
        wording.duration,
        wording.megabytes,
        wording.count,
        wording.every,
        wording.unit,
        wording.ordinal,
        wording.parts,
        wording.listing,
        wording.link,
        wording.image,
        wording.capitalised,
    ):
        environment.filters[worded.__name__] = worded
    environment.filters["tex"] = _tex
    environment.filters["yaml"] = _yaml_text
    environment.filters["yaml_as_is"] = _yaml_string
    environment.globals.update(
        beliefs=beliefs(),
        blackboard=blackboard(),
        textbook=textbook,
        measured=lambda name: json.loads((docs / name).read_bytes()),
        columns=columns,
        context_case=context_case(),
        edit_guide=lambda: edit_guide(docs, docs.parent / DATA_SCHEMA),
        changelog=lambda: (docs.parent / "CHANGELOG.md").read_text(encoding="utf-8"),
        expected_least=expected_least,
        figures=figures,
        sampling={
            "rounds": ROUNDS,
            "few": FEW_ROUNDS,
            "seed": SAMPLING_SEED,
            "agreement_seed": AGREEMENT_SEED,
            "one_false_alarm_in": int(1 / FALSE_ALARM),
            "fewest_expected": FEWEST_EXPECTED,
        },
        results=results,
        rounds_tried=GENERATION_ROUNDS,
        site_url=work.address,
        work=work,
        gallery=gallery(figures),
        server_headers=rules(["'sha256-…'"]),
        licence={"name": CONTENT_LICENCE, "url": CONTENT_LICENCE_URL},
        cite_site=cite(work, the_site(work, "")),
        source=_source,
        source_line=_source_line,
    )
    return environment


def _inert_output(value: object) -> object:
    """Make what a page prints inert, and refuse what has not been put into words."""
    if isinstance(value, Markup | jinja2.Undefined):
        return value
    if isinstance(value, str):
        return wording.inert(wording.isolated(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise TypeError(f"expected text or a whole number, got {type(value).__name__}: use a filter")


def _rendered(environment: jinja2.Environment, path: str, **context: object) -> bytes:
    try:
        return environment.get_template(path).render(**context).encode()
    except jinja2.TemplateSyntaxError as fault:
        raise SiteError(
            f"{_place(fault.filename or path, fault.lineno)}: {fault.message}"
        ) from fault
    except jinja2.TemplateNotFound as fault:
        raise SiteError(f"{_template_place(fault, path)}: no template {fault.name}") from fault
    except Exception as fault:  # whatever a page's own expressions do wrong
        said = str(fault) or type(fault).__name__
        raise SiteError(f"{_template_place(fault, path)}: {said}") from fault


def _require_plain_front_matter(page: Path, text: str) -> None:
    """Refuse a title or description that would end the attribute that the theme puts it into.

    Raises:
        SiteError: each of them, with its place.
    """
    faults = [
        f"{_place(str(page), _line_of(name, text))}: {name}: expected text without "
        f'< > or ", got {value!r}'
        for name, value in meta.get_data(text)[1].items()
        if name in ("title", "description") and re.search('[<>"]', str(value))
    ]
    if faults:
        raise SiteError("\n".join(faults))


def _line_of(name: str, text: str) -> int:
    """Return the line on which front matter says something."""
    return next(n for n, line in enumerate(text.splitlines(), 1) if line.startswith(name))


def _template_place(fault: BaseException, path: str) -> str:
    """Return the innermost template line of a traceback."""
    lines = [
        frame
        for frame in traceback.extract_tb(fault.__traceback__)
        if frame.filename.endswith((".md", ".html"))
    ]
    return _place(lines[-1].filename, lines[-1].lineno) if lines else path


def _place(file: str | None, line: int | None) -> str:
    here = Path.cwd()
    path = Path(file or "template")
    shown = path.relative_to(here) if path.is_relative_to(here) else path
    return f"{shown}:{line}"


def _tex(tex: str, *, display: bool = False) -> Markup:
    """Return TeX as MathML, for HTML that Markdown does not read."""
    return Markup(tex_to_mathml(tex, display=display))  # our own markup


def _yaml_text(text: str) -> Markup:
    """Return text as a YAML string, for front matter, which the theme prints without escaping."""
    return _yaml_string(escape(wording.isolated(text)))


def _yaml_string(text: str) -> Markup:
    escaped = (
        character if " " <= character <= "~" else f"\\U{ord(character):08x}"
        for character in json.dumps(text, ensure_ascii=False)
    )
    return Markup("".join(escaped))  # a YAML string holds no markup


class SourceError(ValueError):
    """A page shows code that is not there."""


def _source(module: str, name: str) -> Markup:
    """Return a function or class of the project as a fenced block, from its real source."""
    text = dedent(inspect.getsource(_member(module, name))).rstrip()
    fence = "`" * (max((len(run) for run in _backtick_runs(text)), default=0) + 3)
    return Markup(f"{fence}python\n{text}\n{fence}")  # fenced, so literal


def _source_line(module: str, name: str, fragment: str) -> Markup:
    """Return a piece of code that a page explains, refusing one that the source lost."""
    if fragment not in inspect.getsource(_member(module, name)):
        raise SourceError(f"expected {fragment!r} in the source of {module}.{name}, not there")
    return Markup("<code>{}</code>").format(wording.inert(fragment))


def _member(module: str, name: str) -> type:
    try:
        member: type = attrgetter(name)(import_module(module))
    except (ImportError, AttributeError) as fault:
        raise SourceError(f"expected {name} in {module}: {fault}") from fault
    return member


def _backtick_runs(text: str) -> Iterator[str]:
    run = ""
    for character in text:
        run = run + character if character == "`" else ""
        if run:
            yield run
