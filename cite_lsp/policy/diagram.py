"""Reliability diagrams as one picture: what was said against what was so, before and after the map.

The picture is an SVG that stands by itself: no script, no font, nothing from elsewhere; it follows the reader's light
or dark scheme, and says in words what it shows (`<title>`, `<desc>`, and a tooltip at each point).
"""

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape

from cite_lsp.policy.calibration import Calibration, percent
from cite_lsp.policy.options import Band
from cite_lsp.policy.reliability import Bin, Pair, bins_of

_WIDTH: Final = 600
_LEFT: Final = (52, 342)
"""Where the two panels begin."""
_SIDE: Final = 236
_COUNTS: Final = 40
"""Height of the bars that count rows."""
_LINE: Final = 19
_CHARACTERS: Final = 78
"""Of a line of text at its size."""
_OF_TITLE: Final = 50
_OF_NAME: Final = 56
_LEGENDS: Final = (
    "Along: the probability of yes. Upwards: how often it was yes, in held-out rows,",
    "with its 90 % interval. Dashed: as often as said.",
)

_STYLE: Final = """
svg { --back: #ffffff; --text: #1f2328; --quiet: #59636e; --rule: #d1d9e0; --mark: #0a5cc2; --shade: #fbe9b7; }
@media (prefers-color-scheme: dark) {
 svg { --back: #0d1117; --text: #e6edf3; --quiet: #9aa5b1; --rule: #3b444e; --mark: #6cb0ff; --shade: #4a3c10; }
}
text { font: 13px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: var(--text); }
.title { font-size: 17px; font-weight: 600; } .name { font-size: 15px; font-weight: 600; }
.quiet { fill: var(--quiet); } .back { fill: var(--back); } .shade { fill: var(--shade); }
.rule { stroke: var(--rule); fill: none; } .true { stroke: var(--quiet); stroke-dasharray: 4 4; }
.mark { fill: var(--mark); } .span { stroke: var(--mark); stroke-width: 1.5; opacity: 0.6; }
.count { fill: var(--mark); opacity: 0.35; }
.middle { text-anchor: middle; } .end { text-anchor: end; }
"""


def diagram(found: Sequence[Calibration], title: str = "How far answers can be taken at their word") -> str:
    """Draw a diagram for each calibration, below each other, 600 pixels wide.

    Points are bins of held-out rows, with the interval that their share of yes lies in at a confidence of 90 %; below
    them stands how many rows are in each. On the dashed line what is said is what is so.
    """
    heading = textwrap.wrap(title, _OF_TITLE) or [""]
    blocks = [_text(20, 30 + 22 * at, line, "title") for at, line in enumerate(heading)]
    top = 29 + 22 * len(heading)
    for line in _LEGENDS:
        blocks.append(_text(20, top, line, "quiet"))
        top += _LINE
    for each in found:
        block, top = _block(each, top)
        blocks.append(block)
    if not found:
        blocks.append(_text(20, top + 10, "There are no labelled rows."))
        top += 30
    size = f'width="{_WIDTH}" height="{top}" viewBox="0 0 {_WIDTH} {top}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title desc" {size}>',
            f'<title id="title">{_safe(title)}</title>',
            f'<desc id="desc">{_safe(" ".join(_in_words(each) for each in found))}</desc>',
            f"<style>{_STYLE}</style>",
            f'<rect class="back" width="{_WIDTH}" height="{top}"/>',
            *blocks,
            "</svg>\n",
        ]
    )


def _block(found: Calibration, top: int) -> tuple[str, int]:
    """Give the drawing of one calibration and where it ends."""
    parts = [f'<path class="rule" d="M20 {top}H{_WIDTH - 20}"/>']
    at = top + 25
    for line in textwrap.wrap(found.label, _OF_NAME):
        parts.append(_text(20, at, line, "name"))
        at += _LINE
    at += 2
    for line in _caption(found):
        parts.append(_text(20, at, line))
        at += _LINE
    if found.held_out:
        said: list[Pair] = [(each.said, each.truth) for each in found.held_out]
        mapped: list[Pair] = [(each.mapped, each.truth) for each in found.held_out]
        parts += [*_panel(_Panel(_LEFT[0], at + 18, "as said", "said", found.band), said)]
        parts += [*_panel(_Panel(_LEFT[1], at + 18, "after the map", "mapped", None), mapped)]
        at += 18 + _SIDE + 18 + _COUNTS + 34
    return "\n".join(parts), at + 10


# --- in words


def _caption(found: Calibration) -> list[str]:
    counts = f"Rows: {found.rows}, {found.true} of them yes; examples: {found.groups}"
    if found.brier and found.ece:
        figures = f"Held out: Brier score {_pair(found.brier)}, calibration error {_pair(found.ece)}"
        return _wrapped(f"{counts}.", f"{figures}.", *_of_band(found))
    return _wrapped(f"{counts}.", *_of_band(found))


def _wrapped(*texts: str) -> list[str]:
    return [line for text in texts for line in textwrap.wrap(text.replace(" %", "\u00a0%"), _CHARACTERS)]


def _of_band(found: Calibration) -> Iterator[str]:
    if found.band is None:
        yield f"No band: {found.why}."
        return
    low, high = found.band
    yield f"No up to {low:.3g}, yes from {high:.3g}; in between (shaded) a person looks."
    if found.coverage is not None and found.held_out_error is not None:
        decided = f"{percent(found.coverage)} decided, {percent(found.held_out_error)} of them wrongly"
        yield f"Held out: {decided}; {found.bounds}."


def _in_words(found: Calibration) -> str:
    return f"{found.label}: {' '.join(_caption(found))}"


def _pair(both: tuple[float, float]) -> str:
    return f"{both[0]:.3f}\u00a0→\u00a0{both[1]:.3f}"


# --- panels


@dataclass(frozen=True, slots=True)
class _Panel:
    left: int
    top: int
    name: str
    axis: str
    band: Band | None

    def x(self, share: float) -> str:
        return f"{self.left + _SIDE * share:.1f}"

    def y(self, share: float) -> str:
        return f"{self.top + _SIDE * (1 - share):.1f}"


def _panel(panel: _Panel, pairs: Sequence[Pair]) -> Iterator[str]:
    found = bins_of(pairs)
    yield from _frame(panel)
    most = max(each.count for each in found)
    for each in found:
        yield _point(panel, each, most)
    yield from _bars(panel, found, most)


def _frame(panel: _Panel) -> Iterator[str]:
    if panel.band is not None:
        low, high = panel.band
        width = max(_SIDE * (high - low), 1.5)
        yield f'<rect class="shade" x="{panel.x(low)}" y="{panel.top}" width="{width:.1f}" height="{_SIDE}"/>'
    yield f'<rect class="rule" x="{panel.left}" y="{panel.top}" width="{_SIDE}" height="{_SIDE}"/>'
    yield f'<path class="rule true" d="M{panel.x(0)} {panel.y(0)}L{panel.x(1)} {panel.y(1)}"/>'
    yield _text(panel.left + _SIDE / 2, panel.top - 8, panel.name, "middle")
    for share in (0, 0.5, 1):
        yield _text(panel.left - 7, panel.top + _SIDE * (1 - share) + 4, f"{share:g}", "quiet end")
        yield _text(panel.left + _SIDE * share, panel.top + _SIDE + 17, f"{share:g}", "quiet middle")


def _point(panel: _Panel, each: Bin, most: int) -> str:
    low, high = each.between
    radius = 3 + 4 * math.sqrt(each.count / most)
    x = panel.x(each.said)
    return (
        f"<g><title>{_safe(_of_bin(each))}</title>"
        f'<path class="span" d="M{x} {panel.y(low)}V{panel.y(high)}"/>'
        f'<circle class="mark" cx="{x}" cy="{panel.y(each.true)}" r="{radius:.1f}"/></g>'
    )


def _bars(panel: _Panel, found: Sequence[Bin], most: int) -> Iterator[str]:
    floor = panel.top + _SIDE + 26 + _COUNTS
    for each in found:
        height = max(_COUNTS * each.count / most, 1)
        width = _SIDE * (each.high - each.low) - 2
        x = panel.left + _SIDE * each.low + 1
        yield (
            f'<g><title>{_safe(_of_bin(each))}</title><rect class="count" x="{x:.1f}" y="{floor - height:.1f}" '
            f'width="{width:.1f}" height="{height:.1f}"/></g>'
        )
    yield f'<path class="rule" d="M{panel.left} {floor}h{_SIDE}"/>'
    yield _text(panel.left + _SIDE / 2, floor + 16, f"{panel.axis}; bars up to {most} rows", "quiet middle")


def _of_bin(each: Bin) -> str:
    return (
        f"{each.low:g} to {each.high:g}: {each.count} rows, said {each.said:.3f} on average, "
        f"so in {each.true:.3f} ({each.between[0]:.3f} to {each.between[1]:.3f})"
    )


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>{_safe(text)}</text>'


def _safe(text: str) -> str:
    """Give text as XML may hold it: characters that it forbids are shown as unknown."""
    return escape("".join(char if _is_allowed(char) else "\ufffd" for char in text))


def _is_allowed(char: str) -> bool:
    code = ord(char)
    return char in "\t\n\r" or (code >= 0x20 and not 0xD800 <= code <= 0xDFFF and code not in (0xFFFE, 0xFFFF))
