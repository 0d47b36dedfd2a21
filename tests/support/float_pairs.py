"""Forty pairs of premise and claim, written for comparing the int8 graph with graphs of floats."""

from __future__ import annotations

from vista_stream.claims import Pair

_FACTS = {
    "The harbour bridge was opened in 1932 after eight years of work.": (
        "The harbour bridge was opened in 1932.",
        "The bridge took eight years to build.",
        "The harbour bridge was opened in 1942.",
        "The bridge has six lanes.",
    ),
    "Dr. Amara Osei leads the cardiology ward; her deputy is Jonas Lind.": (
        "Amara Osei leads the cardiology ward.",
        "Jonas Lind leads the cardiology ward.",
        "Jonas Lind is the deputy of Amara Osei.",
        "Amara Osei trained in Accra.",
    ),
    "Orders above 50 euros ship free of charge. Smaller orders cost 4.90 euros to ship.": (
        "Shipping is free for an order of 80 euros.",
        "Every order ships free of charge.",
        "An order of 20 euros costs 4.90 euros to ship.",
        "Orders arrive within two days.",
    ),
    "The museum is closed on Mondays and opens at ten on all other days.": (
        "The museum opens at ten on Tuesdays.",
        "The museum is open every day.",
        "Visitors cannot enter the museum on Mondays.",
        "Tickets for the museum cost twelve dollars.",
    ),
    "No passenger was hurt when the ferry ran aground near the island of Vis last night.": (
        "All passengers of the ferry were unharmed.",
        "Several passengers were injured when the ferry ran aground.",
        "The ferry ran aground near Vis.",
        "The captain of the ferry was arrested.",
    ),
    "Basalt forms when lava cools quickly at the surface; granite forms when magma cools slowly below it.": (
        "Granite forms below the surface.",
        "Basalt forms when magma cools slowly.",
        "Basalt comes from lava that cooled quickly.",
        "Granite is harder than basalt.",
    ),
    "The committee voted seven to two against the merger on 3 May.": (
        "The committee rejected the merger.",
        "The committee approved the merger.",
        "Nine votes were cast on the merger.",
        "The merger will be discussed again in June.",
    ),
    "The tablet may be taken with food. It must not be taken together with grapefruit juice.": (
        "The tablet can be taken with food.",
        "The tablet can be taken with grapefruit juice.",
        "Grapefruit juice must be avoided with the tablet.",
        "The tablet works within an hour.",
    ),
    "Kestrel Ltd. was founded in Leeds in 1987 by two sisters, moved to York in 1994 and employs 212 people "
    "today. Its turnover grew from 18 to 21 million pounds last year, while its profit fell by a tenth. The "
    "firm makes brakes for bicycles and, since 2009, hubs. It sold its factory in Hull in 2015.": (
        "Kestrel has had its seat in York since 1994.",
        "The profit of Kestrel rose last year.",
        "Kestrel makes brakes for bicycles.",
        "Kestrel plans to buy a factory in Spain.",
    ),
    "The lake is 31 metres deep at its deepest point, and it has frozen over only twice since 1950, in 1963 "
    "and in 1985. Perch and pike live in it; trout were put in three times, and did not stay. In summer the "
    "water near the shore warms to 24 degrees.": (
        "The lake froze over in 1963.",
        "The lake freezes over every winter.",
        "Pike live in the lake.",
        "Swimming in the lake is forbidden.",
    ),
}

PAIRS = tuple(Pair(premise, claim) for premise, claims in _FACTS.items() for claim in claims)
