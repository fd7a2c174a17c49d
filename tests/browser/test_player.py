"""The player as a person meets it: controls, keys, links, and what stays still."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import ADDRESS, NOTE_WHAT_MOVES, Open, until
from tests.site_checks import BuiltSite

DIVERGENT = "profiles/divergent.html"

ALONE = "profiles/divergent/embed/index.html"
"""The same player with nothing around it, where the theme does not matter."""


def player(page: Page, profile: str = "divergent") -> Locator:
    return page.locator(f"specdec-player[data-profile={profile}]")


def button(page: Page, name: str, profile: str = "divergent") -> Locator:
    return player(page, profile).get_by_role("button", name=name, exact=True)


def current(page: Page, profile: str = "divergent") -> str:
    """Return the id of the one frame that is shown."""
    frames = player(page, profile).locator(".frame")
    shown = [
        frame.get_attribute("id")
        for frame in frames.all()
        if frame.evaluate("e => getComputedStyle(e).visibility") == "visible"
    ]
    assert len(shown) == 1, shown
    return shown[0] or ""


def fragment(page: Page) -> str:
    found: str = page.evaluate("location.hash")
    return found


def test_it_is_a_group_named_after_its_profile(open_page: Open) -> None:
    page = open_page(ALONE)
    expect(page.get_by_role("group", name="A divergent draft")).to_have_count(1)


def test_it_starts_at_the_first_frame_and_does_not_play_by_itself(open_page: Open) -> None:
    page = open_page(ALONE)
    page.wait_for_timeout(3000)
    assert current(page) == "divergent-1"
    assert fragment(page) == ""


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["Next"], "divergent-2"),
        (["Next", "Next", "Previous"], "divergent-2"),
        (["Last"], "divergent-5"),
        (["Last", "Next"], "divergent-5"),
        (["Last", "First"], "divergent-1"),
        (["Previous"], "divergent-1"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_buttons(open_page: Open, names: list[str], shown: str) -> None:
    page = open_page(ALONE)
    for name in names:
        button(page, name).click(force=True)  # at an end it is marked disabled, and harmless
        expect(button(page, name)).to_be_focused()  # a step moves no focus
    assert current(page) == shown
    assert fragment(page) == f"#{shown}"


@pytest.mark.parametrize(
    ("keys", "shown"),
    [
        (["ArrowRight"], "divergent-2"),
        (["ArrowRight", "ArrowRight", "ArrowLeft"], "divergent-2"),
        (["End"], "divergent-5"),
        (["End", "Home"], "divergent-1"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_keys_while_focus_is_inside(open_page: Open, keys: list[str], shown: str) -> None:
    page = open_page(ALONE)
    button(page, "First").focus()
    for key in keys:
        page.keyboard.press(key)
    assert current(page) == shown


def test_keys_do_nothing_while_focus_is_elsewhere(open_page: Open) -> None:
    page = open_page(ALONE)
    page.keyboard.press("ArrowRight")
    assert current(page) == "divergent-1"


def test_keys_in_a_text_field_stay_there(open_page: Open) -> None:
    page = open_page(ALONE)
    player(page).evaluate(
        "e => e.append(Object.assign(document.createElement('input'), {id: 'x'}))"
    )
    page.locator("#x").focus()
    for key in ("ArrowRight", "End", " "):
        page.keyboard.press(key)
    assert current(page) == "divergent-1"
    assert button(page, "Play").count() == 1


def test_space_on_a_button_presses_only_the_button(open_page: Open) -> None:
    page = open_page(ALONE)
    button(page, "Next").focus()
    page.keyboard.press(" ")
    assert current(page) == "divergent-2"
    assert button(page, "Play").count() == 1


def test_space_plays_and_pauses(open_page: Open) -> None:
    page = open_page(ALONE)
    player(page).evaluate("e => { e.tabIndex = -1; e.focus(); }")
    page.keyboard.press(" ")
    expect(button(page, "Pause")).to_be_visible()
    page.keyboard.press(" ")
    expect(button(page, "Play")).to_be_visible()
    assert current(page) == "divergent-1"


def test_play_goes_on_to_the_end_and_stops(open_page: Open) -> None:
    page = open_page(f"{DIVERGENT}#divergent-4")
    button(page, "Play").click()
    expect(button(page, "Pause")).to_be_focused()
    expect(page.locator("#divergent-5[data-current]")).to_have_count(1, timeout=6000)
    expect(button(page, "Play")).to_be_visible()
    button(page, "Play").click()  # at the end, it begins again
    assert current(page) == "divergent-1"


def test_a_step_by_hand_ends_playing(open_page: Open) -> None:
    page = open_page(ALONE)
    button(page, "Play").click()
    button(page, "Next").click()
    expect(button(page, "Play")).to_be_visible()


def test_the_scrubber(open_page: Open) -> None:
    page = open_page(ALONE)
    scrubber = player(page).get_by_role("slider", name="Frame")
    expect(scrubber).to_have_attribute("aria-valuetext", "Frame 1 of 5: The draft proposes")
    scrubber.focus()
    page.keyboard.press("ArrowRight")
    assert current(page) == "divergent-2"
    expect(scrubber).to_have_attribute("aria-valuetext", "Frame 2 of 5: Position 1: “the”")
    page.keyboard.press("End")
    assert current(page) == "divergent-5"
    scrubber.fill("4")
    assert current(page) == "divergent-4"
    expect(scrubber).to_be_focused()
    assert player(page).locator(".tick").all_inner_texts() == [
        "propose",
        "1 ✓",
        "2 ✓",
        "3 ✗",
        "done",
    ]


def test_jump_to_the_rejection_and_back(open_page: Open) -> None:
    page = open_page(f"{DIVERGENT}#divergent-2")
    page.get_by_role("link", name="Jump to the rejection").click()
    assert (current(page), fragment(page)) == ("divergent-4", "#divergent-4")
    page.go_back()
    assert (current(page), fragment(page)) == ("divergent-2", "#divergent-2")


def test_a_round_without_a_rejection_offers_no_jump(open_page: Open) -> None:
    page = open_page("profiles/aligned.html")
    expect(page.get_by_role("link", name="Jump to the rejection")).to_have_count(0)


def test_a_frame_is_announced_politely_and_only_when_it_changes(open_page: Open) -> None:
    page = open_page(ALONE)
    expect(player(page).locator("p[role=status]")).to_have_text("")
    button(page, "Next").click()
    expect(player(page).locator("p[role=status]")).to_have_text(
        "Frame 2 of 5: The target gives “the” 5/8, more than the draft’s 4/8, "
        "so it is kept whatever the draw."
    )


def test_what_is_announced_is_not_seen(open_page: Open) -> None:
    page = open_page(ALONE)
    page.get_by_role("link", name="Jump to the rejection").click()
    status = player(page).locator("p[role=status]")
    assert len(status.inner_text()) > 150, "expected the longest caption"
    box = status.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 0


def test_a_deep_link_opens_its_frame_below_the_header(open_page: Open) -> None:
    page = open_page(f"{DIVERGENT}#divergent-4")
    assert current(page) == "divergent-4"
    assert fragment(page) == "#divergent-4"
    frame, header = page.locator("#divergent-4"), page.locator(".md-header")
    until(page, "scrollY > 0")
    top, bottom = frame.bounding_box(), header.bounding_box()
    assert top is not None
    assert bottom is not None
    assert top["y"] >= bottom["y"] + bottom["height"] - 1
    assert top["y"] < 450


def test_the_address_follows_each_step_and_reload_keeps_the_frame(open_page: Open) -> None:
    page = open_page(DIVERGENT)
    button(page, "Next").click()
    assert page.url == f"{ADDRESS}{DIVERGENT}#divergent-2"
    page.reload()
    assert current(page) == "divergent-2"


def test_a_link_from_another_page_opens_its_frame(open_page: Open) -> None:
    page = open_page("math.html")
    page.evaluate("window.alive = true")
    page.get_by_role("link", name="See “mat” in A divergent draft").first.click()
    page.wait_for_url("**/divergent.html#divergent-4")
    expect(page.locator("#divergent-4[data-current]")).to_be_visible()
    assert page.evaluate("window.alive") is True, "expected instant navigation, got a full load"
    assert current(page) == "divergent-4"


def test_after_instant_navigation_there_and_back_it_works_once(open_page: Open) -> None:
    page = open_page(DIVERGENT)
    page.evaluate("window.alive = true")
    button(page, "Next").click()
    page.locator(".md-nav--primary").get_by_role("link", name="Cost").first.click()
    page.wait_for_url("**/cost.html")
    page.go_back()
    page.wait_for_url("**/divergent.html#divergent-2")
    expect(page.locator("#divergent-2[data-current]")).to_be_visible()
    assert page.evaluate("window.alive") is True
    assert current(page) == "divergent-2"
    button(page, "Next").click()
    assert current(page) == "divergent-3", "expected one step, the controls answered twice"


def test_two_players_on_a_page_do_not_disturb_each_other(open_page: Open) -> None:
    page = open_page("index.html")
    page.get_by_role("button", name="Divergent", exact=True).click()
    button(page, "Next").click()
    page.get_by_role("button", name="Closely aligned", exact=True).click()
    assert current(page, "aligned") == "aligned-1"
    button(page, "Last", "aligned").click()
    page.get_by_role("button", name="Divergent", exact=True).click()
    assert current(page) == "divergent-2"


def test_the_switch_shows_one_round(open_page: Open) -> None:
    page = open_page("index.html")
    aligned, divergent = player(page, "aligned"), player(page, "divergent")
    expect(aligned).to_be_visible()
    expect(divergent).to_be_hidden()
    choice = page.get_by_role("button", name="Divergent", exact=True)
    expect(choice).to_have_attribute("aria-pressed", "false")
    choice.click()
    expect(choice).to_have_attribute("aria-pressed", "true")
    expect(aligned).to_be_hidden()
    expect(divergent).to_be_visible()


def test_a_deep_link_chooses_the_round(open_page: Open) -> None:
    page = open_page("index.html#divergent-4")
    expect(player(page, "aligned")).to_be_hidden()
    assert current(page) == "divergent-4"


def test_predict_first(open_page: Open) -> None:
    page = open_page(ALONE)
    page.get_by_label("Predict first").check()
    button(page, "Next").click()
    caption = page.locator("#divergent-2 .frame-caption")
    expect(caption).to_be_hidden()
    for hidden in page.locator(
        "#divergent-2 .position-current .verdict, #divergent-2 .chip-new"
    ).all():
        expect(hidden).to_be_hidden()
    expect(player(page).locator(".tick-verdict").first).to_be_hidden()
    expect(page.get_by_role("link", name="Jump to the rejection")).to_be_hidden()
    expect(player(page).locator(".timing p")).to_be_hidden()
    question = "Position 1: “the”: kept or rejected?"
    assert player(page).locator("p[role=status]").text_content() == f"Frame 2 of 5: {question}"
    assert player(page).locator(".ask-question").text_content() == question

    button(page, "Rejected").click()
    expect(caption).to_be_visible()
    expect(player(page).locator(".ask-answer")).to_have_text("No: kept.")

    button(page, "Last").click()
    button(page, "Previous").click()
    button(page, "Rejected").click()
    expect(player(page).locator(".ask-answer")).to_have_text("Right: rejected.")
    page.get_by_label("Predict first").uncheck()
    expect(page.get_by_role("link", name="Jump to the rejection")).to_be_visible()
    expect(player(page).locator(".timing p")).to_be_visible()


def test_playing_waits_for_the_prediction(open_page: Open) -> None:
    page = open_page(ALONE)
    page.get_by_label("Predict first").check()
    button(page, "Next").click()
    button(page, "Play").click()
    page.wait_for_timeout(3500)
    assert current(page) == "divergent-2"


def test_copying_the_link_says_so(open_page: Open) -> None:
    page = open_page(f"{DIVERGENT}#divergent-3", permissions=["clipboard-read", "clipboard-write"])
    button(page, "Copy link to this frame").click()
    expect(player(page).locator(".copied")).to_have_text("Link copied")
    assert page.evaluate("navigator.clipboard.readText()") == f"{ADDRESS}{DIVERGENT}#divergent-3"


def test_without_a_clipboard_the_link_is_there_to_be_copied(open_page: Open) -> None:
    page = open_page(f"{DIVERGENT}#divergent-3")
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    button(page, "Copy link to this frame").click()
    address = f"{ADDRESS}{DIVERGENT}#divergent-3"
    expect(player(page).locator(".copied")).to_have_text(address)
    assert page.evaluate("getSelection().toString()").strip() == address


def test_full_screen_keeps_the_keys(open_page: Open) -> None:
    page = open_page(ALONE)
    button(page, "Full screen").click()
    expect(button(page, "Leave full screen")).to_be_focused()
    expect(page.locator("#divergent-1 .frame-head")).to_be_in_viewport()
    page.keyboard.press("ArrowRight")
    assert current(page) == "divergent-2"
    button(page, "Leave full screen").click()
    expect(button(page, "Full screen")).to_be_visible()


def test_motion_only_where_it_is_wanted(open_page: Open) -> None:
    running = "document.getAnimations().length"
    page = open_page(ALONE)
    button(page, "Next").click()
    assert page.evaluate(running) > 0
    calm = open_page(DIVERGENT, reduced_motion="reduce")
    for name in ("Next", "Next", "Next"):
        button(calm, name).click()
        assert (
            calm.evaluate(
                "[...document.querySelectorAll('specdec-player *')]"
                ".flatMap(e => e.getAnimations()).length"
            )
            == 0
        )


def test_without_scripts_every_frame_reads_in_order(open_page: Open) -> None:
    page = open_page(DIVERGENT, java_script_enabled=False)
    for frame in page.locator(".frame").all():
        expect(frame).to_be_visible()
        expect(frame.locator(".frame-caption")).to_be_visible()
    expect(page.locator(".controls")).to_be_hidden()
    home = open_page("index.html", java_script_enabled=False)
    expect(home.locator(".frame-caption").last).to_be_visible()
    expect(home.locator(".switch")).to_be_hidden()


@pytest.mark.parametrize(
    "path", ["index.html", DIVERGENT, "nimbus.html", "profiles/aligned/embed/index.html"]
)
def test_nothing_moves_on_a_step(open_page: Open, path: str) -> None:
    page = open_page("404.html")
    page.add_init_script(NOTE_WHAT_MOVES)
    page.goto(ADDRESS + path)
    page.wait_for_timeout(300)
    before = page.evaluate("document.documentElement.scrollHeight")
    next_frame = page.get_by_role("button", name="Next", exact=True).first
    for _ in range(4):
        next_frame.click()
        page.wait_for_timeout(100)
    assert page.evaluate("moved") == []
    assert page.evaluate("document.documentElement.scrollHeight") == before


def test_a_step_is_handled_within_one_frame_of_the_screen(open_page: Open) -> None:
    page = open_page(ALONE)
    until(
        page,
        "(() => { const times = []; for (let i = 0; i < 40; i++) {"
        "const button = document.querySelector(`[data-do=${i % 8 < 4 ? 'next' : 'previous'}]`);"
        "const start = performance.now(); button.click(); document.body.offsetHeight;"
        "times.push(performance.now() - start); } return Math.min(...times) < 16; })()",
    )  # milliseconds, layout included; the least, and again if the machine is busy


def test_embedded_elsewhere_it_fits_and_follows_the_reader(open_page: Open) -> None:
    page = open_page("profiles/divergent/embed/index.html", width=400, scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    expect(page.locator(".md-header")).to_have_count(0)
    button(page, "Last").click()
    assert current(page) == "divergent-5"
    for profile in ("aligned", "nimbus-mini", "divergent"):
        page.goto(f"{ADDRESS}profiles/{profile}/embed/index.html")
        height = page.evaluate("document.documentElement.scrollHeight")
        assert height <= 1400, "expected to fit the frame that the snippet gives it"
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert re.fullmatch(r"rgb\(20, 23, 28\)", ground)


def test_from_a_folder_it_works_and_the_console_is_silent(site: BuiltSite, open_page: Open) -> None:
    page = open_page((site.folder / "index.html").as_uri())
    page.get_by_role("button", name="Divergent", exact=True).click()
    button(page, "Last").click()
    assert current(page) == "divergent-5"
    page.locator(".md-nav--primary").get_by_role("link", name="Cost").first.click()
    page.wait_for_url("**/cost.html")
