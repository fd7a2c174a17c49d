"""Pictures of a figure in every format, each drawn in a process of its own, without a window."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.metadata import version
from io import BytesIO
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from build_scripts.cache import code_digest
from build_scripts.figures.figure import Figure
from build_scripts.figures.palette import LIGHT, in_the_dark

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

Made = TypeVar("Made")

HOUSE_STYLE = Path(__file__).with_name("house.mplstyle")

PNG_DPI = 192

_SIZE = re.compile(rb'width="([\d.]+)pt" height="([\d.]+)pt"')

_DRAWN_WITH = ("matplotlib", "numpy", "contourpy", "pillow", "fonttools", "pypdf")


def drawing_code() -> bytes:
    """Return everything that a picture depends on besides its figure."""
    versions = " ".join(f"{name} {version(name)}" for name in _DRAWN_WITH)
    return code_digest(Path(__file__).parent) + HOUSE_STYLE.read_bytes() + versions.encode()


def on_all_cores(
    work: Callable[[Executor, Figure], Made], figures: Iterable[Figure], cache: Path
) -> list[Made]:
    """Return ``work`` for each figure, which may hand what draws to processes.

    matplotlib's settings are global to a process, so it has some of its own, one per core.

    Args:
        work: takes the processes and a figure; runs in a thread.
        figures: what to draw.
        cache: the project's cache folder, for what matplotlib remembers.
    """
    os.environ.setdefault("MPLCONFIGDIR", str((cache / "matplotlib").absolute()))
    cores = os.cpu_count() or 1
    with (
        ProcessPoolExecutor(
            cores, mp_context=get_context("spawn"), initializer=_set_up
        ) as processes,
        # Each waits for one process, which it starts deaf to interruptions: those are for us.
        ThreadPoolExecutor(
            cores,
            initializer=signal.pthread_sigmask,
            initargs=(signal.SIG_BLOCK, {signal.SIGINT}),
        ) as threads,
    ):
        try:
            return list(threads.map(partial(work, processes), figures))
        except BaseException:
            threads.shutdown(cancel_futures=True)  # or all the others would be drawn first
            raise


def _set_up() -> None:
    """Make a process that draws: without a window, and not left behind if its parent is killed."""
    os.environ["MPLBACKEND"] = "agg"  # a notebook's terminal may name one that is not there

    def wait() -> None:
        parent = parent_process()
        if parent:
            parent.join()
        os._exit(1)

    Thread(target=wait, daemon=True).start()


def for_pages(figure: Figure) -> dict[str, bytes]:
    """Draw a figure; return it as SVG, ``svg`` and, in the colours for dark, ``dark``."""
    with _settings(figure):
        svg = _saved(_canvas(figure), "svg", {"Date": None, "Creator": None})
    svg = _SIZE.sub(_in_whole_pixels, svg, count=1)
    return {"svg": svg, "dark": in_the_dark(svg.decode()).encode()}


def _in_whole_pixels(size: re.Match[bytes]) -> bytes:
    """Return a size that HTML can promise, so that nothing moves when the picture arrives."""
    width, height = (round(float(points) * 4 / 3) for points in size.groups())
    return f'width="{width}" height="{height}"'.encode()


def for_print(figure: Figure) -> dict[str, bytes]:
    """Draw a figure; return it as ``pdf``, and as ``png`` with two pixels for each on a page."""
    _leave_shaping_out_of_fonts()
    with _settings(figure):
        canvas = _canvas(figure)
        no_dates = {"CreationDate": None, "Producer": None, "Creator": None}
        return {
            "pdf": _saved(canvas, "pdf", no_dates),
            "png": _saved(canvas, "png", {"Software": None}, dpi=PNG_DPI),
        }


def slide(figure: Figure, credit: str) -> dict[str, bytes]:
    """Draw a figure for a lecture, with what it takes for granted and whom to credit below it."""
    from build_scripts.figures.slide import slide_around

    with _settings(figure):
        return {"slide": slide_around(_canvas(figure), figure, credit, LIGHT)}


def _leave_shaping_out_of_fonts() -> None:
    """Have fonts embedded without the tables that say how letters join.

    A PDF names glyphs, not letters, so nobody reads them; making them fit the glyphs that are used
    takes most of the time of a PDF.
    """
    from fontTools.subset import Options

    for table in ("GDEF", "GPOS", "GSUB"):
        if table not in Options._drop_tables_default:
            Options._drop_tables_default.append(table)


@contextmanager
def _settings(figure: Figure) -> Iterator[None]:
    import matplotlib

    matplotlib.rcdefaults()  # whatever settings the person has
    settings: dict[Any, str] = {**LIGHT.settings, "svg.hashsalt": figure.slug}
    with matplotlib.rc_context(settings, fname=HOUSE_STYLE):
        yield


def _canvas(figure: Figure) -> Canvas:
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas()
    import_module(f"build_scripts.figures.{figure.kind}").draw(canvas, figure, LIGHT)
    return canvas


def _saved(canvas: Canvas, kind: str, metadata: dict[str, None], **settings: Any) -> bytes:
    file = BytesIO()
    canvas.savefig(file, format=kind, metadata=metadata, **settings)
    return file.getvalue()
