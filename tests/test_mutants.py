"""The table of known faults fits the engine as it is; `tests.mutants` itself runs them."""

from __future__ import annotations

import pytest

from tests.mutants import MUTANTS, Mutant


@pytest.mark.parametrize("mutant", [pytest.param(mutant, id=mutant.name) for mutant in MUTANTS])
def test_a_fault_can_be_put_in(mutant: Mutant) -> None:
    compile(mutant.source(), mutant.file, "exec")
    assert mutant.old != mutant.new
    assert mutant.origin


def test_names_are_unique() -> None:
    names = [mutant.name for mutant in MUTANTS]
    assert len(names) == len(set(names))


def test_a_text_that_has_gone_is_an_error() -> None:
    gone = Mutant("gone", "laws.py", "no such text", "", "an engine that has moved on")
    with pytest.raises(LookupError, match=r"^gone: expected .* once, found it 0 times$"):
        gone.source()
