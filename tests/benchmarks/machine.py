"""What a result was measured on and with."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

import specdec


def versions() -> dict[str, str]:
    """Return the version of everything that was measured or measured with."""
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "torch", "transformers", "flashspec")},
        "specdec": specdec.__version__,
    }


def machine() -> dict[str, object]:
    """Return the processor, its cores, the memory and the system."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": _system(),
        # The number alone: what follows it names whoever built the kernel.
        "kernel": f"{platform.system()} {platform.release().partition('-')[0]}",
    }


def load_average() -> float | None:
    """Return how many processes wanted to run over the last minute, None where no one counts."""
    try:
        return round(os.getloadavg()[0], 2)
    except OSError:
        return None


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.platform(terse=True)
