"""Which text of a page is believed: lost letters, wrong encodings, other languages, recognised text."""

from __future__ import annotations

import random

import pytest

from index.locate import Word, locate
from index.mojibake import repair
from ingest import layer
from ingest.html_report import missing_numbers
from ingest.leftover import merge
from ingest.lines import Line, RawPage
from ingest.quality import assess
from ingest.tesseract import OcrLine, OcrWord, _Hocr

RUSSIAN = (
    "Общество есть исторически сложившаяся совокупность людей, связанных общими условиями жизни и "
    "совместной деятельностью. Государство охраняет права граждан, собирает налоги и защищает свои "
    "границы. Человек живёт среди людей и усваивает правила поведения, которые старше его самого. "
    "Школа учит читать, считать и думать, а семья учит заботиться друг о друге. Закон един для всех, "
    "и никто не может быть осуждён без суда."
)
KAZAKH = (
    "Қазақстан Республикасы өзін демократиялық, зайырлы, құқықтық және әлеуметтік мемлекет ретінде "
    "орнықтырады. Оның ең қымбат қазынасы адам және адамның өмірі, құқықтары мен бостандықтары болып "
    "табылады. Мемлекеттік биліктің бірден бір бастауы халық. Халық билікті тікелей республикалық "
    "референдум және еркін сайлау арқылы жүзеге асырады, сондай ақ өз билігін жүзеге асыруды "
    "мемлекеттік органдарға береді. Әркімнің өмір сүруге құқығы бар. Ешкімнің өз бетінше адам өмірін "
    "қиюға хақысы жоқ. Тіл үйрену әр оқушының міндеті болып саналады."
)
ENGLISH = (
    "The rule of law is the political philosophy that all citizens and institutions within a country "
    "are accountable to the same laws. It is stated in many ways by the writers of the past, and it "
    "has been part of the constitutions of most countries for a long time."
)
# What English recognition makes of a Russian page.
NONSENSE = (
    "KpynHeMWMx o6uecTBO ecTb ucTopw4ecKu cnoxuBWaAcA CoBOKYNHOCTb nwoAeN, CBA3aHHbIx O6WMMM ycnOBMAMM KU3HM "
    "COBMeCTHON AeATeNbHOCTbIO TocyAapcTBO oxpaHAeT npaBa rpaxAaH co6upaeT Hanorn 3aWMWaeT cBOM rpaHMUbl "
    "YenoBeK XMBeT cpeAM nwAeM ycBaMBaeT npaBMna noBeAeHUA KoTopble cTapwe ero camoro"
)


def page(text: str, number: int = 1, **more: object) -> RawPage:
    lines = tuple(
        Line(row, 50, 50 + 12 * i, 350, 60 + 12 * i, 60 + 12 * i, 10, False, False)
        for i, row in enumerate(text.split("\n"))
    )
    return RawPage(number, 420, 595, text, lines, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [RUSSIAN, KAZAKH, ENGLISH, "57", "E = mc²", "Таблица 3"])
def test_sound_text_of_any_language_is_kept(text: str) -> None:
    assert assess(page(text)).reason is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("\ufffd" * 180 + " 1812 " + "\ufffd" * 120, "нет таблицы букв"),
        (RUSSIAN.encode("cp1251").decode("latin-1"), "кодировка"),
        (NONSENSE, "не на том языке"),
        ("", "скан"),
    ],
)
def test_garbage_is_named(text: str, reason: str) -> None:
    assert reason in (assess(page(text, image_share=1.0)).reason or "")


def test_exchanged_letters_are_noticed() -> None:
    letters = "абвгдежзийклмнопрстуфхцчшщъыьэюя"
    mixed = list(letters)
    random.Random(3).shuffle(mixed)
    garbled = RUSSIAN.lower().translate(str.maketrans(letters, "".join(mixed)))
    assert "перепутаны" in (assess(page(garbled)).reason or "")


def test_a_scan_with_little_or_poor_text_is_looked_at_again() -> None:
    stamp = page("Скачано с сайта. Стр. 5", image_share=1.0)
    poor = page(
        " ".join(w if i % 3 else w[::-1] for i, w in enumerate(RUSSIAN.lower().split())), 2, image_share=0.9
    )
    sound = page(RUSSIAN, 3, image_share=1.0)
    digital = page("Стр. 5", 4, image_share=0.1)
    assert layer.to_recognise([stamp, poor, sound, digital]) == [1, 2]


@pytest.mark.parametrize("name", ["cp1251", "koi8-r", "cp866", "mac_cyrillic", "iso8859_5", "utf-8"])
def test_wrong_encoding_is_found_by_the_words_and_undone(name: str) -> None:
    text = RUSSIAN.replace("ё", "е").lower() if name == "iso8859_5" else RUSSIAN
    broken = text.encode(name).decode("latin-1")
    (mended,) = layer.decode([page(broken)])
    assert mended.repair == name
    assert mended.text == mended.lines[0].text == text
    assert assess(mended).reason is None


def test_signs_of_latex_fonts_are_read_too() -> None:
    broken = "Ãîñóäàðñòâî îõðàíÿåò \u00beïðàâà ãðàæäàí\u00bf \x16 âñåõ ëþ\x7f\näåé, êîòîðûå æèâóò â ñòðàíå"
    (mended,) = layer.decode([page(broken)])
    assert mended.text == "Государство охраняет «права граждан» — всех лю-\nдей, которые живут в стране"


def test_what_becomes_no_russian_is_not_repaired() -> None:
    french = page(
        "Élève, où êtes-vous? Forêt, été, île, hôtel, naïve, façade, château, garçon, à côté, déjà vu"
    )
    noise = page("ÀÁÂÃ ÈÉÊË ÌÍÎÏ ÐÑÒÓ ÔÕÖØ ÙÚÛÜ ÝÞßà áâãä åæçè éêëì íîïð ñòóô õöøù úûüý")
    assert layer.decode([french, noise]) == [french, noise]


def test_words_of_other_fonts_stay_beside_repaired_ones() -> None:
    broken = RUSSIAN.encode("cp1251").decode("latin-1") + " naïve LaTeX 10 °C"
    assert repair(broken, "cp1251") == RUSSIAN + " naïve LaTeX 10 °C"
    assert repair("Ïðàâî", None) == "Ïðàâî"
    with pytest.raises(ValueError, match="koi9"):
        repair("Ïðàâî", "koi9")


def test_a_quote_is_found_on_a_page_of_broken_words() -> None:
    broken = RUSSIAN.encode("cp1251").decode("latin-1").split()
    words = [Word(repair(word, "cp1251"), 10.0 * i, 0, 10.0 * i + 9, 10) for i, word in enumerate(broken)]
    assert locate("Государство охраняет права граждан", words)
    assert not locate("Государство охраняет права граждан", [Word(w, 0, 0, 9, 10) for w in broken])


def test_the_reading_with_more_russian_wins() -> None:
    seen = page(RUSSIAN, ocr=True)
    stamp, sound = page("Скачано с сайта", image_share=1.0), page(RUSSIAN, image_share=1.0)
    assert layer.choose([stamp], {1: seen})[0].ocr
    assert layer.choose([sound], {1: page("Общество есть", ocr=True)}) == [sound]
    (lost,) = layer.choose([page("", image_share=1.0)], {1: page(NONSENSE, ocr=True)})
    assert "не похож на русский" in (lost.failure or "")


def test_sizes_measured_in_pictures_are_made_equal() -> None:
    def line(size: float, text: str) -> Line:
        return Line(text, 0, 0, 100, 10, 10, size, False, False)

    seen = [
        RawPage(1, 1, 1, "x", (line(10.2, "т" * 60), line(14.6, "Заголовок")), ocr=True),
        RawPage(2, 1, 1, "x", (line(9.7, "т" * 60), line(7.4, "сноска")), ocr=True),
    ]
    (big, heading), (small, note) = (page.lines for page in layer.level_sizes(seen, []))
    assert big.size == small.size
    assert heading.size > 1.3 * big.size
    assert note.size < 0.8 * big.size


HOCR = """<div class='ocr_page'>
<span class='ocr_line' title="bbox 10 20 210 52; baseline -0.01 -8; x_size 32; x_d 8">
<span class='ocrx_word' title='bbox 10 20 90 52; x_wconf 96'>Право &amp;</span>
<span class='ocrx_word' title='bbox 100 20 210 52; x_wconf 41'>закон</span></span></div>"""


def test_hocr_is_read_with_its_baseline() -> None:
    parser = _Hocr()
    parser.feed(HOCR)
    (line,) = parser.lines
    assert [(word.text, word.confidence) for word in line.words] == [("Право &", 96.0), ("закон", 41.0)]
    assert line.size == 32
    assert line.base == pytest.approx(52 - 8 - 1)


def test_left_out_numbers_come_before_their_lines() -> None:
    item = OcrLine((100, 50, 400, 80), 30, 75, [
        OcrWord(".", (112, 70, 116, 76), 90), OcrWord("Что", (130, 50, 180, 80), 95)
    ])  # fmt: skip
    found = [
        OcrLine((100, 50, 110, 78), 30, 75, [OcrWord("3", (100, 50, 110, 78), 56)]),
        OcrLine((220, 900, 240, 930), 30, 930, [OcrWord("57", (220, 900, 240, 930), 95)]),
        OcrLine((500, 300, 520, 330), 30, 330, [OcrWord("ъ", (500, 300, 520, 330), 95)]),
    ]
    assert [line.text for line in merge([item], found)] == ["3. Что", "57"]


def test_skipped_numbers_are_named() -> None:
    from index.book import Section

    def section(unit: str, *numbers: str) -> Section:
        return Section("paragraph", unit, numbers, "", None, 1, 1, None)

    assert missing_numbers(
        [section("§", "1"), section("§", "2"), section("§", "4", "5"), section("§", "7")]
    ) == [
        "§ 3",
        "§ 6",
    ]
    assert missing_numbers(
        [section("раздел", "1.1"), section("раздел", "1.3"), section("раздел", "2.1")]
    ) == ["раздел 1.2"]
