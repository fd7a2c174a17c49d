r"""TeX in, MathML out: what shows, what is refused, and what a built page then holds."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import unicodedata
from pathlib import Path
from xml.etree import ElementTree

import markdown
import pytest

from build_scripts.mathml import CLASSES, DISPLAY_CLASS, PRIME_CLASS, MathError, tex_to_mathml
from tests.html_checks import find_leftovers

REPOSITORY = Path(__file__).parents[1]
STYLES = (REPOSITORY / "docs/stylesheets/maths.css").read_text(encoding="utf-8")
FONT = REPOSITORY / "docs/fonts/specdec-math.woff2"

FORMULAS = [
    pytest.param(r"\min\!\left(1, \frac{p(x)}{q(x)}\right)", id="accept probability"),
    pytest.param(
        r"p'(x) = \frac{\max(0,\, p(x)-q(x))}{Z},\qquad"
        r" Z = \sum_y \max(0,\, p(y)-q(y)) = 1-\alpha",
        id="residual and its mass",
    ),
    pytest.param(
        r"\mathbb{E}[N] = 1 + \sum_{j=1}^{k}\prod_{i=1}^{j}\alpha_i", id="expected tokens"
    ),
    pytest.param(r"\min(p,q)+\max(0,p-q)=p", id="the identity"),
    pytest.param(
        r"\begin{cases} 1 & \text{if } p \ge q \\ \tfrac{p}{q} & \text{otherwise} \end{cases}",
        id="cases",
    ),
    pytest.param(
        r"\begin{aligned} a &= b + c \\ &= d \times e \\ &= \gamma \cdot f \end{aligned}",
        id="aligned in three lines",
    ),
    pytest.param(r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", id="matrix"),
    pytest.param(r"\left\{ \begin{matrix} a \\ b \end{matrix} \right.", id="one-sided brace"),
    pytest.param(r"\left\lfloor \frac{a}{b} \right\rfloor \lceil x \rceil", id="floor, ceiling"),
    pytest.param(r"P(A \mid B) \quad \mathrm{TV}(p, q)", id="bar and upright words"),
    pytest.param(r"\hat{p}, \bar{x}, f'', p'_i, \ell \to \infty", id="hats and primes"),
    pytest.param(r"\operatorname{Var}(N)", id="a named operator"),
    pytest.param(r"\Pr(N = n) \le 1", id="probability"),
    pytest.param(r"\text{target}(x)", id="words"),
    pytest.param(r"\frac{64267}{16384}", id="an exact fraction"),
]


def render(source: str, *more: str) -> str:
    """Return ``source`` as a page renders it."""
    extensions = ["build_scripts.mathml", "tables", "footnotes", "attr_list", "toc", *more]
    return markdown.markdown(source, extensions=extensions)


def shown(html: str) -> str:
    """Return the text a reader sees: no tags, no annotations, no invisible operators."""
    html = re.sub(r"<annotation.*?</annotation>", "", html, flags=re.DOTALL)
    return re.sub(r"<[^>]*>|[\u2061-\u2064]", "", html).strip()


@pytest.mark.parametrize("display", [False, True], ids=["in the line", "on its own line"])
@pytest.mark.parametrize("tex", FORMULAS)
def test_every_formula_is_xml_without_inline_style(tex: str, display: bool) -> None:
    html = tex_to_mathml(tex, display=display)
    root = ElementTree.fromstring(html)
    math = root if root.tag == "math" else root[0]
    assert math.get("display") == ("block" if display else None)
    assert [element for element in root.iter() if "style" in element.attrib] == []
    assert find_leftovers(html) == []
    annotation = math.find("semantics/annotation[@encoding='application/x-tex']")
    assert annotation is not None
    assert annotation.text == tex


@pytest.mark.parametrize("tex", FORMULAS)
def test_font_covers_every_character(tex: str) -> None:
    math = ElementTree.fromstring(tex_to_mathml(tex, display=False))
    annotation = math.find("semantics/annotation")
    assert annotation is not None
    annotation.text = None
    missing = {char for char in "".join(math.itertext()) if ord(char) not in font_coverage()}
    assert missing == set()


def font_coverage() -> set[int]:
    """Return the characters maths.css says the font has; the font was made from that list."""
    ranges = re.search(r"unicode-range: ([^;]*);", STYLES)
    assert ranges is not None
    covered: set[int] = set()
    for entry in ranges[1].split(", "):
        first, _, last = entry.removeprefix("U+").partition("-")
        covered.update(range(int(first, 16), int(last or first, 16) + 1))
    # Browsers show a lone letter in mi as its mathematical italic: α as U+1D6FC.
    italics = {ord(unicodedata.normalize("NFKC", chr(code))) for code in covered if code > 0xFFFF}
    return covered | italics


def test_font_is_small_and_licensed() -> None:
    assert FONT.stat().st_size <= 30_000
    assert "SIL OPEN FONT LICENSE Version 1.1" in (FONT.parent / "OFL.txt").read_text("utf-8")


@pytest.mark.parametrize("name", sorted({*CLASSES.values(), PRIME_CLASS, DISPLAY_CLASS}))
def test_style_sheet_has_a_rule_for_each_class(name: str) -> None:
    assert re.search(rf"\.{name} [^{{}}]*{{", STYLES)


@pytest.mark.parametrize(
    ("tex", "message"),
    [
        pytest.param(
            r"\foo + 1",
            r'$\foo + 1$: Unknown command "\foo", at character 1',
            id="an unknown command is named",
        ),
        pytest.param(
            "a\n  + \\frac{b}",
            r"$a + \frac{b}$: Expected argument but reached end of input, at character 13",
            id="TeX of several lines is quoted on one",
        ),
        pytest.param(
            "αβ }",
            '$αβ }$: Unmatched closing token: "}", at character 4',
            id="places count characters, not bytes",
        ),
        pytest.param("  ", "$$: empty formula", id="an empty formula is refused"),
        pytest.param(
            r"\color{red}{x}",
            r"$\color{red}{x}$: needs the inline style “color:#FF0000”, not allowed",
            id="a style without a class is refused",
        ),
        pytest.param(
            r"\boxed{x}",
            r"$\boxed{x}$: boxes and strikes (menclose) do not show in every browser",
            id="what browsers do not draw is refused",
        ),
        pytest.param(
            r"\begin{aligned} a \\[4pt] b \end{aligned}",
            r"$\begin{aligned} a \\[4pt] b \end{aligned}$:"
            r" row spacing \\[4pt] would be printed, not obeyed",
            id="row spacing is refused",
        ),
    ],
)
def test_errors_quote_the_tex_in_one_line(tex: str, message: str) -> None:
    with pytest.raises(MathError) as caught:
        tex_to_mathml(tex, display=True)
    assert str(caught.value) == message


def test_apply_function_is_a_character() -> None:
    assert "\u2061" in tex_to_mathml(r"\max x", display=False)


def test_display_formula_can_be_scrolled_from_the_keyboard() -> None:
    wrapper = ElementTree.fromstring(tex_to_mathml("x", display=True))
    assert wrapper.tag == "div"
    assert wrapper.attrib == {
        "class": "tex-display",
        "role": "group",
        "aria-label": "Formula",
        "tabindex": "0",
    }


def test_tex_is_escaped_for_html() -> None:
    html = tex_to_mathml(r"a < b \text{<img onerror=x>}", display=False)
    assert "<img" not in html
    assert r"a &lt; b \text{&lt;img onerror=x&gt;}</annotation>" in html


@pytest.mark.parametrize(
    ("source", "text"),
    [
        pytest.param("a $x$ b", "a x b", id="in a paragraph"),
        pytest.param("- a $x$\n- b", "a x\nb", id="in a list"),
        pytest.param("> a $x$", "a x", id="in a quote"),
        pytest.param("|a|b|\n|-|-|\n|$x$|$y$|", "a\nb\n\n\n\n\nx\ny", id="in a table"),
        pytest.param("**$x$** *a $y$*", "x a y", id="in bold and italics"),
        pytest.param("[$x$](#x)", "x", id="in a link"),
        pytest.param("$a<b$ and $c>d$", "a&lt;b and c&gt;d", id="with less than"),
        pytest.param(r"$\frac{{a}}{b}$", "ab", id="with double braces"),
        pytest.param("$$a<b$$", "a&lt;b", id="on a line of its own"),
        pytest.param("- a\n\n    $$x$$", "a\nx", id="on a line of its own in a list"),
        pytest.param("> $$x$$", "x", id="on a line of its own in a quote"),
    ],
)
def test_formulas_show(source: str, text: str) -> None:
    html = render(source)
    assert shown(html) == text
    assert "<math" in html
    assert find_leftovers(html) == []


@pytest.mark.parametrize(
    ("source", "html"),
    [
        pytest.param(r"`$\alpha$`", r"<p><code>$\alpha$</code></p>", id="code"),
        pytest.param("    $$x$$", "<pre><code>$$x$$\n</code></pre>", id="a code block"),
        pytest.param(r"costs \$5", "<p>costs $5</p>", id="an escaped dollar"),
        pytest.param("$5 and $6", "<p>$5 and $6</p>", id="two prices"),
        pytest.param(r"\frac{{a}}{b} {#x}", r"<p>\frac{{a}}{b} {#x}</p>", id="braces"),
    ],
)
def test_other_text_is_left_alone(source: str, html: str) -> None:
    assert render(source) == html


def test_formula_in_a_footnote_shows() -> None:
    assert "<mi>α</mi>" in render("a[^1]\n\n[^1]: With $\\alpha$.")


def test_abbreviations_do_not_reach_into_formulas() -> None:
    html = render("$\\operatorname{Var}(N)$ Var\n\n*[Var]: Variance", "abbr")
    assert html.count("<abbr") == 1
    assert "<mi>Var</mi>" in html


def test_punctuation_stays_with_its_formula() -> None:
    html = render("If $x$, then $y$ holds.")
    assert re.search(r'<span class="tex-nowrap"><math>.*?</math>,</span> then <math>', html)


def test_headings_carry_neither_tex_nor_invisible_operators() -> None:
    html = render(r"## Law of $\max(0, \alpha)$")
    assert "<annotation" not in html
    assert re.sub(r"<[^>]*>", "", html) == "Law of max(0,α)"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        pytest.param(
            "a $\\foo$ b", r'$\foo$: Unknown command "\foo", at character 1', id="in the line"
        ),
        pytest.param(
            "$$\nx < \\foo\n$$",
            r'$x < \foo$: Unknown command "\foo", at character 5',
            id="on its own line",
        ),
        pytest.param(
            "a\n$$x$$\nb",
            "$x$: $$ needs a blank line before and after its formula",
            id="a display formula inside a paragraph",
        ),
    ],
)
def test_markdown_with_a_wrong_formula_fails(source: str, message: str) -> None:
    with pytest.raises(MathError) as caught:
        render(source)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("html", "found"),
    [
        pytest.param("<p>a $$ b</p>", ["line 1: $$ b"], id="two dollars"),
        pytest.param("<p>\na $x$ b</p>", ["line 2: $x$"], id="a formula in raw HTML"),
        pytest.param("<td>$P(A</td><td>B)$</td>", ["line 1: $P(A", "line 1: $"], id="a bar"),
        pytest.param(r"<p>\(x\)</p>", ["line 1: \\(", "line 1: \\)"], id="round delimiters"),
        pytest.param(r"<p>\[x\]</p>", ["line 1: \\[", "line 1: \\]"], id="square delimiters"),
        pytest.param(r'<img alt="\alpha">', ["line 1: \\alpha"], id="TeX in alternative text"),
        pytest.param(r"<title>$\alpha$</title>", ["line 1: $\\alpha$"], id="TeX in a title"),
        pytest.param("<p>$5 to $6</p>", [], id="prices are fine"),
        pytest.param(r"<pre>$x$ \frac</pre> <code>\(</code>", [], id="code is fine"),
        pytest.param(r"<math><annotation>\frac</annotation></math>", [], id="the source is fine"),
    ],
)
def test_leftovers_are_found(html: str, found: list[str]) -> None:
    assert find_leftovers(html) == found


CONFIG = """\
site_name: Maths
theme: {name: material, font: false}
plugins: [search]
markdown_extensions: [build_scripts.mathml, tables, footnotes, {toc: {permalink: true}}]
"""
PAGE = r"""# The law of $\alpha$

With $\frac{1}{2}$ and $\operatorname{Var}(N)$.

## Cost of $\max(0, p)$

$$\mathbb{E}[N] = 1$$
"""


def mkdocs_build(folder: Path, page: str) -> subprocess.CompletedProcess[str]:
    """Build a site of one page, strictly, in a process of its own."""
    (folder / "docs").mkdir()
    (folder / "docs/index.md").write_text(page, encoding="utf-8")
    (folder / "docs/other.md").write_text("# Other\n", encoding="utf-8")
    (folder / "mkdocs.yml").write_text(CONFIG, encoding="utf-8")
    program = (
        "import sys; sys.path.insert(0, sys.argv.pop(1)); from mkdocs.__main__ import cli; cli()"
    )
    return subprocess.run(
        [sys.executable, "-c", program, str(REPOSITORY), "build", "--strict"],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_built_site_has_clean_titles_and_search_index(tmp_path: Path) -> None:
    built = mkdocs_build(tmp_path, PAGE)
    assert built.returncode == 0, built.stderr
    html = (tmp_path / "site/other/index.html").read_text(encoding="utf-8")
    assert "The law of α" in html  # the menu entry, made from the page's title
    html = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    assert find_leftovers(html) == []
    assert 'aria-label="Formula"' in html
    contents = re.findall(r'<span class="md-ellipsis">\s*(.*?)\s*</span>', html, re.DOTALL)
    assert "Cost of max(0,p)" in contents
    index = json.loads((tmp_path / "site/search/search_index.json").read_text(encoding="utf-8"))
    assert [(entry["title"], entry["text"]) for entry in index["docs"][:2]] == [
        ("The law of α", "<p>With 12 and Var\u2061(N).</p>"),
        ("Cost of max(0,p)", ""),
    ]


def test_wrong_formula_fails_the_build_in_a_line_that_follows_the_page(tmp_path: Path) -> None:
    built = mkdocs_build(tmp_path, "# Page\n\nHere is $\\foo$.\n")
    assert built.returncode == 1
    assert "Traceback" not in built.stderr
    lines = [line for line in built.stderr.splitlines() if line.startswith("ERROR")]
    assert lines == [
        "ERROR   -  Error reading page 'index.md':",
        r'ERROR   -  $\foo$: Unknown command "\foo", at character 1',
    ]
