"""What the figures of the shipped data were when somebody last looked at them.

Their numbers as CSV, and small pictures, which show that a drawing is not empty or clipped; a
picture may differ a little, a number may not. ``make golden`` writes both anew.
"""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image, ImageChops

FOLDER = Path(__file__).with_name("figures")

WIDTH = 190  # pixels


def numbers(written: bytes) -> bytes:
    """Return a CSV file without the lines about it, its lines ended as Git keeps them."""
    lines = written.replace(b"\r\n", b"\n").splitlines(keepends=True)
    return b"".join(line for line in lines if not line.startswith((b"# ", b'"# ')))


def thumbnail(png: bytes) -> Image.Image:
    """Return a small grey picture of a PNG file."""
    with Image.open(io.BytesIO(png)) as picture:
        height = round(picture.height * WIDTH / picture.width)
        return picture.convert("L").resize((WIDTH, height), Image.Resampling.BOX)


def difference(one: Image.Image, other: Image.Image) -> int:
    """Return the largest mean difference of shades, 0 to 255, in any square of the pictures."""
    assert one.size == other.size
    squares = ImageChops.difference(one, other).resize(
        (one.width // 12, one.height // 12), Image.Resampling.BOX
    )
    return max(shade for shade, count in enumerate(squares.histogram()) if count)
