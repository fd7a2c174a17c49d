"""What commands print: a reader may leave early, and a disk may be full."""

from __future__ import annotations

import os
import sys

from build_scripts.errors import SiteError


def tell(text: str) -> None:
    """Print a text at once and in one piece: threads speak, too.

    Raises:
        SiteError: it cannot be written. That nobody reads on is no fault, and changes no verdict.
    """
    try:
        print(f"{text}\n", end="", flush=True)
    except OSError as fault:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more
        if not isinstance(fault, BrokenPipeError):
            raise SiteError(f"output: cannot be written ({fault.strerror})") from fault
