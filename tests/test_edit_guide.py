"""The guide to editing shows what really happens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bs4 import Tag

from build_scripts import edit_guide as guide
from build_scripts.errors import SiteError
from specdec import ProfileError, load
from tests.site_checks import ROOT, BuiltSite, attribute, shown, tables

SCHEMA = ROOT / "data/profiles.v1.schema.json"


def test_the_refusal_is_what_a_reader_gets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = guide.edit_guide(ROOT / "docs", SCHEMA)
    monkeypatch.chdir(tmp_path)
    place = tmp_path / guide.NAME
    place.parent.mkdir()
    place.write_text(told.example, encoding="utf-8")
    assert load(guide.NAME).profiles[0].id == "coin"
    text = told.example
    for before, after in told.edits:
        assert text.count(before) == 1
        text = text.replace(before, after)
    place.write_text(text, encoding="utf-8")
    with pytest.raises(ProfileError) as refused:
        load(guide.NAME)
    assert str(refused.value) == told.refusal
    assert told.refusal == (
        'data/coin.v1.json:11: /cost_model/draft_step: 0.1, expected a string such as "1/2" or '
        '"0.1", >= 0\n'
        "data/coin.v1.json:19: /profiles/0/draft/0: numerators sum to 5, expected 4\n"
        "data/coin.v1.json:21: /profiles/0/proposals/0: 'edge', expected a token of the vocabulary"
    )


def test_every_field_of_the_schema_is_explained() -> None:
    told = guide.edit_guide(ROOT / "docs", SCHEMA)
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


def test_an_example_that_is_refused_stops_the_build(tmp_path: Path) -> None:
    (tmp_path / "edit").mkdir()
    example = tmp_path / guide.EXAMPLE
    example.write_text("{}", encoding="utf-8")
    with pytest.raises(SiteError, match=r"edit/example\.json: data/coin\.v1\.json:1: "):
        guide.edit_guide(tmp_path, SCHEMA)


def test_an_edit_that_is_no_fault_stops_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guide, "EDITS", (*guide.EDITS, ("coin", "penny")))
    with pytest.raises(SiteError, match="expected a fault for each of"):
        guide.edit_guide(ROOT / "docs", SCHEMA)


def test_the_page_shows_it(site: BuiltSite) -> None:
    page, told = site.article("edit.html"), guide.edit_guide(ROOT / "docs", SCHEMA)
    shown_blocks = [block.get_text() for block in page.select("pre.citation")]
    assert shown_blocks == [
        told.example,
        f"$ python -m specdec check data/coin.v1.json\n{told.refusal}",
    ]
    assert (site.folder / "edit/example.json").read_text(encoding="utf-8") == told.example
    found = tables(page)
    for name, fields in (
        ("Fields of a file", told.scenario),
        ("Fields of each profile", told.profile),
    ):
        assert [row[0].removesuffix(" optional") for row in found[name].rows] == [
            field.name for field in fields
        ]
    (link,) = [each for each in page.select("a") if attribute(each, "href").endswith("schema.json")]
    assert isinstance(link, Tag)
    assert shown(link) == "JSON Schema"
    assert (site.folder / attribute(link, "href")).read_bytes() == SCHEMA.read_bytes()
