"""Families of words: «изменение» and «меняться», «предусматривать» and «предусмотреть» have one root.

A rough root without a dictionary: ending and suffixes off, one prefix off, alternating letters made equal.
"""

from __future__ import annotations

import re
from functools import lru_cache

_SUFFIX = re.compile(
    r"(?:"
    # nouns
    r"(?:[еи]тель|атель|итель|тель)(?:ство|ница|ный|но|ность)?|(?:[еаия]н)?н?(?:ость|ости)|(?:ева|ова|ыва|ива)?(?:ние|нье)|[еая]ние|"
    r"тие|ество|ство|изация|ация|яция|иция|ция|изм|ист|щик|чик|ник|ница|щица|иця|ость|ота|ета|изна|ина|ица|ба|ка|ок|ек|ец|"
    # adjectives and adverbs
    r"(?:ительн|тельн|ственн|еств?енн|енн|анн|янн|ованн|н|ск|еск|ическ|ичн|ов|ев|ив|лив|чив|ист|ат|оват|уч|ач|юч|яч|ущ|ющ|ащ|ящ|вш|ем|им|ом)"
    r"(?:ый|ий|ой|о|е|и)|ский|ский|"
    # verbs
    r"(?:ирова|изирова|ывa|ыва|ива|ова|ева|ну|а|я|е|и|о|у)?(?:ть|ти)(?:ся)?|чь(?:ся)?|"
    # bare endings
    r"ый|ий|ой|ия|ие|ье|а|я|о|е|ь|й"
    r")$"
)
_PREFIX = re.compile(
    r"(?:без|бес|взаимо|воз|вос|вз|вс|вы|до|за|из|ис|на|недо|об|обез|о|ото|от|пере|по|под|подо|пред|пре|при|про|раз|рас|разо|с|со|у|в)(?=\w{3,})"
)
_CLASS = str.maketrans("оёиыюжзгчщцшх", "аеееуDDDTTTSS")
_END = str.maketrans("дткс", "DTTS")
_LEAST = 3


@lru_cache(maxsize=100_000)
def roots(lemma: str) -> frozenset[str]:
    """Possible roots of a lemma, in letters that alternations do not change; empty for short words."""
    stems = {lemma}
    stem = lemma
    for _ in range(3):
        cut = _SUFFIX.sub("", stem)
        if cut == stem or len(cut) < _LEAST:
            break
        stems.add(cut)
        stem = cut
    stems.discard(lemma)
    stems |= {_PREFIX.sub("", stem, count=1) for stem in set(stems)}
    return frozenset(key for stem in stems if len(key := _key(stem)) >= _LEAST)


def _key(stem: str) -> str:
    stem = re.sub(r"([бпвмф])л$", r"\1", stem.replace("жд", "ж"))
    stem = re.sub(r"ск$|ст$", "щ", stem)
    head, last = stem[:-1].translate(_CLASS), stem[-1:].translate(_CLASS).translate(_END)
    return (head + last).replace("ь", "").replace("й", "")


@lru_cache(maxsize=200_000)
def one_family(first: str, second: str) -> bool:
    """Whether two lemmas share a root of at least three letters, four where only the suffixes were cut."""
    shared = roots(first) & roots(second)
    return any(len(key) >= 4 or re.search(r"[аеуэяю]", key) for key in shared if len(key) >= _LEAST)
