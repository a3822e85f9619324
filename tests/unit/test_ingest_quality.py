"""Which text of a page is believed: lost letters, wrong encodings, other languages, recognised text."""

from __future__ import annotations

import random

import numpy as np
import pytest

from index.locate import Word, locate
from index.mojibake import repair
from ingest import layer
from ingest.html_report import missing_numbers
from ingest.leftover import Piece, merge, pieces, read_off, stack
from ingest.legible import has_lines, is_blank
from ingest.lighting import even
from ingest.lines import Line, RawPage
from ingest.quality import assess
from ingest.repair import clean
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


def word(text: str, x0: float, y0: float, x1: float, y1: float, confidence: float = 95) -> OcrWord:
    return OcrWord(text, (x0, y0, x1, y1), confidence)


def row(*words: OcrWord) -> OcrLine:
    x0, y0, y1 = words[0].box[0], min(w.box[1] for w in words), max(w.box[3] for w in words)
    return OcrLine((x0, y0, words[-1].box[2], y1), y1 - y0, y1 - 5, list(words))


def ink(box: tuple[float, float, float, float], stands_for: tuple[int, int] | None = None) -> Piece:
    return Piece(box, np.zeros((1, 1), dtype=np.uint8), stands_for)


def test_left_out_numbers_come_before_their_lines() -> None:
    item = row(word(".", 112, 70, 116, 76), word("Что", 130, 50, 180, 80), word("это", 200, 50, 260, 80))
    found = [
        ink((100, 50, 110, 78)), ink((220, 900, 240, 930)), ink((500, 300, 520, 330)), ink((185, 50, 190, 78))
    ]  # fmt: skip
    russian = {0: word("3", 0, 0, 1, 1, 56), 1: word("З7", 0, 0, 1, 1), 2: word("ъ", 0, 0, 1, 1)}
    russian[3] = word("1", 0, 0, 1, 1)
    merged = merge([item], found, russian, {1: word("57", 0, 0, 1, 1)})
    assert [line.text for line in merged] == ["3. Что это", "57"], "no stroke of a letter becomes a number"


def test_roman_numerals_take_the_place_of_their_look_alikes() -> None:
    lines = [
        row(word("В", 0, 0, 10, 30), word("ХГХ", 20, 0, 60, 30), word("в.", 70, 0, 90, 30)),
        row(word("В", 0, 50, 10, 80), word("в.", 90, 50, 110, 80), word("У", 120, 50, 130, 80)),
        row(word("Глава", 0, 100, 60, 130), word("П.", 70, 100, 90, 130), word("Право", 100, 100, 150, 130)),
        row(word("ТУ", 0, 150, 20, 180), word("партию", 30, 150, 90, 180)),
    ]
    stands_for = {(0, 1): "XIX", (2, 1): "II"}
    found = pieces(np.full((200, 200), 255, dtype=np.uint8), lines)
    assert {piece.word for piece in found} == stands_for.keys(), "only where a Roman numeral belongs"
    numerals = {i: word(stands_for[piece.word], 0, 0, 1, 1) for i, piece in enumerate(found) if piece.word}
    found.append(ink((20, 50, 80, 80)))
    numerals[len(found) - 1] = word("XVI", 0, 0, 1, 1)
    assert [line.text for line in merge(lines, found, {}, numerals)] == [
        "В XIX в.",
        "В XVI в. У",
        "Глава II. Право",
        "ТУ партию",
    ]
    nonsense = {i: word("XIIX", 0, 0, 1, 1) for i in range(len(found))}
    assert [line.text for line in merge(lines, found, {}, nonsense)] == [line.text for line in lines]


def test_signs_of_sections_are_put_right_where_both_readings_agree() -> None:
    lines = [
        row(word("82.", 0, 0, 30, 30), word("Семья", 40, 0, 90, 30)),
        row(word("(см.", 0, 50, 30, 80), word("8", 40, 50, 50, 80), word("12).", 60, 50, 90, 80)),
        row(word("83.", 0, 100, 30, 130), word("Решите", 40, 100, 90, 130)),
    ]
    found = pieces(np.full((200, 200), 255, dtype=np.uint8), lines)
    assert [piece.word for piece in found] == [(0, 0), (1, 1), (2, 0)]
    numerals = {0: word("§2", 0, 0, 1, 1, 0), 1: word("§12", 0, 0, 1, 1), 2: word("83", 0, 0, 1, 1)}
    texts = [line.text for line in merge(lines, found, {}, numerals)]
    assert texts == ["§2. Семья", "(см. § 12).", "83. Решите"]


def test_pieces_are_set_apart_and_found_again() -> None:
    found = [ink((0, 0, 40, 30)), ink((0, 0, 10, 60))]
    found = [Piece(piece.box, np.zeros((30 + 30 * i, 40), dtype=np.uint8)) for i, piece in enumerate(found)]
    page, middles = stack(found)
    assert [int(page[y, 80]) for y in middles] == [0, 0]
    assert page[: middles[0] - 15].min() == 255
    seen = [row(word("4", 60, y - 10, 70, y + 10)) for y in middles]
    assert {i: found.text for i, found in read_off(seen, middles).items()} == {0: "4", 1: "4"}
    assert read_off([*seen, seen[0]], middles).keys() == {1}, "two words in one piece are no number"


def test_shadow_and_surroundings_are_taken_off() -> None:
    rng = np.random.default_rng(0)
    sheet = np.full((960, 720), 220.0)
    sheet[100:900:24, 100:640] = 60  # type
    light = 1 - 0.6 * np.exp(-np.arange(720) / 150)
    photo = np.full((1200, 960), 30.0)
    photo[120:1080, 120:840] = sheet * light
    flat = even(np.clip(photo + rng.normal(0, 4, photo.shape), 0, 255).astype(np.uint8))
    assert flat.shape == photo.shape
    assert flat[:100].min() == 255, "the table around the sheet is white"
    assert flat[:, :100].min() == 255
    paper = flat[130:210, 150:800]
    assert paper.min() > 170, "paper in the shadow, 90 on the photo, is nearly as white as elsewhere"
    rows = flat[220 : 220 + 24 * 30 : 24, 240:740]
    assert rows.max() < 140, "type stays dark"


def test_rows_of_type_are_told_from_pictures_and_blank_paper() -> None:
    rng = np.random.default_rng(0)
    blank = np.clip(rng.normal(240, 5, (1200, 840)), 0, 255).astype(np.uint8)
    type_ = blank.copy()
    for y in range(100, 1100, 30):
        type_[y : y + 12, 90:750] = np.clip(rng.normal(190, 20, (12, 660)), 0, 255)
    xs, ys = np.meshgrid(np.linspace(0, 9, 840), np.linspace(0, 7, 1200))
    picture = (120 + 60 * np.sin(xs) * np.cos(ys)).astype(np.uint8)
    assert (has_lines(type_), is_blank(type_)) == (True, False)
    assert (has_lines(picture), is_blank(picture)) == (False, False)
    assert (has_lines(blank), is_blank(blank)) == (False, True)


def test_a_layer_that_misses_text_is_found_out_by_a_sample() -> None:
    text = f"{RUSSIAN} {RUSSIAN}"
    whole = [page(text, number, image_share=1.0, layered=True) for number in range(1, 41)]
    sample = layer.to_sample(whole)
    assert 3 <= len(sample) <= 6
    assert max(sample) - min(sample) > 20
    assert layer.to_recognise(whole) == []
    seen = {number: page(text, number, ocr=True) for number in sample}
    assert layer.behind(whole, seen) == [], "a sound layer costs no recognition"
    assert layer.choose(whole, seen) == whole
    missing = [page(RUSSIAN, number, image_share=1.0, layered=True) for number in range(1, 41)]
    rest = layer.behind(missing, seen)
    assert sorted([*rest, *sample]) == list(range(1, 41))
    assert all(p.ocr for p in layer.choose(missing, {n: page(text, n, ocr=True) for n in range(1, 41)}))
    background = [page(RUSSIAN, number, image_share=1.0) for number in range(1, 41)]
    assert layer.to_sample(background) == [], "text that is painted over a picture is no layer"


def test_a_layer_of_one_plain_type_gives_way_to_a_reading_with_headings() -> None:
    from dataclasses import replace

    own = page(RUSSIAN, image_share=1.0, layered=True)
    seen = page(RUSSIAN, ocr=True)
    heading = replace(seen, lines=(replace(seen.lines[0], bold=True), *seen.lines[1:]))
    assert layer.choose([own], {1: seen}) == [own]
    assert layer.choose([own], {1: heading})[0].ocr
    with_headings = replace(own, lines=(replace(own.lines[0], bold=True),))
    assert layer.choose([with_headings], {1: heading}) == [with_headings]
    assert layer.behind([own, replace(own, file_page=2)], {1: heading}) == [2]


def test_signs_of_a_text_layer_are_put_right() -> None:
    (decoded,) = layer.decode([page("Об этом сказано в $ 3, см. 8 12.", layered=True)])
    assert decoded.lines[0].text == "Об этом сказано в § 3, см. § 12."


def test_latin_look_alikes_of_a_whole_page_become_russian() -> None:
    latin = str.maketrans("аеорсухАВСЕНКМОРТХ", "aeopcyxABCEHKMOPTX")
    (decoded,) = layer.decode([page(RUSSIAN.translate(latin))])
    assert " ".join(clean(line.text) for line in decoded.lines) == RUSSIAN
    sound = page("Возьмём точку A и прямую a, проведём отрезок OC. " + RUSSIAN)
    assert layer.decode([sound]) == [sound], "letters of geometry stay where nothing is wrong"


def test_latin_words_stay_where_other_letters_are_at_fault() -> None:
    faulty = RUSSIAN.replace("р", "p")
    (decoded,) = layer.decode([page(f"{faulty} Шрифты в формате Type 1, программа на языке C, система TEX.")])
    text = " ".join(clean(line.text) for line in decoded.lines)
    assert text == f"{RUSSIAN} Шрифты в формате Type 1, программа на языке C, система TEX."


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
