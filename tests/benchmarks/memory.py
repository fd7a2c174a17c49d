"""One long run in a process of its own: ``python -m tests.benchmarks.memory ROUNDS``.

Prints one JSON object: rounds, peak_rss_bytes and seconds. Nothing else is loaded than the sampler
and what it needs.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

from tests.benchmarks.contenders import exact_rounds
from tests.benchmarks.inputs import shipped
from tests.benchmarks.timing import once


def peak() -> int:
    """Return the most memory, in bytes, that this process has had in RAM at a time."""
    try:
        # Linux counts the memory of the process that started this one into ru_maxrss.
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024


def main() -> None:
    rounds = int(sys.argv[1])
    seconds = once(exact_rounds(shipped("aligned"), rounds))
    print(json.dumps({"rounds": rounds, "peak_rss_bytes": peak(), "seconds": seconds}))


if __name__ == "__main__":
    main()
