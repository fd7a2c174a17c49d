"""The command line as a person meets it: exit codes, output, and no traceback."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import termios
from fractions import Fraction
from pathlib import Path

import pytest

from specdec import committed_length_law, expected_tokens, load, sample_rounds
from tests.shipped import DATA, GOLDEN

ROOT = DATA.parent
PROFILES, NIMBUS = "data/profiles.v1.json", "data/nimbus.v1.json"


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "specdec", *arguments],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, **environment},
    )


def test_check_names_each_good_file_and_its_profiles() -> None:
    done = run("check", PROFILES, NIMBUS)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "data/profiles.v1.json: good, 2 profiles (aligned, divergent)\n"
        "data/nimbus.v1.json: good, 1 profile (nimbus-mini)\n"
    )


def test_check_lists_the_faults_of_every_file(tmp_path: Path) -> None:
    text = (DATA / "profiles.v1.json").read_text(encoding="utf-8")
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    first.write_text(text.replace("[2, 2, 1, 2, 0, 1]", "[2, 2, 1, 1, 0, 1]"), encoding="utf-8")
    second.write_text(text.replace('"divergent"', '"other"'), encoding="utf-8")
    line = next(n for n, row in enumerate(text.splitlines(), 1) if "[2, 2, 1, 2, 0, 1]" in row)
    id_line = next(n for n, row in enumerate(text.splitlines(), 1) if '"aligned"' in row)

    done = run("check", str(first), str(second))

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"{first}:{line}: /profiles/1/draft/1: numerators sum to 7, expected 8\n"
        f"{second}:{id_line}: /profiles/0/id: 'aligned' again, first in {first}:{id_line}, "
        "expected an id of its own\n"
    )


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.id)
def test_report_as_json(golden) -> None:  # type: ignore[no-untyped-def]
    done = run("report", f"data/{golden.file}", "--profile", golden.id, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == [
        {
            "id": golden.id,
            "acceptance_rates": list(map(str, golden.rates)),
            "committed_length_law": list(map(str, golden.law)),
            "expected_tokens": str(golden.expected),
            "variance": str(golden.variance),
            "round_cost": str(golden.round_cost),
            "speedup": str(golden.speedup),
            "frames": list(golden.kinds),
            "committed": list(golden.committed),
        }
    ]


def test_report_gives_every_profile_of_a_file_in_order() -> None:
    done = run("report", PROFILES, "--json")
    assert [each["id"] for each in json.loads(done.stdout)] == ["aligned", "divergent"]


def test_report_as_a_table() -> None:
    done = run("report", NIMBUS)
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        done.stdout
        == """\
Nimbus-mini, checked by Nimbus-large (nimbus-mini)

Acceptance rate, whatever the draft proposes
  position 1  7/8    0.8750
  position 2  3/4    0.7500
  position 3  1/2    0.5000
  position 4  3/8    0.3750

Tokens committed in a round
  N = 1      1/8    0.1250
  N = 2     7/32    0.2188
  N = 3    21/64    0.3281
  N = 4  105/512    0.2051
  N = 5   63/512    0.1230

  expected tokens E[N]       1527/512    2.9824
  variance of N         371119/262144    1.4157
  cost of a round                 7/5    1.4000
  speed-up                  7635/3584    2.1303

Costs in ordinary target steps, assuming 1/10 per draft step and 1 per verifying pass.
Frames: propose, verify, verify, verify, done
Committed: file was too
"""
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("report", PROFILES, "--profile", "alinged"),
            "--profile: expected one of aligned, divergent, got 'alinged'\n",
        ),
    ],
)
def test_a_refused_value_is_one_line(arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", message)


@pytest.mark.parametrize("path", ["data/nothing.json", "data"])
def test_a_file_that_cannot_be_read_is_one_line(path: str) -> None:
    done = run("check", path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"{path}:1: (document): ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [(), ("check",), ("frob",), ("report", PROFILES, "--frob")])
def test_usage_is_exit_code_2(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: python -m specdec")


def test_output_that_nobody_reads_to_the_end_is_no_error() -> None:
    command = f"{sys.executable} -m specdec report {PROFILES} | head -n 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("A closely aligned draft (aligned)\n", "")


def test_a_verdict_that_nobody_reads_is_still_one(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('{"a": 0' + ', "b": 0' * 20_000 + "}", encoding="utf-8")
    command = f"{sys.executable} -m specdec check {tmp_path}/bad.json 2>&1 | head -n 1"
    done = subprocess.run(
        ["bash", "-c", f"{command}; exit ${{PIPESTATUS[0]}}"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, len(done.stdout.splitlines()), done.stderr) == (1, 1, "")


def test_a_terminal_without_unicode_is_no_error(tmp_path: Path) -> None:
    text = (DATA / "nimbus.v1.json").read_text(encoding="utf-8")
    emoji = tmp_path / "emoji.json"
    emoji.write_text(text.replace('"file"', '"\U0001f4c4"'), encoding="utf-8")
    done = run("report", str(emoji), PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Committed: \\U0001f4c4 was too\n" in done.stdout


def test_tokens_with_spaces_are_quoted_in_the_table(tmp_path: Path) -> None:
    text = (DATA / "nimbus.v1.json").read_text(encoding="utf-8")
    spaced = tmp_path / "spaced.json"
    spaced.write_text(text.replace('"was"', '" was  so"'), encoding="utf-8")
    assert "Committed: file ' was  so' too\n" in run("report", str(spaced)).stdout


def test_a_large_profile_is_answered_at_once(tmp_path: Path) -> None:
    k, tokens = 16, 1000
    row = [1] * tokens
    leaning = [2, 0] * (tokens // 2)
    scenario = {
        "version": 1, "title": "Large", "context": "", "denominator": tokens,
        "vocabulary": [f"t{n}" for n in range(tokens)],
        "target": [row] * k, "bonus": row,
        "cost_model": {"draft_step": "1/10", "verify_pass": "1"},
        "profiles": [
            {
                "id": "large", "title": "Large", "draft": [leaning] * k, "proposals": ["t0"] * k,
                "draws": {"accept": ["1/4"] * k, "replacement": "1/2", "bonus": "1/2"},
            }
        ],
    }  # fmt: skip
    file = tmp_path / "large.json"
    file.write_text(json.dumps(scenario), encoding="utf-8")

    before = os.times()
    done = run("report", str(file), "--json")
    after = os.times()  # processor time of the command: others may be busy
    seconds = sum(after[2:4]) - sum(before[2:4])

    assert (done.returncode, done.stderr) == (0, "")
    (answer,) = json.loads(done.stdout)
    halves = [Fraction(1, 2)] * k
    assert answer["expected_tokens"] == str(expected_tokens(halves))
    assert answer["committed_length_law"] == list(map(str, committed_length_law(halves)))
    assert seconds < 2, f"took {seconds:.1f} s"


# sample


def sampled(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run("sample", PROFILES, "--profile", "divergent", *arguments)


def test_sample_as_json_is_the_tally_of_the_same_seed() -> None:
    done = sampled("--rounds", "5000", "--seed", "3", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    scenario = load(DATA / "profiles.v1.json")
    tally = sample_rounds(scenario.target, scenario.bonus, scenario.profiles[1].draft, 5000, 3)
    assert json.loads(done.stdout) == {
        "id": "divergent",
        "rounds": 5000,
        "seed": 3,
        "counts": tally.counts.tolist(),
        "lengths": tally.lengths.tolist(),
    }
    assert sampled("--rounds", "5000", "--seed", "3", "--json", "--workers", "2").stdout == (
        done.stdout
    )


def test_sample_shows_distances_shares_and_a_verdict() -> None:
    done = sampled("--rounds", "200000", "--seed", "1")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "A divergent draft (divergent): 200,000 rounds"
    assert [line.split("  ")[1] for line in lines[4:10]] == [
        "position 1", "position 2", "position 3", "position 4", "position 5", "bonus",
    ]  # fmt: skip
    laws = [line.split()[-1] for line in lines[13:19]]
    assert laws == ["0.1250", "0.4375", "0.2734", "0.0820", "0.0205", "0.0615"]
    assert lines[-1].startswith("Chi-square tests, 7 with the law of N: least p-value 0.")
    assert lines[-1].endswith(
        "not below 1.4e-07 (1 in 1,000,000, shared out), so the counts agree with the laws."
    )


@pytest.mark.parametrize("rounds", ["0", "1", "5"])
def test_too_few_rounds_agree_with_nothing(rounds: str) -> None:
    done = sampled("--rounds", rounds)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == (
        "Too few rounds, or too certain laws: there is nothing to test."
    )


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        (["--rounds", "-1"], "rounds: expected a whole number >= 0, got -1\n"),
        (
            ["--rounds", "9" * 400],
            f"rounds: expected at most 1,000,000,000,000,000,000, got {'9' * 59}…\n",
        ),
        (["--seed", "-1"], "seed: expected a whole number >= 0, got -1\n"),
        (["--workers", "0"], "workers: expected at least 1, got 0\n"),
        (["--profile", "far"], "--profile: expected one of aligned, divergent, got 'far'\n"),
    ],
)
def test_sample_refuses_in_one_line(arguments: list[str], refusal: str) -> None:
    done = sampled(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", refusal)


@pytest.mark.parametrize("arguments", [["--rounds", "many"], ["--rounds", "1e6"], ["--rounds"]])
def test_sample_with_what_is_no_number_is_misuse(arguments: list[str]) -> None:
    done = sampled(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "usage: python -m specdec sample" in done.stderr


def test_sample_needs_a_profile() -> None:
    done = run("sample", PROFILES)
    assert done.returncode == 2
    assert "--profile" in done.stderr


def test_without_numpy_sample_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("raise ImportError('no numpy', name='numpy')")
    done = run("sample", PROFILES, "--profile", "aligned", PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == ("sample: expected NumPy and tqdm to be installed, found no numpy\n")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_interrupted_run_says_how_far_it_came(workers: str) -> None:
    """In a terminal, as a person sees it: with a bar, and no traceback."""
    screen, terminal = os.openpty()
    termios.tcsetwinsize(terminal, (24, 80))
    command = [
        sys.executable, "-m", "specdec", "sample", PROFILES, "--profile", "divergent",
        "--rounds", "100000000000", "--workers", workers,
    ]  # fmt: skip
    shown = b""
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=terminal) as process:
        os.close(terminal)
        while shown.count(b"rounds/s") < 3 and process.poll() is None:
            shown += os.read(screen, 4096)
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(OSError):  # the end of a terminal
            while piece := os.read(screen, 4096):
                shown += piece
        printed = process.communicate(timeout=30)[0]
    os.close(screen)
    assert (process.returncode, printed) == (130, b"")
    last = shown.decode().replace("\r", "\n").split("\n")
    last = [line for line in last if line]
    assert re.fullmatch(r"[\d,]+ of 100,000,000,000 rounds were played", last[-2])
    assert last[-1] == "interrupted"
    assert b"Traceback" not in shown
