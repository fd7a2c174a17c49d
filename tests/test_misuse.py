"""What is no number, no list and no distribution is refused with a message."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from specdec import (
    CostModel,
    Distribution,
    Draws,
    SpecdecError,
    acceptance_rate,
    committed_law,
    committed_length_law,
    expected_tokens,
    generation_law,
    residual,
    speculative_round,
)

ROW = Distribution({"a": "1/2", "b": "1/2"})
OTHER = Distribution({"a": "1/2", "c": "1/2"})
DRAWS = Draws(accept=["0"], replacement="0", bonus="0")
wrong: Any = None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: committed_length_law("01"), "rates: expected a list, got str '01'"),
        (lambda: expected_tokens(wrong), "rates: expected a list, got NoneType None"),
        (lambda: CostModel("1/10", 1).speedup("11"), "rates: expected a list, got str '11'"),
        (
            lambda: Draws(accept="00", replacement="0", bonus="0"),
            "accept draws: expected a list, got str '00'",
        ),
        (lambda: Distribution(wrong), "probabilities: expected a mapping, got NoneType"),
        *(
            (
                lambda rule=rule: rule(ROW, {"a": 1}),
                "distribution: expected a Distribution, got dict {'a': 1}",
            )
            for rule in (acceptance_rate, residual, committed_law)
        ),
        (
            lambda: speculative_round([ROW], ROW, [ROW], "a", DRAWS),
            "proposals: expected a list, got str 'a'",
        ),
        (
            lambda: speculative_round([ROW], ROW, [ROW], ["a"], wrong),
            "draws: expected Draws, got NoneType",
        ),
        (
            lambda: generation_law(lambda prefix: OTHER if prefix else ROW, lambda _: ROW, 1, 2),
            "distributions: expected one vocabulary in one order, got ('a', 'b') and ('a', 'c')",
        ),
    ],
)
def test_it_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(SpecdecError) as refusal:
        call()
    assert str(refusal.value) == message


def test_generators_are_lists_too() -> None:
    assert CostModel("1/10", 1).speedup(rate for rate in ["1/2", "1/2"]) == Fraction(35, 24)
    played = speculative_round(iter([ROW]), ROW, iter([ROW]), iter(["a"]), DRAWS)  # type: ignore[arg-type]
    assert played.committed == ("a", "a")


def test_a_distribution_becomes_a_dict() -> None:
    assert dict(ROW) == {"a": Fraction(1, 2), "b": Fraction(1, 2)}
