"""Draws a talk with the bot as a page that looks like a chat, to be looked at in a browser.

    python docs/tools/render_chat.py STORE OUT.html "О чём § 3?" "Что такое общество, 10 класс"

The messages are what the bot would send: the same rendering, the same buttons, the page pictures inline.
"""

from __future__ import annotations

import base64
import html
import sys
from pathlib import Path

from answer.assistant import Assistant
from answer.query import EMPTY_MEMORY
from bot.page_picture import render_page
from bot.rendering import page_refs, render
from bot.telegram.keyboards import option_keyboard, page_keyboard

STYLE = """
body { margin: 0 auto; max-width: 420px; padding: 12px; background: #d7e3d0; font: 15px/1.4 sans-serif; }
div { padding: 8px 12px; border-radius: 12px; margin: 6px 0; white-space: pre-wrap; background: #fff; }
.me { margin-left: 60px; background: #e7fecc; }
blockquote { margin: 2px 0; padding: 4px 10px; border-left: 3px solid #5ca549; background: #f0f7ec;
  border-radius: 4px; }
.button { padding: 6px; margin: 4px 0; text-align: center; background: #7aa06a; color: #fff; }
img { width: 100%; border-radius: 8px; }
"""


def main(store: str, out: str, *questions: str) -> None:
    """Asks the questions in one dialogue and writes the page."""
    assistant = Assistant.open(Path(store))
    memory, body = EMPTY_MEMORY, []
    for question in questions:
        reply = assistant.ask(question, memory)
        memory, answer = reply.memory, reply.answer
        body.append(f'<div class="me">{html.escape(question)}</div>')
        # White space around a block is the block's own line break in Telegram.
        body += [
            f"<div>{part.replace('</blockquote>' + chr(10), '</blockquote>')}</div>"
            for part in render(answer)
        ]
        pages = page_refs(answer)
        keyboard = option_keyboard("t", answer.options) if answer.options else page_keyboard("t", pages)
        body += [
            f'<div class="button">{html.escape(button.text)}</div>'
            for row in keyboard.inline_keyboard
            for button in row
        ]
        for page in pages[:1]:
            png = base64.b64encode(
                render_page(assistant.library, page.book_id, page.file_page, page.quotes)
            ).decode()
            image = f'<img src="data:image/png;base64,{png}">'
            body.append(f"<div>{image}{html.escape(page.caption)}</div>")
    Path(out).write_text(f'<meta charset="utf-8"><style>{STYLE}</style>{"".join(body)}', encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
