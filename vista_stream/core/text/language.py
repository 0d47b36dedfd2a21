"""Tells whether a text is English; other claims must not go to an English verifier.

First the script is tested. Then the common words of each language are counted, and the language whose words
occur most often in the text wins. It needs no model and no file. Claims are 4 to 12 words full of names; the
names easily mislead character models of 100 MB, while the common words between them tell the language.
"""

from __future__ import annotations

import re

from vista_stream.core.text.units import UNITS

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_AFTER_NUMBER = re.compile(r"(?<=\d)(?P<space>[ \xa0\u202f]?)(?P<word>[A-Za-z]+)(?![\w'’])")

_ENGLISH = """
a about after all also although am an and any are as at be because been before being between both but by can
could did do does doing during each else ever every few first for from had has have having he her hers him his
how i if in into is it its itself just later like many may me might more most much must my never no nor not
now of off on once one only or other our out over own per shall she should since so some something such than
that the their them themselves then there these they this those though through to too two under until up upon
us very was we were what when where whether which while who whom whose why will with within without would yet
you your don't doesn't didn't isn't aren't wasn't weren't can't won't couldn't wouldn't hasn't haven't i'm men
women best due still makes three five pro it's that's he's she's there's they're we're you're i've born died
made used located called known named won year years people man woman world new old good city country company
people's said says go goes going gone went come comes came coming get gets got give gives gave given take
takes took taken make put puts set sets let lets say tell tells told ask asks asked know knows knew think
thinks thought see sees saw seen look looks find finds found keep keeps kept lose loses lost win wins play
plays played run runs ran meet meets met lead leads led leave leaves left bring brings brought begin begins
began become becomes became hold holds held write writes wrote written read reads show shows showed shown turn
turns turned move moves moved live lives lived die dies dying bear bears bore marry married wed kill kills
killed fight fought fall falls fell rise rises rose grow grows grew grown build builds built buy buys bought
sell sells sold pay paid cost costs send sends spend spends spent receive received offer offers offered serve
serves served join joined opens opened close closes closed starts started stops stopped end ends ended return
returns returned change changes changed declare declared sign signed elect elected invent invented discover
discovered release released launch launched publish published direct directed starred sing song record
recorded formed create created include includes included contain contains contained consist consists cover
covers covered reach reached cross crossed enter entered pass passed visit visited travel need needs needed
want wants wanted likes help helps helped work works worked eat eats ate drink drinks drank sleep sleeps slept
speak speaks spoke spoken teach taught learn learned study studied believe believed feel felt hear heard stood
sit sits sat walk walked drive drives drove fly flies flew swim swam boil boils boiled freeze freezes froze
melt melts burn burns burned weigh weighs last lasts lasted expire expires apply applies cause causes caused
require requires required allow allows able across against along among around away back behind below beneath
beside beyond down near past toward towards till via plus ago again almost already always often soon today
together twice well maybe here four seven eight nine ten eleven twelve twenty thirty forty fifty hundred
thousand billion third fourth fifth second less least another same different big small large great little
short high low tall wide deep early late young full empty free public private main major minor real true false
bad better worse worst right wrong hot cold warm cool dry wet red blue green white black brown yellow heavy
light fast slow hard soft strong weak rich poor dead alive whole single common north south east west northern
southern eastern western ancient former daily official famous child children kid kids boy boys girl girls baby
son sons daughter daughters father mother brother sister wife husband king queen princess president leader
leaders player players teams coach member members author artist singer actor actress doctor soldier soldiers
worker workers student students teacher family families friend friends humans animals dog dogs cat cats bird
birds fish horse horses cow cows sheep tree trees plants flower flowers banana bananas apple apples bunch
bunches air fire earth sun moon stars sea ocean river rivers lake lakes island islands mountain mountains hill
cities town towns village countries state states nation nations capital border street road bridge house houses
home building schools church shop store office door room car cars ship ships boat plane army navy war wars
battle peace law laws vote votes election power government tax price prices money dollar dollars pound refund
refunds order orders item items product products companies business market trade job jobs names word words
language book books story movie movies songs music game games match award awards prize medal title score goal
goals race season league time times day days weeks month months hour hours century side life death head hands
eye eyes blood body brain bone bones skin hair food meat milk bread sugar oil silver iron stone wood glass
metal paper energy heat sound speed size weight height length number numbers percent degree degrees mile miles
metre metres kilometre kilometres foot feet inch inches university science theory summer spring autumn january
march june july october december monday tuesday wednesday thursday friday saturday sunday ad ale care den dove
far fur hat hay mere non par pod pour sans sin sue sedan tan vain van yang
"""

_OTHERS = {
    "German": """aber als am an auch auf aus bei bis das dass dem den der des die dies diese dieser doch
        du durch ein eine einem einen einer eines er es für gegen gibt hat haben hatte ich ihr ihre im
        in ist ja jahr jahre kann kein keine können man mehr mit nach nicht noch nur ob oder ohne sehr
        sein seine seit sich sie sind so über um und uns unter vom von vor war waren was wenn werden
        wie wird wir wo wurde wurden zu zum zur zwei zwischen niemand jemand wohin woher ging kam begann starb
        liegt lebt lebte muss soll sollte konnte viele dann hier dort heute gut alt""",
    "French": """à a ai ainsi après au aucun aussi aux avant avec avait c'est ce ces cet cette comme dans
        de depuis des deux du elle elles en est et été être étaient était eu fait fut il ils je la le
        les leur leurs lors lui mais même ne n'est non nous on ont ou où par pas pendant peut plus
        pour près qu'il qu'elle que quand qui sa sans se ses si son sont sous sur très tous tout toute
        un une vers vous y né née mort morte""",
    "Spanish": """a al algo ante años año como con contra cuando de del desde donde dos durante e el él
        ella ellos en entre era eran es esta está este esto fue fueron ha había han hasta hay la las
        le les lo los más me mi muy nació ni no nos o otra otro para pero poco por porque puede pueden
        que qué se ser si sí sin sobre son su sus también tan tiene tienen todo todos tres tu un una
        uno y ya murió""",
    "Italian": """a ad agli ai al alla alle allo anche anni anno che chi ci come con contro cui da dal
        dalla dalle degli dei del della delle dello di dopo dove due e è ed era erano fu gli ha hanno
        i il in la le lo loro ma mai nacque ne nei nel nella nelle negli nello noi non o per perché
        più può prima quando questa questo se sei si sia sono stata stato su sua sue sul sulla suo
        suoi lui lei morì tra tre tutti tutto un una uno""",
    "Portuguese": """a à ao aos anos ano após as às até com como contra da das de depois do dos dois duas
        e é ela ele eles em entre era eram essa esta está este foi foram há isso já lhe mais mas me
        mesmo muito na nas nasceu não nem no nos o onde os ou para pela pelas pelo pelos pode por
        porque quando que quem se sem ser seu seus só ninguém alguém neste nesta sabe sobre sua suas
        também tem têm morreu três tudo um uma""",
    "Dutch": """aan al als ben bij dan dat de der deze die dit door drie een eerste en er ge geen haar
        had hebben heeft hem het hij hun ik in is je jaar kan kunnen maar meer men met mijn na naar
        nadat niet nog nu of om omdat onder ook op over per sinds te tegen tot tussen twee u uit uur
        dag ongeveer ligt woont stierf begon ging kwam moet hier
        daar oud per van veel voor was waren wat we werd wordt worden wij ze zich zij zijn zo zonder zoals""",
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
_NEVER_FIRST = frozenset(("die", "den", "met", "dies", "con", "son"))
"""English words that begin no English statement; as a first word they are another language's."""
_FORENAMES = frozenset(("al", "ben", "dan", "han"))
"""Words of other languages that are a first name where a capitalised word follows them."""


def is_english(text: str, *contexts: str) -> bool:
    """Whether a claim is English; where its words do not tell, the first context that tells decides.

    `contexts` are texts around it, the nearest first. A text in another script is not English. A text in
    Latin script without a common word of any language, and without a context that has one, counts as English.
    It takes about 10 µs for a claim.
    """
    lead = _lead(text)
    for context in contexts:
        if lead not in (0, -1):  # a single foreign word may be part of a name or a loanword
            break
        lead = _lead(context) or lead
    return lead >= 0


def _lead(text: str) -> int:
    """Common English words minus those of the best other language; 0 or above counts as English."""
    words = _WORD.findall(_AFTER_NUMBER.sub(_without_unit, text))
    if _foreign_script(words):
        return -max(2, len(text))  # one character tells as much as a text
    english, other = _coverage(words)
    alone = other == 1 > english  # may be part of a name ("Dan", "Max")
    return 0 if alone else english - other


def _without_unit(found: re.Match[str]) -> str:
    """What stands after a number, without a unit or a letter: the "s" of "2 s" is no Polish word."""
    word = found["word"]
    unit = word in UNITS or word == "s" or (len(word) == 1 and not found["space"])
    return " " if unit and word not in _ENGLISH_WORDS else found.group()


def _named(first: str, words: list[str]) -> bool:
    return first in _FORENAMES and len(words) > 1 and words[1][0].isupper()


def _foreign_script(words: list[str]) -> bool:
    """Whether most letters are not Latin (with its extensions up to U+024F and the Vietnamese block)."""
    letters = sum(map(len, words))
    beyond = sum(c > "ɏ" and not "Ḁ" <= c <= "ỿ" for word in words for c in word)
    return 2 * beyond > letters


def _coverage(words: list[str]) -> tuple[int, int]:
    """The number of words that are common in English, and in the other language with the most of them.

    A word of both counts for both ("met", "in", "die", "war"). A capitalised word inside the text does not
    count for the other languages, because it is often part of a name ("La La Land"). A lower-case word with
    accents that is in no list counts for the other languages. Beside English words, all such words count as
    one, because English has borrowed some ("crème brûlée").
    """
    english = 0
    hits = dict.fromkeys(_OTHERS, 0)
    strange = 0
    for position, word in enumerate(words):
        lower = word.lower().replace("’", "'")
        english += lower in _ENGLISH_WORDS and (position > 0 or lower not in _NEVER_FIRST)
        if word[0].isupper() and (position or _named(lower, words)):
            continue
        for language in _TELLERS.get(lower, ()):
            hits[language] += 1
        strange += word.islower() and word not in _TELLERS and not word.isascii()
    return english, max(hits.values()) + (min(strange, 1) if english else strange)
