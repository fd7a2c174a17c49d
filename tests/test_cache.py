"""The cache: what it returns is what would be computed, whatever happened to its files."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import jinja2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from build_scripts.cache import code_digest, remembered
from build_scripts.compiled_templates import CompiledTemplates

RESULT = {"mean": Fraction(64267, 16384), "holds": True, "missing": None, "n": 3, "name": "a”"}


class Computation:
    """Counts how often it is run."""

    def __init__(self, result: dict[str, Any] | None = None) -> None:
        self.result = RESULT if result is None else result
        self.times = 0

    def __call__(self) -> dict[str, Any]:
        self.times += 1
        return self.result


@pytest.fixture
def compute() -> Computation:
    return Computation()


def test_the_second_time_is_remembered(tmp_path: Path, compute: Computation) -> None:
    folder = tmp_path / "new" / "folder"
    results = [remembered(folder, "mean", [b"data"], compute) for _ in range(3)]
    assert results == [RESULT] * 3
    assert isinstance(results[1]["mean"], Fraction)
    assert compute.times == 1
    assert [entry.name for entry in folder.iterdir()] == ["mean.json"]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param([b"datb"], id="other data"),
        pytest.param([b"data", b""], id="one input more"),
        pytest.param([], id="one input less"),
        pytest.param([b"da", b"ta"], id="the same bytes, divided"),
    ],
)
def test_other_inputs_are_computed(
    tmp_path: Path, compute: Computation, other: list[bytes]
) -> None:
    remembered(tmp_path, "mean", [b"data"], compute)
    changed = Computation({"mean": Fraction(1)})
    assert remembered(tmp_path, "mean", other, changed) == {"mean": Fraction(1)}
    assert remembered(tmp_path, "mean", other, changed) == {"mean": Fraction(1)}
    assert changed.times == 1


def test_names_do_not_share_entries(tmp_path: Path, compute: Computation) -> None:
    other = Computation({"n": 4})
    for _ in range(2):
        assert remembered(tmp_path, "mean", [b"data"], compute) == RESULT
        assert remembered(tmp_path, "count", [b"data"], other) == {"n": 4}
    assert (compute.times, other.times) == (1, 1)


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda _kept: b"", id="empty"),
        pytest.param(lambda kept: kept[:-1], id="one byte short"),
        pytest.param(lambda kept: kept[: len(kept) // 2], id="half"),
        pytest.param(lambda kept: kept.replace(b"64267", b"64268"), id="a digit changed"),
        pytest.param(lambda kept: kept.partition(b"\n")[2], id="no header"),
        pytest.param(lambda kept: kept.partition(b"\n")[0] + b"\n{}", id="another body"),
        pytest.param(lambda kept: b"0" * 64 + kept[64:], id="another key"),
        pytest.param(lambda kept: kept + b" ", id="one byte more"),
        pytest.param(lambda kept: b"\xff\xfe" + kept, id="no UTF-8"),
        pytest.param(lambda _kept: b"null", id="something else"),
    ],
)
def test_a_damaged_entry_is_computed_again(
    tmp_path: Path, compute: Computation, damage: Callable[[bytes], bytes]
) -> None:
    remembered(tmp_path, "mean", [b"data"], compute)
    entry = tmp_path / "mean.json"
    kept = entry.read_bytes()
    assert damage(kept) != kept
    entry.write_bytes(damage(kept))

    assert remembered(tmp_path, "mean", [b"data"], compute) == RESULT
    assert compute.times == 2
    assert entry.read_bytes() == kept


def test_an_entry_that_cannot_be_read_or_written_is_computed_each_time(
    tmp_path: Path, compute: Computation
) -> None:
    (tmp_path / "mean.json").mkdir()
    for _ in range(2):
        assert remembered(tmp_path, "mean", [b"data"], compute) == RESULT
    assert compute.times == 2
    assert not [entry for entry in tmp_path.iterdir() if entry.name != "mean.json"]


def test_a_folder_that_cannot_be_made_is_no_reason_to_fail(
    tmp_path: Path, compute: Computation
) -> None:
    (tmp_path / "file").write_text("")
    for _ in range(2):
        assert remembered(tmp_path / "file" / "folder", "mean", [b"data"], compute) == RESULT
    assert compute.times == 2


def test_a_folder_that_cannot_be_written_is_no_reason_to_fail(
    tmp_path: Path, compute: Computation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_place: object) -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    for _ in range(2):
        assert remembered(tmp_path, "mean", [b"data"], compute) == RESULT
    assert compute.times == 2


def test_a_failing_computation_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> dict[str, Any]:
        raise ValueError("no result")

    with pytest.raises(ValueError, match=r"^no result$"):
        remembered(tmp_path, "mean", [b"data"], fail)
    assert list(tmp_path.iterdir()) == []


def test_what_an_entry_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"^no cache entry can hold set$"):
        remembered(tmp_path, "mean", [b"data"], lambda: {"a": {1}})


@given(
    st.dictionaries(
        st.text(max_size=5),
        st.one_of(
            st.none(), st.booleans(), st.integers(), st.fractions(), st.text(),
        ),
        max_size=5,
    )
)  # fmt: skip
def test_what_is_remembered_is_what_was_computed(
    tmp_path_factory: pytest.TempPathFactory, result: dict[str, Any]
) -> None:
    folder = tmp_path_factory.mktemp("cache")
    compute = Computation(result)
    first, second = (remembered(folder, "any", [b"data"], compute) for _ in range(2))
    assert first == second == result
    assert [type(value) for value in second.values()] == [type(value) for value in result.values()]
    assert compute.times == 1


# Templates.


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the templates that Jinja has had to compile."""
    names: list[str] = []
    compile_anew = jinja2.Environment.compile

    def noted(environment: jinja2.Environment, source: Any, name: str, *rest: Any) -> Any:
        names.append(name)
        return compile_anew(environment, source, name, *rest)

    monkeypatch.setattr(jinja2.Environment, "compile", noted)
    return names


def greeting(cache: Path, source: str = "Hi [[ who ]]", environment: bytes = b"ours") -> str:
    """Render in an environment that is new, as in each build."""
    jinja = jinja2.Environment(
        loader=jinja2.DictLoader({"greeting": source}),
        variable_start_string="[[",
        variable_end_string="]]",
        bytecode_cache=CompiledTemplates(cache, environment),
        autoescape=True,
    )
    return jinja.get_template("greeting").render(who="<you>")


def test_a_template_is_compiled_once(tmp_path: Path, compiled: list[str]) -> None:
    assert {greeting(tmp_path) for _ in range(3)} == {"Hi &lt;you&gt;"}
    assert compiled == ["greeting"]


def test_a_template_is_compiled_again_when_it_or_its_environment_changes(
    tmp_path: Path, compiled: list[str]
) -> None:
    greeting(tmp_path)
    assert greeting(tmp_path, "Bye [[ who ]]") == "Bye &lt;you&gt;"
    assert greeting(tmp_path, "Bye [[ who ]]", b"another") == "Bye &lt;you&gt;"
    assert compiled == ["greeting"] * 3


@pytest.mark.parametrize("kept", [0, 100, -1], ids=["all gone", "cut", "one byte changed"])
def test_a_damaged_template_is_compiled_again(
    tmp_path: Path, compiled: list[str], kept: int
) -> None:
    greeting(tmp_path)
    (entry,) = tmp_path.iterdir()
    whole = entry.read_bytes()
    entry.write_bytes(whole[:kept] + (b"!" if kept < 0 else b""))
    assert greeting(tmp_path) == "Hi &lt;you&gt;"
    assert compiled == ["greeting"] * 2
    assert entry.read_bytes() == whole


def test_templates_render_where_nothing_can_be_kept(tmp_path: Path, compiled: list[str]) -> None:
    (tmp_path / "file").write_text("")
    assert {greeting(tmp_path / "file/folder") for _ in range(2)} == {"Hi &lt;you&gt;"}
    assert compiled == ["greeting"] * 2


# The digest of code.


@pytest.fixture
def code(tmp_path: Path) -> Path:
    (tmp_path / "inner").mkdir()
    (tmp_path / "a.py").write_text("A = 1\n")
    (tmp_path / "inner/b.py").write_text("B = 2\n")
    return tmp_path


def test_code_digest_is_the_same_for_the_same_code(code: Path) -> None:
    before = code_digest(code)
    os.utime(code / "a.py", (0, 0))
    (code / "notes.txt").write_text("no code")
    (code / "__pycache__").mkdir()
    (code / "__pycache__/a.pyc").write_bytes(b"")
    assert code_digest(code) == before


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(lambda code: (code / "inner/b.py").write_text("B = 3\n"), id="edited"),
        pytest.param(lambda code: (code / "inner/b.py").rename(code / "b.py"), id="moved"),
        pytest.param(lambda code: (code / "a.py").unlink(), id="removed"),
        pytest.param(lambda code: (code / "c.py").write_text(""), id="added"),
    ],
)
def test_code_digest_changes_with_the_code(code: Path, edit: Callable[[Path], object]) -> None:
    before = code_digest(code)
    edit(code)
    assert code_digest(code) != before


def test_code_digest_changes_with_python(code: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = code_digest(code)
    monkeypatch.setattr("platform.python_version", lambda: "3.99.0")
    assert code_digest(code) != before


def test_a_template_in_a_folder_that_is_no_text_to_the_locale_has_an_entry(tmp_path: Path) -> None:
    """As `é` is not under LC_ALL=C."""
    kept = CompiledTemplates(tmp_path, b"")
    names = [
        kept.get_cache_key(*place)
        for place in (("a", "/\udcc3\udca9/a"), ("a", "/b/a"), ("b", "/b/a"), ("a",), ("a", ""))
    ]
    assert len(set(names)) == 4
    assert names[-1] == names[-2]
