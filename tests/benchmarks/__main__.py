"""Sets up the environment that the contenders need and runs the benchmark in it."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
ENVIRONMENT = ROOT / ".cache" / "bench"

THREAD_LIMITS = (
    "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS",
)  # fmt: skip
"""Read when a library loads, so they are set before the process starts."""


def environment() -> Path:
    """Return the Python of the environment, built anew if what it was made for has changed.

    Raises:
        subprocess.CalledProcessError: it could not be made; pip has said why.
    """
    python = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = ENVIRONMENT / "made-for"
    made_for = f"{sys.version}\n{hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()}\n"
    if python.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == made_for:
        return python
    print("setting up .cache/bench: what is measured against …", flush=True)
    subprocess.run([sys.executable, "-I", "-m", "venv", "--clear", ENVIRONMENT], check=True)
    quiet = ["--quiet", "--disable-pip-version-check", "--no-input"]
    subprocess.run(
        [python, "-I", "-m", "pip", "install", *quiet, "-r", REQUIREMENTS],
        check=True,
    )
    stamp.write_text(made_for, encoding="utf-8")  # last: an interrupted set-up begins again
    return python


def main() -> int:
    """Run the benchmark and return its exit code."""
    try:
        python = environment()
    except subprocess.CalledProcessError as fault:
        print(f"benchmark: no environment: {fault}", file=sys.stderr)
        return 1
    settings = {**os.environ, **dict.fromkeys(THREAD_LIMITS, "1"), "HF_HUB_OFFLINE": "1"}
    run = [str(python), "-m", "tests.benchmarks.run", *sys.argv[1:]]
    return subprocess.run(run, cwd=ROOT, env=settings, check=False).returncode


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:  # both processes were told; one traceback less
        sys.exit(130)
