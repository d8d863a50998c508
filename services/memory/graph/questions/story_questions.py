"""What a question in words asks of the graph, and how the rows answer it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from folds.text.phrases import is_fruitless
from services.memory.graph.graph_files import QueryResult
from services.memory.graph.questions import queries
from services.memory.texts.word_index import stems

Rows = Sequence[Sequence[Any]]

UNKNOWN = "No session has shown that."


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """A query, and how its rows, of which there is one at least, answer a question; empty: they do not."""

    query: str
    tell: Callable[[Rows], str]

    def told(self, table: QueryResult) -> str:
        """The answer in words; empty: there is none."""
        return self.tell(table.rows) if table.rows else ""


@dataclass(frozen=True, slots=True)
class StoryQuestion:
    """The queries that may answer a question, tried in order, with their parameters."""

    answers: tuple[QueryAnswer, ...]
    parameters: Mapping[str, object]

    def parameters_of(self, answer: QueryAnswer) -> dict[str, object]:
        """Those that a query has."""
        return {name: value for name, value in self.parameters.items() if f"${name}" in answer.query}


def _lines(template: str) -> Callable[[Rows], str]:
    return lambda rows: "\n".join(template.format(*row) for row in rows)


def _way(rows: Rows) -> str:
    return ", then ".join(map(_step, rows[0][0]))


def _step(relation: str) -> str:
    kind, _, action = relation.partition("_")
    return f"{action} (told, not walked yet)" if kind == "told" else action


def _places(rows: Rows) -> str:
    return "\n".join(
        f"{thing}: {place}{f', in {room}' if room else ''} (in {sessions} sessions)"
        for thing, place, room, sessions in rows
    )


def _opened(rows: Rows) -> str:
    """What was in vain is left out, and a thing that shares only a word where one is named whole."""
    worked = [row for row in rows if not is_fruitless(row[1])]
    named = [row for row in worked if row[2].lower() in row[0].lower()] or worked
    return "\n".join(
        dict.fromkeys(
            f"{action} (in {sessions} sessions). The {key} came to you in {room} by {how!r}."
            for action, _, key, room, how, sessions in named
        )
    )


def _wanted(rows: Rows) -> str:
    """By what was said, the things and their places."""
    places: dict[str, list[str]] = {}
    for thing, place, said, _ in rows:
        places.setdefault(said, []).append(f"{thing}: {place}")
    return "\n".join(f"{said}\n{'; '.join(dict.fromkeys(known))}" for said, known in places.items())


_AGAIN = "(in {3} sessions)"
_CAME = QueryAnswer(queries.CAME, _lines(f"{{0}}: came to you in {{1}} by {{2!r}} {_AGAIN}"))
_PLACES = QueryAnswer(queries.PLACES, _places)
_OPENED = QueryAnswer(queries.OPENED, _opened)
_WANTED = QueryAnswer(queries.WANTED, _wanted)
_SAID = QueryAnswer(queries.SAID, _lines("{0} (in {2} sessions): {1}"))
_TEXTS = _lines("{1} ({2}, {3} times):\n{0}")
_NEAREST = QueryAnswer(queries.NEAREST, lambda rows: f"The texts nearest to that:\n{_TEXTS(rows)}")
_ROUTE = (*(QueryAnswer(query, _way) for query in queries.ROUTES), QueryAnswer(queries.ROUTE_TO_THING, _way))
_HELD = (QueryAnswer(queries.HOLDERS, _lines("{1} has had the {0} (in {2} sessions)")), _CAME, _SAID)

_HOW = r"how (?:do|can|could) i (?:get|go|walk)"
_OPENS = r"(?:opens?|opened|unlocks?|unlocked)"
_THING = r"(?:(?:the )?(?:thing|key|tool|one|item)(?: that| which)?|that which|what(?:ever)?)"
_WANTS = (
    r"(?:asks? for|asked for|asked me for|wants?|wanted|needs?|needed|spoke of|speaks of|mentions?|mentioned)"
)
_MANY_HOPS: tuple[tuple[str, tuple[QueryAnswer, ...]], ...] = (
    (rf"(?:what|which key|how do i open|who) {_OPENS} (?P<name>.+)", (_OPENED,)),
    (
        rf"(?:who (?:has|had|holds|gave me)|where (?:is|was|do i (?:get|find)|did i (?:get|find))) {_THING} "
        rf"{_OPENS} (?P<name>.+)",
        (_OPENED,),
    ),
    (rf"(?:where (?:is|are|was|were)|who has) {_THING} (?P<name>.+?) {_WANTS}", (_WANTED,)),
)
_ACROSS: tuple[tuple[str, tuple[QueryAnswer, ...]], ...] = (
    (
        r"(?:where|how|in which rooms) (?:did|have|do) i (?:die|died).*",
        (QueryAnswer(queries.DEATHS, _lines("{0}: {1} ({2} times)")),),
    ),
    (
        r"(?:what|where|how) .*(?:earn|score|points).*",
        (QueryAnswer(queries.EARNED, _lines(f"{{0}} in {{1}}: {{2:+d}} {_AGAIN}")),),
    ),
    (
        r"(?:which|what) .*best.*",
        (QueryAnswer(queries.BEST, _lines("{0}: {1} points, score {2}, {3} steps")),),
    ),
    (
        r"(?:which|what|how many) (?:rooms|places).*",
        (QueryAnswer(queries.ROOMS, _lines("{0} (in {1} sessions)")),),
    ),
    (rf"{_HOW} from (?P<start>.+?) to (?P<goal>.+)", _ROUTE),
    (rf"{_HOW} to (?P<goal>.+?) from (?P<start>.+)", _ROUTE),
    (r"where (?:is|are|was|were) (?P<name>.+)", (_PLACES, _CAME)),
    (r"where (?:did|can|do) i (?:find|get|take) (?P<name>.+)", (_CAME, _PLACES)),
    (r"who (?:has|had|holds|carries|gave me) (?P<name>.+)", _HELD),
    (
        r"what (?:does|did|do) (?P<name>.+?) (?:say|tell|show|read)(?: .*)?",
        (QueryAnswer(queries.TEXTS, _TEXTS),),
    ),
)
EXAMPLES = (
    "where did I die",
    "what has earned points",
    "which session was the best",
    "which rooms are there",
    "how do I get from ROOM to ROOM",
    "where was THING",
    "who has THING",
    "what opens THING",
    "where is what CHARACTER asked for",
    "what does THING say",
)
_ARTICLE = re.compile(r"^(?:the|a|an|my) ")


def story_question(words: str) -> StoryQuestion:
    """What a question asks of all sessions: one of `EXAMPLES`, else for the texts that are nearest to it."""
    return _first((*_MANY_HOPS, *_ACROSS), words) or StoryQuestion((_NEAREST,), {"words": [*stems(words)]})


def hops_question(words: str) -> StoryQuestion | None:
    """What a question asks that needs more than one hop; None: the memory of a session answers it."""
    return _first(_MANY_HOPS, words)


def _first(known: Iterable[tuple[str, tuple[QueryAnswer, ...]]], words: str) -> StoryQuestion | None:
    text = " ".join(words.casefold().split()).rstrip("?!. ")
    for pattern, answers in known:
        if match := re.fullmatch(pattern, text):
            named = {name: _ARTICLE.sub("", part) for name, part in match.groupdict().items()}
            also = (_NEAREST,) if named else ()
            return StoryQuestion((*answers, *also), {**named, "words": [*stems(" ".join(named.values()))]})
    return None
