import time
from html import escape
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.core.text.html_text import text_of_html

PAGES = [
    ("<p>One<p>Two", "One\n\nTwo"),
    ("<P>One</P>Two<br>three", "One\n\nTwo\n\nthree"),
    ("It <b>is</b> <a href='x'>here</a>.", "It is here."),
    ("82&nbsp;km &amp; more &#8364;", "82 km & more €"),
    ("a &lt;b&gt; c", "a <b> c"),
    ("3 < 4 and 5 > 4", "3 < 4 and 5 > 4"),
    ("a <- b, <3", "a <- b, <3"),
    # attributes
    ('<img alt="a > b">text', "text"),
    ("<img alt='a > b' title = \"'>\">text", "text"),
    ("<a b=c/>text", "text"),
    # comments and declarations
    ("a<!-- b > c -->d", "ad"),
    ("a<!-->b", "ab"),
    ("a<!--->b", "ab"),
    ("a<!-- b --!>c", "ac"),
    ("<!DOCTYPE html><?xml version='1'?>text</>", "text"),
    # what is not shown
    ("<title>T &amp; <b></title>text", "text"),
    ("<script>if (a < b) { '</p>' }</script>text", "text"),
    ("<script>'<!--'</SCRIPT >text", "text"),
    ("<style>p{}</styles>p</style>text", "text"),
    ("<nav>Menu <p>more</nav>text", "text"),
    ("<nav><svg>icon</nav>text", "text"),
    ("<nav>Menu<nav>more</nav>again</nav>text", "text"),
    ("<svg/>text<script src=x />more", "text\n\nmore"),
    ("<textarea>a <b> c</textarea>", "a <b> c"),
    # what is never closed ends with the page
    ("text<p", "text"),
    ("text <a href='x", "text"),
    ("text<!-- more", "text"),
    ("text</p", "text"),
    ("text<!", "text"),
    ("text<script>more", "text"),
    ("", ""),
]


@pytest.mark.parametrize(("markup", "text"), PAGES, ids=[markup[:40] for markup, _ in PAGES])
def test_the_text_of_a_page_is_what_a_browser_shows(markup, text):
    assert text_of_html(markup) == text


WORDS = st.text("abcxyz<&>\"'=-/!", min_size=1, max_size=6).map(lambda word: ([word], escape(word)))
COMMENTS = st.text("ab<>&\"'= ", max_size=6).map(lambda text: ([], f"<!-- {text} -->"))


def element(inside):
    def wrapped(name, value, children):
        shown = [word for words, _ in children for word in words]
        markup = f"<{name} title={quoteattr(value)}>{' '.join(each for _, each in children)}</{name}>"
        return ([] if name in ("nav", "svg") else shown), markup

    names = st.sampled_from(["p", "b", "DIV", "nav", "svg"])
    return st.builds(wrapped, names, st.text("a<>'\" ", max_size=4), st.lists(inside, max_size=4))


@given(st.recursive(WORDS | COMMENTS, element, max_leaves=20))
def test_of_a_sound_page_every_word_that_is_shown_is_read(page):
    words, markup = page
    assert text_of_html(markup).split() == words


@pytest.mark.parametrize("piece", ["<a ", "<!--", "<!-- >", "</", "</a ", "<a b='", "<script>", "<a b= "])
def test_a_page_of_what_is_never_closed_takes_linear_time(piece):
    begun = time.thread_time()
    text_of_html("<p>" + piece * 200_000)
    assert time.thread_time() - begun < 5
