"""Let Atheris look for files on which loader and second judge disagree; run by ``make fuzz``.

    python -m tests.fuzz -max_total_time=60

It changes the good file, guided by which code of the loader each change reaches. What it finds
becomes an example in `tests.test_fuzz_loader`.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["specdec"]):
    from tests.judge import assert_judged_alike

DATA = Path(__file__).parent.parent / "data"

WORDS = (
    '"id"', '"title"', '"draws"', '"accept"', '"target"', '"bonus"', '"1/2"', '"-0"', "-0", "1e9",
    "NaN", "null", "true", "[]", "{}", "\\\\ud800", "\\xef\\xbb\\xbf",
)  # fmt: skip
"""What files are made of, in the notation of libFuzzer's dictionaries."""


def main() -> None:
    """Look, in a temporary folder, until an option of libFuzzer's ends it or something is found."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        seeds = Path("seeds")
        seeds.mkdir()
        for file in DATA.glob("*.v1.json"):
            (seeds / file.name).write_bytes(file.read_bytes())
        quoted = (word.replace('"', '\\"') for word in WORDS)
        Path("words").write_text("".join(f'"{word}"\n' for word in quoted))
        options = ["-dict=words", "-max_len=4096", "-timeout=20", *sys.argv[1:], "seeds"]
        atheris.Setup([sys.argv[0], *options], assert_judged_alike)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
