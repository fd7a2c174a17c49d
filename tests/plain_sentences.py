"""What the pages say of a profile and of its figures, worded once more from the JSON alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from tests.plain import WORDS, Plain, about, counted, rounded, spelled

# fmt: off
ORDINALS = ("zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth",
            "ninth", "tenth", "eleventh", "twelfth", "13th")
# fmt: on


def quoted(token: str) -> str:
    return f"“{token}”"


def listed(parts: Sequence[str], last: str = "and") -> str:
    *others, end = parts
    return f"{', '.join(others)} {last} {end}" if others else end


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# A round.


def _every_proposal(k: int) -> str:
    return "Both proposals" if k == 2 else f"All {counted(k, 'proposal')}"


def outcome(plain: Plain) -> str:
    """Return how the pages sum up the round of a profile."""
    k, kept, made = plain.k, plain.accepted, counted(len(plain.committed), "token")
    if kept == k:
        accepted = "The one proposal is" if k == 1 else f"{_every_proposal(k)} are"
        return (
            f"{accepted} accepted, so the round ends with a bonus token: {made} from one pass of "
            "the target."
        )
    some = f"{capital(counted(kept, 'proposal'))} {'is' if kept == 1 else 'are'} accepted and the"
    which = "The one proposal" if k == 1 else f"{some if kept else 'The'} {ORDINALS[kept + 1]}"
    target, _draft = plain.chances(kept)
    why = ", as it must be, since the target gives it probability zero" * (target == 0)
    left = k - kept - 1
    drops = f" and drops {counted(left, 'proposal')} unchecked" if left else ""
    return f"{which} is rejected{why}. The round commits {made}{drops}."


def luck(plain: Plain) -> str:
    """Return which acceptances another draw would have turned into rejections."""
    if plain.lucky:
        return " ".join(
            f"{quoted(plain.proposals[n])} at position {n + 1} was kept by luck: a draw of "
            f"{plain.acceptance(n)} or more would have rejected it."
            for n in plain.lucky
        )
    if plain.accepted:
        return (
            "No acceptance in this round needed luck: every proposal kept had acceptance "
            "probability 1."
        )
    return ""


def captions(plain: Plain) -> list[str]:
    """Return the caption of each frame."""
    attempted = plain.accepted + (plain.accepted < plain.k)
    bonus = [_bonus(plain)] if plain.accepted == plain.k else []
    return [_proposing(plain), *(_check(plain, n) for n in range(attempted)), *bonus, _end(plain)]


def _proposing(plain: Plain) -> str:
    tokens = listed(list(map(quoted, plain.proposals)))
    if plain.k == 1:
        return f"The draft proposes one token, before it is checked: {tokens}."
    return (
        f"The draft proposes {counted(plain.k, 'token')} in a row, before any of them is checked: "
        f"{tokens}."
    )


def _check(plain: Plain, n: int) -> str:
    token, kept = quoted(plain.proposals[n]), n < plain.accepted
    target, draft = plain.chances(n)
    wanted, offered = plain.input(target), plain.input(draft)
    if target == 0:
        said = f"The target gives {token} probability 0 here, so no draw can save it: rejected."
    elif target > draft:
        said = (
            f"The target gives {token} {wanted}, more than the draft’s {offered}, so it is kept "
            "whatever the draw."
        )
    elif target == draft:
        said = f"Target and draft both give {token} {wanted}, so it is kept whatever the draw."
    else:
        chance, draw = target / draft, plain.draw(n)
        below = (
            f"below that: kept, and by luck, since a draw of {chance} or more would have rejected "
            "it."
            if kept
            else "not below that: rejected."
        )
        said = (
            f"The target gives {token} only {wanted}, less than the draft’s {offered}, so it is "
            f"kept with probability {chance}. The draw, {draw}, is {below}"
        )
    return said if kept else f"{said}{_after_a_rejection(plain)}"


def _after_a_rejection(plain: Plain) -> str:
    said = (
        f" {quoted(plain.committed[-1])}, drawn from what the draft left uncovered, takes its "
        "place."
    )
    dropped = plain.k - plain.accepted - 1
    if not dropped:
        return said
    which = "The last proposal is" if dropped == 1 else f"The last {spelled(dropped)} proposals are"
    certain = [quoted(token) for token in plain.dropped_though_certain]
    though = (
        f", though {listed(certain)} would certainly have been kept, had "
        f"{'it' if len(certain) == 1 else 'they'} been checked"
        if certain
        else ""
    )
    return f"{said} {which} dropped without being checked{though}."


def _bonus(plain: Plain) -> str:
    token = plain.committed[-1]
    chance = plain.input(plain.bonus[plain.vocabulary.index(token)])
    return (
        "Nothing was rejected, and the same pass has already scored the next position: one bonus "
        f"token comes on top. It is drawn from the target itself, which gives {quoted(token)} "
        f"{chance}, and the draw {Fraction(plain.profile['draws']['bonus'])} lands on it."
    )


def _end(plain: Plain) -> str:
    k, kept = plain.k, plain.accepted
    if k == 1:
        checked = f"The one proposal was {'accepted' if kept else 'rejected'}"
    elif kept == k:
        checked = f"{_every_proposal(k)} were accepted"
    else:
        some = capital(spelled(kept)) if kept else "None"
        were = "was" if kept == 1 else "were"
        checked = f"{some} of the {counted(k, 'proposal')} {were} accepted"
    top = "bonus token" if kept == k else "replacement"
    return (
        f"The round is over: {counted(kept + 1, 'token')} committed with one pass of the target. "
        f"{checked}, and the {top} came on top."
    )


def leftover(plain: Plain) -> list[str]:
    """Return what the frame of the rejection says of the residual; nothing if none is drawn."""
    if plain.accepted == plain.k:
        return []
    shares = zip(plain.vocabulary, plain.residual(plain.accepted), strict=True)
    parts = ", ".join(f"{quoted(token)} {share}" for token, share in shares if share)
    draw = Fraction(plain.profile["draws"]["replacement"])
    return [
        f"what the target has beyond the draft, rescaled to sum to 1: {parts}. Laid out from 0 to "
        f"1 in this order, the draw {draw} lands on {quoted(plain.committed[-1])}."
    ]


def frame_count(plain: Plain) -> str:
    """Return how a profile's page counts the frames."""
    attempted = plain.accepted + (plain.accepted < plain.k)
    everything = plain.accepted == plain.k
    each = "the one position" if attempted == 1 else f"each of the {counted(attempted, 'position')}"
    bonus = (
        "one for the bonus token since nothing was rejected"
        if everything
        else "none for a bonus token since a proposal was rejected"
    )
    return (
        f"{capital(counted(2 + attempted + everything, 'frame'))}: one for the proposals, one for "
        f"{each} checked, {bonus}, and one to close: 1 + {attempted} + {int(everything)} + 1 = "
        f"{2 + attempted + everything}. No round of this profile can have more than {plain.k} + 3."
    )


# Several profiles.


def apart(plains: Sequence[Plain]) -> str:
    """Return which drafts of a file get furthest and least far, or that none does."""
    means = [each.expected for each in plains]
    if len(set(means)) == 1:
        return f"They commit the same number of tokens on average, {about(means[0])}."
    most, least = (
        [quoted(each.title) for each in plains if each.expected == bound]
        for bound in (max(means), min(means))
    )
    said = (
        f"On average {listed(most)} {'gets' if len(most) == 1 else 'get'} furthest, with "
        f"{about(max(means))} tokens per round; {listed(least)} "
        f"{'gets' if len(least) == 1 else 'get'} least far, with {about(min(means))}."
    )
    gaps = [max(rates) - min(rates) for rates in zip(*(each.rates for each in plains), strict=True)]
    at = [str(n) for n, gap in enumerate(gaps, 1) if gap == max(gaps)]
    if len(at) < len(gaps):
        said += (
            f" Acceptance rates are furthest apart at {'position' if len(at) == 1 else 'positions'}"
            f" {listed(at)}, by {max(gaps)}."
        )
    return said


def lookalikes(plains: Iterable[Plain]) -> dict[str, tuple[list[str], list[str]]]:
    """Return what prints as tokens per round of some profiles and as the speed-up of others.

    By the print: titles of those whose E[N] it is, and of those whose speed-up, where these are
    different numbers.
    """
    plains = list(plains)
    prints = dict.fromkeys(rounded(each.expected) for each in plains)
    found: dict[str, tuple[list[str], list[str]]] = {}
    for text in prints:
        tokens = [each for each in plains if rounded(each.expected) == text]
        faster = [each for each in plains if rounded(each.speedup) == text]
        pairs = [(a, b) for a in tokens for b in faster if a.expected != b.speedup]
        if pairs:
            found[text] = (
                [each.title for each in tokens if any(each is a for a, _ in pairs)],
                [each.title for each in faster if any(each is b for _, b in pairs)],
            )
    return found


# Figures.


def _positions(plain: Plain) -> str:
    kept = plain.accepted
    if plain.k == 1:
        verb = "accepts" if kept else "rejects"
        return f"Target against draft: this round {verb} its one proposal"
    number = "none" if not kept else "all" if kept == plain.k else spelled(kept)
    return f"Target against draft: of {spelled(plain.k)} proposals, this round accepts {number}"


def _timeline(plain: Plain) -> str:
    made = len(plain.committed)
    cost = rounded(plain.cost)
    shown = cost.rstrip("0").rstrip(".") if Fraction(cost) == plain.cost else cost
    steps = "target step" if plain.cost == 1 else "target steps"
    return f"This round: {counted(made, 'token')} in {shown} {steps} instead of {made}"


def _length_law(plain: Plain) -> str:
    mean = rounded(plain.expected)
    shown = mean.rstrip("0").rstrip(".") if Fraction(mean) == plain.expected else mean
    return f"A round commits {shown} {'token' if plain.expected == 1 else 'tokens'} on average"


def _outcome_tree(plain: Plain) -> str:
    possible = {n: chance for n, chance in enumerate(plain.law, 1) if chance}
    first, last = min(possible), max(possible)
    if first == last:
        return f"Every round commits {counted(first, 'token')}"
    joint = "or" if len(possible) == 2 else "to"
    highest = max(possible.values())
    often = [spelled(n) for n, chance in possible.items() if chance == highest]
    said = f"A round commits {spelled(first)} {joint} {spelled(last)} tokens"
    if len(often) == len(possible) == 2:
        return f"{said}, each equally often"
    share = f"{rounded(100 * highest, 0)}%"
    share = "over 99%" if share == "100%" else share
    which = listed(often, "or") if len(often) <= 3 else f"any of {spelled(len(often))} numbers"
    return f"{said}, most often {which} ({share}{' each' * (len(often) > 1)})"


def _draft_cost(plain: Plain) -> str:
    even = plain.break_even
    if even <= 0:
        return f"With k = {plain.k}, speculation pays at no price of a draft step"
    near = rounded(even, 3)
    near = near.rstrip("0").rstrip(".") if Fraction(near) == even else near
    below = str(even) if len(str(even)) <= 5 else f"about {near}"
    unit = "target step" if even == 1 else "target steps"
    return f"With k = {plain.k}, speculation pays up to {below} {unit} per draft step"


TITLES: dict[str, Callable[[Plain], str]] = {
    "positions": _positions,
    "timeline": _timeline,
    "tokens-per-round": _length_law,
    "outcome-tree": _outcome_tree,
    "draft-cost": _draft_cost,
}
"""Titles of figures of a profile that follow from its data, by how slugs begin."""


def comparison_title(plains: Sequence[Plain]) -> str:
    """Return the title of the figure that has the drafts of a file side by side."""
    means = [each.expected for each in plains]
    most, number = max(means), len(plains)
    best = [each for each in plains if each.expected == most]
    shown = rounded(most)
    shown = shown.rstrip("0").rstrip(".") if Fraction(shown) == most else shown
    tokens = f"on average: {shown} {'token' if most == 1 else 'tokens'} a round"
    if len(best) == number:
        everyone = "Both drafts" if number == 2 else f"All {counted(number, 'draft')}"
        return f"{everyone} get equally far {tokens}"
    if len(best) > 1:
        together = capital(counted(len(best), "draft"))
        return f"{together} of {WORDS[number]} get furthest {tokens}"
    who = f"“{best[0].profile['short_title']}” gets {'further' if number == 2 else 'furthest'}"
    if rounded(max(mean for mean in means if mean != most)) == rounded(most):
        return f"{who} on average, by less than 0.01 tokens"
    return f"{who} {tokens}"
