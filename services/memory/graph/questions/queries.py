"""The Cypher of questions in words: fixed texts with parameters."""

from __future__ import annotations

DEATHS = """MATCH (t:EpisodicTurn)-[:InRoom]->(r:SemanticEntity) WHERE t.died
RETURN r.name, t.action, count(*) AS times ORDER BY times DESC, r.name, t.action"""
EARNED = """MATCH (t:EpisodicTurn)-[:InRoom]->(r:SemanticEntity) WHERE t.reward > 0
RETURN t.action, r.name, max(t.reward) AS points, count(DISTINCT t.session) AS sessions
ORDER BY points DESC, sessions DESC, t.action"""
BEST = """MATCH (s:Session) RETURN s.id, s.points, s.score, s.steps
ORDER BY s.points DESC, s.steps LIMIT 5"""
ROOMS = """MATCH (t:EpisodicTurn)-[:InRoom]->(r:SemanticEntity)
RETURN r.name, count(DISTINCT t.session) AS sessions ORDER BY sessions DESC, r.name"""
PLACES = """MATCH (i:SemanticEntity {kind: 'item'})-[f:SemanticRel]->(r:SemanticEntity)
WHERE lower(i.name) CONTAINS $name AND f.relation IN ['located_in', 'inside']
OPTIONAL MATCH (r)-[g:SemanticRel {relation: 'located_in'}]->(room:SemanticEntity) WHERE g.session = f.session
RETURN i.name, r.name, room.name, count(DISTINCT f.session) AS sessions
ORDER BY sessions DESC, i.name, r.name LIMIT 20"""
"""Where things were; of what was in something, also the room of that."""
CAME = """MATCH (:SemanticEntity {kind: 'player'})-[h:SemanticRel {relation: 'has'}]->(i:SemanticEntity),
(t:EpisodicTurn)-[:InRoom]->(r:SemanticEntity)
WHERE lower(i.name) CONTAINS $name AND t.session = h.session AND t.step = h.valid_from
RETURN i.name, r.name, t.action, count(DISTINCT t.session) AS sessions
ORDER BY sessions DESC, i.name, r.name LIMIT 20"""
"""How things came into the player's hands."""
HOLDERS = """MATCH (i:SemanticEntity {kind: 'item'})-[f:SemanticRel {relation: 'inside'}]->(c:SemanticEntity)
WHERE lower(i.name) CONTAINS $name
RETURN i.name, c.name, count(DISTINCT f.session) AS sessions
ORDER BY sessions DESC, i.name, c.name LIMIT 20"""
SAID = """MATCH (c:SemanticEntity)-[f:SemanticRel]->(s:SemanticEntity {kind: 'statement'})
WHERE f.relation STARTS WITH 'said_' AND lower(s.name) CONTAINS $name
RETURN c.name, s.name, count(DISTINCT f.session) AS sessions ORDER BY sessions DESC, size(s.name) LIMIT 3"""
"""Who has spoken of something."""
TEXTS = """MATCH (t:EpisodicTurn)-[:InRoom]->(r:SemanticEntity)
WHERE lower(t.action) CONTAINS $name AND size(t.observation) > 60
RETURN t.observation, min(t.action), min(r.name), count(*) AS times
ORDER BY size(t.observation) DESC LIMIT 3"""
NEAREST = """UNWIND $words AS word MATCH (t:EpisodicTurn)-[:InRoom]->(r:SemanticEntity)
WHERE lower(t.observation) CONTAINS word
WITH t.observation AS text, min(t.action) AS action, min(r.name) AS room, count(DISTINCT word) AS hits,
count(DISTINCT t.id) AS times
RETURN text, action, room, times ORDER BY hits DESC, size(text) LIMIT 3"""
"""The texts that have most of a question's words."""

_ROUTE = """MATCH (a:SemanticEntity {{kind: 'room'}}), (b:SemanticEntity {{kind: 'room'}})
WHERE lower(a.name) CONTAINS $start AND lower(b.name) CONTAINS $goal
MATCH p = (a)-[e:SemanticRel* SHORTEST 1..30 (f, _ | WHERE {ways})]->(b)
RETURN list_transform(rels(p), f -> f.relation) AS ways, length(p) AS steps
ORDER BY size(a.name) + size(b.name), steps LIMIT 1"""
_WALKED = "f.relation STARTS WITH 'exit_'"
_TOLD = "f.relation STARTS WITH 'told_' AND f.valid_to = -1"
_ANY = f"{_WALKED} OR f.relation STARTS WITH 'led_' OR ({_TOLD})"
ROUTES = (_ROUTE.format(ways=_WALKED), _ROUTE.format(ways=_ANY))
"""Over walked ways; else also over other actions, and ways that the game names."""
ROUTE_TO_THING = f"""MATCH (a:SemanticEntity {{kind: 'room'}}),
(i:SemanticEntity {{kind: 'item'}})-[l:SemanticRel {{relation: 'located_in'}}]->(b:SemanticEntity)
WHERE lower(a.name) CONTAINS $start AND lower(i.name) CONTAINS $goal
MATCH p = (a)-[e:SemanticRel* SHORTEST 1..30 (f, _ | WHERE {_ANY})]->(b)
RETURN list_transform(rels(p), f -> f.relation) AS ways, length(p) AS steps ORDER BY steps LIMIT 1"""

_OPENING = r"'^(unlock|open|cut|break|pry|dig|force|free|untie) .+ (with|using) .+'"
OPENED = f"""MATCH (t:EpisodicTurn)
WHERE lower(t.action) CONTAINS $name
AND (lower(t.action) CONTAINS ' with ' OR lower(t.action) CONTAINS ' using ')
WITH t, lower(t.action) AS done WHERE regexp_matches(done, {_OPENING})
WITH t, list_extract(string_split(done, ' '), -1) AS tool
MATCH (:SemanticEntity {{kind: 'player'}})-[h:SemanticRel {{relation: 'has'}}]->(k:SemanticEntity)
WHERE k.kind = 'item' AND lower(k.name) ENDS WITH tool AND h.session = t.session AND h.valid_from <= t.step
WITH t, k, concat(h.session, ':', CAST(h.valid_from AS STRING)) AS got
MATCH (g:EpisodicTurn)-[:InRoom]->(r:SemanticEntity) WHERE g.id = got
RETURN t.action, t.observation, k.name, r.name, g.action, count(DISTINCT t.session) AS sessions
ORDER BY sessions DESC, t.action, r.name LIMIT 20"""
"""What opened something: the action, the thing that it took, and how that came into the player's hands. The
expression is looked for last, because it costs 50 microseconds a step."""
WANTED = """MATCH (c:SemanticEntity)-[f:SemanticRel]->(s:SemanticEntity {kind: 'statement'})
WHERE lower(c.name) CONTAINS $name AND f.relation STARTS WITH 'said_'
WITH DISTINCT c, s
MATCH (i:SemanticEntity {kind: 'item'}) WHERE i.id <> c.id AND regexp_matches(lower(s.name),
concat('\\\\b', list_extract(string_split(lower(i.name), ' '), -1), '\\\\b'))
WITH DISTINCT s, i
MATCH (i)-[p:SemanticRel]->(r:SemanticEntity) WHERE p.relation IN ['located_in', 'inside']
RETURN i.name, r.name, s.name, count(DISTINCT p.session) AS sessions
ORDER BY sessions DESC, i.name, r.name LIMIT 20"""
"""The things of which somebody has spoken, and where they were."""
