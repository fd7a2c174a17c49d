"""More profiles cost as much more: nothing that pages ask of results goes by pairs of them."""

from __future__ import annotations

import json
from cProfile import Profile
from pathlib import Path

from tests.made_data import Shape, made_files
from tests.made_sites import results_of


def calls(folder: Path, profiles: int) -> int:
    """Count the calls of functions behind what pages ask of the results of so many profiles."""
    shape = Shape("profiles.v1.json", 64, 8, 6, (("near", "any"),) * profiles, ("1/10", "1"))
    (scenario,) = made_files(1, (shape,)).values()
    path = folder / f"made{profiles}.json"
    path.write_text(json.dumps(scenario), encoding="utf-8")
    results = results_of(path)
    counted = Profile()
    counted.enable()
    _ = results.lookalikes, results.main.lookalikes, results.main.apart, results.main.widest_gap
    _ = results.capped, results.forbidden, results.lucky, results.bonus, results.worked
    counted.disable()
    return sum(entry.callcount for entry in counted.getstats())


def test_results_of_more_profiles_take_as_many_more_calls(tmp_path: Path) -> None:
    """Twice the step costs twice as much; what grows with pairs of profiles would cost 4 times."""
    few, some, many = (calls(tmp_path, profiles) for profiles in (10, 20, 40))
    assert (many - some) / (some - few) < 2.5
