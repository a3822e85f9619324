"""Draws a chat with the bot as an HTML page: messages with their markup, keyboards, pictures."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from typing import Any

STYLE = """
* { box-sizing: border-box; }
body { margin: 0 auto; width: 390px; padding: 10px 8px; background: #cfdcc4;
  font: 15px/1.35 "DejaVu Sans", sans-serif; }
.row { display: flex; flex-direction: column; align-items: flex-start; margin: 7px 0; }
.row.me { align-items: flex-end; }
.bubble { max-width: 340px; padding: 7px 11px; border-radius: 14px; white-space: pre-wrap;
  overflow-wrap: anywhere; background: #fff; box-shadow: 0 1px 1px #0002; }
.me .bubble { background: #e3fbc9; }
blockquote { margin: 2px 0; padding: 4px 9px; border-left: 3px solid #5ca549; background: #eef6ea;
  border-radius: 4px; }
.keys { width: 340px; margin-top: 2px; }
.keys div { display: flex; gap: 3px; margin-top: 3px; }
.keys span { flex: 1 1 0; min-width: 0; padding: 8px 6px; text-align: center; background: #6d9160cc;
  color: #fff; border-radius: 8px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis;
  font-size: 14px; }
.toast { align-self: center; background: #0008; color: #fff; border-radius: 10px; padding: 4px 12px;
  font-size: 13px; }
svg { width: 1.1em; height: 1.1em; vertical-align: -0.2em; fill: #f5c33b; stroke: #8a6a12; }
.edited { color: #789; font-size: 11px; align-self: flex-start; }
img { display: block; width: 100%; border-radius: 9px; margin-bottom: 5px; }
h2 { font-size: 13px; text-align: center; color: #fff; background: #6d916099; border-radius: 12px;
  padding: 3px; margin: 16px 70px 8px; font-weight: normal; }
"""

_THUMB = (
    "M7 11v9H3v-9zM8 20V11l4-7c2 0 2.6 1.6 2 3.4L13.4 10H19c1.4 0 2 1 1.8 2.2l-1.3 6C19.2 19.4 18.5 20 17 20z"
)
_BOOK = "M2 5c4-1.5 7-1 10 1 3-2 6-2.5 10-1v14c-4-1.5-7-1-10 1-3-2-6-2.5-10-1z"
_DRAWN = {
    "👍": f'<svg viewBox="0 0 24 24"><path d="{_THUMB}"/></svg>',
    "👎": f'<svg viewBox="0 0 24 24"><path transform="rotate(180 12 12)" d="{_THUMB}"/></svg>',
    "📖": f'<svg viewBox="0 0 24 24"><path d="{_BOOK}"/></svg>',
}
"""Signs that not every machine has a font for."""


def page(body: Sequence[str], title: str = "Параграф") -> str:
    """The whole page."""
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{STYLE}</style>'
    content = "".join(body)
    for sign, drawing in _DRAWN.items():
        content = content.replace(sign, drawing)
    return f'<!doctype html><html lang="ru">{head}<body>{content}</body></html>'


def heading(text: str) -> str:
    """A line between two scenes."""
    return f"<h2>{html.escape(text)}</h2>"


def from_user(text: str) -> str:
    """What the student writes."""
    return f'<div class="row me"><div class="bubble">{html.escape(text)}</div></div>'


def from_bot(
    source: str,
    *,
    is_html: bool,
    keyboard: dict[str, Any] | None = None,
    photo: bytes | None = None,
    edited: bool = False,
) -> str:
    """A message of the bot as it was sent; `edited`: it stood above with another text."""
    text = source if is_html else html.escape(source)
    # White space around a block is the block's own line break in Telegram.
    text = text.replace("</blockquote>\n", "</blockquote>").replace("\n<blockquote", "<blockquote")
    picture = f'<img src="data:image/png;base64,{base64.b64encode(photo).decode()}">' if photo else ""
    note = '<div class="edited">сообщение изменилось</div>' if edited else ""
    return f'<div class="row">{note}<div class="bubble">{picture}{text}</div>{_keys(keyboard)}</div>'


def toast(text: str) -> str:
    """The short note that Telegram shows over the chat."""
    return f'<div class="row"><div class="toast">{html.escape(text)}</div></div>'


def _keys(keyboard: dict[str, Any] | None) -> str:
    rows = (keyboard or {}).get("inline_keyboard", [])
    drawn = ["".join(f"<span>{html.escape(key['text'])}</span>" for key in row) for row in rows]
    return f'<div class="keys">{"".join(f"<div>{row}</div>" for row in drawn)}</div>' if drawn else ""
