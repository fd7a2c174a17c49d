"""Templates as Jinja compiles them, kept between builds."""

from __future__ import annotations

import os
import sys
from importlib.metadata import version
from pathlib import Path

from jinja2.bccache import Bucket, BytecodeCache

from build_scripts.cache import key_of, read_entry, write_entry


class CompiledTemplates(BytecodeCache):
    """What Jinja compiles templates to, which takes it longer than to render them.

    Jinja itself looks whether the source is still the same. Its own cache on disk would trust
    what is damaged, and fail where nothing can be written.
    """

    def __init__(self, folder: Path, environment: bytes) -> None:
        """Keep what one environment compiles.

        Args:
            folder: where entries live, one file per template.
            environment: all that changes how it compiles.
        """
        self._folder = folder
        self._key = key_of([environment, version("jinja2").encode(), sys.version.encode()])

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """Name an entry; Jinja itself cannot where a path is no text to the locale."""
        return key_of([name.encode(), os.fsencode(filename or "")])

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill a template's bucket, if it was kept."""
        kept = read_entry(self._entry(bucket), self._key)
        if kept is not None:
            bucket.bytecode_from_string(kept["code"])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what is in a template's bucket."""
        write_entry(self._entry(bucket), self._key, {"code": bucket.bytecode_to_string()})

    def _entry(self, bucket: Bucket) -> Path:
        return self._folder / f"{bucket.key}.json"
