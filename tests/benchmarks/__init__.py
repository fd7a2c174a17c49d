"""How long the sampler takes, beside others that do the same: ``python -m tests.benchmarks``.

The first run sets up an environment of its own in ``.cache/bench`` (1.2 GB, or more where PyTorch
comes with CUDA). Then all contenders play rounds of the same distributions in one process, on one
thread, taking turns, and the run prints tables and writes ``docs/benchmark.json``. With
``--quick`` it plays a hundredth of the rounds, to try the harness, and writes nothing.

``docs/benchmark.json`` is one object. Times are of one thread; "min" and "median" are over the
repetitions of one run; ratios are ratios of minima. Numbers have four significant digits.

```text
version       1: of this schema
date          when the run ended, ISO 8601, UTC
versions      python, numpy, torch, transformers, flashspec, specdec: text
machine       cpu, system, kernel: text; cores: a count; memory_bytes;
              load_average: before, after: the system's over one minute, or null
threads       1: of every contender
notes         list of text: what holds for all cases
contenders    name → {label, note}: text; note says what one round means for this contender
cases         list of
  id, title   text
  kind        "bulk": many rounds of the same rows; "single": one round a call, of other rows each
  k, vocabulary, rounds    counts; rounds is what the case is about, see the measurements' own
  rates       list of k acceptance rates; of kind "single" their means over all rows
  uniforms_per_round       mean count of random numbers, or null where there is no floor
  repetitions              a count
  notes       list of text
  ours        the contender that the ratios are to
  measurements             list of
    contender              a name in contenders
    rounds                 how many one repetition played
    scaled                 true if that is fewer than the case's: the time is per round anyway
    batch                  rounds in one call, or null where a call has no such limit
    ns_per_round           {min, median}: nanoseconds
    times_floor            time over the floor's, or null where there is no floor
    times_ours             time over ours: above 1 is slower than ours
memory        rounds; peak_rss_bytes; seconds; note: one run of ours in a fresh process
growth        rounds, vocabulary, k: each
  title, note              text
  contender                a name in contenders
  repetitions              a count
  points      list of
    k, vocabulary, rounds  counts
    uniforms_per_round     mean count of random numbers
    seconds                {min, median}: of the whole call
    ns_per_round           {min, median}: the same, divided by rounds
goals         list of {case, what, value, bound, met}: value has to be on the right side of bound,
              which starts with "≤" or "≥"; case is the id of a case, or "memory"
```
"""
