"""Single rules of the support check."""

# ruff: noqa: E501 - a table of Russian wordings reads best one case a line

from __future__ import annotations

import pytest

from answer.checking.contacts import contact_key, find_contacts
from answer.checking.drafts import Draft, Fragment
from answer.checking.families import one_family
from answer.checking.support import check_support


def reasons(source: str, draft: str) -> tuple[str, ...]:
    """Why the draft is removed; () where it is kept."""
    (sentence,) = check_support(Draft(draft, ("f1",)), [Fragment("f1", source)]).sentences
    return sentence.reasons


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("изменение", "меняться"),
        ("предусматривать", "предусмотреть"),
        ("общаться", "общение"),
        ("платить", "оплачивать"),
        ("рождение", "родиться"),
        ("накапливать", "накопление"),
        ("зарабатывать", "заработок"),
    ],
)
def test_words_of_one_family(first: str, second: str) -> None:
    assert one_family(first, second)
    assert one_family(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [("мир", "мера"), ("сын", "сон"), ("спрос", "предложение"), ("доход", "расход"), ("учитель", "ученик")],
)
def test_words_of_different_families(first: str, second: str) -> None:
    assert not one_family(first, second)


@pytest.mark.parametrize(
    ("source", "honest"),
    [
        (
            "Мы так привыкли к слову, что редко задумываемся о его значении.",
            "О значении слова мы почти не задумываемся.",
        ),
        (
            "Потребности людей безграничны, а ресурсы ограничены.",
            "Потребности людей не имеют границ, а ресурсы ограничены.",
        ),
        (
            "Учёные не считают труд единственной причиной.",
            "Учёные считают, что труд — не единственная причина.",
        ),
        (
            "Женщины, рабы и переселенцы права голоса не имели.",
            "Голосовать не могли женщины, рабы и переселенцы.",
        ),
        ("Закон приняли в США в 1890 году.", "Закон приняли в Соединённых Штатах в 1890 году."),
        (
            "Первыми стали польская и французская конституции 1791 года.",
            "Первые конституции появились в Польше и во Франции в 1791 году.",
        ),
        ("Власть есть у тренера над командой.", "Тренер имеет власть над командой."),
    ],
)
def test_honest_turns_are_kept(source: str, honest: str) -> None:
    assert reasons(source, honest) == ()


@pytest.mark.parametrize(
    ("source", "slip", "kind"),
    [
        ("Главы 1 и 2 Собрание изменить не может.", "Собрание может изменить главы 1 и 2.", "negation"),
        ("Рынок не возьмётся освещать улицы.", "Рынок сам освещает улицы.", "negation"),
        (
            "Денежный штраф законодательством не предусмотрен.",
            "Законодательство предусматривает денежный штраф.",
            "negation",
        ),
        (
            "Культура поддерживает преемственность поколений.",
            "Культура не обеспечивает преемственности поколений.",
            "negation",
        ),
        ("Рынок возник гораздо раньше денег.", "Деньги возникли гораздо раньше рынка.", "compared"),
        (
            "Изменить основной закон труднее, чем обычный.",
            "Изменить обычный закон труднее, чем основной.",
            "compared",
        ),
        (
            "За умышленные поступки отвечают строже.",
            "За неосторожные поступки отвечают строже, чем за умышленные.",
            "compared",
        ),
        (
            "Богатство переходит от обеспеченных людей к бедным.",
            "Богатство переходит от бедных людей к обеспеченным.",
            "direction",
        ),
        (
            "Дикая яблоня создана природой, а яблоневый сад — это культура.",
            "Яблоневый сад создан природой, а дикая яблоня — это культура.",
            "terms",
        ),
        (
            "Государство возникло из соглашения людей, отказавшихся от части своей свободы ради безопасности.",
            "Государство возникло из соглашения людей, отказавшихся от безопасности ради свободы.",
            "roles",
        ),
    ],
)
def test_what_is_turned_around_is_removed(source: str, slip: str, kind: str) -> None:
    assert kind in {reason.split(":")[0] for reason in reasons(source, slip)}


def test_a_description_belongs_to_its_term() -> None:
    source = (
        "Различают два типа господства:\n\nтрадиционное, основанное на обычае и привычке;\n\n"
        "харизматическое, которое держится на вере в исключительные качества вождя."
    )
    assert (
        reasons(source, "Харизматическое господство держится на вере в исключительные качества вождя.") == ()
    )
    assert reasons(source, "Традиционное господство держится на вере в исключительные качества вождя.")


def test_a_name_belongs_to_what_is_said_of_it() -> None:
    source = (
        "Слово появилось в Италии. Самый страшный пример — нацистская Германия. "
        "Её правители развязали мировую войну и уничтожили миллионы людей."
    )
    assert reasons(source, "Правители Германии развязали мировую войну и уничтожили миллионы людей.") == ()
    assert reasons(source, "Правители Италии развязали мировую войну и уничтожили миллионы людей.") == (
        "name: Италии",
    )


@pytest.mark.parametrize(
    "text",
    [
        "скорость 60 км/ч",
        "и/или",
        "8 000 000 000 рублей",
        "в 1941—1945 гг.",
        "§ 2.3.1",
        "т. е. люди",
        "1:1 000",
        "№ 273-ФЗ",
        "2 * 3 = 6",
        "C# и C++",
    ],
)
def test_ordinary_text_holds_no_address(text: str) -> None:
    assert find_contacts(text) == []


def test_two_spellings_of_an_address_are_one() -> None:
    assert contact_key("t . me/Bot") == contact_key("t.mе/bot")
    assert contact_key("+7 (495) 123-45-67") == contact_key("8 495 123 45 67")
