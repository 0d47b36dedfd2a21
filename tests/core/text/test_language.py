"""Is it English? Own sentences in ten languages, and English ones that look foreign."""

import pytest

from vista_stream.core.text.language import is_english

FOREIGN = {
    "German": [
        "Die Hauptstadt von Frankreich ist seit langem Paris.",
        "Das Buch wurde von einer jungen Autorin in Leipzig geschrieben.",
        "Marie Curie erhielt zwei Nobelpreise für ihre Arbeit.",
        "Der Fluss ist etwa 300 Kilometer lang und mündet in die Nordsee.",
        "Im Jahr 1969 landeten Menschen zum ersten Mal auf dem Mond.",
        "Albert Einstein wurde 1879 in Ulm geboren und starb in Princeton.",
        "Der Film gewann drei Preise bei den Festspielen in Berlin.",
        "Die Firma hat ihren Sitz nicht mehr in München.",
        "Wasser kocht bei niedrigerem Druck schon unter hundert Grad.",
        "Sie können den Antrag bis Freitag im Rathaus abgeben.",
    ],
    "French": [
        "La tour a été construite par une équipe de trois cents ouvriers.",
        "Le musée est fermé le lundi et les jours fériés.",
        "Marie Curie est née à Varsovie en 1867.",
        "Le président a signé la loi au mois de mars.",
        "Victor Hugo a écrit Les Misérables pendant son exil à Guernesey.",
        "Cette rivière traverse quatre départements avant de rejoindre la mer.",
        "L'équipe a remporté le championnat pour la deuxième fois.",
        "Les chats dorment en moyenne seize heures par jour.",
        "Il faut environ deux heures pour aller de Paris à Lyon.",
        "Le vaccin n'est pas disponible dans tous les pays.",
    ],
    "Spanish": [
        "La ciudad tiene más de dos millones de habitantes.",
        "El libro fue publicado en Madrid en 1605.",
        "Gabriel García Márquez nació en Aracataca y murió en México.",
        "El equipo perdió la final contra un rival más joven.",
        "Los pingüinos no pueden volar pero nadan muy bien.",
        "La empresa abrió su primera tienda en Barcelona en 1985.",
        "El volcán entró en erupción tres veces durante el siglo pasado.",
        "La presidenta firmó el acuerdo con los sindicatos ayer.",
        "El tren llega a Sevilla a las ocho de la tarde.",
        "Esta planta necesita poca agua y mucha luz.",
    ],
    "Italian": [
        "La torre si trova in una piazza di Pisa.",
        "Dante Alighieri nacque a Firenze nel 1265.",
        "Il film è stato girato in Sicilia durante l'estate.",
        "La squadra ha vinto il campionato per la terza volta.",
        "Il fiume attraversa quattro regioni prima di arrivare al mare.",
        "I gatti dormono circa sedici ore al giorno.",
        "Il museo non è aperto il lunedì mattina.",
        "Leonardo da Vinci dipinse la Gioconda su tavola di pioppo.",
        "L'azienda ha aperto un nuovo stabilimento vicino a Torino.",
        "Per fare la pasta servono farina e uova fresche.",
    ],
    "Portuguese": [
        "A cidade tem mais de dois milhões de habitantes.",
        "O livro foi publicado em Lisboa em 1572.",
        "Fernando Pessoa nasceu em Lisboa e morreu na mesma cidade.",
        "A equipa perdeu a final contra um adversário mais forte.",
        "Os pinguins não conseguem voar, mas nadam muito bem.",
        "A empresa abriu a sua primeira loja no Porto.",
        "O presidente assinou o acordo com os sindicatos ontem.",
        "Esta planta precisa de pouca água e de muita luz.",
        "O comboio chega a Coimbra às oito da noite.",
        "O filme ganhou três prémios no festival de Berlim.",
    ],
    "Dutch": [
        "De hoofdstad van Nederland is al lang Amsterdam.",
        "Het boek werd door een jonge schrijfster in Leiden geschreven.",
        "Vincent van Gogh werd in 1853 in Zundert geboren.",
        "De rivier is ongeveer driehonderd kilometer lang.",
        "Het bedrijf heeft zijn kantoor niet meer in Utrecht.",
        "De film won drie prijzen op het festival van Berlijn.",
        "Katten slapen gemiddeld zestien uur per dag.",
        "Water kookt bij lagere druk al onder honderd graden.",
        "De ploeg verloor de finale van een jongere tegenstander.",
        "U kunt het formulier tot vrijdag inleveren.",
    ],
    "Russian": [
        "Столица Франции уже давно находится в Париже.",
        "Книга была написана молодой писательницей в Москве.",
        "Лев Толстой родился в Ясной Поляне в 1828 году.",
        "Река впадает в Балтийское море около города.",
        "Фильм получил три премии на фестивале в Берлине.",
        "Кошки спят в среднем шестнадцать часов в день.",
        "Компания открыла первый магазин в Казани в 1995 году.",
        "Музей не работает по понедельникам и праздникам.",
        "Команда выиграла чемпионат во второй раз.",
        "Вода закипает при ста градусах на уровне моря.",
    ],
    "Chinese": [
        "这座城市有两百多万人口。",
        "这本书于1605年在马德里出版。",
        "玛丽·居里在1867年出生于华沙。",
        "博物馆星期一不开放。",
        "这家公司在上海开了第一家商店。",
        "猫平均每天睡十六个小时。",
        "这条河流入北海。",
        "电影在柏林电影节上获得了三个奖项。",
        "水在海平面上一百度沸腾。",
        "球队第二次赢得了冠军。",
    ],
    "Arabic": [
        "عاصمة فرنسا هي باريس منذ زمن طويل.",
        "ولد الكاتب في القاهرة عام 1911.",
        "يقع المتحف في وسط المدينة القديمة.",
        "فاز الفيلم بثلاث جوائز في المهرجان.",
        "تنام القطط ست عشرة ساعة في اليوم.",
        "افتتحت الشركة أول متجر لها في دبي.",
        "يصب النهر في البحر الأبيض المتوسط.",
        "وقع الرئيس الاتفاق مع النقابات أمس.",
        "يغلي الماء عند مئة درجة مئوية.",
        "لم يفز الفريق بالبطولة هذا العام.",
    ],
    "Hindi": [
        "भारत की राजधानी नई दिल्ली है और यह बहुत पुरानी है।",
        "यह किताब एक युवा लेखिका ने लिखी थी।",
        "महात्मा गांधी का जन्म पोरबंदर में हुआ था।",
        "यह नदी चार राज्यों से होकर बहती है।",
        "संग्रहालय सोमवार को बंद रहता है।",
        "फिल्म ने बर्लिन में तीन पुरस्कार जीते।",
        "बिल्लियाँ दिन में सोलह घंटे सोती हैं।",
        "कंपनी ने अपनी पहली दुकान मुंबई में खोली।",
        "टीम ने दूसरी बार प्रतियोगिता जीती।",
        "पानी सौ डिग्री पर उबलता है।",
    ],
}

MORE = [
    "Das Konzert beginnt heute Abend um acht.",
    "Niemand wusste, wohin die Katze gelaufen war.",
    "Wien liegt an der Donau und hat viele Parks.",
    "Nos voisins partent toujours en vacances au mois d'août.",
    "Cet acteur a joué dans plus de quarante films.",
    "Lima es la capital del Perú desde hace siglos.",
    "Nadie sabe cuántas ballenas viven en este océano.",
    "Il ponte fu costruito prima della guerra.",
    "Questa ricetta richiede tre ore di cottura lenta.",
    "Ninguém sabe quantas baleias vivem neste oceano.",
    "A ponte foi construída antes da guerra.",
    "Niemand weet hoeveel walvissen er in de oceaan leven.",
    "Deze brug is voor de oorlog gebouwd.",
    "Никто не знает точного ответа на вопрос.",
    "没有人知道确切的答案。",
    "لا أحد يعرف الجواب الصحيح.",
    "कोई भी सही उत्तर नहीं जानता।",
    "Die Katze war alt.",
    "Die Firma war in Bonn.",
    "Er war in Rom.",
    "Es war kalt.",
    "Die Stadt hat einen Dom.",
    "Il est mort.",
    "La mer est bleue.",
    "Elle a un fils.",
    "La casa es grande.",
    "Era una notte.",
    "A casa é grande.",
    "De koning is dood.",
    "Die man had een hoed.",
    "Hun er dansk.",
]


@pytest.mark.parametrize("language", FOREIGN)
def test_sentences_of_other_languages_are_told(language: str) -> None:
    assert [text for text in FOREIGN[language] if is_english(text)] == []


@pytest.mark.parametrize("text", MORE)
def test_more_sentences_of_other_languages_are_told(text: str) -> None:
    assert not is_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Leonardo da Vinci painted the Mona Lisa.",
        "Ludwig van Beethoven died in Vienna.",
        "La La Land won six Academy Awards.",
        "Charles de Gaulle led the Free French.",
        "Simón Bolívar was born in Caracas.",
        "Three men play football.",
        "Max plays Dan.",
        "The café serves crème brûlée.",
        "The Greek word λόγος means reason.",
        "Die Hard is a 1988 action film.",
        "Dogs bark.",
        "Bessie Smith died on September 26, 1937.",
        "Blair met Aznar in Lisbon.",
        "Mozart met Haydn in Vienna in 1784.",
        "Sailors go to sea.",
        "Vouchers go to new members.",
        "Bees die in winter.",
        "Sweden declared war in 1788.",
        "Cherries come in pairs.",
        "Maria bore a son.",
        "Al Gore met Bush in Denver.",
        "PER ASPERA AD ASTRA IS THE MOTTO OF THE STATE.",
    ],
)
def test_english_with_foreign_names_is_english(text: str) -> None:
    assert is_english(text)


def test_a_text_too_short_to_tell_takes_its_language_from_the_context() -> None:
    assert is_english("Einstein, Ulm.")
    assert is_english("Einstein, Ulm.", "He was born in a small town on the Danube.")
    assert not is_english("Einstein, Ulm.", "Er wurde in einer kleinen Stadt an der Donau geboren.")


def test_a_text_that_hardly_tells_takes_its_language_from_the_context() -> None:
    assert not is_english("Er war Solo.")
    assert is_english("Er war Solo.", "The last line of the song, which she wrote, is: Er war Solo.")


def test_a_telling_text_does_not_ask_the_context() -> None:
    german = "Er wurde in einer kleinen Stadt an der Donau geboren."
    english = "He was born in a small town on the Danube."
    assert is_english(english, german)
    assert not is_english(german, english)


@pytest.mark.parametrize("text", ["Москва", "東京", "Αθήνα", "的", "π."])
def test_another_script_is_never_english_however_short(text: str) -> None:
    assert not is_english(text, "The answer is below.")


@pytest.mark.parametrize("text", ["", "1969.", "42 %"])
def test_a_text_without_letters_counts_as_english(text: str) -> None:
    assert is_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Delay 1 s; retry 2 s.",
        "Delay 1s, retry 2s.",
        "Lots 5 ha, 7 ha.",
        "5 mi, 7\u202fmi.",
        "Rooms 5e and 6e.",
    ],
)
def test_a_unit_or_a_letter_after_a_number_is_no_word(text: str) -> None:
    assert is_english(text)


@pytest.mark.parametrize("text", ["W 1939 w Polsce i w Czechach.", "Ceny 2 z 3 z nich."])
def test_a_word_after_a_number_is_one(text: str) -> None:
    assert not is_english(text)
