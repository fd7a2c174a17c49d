"""Numbers and lists as text: the one place that rounds, and the one place that words.

Every function returns text that is safe wherever a page puts it: in HTML, in an attribute, or in
Markdown (see `inert`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from html import escape, unescape
from math import floor, log10

from markupsafe import Markup

_MARKDOWN_OR_HTML = re.compile(r"""[\\`*_{}\[\]()#!|$<>&"'~^=:@%.]|^[-+ ]""")
_DIRECTION_MARKS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_ISOLATES = re.compile("[\u2066-\u2068]|\u2069")
# fmt: off
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_CARDINALS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
              "eleven", "twelve")
_ORDINALS = ("zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth",
             "ninth", "tenth", "eleventh", "twelfth")
# fmt: on


def inert(text: str) -> Markup:
    """Return ``text`` so that neither Markdown nor HTML sees more in it than characters.

    Everything that either could read as markup becomes a numeric character reference, which both
    leave alone.

    >>> inert("a|b *it* <script>")
    Markup('a&#124;b &#42;it&#42; &#60;script&#62;')
    """
    return Markup(_MARKDOWN_OR_HTML.sub(lambda match: f"&#{ord(match[0])};", text))


def plain(text: Markup) -> str:
    """Return what a reader sees of inert text: no tags, references resolved, spaces kept.

    >>> plain(quoted("a|b <i>"))
    '“a|b <i>”'
    """
    return unescape(re.sub(r"<[^>]*>", "", text))


def isolated(text: str) -> str:
    """Return ``text`` such that no mark in it turns the writing around it.

    The characters that override or embed a direction (U+202A to U+202E, U+2066 to U+2069) reach
    no further than the isolate put around a text that has one.
    """
    if not _DIRECTION_MARKS.search(text):
        return text
    ends, opened = _unmatched(text)
    return "\u2068" * (ends + 1) + text + "\u2069" * (opened + 1)


def _unmatched(text: str) -> tuple[int, int]:
    """Return how many ends of isolates in ``text`` end none of its own, and how many stay open.

    Such an end would end the isolate around the text, and what stays open would swallow its end.
    """
    ends = opened = 0
    for mark in _ISOLATES.findall(text):
        if mark != "\u2069":
            opened += 1
        elif opened:
            opened -= 1
        else:
            ends += 1
    return ends, opened


def read_twice(text: str) -> Markup:
    """Return ``text`` inert for an attribute of an element with ``markdown="1"``.

    Markdown reads such an attribute as HTML, and writes the ``&amp;`` that it finds as it is.

    >>> read_twice("&amp;")
    Markup('&#38;&#35;38;amp;')
    """
    return inert(inert(isolated(text)))


def attribute(text: str) -> str:
    """Return ``text`` as the value of an attribute in HTML that a page shows, to be copied.

    >>> attribute('" onclick="x')
    '&quot; onclick=&quot;x'
    """
    return escape(isolated(text))


def token(value: object) -> Markup:
    """Return a token as an element of its own, its spaces kept, its direction isolated."""
    text = str(value)
    ends, opened = _unmatched(text)  # browsers isolate an element by such characters
    around = "\u2068" * ends, "\u2069" * (ends + opened)
    return Markup('{}<bdi class="token">{}</bdi>{}').format(around[0], inert(text), around[1])


def quoted(value: object) -> Markup:
    """Return a token in quotation marks, for a sentence."""
    return Markup("“{}”").format(token(value))


def titled(title: str) -> str:
    """Return a title in quotation marks, for a sentence; its direction is isolated.

    >>> titled("A draft")
    '“A draft”'
    """
    return f"“{isolated(title)}”"


def exact(value: Fraction | int) -> str:
    """Return a computed result, reduced: ``1/2``.

    >>> exact(Fraction(4, 8))
    '1/2'
    """
    return str(Fraction(value))  # which refuses None


def divisor(value: Fraction | int) -> str:
    """Return a computed result that something is divided by: ``(3/2)``, ``2``.

    >>> divisor(Fraction(3, 2)), divisor(Fraction(2))
    ('(3/2)', '2')
    """
    shown = exact(value)
    return f"({shown})" if "/" in shown else shown


def over(value: Fraction, denominator: int) -> str:
    """Return an input over the denominator of its file: ``4/8``; 0 stays ``0``.

    >>> over(Fraction(1, 2), 8), over(Fraction(0), 8)
    ('4/8', '0')
    """
    numerator = value * denominator
    if numerator.denominator != 1:
        raise ValueError(f"expected a multiple of 1/{denominator}, got {value}")
    return f"{numerator}/{denominator}" if numerator else "0"


def decimal(value: Fraction | float, places: int = 2) -> str:
    """Round exactly, half away from zero: ``2.33``. A float counts as the fraction that it is.

    Never by way of a float: 1.005 in floats is 1.00499…, and rounds to the wrong side.

    >>> decimal(Fraction(201, 200)), decimal(Fraction(-1, 8)), decimal(3, 0)
    ('1.01', '-0.13', '3')
    """
    scaled = abs(Fraction(value)) * 10**places
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    sign = "-" if value < 0 and whole else ""
    digits = f"{whole:0{places + 1}}"
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else sign + digits


def rounded(value: Fraction | int, places: int = 2) -> str:
    """Return a result rounded, and shorter where it ends there.

    >>> rounded(Fraction(7, 3)), rounded(Fraction(3, 2)), rounded(Fraction(3))
    ('2.33', '1.5', '3')
    """
    shown = decimal(value, places)
    return shown.rstrip("0").rstrip(".") if Fraction(shown) == value else shown


def near(value: Fraction, places: int = 2) -> str:
    """Return a result rounded; what would round to 0 has a power of ten, if it is not 0.

    >>> near(Fraction(7, 3)), near(Fraction(1, 1_500_000)), near(Fraction(0))
    ('2.33', '6.7 × 10⁻⁷', '0')
    """
    shown = rounded(value, places)
    return shown if Fraction(shown) or not value else scientific(value)


def about(value: Fraction | int, places: int = 2) -> Markup:
    """Return a result exactly and rounded: ``7/3 ≈ 2.33``, ``3/2 = 1.5``, ``2``."""
    if Fraction(value).denominator == 1:
        return Markup(exact(value))
    shown = rounded(value, places)
    equal = Fraction(shown) == value
    return Markup('<span class="number">{} {} {}</span>').format(
        exact(value), "=" if equal else "≈", shown
    )


def times(value: Fraction | int, places: int = 2) -> str:
    """Return a rounded factor: ``2.33×``; what would round to 0 has a power of ten.

    >>> times(Fraction(7, 3)), times(2), times(Fraction(1, 4000)), times(0)
    ('2.33×', '2.00×', '2.5 × 10⁻⁴×', '0.00×')
    """
    shown = decimal(value, places)
    return f"{shown if Fraction(shown) or not value else scientific(value)}×"


def percent(value: Fraction, places: int = 0) -> str:
    """Return a rounded percentage: ``56%``."""
    return f"{decimal(value * 100, places)}%"


def number(value: int) -> str:
    """Return a small whole number as a word, a larger one in digits with thin separators.

    >>> number(5), number(5000)
    ('five', '5,000')
    """
    return _CARDINALS[value] if 0 < value < len(_CARDINALS) else f"{value:,}"


def grouped(value: int) -> str:
    """Return a whole number in digits with thin separators: ``1,000,000``."""
    return f"{value:,}"


def scientific(value: Fraction | float) -> str:
    """Return a small number to two digits, with a power of ten.

    >>> scientific(Fraction(1, 7_000_000)), scientific(Fraction(1, 10**6))
    ('1.4 × 10⁻⁷', '1.0 × 10⁻⁶')
    """
    digits, _, power = f"{float(value):.1e}".partition("e")
    return f"{digits} × 10{str(int(power)).translate(_SUPERSCRIPTS)}"


def signed(difference: Fraction, text: str) -> str:
    """Return what a number without its sign was worded as, with its sign: ``−1/8``, ``+1/8``."""
    return ("−" if difference < 0 else "+" if difference else "") + text


def p_value(value: float) -> str:
    """Return a chance to three places; one that would round to 0 is said to be small.

    >>> p_value(0.2004), p_value(1e-5)
    ('0.200', '< 0.001')
    """
    return decimal(value, 3) if value >= 0.0005 else "< 0.001"


def digits(value: float) -> str:
    """Return a measured number to three digits: ``1.66``, ``29.1``, ``4,640``.

    >>> digits(1.657), digits(29.12), digits(4636)
    ('1.66', '29.1', '4,640')
    """
    places = max(0, 2 - floor(log10(value))) if value > 0 else 0
    return f"{float(f'{value:.3g}'):,.{places}f}"


def duration(nanoseconds: float) -> str:
    """Return a measured time to three digits, in the unit that suits it.

    >>> duration(60.5), duration(1763), duration(6.05e9)
    ('60.5 ns', '1.76 µs', '6.05 s')
    """
    units = ("ns", "µs", "ms", "s")
    step = min(3, max(0, floor(log10(nanoseconds) / 3))) if nanoseconds > 0 else 0
    return f"{digits(nanoseconds / 1000**step)} {units[step]}"


def megabytes(size: int) -> str:
    """Return the size of a file in bytes to three digits.

    >>> megabytes(12_067_904), megabytes(1391)
    ('12.1 MB', '0.00139 MB')
    """
    return f"{digits(size / 10**6)} MB"


def count(value: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun: ``one token``, ``five tokens``, ``no tokens``.

    >>> count(1, "pass", "passes"), count(0, "token"), count(8, "frame")
    ('one pass', 'no tokens', 'eight frames')
    """
    spelled = number(value) if value else "no"
    return f"{spelled} {noun if value == 1 else plural or noun + 's'}"


def unit(value: Fraction | int, noun: str) -> str:
    """Return a noun as it stands after a number: in the singular after exactly 1.

    >>> unit(1, "token"), unit(Fraction(3, 2), "token"), unit(0, "target step")
    ('token', 'tokens', 'target steps')
    """
    return noun if value == 1 else f"{noun}s"


def every(value: int, noun: str) -> str:
    """Return all of a number of things: ``the one row``, ``both rows``, ``all five rows``.

    >>> every(1, "row"), every(2, "row"), every(5, "row")
    ('the one row', 'both rows', 'all five rows')
    """
    return {1: f"the one {noun}", 2: f"both {noun}s"}.get(value, f"all {count(value, noun)}")


def ordinal(value: int) -> str:
    """Return ``first``, ``second`` … for small numbers, ``13th`` beyond.

    >>> ordinal(3), ordinal(13), ordinal(21)
    ('third', '13th', '21st')
    """
    if 0 <= value < len(_ORDINALS):
        return _ORDINALS[value]
    teens = value % 100 in (11, 12, 13)
    return f"{value}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(value % 10, 'th')}"


def parts(denominator: int) -> str:
    """Return what the parts of a whole are called: ``eighths``, ``21sts``.

    >>> parts(8), parts(2), parts(4)
    ('eighths', 'halves', 'quarters')
    """
    return {1: "ones", 2: "halves", 4: "quarters"}.get(denominator, ordinal(denominator) + "s")


def listing(items: Iterable[object], *, last: str = "and") -> Markup:
    """Join items as a sentence does: ``a, b and c``.

    >>> listing(["a", "b", "c"]), listing(["a"], last="or")
    (Markup('a, b and c'), Markup('a'))
    """
    parts = [part if isinstance(part, Markup) else inert(str(part)) for part in items]
    if len(parts) < 2:
        return Markup("").join(parts)
    return Markup(", ").join(parts[:-1]) + Markup(" {} ").format(last) + parts[-1]


def link(text: str, path: str) -> Markup:
    """Return a Markdown link; ``path`` is relative to the page that shows it."""
    return Markup("[{}]({})").format(inert(isolated(text)), Markup(path))  # paths are ours


def image(alt: str, path: str) -> Markup:
    """Return a Markdown image; ``path`` is relative to the page that shows it."""
    return Markup("!") + link(alt, path)


def capitalised(text: str) -> str:
    """Return ``text`` with its first letter in upper case."""
    return text[:1].upper() + text[1:]
