"""Who acts and who is acted upon in each clause."""

from __future__ import annotations

from answer.checking.words import Reading, Sentence, Word, read_word

_COPULAR = frozenset(
    [
        "являться",
        "становиться",
        "оказаться",
        "оказываться",
        "казаться",
        "считаться",
        "называться",
        "остаться",
        "оставаться",
        "сделаться",
    ]
)


def mark_voices(sentence: Sentence) -> None:
    """Names agents and patients where the segment has a verb."""
    for segment in set(sentence.segments):
        words = [word for word in sentence.words if word.segment == segment]
        if {"есть", "имеется", "имеются", "было", "была", "были"} & {
            token for token, at in zip(sentence.tokens, sentence.segments, strict=True) if at == segment
        }:
            for owner in (word for word in words if "у:gent" in word.forms):
                owner.roles |= {"agent"}  # «власть есть у тренера»
        verbs = [word for word in words if word.pos in ("VERB", "PRTS")]
        nouns = [
            word for word in words if word.pos in ("NOUN", "UNKN") or (word.pos == "ADJF" and word.roles)
        ]
        agentive = any(":ablt" in word.roles for word in nouns)
        for verb in verbs[:1]:
            reading = read_word(verb.text.lower())
            passive = verb.pos == "PRTS" or (
                verb.lemma.endswith("ся") and verb.lemma not in _COPULAR and agentive
            )
            for noun in nouns:
                roles = set(noun.roles)
                joined = sentence.tokens[noun.index - 1 : noun.index] == ["и"] or sentence.tokens[
                    noun.index + 1 : noun.index + 2
                ] == ["и"]
                if ":nomn" in roles and not joined and not _agrees(noun.text.lower(), reading):
                    roles.discard(":nomn")
                names = set()
                if ":nomn" in roles:
                    names.add("patient" if passive else "agent")
                if ":accs" in roles and not passive and reading.transitive:
                    names.add("patient")
                if ":ablt" in roles and passive:
                    names.add("agent")
                kept = {
                    role
                    for role in roles
                    if role not in (":nomn", ":accs") and not (role == ":ablt" and passive)
                }
                noun.roles = frozenset(kept | names)
            _sure_subject(nouns, verb)
            if len({w.segment for w in sentence.words if w.pos in ("VERB", "PRTS")}) == 1:
                _word_order(nouns, verb)


def _sure_subject(nouns: list[Word], verb: Word) -> None:
    """«Деньги возникли»: the only noun that can be the subject is nothing else."""
    subjects = [noun for noun in nouns if "agent" in noun.roles and noun.index < verb.index]
    if len(subjects) == 1 and subjects[0].pos == "NOUN" and "patient" not in subjects[0].roles:
        subjects[0].roles = frozenset({"agent"})


def _word_order(nouns: list[Word], verb: Word) -> None:
    """«Бытие определяет сознание»: where forms decide nothing, the first is the agent."""
    both = [noun for noun in nouns if noun.pos == "NOUN" and {"agent", "patient"} <= noun.roles]
    sure = any("agent" in noun.roles and "patient" not in noun.roles for noun in nouns)
    before = [noun for noun in both if noun.index < verb.index]
    after = [noun for noun in both if noun.index > verb.index]
    if before and after and not sure:
        before[0].roles -= {"patient"}
        after[0].roles -= {"agent"}
    elif sure:
        for noun in both:
            noun.roles -= {"agent"}


def _agrees(noun: str, verb: Reading) -> bool:
    reading = read_word(noun)
    if not reading.numbers or not verb.numbers:
        return True
    if not reading.numbers & verb.numbers:
        return False
    return not (
        verb.past
        and verb.genders
        and reading.genders
        and "sing" in verb.numbers
        and not verb.genders & reading.genders
    )
