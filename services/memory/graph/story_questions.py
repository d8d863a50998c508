"""Questions about all sessions of a story, in words, answered by queries of their graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from services.memory.graph.graph_files import QueryResult

Rows = Sequence[Sequence[Any]]

_DEATHS = """MATCH (t:EpisodicTurn)-[:InRoom]->(r:SemanticEntity) WHERE t.died
RETURN r.name, t.action, count(*) AS times ORDER BY times DESC, r.name, t.action"""
_EARNED = """MATCH (t:EpisodicTurn)-[:InRoom]->(r:SemanticEntity) WHERE t.reward > 0
RETURN t.action, r.name, max(t.reward) AS points, count(DISTINCT t.session) AS sessions
ORDER BY points DESC, sessions DESC, t.action"""
_BEST = """MATCH (s:Session) RETURN s.id, s.points, s.score, s.steps
ORDER BY s.points DESC, s.steps LIMIT 5"""
_ROOMS = """MATCH (t:EpisodicTurn)-[:InRoom]->(r:SemanticEntity)
RETURN r.name, count(DISTINCT t.session) AS sessions ORDER BY sessions DESC, r.name"""
_THING = """MATCH (i:SemanticEntity {kind: 'item'})-[f:SemanticRel]->(r:SemanticEntity)
WHERE lower(i.name) CONTAINS $name AND f.relation = 'located_in'
RETURN i.name, r.name, count(DISTINCT f.session) AS sessions ORDER BY sessions DESC, i.name, r.name"""
_TEXTS = """MATCH (t:EpisodicTurn)-[:InRoom]->(r:SemanticEntity)
WHERE lower(t.action) CONTAINS $name AND size(t.observation) > 60
RETURN t.observation, min(t.action), min(r.name), count(*) AS times
ORDER BY size(t.observation) DESC LIMIT 3"""
_ROUTE = """MATCH (a:SemanticEntity {kind: 'room'}), (b:SemanticEntity {kind: 'room'})
WHERE lower(a.name) = $start AND lower(b.name) = $goal
MATCH p = (a)-[e:SemanticRel* SHORTEST 1..30 (f, _ | WHERE f.relation STARTS WITH 'exit_')]->(b)
RETURN list_transform(rels(p), f -> f.relation) AS ways, length(p) AS steps ORDER BY steps LIMIT 1"""


@dataclass(frozen=True, slots=True)
class StoryQuestion:
    """What a question asks of the graph, and how the rows answer it."""

    query: str
    parameters: Mapping[str, object]
    answer: Callable[[Rows], str]

    def told(self, table: QueryResult) -> str:
        """The answer in words."""
        return self.answer(table.rows) if table.rows else "No session has shown that."


def _lines(template: str) -> Callable[[Rows], str]:
    return lambda rows: "\n".join(template.format(*row) for row in rows)


def _way(rows: Rows) -> str:
    return ", then ".join(relation.removeprefix("exit_") for relation in rows[0][0])


_HOW = r"how (?:do|can|could) i (?:get|go|walk)"
_QUESTIONS: tuple[tuple[str, str, Callable[[Rows], str]], ...] = (
    (
        r"(?:where|how|in which rooms) (?:did|have|do) i (?:die|died).*",
        _DEATHS,
        _lines("{0}: {1} ({2} times)"),
    ),
    (
        r"(?:what|where|how) .*(?:earn|score|points).*",
        _EARNED,
        _lines("{0} in {1}: {2:+d} (in {3} sessions)"),
    ),
    (
        r"(?:which|what) .*best.*",
        _BEST,
        _lines("{0}: {1} points, score {2}, {3} steps"),
    ),
    (r"(?:which|what|how many) (?:rooms|places).*", _ROOMS, _lines("{0} (in {1} sessions)")),
    (rf"{_HOW} from (?P<start>.+?) to (?P<goal>.+)", _ROUTE, _way),
    (rf"{_HOW} to (?P<goal>.+?) from (?P<start>.+)", _ROUTE, _way),
    (r"where (?:is|are|was|were) (?P<name>.+)", _THING, _lines("{0}: {1} (in {2} sessions)")),
    (
        r"what (?:does|did|do) (?P<name>.+?) (?:say|tell|show|read)(?: .*)?",
        _TEXTS,
        _lines("{1} ({2}, {3} times):\n{0}"),
    ),
)
EXAMPLES = (
    "where did I die",
    "what has earned points",
    "which session was the best",
    "which rooms are there",
    "how do I get from ROOM to ROOM",
    "where was THING",
    "what does THING say",
)
_ARTICLE = re.compile(r"^(?:the|a|an|my) ")


def story_question(words: str) -> StoryQuestion | None:
    """What a question asks; None: it is none of `EXAMPLES`."""
    text = " ".join(words.casefold().split()).rstrip("?!. ")
    for pattern, query, answer in _QUESTIONS:
        if match := re.fullmatch(pattern, text):
            named = {name: _ARTICLE.sub("", part) for name, part in match.groupdict().items()}
            return StoryQuestion(query, named, answer)
    return None
