"""Speculative decoding, computed exactly.

One round (`speculative_round`), the rule behind it (`accept_probability`, `residual`), the laws it
obeys (`committed_law`, `generation_law`) and what it is worth (`expected_tokens`, `CostModel`).
Everything is a `fractions.Fraction`; floats are refused. Only `sample_rounds` and `sample_rows`,
which play many rounds with random numbers, need NumPy, and load it when they are first asked for.
"""

from typing import TYPE_CHECKING

from specdec.cost import CostModel, expected_passes
from specdec.distribution import Distribution
from specdec.errors import Fault, ProfileError, SpecdecError
from specdec.expectations import committed_length_law, expected_tokens
from specdec.laws import generation_law
from specdec.profiles import Profile, Scenario, load
from specdec.rounds import Draws, Frame, Round, speculative_round
from specdec.verification import accept_probability, acceptance_rate, committed_law, residual

if TYPE_CHECKING:
    from specdec.sampling import Tally, sample_rounds, sample_rows

__version__ = "0.1.0"

__all__ = [
    "CostModel",
    "Distribution",
    "Draws",
    "Fault",
    "Frame",
    "Profile",
    "ProfileError",
    "Round",
    "Scenario",
    "SpecdecError",
    "Tally",
    "accept_probability",
    "acceptance_rate",
    "committed_law",
    "committed_length_law",
    "expected_passes",
    "expected_tokens",
    "generation_law",
    "load",
    "residual",
    "sample_rounds",
    "sample_rows",
    "speculative_round",
]

_NEED_NUMPY = ("Tally", "sample_rounds", "sample_rows")


def __getattr__(name: str) -> object:
    """Import what needs NumPy when it is first asked for."""
    if name in _NEED_NUMPY:
        from specdec import sampling

        return getattr(sampling, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
