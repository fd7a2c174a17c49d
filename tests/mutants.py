"""Do the tests fail when the engine is wrong?

Each mutant is a copy of the engine with one known fault, most of them faults that serving systems
or explainers had. The engine's tests run on the copy and have to fail.

``python -m tests.mutants`` tries all of them, ``python -m tests.mutants NAME…`` some. It exits
with 1 if the tests let one pass. To add a fault, add it to `MUTANTS`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

NEEDED = ("specdec", "tests", "data", "pyproject.toml")
"""What a copy consists of; the site and its tools are not part of it."""

TESTS = (
    "distribution", "exact", "cost", "claims", "rounds", "golden", "agreement", "convergence",
    "wrong_rules", "sampling", "statistics", "laws", "cases", "verification", "cli",
)  # fmt: skip
"""The tests of the engine, the quickest first, as a run ends at the first failure."""

SECONDS = 600
"""A copy that takes longer hangs, which its tests would not let pass either."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One wrong engine.

    Attributes:
        name: what to call it on the command line.
        file: under ``specdec/``.
        old: text that occurs exactly once in the file.
        new: the text that takes its place.
        origin: whose fault it copies, or what it stands for.
    """

    name: str
    file: str
    old: str
    new: str
    origin: str

    def source(self, project: Path = ROOT) -> str:
        """Return the text of the whole file with the fault in it.

        Raises:
            LookupError: the old text does not occur exactly once, so the table is out of date.
        """
        text = (project / "specdec" / self.file).read_text(encoding="utf-8")
        if (found := text.count(self.old)) != 1:
            raise LookupError(f"{self.name}: expected the old text once, found it {found} times")
        return text.replace(self.old, self.new)


MUTANTS = (
    # The comparison
    Mutant(
        "compare-not-strict",
        "rounds.py",
        "if draw < acceptance:",
        "if draw <= acceptance:",
        "sgl-project/sglang#35771; huggingface/transformers (<=)",
    ),
    Mutant(
        "accept-where-target-is-larger",
        "verification.py",
        "return min(Fraction(1), wanted / offered)",
        "return Fraction(int(wanted >= offered))",
        "vllm-project/vllm-project.github.io#80",
    ),
    Mutant(
        "ratio-not-capped",
        "verification.py",
        "return min(Fraction(1), wanted / offered)",
        "return wanted / offered",
        "a probability above 1",
    ),
    Mutant(
        "ratio-swapped",
        "verification.py",
        "return _capped_ratio(target[token], draft[token])",
        "return _capped_ratio(draft[token], target[token]) if target[token] else Fraction(1)",
        "Chen and Leviathan use p and q for opposite models",
    ),
    Mutant(
        "best-length-worst",
        "cost.py",
        "return max(range(1, most + 1)",
        "return min(range(1, most + 1)",
        "the length that gains least",
    ),
    Mutant(
        "best-length-last",
        "cost.py",
        "return max(range(1, most + 1)",
        "return max(range(most, 0, -1)",
        "of equals the largest, which drafts for nothing",
    ),
    Mutant(
        "zero-over-zero-accepted",
        "verification.py",
        """\
    if draft[token] == 0:
        raise""",
        """\
    if draft[token] == 0:
        return Fraction(1)
    if draft[token] < 0:
        raise""",
        "min(1.0, nan) is 1.0; vectorch-ai/ScaleLLM#202",
    ),
    Mutant(
        "impossible-proposal-accepted",
        "rounds.py",
        "if row[token] == 0:",
        "if row[token] < 0:",
        "vllm-project/vllm, a request whose draft gives its proposal 0",
    ),
    # The residual
    Mutant(
        "residual-swapped",
        "verification.py",
        "leftover = uncovered(target, draft)",
        "leftover = uncovered(draft, target)",
        "Chen and Leviathan use p and q for opposite models",
    ),
    Mutant(
        "residual-softmaxed",
        "verification.py",
        "{token: left / mass for token, left in zip(target.vocabulary, leftover, strict=True)}",
        """{
            token: Fraction(__import__("math").exp(left))
            / sum(Fraction(__import__("math").exp(each)) for each in leftover)
            for token, left in zip(target.vocabulary, leftover, strict=True)
        }""",
        "huggingface/transformers#28508",
    ),
    Mutant(
        "residual-is-the-target",
        "verification.py",
        "{token: left / mass for token, left in zip(target.vocabulary, leftover, strict=True)}",
        "dict(target.items())",
        "romsto skip_sample_adjustment",
    ),
    Mutant(
        "residual-not-rescaled",
        "verification.py",
        "{token: left / mass for token, left in zip(target.vocabulary, leftover, strict=True)}",
        "dict(zip(target.vocabulary, leftover, strict=True))",
        "max(0, target - draft) taken for a law",
    ),
    Mutant(
        "residual-not-rescaled-but-padded",
        "verification.py",
        "{token: left / mass for token, left in zip(target.vocabulary, leftover, strict=True)}",
        """dict(zip(target.vocabulary, leftover, strict=True))
        | {target.vocabulary[-1]: leftover[-1] + 1 - mass}""",
        "an inverse CDF that falls through to the last id",
    ),
    Mutant(
        "residual-of-equal-rows-is-the-target",
        "verification.py",
        """\
    if mass == 0:
        raise""",
        """\
    if mass == 0:
        return target
    if mass < 0:
        raise""",
        "a fallback for what cannot happen hides a wrong rejection",
    ),
    Mutant(
        "round-residual-lacks-only-the-proposal",
        "rounds.py",
        "leftover = residual(target_here, draft_here)",
        """leftover = Distribution(
                {
                    other: Fraction(0) if other == token else chance / (1 - target_here[token])
                    for other, chance in target_here.items()
                }
            )""",
        "xLLM-AI/xllm#2175; vllm-project/vllm#40149",
    ),
    Mutant(
        "law-residual-lacks-only-the-proposal",
        "verification.py",
        "{token: kept[token] + rejected * replacement[token] for token in kept}",
        """{
            token: kept[token]
            + sum(
                (draft[other] - kept[other]) * target[token] / (1 - target[other])
                for other in kept
                if other != token and kept[other] < draft[other]
            )
            for token in kept
        }""",
        "xLLM-AI/xllm#2175; vllm-project/vllm#40149",
    ),
    Mutant(
        "generation-residual-lacks-only-the-proposal",
        "laws.py",
        """\
            for replacement, drawn in _possible(residual(target, draft)):
""",
        """\
            for replacement, drawn in (
                (token, chance / (1 - target[proposal]))
                for token, chance in _possible(target)
                if token != proposal
            ):
""",
        "xLLM-AI/xllm#2175; vllm-project/vllm#40149",
    ),
    Mutant(
        "replacement-from-the-next-row",
        "rounds.py",
        "leftover = residual(target_here, draft_here)",
        """after = min(len(frames), len(target) - 1)
            if target[after] != draft[after]:
                target_here, draft_here = target[after], draft[after]
            leftover = residual(target_here, draft_here)""",
        "an index off by one in the residual",
    ),
    Mutant(
        "acceptance-and-replacement-share-a-draw",
        "rounds.py",
        "leftover.token_at(draws.replacement)",
        "leftover.token_at(draw)",
        "vllm-project/vllm#47386; vllm-project/vllm#54282",
    ),
    Mutant(
        "bonus-takes-the-replacement-draw",
        "rounds.py",
        "bonus.token_at(draws.bonus)",
        "bonus.token_at(draws.replacement)",
        "two draws mixed up",
    ),
    # The round
    Mutant(
        "bonus-from-the-last-row",
        "rounds.py",
        "token = bonus.token_at(draws.bonus)",
        "token = (target[-1] if target else bonus).token_at(draws.bonus)",
        "NVIDIA/TensorRT-LLM#15098",
    ),
    Mutant(
        "bonus-omitted",
        "rounds.py",
        """\
        token = bonus.token_at(draws.bonus)
        committed += (token,)
""",
        """\
        token = bonus.token_at(draws.bonus)
""",
        "NVIDIA/TensorRT-LLM#15098",
    ),
    Mutant(
        "replacement-omitted",
        "rounds.py",
        "committed += (replacement,)",
        "committed += ()",
        "explainers that drop the token after the accepted ones",
    ),
    Mutant(
        "accepting-on-after-a-rejection",
        "rounds.py",
        """\
            break
    else:
""",
        """\
    if all(frame.verdict != "rejected" for frame in frames):
""",
        "vllm-project/vllm#2658; lucidrains/speculative-decoding#3",
    ),
    Mutant(
        "dropped-proposals-counted",
        "rounds.py",
        "accepted=len(committed) - 1",
        """accepted=sum(
        draw < accept_probability(*check)
        for *check, draw in zip(target, draft, proposals, draws.accept, strict=True)
    )""",
        "vllm-project/vllm#10604; flashspec 0.3.1",
    ),
    Mutant(
        "committed-counted-as-accepted",
        "rounds.py",
        "accepted=len(committed) - 1",
        "accepted=len(committed)",
        "vllm-project/vllm#17908, the other way round",
    ),
    Mutant(
        "no-proposals-refused",
        "rounds.py",
        "    k = len(target)\n",
        "    k = len(target) or 1\n",
        "vllm-project/vllm#7047",
    ),
    Mutant(
        "frame-done-missing",
        "rounds.py",
        """frames.append(Frame("done", committed, dropped=later))""",
        "pass",
        "a round without an end",
    ),
    Mutant(
        "frame-bonus-missing",
        "rounds.py",
        """\
        frames.append(
            Frame(
                "bonus",
""",
        """\
        frames.copy().append(
            Frame(
                "bonus",
""",
        "explainers that drop the token after the accepted ones",
    ),
    Mutant(
        "dropped-shown-as-pending",
        "rounds.py",
        "dropped=later,\n",
        "pending=later,\n",
        "proposals after a rejection are never checked",
    ),
    # Distributions, numbers, vocabularies
    Mutant(
        "cell-holds-its-upper-end",
        "distribution.py",
        "if draw < upper:",
        "if draw <= upper:",
        "sgl-project/sglang#35798",
    ),
    Mutant(
        "negative-index",
        "distribution.py",
        """\
        if token not in self:
            raise SpecdecError(f"token: expected one of the vocabulary, got {shown(token)}")
        return self.probabilities[self._position[token]]
""",
        """\
        if token not in self and not isinstance(token, int):
            raise SpecdecError(f"token: expected one of the vocabulary, got {shown(token)}")
        return self.probabilities[self._position.get(token, token)]
""",
        "flashinfer-ai/flashinfer#879; vllm placeholder -1",
    ),
    Mutant(
        "proposal-outside-the-vocabulary",
        "rounds.py",
        "if token not in row:",
        "if not isinstance(token, str | int):",
        "flashinfer-ai/flashinfer#879",
    ),
    Mutant(
        "vocabulary-order-ignored",
        "distribution.py",
        "if other.vocabulary != first.vocabulary:",
        "if set(other.vocabulary) != set(first.vocabulary):",
        "a draft with another tokenizer",
    ),
    Mutant(
        "vocabularies-not-compared",
        "distribution.py",
        "if other.vocabulary != first.vocabulary:",
        "if len(other.vocabulary) != len(first.vocabulary):",
        "a draft with another tokenizer",
    ),
    Mutant(
        "sum-below-one-accepted",
        "distribution.py",
        "if total != 1:",
        "if total > 1:",
        "rows truncated but not rescaled",
    ),
    Mutant(
        "sum-within-a-tolerance",
        "distribution.py",
        "if total != 1:",
        "if abs(total - 1) > Fraction(1, 10**8):",
        "numpy accepts sums within 1.49e-8 of 1",
    ),
    Mutant(
        "negative-probability",
        "distribution.py",
        "if value < 0:",
        "if value < -1:",
        "a sum of 1 hides a negative entry",
    ),
    Mutant(
        "floats-accepted",
        "exact.py",
        "if isinstance(value, int) and not isinstance(value, bool):",
        "if isinstance(value, int | float) and not isinstance(value, bool):",
        "0.1 is not a tenth",
    ),
    Mutant(
        "bools-accepted",
        "exact.py",
        "if isinstance(value, int) and not isinstance(value, bool):",
        "if isinstance(value, int):",
        "True is an int in Python",
    ),
    Mutant(
        "text-read-through-float",
        "exact.py",
        """\
        if len(value) <= _LONGEST_TEXT and EXACT_TEXT.fullmatch(value):
            return Fraction(value)
""",
        """\
        if len(value) <= _LONGEST_TEXT and EXACT_TEXT.fullmatch(value):
            return Fraction(float(value)) if "." in value else Fraction(value)
""",
        "ten times 0.1 is not 1 in floats",
    ),
    Mutant(
        "draw-of-one-accepted",
        "exact.py",
        "if 0 <= number < 1 or (one_allowed and number == 1):",
        "if 0 <= number <= 1:",
        "generators that round up to 1.0",
    ),
    Mutant(
        "negative-draw-accepted",
        "exact.py",
        "if 0 <= number < 1 or (one_allowed and number == 1):",
        "if number < 1 or (one_allowed and number == 1):",
        "draws outside [0, 1)",
    ),
    # Laws at one position
    Mutant(
        "law-swapped",
        "verification.py",
        """\
        token: proposed * _capped_ratio(target[token], proposed) if proposed else Fraction(0)
        for token, proposed in draft.items()
    }
    rejected = 1 - sum(kept.values())
    if rejected == 0:
        return Distribution(kept)
    replacement = residual(target, draft)
""",
        """\
        token: proposed * _capped_ratio(proposed, target[token]) if target[token] else proposed
        for token, proposed in draft.items()
    }
    rejected = 1 - sum(kept.values())
    if rejected == 0:
        return Distribution(kept)
    replacement = residual(draft, target)
""",
        "Chen and Leviathan use p and q for opposite models",
    ),
    Mutant(
        "rate-by-exact-match",
        "verification.py",
        "return sum(overlap(target, draft), start=Fraction(0))",
        """both = zip(target.probabilities, draft.probabilities, strict=True)
    return sum((wanted * offered for wanted, offered in both), start=Fraction(0))""",
        "ml-explore/mlx-lm#1709; lablup/mlxcel#992",
    ),
    Mutant(
        "rate-not-checked-for-one-vocabulary",
        "verification.py",
        """\
    require_one_vocabulary(target, draft)
    return tuple(map(min,""",
        """\
    return tuple(map(min,""",
        "a draft with another tokenizer",
    ),
    # Tokens per round
    Mutant(
        "expected-tokens-without-the-bonus",
        "expectations.py",
        "return sum(survival(rates), start=Fraction(0))",
        "return sum(survival(rates), start=Fraction(-1))",
        "vllm-project/vllm#17908",
    ),
    Mutant(
        "expected-tokens-by-the-mean-rate",
        "expectations.py",
        "return sum(survival(rates), start=Fraction(0))",
        "return sum(map(Fraction, rates), start=Fraction(1))",
        "explainers that take rate times k for expected tokens",
    ),
    Mutant(
        "expected-tokens-by-the-first-rate",
        "expectations.py",
        """\
        reached.append(reached[-1] * exact_in_unit(rate, f"rate {position}", one_allowed=True))
""",
        """\
        exact_in_unit(rate, f"rate {position}", one_allowed=True)
        reached.append(reached[-1] * Fraction(rates[0]))
""",
        "the geometric formula where rates differ",
    ),
    Mutant(
        "length-law-off-by-one",
        "expectations.py",
        "return (*stopped, reached[-1])",
        "return (reached[-1], *stopped)",
        "an index off by one",
    ),
    Mutant(
        "length-law-without-all-accepted",
        "expectations.py",
        "return (*stopped, reached[-1])",
        "return (*stopped,)",
        "the round that keeps everything forgotten",
    ),
    Mutant(
        "length-law-of-tails",
        "expectations.py",
        "stopped = (here - further for here, further in pairwise(reached))",
        "stopped = (here * (1 - further) for here, further in pairwise(reached))",
        "vllm-project/vllm#39359: rates among all rounds for rates among those that came so far",
    ),
    Mutant(
        "mean-counts-from-zero",
        "expectations.py",
        "sum((n * chance for n, chance in enumerate(length_law, start=1)), start=Fraction(0))",
        "sum((n * chance for n, chance in enumerate(length_law)), start=Fraction(0))",
        "vllm-project/vllm#17908",
    ),
    Mutant(
        "variance-is-the-second-moment",
        "expectations.py",
        "return second_moment(length_law) - mean(length_law) ** 2",
        "return second_moment(length_law)",
        "E[N]^2 not subtracted",
    ),
    # Cost
    Mutant(
        "speedup-with-the-rate-for-k",
        "cost.py",
        "expected_tokens(rates) / self.round_cost(len(rates))",
        """expected_tokens(rates) / (
            self.draft_step * sum(map(Fraction, rates[:1])) + self.verify_pass
        )""",
        "ggml-org/llama.cpp#3649, first version",
    ),
    Mutant(
        "speedup-with-k-plus-one-drafts",
        "cost.py",
        "expected_tokens(rates) / self.round_cost(len(rates))",
        "expected_tokens(rates) / self.round_cost(len(rates) + 1)",
        "ggml-org/llama.cpp#3649",
    ),
    Mutant(
        "speedup-without-the-bonus",
        "cost.py",
        "expected_tokens(rates) / self.round_cost(len(rates))",
        "(expected_tokens(rates) - committed_length_law(rates)[-1]) / self.round_cost(len(rates))",
        "explainers: 1.687 for 2.401 at rate .8, cost .1, k = 4",
    ),
    Mutant(
        "speedup-by-the-mean-of-ratios",
        "cost.py",
        "expected_tokens(rates) / self.round_cost(len(rates))",
        """1 / sum(
            chance * self.round_cost(len(rates)) / n
            for n, chance in enumerate(committed_length_law(rates), start=1)
        )""",
        "cost per token averaged over rounds, in place of total cost over total tokens",
    ),
    Mutant(
        "verify-pass-taken-for-one",
        "cost.py",
        "return k * self.draft_step + self.verify_pass",
        "return k * self.draft_step + 1",
        "a speed-up without its assumption",
    ),
    Mutant(
        "passes-not-renewed",
        "cost.py",
        "return passes[tokens]",
        "return tokens / expected_tokens(rates)",
        "tokens over E[N] where the last round overshoots",
    ),
    Mutant(
        "worst-case-time-of-one-round",
        "cost.py",
        """in_rounds("worst", Fraction(k)),""",
        """DecodingCost("worst", alone, alone * (k + 1), alone * k, cost.round_cost(k)),""",
        "the best case's time in the worst case's row",
    ),
    Mutant(
        "worst-case-as-good-as-alone",
        "cost.py",
        """in_rounds("worst", Fraction(k)),""",
        """DecodingCost("worst", alone, alone * (k + 1), alone * k, alone),""",
        "the worst case said to cost no more than one token at a time",
    ),
    Mutant(
        "bonus-position-not-scored",
        "cost.py",
        "passes * (k + 1), passes * k",
        "passes * k, passes * k",
        "a pass scores k + 1 positions",
    ),
    Mutant(
        "positions-per-token-without-the-bonus",
        "cost.py",
        "return (len(rates) + 1) / expected_tokens(rates)",
        "return len(rates) / expected_tokens(rates)",
        "a pass scores k + 1 positions",
    ),
    Mutant(
        "break-even-without-the-verify-pass",
        "cost.py",
        "return (expected_tokens(rates) - self.verify_pass) / len(rates)",
        "return expected_tokens(rates) / len(rates)",
        "a speed-up without its assumption",
    ),
    # Enumeration
    Mutant(
        "generation-keeps-proposals-after-a-rejection",
        "laws.py",
        """\
    running: dict[tuple[Prefix, int], Fraction] = {((), 0): Fraction(1)}
    for _ in range(length):
        longer: defaultdict[tuple[Prefix, int], Fraction] = defaultdict(Fraction)
        for (prefix, accepted), chance in running.items():
            if accepted < k:
                for token, kept, share in _outcomes(target(prefix), draft(prefix)):
                    longer[(*prefix, token), accepted + 1 if kept else 0] += chance * share
            else:
                for token, share in _possible(target(prefix)):
                    longer[(*prefix, token), 0] += chance * share
        running = longer
    law: defaultdict[Prefix, Fraction] = defaultdict(Fraction)
    for (prefix, _accepted), chance in running.items():
        law[prefix] += chance
""",
        """\
    running = {((), (), 0): Fraction(1)}
    for _ in range(length):
        longer = defaultdict(Fraction)
        for (prefix, drafted, checked), chance in running.items():
            rows = target(drafted), draft(drafted)
            if checked < k:
                for proposal, proposed in _possible(rows[1]):
                    path, here = (*drafted, proposal), chance * proposed
                    kept = accept_probability(*rows, proposal)
                    if kept > 0:
                        longer[(*prefix, proposal), path, checked + 1] += here * kept
                    if kept < 1:
                        for token, drawn in _possible(residual(*rows)):
                            state = (*prefix, token), path, checked + 1
                            longer[state] += here * (1 - kept) * drawn
            else:
                for token, share in _possible(target(prefix)):
                    longer[(*prefix, token), (*prefix, token), 0] += chance * share
        running = longer
    law: defaultdict[Prefix, Fraction] = defaultdict(Fraction)
    for (prefix, _drafted, _checked), chance in running.items():
        law[prefix] += chance
""",
        "vllm-project/vllm#2658: right at every position, wrong for the text as a whole",
    ),
    Mutant(
        "generation-bonus-from-the-draft",
        "laws.py",
        """\
                for token, share in _possible(target(prefix)):
                    longer[""",
        """\
                for token, share in _possible(draft(prefix)):
                    longer[""",
        "the draft's own next token appended",
    ),
    Mutant(
        "generation-bonus-from-the-row-before",
        "laws.py",
        """\
                for token, share in _possible(target(prefix)):
                    longer[""",
        """\
                for token, share in _possible(target(prefix[:-1])):
                    longer[""",
        "NVIDIA/TensorRT-LLM#15098",
    ),
    Mutant(
        "generation-accepts-everything",
        "laws.py",
        """\
        acceptance = accept_probability(target, draft, proposal)
        if acceptance > 0:""",
        """\
        acceptance = Fraction(1)
        if acceptance > 0:""",
        "vllm-project/vllm-ascend#13766",
    ),
    Mutant(
        "enumeration-averages-the-acceptance",
        "laws.py",
        "kept = running * accept_probability(target(before), draft(before), token)",
        """kept = running * sum(
                map(min, target(before).probabilities, draft(before).probabilities)
            )""",
        "rates multiplied where contexts matter",
    ),
    Mutant(
        "enumeration-ignores-the-context",
        "laws.py",
        "before = proposals[:checked]",
        "before = proposals[:0] + proposals[: min(checked, 1)]",
        "one row taken for all that follow",
    ),
    Mutant(
        "enumeration-off-by-one",
        "laws.py",
        "law[checked] += running - kept",
        "law[max(checked - 1, 0)] += running - kept",
        "an index off by one",
    ),
    # The claims that the pages state
    Mutant(
        "claims-identity-not-checked",
        "claims.py",
        "kept + corrected == wanted",
        "kept + corrected == kept + corrected",
        "a check that cannot fail",
    ),
    Mutant(
        "claims-brute-force-not-compared",
        "claims.py",
        "self.expected_by_brute_force in (None, self.expected_by_product)",
        "self.expected_by_brute_force is None or self.expected_by_product > 0",
        "a check that cannot fail",
    ),
    Mutant(
        "claims-generation-not-compared",
        "claims.py",
        "generation_law(target, draft, per_round, length) == alone",
        "generation_law(target, draft, per_round, length)",
        "a check that cannot fail",
    ),
    Mutant(
        "claims-committed-law-not-compared",
        "claims.py",
        "committed_law(*pair) == pair[0]",
        "committed_law(*pair)",
        "a check that cannot fail",
    ),
    Mutant(
        "claims-random-pairs-not-compared",
        "claims.py",
        "hold &= identity_holds(target, draft) and committed_law(target, draft) == target",
        "hold &= identity_holds(target, draft) and bool(committed_law(target, draft))",
        "a check that cannot fail",
    ),
    # What a random number picks
    Mutant(
        "threshold-rounded-down",
        "choices.py",
        "return -(-value.numerator * _GRID // value.denominator) / _GRID",
        "return value.numerator * _GRID // value.denominator / _GRID",
        "a number between the rounded edge and the edge counted on the wrong side",
    ),
    Mutant(
        "choices-in-float32",
        "choices.py",
        "return Choice(np.array([threshold(edge) for edge in accumulate(law.probabilities)]))",
        """return Choice(
            np.array([threshold(edge) for edge in accumulate(law.probabilities)], np.float32)
            .astype(np.float64)
        )""",
        "vllm-project/vllm#23803; pytorch/pytorch#16706",
    ),
    Mutant(
        "cells-closed-above",
        "choices.py",
        """\
        if numbers.size <= FEW_NUMBERS:
            return self.edges.searchsorted(numbers, side="right")
""",
        """\
        if numbers.size <= FEW_NUMBERS:
            return self.edges.searchsorted(numbers, side="left")
""",
        "sgl-project/sglang#35798",
    ),
    Mutant(
        "cells-that-overlap",
        "choices.py",
        "yield token, below ^ below_last",
        "yield token, below",
        "numbers below an edge taken for those inside a cell",
    ),
    Mutant(
        "guide-without-a-second-look",
        "choices.py",
        "return np.where(first == last, first, -1)",
        "return first",
        "the resolution of a lookup table taken for that of the numbers",
    ),
    Mutant(
        "segments-not-filled",
        "choices.py",
        "np.where(full, ends, np.minimum(before + within, ends))",
        "np.minimum(before + within, ends)",
        "two orders of summation: a number between two cells",
    ),
    Mutant(
        "segments-that-overlap",
        "choices.py",
        "np.where(full, ends, np.minimum(before + within, ends))",
        "np.where(full, ends, before + within)",
        "two orders of summation: cells that end after the next begins",
    ),
    Mutant(
        "counts-that-repeat-once",
        "choices.py",
        "np.add.at(counts, tokens, sign)",
        "counts[tokens] += sign",
        "an index that occurs twice is increased once",
    ),
    # Accepting and correcting, many at a time
    Mutant(
        "sampler-compares-not-strictly",
        "attempts.py",
        "np.flatnonzero(accepting >= self.acceptance(tokens))",
        "np.flatnonzero(accepting > self.acceptance(tokens))",
        "sgl-project/sglang#35771; huggingface/transformers (<=)",
    ),
    Mutant(
        "sampler-compares-cells-not-strictly",
        "attempts.py",
        "inside & (accepting >= limit)",
        "inside & (accepting > limit)",
        "sgl-project/sglang#35771; huggingface/transformers (<=)",
    ),
    Mutant(
        "sampler-replaces-from-the-target",
        "attempts.py",
        "Choice.exact(target if target == draft else residual(target, draft))",
        "Choice.exact(target)",
        "romsto skip_sample_adjustment",
    ),
    Mutant(
        "sampler-keeps-what-it-rejects",
        "attempts.py",
        "add(counts, rejected, -1)",
        "add(counts, rejected, 0)",
        "a rejected proposal tallied beside its replacement",
    ),
    Mutant(
        "sampler-ratio-of-unscaled-rows",
        "attempts.py",
        "self._scale = draft.total / target.total",
        "self._scale = 1.0",
        "rows whose sums differ by rounding compared as they are",
    ),
    Mutant(
        "sampler-leftover-of-unscaled-rows",
        "attempts.py",
        "shares = (row.weights / row.total for row in (self._target, self._draft))",
        "shares = (row.weights for row in (self._target, self._draft))",
        "rows whose sums differ by rounding subtracted as they are",
    ),
    Mutant(
        "sampler-empty-leftover",
        "attempts.py",
        "return row if row.total > 0 else self._target",
        "return row",
        "0/0 where rounding alone rejects",
    ),
    # Many rounds
    Mutant(
        "sampler-shares-proposal-and-acceptance",
        "sampling.py",
        "rejected = position.check(proposing.random(size), accepting.random(size), committed)",
        """numbers = proposing.random(size)
            rejected = position.check(numbers, numbers, committed)""",
        "vllm-project/vllm#47386",
    ),
    Mutant(
        "sampler-generators-of-one-seed",
        "sampling.py",
        "(Generator(SFC64(child)) for child in seed.spawn(3))",
        "(Generator(SFC64(seed)) for _ in range(3))",
        "vllm-project/vllm#54282",
    ),
    Mutant(
        "sampler-blocks-of-one-seed",
        "sampling.py",
        "_play(positions, bonus, size, _child(seed, block), tally)",
        "_play(positions, bonus, size, _child(seed, 0), tally)",
        "the same rounds again and again",
    ),
    Mutant(
        "sampler-seeds-by-worker",
        "sampling.py",
        "_play(positions, bonus, size, _child(seed, block), tally)",
        "_play(positions, bonus, size, _child(seed, block * workers), tally)",
        "results that depend on the number of workers",
    ),
    Mutant(
        "sampler-uses-the-sequence-up",
        "sampling.py",
        """\
        key = *seed.spawn_key, block
        return SeedSequence(seed.entropy, spawn_key=key, pool_size=seed.pool_size)
""",
        """\
        return seed.spawn(1)[0]
""",
        "a call that changes what the next call gives",
    ),
    Mutant(
        "sampler-plays-whole-blocks-only",
        "sampling.py",
        "size = min(BLOCK, rounds - block * BLOCK)",
        "size = BLOCK",
        "more rounds than were asked for",
    ),
    Mutant(
        "sampler-goes-on-after-a-rejection",
        "sampling.py",
        "alive -= stopped",
        "alive -= 0",
        "vllm-project/vllm#2658",
    ),
    Mutant(
        "sampler-bonus-from-the-wrong-row",
        "sampling.py",
        "return _sample(positions, Choice.exact(bonus), ",
        "return _sample(positions, Choice.exact([*target, bonus][-2 if target else -1]), ",
        "NVIDIA/TensorRT-LLM#15098",
    ),
    Mutant(
        "sampler-tallies-the-accepted-only",
        "sampling.py",
        "position.replacements.count(ending.random(rejected), committed)",
        "position.replacements.count(ending.random(rejected), committed.copy())",
        "a histogram of accepted tokens taken for the law of the output",
    ),
    Mutant(
        "sampler-takes-nan-for-a-law",
        "float_rows.py",
        "if not abs(total - 1) <= SUM_TOLERANCE:",
        "if abs(total - 1) > SUM_TOLERANCE:",
        "vllm-project/vllm#41834",
    ),
    Mutant(
        "sampler-lets-the-others-play-on",
        "sampling.py",
        "stop.set()  # or the others would play all that is left",
        "pass",
        "an interruption that waits for hours of rounds",
    ),
    Mutant(
        "path-steps-of-one-seed",
        "sampling.py",
        "sample_rounds(target, bonus, draft, step, _child(seed, number))",
        "sample_rounds(target, bonus, draft, step, _child(seed, 0))",
        "the same rounds again and again",
    ),
    # How close counts come
    Mutant(
        "distance-not-halved",
        "convergence.py",
        "for a, b in zip(first, second, strict=True)), start=Fraction(0)) / 2",
        "for a, b in zip(first, second, strict=True)), start=Fraction(0))",
        "the L1 distance taken for total variation",
    ),
    Mutant(
        "spread-without-correlation",
        "convergence.py",
        "parts.append(2 * (a * b) * (2 / pi) * (sqrt(1 - r * r) + r * asin(r) - 1))",
        "parts.append(0 * a * b * r)",
        "shares of one total taken for independent",
    ),
    Mutant(
        "floats-added-in-turn",
        "convergence.py",
        "return fsum(_mean_deviation",
        "return sum(_mean_deviation",
        "a last digit that depends on the order, and on the version of Python",
    ),
    Mutant(
        "chi-square-pools-by-what-was-counted",
        "convergence.py",
        "zip(law, counts, strict=True), key=itemgetter(0))",
        "zip(law, counts, strict=True), key=itemgetter(1))",
        "counts that have a say in how they are tested",
    ),
    Mutant(
        "chi-square-pools-nothing",
        "convergence.py",
        "if expected >= FEWEST_EXPECTED:",
        "if expected > 0:",
        "cells that expect too little",
    ),
    Mutant(
        "chi-square-ignores-the-impossible",
        "convergence.py",
        "return ChiSquare(None, 0, 0.0)",
        "pass",
        "a token of probability 0 left out of the sum",
    ),
    Mutant(
        "chi-square-with-a-degree-too-many",
        "convergence.py",
        "chi_square_tail(float(statistic), len(cells) - 1)",
        "chi_square_tail(float(statistic), len(cells))",
        "a law that is given taken for one that was fitted, the other way round",
    ),
    Mutant(
        "chi-square-for-usual-p-values",
        "convergence.py",
        "FEWEST_EXPECTED = 1000",
        "FEWEST_EXPECTED = 5",
        "the rule of thumb, where p-values are a million times smaller",
    ),
    Mutant(
        "counts-that-overflow",
        "convergence.py",
        "return list(map(int, counts))",
        "return list(counts)",
        "NumPy's integers in exact arithmetic",
    ),
    Mutant(
        "threshold-not-corrected",
        "convergence.py",
        "return FALSE_ALARM / tests",
        "return FALSE_ALARM",
        "many tests, each at the level of one",
    ),
    # Random pairs
    Mutant(
        "agreement-by-luck",
        "agreement.py",
        "[token for token in AGREEMENT_VOCABULARY if draft[token] == target[token]]",
        "list(AGREEMENT_VOCABULARY)",
        "spare units that add to what is shared",
    ),
    # The wrong rules themselves
    Mutant(
        "wrong-rules-with-numbers-of-their-own",
        "wrong_rules.py",
        "for number, (low, high) in zip(rule.numbers, intervals, strict=False):",
        "for number, (low, high) in zip((0, 1, 2), intervals, strict=False):",
        "a proof of power for a rule with nothing wrong",
    ),
    Mutant(
        "wrong-rules-go-on-with-what-was-committed",
        "wrong_contexts.py",
        "longer[path, (*committed, other)] += rejected * share",
        "longer[(*drafted, other), (*committed, other)] += rejected * share",
        "what a round does that stops",
    ),
    Mutant(
        "wrong-rules-judged-by-their-own-law",
        "wrong_rules.py",
        "None if law is None else total_variation(law, wanted.probabilities)",
        "None if law is None else 0 * total_variation(law, wanted.probabilities)",
        "a check that cannot fail",
    ),
)


def copy_project(source: Path, copy: Path) -> None:
    """Copy what the tests of the engine need, without what Python compiled."""
    for name in NEEDED:
        if (source / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source / name, copy / name, ignore=ignored)
        else:
            shutil.copy(source / name, copy / name)


def first_failure(project: Path) -> str | None:
    """Run the tests of the engine; return the first that fails, or None.

    Raises:
        RuntimeError: pytest ended without a verdict.
    """
    # No conftest: it serves the tests of the site. The profile "ci" has no deadline and no luck in
    # it: a mutant must not die because the machine is slow.
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--noconftest"]
    command += ["--hypothesis-profile=ci", "-p", "no:cacheprovider"]
    command += [f"tests/test_{name}.py" for name in TESTS]
    try:
        done = subprocess.run(
            command, cwd=project, capture_output=True, text=True, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"(stopped after {SECONDS} s)"
    if done.returncode == 0:
        return None
    failed = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", done.stdout, re.MULTILINE)
    if not failed:
        raise RuntimeError(f"pytest did not run the tests:\n{done.stdout}{done.stderr}")
    return failed[1]


def killer(mutant: Mutant, engine: Path) -> str | None:
    """Return the first test that fails on a copy of the engine with the fault in it, or None."""
    with tempfile.TemporaryDirectory(prefix="specdec-mutant-") as folder:
        copy_project(engine, Path(folder))
        wrong = mutant.source(engine)
        (Path(folder) / "specdec" / mutant.file).write_text(wrong, encoding="utf-8")
        return first_failure(Path(folder))


def run(mutants: Sequence[Mutant], engine: Path) -> int:
    """Try the mutants, print what became of each, and return how many survived."""
    survived = 0
    width = max(len(mutant.name) for mutant in mutants)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        tests = pool.map(partial(killer, engine=engine), mutants)
        for mutant, test in zip(mutants, tests, strict=True):
            verdict = f"killed    {test}" if test else f"SURVIVED  {mutant.origin}"
            survived += test is None
            print(f"{mutant.name:<{width}}  {verdict}", flush=True)
    print(f"{len(mutants) - survived} killed, {survived} survived")
    return survived


def main(wanted: Sequence[str]) -> int:
    """Try some or all mutants; return 1 if one survived, 2 if they cannot be tried."""
    if unknown := set(wanted) - {mutant.name for mutant in MUTANTS}:
        print(f"no such mutant: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    mutants = [mutant for mutant in MUTANTS if not wanted or mutant.name in wanted]
    with tempfile.TemporaryDirectory(prefix="specdec-engine-") as folder:
        engine = Path(folder)  # a copy, so that edits meanwhile do not end up in half the mutants
        copy_project(ROOT, engine)
        for mutant in mutants:
            mutant.source(engine)
        if failure := first_failure(engine):
            print(f"the tests fail without any mutant: {failure}", file=sys.stderr)
            return 2
        return 1 if run(mutants, engine) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
