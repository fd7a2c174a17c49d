"""Who may import whom, so that each rule has one home and the two routes stay independent."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import specdec

ROOT = Path(__file__).resolve().parent.parent

ALLOWED = {
    "errors": set(),
    "exact": {"errors"},
    "distribution": {"errors", "exact"},
    "verification": {"errors", "distribution"},
    "rounds": {"errors", "exact", "distribution", "verification"},
    "expectations": {"exact"},
    "laws": {"exact", "distribution", "verification"},
    "cost": {"errors", "exact", "expectations"},
    "source": {"errors"},
    "checks": {"errors", "exact", "source"},
    "rules": {"errors", "source", "checks"},
    "profiles": {"errors", "distribution", "rounds", "cost", "source", "checks", "rules"},
    "positions": {"distribution", "verification"},
    "report": {"distribution", "verification", "rounds", "expectations", "profiles"},
    "claims": {
        "distribution", "verification", "expectations", "laws", "profiles", "report",
    },
    "choices": {"distribution"},
    "attempts": {"distribution", "verification", "choices"},
    "float_rows": {"errors", "choices"},
    "sampling": {"errors", "exact", "distribution", "choices", "attempts", "float_rows"},
    "convergence": {"errors", "exact"},
    "runs": {"errors", "convergence", "distribution"},
    "printing": {"convergence", "profiles", "report"},
    "agreement": {"distribution", "verification"},
    "wrong_rules": {"errors", "convergence", "distribution", "verification", "expectations"},
    "wrong_contexts": {"convergence", "distribution", "verification", "laws"},
    "textbook": {
        "convergence", "cost", "distribution", "exact", "expectations", "positions",
        "verification", "wrong_rules",
    },
}  # fmt: skip


def imports(path: Path) -> Iterator[str]:
    """Yield the dotted name of every module a file imports, wherever the import stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: expected absolute imports"
            yield node.module or ""


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


@pytest.mark.parametrize(("module", "allowed"), ALLOWED.items(), ids=list(ALLOWED))
def test_a_module_imports_only_what_lies_below_it(module: str, allowed: set[str]) -> None:
    used = {
        name.removeprefix("specdec.")
        for name in imports(ROOT / "specdec" / f"{module}.py")
        if name.startswith("specdec")
    }
    assert used <= allowed


def test_every_module_of_the_engine_has_its_place() -> None:
    names = {path.stem for path in modules("specdec")} - {"__init__", "__main__"}
    assert names == set(ALLOWED)


def test_the_order_has_no_cycle() -> None:
    placed: set[str] = set()
    while ready := {name for name, below in ALLOWED.items() if below <= placed} - placed:
        placed |= ready
    assert placed == set(ALLOWED)


FOREIGN = {
    "choices": {"numpy"},
    "attempts": {"numpy"},
    "float_rows": {"numpy"},
    "sampling": {"numpy"},
    "__main__": {"tqdm"},
}
"""What the parts that sample need besides the standard library; nothing else needs anything."""


@pytest.mark.parametrize("path", modules("specdec"), ids=lambda path: path.stem)
def test_the_engine_needs_nothing_but_the_standard_library(path: Path) -> None:
    foreign = {name.partition(".")[0] for name in imports(path)} - {"specdec"}
    assert foreign - sys.stdlib_module_names == FOREIGN.get(path.stem, set())


@pytest.mark.parametrize("path", modules("build_scripts"), ids=lambda path: path.stem)
def test_the_build_does_not_look_into_closed_forms_and_enumeration_at_once(path: Path) -> None:
    assert not any(name.startswith("tests") for name in imports(path))


def test_importing_the_engine_loads_nothing_from_elsewhere() -> None:
    code = "import sys, specdec; print(*sorted({m.partition('.')[0] for m in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert not {"numpy", "tqdm", "jinja2", "mkdocs", "build_scripts"} & set(done.stdout.split())


def test_the_public_names() -> None:
    for name in specdec.__all__:
        assert hasattr(specdec, name)
    assert set(specdec.__all__) >= {
        "Distribution", "accept_probability", "acceptance_rate", "residual", "committed_law",
        "speculative_round", "Draws", "committed_length_law", "expected_tokens", "CostModel",
        "load", "generation_law", "sample_rounds", "sample_rows", "SpecdecError", "ProfileError",
    }  # fmt: skip
