"""What kind of answer the rest of a message asks for, once the words of scope are taken out of it.

A request about a section («ответы на вопросы», «о чём», «оглавление») is recognised only when *every* remaining word belongs to the way
such requests are put and at least one of them is its mark. One word from outside («о чём договор?», «какие вопросы решает
парламент?») makes it a question. So a rare wording is taken for a question, never a question for a request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from answer.query import Intent


@dataclass(frozen=True, slots=True)
class _Speech:
    """Vocabulary of one kind of request. Stems match from the beginning of a word."""

    marks: frozenset[str]
    mark_stems: tuple[str, ...]
    words: frozenset[str]
    stems: tuple[str, ...] = ()

    def covers(self, words: Sequence[str]) -> bool:
        """Whether all words belong to it and one is a mark."""
        marked = False
        for word in words:
            if word in self.marks or word.startswith(self.mark_stems):
                marked = True
            elif word not in self.words and not (self.stems and word.startswith(self.stems)):
                return False
        return marked


_COMMON = frozenset(
    "в во на из к ко с со по для о об про у и а все всё весь всего всех мне нам я мы дай дайте дать напиши напишите "
    "написать сделай сделайте сделать покажи покажите скинь скиньте пришли найди найдите помоги помогите помочь "
    "можно можешь можете нужно нужны нужен нужна надо хочу этот этого этому этом эта эту этой это эти этих там тут его "
    "ее их нем него нему ней пожалуйста срочно здесь же".split()
)
_PLACE_STEMS = ("параграф", "учебник", "книг", "пункт", "страниц", "глав")

_SECTION_QUESTIONS = _Speech(
    marks=frozenset(
        ["дз", "гдз", "домашку", "домашка", "домашке", "домашки", "домашнее", "домашнего", "домашней"]
    ),
    mark_stems=("вопрос", "ответ", "задани", "задач", "упражнени"),
    words=_COMMON
    | frozenset(
        "реши решите решить решение решения решебник выполни выполните выполнить отвечай отвечать после конце конец концу "
        "готовые готовый готовое полные полный краткие краткий кратко письменно устно контрольные контрольным проверочные проверочным "
        "самопроверки самоконтроля повторения обсуждения закрепления какие какой есть задали разбери подготовь под номер "
        "номером номера подскажи подскажите скажи спиши списать работа работу работы правильные правильный каждый".split()
    ),
    stems=_PLACE_STEMS,
)
_SUMMARY = _Speech(
    marks=frozenset("чем что суть сути вкратце кратко кратенько коротко краткое краткий план резюме саммари выжимка "
                    "выжимку главное тезисы тезисно объясни объясните поясни сожми прочитай прочти тема название называется "
                    "конспект конспектик законспектируй содержание содержания основное".split()),
    mark_stems=("переска", "расскаж", "конспект", "содержани", "обобщ"),
    words=_COMMON
    | frozenset(
        "чего такое там говорится говорят написано пишут сказано рассказывается рассказано рассказывают идет речь изучается за "
        "составь составьте самое очень подробно подробный подробное полный полное полностью своими словами словах двух "
        "трех простыми простым языком узнать понять знать быстро быстрый мысль мысли идея идеи идею моменты положения основные "
        "основная главная главные главную важное важные какая какой какова каково каков как или мини опиши".split()
    ),
    stems=_PLACE_STEMS,
)  # fmt: skip
_WEAK_SUMMARY_MARKS = frozenset(["что", "чем", "тема", "название", "называется", "план", "главное", "основное", "прочитай", "прочти",
                                 "объясни", "объясните", "поясни"])  # fmt: skip
_CONTENTS = _Speech(
    marks=frozenset("темы тем главы глав параграфы параграфов параграф разделы разделов учебник учебника учебники учебников "
                    "учебнике книга книги книге книгу книг содержание содержания уроки уроков".split()),
    mark_stems=("оглавлени",),
    words=_COMMON
    | frozenset(
        "какие какая какой какое каких сколько есть тебя вас список списком перечень выведи вывести перечисли перечислите назови "
        "назовите что о чем про загружены загружено загружен имеются доступны спросить входят включает содержит "
        "содержится состоит написано говорится рассказывается изучают изучаем изучается проходят проходим проходить учим будем "
        "полный полное краткое их название названия названий номера заголовки бывают содержание темам главам параграфам".split()
    ),
)  # fmt: skip
_BARE_CONTENTS_MARKS = frozenset(["содержание", "содержания", "содержанию"])
_SMALLTALK = _Speech(
    marks=frozenset(
        "привет приветик приветики приветствую прив хай хелло хеллоу hello hi hey ку здравствуй здравствуйте здрасте здрасьте "
        "здраствуйте здраствуй дратути салют дарова здорово добрый доброе доброго доброй спасибо спасибочки спс пасиб пасибо "
        "сенкс благодарю благодарствую пока покеда бб свидания встречи ок окей okay ok thanks ага ясно понятно понял поняла "
        "хорошо отлично пожалуйста супер круто классно молодец умница ты вы тебя вас help хелп помощь старт start да нет лол кек угу"
        .split()
    ),
    mark_stems=(),
    words=frozenset(
        "день дня утро утра вечер вечера ночи ночь большое огромное тебе вам за до скорой завтра кто что как где умеешь умеете "
        "можешь можете знаешь знаете делаешь делать дела зовут бот робот человек нейросеть программа такой такая есть "
        "это все очень и а ну мне работаешь пользоваться работает класс помочь чем зачем нужен спать всем ребята друг дорогой "
        "бы ли настоящий живой откуда создал сделал лет сколько тут здесь".split()
    ),
)  # fmt: skip

_GREETINGS = frozenset(
    "привет приветик приветствую прив хай hello hi здравствуй здравствуйте здрасте здрасьте здраствуйте здраствуй".split()
)
_PLEASE = frozenset(
    "пожалуйста пожалуйсто пожалуйто пожалуста пожайлуста пж пжл пжлст пжалста плиз плз please".split()
)
_ASKING = frozenset(
    "подскажи подскажите скажи скажите помоги помогите срочно дз гдз слушай слушайте эй бот кстати короче".split()
)
_THANKS = frozenset("спасибо спс пасиб пасибо благодарю".split())
_CONNECTORS = frozenset("и а ну так вот но".split())
_QUESTION_STARTS = frozenset(
    "что кто как какой какая какое какие каков какова каково каковы почему зачем отчего когда где куда откуда сколько чем чему чего "
    "кем кого кому о об про в из на для дай назови перечисли объясни расскажи опиши приведи есть правда можно".split()
)


def _phrases(*phrases: str) -> tuple[tuple[str, ...], ...]:
    """Phrases as word lists, the longest first."""
    return tuple(sorted((tuple(phrase.split()) for phrase in phrases), key=len, reverse=True))


_GREETING_PHRASES = _phrases(
    "добрый день", "добрый вечер", "доброе утро", "доброго времени суток", "доброго дня"
)
_REQUEST_PHRASES = _phrases(
    *(
        f"{ask}{please} на вопрос"
        for ask in ("ответь", "ответьте", "ответить", "дай ответ", "дайте ответ", "ответ", "помоги ответить", "помогите ответить",
                    "нужен ответ", "напиши ответ")
        for please in ("", " пожалуйста")
    ),
    "у меня вопрос", "у меня такой вопрос", "можешь сказать", "можете сказать", "можешь подсказать", "можете подсказать",
    "можно узнать", "хочу узнать", "хотел узнать", "хотела узнать", "не могу найти", "не могу понять", "не понимаю", "очень нужно",
    "очень надо", "помогите с дз", "помоги с дз", "задали дз", "нам задали", "мне задали", "домашнее задание", "мне нужно узнать",
)  # fmt: skip
_THANKS_PHRASES = _phrases(
    "заранее спасибо", "спасибо заранее", "спасибо большое", "большое спасибо", "буду благодарен"
)
_LAST_PHRASES = _phrases(
    "очень надо", "очень нужно", "срочно надо", "срочно нужно", "очень срочно", "для дз", "помогите с дз", "помоги с дз",
    "помоги мне", "помогите мне",
)  # fmt: skip
_SELF = frozenset(
    "я мы учусь учимся учится из в во у меня нас мой наш мою моя класс хожу перешел перешла ученик ученица теперь сейчас это "
    "буду".split()
)
# What remains of a question when its topic is taken away.
_STUB = frozenset(
    "что такое это кто такой такая такие зачем почему как когда где о об про чем чему какая какой какое какие каково каков "
    "расскажи дай определение нужна нужно нужен изучает понятие термин значит означает называется слово слова в на и а "
    "объясни назови ты знаешь думаешь любишь".split()
)


def intent_of(
    words: Sequence[str], *, section: bool, tasks: bool, pages: bool, subjects: frozenset[str]
) -> Intent:
    """Intent of a message from the words that remain of it (keys, in order; not empty or with a § named).

    `section`: a § is named or carried over; `tasks`: numbers of questions or tasks are named; `pages`: a page is;
    `subjects`: words of the loaded subjects, which say nothing in a request for the contents.
    """
    if not words:
        if tasks:
            return "section_questions"
        return "summary" if section or pages else "question"
    if _SECTION_QUESTIONS.covers(words) or (tasks and _covered(words, _SECTION_QUESTIONS)):
        return "section_questions"
    if _SUMMARY.covers(words) and (section or pages or _strong_summary(words)):
        return "summary"
    nowhere = not (section or tasks or pages)
    if nowhere and _is_contents(words, subjects):
        return "contents"
    if (section or pages) and _covered(words, _SUMMARY):
        return "summary"
    if nowhere and _SMALLTALK.covers(words):
        return "smalltalk"
    return "question"


def _covered(words: Sequence[str], speech: _Speech) -> bool:
    return all(
        w in speech.words or w in speech.marks or w.startswith(speech.mark_stems + speech.stems)
        for w in words
    )


def _strong_summary(words: Sequence[str]) -> bool:
    """Without any § only an unmistakable request counts («перескажи», «конспект параграфа»), and none for a whole book."""
    if any(word.startswith(("учебник", "книг")) for word in words):
        return False
    strong = [
        word
        for word in words
        if word not in _WEAK_SUMMARY_MARKS
        and (word in _SUMMARY.marks or word.startswith(_SUMMARY.mark_stems))
        and not word.startswith("содержани")
    ]
    if strong:
        return True
    about = "чем" in words or "что" in words
    return about and any(word.startswith("параграф") for word in words)


def _is_contents(words: Sequence[str], subjects: frozenset[str]) -> bool:
    plain = [word for word in words if not (word in subjects or _subject_form(word, subjects))]
    if not plain or not _CONTENTS.covers(plain):
        return False
    if len(plain) < len(words) and not any(
        word.startswith(("оглавл", "парагр", "темы", "учебник", "содерж", "глав")) for word in plain
    ):
        return False
    # «содержание» alone, or of a book; «каково содержание» lacks its object all the same.
    return not (set(plain) & {"это", "такое", "каково", "какое"} and set(plain) & _BARE_CONTENTS_MARKS)


@lru_cache(maxsize=1024)
def _subject_form(word: str, subjects: frozenset[str]) -> bool:
    from index.lemmas import lemmas

    return any(lemma in subjects for lemma in lemmas(word))


def is_stub(words: Sequence[str]) -> bool:
    """Whether nothing is left of a question but its question words («что такое»)."""
    return bool(words) and all(word in _STUB for word in words)


def is_about_self(words: Sequence[str]) -> bool:
    """Whether the rest only introduces the grade («я учусь в», «у нас»)."""
    return all(word in _SELF for word in words)


def politeness(
    words: Sequence[str], stops: Sequence[str], *, requests: bool
) -> tuple[int, int, frozenset[int]]:
    """How many words to drop at the beginning and at the end, and which inside («объясни, пожалуйста, …»).

    `stops[i]` is the sign after word `i` ("" for none): it tells «а что…» from the initial in «А. С. Пушкин».
    With `requests` also words such as «подскажите», «дз», «ответь на вопрос», which may be the request itself.
    """
    start, end = 0, len(words)
    while start < end:
        step = _noise_before(words[start:end], stops[start:end], requests)
        if not step:
            break
        start += step
    while end > start:
        step = _noise_after(words[start:end], requests)
        if not step:
            break
        end -= step
    inside = frozenset(i for i in range(start, end) if words[i] in _PLEASE and not _is_word_itself(words, i))
    return start, len(words) - end, inside


def _is_word_itself(words: Sequence[str], i: int) -> bool:
    """«слово пожалуйста» speaks about the word."""
    return i > 0 and words[i - 1].startswith(("слов", "термин", "поняти"))


def _noise_before(words: Sequence[str], stops: Sequence[str], requests: bool) -> int:
    for phrase in _GREETING_PHRASES + (_REQUEST_PHRASES if requests else ()):
        if tuple(words[: len(phrase)]) == phrase:
            return len(phrase)
    first = words[0]
    if first in _GREETINGS or first in _PLEASE or first in _THANKS:
        return 1
    if requests and (
        (first in _ASKING and stops[0] != ".") or (first in ("вопрос", "задание") and stops[0] == ":")
    ):
        return 1
    if first in _CONNECTORS and len(words) > 1 and stops[0] in ("", ",") and words[1] in _QUESTION_STARTS | _CONNECTORS:
        return 1
    return 0


def _noise_after(words: Sequence[str], requests: bool) -> int:
    for phrase in _THANKS_PHRASES + (_LAST_PHRASES if requests else ()):
        if tuple(words[-len(phrase) :]) == phrase:
            return len(phrase)
    last = words[-1]
    if _is_word_itself(words, len(words) - 1):
        return 0
    if last in _PLEASE or last in _THANKS or (requests and last in _ASKING):
        return 1
    return 1 if last in ("и", "а") and len(words) > 1 else 0
