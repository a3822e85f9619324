"""A stand-in for Telegram's Bot API over HTTP, for tests and for trying the bot out without Telegram."""
