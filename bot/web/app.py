"""The chat page: plain HTML forms, no script needed, and the same answers as JSON."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import secrets
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from aiohttp import web
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from answer.assistant import Assistant, Reply
from answer.phrasing import Phraser
from answer.query import EMPTY_MEMORY, Memory, ScopeOptions
from answer.smalltalk import asks_to_begin_anew, asks_to_forget
from bot.errors import PageUnavailable, PortTaken
from bot.page_picture import render_page
from bot.phrased import phrased
from bot.web.examples import example_questions
from bot.web.sessions import Session, Sessions

logger = logging.getLogger(__name__)

COOKIE = "paragraf"
MAX_BODY = 64 * 1024
API_USAGE = 'Нужен JSON: {"question": "…", "grade"?: 1–11, "paragraph"?: "…", "book_id"?: "…"}.'
HERE = Path(__file__).parent
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

SECURITY_HEADERS = {
    # Everything the page needs comes from this server; book text can never load or run anything.
    "Content-Security-Policy": "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


class AskBody(BaseModel):
    """`POST /api/ask`."""

    model_config = ConfigDict(extra="ignore")

    question: str
    grade: int | None = Field(default=None, ge=1, le=11)
    paragraph: str | None = None
    book_id: str | None = None

    @field_validator("paragraph", mode="before")
    @classmethod
    def _number_to_key(cls, value: Any) -> Any:
        return str(value) if isinstance(value, int) else value


class ChatPage:
    """Handlers over one assistant. Answers are computed in one worker thread, so that the loop stays free."""

    def __init__(self, assistant: Assistant, phraser: Phraser | None) -> None:
        self._assistant = assistant
        self._phraser = phraser
        self._sessions = Sessions()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="answer")
        self._templates = Environment(
            loader=FileSystemLoader(HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
        )

    def application(self) -> web.Application:
        """The aiohttp application."""
        app = web.Application(client_max_size=MAX_BODY, middlewares=[safe_responses])
        app.router.add_get("/", self.show)
        app.router.add_post("/ask", self.ask)
        app.router.add_post("/forget", self.forget)
        app.router.add_get("/picture/{turn}/{page}.png", self.picture)
        app.router.add_post("/api/ask", self.api_ask)
        app.router.add_get("/healthz", self.health)
        app.router.add_static("/static", HERE / "static")
        app.on_cleanup.append(self._close)
        return app

    async def _close(self, _app: web.Application) -> None:
        self._worker.shutdown(wait=False, cancel_futures=True)

    async def _in_worker(self, call: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._worker, call)

    async def _reply(self, message: str, memory: Memory, options: ScopeOptions) -> Reply:
        reply: Reply = await self._in_worker(lambda: self._assistant.ask(message, memory, options))
        return replace(reply, answer=await phrased(self._phraser, message, reply.answer))

    async def show(self, request: web.Request) -> web.Response:
        """The conversation so far and the form."""
        session = self._sessions.find(request.cookies.get(COOKIE))
        library = self._assistant.library
        html = self._templates.get_template("chat.html").render(
            turns=session.turns if session else [],
            memory=session.memory if session else EMPTY_MEMORY,
            books=list(library.books.values()),
            grades=sorted({grade for book in library.books.values() for grade in book.grades}),
            examples=await self._in_worker(lambda: example_questions(library)),
        )
        return web.Response(text=html, content_type="text/html")

    async def ask(self, request: web.Request) -> web.Response:
        """A question from the form, or a choice among the options of a clarifying answer."""
        form = await request.post()
        session = self._sessions.find(request.cookies.get(COOKIE)) or self._sessions.create()
        message, options = _form_question(form, session)
        if asks_to_forget(message) or asks_to_begin_anew(message):
            grade = None if asks_to_forget(message) else session.memory.grade
            session.clear()
            session.memory = replace(EMPTY_MEMORY, grade=grade)
            return web.Response(status=303, headers={"Location": "/"})
        memory = session.memory
        reply = await self._reply(message, memory, options)
        turn = session.add(message, reply.answer, reply.memory)
        response = web.Response(status=303, headers={"Location": f"/#t{turn.turn_id}"})
        response.set_cookie(COOKIE, session.session_id, httponly=True, samesite="Strict")
        return response

    async def forget(self, request: web.Request) -> web.Response:
        """Start afresh."""
        session = self._sessions.find(request.cookies.get(COOKIE))
        if session is not None:
            session.clear()
        return web.Response(status=303, headers={"Location": "/"})

    async def picture(self, request: web.Request) -> web.Response:
        """One cited page with all of the answer's quotes on it highlighted."""
        session = self._sessions.find(request.cookies.get(COOKIE))
        turn = session.turn(request.match_info["turn"]) if session else None
        number = request.match_info["page"]
        pages = turn.pages if turn else []
        if not number.isdecimal() or int(number) >= len(pages):
            raise web.HTTPNotFound(text="Эта страница больше не хранится: задайте вопрос ещё раз.")
        page, library = pages[int(number)], self._assistant.library
        try:
            png = await self._in_worker(
                lambda: render_page(library, page.book_id, page.file_page, page.quotes)
            )
        except PageUnavailable as error:
            raise web.HTTPNotFound(text=str(error)) from error
        return web.Response(
            body=png, content_type="image/png", headers={"Cache-Control": "private, max-age=3600"}
        )

    async def api_ask(self, request: web.Request) -> web.Response:
        """One question, one contract object; no memory."""
        try:
            body = AskBody.model_validate_json(await request.text())
        except (ValidationError, UnicodeDecodeError):
            return _json({"error": API_USAGE}, 400)
        options = ScopeOptions(grade=body.grade, paragraph=body.paragraph, book_id=body.book_id)
        reply = await self._reply(body.question, EMPTY_MEMORY, options)
        return _json(reply.answer.to_json(), 200)

    async def health(self, _request: web.Request) -> web.Response:
        """Whether books are served."""
        library = self._assistant.library
        ready = bool(library.books)
        return _json(
            {"status": "ok" if ready else "empty", "books": len(library.books)}, 200 if ready else 503
        )


def _form_question(form: Any, session: Session) -> tuple[str, ScopeOptions]:
    """The message and the scope chosen with the form's controls."""
    turn = session.turn(str(form.get("turn", "")))
    choice = str(form.get("option", ""))
    if turn is not None and choice.isdecimal() and int(choice) < len(turn.answer.options):
        option = turn.answer.options[int(choice)]
        message = session.memory.pending or turn.message
        return message, ScopeOptions(grade=option.grade, paragraph=option.paragraph, book_id=option.book_id)
    grade = str(form.get("grade", ""))
    chosen = int(grade) if grade.isdecimal() and 1 <= int(grade) <= 11 else None
    return str(form.get("question", "")), ScopeOptions(grade=chosen)


@web.middleware
async def safe_responses(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Security headers on everything; an unexpected error becomes a Russian sentence with a number."""
    try:
        response = await handler(request)
    except web.HTTPException as error:
        error.headers.update(SECURITY_HEADERS)
        raise
    except Exception:
        number = secrets.token_hex(3).upper()
        logger.exception("error %s in %s %s", number, request.method, request.match_info.route.name)
        message = f"Что-то пошло не так, номер ошибки {number}. Попробуйте ещё раз."
        response = (
            _json({"error": message}, 500)
            if request.path.startswith("/api/")
            else web.Response(status=500, text=message)
        )
    response.headers.update(SECURITY_HEADERS)
    return response


def _json(value: Any, status: int) -> web.Response:
    return web.json_response(value, status=status, dumps=lambda item: json.dumps(item, ensure_ascii=False))


async def run_web(
    assistant: Assistant, phraser: Phraser | None, host: str, port: int, ready: Callable[[str], None]
) -> None:
    """Serve until cancelled. Raises PortTaken."""
    runner = web.AppRunner(ChatPage(assistant, phraser).application(), access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        try:
            await site.start()
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EACCES, errno.EADDRNOTAVAIL):
                raise PortTaken(
                    f"Адрес {host}:{port} занят или недоступен. Укажите другой: --web 127.0.0.1:{port + 1}."
                ) from error
            raise
        bound = runner.addresses[0]
        name = f"[{bound[0]}]" if ":" in bound[0] else bound[0]
        ready(f"http://{name}:{bound[1]}/")
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
