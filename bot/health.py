"""/metrics for Prometheus and /health for whoever watches over the process. Nothing personal in either."""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import Callable

from aiohttp import web

from bot.errors import AddressInvalid, PortTaken
from bot.metrics import SILENT_AFTER, Meters

logger = logging.getLogger(__name__)

EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"


def read_listen(text: str, setting: str = "METRICS_LISTEN") -> tuple[str, int]:
    """«9464» and «:9464» (loopback), «0.0.0.0:9464», «[::]:9464». Raises AddressInvalid."""
    host, _, port = text.strip().rpartition(":")
    if not port.isdecimal() or not 0 <= int(port) <= 65535:
        raise AddressInvalid(
            f"{setting}: «{text}» не читается, нужен порт или ХОСТ:ПОРТ, например 127.0.0.1:9464."
        )
    return host.strip("[]") or "127.0.0.1", int(port)


def application(meters: Meters, books: Callable[[], int], *, telegram: bool) -> web.Application:
    """`books`: how many are served now; `telegram`: whether its silence is a fault."""

    async def health(_: web.Request) -> web.Response:
        silent = meters.telegram_silent
        connected = not telegram or (silent is not None and silent < SILENT_AFTER)
        body = {
            "status": "ok" if connected else "starting" if silent is None else "telegram does not answer",
            "books": await asyncio.to_thread(books),
            "questions_waiting": meters.waiting,
            "telegram_silent_seconds": round(silent) if silent is not None else None,
        }
        return web.json_response(body, status=200 if connected else 503)

    async def metrics(_: web.Request) -> web.Response:
        return web.Response(body=meters.exposition(), headers={"Content-Type": EXPOSITION})

    app = web.Application()
    app.router.add_get("/health", health)
    app.router.add_get("/metrics", metrics)
    return app


async def run_health(
    meters: Meters,
    books: Callable[[], int],
    listen: str,
    *,
    telegram: bool,
    ready: Callable[[str], None] = lambda url: None,
) -> None:
    """Serves until cancelled; `ready` gets the address. Raises AddressInvalid, PortTaken."""
    host, port = read_listen(listen)
    runner = web.AppRunner(application(meters, books, telegram=telegram), access_log=None)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            reason = "порт занят" if error.errno == errno.EADDRINUSE else str(error.strerror)
            raise PortTaken(f"METRICS_LISTEN={listen}: {reason}. Укажите другой порт.") from error
        ready(f"http://{host}:{runner.addresses[0][1]}")
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
