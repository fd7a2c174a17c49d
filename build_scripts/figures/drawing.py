"""Figures as files: drawn in processes of their own, and again only when they have changed."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import version
from io import BytesIO
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any

from build_scripts.cache import Say, code_digest, remembered
from build_scripts.figures.figure import Figure
from build_scripts.figures.palette import LIGHT, in_the_dark

HOUSE_STYLE = Path(__file__).with_name("house.mplstyle")

_DRAWN_WITH = ("matplotlib", "numpy", "contourpy", "pillow", "fonttools")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure with its files.

    Attributes:
        figure: what was drawn.
        files: SVGs, for light and for dark, by path below ``docs/``.
    """

    figure: Figure
    files: dict[str, bytes]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in CSS pixels, four for three points."""
        light = next(iter(self.files.values()))
        found = re.search(rb'<svg [^>]*?width="([\d.]+)pt" height="([\d.]+)pt"|$', light)
        width, height = found.groups() if found and found[1] else (b"0", b"0")
        return round(float(width) * 4 / 3), round(float(height) * 4 / 3)


def drawn(figures: Iterable[Figure], cache: Path, say: Say) -> dict[str, Drawn]:
    """Return all figures with their files, by slug.

    What has not changed comes from the cache; the rest is drawn on all cores. A process of its own
    for each keeps matplotlib, whose settings are global, out of this one.

    Args:
        figures: what to draw.
        cache: the project's cache folder.
        say: told of each figure that is drawn.
    """
    os.environ.setdefault("MPLCONFIGDIR", str((cache / "matplotlib").absolute()))
    drawn_with = _drawing_code()
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
        draw = partial(_drawn, cache, drawn_with, processes, say)
        try:
            return {each.figure.slug: each for each in threads.map(draw, figures)}
        except BaseException:
            threads.shutdown(cancel_futures=True)  # or all the others would be drawn first
            raise


def _drawn(cache: Path, drawn_with: bytes, processes: Executor, say: Say, figure: Figure) -> Drawn:
    def draw() -> dict[str, str]:
        say(f"drawing {figure.slug}")
        return processes.submit(svgs, figure).result()

    said = json.dumps(
        [figure.slug, figure.kind, figure.title, figure.subject, figure.data]
    ).encode()
    files = remembered(cache / "figures", figure.slug, (drawn_with, said), draw)
    return Drawn(figure, {path: svg.encode() for path, svg in files.items()})


def _set_up() -> None:
    """Make a process that draws: without a window, and not left behind if its parent is killed."""
    os.environ["MPLBACKEND"] = "agg"  # a notebook's terminal may name one that is not there

    def wait() -> None:
        parent = parent_process()
        if parent:
            parent.join()
        os._exit(1)

    Thread(target=wait, daemon=True).start()


def svgs(figure: Figure) -> dict[str, str]:
    """Draw a figure; return it for light and for dark, by path. For a process of its own."""
    import matplotlib
    from matplotlib.figure import Figure as Canvas

    matplotlib.rcdefaults()  # whatever settings the person has
    draw = import_module(f"build_scripts.figures.{figure.kind}").draw
    settings: dict[Any, str] = {**LIGHT.settings, "svg.hashsalt": figure.slug}
    with matplotlib.rc_context(settings, fname=HOUSE_STYLE):
        canvas, file = Canvas(), BytesIO()
        draw(canvas, figure, LIGHT)
        canvas.savefig(
            file, format="svg", metadata={"Title": figure.title, "Date": None, "Creator": None}
        )
    light = file.getvalue().decode()
    return {
        f"figures/{figure.slug}.svg": light,
        f"figures/{figure.slug}.dark.svg": in_the_dark(light),
    }


def _drawing_code() -> bytes:
    """Return everything that a figure depends on besides its own data."""
    versions = " ".join(f"{name} {version(name)}" for name in _DRAWN_WITH)
    return code_digest(Path(__file__).parent) + HOUSE_STYLE.read_bytes() + versions.encode()
