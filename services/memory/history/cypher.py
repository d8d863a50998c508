"""The queries of the store: fixed texts with parameters, never built from a game's text."""

from __future__ import annotations

SCHEMA_VERSION = 1

SCHEMA = (
    "CREATE NODE TABLE SemanticEntity(id STRING PRIMARY KEY, kind STRING, name STRING, first_step INT64)",
    """CREATE NODE TABLE EpisodicTurn(step INT64 PRIMARY KEY, episode INT64, room STRING, action STRING,
    observation STRING, score INT64, reward INT64, digest STRING)""",
    """CREATE REL TABLE SemanticRel(FROM SemanticEntity TO SemanticEntity, relation STRING,
    valid_from INT64, valid_to INT64)""",
    "CREATE REL TABLE Mentions(FROM EpisodicTurn TO SemanticEntity)",
)
READ_ALL = (
    "MATCH (t:EpisodicTurn) RETURN max(t.step), sum(size(t.observation))",
    "MATCH (:SemanticEntity)-[f:SemanticRel]->(:SemanticEntity) RETURN sum(f.valid_from)",
    "MATCH (:EpisodicTurn)-[:Mentions]->(e:SemanticEntity) RETURN max(e.first_step)",
)

ADD_ENTITIES = """UNWIND $rows AS row MERGE (e:SemanticEntity {id: row.id})
ON CREATE SET e.kind = row.kind, e.name = row.name, e.first_step = row.first_step"""
# The cast: without it, a batch in which every score is unknown has the type of texts.
ADD_TURNS = """UNWIND $rows AS row CREATE (:EpisodicTurn {step: row.step, episode: row.episode,
room: row.room, action: row.action, observation: row.observation, score: CAST(row.score AS INT64),
reward: row.reward, digest: row.digest})"""
ADD_FACTS = """UNWIND $rows AS row
MATCH (s:SemanticEntity {id: row.subject}), (o:SemanticEntity {id: row.object})
CREATE (s)-[:SemanticRel {relation: row.relation, valid_from: row.valid_from, valid_to: row.valid_to}]->(o)"""
END_FACTS = """UNWIND $rows AS row
MATCH (s:SemanticEntity {id: row.subject})-[f:SemanticRel]->(o:SemanticEntity {id: row.object})
WHERE f.relation = row.relation AND f.valid_from = row.valid_from SET f.valid_to = row.valid_to"""
ADD_MENTIONS = """UNWIND $rows AS row
MATCH (t:EpisodicTurn {step: row.step}), (e:SemanticEntity {id: row.entity}) CREATE (t)-[:Mentions]->(e)"""

DIGESTS = "MATCH (t:EpisodicTurn) WHERE t.step >= $first AND t.step <= $last RETURN t.step, t.digest"
FORGET = (
    "MATCH (t:EpisodicTurn) WHERE t.step > $step DETACH DELETE t",
    "MATCH ()-[f:SemanticRel]->() WHERE f.valid_from > $step DELETE f",
    "MATCH ()-[f:SemanticRel]->() WHERE f.valid_to > $step SET f.valid_to = -1",
    "MATCH (e:SemanticEntity) WHERE e.first_step > $step DETACH DELETE e",
)

LAST_STEP = "MATCH (t:EpisodicTurn) RETURN max(t.step)"
ENTITIES = "MATCH (e:SemanticEntity) WHERE e.kind = $kind RETURN e.id, e.kind, e.name ORDER BY e.id"
VALID_NOW = """MATCH (s:SemanticEntity {id: $subject})-[f:SemanticRel]->(o:SemanticEntity)
WHERE f.relation = $relation AND f.valid_to = -1
RETURN o.id, o.kind, o.name, f.valid_from ORDER BY f.valid_from, o.id"""
WAYS = """MATCH (s:SemanticEntity {id: $room})-[f:SemanticRel]->(o:SemanticEntity)
WHERE f.relation STARTS WITH $prefix AND f.valid_to = -1
RETURN f.relation, o.id, o.kind, o.name, f.valid_from ORDER BY f.valid_from, f.relation"""
PLACES_OUTSIDE = """MATCH (:SemanticEntity {id: $thing})-[f:SemanticRel]->(o:SemanticEntity)
WHERE f.relation IN ['located_in', 'inside']
RETURN o.id, o.kind, o.name, f.valid_from, f.valid_to"""
# From the thing's side: the player has facts from the whole session.
PLACES_WITH_PLAYER = """MATCH (:SemanticEntity {id: $thing})<-[f:SemanticRel]-(o:SemanticEntity)
WHERE f.relation = $relation RETURN o.id, o.kind, o.name, f.valid_from, f.valid_to"""
TRIED = """MATCH (t:EpisodicTurn) WHERE t.room = $room AND t.action IS NOT NULL
RETURN t.step, t.episode, t.room, t.action, t.observation, t.score, t.reward ORDER BY t.step"""
MENTIONED = (
    "MATCH (t:EpisodicTurn)-[:Mentions]->(:SemanticEntity {id: $entity}) RETURN t.step ORDER BY t.step"
)
