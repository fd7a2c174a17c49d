"""The guide to editing shows what really happens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from bs4 import Tag

from build_scripts import edit_guide as guide
from build_scripts.errors import SiteError
from specdec import ProfileError, load
from tests.golden import sessions
from tests.site_checks import ROOT, BuiltSite, attribute, one_line, shown, tables
from tests.test_hook import another_row
from tests.test_hook import edited as edited_site

SCHEMA = ROOT / "data/profiles.v1.schema.json"
EXAMPLE = (ROOT / "docs" / guide.EXAMPLE).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def told() -> guide.EditGuide:
    return guide.edit_guide(ROOT / "docs", SCHEMA)


# Tasks and mistakes.


def test_the_refusal_is_what_a_reader_gets(
    told: guide.EditGuide, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    place = tmp_path / guide.NAME
    place.parent.mkdir()
    place.write_text(told.example, encoding="utf-8")
    assert load(guide.NAME).profiles[0].id == "coin"
    place.write_text(guide.edited(told.example, told.mistakes), encoding="utf-8")
    with pytest.raises(ProfileError) as refused:
        load(guide.NAME)
    assert str(refused.value) == str(told.refusal)
    assert told.refusal == (
        'data/coin.v1.json:11: /cost_model/draft_step: 0.1, expected a string such as "1/2" or '
        '"0.1", >= 0\n'
        "data/coin.v1.json:19: /profiles/0/draft/0: numerators sum to 5, expected 4\n"
        "data/coin.v1.json:21: /profiles/0/proposals/0: 'edge', expected a token of the vocabulary"
    )


@pytest.mark.parametrize(
    ("task", "changed"),
    {
        "row": {"profiles": {"draft": [[2, 2]]}},
        "prices": {"cost_model": {"draft_step": "1/5", "verify_pass": "1"}},
        "token": {
            "vocabulary": ["heads", "tails", "edge"],
            "target": [[2, 1, 1]],
            "bonus": [2, 2, 0],
            "profiles": {"draft": [[3, 1, 0]]},
        },
        "k": {
            "target": [[2, 2], [1, 3]],
            "profiles": {
                "draft": [[3, 1], [2, 2]],
                "proposals": ["heads", "tails"],
                "draws": {"accept": ["1/2", "1/2"], "replacement": "0", "bonus": "0"},
            },
        },
    }.items(),
)
def test_a_task_changes_what_it_says_and_nothing_else(task: str, changed: dict[str, Any]) -> None:
    before = json.loads(EXAMPLE)
    of_profile = changed.pop("profiles", {})
    expected = {**before, **changed, "profiles": [{**before["profiles"][0], **of_profile}]}
    assert json.loads(guide.edited(EXAMPLE, guide.TASKS[task])) == expected


def test_another_draft_is_one_more(tmp_path: Path) -> None:
    path = tmp_path / "coin.v1.json"
    path.write_text(guide.edited(EXAMPLE, guide.TASKS["profile"]), encoding="utf-8")
    assert [each.id for each in load(path).profiles] == ["coin", "coin-swapped"]


@pytest.mark.parametrize(
    ("task", "left_out"),
    [(task, n) for task, edits in guide.TASKS.items() if len(edits) > 1 for n in range(len(edits))],
)
def test_no_step_of_a_task_can_be_left_out(task: str, left_out: int, tmp_path: Path) -> None:
    edits = guide.TASKS[task]
    path = tmp_path / "coin.v1.json"
    path.write_text(
        guide.edited(EXAMPLE, (*edits[:left_out], *edits[left_out + 1 :])), encoding="utf-8"
    )
    with pytest.raises(ProfileError):
        load(path)


def test_a_task_is_shown_as_lines_that_go_and_come(told: guide.EditGuide) -> None:
    assert (
        told.tasks["token"]
        == """\
   "denominator": 4,
-  "vocabulary": ["heads", "tails"],
+  "vocabulary": ["heads", "tails", "edge"],
   "target": [
-    [2, 2]
+    [2, 1, 1]
   ],
-  "bonus": [2, 2],
+  "bonus": [2, 2, 0],
   "cost_model": {"draft_step": "1/10", "verify_pass": "1"},
  …
       "draft": [
-        [3, 1]
+        [3, 1, 0]
       ],"""
    )


# Every field.


def test_every_field_of_the_schema_is_explained(told: guide.EditGuide) -> None:
    assert [field.name for field in told.scenario] == [
        "$schema", "version", "title", "short_title", "context", "description", "denominator",
        "vocabulary", "target", "bonus", "cost_model.draft_step", "cost_model.verify_pass",
        "profiles",
    ]  # fmt: skip
    assert [field.name for field in told.profile] == [
        "id", "title", "short_title", "description", "draft", "proposals", "draws.accept",
        "draws.replacement", "draws.bonus",
    ]  # fmt: skip
    required = {
        kind: {field.name for field in fields if field.required}
        for kind, fields in (("scenario", told.scenario), ("profile", told.profile))
    }
    described = json.loads(SCHEMA.read_bytes())
    for kind, schema in (("scenario", described), ("profile", described["$defs"]["profile"])):
        assert {name.partition(".")[0] for name in required[kind]} == set(schema["required"])
    assert all(field.meaning for field in (*told.scenario, *told.profile))
    assert json.loads(told.scenario[7].example) == ["the", "cat", "dog", "sat", "on", "mat"]


def test_limits_defaults_and_refusals_are_told(told: guide.EditGuide) -> None:
    fields = {field.name: field for field in (*told.scenario, *told.profile)}
    for name, said in {
        "denominator": "From 1 to 1,000,000,000,000,000,000.",
        "context": "At most 10,000 characters.",
        "short_title": "The title is used where there is none. At most 1,000 characters, not "
        "blank.",
        "description": 'At most 10,000 characters. Without it: "".',
        "vocabulary": "Each of at most 1,000 characters. At least 1 of them.",
        "target": "At least 1 of them, at most 64.",
        "id": "At most 40 characters.",
        "draws.accept": "Each of at most 40 characters. At least 1 of them.",
    }.items():
        assert fields[name].meaning.endswith(said), name
    assert fields["denominator"].refused == "0, expected a whole number >= 1"
    assert fields["draws.replacement"].refused == (
        """'50%', expected a string such as "1/2" or "0.1", in [0, 1)"""
    )
    assert told.rules["A row sums to the denominator."] == "numerators sum to 3, expected 4"
    assert list(told.rules.values())[-1] == (
        "'coin' again, first in data/coin.v1.json:1, expected an id of its own"
    )


def test_a_default_is_what_the_loader_takes(tmp_path: Path) -> None:
    data, described = json.loads(EXAMPLE), json.loads(SCHEMA.read_bytes())
    for name in ("description", "short_title"):
        del data["profiles"][0][name]
    (tmp_path / "coin.v1.json").write_text(json.dumps(data), encoding="utf-8")
    taken = load(tmp_path / "coin.v1.json")
    for given, schema in (
        (taken, described),
        (taken.profiles[0], described["$defs"]["profile"]),
    ):
        assert given.description == schema["properties"]["description"]["default"]
        assert given.short_title == given.title


# What stops the build.


def test_an_example_that_is_refused_stops_the_build(tmp_path: Path) -> None:
    (tmp_path / "edit").mkdir()
    example = tmp_path / guide.EXAMPLE
    example.write_text(EXAMPLE.replace("[3, 1]", "[3, 2]"), encoding="utf-8")
    with pytest.raises(SiteError, match=r"edit/example\.json: data/coin\.v1\.json:19: "):
        guide.edit_guide(tmp_path, SCHEMA)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("MISTAKES", (("coin", "penny"),), "expected 'coin' once, found it 2 times"),
        ("MISTAKES", (("[3, 1]", "[1, 3]"),), "expected one fault, got ''"),
        ("TASKS", {"row": (("[3, 1]", "[3, 2]"),)}, "numerators sum to 5, expected 4"),
        ("RULES", {"A row": {"bonus": [1, 3]}}, "expected one fault, got ''"),
        ("REFUSED", {**guide.REFUSED, "title": "Coin"}, "expected one fault, got ''"),
    ],
)
def test_what_is_no_longer_so_stops_the_build(
    name: str, value: object, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guide, name, value)
    with pytest.raises(SiteError, match=message):
        guide.edit_guide(ROOT / "docs", SCHEMA)


# What was recorded.


@pytest.fixture(scope="module")
def after_the_edit(published: BuiltSite, shared_folder: Path) -> BuiltSite:
    """Return the site that other tests look at, too: the edit is the same."""
    return edited_site(published, shared_folder, "another-row", another_row)


def test_terminals_still_say_what_was_recorded(
    site: BuiltSite, after_the_edit: BuiltSite, tmp_path: Path
) -> None:
    said = sessions.sessions(site, after_the_edit, tmp_path)
    names = {path.stem for path in sessions.FOLDER.glob("*.txt")}
    assert names == {*said, "serve"}, "nothing is typed; browser/test_serve.py tries that one"
    for name, session in said.items():
        recorded = (sessions.FOLDER / f"{name}.txt").read_text(encoding="utf-8")
        assert sessions.comparable(recorded) == sessions.comparable(session), (
            f"{name}.txt is out of date: make golden"
        )


def test_the_recorded_edit_is_the_one_of_the_build(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / sessions.EDITED).write_bytes((ROOT / sessions.EDITED).read_bytes())
    expected = json.loads((tmp_path / sessions.EDITED).read_bytes())
    another_row(expected)
    sessions.edit_row(tmp_path)
    assert json.loads((tmp_path / sessions.EDITED).read_bytes()) == expected


def test_a_session_is_compared_without_what_differs_each_time() -> None:
    one = "setting up\nINFO - drawing b\nINFO - drawing a\nbuilt in 3.5 s: open x"
    other = "setting up\nINFO - drawing a\nINFO - drawing b\nbuilt in 12.75 s: open x"
    assert sessions.comparable(one) == sessions.comparable(other)
    for before, after in (("drawing a", "drawing c"), ("open x", "open y"), ("3.5 s", "3 s")):
        assert sessions.comparable(one) != sessions.comparable(one.replace(before, after))


def test_a_long_run_of_figures_is_cut_and_the_cut_is_told(told: guide.EditGuide) -> None:
    whole = (sessions.FOLDER / "first-build.txt").read_text(encoding="utf-8").splitlines()
    cut = told.sessions["first-build"].splitlines()
    drawn = [line for line in whole if "drawing " in line]
    first = whole.index(drawn[0])
    assert len(drawn) > 30
    assert cut == [
        *whole[: first + 2],
        f"… {len(drawn) - 3} more lines of this kind",
        *whole[first + len(drawn) - 1 :],
    ]


# The page.


def test_the_page_shows_it(site: BuiltSite, told: guide.EditGuide) -> None:
    page = site.article("edit.html")
    check = "$ python -m specdec check data/coin.v1.json"
    recorded = told.sessions
    assert [block.get_text() for block in page.select("pre.citation")] == [
        *(recorded[name] for name in ("first-build", "edit", "after-an-edit", "serve")),
        f"{check}\n{told.refusal}",
        told.example,
        f"{check}\n{told.accepted}",
        *(told.tasks[name] for name in ("row", "prices", "profile", "token", "k")),
        *(recorded[name] for name in ("diff", "verify")),
    ]  # fmt: skip
    assert (site.folder / "edit/example.json").read_text(encoding="utf-8") == told.example
    (link,) = [each for each in page.select("a") if attribute(each, "href").endswith("schema.json")]
    assert isinstance(link, Tag)
    assert shown(link) == "JSON Schema"
    assert (site.folder / attribute(link, "href")).read_bytes() == SCHEMA.read_bytes()


def test_the_page_has_every_field_and_rule(site: BuiltSite, told: guide.EditGuide) -> None:
    found = tables(site.article("edit.html"))
    for name, fields in (
        ("Fields of a file", told.scenario),
        ("Fields of each profile", told.profile),
    ):
        assert list(found[name].rows) == [
            (
                each.name + " optional" * (not each.required),
                each.meaning + f" For example {each.example}" * bool(each.example),
                one_line(each.refused),
            )
            for each in fields
        ]
    assert list(found["Rules between fields"].rows) == list(told.rules.items())
