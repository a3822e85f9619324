"""Runs the Telegram bot and the web page side by side until one of them stops."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import signal
from dataclasses import dataclass
from pathlib import Path

import click

from answer.assistant import Assistant
from answer.phrasing import Phraser
from bot.errors import AddressInvalid
from bot.health import run_health
from bot.metrics import Meters
from bot.settings import BotSettings
from bot.telegram.app import run_bot
from bot.web.app import run_web

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WebAddress:
    """Where the web page listens."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> WebAddress:
        """«HOST:PORT», «:PORT» (loopback); IPv6 in brackets. Raises AddressInvalid."""
        host, separator, port = text.rpartition(":")
        if not separator or not port.isdecimal() or not 0 <= int(port) <= 65535:
            raise AddressInvalid(f"Адрес «{text}» не читается: нужен ХОСТ:ПОРТ, например 127.0.0.1:8080.")
        return cls(host.strip("[]") or "127.0.0.1", int(port))

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


async def serve_forever(
    assistant: Assistant,
    phraser: Phraser | None,
    settings: BotSettings,
    telegram: bool,
    web: WebAddress | None,
    open_browser: bool,
    store_dir: Path,
) -> None:
    """Runs until SIGINT or SIGTERM; the first part that fails stops the other and its error is raised."""
    loop, me = asyncio.get_running_loop(), asyncio.current_task()
    stopped = False

    def stop() -> None:
        nonlocal stopped
        stopped = True
        if me is not None:
            me.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    meters = Meters()
    try:
        async with asyncio.TaskGroup() as tasks:
            if settings.metrics_listen is not None:
                books = lambda: len(assistant.library.books)  # noqa: E731 - looked up at every request
                listen = settings.metrics_listen
                tasks.create_task(run_health(meters, books, listen, telegram=telegram, ready=_health_ready))
            if web is not None:
                tasks.create_task(_web(assistant, phraser, web, open_browser))
            if telegram:
                tasks.create_task(run_bot(assistant, settings, phraser, store_dir=store_dir, meters=meters))
    except asyncio.CancelledError:
        if not stopped:
            raise
    except ExceptionGroup as group:
        raise group.exceptions[0] from None
    finally:
        if phraser is not None:
            await phraser.close()


def _health_ready(url: str) -> None:
    logger.info("%s/health and %s/metrics", url, url)


async def _web(
    assistant: Assistant, phraser: Phraser | None, address: WebAddress, open_browser: bool
) -> None:
    if not address.is_loopback:
        logger.warning("the web page listens on %s: anyone who reaches this machine can ask", address.host)

    def ready(url: str) -> None:
        click.echo(f"Страница чата: {url}  (остановить: Ctrl+C)")
        if open_browser:
            click.launch(url)

    await run_web(assistant, phraser, address.host, address.port, ready)
