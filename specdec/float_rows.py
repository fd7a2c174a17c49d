"""Distributions given as float64 arrays: what is accepted as such (NumPy)."""

from __future__ import annotations

import numpy as np

from specdec.choices import Floats, Row
from specdec.errors import SpecdecError

SUM_TOLERANCE = 1e-6
"""How far from 1 the sum of a float row may be: about what a softmax in float32 leaves."""


def read_rows(target: Floats, bonus: Floats, draft: Floats) -> dict[str, list[Row]]:
    """Return the rows of three arrays by name: ``target``, ``bonus`` (one row) and ``draft``.

    Args:
        target: shape (k, V).
        bonus: shape (V,).
        draft: shape (k, V).

    Raises:
        SpecdecError: arrays of another type or shape; or negative numbers, such as are not finite,
            and sums other than 1, all of them at once.
    """
    target = _array("target", target, "(k, V)")
    bonus = _array("bonus", bonus, "(V,)")
    draft = _array("draft", draft, "(k, V)")
    if draft.shape != target.shape:
        raise SpecdecError(f"draft: expected shape {target.shape}, as target, got {draft.shape}")
    if not target.shape[1]:
        raise SpecdecError("target: expected at least one token, got none")
    if bonus.size != target.shape[1]:
        raise SpecdecError(f"bonus: expected {target.shape[1]} tokens, as target, got {bonus.size}")
    return _as_choices({"target": target, "bonus": bonus[np.newaxis], "draft": draft})


def _array(name: str, rows: object, shape: str) -> Floats:
    """Return ``rows``, refusing what is no float64 array of so many dimensions."""
    if not isinstance(rows, np.ndarray) or rows.dtype != np.float64:
        got = f"{rows.dtype} array" if isinstance(rows, np.ndarray) else type(rows).__name__
        raise SpecdecError(f"{name}: expected a float64 array, got {got}")
    if rows.ndim != (1 if shape == "(V,)" else 2):
        raise SpecdecError(f"{name}: expected shape {shape}, got {rows.shape}")
    return np.asarray(rows)  # a masked array would hide what is checked


def _as_choices(arrays: dict[str, Floats]) -> dict[str, list[Row]]:
    """Return the rows as choices, refusing all that are no distributions at once."""
    with np.errstate(invalid="ignore", over="ignore"):  # sums that are no numbers are refused
        rows = {name: Row.each(array) for name, array in arrays.items()}
    faults = [
        f"{name if name == 'bonus' else f'{name} row {number}'}: expected {expected}"
        for name, choices in rows.items()
        for number, (row, least) in enumerate(
            zip(choices, arrays[name].min(axis=1, initial=np.inf).tolist(), strict=True), start=1
        )
        if (expected := _expected(row.total, least))
    ]
    if faults:
        raise SpecdecError("\n".join(faults))
    return rows


def _expected(total: float, least: float) -> str:
    """Say what is wrong with a row, if anything is; a sum that is no number is wrong, too."""
    if not abs(total - 1) <= SUM_TOLERANCE:
        return f"sum 1, got {total:.9g}"
    return f"numbers >= 0, got {least:.9g}" if least < 0 else ""
