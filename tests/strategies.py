"""Hypothesis strategies: distributions, pairs of them, and language models with contexts."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

from specdec import Distribution
from specdec.laws import Contextual, Prefix

TOKENS = "abcdef"


def distributions(
    tokens: str = "abc", *, support: str | None = None
) -> st.SearchStrategy[Distribution]:
    """Distributions over ``tokens`` whose mass lies within ``support``."""
    numerators = st.tuples(
        *(st.integers(0, 9) if token in (support or tokens) else st.just(0) for token in tokens)
    ).filter(any)
    return numerators.map(lambda ns: Distribution.from_numerators(tokens, ns, sum(ns)))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Distribution, Distribution]:
    """Target and draft over 2 to 6 tokens; equal and disjoint pairs come up often."""
    tokens = TOKENS[: draw(st.integers(2, len(TOKENS)))]
    kind = draw(st.sampled_from(["any", "any", "any", "equal", "disjoint"]))
    if kind == "disjoint":
        cut = draw(st.integers(1, len(tokens) - 1))
        return (
            draw(distributions(tokens, support=tokens[:cut])),
            draw(distributions(tokens, support=tokens[cut:])),
        )
    target = draw(distributions(tokens))
    return target, target if kind == "equal" else draw(distributions(tokens))


def fractions_in_unit() -> st.SearchStrategy[Fraction]:
    """Draws in [0, 1); the boundaries of small denominators come up often."""
    return st.integers(1, 60).flatmap(lambda d: st.integers(0, d - 1).map(lambda n: Fraction(n, d)))


def rates(max_size: int = 6) -> st.SearchStrategy[list[Fraction]]:
    """Acceptance rates in [0, 1], both ends included."""
    return st.lists(fractions_in_unit() | st.just(Fraction(1)), max_size=max_size)


@st.composite
def models(draw: st.DrawFn, tokens: str, length: int) -> Contextual:
    """A model whose next-token law differs for every prefix of up to ``length`` tokens."""
    prefixes: list[Prefix] = [
        prefix for size in range(length + 1) for prefix in product(tokens, repeat=size)
    ]
    rows = draw(st.tuples(*(distributions(tokens) for _ in prefixes)))
    table = dict(zip(prefixes, rows, strict=True))
    return lambda prefix: table[prefix]
