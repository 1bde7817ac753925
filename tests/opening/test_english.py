import json

import pytest

from rag.opening.english import is_english, is_foreign

FOREIGN = """
Welche Handschuhe brauche ich für Dichlormethan?
Wie oft wird der Feuerlöscher geprüft?
wer bezahlt die reinigung der wohnung
Wann beginnt die Mittagspause im Sommer?
Kann ich den Vertrag vorzeitig kündigen?
Quels gants faut-il porter au laboratoire ?
À quelle heure ouvre la cantine ?
combien coûte une place de parking
Puis-je emmener mon chien au bureau ?
¿Qué guantes debo usar en el laboratorio?
¿A qué hora abre la cafetería?
quien paga la limpieza del piso
Quais luvas devo usar no laboratório?
A que horas abre a cantina?
Quali guanti devo indossare in laboratorio?
A che ora apre la mensa?
Welke handschoenen moet ik in het lab dragen?
Hoe laat gaat de kantine open?
Jakie rękawice nosić w laboratorium?
O której otwiera się stołówka?
Vilka handskar ska jag använda i labbet?
När öppnar matsalen på morgonen?
Hvilke handsker skal jeg bruge i laboratoriet?
Mitä käsineitä laboratoriossa pitää käyttää?
Milyen kesztyűt kell viselni a laborban?
Laboratuvarda hangi eldivenleri giymeliyim?
Какие перчатки нужны в лаборатории?
Коли відкривається їдальня?
Ποια γάντια πρέπει να φοράω;
ما القفازات المطلوبة في المختبر؟
באיזו שעה נפתחת הקפיטריה?
प्रयोगशाला में कौन से दस्ताने चाहिए?
实验室需要戴什么手套？
実験室ではどの手袋が必要ですか？
실험실에서는 어떤 장갑이 필요합니까?
Tôi cần đeo găng tay nào trong phòng thí nghiệm?
ต้องใส่ถุงมืออะไรในห้องแล็บ
""".strip().splitlines()
ENGLISH = """
pcb holes gerber
What does Schadenfreude mean?
Who wrote Le Petit Prince and where?
Is crème brûlée on the menu?
Haftpflicht insurance claim
CCTV retention GDPR Datenschutz
Dr Müller-Lüdenscheidt phone Zürich
menu del dia price
β-carotene content
Kräuter tea how long
npm run build eslint tsconfig
ZX-81 RAM kB
São Paulo office wifi
Angela Merkel Bundestag speech date
hi
wat r the opning hrs
glovs for dichlormethane
tldr pls
Homo sapiens vs Homo neanderthalensis
in vitro fertilisation cost
Rigoletto Traviata Verdi premiere
jiu jitsu dojo etiquette
E. coli O157:H7
""".strip().splitlines()


def test_nine_of_ten_questions_in_other_languages_are_foreign():
    missed = [text for text in FOREIGN if not is_foreign(text)]

    assert len(missed) <= len(FOREIGN) // 10, missed


@pytest.mark.parametrize("text", ENGLISH)
def test_names_keywords_loan_words_and_typing_errors_are_not_foreign(text):
    assert not is_foreign(text)


@pytest.mark.data
@pytest.mark.parametrize("name", ["everyday_dev", "sec10q", "openstax_biology", "squad2"])
def test_at_most_one_of_200_english_questions_is_foreign(shared_data, name):
    lines = (shared_data / name / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [json.loads(line)["question"] for line in lines]
    foreign = [text for text in asked if is_foreign(text)]

    assert len(foreign) <= len(asked) // 200, foreign


def test_a_question_of_signs_alone_is_not_foreign():
    assert not is_foreign("???")
    assert not is_foreign("42 + 17 = ?")


def test_british_and_american_spellings_are_english_and_a_possessive_is_its_owner():
    assert all(map(is_english, ("colour", "color", "organise", "Lab's", "a")))
    assert not is_english("glovs")
