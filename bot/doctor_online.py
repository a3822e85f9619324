"""The checks that ask somebody else: Telegram, and the server of a model."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime

from aiogram.exceptions import AiogramError, TelegramNotFound, TelegramUnauthorizedError
from aiohttp import ClientError, ClientSession, ClientTimeout

from answer.generating.settings import GenerationSettings
from bot.doctor import Check
from bot.errors import TokenInvalid
from bot.settings import BotSettings
from bot.telegram.app import make_bot
from bot.telegram.polling import TOKEN_REFUSED

SECONDS = 10
"""For one request."""
LARGEST_SKEW = 60.0
"""Seconds by which this clock may differ from Telegram's: messages are judged by their age."""
OLLAMA = "http://127.0.0.1:11434"
TRANSFORMERS = ("torch", "transformers", "accelerate")


async def telegram(settings: BotSettings) -> list[Check]:
    """Token, webhook, clock."""
    if settings.bot_token is None:
        return [Check("BOT_TOKEN", True, "не задан: будет работать страница чата")]
    try:
        bot = make_bot(settings)
    except TokenInvalid as error:
        return [Check("BOT_TOKEN", False, str(error))]
    try:
        me = await bot.get_me(request_timeout=SECONDS)
        info = await bot.get_webhook_info(request_timeout=SECONDS)
    except (TelegramUnauthorizedError, TelegramNotFound):
        return [Check("BOT_TOKEN", False, TOKEN_REFUSED)]
    except AiogramError as error:
        detail = f"Telegram недоступен ({type(error).__name__}): проверьте сеть и TELEGRAM_API_BASE"
        return [Check("BOT_TOKEN", False, detail)]
    finally:
        await bot.session.close()
    return [
        Check("BOT_TOKEN", True, f"принят, бот @{me.username}"),
        _webhook(info.url, info.last_error_message, info.pending_update_count, settings),
        await _clock(settings.telegram_api_base),
    ]


def _webhook(url: str, error: str | None, pending: int, settings: BotSettings) -> Check:
    """The address itself may hold a secret and is not shown."""
    waiting = f"; ждут сообщений: {pending}" if pending else ""
    if settings.webhook_url is None:
        state = "задан, бот снимет его при запуске" if url else "не задан, бот опрашивает Telegram сам"
        return Check("webhook", True, state + waiting)
    if error:
        return Check("webhook", False, f"Telegram не достучался до WEBHOOK_URL: {error}{waiting}")
    return Check("webhook", True, ("задан" if url else "бот задаст его при запуске") + waiting)


async def _clock(base: str, now: Callable[[], float] = time.time) -> Check:
    """Against the Date of an answer of the Bot API."""
    try:
        async with ClientSession(timeout=ClientTimeout(SECONDS)) as session, session.get(base) as response:
            date = response.headers.get("Date", "")
        skew = now() - parsedate_to_datetime(date).timestamp()
    except (ClientError, TimeoutError, ValueError):
        return Check("часы", True, "не с чем сравнить: сервер не сказал времени")
    if abs(skew) <= LARGEST_SKEW:
        return Check("часы", True, f"расходятся с Telegram на {abs(skew):.0f} с")
    way = "спешат" if skew > 0 else "отстают"
    detail = (
        f"{way} на {abs(skew):.0f} с: свежие вопросы покажутся старыми; включите NTP (timedatectl set-ntp on)"
    )
    return Check("часы", False, detail)


async def model(settings: GenerationSettings | None = None) -> Check:
    """The model that phrases answers. Weights are not loaded: that takes minutes."""
    settings = settings or GenerationSettings()
    match settings.chosen:
        case None:
            return Check("модель ответов", True, "не нужна: ответы состоят из точных цитат")
        case "transformers":
            missing = [name for name in TRANSFORMERS if importlib.util.find_spec(name) is None]
            if missing:
                detail = f"нет пакетов: {', '.join(missing)}; pip install 'paragraf[gpu]'"
                return Check("модель ответов", False, detail)
            return Check("модель ответов", True, f"{settings.llm_model}: пакеты есть, веса загрузит бот")
        case "ollama":
            known = await _names(f"{OLLAMA}/api/tags", "models", "name", None)
            return _served(settings.ollama_model or "", known, f"ollama pull {settings.ollama_model}")
        case "openai":
            key = settings.openai_api_key
            secret = key.get_secret_value() if key is not None else None
            known = await _names(f"{settings.openai_base_url}/models", "data", "id", secret)
            return _served(settings.llm_model, known, "проверьте LLM_MODEL")


async def _names(url: str, under: str, name: str, key: str | None) -> list[str] | None:
    """Names of the models that a server has; None where it cannot be asked."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        async with (
            ClientSession(timeout=ClientTimeout(SECONDS), headers=headers) as session,
            session.get(url) as response,
        ):
            response.raise_for_status()
            said = await response.json()
        return [str(entry[name]) for entry in said[under]]
    except (ClientError, TimeoutError, ValueError, LookupError, TypeError):
        return None


def _served(wanted: str, known: list[str] | None, fix: str) -> Check:
    if known is None:
        detail = "сервер модели не отвечает; пока он недоступен, ответы останутся точными цитатами"
        return Check("модель ответов", False, detail)
    if wanted not in known and f"{wanted}:latest" not in known:
        return Check("модель ответов", False, f"на сервере нет модели {wanted}: {fix}")
    return Check("модель ответов", True, f"{wanted}: есть на сервере")
