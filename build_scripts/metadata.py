"""What the page of a figure tells search engines and reference managers about it."""

from __future__ import annotations

import json

from build_scripts.figures.files import FORMATS, Drawn
from build_scripts.work import CONTENT_LICENCE, CONTENT_LICENCE_URL, Work, page_path

_MEDIA = {
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "png": "image/png",
    "slide": "image/png",
    "csv": "text/csv",
    "json": "application/json",
}
_IN_HTML = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


def json_ld(drawn: Drawn, work: Work) -> str:
    """Return a figure in the terms of schema.org, as JSON that HTML takes for nothing else.

    While the site has no address, those of files are relative to the page.
    """
    document = {
        "@context": "https://schema.org",
        "@graph": [_image(drawn, work), _lesson(drawn, work)],
    }
    text = json.dumps(document, ensure_ascii=False)
    return "".join(_IN_HTML.get(character, character) for character in text)


def _image(drawn: Drawn, work: Work) -> dict[str, object]:
    figure = drawn.figure
    width, height = drawn.size
    return {
        "@type": "ImageObject",
        "@id": "#figure",
        "identifier": figure.slug,
        "name": figure.name,
        "caption": figure.caption,
        "description": figure.alt,
        "contentUrl": _address(drawn, "svg", work),
        "encodingFormat": _MEDIA["svg"],
        "width": f"{width} px",
        "height": f"{height} px",
        "encoding": [
            {
                "@type": "MediaObject",
                "contentUrl": _address(drawn, name, work),
                "encodingFormat": _MEDIA[name],
                "contentSize": f"{len(drawn.files[name])} B",
            }
            for name in ("pdf", "png", "slide")
            if name in drawn.files
        ],
        **_common(work),
        "creditText": work.credit,
        "copyrightNotice": f"© {work.author}, {CONTENT_LICENCE}",
        "acquireLicensePage": work.at("cite/") or "../../cite/index.html",
    }


def _lesson(drawn: Drawn, work: Work) -> dict[str, object]:
    return {
        "@type": "LearningResource",
        "name": drawn.figure.title,
        "description": drawn.figure.caption,
        "learningResourceType": "figure",
        "about": "speculative decoding",
        "hasPart": {"@id": "#figure"},
        "isAccessibleForFree": True,
        **({"url": work.at(page_path(drawn.figure.slug))} if work.address else {}),
        **({"archivedAt": work.cited_at(page_path(drawn.figure.slug))} if work.kept else {}),
        **_common(work),
    }


def _common(work: Work) -> dict[str, object]:
    return {
        "creator": {"@type": "Organization", "name": work.author},
        "license": CONTENT_LICENCE_URL,
        "datePublished": work.released.isoformat(),
        "version": work.version,
        "inLanguage": "en",
        "isPartOf": {
            "@type": "WebSite",
            "name": work.title,
            **({"url": work.address} if work.address else {}),
        },
    }


def _address(drawn: Drawn, name: str, work: Work) -> str:
    return work.at(drawn.path(name)) or f"../{drawn.figure.slug}{FORMATS[name]}"


def citation_tags(drawn: Drawn, work: Work) -> dict[str, str]:
    """Return what reference managers read from a page, by the name of the ``meta`` element."""
    figure = drawn.figure
    tags = {
        "citation_title": figure.name,
        "citation_author": work.author,
        "citation_publication_date": f"{work.released:%Y/%m/%d}",
        "citation_inbook_title": work.title,
        "citation_language": "en",
    }
    if work.address:
        tags["citation_public_url"] = work.cited_at(page_path(figure.slug))
        if "pdf" in drawn.files:
            tags["citation_pdf_url"] = work.cited_at(drawn.path("pdf"))
    return tags
