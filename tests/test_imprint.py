"""What a figure's file says about itself: whole in each format, for any reader, and sealed."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from dataclasses import asdict, replace
from datetime import date
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from PIL.PngImagePlugin import PngImageFile
from pypdf import PdfReader

import specdec
from build_scripts.figures.figure import Figure, Provenance
from build_scripts.figures.imprint import Read, imprint, read_imprint, with_imprint
from build_scripts.figures.table import Table
from build_scripts.work import Work
from tests.imprinted import FORMATS, SAID, drawing, imprinted
from tests.site_checks import ROOT

SVG = "{http://www.w3.org/2000/svg}"
RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
DC = "{http://purl.org/dc/elements/1.1/}"
CC = "{http://creativecommons.org/ns#}"
OURS = "{urn:specdec:imprint#}"


# What is said.

FIGURE = Figure(
    slug="agreement",
    kind="agreement",
    title="Title",
    subject="Subject",
    alt="Alternative.",
    caption="Caption.",
    assumption="Assumption.",
    omits="Omission.",
    data={},
    table=Table((), ()),
    provenance=Provenance("data/a.json", "ab" * 32, "specdec.expectations"),
)


@pytest.mark.parametrize(
    ("address", "source"),
    [("https://x.org/y/", "https://x.org/y/figures/agreement/"), ("", "unpublished build")],
)
def test_a_figure_says_what_it_is_and_where_it_is_from(address: str, source: str) -> None:
    work = Work("Site", "Contributors", "0.1.0", date(2026, 11, 29), address)
    assert asdict(imprint(FIGURE, work)) == {
        "slug": "agreement",
        "title": "Title",
        "description": "Caption. Assumption. Omission.",
        "alt": "Alternative.",
        "author": "Contributors",
        "licence": "CC BY 4.0",
        "licence_url": "https://creativecommons.org/licenses/by/4.0/",
        "source": source,
        "data": "data/a.json",
        "data_sha256": "ab" * 32,
        "engine_version": specdec.__version__,
        "seed": "",
        "rounds": "",
    }


def test_a_figure_of_random_rounds_says_which() -> None:
    work = Work("Site", "Contributors", "0.1.0", date(2026, 11, 29), "")
    figure = replace(FIGURE, provenance=replace(FIGURE.provenance, seed=0, rounds=10))
    said = imprint(figure, work)
    assert (said.seed, said.rounds) == ("0", "10")


@pytest.mark.parametrize("kind", FORMATS)
def test_what_is_said_is_read(kind: str) -> None:
    assert read_imprint(imprinted(kind)) == Read(SAID, intact=True)


@pytest.mark.parametrize("kind", FORMATS)
def test_a_bare_drawing_says_nothing(kind: str) -> None:
    assert read_imprint(drawing(kind)) is None


@pytest.mark.parametrize("content", [b"", b"GIF89a", b"<html></html>", b"svg"])
def test_only_drawings_are_imprinted(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"^expected a drawing as SVG, PDF or PNG$"):
        with_imprint(content, SAID)


# By the readers of others.


def properties(rdf: ElementTree.Element) -> dict[str, str]:
    """Return the text of each property, through a container if there is one."""
    (about,) = rdf
    assert about.tag == f"{RDF}Description"
    return {each.tag: "".join(each.itertext()) for each in about}


def test_svg() -> None:
    root = ElementTree.fromstring(imprinted("svg"))
    title, desc, metadata, *picture = root
    assert (title.tag, title.text) == (f"{SVG}title", SAID.title)
    assert (desc.tag, desc.text) == (f"{SVG}desc", SAID.alt)
    assert root.get("role") == "img"
    (rdf,) = metadata
    assert properties(rdf) == {
        f"{DC}identifier": SAID.slug,
        f"{DC}title": SAID.title,
        f"{DC}description": SAID.description,
        f"{OURS}alt": SAID.alt,
        f"{DC}creator": SAID.author,
        f"{DC}rights": SAID.licence,
        "{http://ns.adobe.com/xap/1.0/rights/}WebStatement": SAID.licence_url,
        f"{DC}source": SAID.source,
        f"{OURS}data": SAID.data,
        f"{OURS}data_sha256": SAID.data_sha256,
        f"{OURS}engine_version": SAID.engine_version,
        f"{OURS}seed": SAID.seed,
        f"{OURS}rounds": SAID.rounds,
        f"{CC}license": "",
    }
    licence = rdf.find(f".//{CC}license")
    assert licence is not None
    assert licence.attrib == {f"{RDF}resource": SAID.licence_url}

    bare = ElementTree.fromstring(drawing("svg"))
    assert len(root.findall(f".//{SVG}metadata")) == len(bare.findall(f"{SVG}metadata")) == 1
    assert list(map(ElementTree.tostring, picture)) == list(map(ElementTree.tostring, bare[1:]))


def test_what_matplotlib_says_in_an_svg_is_replaced() -> None:
    titled = drawing("svg").replace(b" <metadata>", b" <title>Old</title>\n <metadata>", 1)
    assert with_imprint(titled, SAID) == imprinted("svg")


def opened(content: bytes) -> PngImageFile:
    image = Image.open(BytesIO(content))
    image.load()
    assert isinstance(image, PngImageFile)
    return image


def test_png() -> None:
    image = opened(imprinted("png"))
    texts = dict(image.text)
    xmp = ElementTree.fromstring(texts.pop("XML:com.adobe.xmp"))
    assert properties(xmp[0])[f"{DC}title"] == SAID.title
    assert texts.pop("Seal").startswith("SHA-256 of all bytes of this file but these: ")
    assert texts == {
        "slug": SAID.slug,
        "Title": SAID.title,
        "Description": SAID.description,
        "alt": SAID.alt,
        "Author": SAID.author,
        "Copyright": SAID.licence,
        "licence_url": SAID.licence_url,
        "Source": SAID.source,
        "data": SAID.data,
        "data_sha256": SAID.data_sha256,
        "engine_version": SAID.engine_version,
        "seed": SAID.seed,
        "rounds": SAID.rounds,
    }
    bare = opened(drawing("png"))
    assert image.tobytes() == bare.tobytes()
    assert image.info["dpi"] == bare.info["dpi"]
    with Image.open(BytesIO(imprinted("png"))) as checked:
        checked.verify()  # the check sum of every chunk


def information(content: bytes) -> dict[str, str]:
    found = PdfReader(BytesIO(content), strict=True).metadata
    assert found is not None
    return {name: str(text) for name, text in found.items()}


def test_pdf() -> None:
    reader = PdfReader(BytesIO(imprinted("pdf")), strict=True)
    assert reader.pdf_header == "%PDF-1.4"
    assert information(imprinted("pdf")) == {
        "/Title": SAID.title,
        "/Author": SAID.author,
        "/Subject": SAID.description,
        "/Keywords": "speculative decoding, convergence-near",
        "/slug": SAID.slug,
        "/alt": SAID.alt,
        "/licence": SAID.licence,
        "/licence_url": SAID.licence_url,
        "/source": SAID.source,
        "/data": SAID.data,
        "/data_sha256": SAID.data_sha256,
        "/engine_version": SAID.engine_version,
        "/seed": SAID.seed,
        "/rounds": SAID.rounds,
    }
    assert str(reader.root_object["/Lang"]) == "en"
    assert "/ID" not in reader.trailer
    xmp = reader.xmp_metadata
    assert xmp is not None
    assert xmp.dc_title == {"x-default": SAID.title}
    assert xmp.dc_creator == [SAID.author]
    assert xmp.dc_rights == {"x-default": SAID.licence}


def test_the_text_of_a_pdf_can_be_selected_and_its_outlines_are_fonts() -> None:
    (page,) = PdfReader(BytesIO(imprinted("pdf"))).pages
    (bare,) = PdfReader(BytesIO(drawing("pdf"))).pages
    assert "Drawn words" in page.extract_text()
    assert page.extract_text() == bare.extract_text()
    assert page.get_contents() == bare.get_contents()
    fonts = page["/Resources"]["/Font"].values()  # type: ignore[index]
    assert [font.get_object()["/Subtype"] for font in fonts] == ["/Type0"]


# Whatever the words.

HOSTILE = (
    "<script>alert(1)</script>",
    "]]> --> <!-- <![CDATA[ ?>",
    "</title></metadata></svg>",
    r"&amp; & $\foo$ \r \1 \g<0> ' \" ( ) %",
    "😀 日本 שלום \u202eabc\u2066",
    "x" * 400,
    "\x00\x07\x1b[31m\ud800\uffff",
    "\r\n\t a  b ",
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"></x:xmpmeta>',
    "\nstartxref\n0\n%%EOF\n",
    "þÿ",
    "",
)


def written(text: str) -> str:
    """Return what a file can hold: XML 1.0, production [2] Char, all else as its code point."""
    return "".join(
        each
        if each in "\t\n\r"
        or 0x20 <= ord(each) <= 0xD7FF
        or 0xE000 <= ord(each) <= 0xFFFD
        or ord(each) >= 0x10000
        else f"⟨U+{ord(each):04X}⟩"
        for each in text
    )


@settings(max_examples=40)
@given(st.text())
def test_any_words_survive_in_every_format(text: str) -> None:
    require_survival(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_words_that_mean_something_to_a_format_survive_too(text: str) -> None:
    require_survival(text)


def require_survival(text: str) -> None:
    """Write a text wherever it can be, and read it there by our reader and those of others."""
    whole = Read(replace(SAID, title=text, description=text, alt=text, slug=text), intact=True)
    title = written(text)
    assert whole.imprint.title == title
    files = {
        kind: imprinted(kind, title=text, description=text, alt=text, slug=text) for kind in FORMATS
    }
    assert {kind: read_imprint(content) for kind, content in files.items()} == dict.fromkeys(
        FORMATS, whole
    )
    svg = ElementTree.fromstring(files["svg"])
    assert [svg.findtext(f"{SVG}title"), svg.findtext(f"{SVG}desc")] == [title, title]
    assert len(list(svg)) == len(list(ElementTree.fromstring(imprinted("svg"))))
    assert opened(files["png"]).text["Title"] == title
    assert information(files["pdf"])["/Subject"] == title
    assert PdfReader(BytesIO(files["pdf"])).xmp_metadata is not None


# The seal.


@pytest.mark.parametrize("kind", FORMATS)
def test_the_seal_is_the_digest_of_everything_else(kind: str) -> None:
    content = imprinted(kind)
    (seal,) = re.finditer(rb"SHA-256 of all bytes of this file but these: ([0-9a-f]{64})", content)
    end = seal.end() + (4 if kind == "png" else 0)  # the check sum of its chunk
    rest = content[: seal.start(1)] + content[end:]
    assert hashlib.sha256(rest).hexdigest().encode() == seal[1]


@pytest.mark.parametrize("kind", FORMATS)
def test_no_byte_can_change_unnoticed(kind: str) -> None:
    """About 150 all over the file and all of the seal, each in three ways."""
    content = imprinted(kind)
    for position in {*range(0, len(content), len(content) // 150), *range(-180, 0)}:
        for change in (0x01, 0x20, 0x80):  # 0x20: between small letters and capitals
            changed = bytearray(content)
            changed[position] ^= change
            read = read_imprint(bytes(changed))
            assert read is None or not read.intact, f"{position}: {changed[position]:#x}"


@pytest.mark.parametrize("kind", FORMATS)
def test_no_word_can_change_unnoticed(kind: str) -> None:
    """In the imprint itself, a word is read as changed, and the seal does not hold."""
    assert read_imprint(imprinted(kind).replace(b"20230202", b"20230203")) == Read(
        replace(SAID, seed="20230203"), intact=False
    )


@pytest.mark.parametrize("kind", FORMATS)
def test_nothing_can_be_added_or_cut_off_unnoticed(kind: str) -> None:
    content = imprinted(kind)
    for changed in (content + b"\n", content + content, *(content[:n] for n in range(0, 4000, 97))):
        read = read_imprint(changed)
        assert read is None or not read.intact


@pytest.mark.parametrize("kind", FORMATS)
def test_a_file_that_lacks_a_word_is_not_intact_though_sealed(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "build_scripts.figures.imprint.asdict",
        lambda said: {name: text for name, text in asdict(said).items() if name != "seed"},
    )
    file = imprinted(kind)
    monkeypatch.undo()
    assert read_imprint(file) == Read(replace(SAID, seed=""), intact=False)


def test_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    code = (
        "import sys, json, hashlib\n"
        "from build_scripts.figures.imprint import Imprint, with_imprint\n"
        "said = Imprint(**json.loads(sys.argv[1]))\n"
        "for path in sys.argv[2:]:\n"
        "    file = with_imprint(open(path, 'rb').read(), said)\n"
        "    print(hashlib.sha256(file).hexdigest())"
    )
    said = json.dumps(asdict(SAID))
    for kind in FORMATS:
        (tmp_path / kind).write_bytes(drawing(kind))
    command = [sys.executable, "-c", code, said, *(str(tmp_path / kind) for kind in FORMATS)]
    for seed in ("1", "2"):
        digests = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        assert digests == [hashlib.sha256(imprinted(kind)).hexdigest() for kind in FORMATS]
