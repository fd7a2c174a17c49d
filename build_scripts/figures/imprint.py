"""What each file of a figure says about itself, in it and back.

It is put into a finished drawing, since data and engine may change when the drawing does not.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING

import specdec
from build_scripts.figures.embed import format_of
from build_scripts.figures.rdf import in_xml, read_rdf
from build_scripts.work import CONTENT_LICENCE, CONTENT_LICENCE_URL, UNPUBLISHED, page_path

if TYPE_CHECKING:
    from build_scripts.figures.figure import Figure
    from build_scripts.work import Work


@dataclass(frozen=True, slots=True)
class Imprint:
    """What each file of a figure says about itself, in texts.

    Data files may hold characters that XML cannot, some controls; these are spelt out, as in
    ``⟨U+0007⟩``.

    Attributes:
        slug: names the figure.
        title: what it shows to be so.
        description: what is drawn, what is taken for granted and what is left out.
        alt: for those who cannot see it.
        author: an organisation.
        licence: of the figure, short.
        licence_url: where it is in full.
        source: address of the figure's page, or that there is none yet.
        data: path of the data file below the site.
        data_sha256: of that file.
        engine_version: of `specdec`, which computed the numbers.
        seed: of random rounds; empty where there are none.
        rounds: how many were played; empty where none were.
    """

    slug: str
    title: str
    description: str
    alt: str
    author: str
    licence: str
    licence_url: str
    source: str
    data: str
    data_sha256: str
    engine_version: str
    seed: str
    rounds: str

    def __post_init__(self) -> None:
        for name, text in asdict(self).items():
            object.__setattr__(self, name, in_xml(text))


_NAMES = tuple(field.name for field in fields(Imprint))


@dataclass(frozen=True, slots=True)
class Read:
    """What was read from a file.

    Attributes:
        imprint: what it says; a text that is missing is empty.
        intact: whether nothing is missing and the seal holds.
    """

    imprint: Imprint
    intact: bool


def imprint(figure: Figure, work: Work) -> Imprint:
    """Return what the files of a figure say about themselves."""
    origin = figure.provenance
    return Imprint(
        slug=figure.slug,
        title=figure.title,
        description=f"{figure.caption} {figure.assumption} {figure.omits}",
        alt=figure.alt,
        author=work.author,
        licence=CONTENT_LICENCE,
        licence_url=CONTENT_LICENCE_URL,
        source=work.cited_at(page_path(figure.slug)) or UNPUBLISHED,
        data=origin.data,
        data_sha256=origin.data_sha256,
        engine_version=specdec.__version__,
        seed="" if origin.seed is None else str(origin.seed),
        rounds="" if origin.rounds is None else str(origin.rounds),
    )


def with_imprint(drawing: bytes, said: Imprint) -> bytes:
    """Return a drawing as a file that says where it is from, and is sealed; see `embed`.

    Args:
        drawing: SVG, PDF or PNG, as matplotlib saves it without dates and programs.
        said: what the file is to say.

    Raises:
        ValueError: it is neither.
    """
    return format_of(drawing).imprinted(drawing, asdict(said))


def read_imprint(content: bytes) -> Read | None:
    """Return what a file says about itself; None if it is no file of ours.

    Args:
        content: anything. What it is shows in the bytes, so its name does not matter.
    """
    kind = format_of(content)
    said = read_rdf(kind.rdf_of(content), _NAMES)
    if not said:
        return None
    texts = {name: said.get(name, "") for name in _NAMES}
    return Read(Imprint(**texts), said.keys() == texts.keys() and kind.is_sealed(content))
