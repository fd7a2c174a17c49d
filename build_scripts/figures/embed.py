"""How SVG, PNG and PDF hold an imprint, and the seal that shows any later change.

What a file says is in it as RDF (see `rdf`), on which reading relies, and once more where programs
look first: ``<title>`` and ``<desc>`` of an SVG, text chunks of a PNG, document information of a
PDF.

The seal is the SHA-256 of the file without the 64 hexadecimal digits of the seal itself; in a PNG
also without the four bytes after them, a check sum that depends on them. It stands at the end: in
the comment that ends an SVG, before the chunk IEND of a PNG, before ``startxref`` at the end of a
PDF. It shows a change, not who made it: whoever changes a file on purpose can seal it again.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from abc import ABC, abstractmethod
from codecs import BOM_UTF16_BE
from collections.abc import Mapping
from io import BytesIO
from typing import TYPE_CHECKING, cast

from build_scripts.figures.rdf import escaped, rdf

if TYPE_CHECKING:
    from pypdf.generic import StreamObject

_SEALED_BY = b"SHA-256 of all bytes of this file but these: "

_XMP_START, _XMP_END = '<x:xmpmeta xmlns:x="adobe:ns:meta/">', "</x:xmpmeta>"


class Format(ABC):
    """A format of pictures."""

    def imprinted(self, drawing: bytes, said: Mapping[str, str]) -> bytes:
        """Return a drawing as a file that says all this, and is sealed."""
        return self._sealed(self._unsealed(drawing, said))

    def is_sealed(self, content: bytes) -> bool:
        """Say whether a file, whatever it is, is as it was when it was sealed."""
        end = self._seal_end(content)
        start = max(0, end - len(self._seal("0" * 64)))
        return self._sealed(content[:start] + content[end:]) == content

    def rdf_of(self, content: bytes) -> bytes:
        """Return the part of a file, whatever it is, where its RDF would be.

        A packet of XMP is made to be found without knowing the format around it.
        """
        start = content.find(_XMP_START.encode())
        end = content.find(_XMP_END.encode(), start)
        return content[start : end + len(_XMP_END)] if 0 <= start < end else b""

    def _sealed(self, unsealed: bytes) -> bytes:
        at = self._seal_end(unsealed)
        return unsealed[:at] + self._seal(hashlib.sha256(unsealed).hexdigest()) + unsealed[at:]

    @abstractmethod
    def _unsealed(self, drawing: bytes, said: Mapping[str, str]) -> bytes:
        """Return a file that says all this and only lacks the seal."""

    @abstractmethod
    def _seal_end(self, content: bytes) -> int:
        """Return where the seal of a file ends, or where it belongs if there is none yet."""

    def _seal(self, digest: str) -> bytes:
        """Return the bytes that the digest does not cover."""
        return digest.encode()


def format_of(content: bytes) -> Format:
    """Return the format of a file by how it begins; what is no PNG or PDF may be an SVG."""
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return _Png()
    return _Pdf() if content.startswith(b"%PDF-") else _Svg()


def _xmp(said: Mapping[str, str]) -> bytes:
    return (
        '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>\n'
        f'{_XMP_START}\n{rdf(said)}\n{_XMP_END}\n<?xpacket end="r"?>'
    ).encode()


class _Svg(Format):
    _HEAD = re.compile(
        rb"(<svg\b[^>]*)>\s*(?:<title>.*?</title>\s*)?(?:<metadata>.*?</metadata>\s*)?", re.DOTALL
    )
    """The start of the root, and what matplotlib has said about the drawing."""
    _END = b" -->\n"

    def rdf_of(self, content: bytes) -> bytes:
        return content

    def _unsealed(self, drawing: bytes, said: Mapping[str, str]) -> bytes:
        # No ids for aria-labelledby: they would collide where a page has a figure twice. As first
        # children of the root, title and desc are its name and description without.
        head = (
            ' role="img">\n'
            f" <title>{escaped(said['title'])}</title>\n"
            f" <desc>{escaped(said['alt'])}</desc>\n"
            f" <metadata>\n{rdf(said)}\n </metadata>\n "
        ).encode()
        begun, roots = self._HEAD.subn(lambda root: root[1] + head, drawing, count=1)
        if not roots:
            raise ValueError("expected a drawing as SVG, PDF or PNG")
        return begun + b"<!-- " + _SEALED_BY + self._END

    def _seal_end(self, content: bytes) -> int:
        return len(content) - len(self._END)


class _Png(Format):
    _HEAD = 8 + 25
    """Length of the signature and of the first chunk, IHDR."""
    _END = 12
    """Length of the last chunk, IEND."""
    _SEAL = b"tEXtSeal\0" + _SEALED_BY
    """How the chunk with the seal begins, after its length."""

    def _unsealed(self, drawing: bytes, said: Mapping[str, str]) -> bytes:
        named = {
            "title": "Title",
            "author": "Author",
            "description": "Description",
            "licence": "Copyright",
            "source": "Source",
        }
        texts = {named.get(name, name): text.encode() for name, text in said.items()}
        # XMP comes first: a title, which is not escaped here, might look like it.
        texts = {"XML:com.adobe.xmp": _xmp(said), **texts}
        return (
            drawing[: self._HEAD]
            # Not compressed (two zeros), in no named language, the keyword not translated.
            + b"".join(_chunk(b"iTXt", key.encode() + bytes(5) + texts[key]) for key in texts)
            + drawing[self._HEAD : -self._END]
            + (len(self._SEAL) - len(b"tEXt") + 64).to_bytes(4)
            + self._SEAL
            + drawing[-self._END :]
        )

    def _seal_end(self, content: bytes) -> int:
        return len(content) - self._END

    def _seal(self, digest: str) -> bytes:
        return digest.encode() + _check_sum(self._SEAL + digest.encode())


def _chunk(kind: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4) + kind + data + _check_sum(kind + data)


def _check_sum(chunk: bytes) -> bytes:
    return zlib.crc32(chunk).to_bytes(4)


class _Pdf(Format):
    def _unsealed(self, drawing: bytes, said: Mapping[str, str]) -> bytes:
        from pypdf import PdfWriter  # slow, and nothing that reads needs it
        from pypdf.generic import NameObject, TextStringObject

        writer = PdfWriter(clone_from=BytesIO(drawing))
        writer.pdf_header = drawing[:8].decode()
        named = {"title": "/Title", "author": "/Author", "description": "/Subject"}
        texts = {named.get(name, f"/{name}"): text for name, text in said.items()}
        writer.add_metadata({**texts, "/Keywords": f"speculative decoding, {said['slug']}"})
        for text in (writer.metadata or {}).values():
            # As UTF-16 always: in a shorter encoding, þÿ at the start would be taken for its mark.
            text.autodetect_utf16, text.utf16_bom = True, BOM_UTF16_BE
        root = writer.root_object
        root[NameObject("/Lang")] = TextStringObject("en")
        writer.xmp_metadata = _xmp(said)
        kind = {
            NameObject("/Type"): NameObject("/Metadata"),
            NameObject("/Subtype"): NameObject("/XML"),
        }
        cast("StreamObject", root["/Metadata"].get_object()).update(kind)
        file = BytesIO()
        writer.write(file)
        body, mark, end = file.getvalue().rpartition(b"startxref")
        return body + b"% " + _SEALED_BY + b"\n" + mark + end

    def _seal_end(self, content: bytes) -> int:
        return content.rfind(b"\nstartxref")
