"""What differs between two versions of the site, as values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

from build_scripts.comparing.aligning import Change, aligned
from build_scripts.comparing.rendered import Rendered
from build_scripts.comparing.units import (
    ALT,
    ANCHOR,
    BETWEEN_CELLS,
    CAPTION,
    LABEL,
    ROW,
    TITLE,
    UNSEEN,
    Unit,
    spoken,
)
from build_scripts.comparing.values import WORDS, ValueChange, Values, changed_values
from build_scripts.figure_pages import moved_slugs, published_slugs
from build_scripts.figures.figure import Figure
from build_scripts.figures.files import Drawn, picture_of

ADDED, GONE, CHANGED = "new", "gone", "changed"

EVERY_PAGE = "(every page)"
"""Stands for the path of what is on each page: the menu, the image of shared links."""

ORIGIN = "origin"


@dataclass(frozen=True, slots=True)
class DataChange:
    """A data file that is not as it was, byte by byte.

    Attributes:
        name: on the site.
        old_sha256: None where there was no such file; ``new_sha256`` likewise.
        new_sha256: see ``old_sha256``.
        respelt: whether it says the same in other bytes.
    """

    name: str
    old_sha256: str | None
    new_sha256: str | None
    respelt: bool


@dataclass(frozen=True, slots=True)
class Slug:
    """The name of a figure, which is part of an address that somebody may have cited.

    Attributes:
        slug: the name.
        state: `GONE` or `ADDED`.
        published: whether ``published.json`` lists it.
        leads_to: where a slug that is gone has moved, so that its address still works; or None.
        successor: the figure that shows what it showed, if a profile has only another id; or None.
    """

    slug: str
    state: str
    published: bool
    leads_to: str | None
    successor: str | None


@dataclass(frozen=True, slots=True)
class ValuesOf:
    """What has changed in the numbers of a data file or a profile.

    Attributes:
        of: name of the file, or id of the profile.
        state: `ADDED` or `GONE` for all of it, or `CHANGED`.
        values: each that differs.
    """

    of: str
    state: str
    values: tuple[ValueChange, ...]


@dataclass(frozen=True, slots=True)
class FileChange:
    """A generated page or file that is not as it was.

    Attributes:
        path: below ``docs/``.
        state: `ADDED`, `GONE` or `CHANGED`.
        changes: every piece that differs, if it is there in both versions. None differs if a page
            is only written in another way.
    """

    path: str
    state: str
    changes: tuple[Change, ...]

    @property
    def seen(self) -> tuple[Change, ...]:
        """The changes of what a reader meets as words, but for digests."""
        return tuple(
            each for each in self.changes if each.kind not in UNSEEN and not each.of_origin
        )

    @property
    def of_origin(self) -> bool:
        """Whether only digests of files differ in it."""
        return self.state == CHANGED and all(each.of_origin for each in self.changes)


@dataclass(frozen=True, slots=True)
class FigureChange:
    """A figure that is not as it was.

    Attributes:
        slug: its name.
        state: `ADDED`, `GONE` or `CHANGED`.
        redrawn: whether its picture differs, beyond what it says about itself.
        changes: of its words, of the rows of its table, and of its origin.
        files: its files, by path, that differ in any byte.
    """

    slug: str
    state: str
    redrawn: bool
    changes: tuple[Change, ...]
    files: tuple[str, ...]

    @property
    def of_origin(self) -> bool:
        """Whether only digests differ in what it says."""
        return (
            self.state == CHANGED
            and not self.redrawn
            and all(each.of_origin for each in self.changes)
        )


@dataclass(frozen=True)
class Comparison:
    """What differs between two versions of the site.

    Attributes:
        old: what the reviewer calls the old version; ``new`` likewise.
        new: see ``old``.
        data: data files that differ.
        renamed: new id by old id, of profiles of which nothing but the id and words differ.
        slugs: of figures, those that are gone first.
        gone: paths of pages and files that are no more, and ``path#id`` of places on pages.
        edits: what the data files hold, file by file, profile by profile.
        numbers: what the engine makes of them, likewise.
        pages: every page that differs, authored ones, profiles' and figures', and the menu.
        files: every other file that differs, but for those of figures.
        figures: every figure that differs.
    """

    old: str
    new: str
    data: tuple[DataChange, ...]
    renamed: Mapping[str, str]
    slugs: tuple[Slug, ...]
    gone: tuple[str, ...]
    edits: tuple[ValuesOf, ...]
    numbers: tuple[ValuesOf, ...]
    pages: tuple[FileChange, ...]
    files: tuple[FileChange, ...]
    figures: tuple[FigureChange, ...]

    @cached_property
    def for_readers(self) -> bool:
        """Whether anything differs but digests and the spelling of data files."""
        found = self.slugs or self.gone or self.edits or self.numbers
        said = (*self.pages, *self.files)
        return bool(found) or not (
            all(each.of_origin for each in said) and all(each.of_origin for each in self.figures)
        )


def compare(old: Rendered, new: Rendered) -> Comparison:
    """Return what differs between two versions of the site."""
    renamed = _renamed(old, new)
    files = list(_files(old, new))
    menu = _aligned(old, new, old.navigation, new.navigation)
    pages = [FileChange(EVERY_PAGE, CHANGED, tuple(menu))] if menu else []
    return Comparison(
        old=old.side.shown,
        new=new.side.shown,
        data=tuple(_data(old, new)),
        renamed=renamed,
        slugs=tuple(_slugs(old, new, renamed)),
        gone=tuple(_gone(old, new)),
        edits=tuple(_values(old.data, new.data, renamed)),
        numbers=tuple(_values(old.numbers, new.numbers, renamed)),
        pages=(*pages, *(each for each in files if _is_page(each.path))),
        files=tuple(each for each in files if not _is_page(each.path)),
        figures=tuple(_figures(old, new)),
    )


def _is_page(path: str) -> bool:
    return path.endswith((".md", ".html"))


def _aligned(
    old: Rendered, new: Rendered, was: Sequence[Unit], now: Sequence[Unit]
) -> list[Change]:
    return aligned(was, now, old.mask, new.mask)


def _renamed(old: Rendered, new: Rendered) -> dict[str, str]:
    """Return the new id of each profile of which only the id and the words differ."""

    def compared(side: Rendered, profile: str) -> tuple[Values, Values]:
        held = {name: value for name, value in side.data[profile].items() if name not in WORDS}
        return held, side.numbers[profile]

    before, after = ([each.profile.id for each in side.results.profiles] for side in (old, new))
    added = [each for each in after if each not in before]
    renamed: dict[str, str] = {}
    for gone in (each for each in before if each not in after):
        for name in added:
            if name not in renamed.values() and compared(old, gone) == compared(new, name):
                renamed[gone] = name
                break
    return renamed


def _data(old: Rendered, new: Rendered) -> Iterator[DataChange]:
    for name in dict.fromkeys([*old.side.files, *new.side.files]):
        was, now = old.side.files.get(name), new.side.files.get(name)
        if was and now and was.content == now.content:
            continue
        yield DataChange(
            name,
            old_sha256=was.sha256 if was else None,
            new_sha256=now.sha256 if now else None,
            respelt=_held(old, name) == _held(new, name),
        )


def _held(side: Rendered, name: str) -> list[Values]:
    """Return what a data file holds; nothing if there is none."""
    profiles = (each.profile.id for each in side.results.profiles if each.file_name == name)
    return [side.data[of] for of in (name, *profiles) if of in side.data]


def _slugs(old: Rendered, new: Rendered, renamed: Mapping[str, str]) -> Iterator[Slug]:
    published, moved = published_slugs(), moved_slugs()
    for slug in old.figures:
        if slug not in new.figures:
            profile = next((each for each in renamed if slug.endswith(f"-{each}")), "")
            successor = f"{slug.removesuffix(profile)}{renamed.get(profile, '')}"
            yield Slug(
                slug,
                GONE,
                published=slug in published,
                leads_to=moved.get(slug),
                successor=successor if successor in new.figures else None,
            )
    for slug in new.figures:
        if slug not in old.figures:
            yield Slug(slug, ADDED, published=slug in published, leads_to=None, successor=None)


def _gone(old: Rendered, new: Rendered) -> Iterator[str]:
    for path in old.tree:
        if path not in new.tree:
            yield path
        elif _is_page(path) and not _says_the_same(old, new, path):
            before, after = (
                [unit.text for unit in side.units(path) if unit.kind == ANCHOR]
                for side in (old, new)
            )
            yield from (f"{path}#{each}" for each in before if each not in after)


def _values(
    old: Mapping[str, Values], new: Mapping[str, Values], renamed: Mapping[str, str]
) -> Iterator[ValuesOf]:
    was = {renamed.get(name, name): values for name, values in old.items()}
    for name in dict.fromkeys([*new, *was]):
        if changes := changed_values(was.get(name, {}), new.get(name, {})):
            state = GONE if name not in new else ADDED if name not in was else CHANGED
            yield ValuesOf(name, state, changes)


def _files(old: Rendered, new: Rendered) -> Iterator[FileChange]:
    """Yield the pages and files that differ, but for data files and those of figures."""
    elsewhere = {f"data/{name}" for side in (old, new) for name in side.side.files}
    for side in (old, new):
        elsewhere |= {path for drawn in side.figures.values() for path in _paths(drawn)}
    for path in sorted(old.tree.keys() | new.tree.keys(), key=_place):
        if path in elsewhere or old.tree.get(path) == new.tree.get(path):
            continue
        if path not in new.tree or path not in old.tree:
            yield FileChange(path, GONE if path in old.tree else ADDED, ())
        else:
            yield FileChange(path, CHANGED, tuple(_changes(old, new, path)))


def _place(path: str) -> tuple[bool, bool, str]:
    """Return where a page stands among others: the home page and the profiles’ first."""
    return path != "index.md", not path.startswith("profiles/"), path


def _says_the_same(old: Rendered, new: Rendered, path: str) -> bool:
    """Say whether a page or file is the same but for digests; then nothing of it is parsed."""
    was, now = old.tree[path], new.tree[path]
    return was == now or old.mask(was.decode()) == new.mask(now.decode())


def _changes(old: Rendered, new: Rendered, path: str) -> Iterator[Change]:
    """Yield all differences of a page or file that is in both versions."""
    if _is_page(path) and _says_the_same(old, new, path):
        before, after = (side.tree[path].decode().splitlines() for side in (old, new))
        for was, now in zip(before, after, strict=True):
            if was != now:
                yield Change(ORIGIN, "", was, now, of_origin=True)
        return
    if not _is_page(path):
        values, others = ({unit.near: unit for unit in side.units(path)} for side in (old, new))
        for pointer in dict.fromkeys([*others, *values]):
            pair = ([side[pointer]] if pointer in side else [] for side in (values, others))
            yield from _aligned(old, new, *pair)
        return
    for unseen in (False, True):
        yield from _aligned(
            old,
            new,
            *(
                [each for each in side.units(path) if (each.kind in UNSEEN) is unseen]
                for side in (old, new)
            ),
        )


def _figures(old: Rendered, new: Rendered) -> Iterator[FigureChange]:
    for slug in dict.fromkeys([*new.figures, *old.figures]):
        was, now = old.figures.get(slug), new.figures.get(slug)
        paths = dict.fromkeys(path for each in (was, now) if each for path in _paths(each))
        files = tuple(path for path in paths if old.tree.get(path) != new.tree.get(path))
        if was and now:
            changes = _aligned(old, new, _figure_units(was.figure), _figure_units(now.figure))
            redrawn = picture_of(was.figure) != picture_of(now.figure)
            if files:
                yield FigureChange(slug, CHANGED, redrawn, tuple(changes), files)
        else:
            yield FigureChange(slug, ADDED if now else GONE, bool(now), (), files)


def _paths(drawn: Drawn) -> Iterator[str]:
    """Yield the paths of the files of a figure, those under slugs that it had included."""
    earlier = [old for old, slug in moved_slugs().items() if slug == drawn.figure.slug]
    yield from (drawn.path(name, slug) for slug in ("", *earlier) for name in drawn.files)


def _figure_units(figure: Figure) -> list[Unit]:
    """Return all that a figure says, and its numbers."""
    header = _row([column.name for column in figure.table.columns])
    return [
        Unit(LABEL, figure.name),
        *spoken(TITLE, figure.title),
        *spoken("subject", figure.subject),
        *spoken(ALT, figure.alt),
        *spoken(CAPTION, figure.caption),
        *spoken("assumption", figure.assumption),
        *spoken("limits", figure.omits),
        *(Unit(ROW, _row(cells), header) for cells in figure.table.rows),
        Unit("columns", header),
        *(Unit(ORIGIN, f"{name}: {said}") for name, said in asdict(figure.provenance).items()),
    ]


def _row(cells: Sequence[object]) -> str:
    return BETWEEN_CELLS.join("–" if cell is None else str(cell) for cell in cells)
