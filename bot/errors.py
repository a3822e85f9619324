"""Errors of the delivery layer.

BotError
├── PortTaken       the web page's address is in use
├── AddressInvalid  HOST:PORT cannot be read
├── TokenInvalid    Telegram refuses the bot token
├── PollingConflict another instance polls with the same token
├── WebhookRefused  Telegram does not accept the webhook's address
├── DatabaseDamaged the users' database cannot be opened
├── FileUnusable    an archive cannot be read or written
└── PageUnavailable the picture of a page cannot be made
"""

from __future__ import annotations


class BotError(Exception):
    """Base. `str(error)` is a Russian sentence for whoever runs the bot; it names the fix, never a token."""


class PortTaken(BotError):
    """The web page's address is in use."""


class AddressInvalid(BotError):
    """HOST:PORT cannot be read."""


class TokenInvalid(BotError):
    """Telegram refuses the bot token."""


class PollingConflict(BotError):
    """Another instance polls with the same token."""


class WebhookRefused(BotError):
    """Telegram does not accept the webhook's address."""


class DatabaseDamaged(BotError):
    """The users' database cannot be opened."""


class FileUnusable(BotError):
    """An archive cannot be read or written: path, rights, room."""


class PageUnavailable(BotError):
    """The picture of a page cannot be made; the text may be shown to a student."""
