"""Whether a text is English: what is not must not be judged by an English verifier.

A script test, then function words: the language whose commonest words cover most of the text wins.
No model and no file: on claims of 4 to 12 words full of names, where character models of 100 MB are
easily led astray by the names, the small words between them tell the language.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")

_ENGLISH = """
a about after all also although am an and any are as at be because been before being between both but by
can could did do does doing during each else ever every few first for from had has have having he her hers
him his how i if in into is it its itself just later like many may me might more most much must my never
no nor not now of off on once one only or other our out over own per shall she should since so some
something such than that the their them themselves then there these they this those though through to too
two under until up upon us very was we were what when where whether which while who whom whose why will
with within without would yet you your don't doesn't didn't isn't aren't wasn't weren't can't won't
couldn't wouldn't hasn't haven't i'm men women best due still makes three five pro it's that's he's she's
there's they're we're you're i've born died made used located called known named won year years people man
woman world new old good city country company people's said says
"""

_OTHERS = {
    "German": """aber als am an auch auf aus bei bis das dass dem den der des die dies diese dieser doch
        du durch ein eine einem einen einer eines er es für gegen gibt hat haben hatte ich ihr ihre im
        in ist ja jahr jahre kann kein keine können man mehr mit nach nicht noch nur ob oder ohne sehr
        sein seine seit sich sie sind so über um und uns unter vom von vor war waren was wenn werden
        wie wird wir wo wurde wurden zu zum zur zwei zwischen""",
    "French": """à a ai ainsi après au aucun aussi aux avant avec avait c'est ce ces cet cette comme dans
        de depuis des deux du elle elles en est et été être étaient était eu fait fut il ils je la le
        les leur leurs lors lui mais même ne n'est non nous on ont ou où par pas pendant peut plus
        pour près qu'il qu'elle que quand qui sa sans se ses si son sont sous sur très tous tout toute
        un une vers vous y""",
    "Spanish": """a al algo ante años año como con contra cuando de del desde donde dos durante e el él
        ella ellos en entre era eran es esta está este esto fue fueron ha había han hasta hay la las
        le les lo los más me mi muy nació ni no nos o otra otro para pero poco por porque puede pueden
        que qué se ser si sí sin sobre son su sus también tan tiene tienen todo todos tres tu un una
        uno y ya""",
    "Italian": """a ad agli ai al alla alle allo anche anni anno che chi ci come con contro cui da dal
        dalla dalle degli dei del della delle dello di dopo dove due e è ed era erano fu gli ha hanno
        i il in la le lo loro ma mai nacque ne nei nel nella nelle negli nello noi non o per perché
        più può prima quando questa questo se sei si sia sono stata stato su sua sue sul sulla suo
        suoi tra tre tutti tutto un una uno""",
    "Portuguese": """a à ao aos anos ano após as às até com como contra da das de depois do dos dois duas
        e é ela ele eles em entre era eram essa esta está este foi foram há isso já lhe mais mas me
        mesmo muito na nas nasceu não nem no nos o onde os ou para pela pelas pelo pelos pode por
        porque quando que quem se sem ser seu seus só ninguém alguém neste nesta sabe sobre sua suas
        também tem têm três tudo um uma""",
    "Dutch": """aan al als ben bij dan dat de der deze die dit door drie een eerste en er ge geen haar
        had hebben heeft hem het hij hun ik in is je jaar kan kunnen maar meer men met mijn na naar
        nadat niet nog nu of om omdat onder ook op over per sinds te tegen tot tussen twee u uit uur
        dag per van veel voor was waren wat we werd wordt worden wij ze zich zij zijn zo zonder zoals""",
    "Scandinavian": """af aldrig alla alle at att av blev ble bliver blir bara da de den denna denne der
        deras deres det dette där därför efter eller en er ett et fick fik för før för för fra från få
        ha had han hans har hun hon hur hvor i ikke ingen inte jag jeg kan kun man med mellan mellem
        men mer mere mot mycket må många nar när når något noen nogle nu och og också også om på sedan
        sig sin skal ska som till til under upp ut var vara vid ved vi vil være år är över""",
    "Polish": """a aby albo ale był była było były być co czy dla do gdy go i ich ile jak jako jego jej
        jest jednak już każdy która które który lat lub ma mają między może na nad nie niż o od on ona
        oraz po pod podczas przed przez przy roku się są tak tego ten też to tylko tym tych u w we
        wielu z za ze został została że""",
    "Turkish": """ama ancak bir birçok bu bunu çok da daha de değil değildir diye en gibi göre hem her
        için ile ilk ise ki kadar kendi mi mu ne nasıl o olan olarak oldu olduğu önce onun sonra şey
        şu tarafından tüm üç üzerinde var ve veya ya yıl yılında yok""",
    "Romanian": """a acest această ai al ale am ar are au că care ce cel cea cu când cum de decât din
        dintre după ei ele este era fi fost în îi își la lui mai nu o pe pentru prin s-a sa sau se și
        sunt un unei unui""",
    "Czech": """a aby ale ani až bez bude by byl byla bylo byli být či co do i jak jako je jeho její
        jejich jen jsou k kde když která které který má mezi na nad ne nebo není o od po pod podle pro
        před při roce roku s se si tak také ten to u v ve však z za ze že""",
    "Finnish": """ei eivät että ennen hän he jälkeen ja jo joka jonka jos jotka kaikki kanssa kuin kun
        kuten mutta myös niin noin oli olivat olla on ovat se sekä sen siitä tai tämä vain vuonna
        vuotta yli""",
    "Indonesian": """adalah akan antara atau bahwa banyak bisa dalam dan dari dengan di dua hanya ia ini
        itu juga kami karena ke kepada lebih mereka oleh orang pada para pernah saat saya sebagai
        sebuah sejak seperti setelah sudah tahun telah tidak untuk yang""",
    "Vietnamese": """ba bị cho có của cũng đã đang để đến đó được hai khi không là lại làm mà một năm này
        người những như ở ra rất sau sẽ tại thì trên trong từ và vào về với""",
}

_TELLERS: dict[str, tuple[str, ...]] = {}
for _language, _words in _OTHERS.items():
    for _word in set(_words.split()):
        _TELLERS[_word] = (*_TELLERS.get(_word, ()), _language)
_ENGLISH_WORDS = frozenset(_ENGLISH.split())


def is_english(text: str, context: str = "") -> bool:
    """Whether a claim is English; `context`, the text around it, decides where it is too short to tell.

    A text in another script is not English, however short; a short text in Latin script with no
    telling word, and no context, counts as English. About 10 µs a claim.
    """
    verdict = _telling(text)
    if verdict is None and context:
        verdict = _telling(context)
    return verdict is not False


def _telling(text: str) -> bool | None:
    """True or False where the text tells, else None."""
    words = _WORD.findall(text)
    if _foreign_script(words):
        return False
    english, other = _coverage(words)
    if other > english and other >= 2:  # one word alone is as likely a name's ("Dan", "Max")
        return False
    return True if english > other else None


def _foreign_script(words: list[str]) -> bool:
    """Most letters are beyond Latin (and its extensions, up to U+024F, and the Vietnamese block)."""
    letters = sum(map(len, words))
    beyond = sum(c > "ɏ" and not "Ḁ" <= c <= "ỿ" for word in words for c in word)
    return 2 * beyond > letters


def _coverage(words: list[str]) -> tuple[int, int]:
    """How many words are common in English, and in the other language with most of them.

    A capitalised word inside the text is more often a name's part ("La La Land"), so it does not count
    for the others; lower-case words with accents that no list holds count for all of them, but only
    once beside English words, which have borrowed some ("crème brûlée").
    """
    english = 0
    hits = dict.fromkeys(_OTHERS, 0)
    strange = 0
    for position, word in enumerate(words):
        lower = word.lower().replace("’", "'")
        english += lower in _ENGLISH_WORDS
        if position and word[0].isupper():
            continue
        for language in _TELLERS.get(lower, ()):
            hits[language] += 1
        strange += word.islower() and word not in _TELLERS and not word.isascii()
    return english, max(hits.values()) + (min(strange, 1) if english else strange)
