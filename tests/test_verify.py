"""The verdict on a figure's file: current, outdated, modified, not ours; never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from pypdf import PdfWriter

import specdec
from build_scripts.__main__ import main
from build_scripts.sampled import RANDOM_PROFILES, random_profiles_sha256
from build_scripts.verify import CURRENT, MODIFIED, MOST_BYTES, NOT_OURS, OUTDATED, USAGE, verify
from tests.imprinted import DATA, FORMATS, SAID, imprinted
from tests.site_checks import ROOT

SHA256 = SAID.data_sha256
OTHER = "ab" * 32

ABOUT = [
    "figure: convergence-near",
    "title: Counts come ever closer",
    "author: The contributors",
    "licence: CC BY 4.0",
    "source: https://example.org/figures/convergence-near/",
    "data: data/profiles.v1.json",
    f"SHA-256 of the data: {SHA256}",
    "engine: specdec 0.1.0",
]
IS_CURRENT = (
    "current: as this project wrote it, from the data and the engine version that it has now"
)
IS_MODIFIED = "modified: the file is not as this project wrote it, so the above may be wrong"


@pytest.fixture(autouse=True)
def _engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the engine be the one that the files name, whatever it is now."""
    monkeypatch.setattr(specdec, "__version__", SAID.engine_version)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a project with one data file."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data/profiles.v1.json").write_bytes(DATA)
    return tmp_path


def verdict(content: bytes, root: Path, name: str = "file") -> tuple[int, list[str]]:
    """Return the exit code for a file, and what is said."""
    (root / name).write_bytes(content)
    said: list[str] = []
    return verify(root / name, root, said.append), said


# Current and outdated.


@pytest.mark.parametrize("name", ["figure", "figure.svg", "figure.png", "Figure 3 (final).PDF"])
@pytest.mark.parametrize("kind", FORMATS)
def test_a_file_as_it_was_written_is_current_under_any_name(
    kind: str, name: str, root: Path
) -> None:
    assert verdict(imprinted(kind), root, name) == (CURRENT, [*ABOUT, IS_CURRENT])


def test_random_profiles_are_no_file_of_the_project(root: Path) -> None:
    of_random = {"data": RANDOM_PROFILES, "data_sha256": random_profiles_sha256()}
    assert verdict(imprinted("svg", **of_random), root)[0] == CURRENT
    assert verdict(imprinted("svg", **{**of_random, "data_sha256": OTHER}), root)[0] == OUTDATED


@pytest.mark.parametrize("kind", FORMATS)
def test_changed_data(kind: str, root: Path) -> None:
    assert verdict(imprinted(kind, data_sha256=OTHER), root) == (
        OUTDATED,
        [
            *ABOUT[:6],
            f"SHA-256 of the data: {OTHER}",
            ABOUT[7],
            f"outdated: data/profiles.v1.json: expected SHA-256 {SHA256}, got {OTHER}",
        ],
    )


def test_no_byte_of_the_data_may_change(root: Path) -> None:
    (root / "data/profiles.v1.json").write_bytes(DATA + b"\n")
    assert verdict(imprinted("png"), root)[0] == OUTDATED


def test_a_changed_engine(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(specdec, "__version__", "0.2.0")
    assert verdict(imprinted("pdf"), root) == (
        OUTDATED,
        [*ABOUT, "outdated: engine: expected specdec 0.2.0, got 0.1.0"],
    )


def test_all_that_has_changed_is_said(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(specdec, "__version__", "0.2.0")
    (root / "data/profiles.v1.json").unlink()
    assert verdict(imprinted("pdf"), root) == (
        OUTDATED,
        [
            *ABOUT,
            f"outdated: data/profiles.v1.json: expected it in {root}, found no such file",
            "outdated: engine: expected specdec 0.2.0, got 0.1.0",
        ],
    )


@pytest.mark.parametrize(
    "data",
    [
        "data/../secret.json",
        "../secret.json",
        "secret.json",
        "{root}/secret.json",
        "data/",
        "data/.",
        "",
        "data/" + "x" * 5000 + ".json",
        "data/\n.json",
        "data/folder.json",
    ],
)
def test_only_data_files_are_read(data: str, root: Path) -> None:
    """A file may name any path; what is there is nobody's business."""
    (root / "secret.json").write_bytes(DATA)
    (root / "data/folder.json").mkdir()
    code, said = verdict(imprinted("svg", data=data.format(root=root)), root)
    assert code == OUTDATED
    assert not any("expected SHA-256" in line for line in said)


# Modified.


@pytest.mark.parametrize("kind", FORMATS)
def test_a_changed_word_in_each_format(kind: str, root: Path) -> None:
    changed = imprinted(kind).replace(b"ever closer", b"very close ")
    code, said = verdict(changed, root)
    assert (code, said[-1]) == (MODIFIED, IS_MODIFIED)


@pytest.mark.parametrize("kind", FORMATS)
def test_one_changed_byte_of_the_picture(kind: str, root: Path) -> None:
    content = imprinted(kind)
    middle = {"svg": b"<path d=", "png": b"IDAT", "pdf": b"/FlateDecode"}[kind]
    at = content.index(middle) + 30
    changed = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
    assert verdict(changed, root) == (MODIFIED, [*ABOUT, IS_MODIFIED])


def saved_by_pillow(content: bytes, *, with_words: bool) -> bytes:
    file = BytesIO()
    with Image.open(BytesIO(content)) as image:
        words = PngInfo()
        if with_words:
            words.add_itxt("XML:com.adobe.xmp", image.info["XML:com.adobe.xmp"])
        image.save(file, "png", pnginfo=words)
    return file.getvalue()


def saved_by_pypdf(content: bytes) -> bytes:
    file = BytesIO()
    PdfWriter(clone_from=BytesIO(content)).write(file)
    return file.getvalue()


def saved_by_elementtree(content: bytes) -> bytes:
    written: bytes = ElementTree.tostring(ElementTree.fromstring(content), encoding="utf-8")
    return written


def test_what_another_program_saved_is_modified(root: Path) -> None:
    modified = (MODIFIED, [*ABOUT, IS_MODIFIED])
    assert verdict(saved_by_elementtree(imprinted("svg")), root) == modified
    assert verdict(saved_by_pillow(imprinted("png"), with_words=True), root) == modified
    assert verdict(saved_by_pypdf(imprinted("pdf")), root) == modified


def test_what_another_program_saved_without_the_words_is_not_ours(root: Path) -> None:
    saved = saved_by_pillow(imprinted("png"), with_words=False)
    assert verdict(saved, root) == (NOT_OURS, [f"not one of ours: {root / 'file'}"])


@pytest.mark.parametrize("kind", FORMATS)
def test_half_a_file(kind: str, root: Path) -> None:
    content = imprinted(kind)
    code, _said = verdict(content[: len(content) // 2], root)
    # A PDF says what it is in its second half.
    assert code == (NOT_OURS if kind == "pdf" else MODIFIED)


# Not ours, and harmless.

BOMB = b"""<?xml version="1.0"?>
<!DOCTYPE svg [<!ENTITY a "boom">%s]>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:i="urn:specdec:imprint#"><i:data>&j;</i:data></svg>
""" % b"".join(b'<!ENTITY %c "%s">' % (name, b"&%c;" % (name - 1) * 10) for name in b"bcdefghij")

THIEF = b"""<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:i="urn:specdec:imprint#"><i:data>&a;</i:data></svg>
"""


def encrypted() -> bytes:
    writer, file = PdfWriter(clone_from=BytesIO(imprinted("pdf"))), BytesIO()
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(file)
    return file.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\0" * 5000, id="zeros"),
        pytest.param(bytes(range(256)) * 40, id="noise"),
        pytest.param(b"\x89PNG\r\n\x1a\n", id="the signature of a PNG"),
        pytest.param(b"\x89PNG\r\n\x1a\n\xff\xff\xff\xffiTXtTitle", id="a chunk without an end"),
        pytest.param(b"%PDF-", id="the start of a PDF"),
        pytest.param(b"%PDF-1.4\nstartxref\n0\n%%EOF", id="a PDF that refers to itself"),
        pytest.param(
            b"%PDF-1.4" + b'<x:xmpmeta xmlns:x="adobe:ns:meta/">' * 9999, id="open packets"
        ),
        pytest.param(b"%PDF-1.4</x:xmpmeta>", id="the end of a packet"),
        pytest.param(b"<svg", id="the start of an SVG"),
        pytest.param(b"<svg xmlns='http://www.w3.org/2000/svg'/>", id="an empty SVG"),
        pytest.param("<svg/>".encode("utf-16"), id="UTF-16"),
        pytest.param(b"<?xml version='1.0' encoding='klingon'?><svg/>", id="unknown encoding"),
        pytest.param(b"<g>" * 100_000, id="deep"),
        pytest.param(BOMB, id="entities of entities"),
        pytest.param(THIEF, id="an entity from a file"),
        pytest.param(encrypted(), id="an encrypted PDF"),
    ],
)
def test_what_says_nothing_of_ours_is_not_ours(content: bytes, root: Path) -> None:
    assert verdict(content, root) == (NOT_OURS, [f"not one of ours: {root / 'file'}"])


def test_of_a_huge_file_little_is_read(root: Path) -> None:
    with (root / "huge").open("wb") as file:
        file.write(imprinted("png"))
        file.truncate(2**40)  # takes no room on the disk
    said: list[str] = []
    assert verify(root / "huge", root, said.append) == NOT_OURS
    assert said == [f"not one of ours: {root / 'huge'}"]


def test_a_file_that_is_only_just_too_large(root: Path) -> None:
    padding = b" " * (MOST_BYTES - len(imprinted("svg")))
    assert verdict(imprinted("svg") + padding, root)[0] == MODIFIED
    assert verdict(imprinted("svg") + padding + b" ", root)[0] == NOT_OURS


def test_no_text_of_a_file_controls_the_terminal(root: Path) -> None:
    title = "\x7f\x9b31m\u202e\n\rcurrent\u2028 é 😀"
    _code, said = verdict(imprinted("svg", title=title), root, "name\x1b[2J\n")
    assert said[1] == ("title: ⟨U+007F⟩⟨U+009B⟩31m⟨U+202E⟩⟨U+000A⟩⟨U+000D⟩current⟨U+2028⟩ é 😀")
    _code, said = verdict(b"", root, "name\x1b[2J\n")
    assert said == [f"not one of ours: {root}/name⟨U+001B⟩[2J⟨U+000A⟩"]


def test_a_line_has_an_end(root: Path) -> None:
    _code, said = verdict(imprinted("svg", title="x" * 10**6), root)
    assert said[1] == f"title: {'x' * 993}…"


# Usage.


def test_what_is_no_file(root: Path) -> None:
    os.mkfifo(root / "pipe")
    (root / "loop").symlink_to(root / "loop")
    for path, reason in (
        (root / "nothing", "No such file or directory"),
        (root, "found something else"),
        (root / "pipe", "found something else"),
        (Path("/dev/zero"), "found something else"),
        (root / ("x" * 300), "File name too long"),
        (root / "loop", "Too many levels of symbolic links"),
    ):
        said: list[str] = []
        assert verify(path, root, said.append) == USAGE
        assert said == [f"{path}: expected a file to read ({reason})"]


def test_a_file_that_may_not_be_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read everything, so the refusal is played."""

    def refuse(*_arguments: object) -> None:
        raise PermissionError(13, "Permission denied")

    (root / "file").write_bytes(imprinted("svg"))
    monkeypatch.setattr(Path, "open", refuse)
    said: list[str] = []
    assert verify(root / "file", root, said.append) == USAGE
    assert said == [f"{root / 'file'}: expected a file to read (Permission denied)"]


@pytest.mark.parametrize("arguments", [[], ["a.svg", "b.svg"], ["--all", "a.svg"]])
def test_one_file_is_asked_for(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["verify", *arguments])
    assert stopped.value.code == USAGE
    assert capsys.readouterr().err.startswith("usage: python -m build_scripts")


# As a program.


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_from_the_command_line(root: Path) -> None:
    """It is verified by the data of this project, whatever the terminal can show."""
    (root / "file").write_bytes(imprinted("svg", title="é"))
    done = run("-m", "build_scripts", "verify", root / "file", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (OUTDATED, "")
    assert done.stdout.splitlines()[:2] == ["figure: convergence-near", r"title: \xe9"]
    assert done.stdout.splitlines()[-1].endswith(f", got {SHA256}")


def test_verifying_loads_nothing_that_draws_or_computes() -> None:
    code = "import sys, build_scripts.verify; print(*{m.partition('.')[0] for m in sys.modules})"
    loaded = set(run("-c", code).stdout.split())
    assert "specdec" in loaded
    assert not {"numpy", "matplotlib", "PIL", "pypdf", "mkdocs", "jinja2"} & loaded


# What is printed.


def closed_pipe() -> int:
    reads, writes = os.pipe()
    os.close(reads)
    return writes


@pytest.mark.parametrize(
    ("output", "code", "said"),
    [
        (closed_pipe, NOT_OURS, ""),
        (
            lambda: os.open("/dev/full", os.O_WRONLY),
            USAGE,
            "output: cannot be written (No space left on device)\n",
        ),
    ],
)
def test_who_reads_no_more_changes_no_verdict_and_a_full_disk_is_none(
    output: Callable[[], int], code: int, said: str
) -> None:
    command = [sys.executable, "-m", "build_scripts", "verify", "README.md"]
    out = output()
    done = subprocess.run(
        command, cwd=ROOT, stdout=out, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(out)
    assert (done.returncode, done.stderr) == (code, said)
