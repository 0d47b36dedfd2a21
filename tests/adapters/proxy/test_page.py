"""The page in a real browser: Chromium, driven by Playwright; skipped where either is missing."""

import re
import shutil
import subprocess

import pytest
import pytest_asyncio

from vista_stream import Category, Importance
from vista_stream.errors import LanguageUnsupported
from vista_stream.stages import Finding
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.proxy.page_routes import POLICIES

playwright = pytest.importorskip("playwright.async_api", reason="the page's test needs playwright")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(CHROMIUM is None, reason="the page's test needs Chromium, which is not installed"),
]

ANSWER = "The canal opened in 1914. It was built by elephants. It is 82 kilometres long."
SCENE = {
    "title": "The canal",
    "conversation": "canal",
    "query": "When did it open?",
    "answer": ANSWER,
    "references": [{"name": "canal.txt", "text": "The canal opened in 1914. Engineers built it."}],
    "altered": {"was": "engineers", "now": "elephants"},
}

PHONE = {"width": 375, "height": 800}

# Notes every text that an element ever had, by its state; what screen readers are told counts as released.
RECORDER = """
window.seen = { released: [], held: [], replaced: [] };
new MutationObserver(() => {
  for (const element of document.querySelectorAll("[data-state]")) {
    window.seen[element.dataset.state]?.push(element.textContent);
  }
  window.seen.released.push(document.getElementById("live")?.textContent ?? "");
}).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
"""


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    """One Chromium for all tests here; the address of its debugger."""
    profile = tmp_path_factory.mktemp("chromium")
    options = ("--headless=new", "--no-sandbox", "--remote-debugging-port=0", f"--user-data-dir={profile}")
    with subprocess.Popen([CHROMIUM, *options], stderr=subprocess.PIPE, text=True) as browser:
        told = (line for line in browser.stderr if line.startswith("DevTools listening on "))
        yield next(told).split()[-1]
        browser.terminate()


@pytest_asyncio.fixture
async def browser(chromium):
    async with playwright.async_playwright() as driver:
        yield await driver.chromium.connect_over_cdp(chromium)


@pytest_asyncio.fixture
async def open_page(browser):
    """Open a proxy's page, recorded; its console errors are in `page.broken`."""
    contexts = []

    async def open_it(proxy, **context):
        opened = await browser.new_context(**context)
        contexts.append(opened)
        page = await opened.new_page()
        page.broken, page.hosts = [], set()
        page.on("pageerror", lambda error: page.broken.append(str(error)))
        page.on("request", lambda request: page.hosts.add(request.url.split("/")[2]))
        await page.add_init_script(RECORDER)
        await page.goto(proxy.url)
        await page.locator(".scene, #panel-paste:visible").first.wait_for()
        return page

    yield open_it
    for opened in contexts:
        await opened.close()


def stages():
    return ScriptedStages({"elephants": Category.CONTRADICTED}, delay=lambda text: 0.2)


async def test_a_contradicted_vital_claim_never_appears_as_released_text(start_proxy, open_page):
    proxy = await start_proxy(stages=stages(), scenes=[SCENE])
    page = await open_page(proxy)
    await page.locator(".scene").click()
    await page.locator(".turn.ended").wait_for()
    seen = await page.evaluate("window.seen")
    assert any("82 kilometres" in text for text in seen["released"])
    assert not [text for text in seen["released"] if re.search("It was|built|eleph", text)]
    assert any("elephants" in text for text in seen["held"])
    assert any("withheld" in text for text in seen["replaced"])
    assert await page.locator(".held").inner_text() == ""
    assert page.broken == []
    assert page.hosts == {proxy.url.split("/")[2]}


async def test_claims_reference_common_ground_and_latency_are_shown(start_proxy, open_page):
    proxy = await start_proxy(stages=stages(), scenes=[SCENE])
    page = await open_page(proxy)
    await page.locator("text=at once").click()
    await page.locator(".scene").click()
    await page.locator(".turn.ended").wait_for()
    badges = await page.locator(".claim .badge").all_inner_texts()
    assert [badge.split()[-1] for badge in badges] == ["verified", "contradicted", "verified"]
    assert await page.locator(".claim .rank").first.inner_text() == "vital"
    assert "Engineers built it." in await page.locator("#reference").inner_text()
    await page.locator("#ground li").nth(1).wait_for()
    assert await page.locator("#ground li").count() == 2
    assert re.fullmatch(r"[\d.]+ m?s", await page.locator(".m-median").inner_text())
    assert await page.locator(".bars i").count() == 3


async def test_a_pasted_answer_is_checked_and_the_next_turn_joins_the_conversation(start_proxy, open_page):
    page = await open_page(await start_proxy(stages=stages()))
    await page.locator("text=at once").click()
    for number, answer in enumerate(("The canal opened in 1914.", "It is 82 kilometres long."), start=1):
        await page.fill("#paste-reference", "The canal opened in 1914.")
        await page.fill("#paste-answer", answer)
        await page.locator("#panel-paste .main").click()
        await page.locator(".turn.ended").nth(number - 1).wait_for()
        await page.locator("#ground li").nth(number - 1).wait_for()
    assert "turn 2" in await page.locator("#ground li").nth(1).inner_text()


async def test_a_question_goes_to_the_upstream(start_upstream, start_proxy, open_page):
    upstream = await start_upstream()
    page = await open_page(await start_proxy(upstream, stages=stages()))
    await page.locator("#tab-ask").click()
    await page.fill("#ask-query", "When did the canal open?")
    await page.keyboard.press("Enter")
    await page.locator(".turn.ended").wait_for()
    assert upstream.bodies[0]["messages"][-1]["content"] == "When did the canal open?"
    assert "elephants" not in await page.locator(".answer").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_an_error_is_told_and_the_held_text_goes(scheme, start_upstream, start_proxy, open_page):
    proxy = await start_proxy(await start_upstream(die_after=8), stages=stages())
    page = await open_page(proxy, viewport=PHONE, color_scheme=scheme)
    await page.locator("#tab-ask").click()
    await page.fill("#ask-query", "When?")
    await page.keyboard.press("Enter")
    await page.locator("#notice:visible").wait_for()
    assert "broke off" in await page.locator("#notice").inner_text()
    assert "broke off" in await page.locator(".outcome").inner_text()
    assert await page.locator(".held").inner_text() == ""
    assert await page.evaluate(CONTRAST) == []
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_a_claim_without_a_verdict_is_shown_and_ends_nothing(start_proxy, open_page):
    class Broken(ScriptedStages):
        async def verify(self, claim, grounds):
            if "elephants" in claim.text:
                raise RuntimeError("a secret")
            return await super().verify(claim, grounds)

    page = await open_page(await start_proxy(stages=Broken(), scenes=[SCENE]))
    await page.locator("text=at once").click()
    await page.locator(".scene").click()
    await page.locator(".turn.ended").wait_for()
    assert await page.locator("#notice").is_hidden()
    badges = await page.locator(".claim .badge").all_inner_texts()
    assert [badge.split()[-1] for badge in badges] == ["verified", "unresolved", "verified"]
    assert "1 unresolved" in await page.locator(".outcome").inner_text()
    assert page.broken == []


async def test_a_sentence_in_another_language_says_why_it_has_no_verdict(start_proxy, open_page):
    class EnglishAlone(ScriptedStages):
        async def verify(self, claim, grounds):
            raise LanguageUnsupported(claim.text)

    page = await open_page(await start_proxy(stages=EnglishAlone()))
    await page.fill("#paste-answer", "Der Kanal wurde 1905 eröffnet.")
    await page.locator("#panel-paste .main").click()
    await page.locator(".turn.ended").wait_for()
    assert await page.locator(".claim .small").inner_text() == "no verdict: not in English"
    told = "1 claim · 0 of 30 characters released · 30 kept back · 1 unresolved"
    assert await page.locator(".outcome").inner_text() == told
    assert page.broken == []


async def test_two_hundred_claims_stay_in_their_panel(start_proxy, open_page):
    page = await open_page(await start_proxy(stages=ScriptedStages()), viewport=PHONE)
    await page.locator("text=at once").click()
    await page.fill("#paste-answer", " ".join(f"Lock {number} is new." for number in range(200)))
    await page.locator("#panel-paste .main").click()
    await page.locator(".turn.ended").wait_for(timeout=90_000)  # several thousand events
    assert await page.locator("#claims-count").inner_text() == "200"
    assert await page.locator("#claims").evaluate("list => list.clientHeight") < 800
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.broken == []


async def test_a_contradiction_that_the_policy_released_is_told_in_the_summary(start_proxy, open_page):
    okay = ScriptedStages({"elephants": Category.CONTRADICTED}, importance=lambda text: Importance.OKAY)
    for scripted, told in ((okay, True), (stages(), False)):
        page = await open_page(await start_proxy(stages=scripted, scenes=[SCENE]))
        await page.locator("text=at once").click()
        await page.select_option("#policy", "vital")
        await page.locator(".scene").click()
        await page.locator(".turn.ended").wait_for()
        outcome = await page.locator(".outcome").inner_text()
        assert ("1 contradicted, released by the policy" in outcome) is told


async def test_a_policy_is_chosen_on_the_page(start_proxy, open_page):
    page = await open_page(await start_proxy(stages=stages(), scenes=[SCENE]))
    assert await page.locator("#policy option").evaluate_all("them => them.map((one) => one.value)") == [
        *POLICIES
    ]
    await page.locator("text=at once").click()
    for number, policy in enumerate(("observing", "strict")):
        await page.select_option("#policy", policy)
        await page.locator(".scene").click()
        await page.locator(".turn.ended").wait_for()
        shown = await page.locator(".answer").inner_text()
        assert ("elephants" in shown) is (number == 0)
        await page.locator("#fresh").click()


@pytest.mark.parametrize("width", [375, 1280])
async def test_nothing_is_wider_than_the_window(width, start_proxy, open_page):
    page = await open_page(
        await start_proxy(stages=stages(), scenes=[SCENE]), viewport={"width": width, "height": 800}
    )
    await page.locator("text=at once").click()
    await page.locator(".scene").click()
    await page.locator(".turn.ended").wait_for()
    assert await page.evaluate("document.documentElement.scrollWidth") <= width


async def test_every_mark_that_released_text_can_carry_is_in_the_legend(start_proxy, open_page):
    page = await open_page(await start_proxy(stages=stages(), scenes=[SCENE]))
    await page.locator("text=at once").click()
    await page.locator(".scene").click()
    await page.locator(".turn.ended").wait_for()
    marks = await page.evaluate(MARKS)
    assert set(marks["shown"]) == {"contradicted", "lacking_evidence", "unresolved", "abstention"}
    assert marks["legend"] == marks["shown"]
    assert "withheld" in await page.locator(".key").inner_text()


async def test_the_sentence_that_decided_is_marked_and_not_its_window(start_proxy, open_page):
    class Citing(ScriptedStages):
        async def verify(self, claim, grounds):
            return Finding(evidence=grounds.references[0].windows[0])

    page = await open_page(await start_proxy(stages=Citing(), scenes=[SCENE | {"answer": "Engineers did."}]))
    await page.locator("text=at once").click()
    await page.locator(".scene").click()
    await page.locator(".turn.ended").wait_for()
    assert await page.locator("#reference mark").all_inner_texts() == ["Engineers built it."]


async def test_a_token_is_asked_for_where_the_proxy_wants_one(start_proxy, open_page):
    page = await open_page(
        await start_proxy(stages=stages(), scenes=[SCENE], tokens=frozenset({"tok"}), token="tok")
    )
    await page.locator("text=at once").click()
    await page.locator(".scene").click()
    await page.locator("#notice:visible").wait_for()
    await page.fill("#token", "tok")
    await page.locator(".scene").click()
    await page.locator(".claim").nth(2).wait_for()


async def test_all_of_it_works_by_keyboard(start_proxy, open_page):
    page = await open_page(await start_proxy(stages=stages(), scenes=[SCENE]))

    async def focused():
        return await page.evaluate("document.activeElement.id || document.activeElement.className")

    order = []
    for _ in range(5):
        await page.keyboard.press("Tab")
        order.append(await focused())
    assert order == ["skip", "theme", "tab-demo", "scene", ""]
    await page.locator("#tab-demo").focus()
    await page.keyboard.press("ArrowRight")
    assert await focused() == "tab-paste"
    assert await page.locator("#panel-paste").is_visible()
    await page.keyboard.press("ArrowLeft")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.locator(".turn.ended").wait_for()
    assert await focused() == "scene"
    await page.locator(".claim-head").nth(1).focus()
    await page.keyboard.press("Space")
    assert await page.locator(".claim-head").nth(1).get_attribute("aria-pressed") == "true"


async def test_a_text_is_pasted_and_checked_by_keyboard_alone_on_a_phone_in_the_dark(start_proxy, open_page):
    proxy = await start_proxy(stages=stages(), scenes=[SCENE])
    page = await open_page(proxy, viewport=PHONE, color_scheme="dark")

    async def tab_to(wanted):
        for _ in range(12):
            await page.keyboard.press("Tab")
            if await page.evaluate("document.activeElement.id || document.activeElement.value") == wanted:
                return
        raise AssertionError(f"the Tab key never reaches {wanted}")

    await tab_to("tab-demo")
    await page.keyboard.press("ArrowRight")
    await tab_to("paste-reference")
    await page.keyboard.type("The canal opened in 1914.")
    await tab_to("paste-answer")
    await page.keyboard.type("It was built by elephants.")
    await tab_to("paste-query")
    await page.keyboard.type("Who built it?")
    await tab_to("chat")
    await page.keyboard.press("ArrowRight")
    await tab_to("policy")
    await page.keyboard.type("obs")
    await page.locator("#paste-query").focus()
    await page.keyboard.press("Enter")
    await page.locator(".turn.ended").wait_for()
    assert await page.locator(".answer").inner_text() == "It was built by elephants."
    assert "1 contradicted, released by the policy" in await page.locator(".outcome").inner_text()
    assert await page.evaluate(CONTRAST) == []
    await tab_to("fresh")
    await page.keyboard.press("Enter")
    assert await page.locator(".turn").count() == 0
    assert page.broken == []


async def test_the_controls_stay_on_one_line_of_a_desktop(start_proxy, open_page):
    page = await open_page(await start_proxy(stages=stages(), scenes=[SCENE]))
    foot = page.locator(".foot")
    before = (await foot.bounding_box())["height"]
    await page.locator("text=at once").click()
    await page.locator(".scene").click()
    await page.locator(".turn.ended").wait_for()
    assert await page.locator("#fresh").is_visible()
    assert (await foot.bounding_box())["height"] - before < 10


async def test_a_turn_can_be_stopped(start_proxy, open_page):
    page = await open_page(await start_proxy(stages=stages(), scenes=[SCENE | {"answer": ANSWER * 20}]))
    await page.locator(".scene").click()
    await page.locator(".released").first.wait_for()
    await page.locator("#stop").click()
    await page.locator(".turn.ended").wait_for()
    assert await page.locator(".held").inner_text() == ""
    assert await page.locator("#notice").is_hidden()


async def test_screen_readers_hear_what_was_released_and_not_what_is_held(start_proxy, open_page):
    page = await open_page(await start_proxy(stages=stages(), scenes=[SCENE]))
    await page.locator("text=at once").click()
    await page.locator(".scene").click()
    await page.locator(".turn.ended").wait_for()
    assert await page.locator(".held").get_attribute("aria-hidden") == "true"
    live = page.locator("#live")
    assert await live.get_attribute("aria-live") == "polite"
    told = await live.locator("p").all_inner_texts()
    assert told[0].strip() == "The canal opened in 1914."
    assert "withheld" in told[1]
    assert await page.locator(".turn").get_attribute("aria-busy") is None


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_both_colour_schemes_are_legible(scheme, start_proxy, open_page):
    page = await open_page(await start_proxy(stages=stages(), scenes=[SCENE]), color_scheme=scheme)
    await page.locator(".scene").click()
    await page.locator(".turn.ended").wait_for()
    low = await page.evaluate(CONTRAST)
    assert low == []


# The line under text that was released, and under the legend's, by category.
MARKS = """() => {
  const line = (cls, category) => {
    const probe = document.createElement("span");
    probe.className = cls;
    probe.dataset.category = category;
    document.querySelector(".turn").append(probe);
    const { textDecorationLine, textDecorationStyle } = getComputedStyle(probe);
    probe.remove();
    return textDecorationLine === "none" ? null : textDecorationStyle;
  };
  const names = ["verified", "contradicted", "lacking_evidence", "out_of_scope", "abstention", "unresolved"];
  const entries = (pairs) => Object.fromEntries(pairs.filter(([, style]) => style));
  const styled = (mark) => [mark.dataset.category, getComputedStyle(mark).textDecorationStyle];
  return {
    shown: entries(names.map((name) => [name, line("segment released", name)])),
    legend: entries([...document.querySelectorAll(".key .mark")].map(styled)),
  };
}"""

# Elements with text of their own whose colour stands out too little from what lies behind it (WCAG AA: 4.5).
CONTRAST = """() => {
  const parse = (colour) => {
    const parts = colour.match(/[\\d.]+/g).map(Number);
    const scale = colour.startsWith("color(") ? 255 : 1;
    return [...parts.slice(0, 3).map((part) => part * scale), parts[3] ?? 1];
  };
  const over = ([r, g, b, a], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a)];
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      layers.unshift(parse(getComputedStyle(at).backgroundColor));
    }
    return layers.reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const light = (colour) => {
    const linear = (part) => part <= 0.04 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = colour.map((part) => linear(part / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const low = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    const left_out = element.closest("[aria-disabled=true], .visually-hidden");
    if (!own || left_out || !element.checkVisibility()) continue;
    const ground = behind(element);
    const [one, two] = [light(over(parse(getComputedStyle(element).color), ground)), light(ground)];
    const ratio = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    if (ratio < 4.5) low.push([element.className, element.textContent.slice(0, 30), ratio.toFixed(2)]);
  }
  return low;
}"""
