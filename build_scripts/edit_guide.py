"""The guide to editing: common tasks, what a bad file is told, and every field of a data file.

What the loader says is asked of it while the site is built, about one small example. What takes a
build or a server was recorded by ``make golden`` and stands in ``sessions/``.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from build_scripts import wording
from build_scripts.errors import SiteError
from specdec.__main__ import main as specdec
from specdec.errors import Fault, ProfileError
from specdec.profiles import load

SESSIONS = Path(__file__).parent / "sessions"

EXAMPLE = "edit/example.json"
NAME = "data/coin.v1.json"
"""What the example is called where a reader tries it."""

Edit = tuple[str, str]
"""A piece of the example, and what becomes of it."""

MISTAKES: tuple[Edit, ...] = (
    ('"draft_step": "1/10"', '"draft_step": 0.1'),
    ("[3, 1]", "[3, 2]"),
    ('"proposals": ["heads"]', '"proposals": ["edge"]'),
)

TASKS: Mapping[str, tuple[Edit, ...]] = {
    "row": (("[3, 1]", "[2, 2]"),),
    "prices": (('"draft_step": "1/10"', '"draft_step": "1/5"'),),
    "profile": (
        (
            "    }\n  ]\n}",
            """\
    },
    {
      "id": "coin-swapped",
      "title": "A draft that overrates tails",
      "draft": [
        [1, 3]
      ],
      "proposals": ["tails"],
      "draws": {"accept": ["1/2"], "replacement": "0", "bonus": "0"}
    }
  ]
}""",
        ),
    ),
    "token": (
        ('"vocabulary": ["heads", "tails"]', '"vocabulary": ["heads", "tails", "edge"]'),
        ("    [2, 2]\n", "    [2, 1, 1]\n"),
        ('"bonus": [2, 2]', '"bonus": [2, 2, 0]'),
        ("[3, 1]", "[3, 1, 0]"),
    ),
    "k": (
        ("    [2, 2]\n", "    [2, 2],\n    [1, 3]\n"),
        ("[3, 1]\n", "[3, 1],\n        [2, 2]\n"),
        ('"proposals": ["heads"]', '"proposals": ["heads", "tails"]'),
        ('"accept": ["1/2"]', '"accept": ["1/2", "1/2"]'),
    ),
}
"""What people do to a file, by the name that the page has for it; each gives a good file."""

NOTHING: Any = object()
"""In place of a value: the field is taken out."""

REFUSED: Mapping[str, Any] = {
    "$schema": 5,
    "version": 1.0,
    "title": " ",
    "short_title": "",
    "context": None,
    "description": True,
    "denominator": 0,
    "vocabulary": [],
    "target": [[6, -2]],
    "bonus": [4.0, 0],
    "cost_model.draft_step": 0.1,
    "cost_model.verify_pass": "0",
    "profiles": [],
}
"""A value for each field of a file that is none for it."""

REFUSED_IN_PROFILE: Mapping[str, Any] = {
    "id": "My draft",
    "title": 7,
    "short_title": " ",
    "description": "two\nlines",
    "draft": [],
    "proposals": [1],
    "draws.accept": ["1"],
    "draws.replacement": "50%",
    "draws.bonus": "1e-1",
}

RULES: Mapping[str, Mapping[str, Any]] = {
    "A field that is not optional is there.": {"context": NOTHING},
    "There are no other fields.": {"short_titel": "Coin"},
    "The tokens of the vocabulary differ.": {"vocabulary": ["heads", "heads"]},
    "A row has a numerator for each token.": {"bonus": [4]},
    "A row sums to the denominator.": {"target": [[2, 1]]},
    "A profile has a draft row, a proposal and an accept draw for each target row.": {
        "profiles.0.draws.accept": ["1/2", "1/2"]
    },
    "A proposal is a token of the vocabulary.": {"profiles.0.proposals": ["edge"]},
    "The draft can propose it.": {"profiles.0.draft": [[0, 4]]},
    "No other profile of the site has this id, whatever its file.": {},
}
"""What must hold between fields, and changes of the example that break it; the last is met by
showing the example twice."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a data file, as its schema describes it.

    Attributes:
        name: as written in the file, with the object it is in.
        required: whether it has to be there.
        meaning: in a sentence or two, limits and default included.
        example: as JSON; empty where the schema gives none.
        refused: what the loader says of a value that is none.
    """

    name: str
    required: bool
    meaning: str
    example: str
    refused: str


@dataclass(frozen=True, slots=True)
class EditGuide:
    """What the page shows.

    Attributes:
        example: a complete data file.
        accepted: what the check says of it.
        mistakes: (as it was, as it is after a bad edit).
        refusal: what the loader says of all these edits together, a fault a line.
        tasks: what changes in the example, as lines with - and +, by the name of the task.
        scenario: the fields of a file.
        profile: the fields of each of its profiles.
        rules: what must hold between fields, each with what the loader says where it does not.
        sessions: what a terminal showed, by what was done.
    """

    example: str
    accepted: str
    mistakes: tuple[Edit, ...]
    refusal: str
    tasks: dict[str, str]
    scenario: tuple[Field, ...]
    profile: tuple[Field, ...]
    rules: dict[str, str]
    sessions: dict[str, str]


def edit_guide(docs: Path, schema: Path) -> EditGuide:
    """Return the guide; everything that it says of the example has just been tried.

    Args:
        docs: the folder of authored pages, which has the example.
        schema: of the data files.

    Raises:
        SiteError: the example or a task is refused, or what should be refused is not.
    """
    place = docs / EXAMPLE
    example = place.read_text(encoding="utf-8")
    described = json.loads(schema.read_text(encoding="utf-8"))
    return EditGuide(
        example=example,
        accepted=_accepted(place, example),
        mistakes=MISTAKES,
        refusal=str(_refusal(place, edited(example, MISTAKES), faults=len(MISTAKES))),
        tasks={name: _task(place, example, edits) for name, edits in TASKS.items()},
        scenario=tuple(_fields(described, described, _refused(place, example, REFUSED))),
        profile=tuple(
            _fields(
                described["$defs"]["profile"],
                described,
                _refused(place, example, REFUSED_IN_PROFILE, inside="profiles.0."),
            )
        ),
        rules={rule: _broken(place, example, changes) for rule, changes in RULES.items()},
        sessions={
            path.stem: _shortened(path.read_text(encoding="utf-8").rstrip("\n"))
            for path in sorted(SESSIONS.glob("*.txt"))
        },
    )


def edited(text: str, edits: tuple[Edit, ...]) -> str:
    """Return a text after some edits.

    Raises:
        SiteError: a piece is not there once.
    """
    for before, after in edits:
        if text.count(before) != 1:
            raise SiteError(f"expected {before!r} once, found it {text.count(before)} times")
        text = text.replace(before, after)
    return text


# What the loader says.


def _accepted(place: Path, text: str) -> str:
    """Return what the check says of a good file, under the name that the page gives it."""
    with _file(text) as path, contextlib.redirect_stdout(io.StringIO()) as said:
        if specdec(["check", str(path)]):
            raise SiteError(f"{place}: {_refusal(place, text)}")
    return said.getvalue().strip().replace(str(path), NAME)


def _refusal(place: Path, text: str, *, faults: int = 1) -> ProfileError:
    """Return what the loader says of a bad file, under the name that the page gives it.

    Raises:
        SiteError: it has another number of faults.
    """
    found: tuple[Fault, ...] = ()
    with _file(text) as path:
        try:
            load(path)
        except ProfileError as error:
            found = tuple(
                replace(each, path=NAME, found=each.found.replace(str(path), NAME))
                for each in error.faults
            )
    refusal = ProfileError(found)
    if len(found) != faults:
        raise SiteError(
            f"{place}, changed: expected {wording.count(faults, 'fault')}, got {str(refusal)!r}"
        )
    return refusal


@contextlib.contextmanager
def _file(text: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.json"
        path.write_text(text, encoding="utf-8")
        yield path


def _task(place: Path, example: str, edits: tuple[Edit, ...]) -> str:
    """Return what a task changes, having tried that it gives a good file."""
    done = edited(example, edits)
    _accepted(place, done)
    lines = difflib.unified_diff(example.splitlines(), done.splitlines(), n=1, lineterm="")
    _, _, _, *shown = lines  # without the files' names and the first place
    return "\n".join("  …" if line.startswith("@@") else line for line in shown)


def _refused(
    place: Path, example: str, values: Mapping[str, Any], inside: str = ""
) -> dict[str, str]:
    """Return what the loader says of each of these values, by its field."""
    return {
        name: _broken(place, example, {f"{inside}{name}": value}) for name, value in values.items()
    }


def _broken(place: Path, example: str, changes: Mapping[str, Any]) -> str:
    """Return what the loader says of the example with other values, or of one profile twice."""
    data = json.loads(example)
    for name, value in changes.items():
        _set(data, name.split("."), value)
    if not changes:
        data["profiles"] *= 2
    (fault,) = _refusal(place, json.dumps(data)).faults
    return f"{fault.found}, expected {fault.expected}"


def _set(data: Any, path: list[str], value: Any) -> None:
    *parents, last = [int(step) if step.isdigit() else step for step in path]
    for step in parents:
        data = data[step]
    if value is NOTHING:
        del data[last]
    else:
        data[last] = value


# What the schema says.


def _fields(
    described: dict[str, Any], schema: dict[str, Any], refused: Mapping[str, str], inside: str = ""
) -> Iterator[Field]:
    """Yield the fields of an object and of the objects in it."""
    for name, each in described["properties"].items():
        if "properties" in each:
            yield from _fields(each, schema, refused, f"{inside}{name}.")
            continue
        examples = each.get("examples", [])
        limits = [*_limits(each, schema), *_default(each)]
        yield Field(
            name=inside + name,
            required=name in described["required"],
            meaning=" ".join([each["description"], *limits]),
            example=json.dumps(examples[0], ensure_ascii=False) if examples else "",
            refused=refused[inside + name],
        )


def _limits(field: dict[str, Any], schema: dict[str, Any]) -> Iterator[str]:
    """Yield what bounds a value, as sentences."""
    whole = _resolved(field, schema)
    if "maximum" in whole:
        yield f"From {wording.grouped(whole['minimum'])} to {wording.grouped(whole['maximum'])}."
    if "maxLength" in whole:
        blank = ", not blank" if whole.get("pattern") == r"\S" else ""
        yield f"At most {wording.count(whole['maxLength'], 'character')}{blank}."
    if "items" in whole and "maxLength" in (each := _resolved(whole["items"], schema)):
        yield f"Each of at most {wording.count(each['maxLength'], 'character')}."
    if "minItems" in whole:
        most = f", at most {whole['maxItems']}" if "maxItems" in whole else ""
        yield f"At least {whole['minItems']} of them{most}."


def _default(field: dict[str, Any]) -> Iterator[str]:
    if "default" in field:
        yield f"Without it: {json.dumps(field['default'])}."


def _resolved(field: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Return a part of the schema with what it refers to; its own words count first."""
    if "$ref" not in field:
        return field
    named = schema["$defs"][field["$ref"].removeprefix("#/$defs/")]
    return {**_resolved(named, schema), **field}


# What was recorded.


def _shortened(session: str) -> str:
    """Return a session with a long run of figures that are drawn cut, and the cut marked."""
    return re.sub(
        r"((?:.*drawing \S+\n){2})((?:.*drawing \S+\n){3,})(?=.*drawing )",
        lambda run: f"{run[1]}… {len(run[2].splitlines())} more lines of this kind\n",
        session,
    )
