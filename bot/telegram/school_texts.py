"""What is said about access, limits and the work of admins. Plain Russian text, sent without a parse mode."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

from bot.access import Invite
from bot.limits import Refusal

NOT_ADMITTED = (
    "Я отвечаю только ученикам школы, которая меня подключила. "
    "Попросите у учителя ссылку-приглашение и откройте её."
)
GROUP_NOT_ADMITTED = (
    "В этой группе я пока не отвечаю: пусть учитель, который мной управляет, напишет здесь /allow."
)
CODE_REFUSED = "Эта ссылка больше не действует. Попросите у учителя новую."
ADMITTED = "Готово, доступ открыт."
FORGET_ENDS_ACCESS = (
    "Вместе с остальным удалится и ваш доступ: чтобы спрашивать снова, ещё раз откройте ссылку учителя."
)
GROUP_ADMITTED = "Готово: в этой группе я отвечаю всем. Отключить: /disallow"
GROUP_DISMISSED = "Готово: в этой группе я больше не отвечаю."
ONLY_IN_GROUPS = "Эта команда нужна в группе: напишите её там, где бот должен отвечать."
ONLY_IN_PRIVATE = "Эту команду напишите мне в личном чате: ссылку увидят все, кто в этой группе."
ALREADY_OPEN = "Сейчас бот открыт для всех (ACCESS=open), ссылки начнут действовать при ACCESS=invited."
INVITE_USAGE = """Как сделать ссылку: /invite НАЗВАНИЕ СКОЛЬКО ДНЕЙ
Например: /invite 10А 30 — для 10А, не больше 30 учеников.
Или: /invite 10А 30 14 — ссылка действует 14 дней."""
NO_INVITES = "Действующих ссылок нет. Сделать: /invite 10А 30"
INVITE_GONE = "Этой ссылки уже нет."
REVOKE = "Отозвать"
REVOKE_LINK_ONLY = "Только ссылку"
REVOKE_MEMBERS = "Ссылку и доступ учеников"
KEEP = "Не отзывать"
KEPT = "Ссылка осталась."

ADMIN_COMMANDS = {
    "invite": "ссылка для класса",
    "invites": "действующие ссылки",
    "remove": "убрать учебник",
    "stats": "как пользуются ботом",
}


def too_many(refusal: Refusal) -> str:
    """Said once per window to whoever is beyond a limit."""
    if refusal.daily:
        return (
            "На сегодня это всё: больше вопросов за сутки я не принимаю. "
            f"Приходите через {_span(refusal.wait)}."
        )
    return f"Слишком много вопросов подряд. Подождите {_span(refusal.wait)}, пожалуйста."


def my_id(user_id: int) -> str:
    """For whoever is to become an admin."""
    return f"Ваш номер в Telegram: {user_id}. Чтобы управлять ботом, его вписывают в ADMIN_IDS на сервере."


def invite_made(invite: Invite, link: str) -> str:
    """The link, shown this once."""
    return (
        f"Ссылка для «{invite.label}»:\n{link}\n\n"
        f"Сработает для {people(invite.uses)} до {day(invite.expires_at)}. "
        "Больше я её не покажу: перешлите её ученикам. Все ссылки: /invites"
    )


def invite_list(invites: Sequence[Invite]) -> str:
    """One line per link; the buttons below revoke them."""
    lines = [
        f"• {invite.label}: вошли {invite.used} из {invite.uses}, до {day(invite.expires_at)}"
        for invite in invites
    ]
    return "Действующие ссылки:\n" + "\n".join(lines)


def revoke_question(label: str) -> str:
    """Before a link is revoked."""
    return f"Что отозвать у «{label}»?"


def revoked(label: str, members: int | None) -> str:
    """After it; `members` None: they keep their access."""
    if members is None:
        return f"Ссылка «{label}» больше не действует. Кто уже вошёл, может спрашивать и дальше."
    return f"Ссылка «{label}» больше не действует, доступ закрыт: {people(members)}."


def people(number: int) -> str:
    """«1 ученика», «30 учеников» (genitive)."""
    return f"{number} {'ученика' if number % 10 == 1 and number % 100 != 11 else 'учеников'}"


def day(moment: datetime) -> str:
    """«30.12.2026», in the machine's own time."""
    return moment.astimezone().strftime("%d.%m.%Y")


def _span(seconds: float) -> str:
    """«4 мин.», «5 ч.», rounded up."""
    minutes = max(1, math.ceil(seconds / 60))
    return f"{minutes} мин." if minutes <= 90 else f"{math.ceil(minutes / 60)} ч."
