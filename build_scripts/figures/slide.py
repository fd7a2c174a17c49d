"""A figure on a slide, 16 to 9: as large as it fits, its assumption and its credit below."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from build_scripts.figures.figure import Figure
from build_scripts.figures.palette import Palette

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas
    from PIL.Image import Image

WIDTH, HEIGHT = 1920, 1080
"""Pixels."""

DPI = 144
EDGE = 48
FOOT = 188
SIZE = 11
LINES = 4


def slide_around(canvas: Canvas, figure: Figure, credit: str, palette: Palette) -> bytes:
    """Return a slide with a drawn figure on it, as PNG.

    Args:
        canvas: the figure as drawn.
        figure: its words.
        credit: whom to credit, in one line.
        palette: its colours.
    """
    width, height = canvas.get_size_inches()
    dpi = min((WIDTH - 2 * EDGE) / width, (HEIGHT - EDGE - FOOT) / height)
    picture, slide = _rendered(canvas, dpi), _rendered(_foot(figure, credit, palette), DPI)
    # Pasted as pixels: a picture in a picture would be resampled.
    slide.paste(picture, ((WIDTH - picture.width) // 2, (HEIGHT - FOOT - picture.height) // 2))
    file = BytesIO()
    slide.save(file, "PNG")
    return file.getvalue()


def _foot(figure: Figure, credit: str, palette: Palette) -> Canvas:
    from matplotlib.figure import Figure as Canvas

    from build_scripts.figures.text import label, wrapped

    slide = Canvas(figsize=(WIDTH / DPI, HEIGHT / DPI))
    room = (WIDTH - 2 * EDGE) / DPI
    words = wrapped(f"Assumptions: {figure.assumption} Limits: {figure.omits}", room, SIZE, LINES)
    slide.text(
        EDGE / WIDTH, (FOOT - 12) / HEIGHT, words, fontsize=SIZE, color=palette.muted, va="top",
        linespacing=1.3,
    )  # fmt: skip
    slide.text(EDGE / WIDTH, 22 / HEIGHT, label(credit, room, SIZE), fontsize=SIZE, va="bottom")
    return slide


def _rendered(canvas: Canvas, dpi: float) -> Image:
    from PIL.Image import open as opened

    pixels = BytesIO()  # PNG, which says how many it has, and packed as little as it can be
    canvas.savefig(pixels, format="png", dpi=dpi, pil_kwargs={"compress_level": 0})
    return opened(pixels).convert("RGB")
