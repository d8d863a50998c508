"""The schema of the graph of sessions, and the queries that write it: fixed texts with parameters."""

from __future__ import annotations

SCHEMA_VERSION = 2

SCHEMA = (
    """CREATE NODE TABLE Session(id STRING PRIMARY KEY, policy STRING, seed INT64, steps INT64, score INT64,
    points INT64, deaths INT64, won BOOLEAN, digest STRING, record STRING)""",
    "CREATE NODE TABLE SemanticEntity(id STRING PRIMARY KEY, kind STRING, name STRING)",
    """CREATE NODE TABLE EpisodicTurn(id STRING PRIMARY KEY, session STRING, step INT64,
    episode INT64, action STRING, observation STRING, score INT64, reward INT64, died BOOLEAN,
    won BOOLEAN, digest STRING)""",
    """CREATE REL TABLE SemanticRel(FROM SemanticEntity TO SemanticEntity, relation STRING, session STRING,
    valid_from INT64, valid_to INT64)""",
    "CREATE REL TABLE Mentions(FROM EpisodicTurn TO SemanticEntity)",
    "CREATE REL TABLE InRoom(FROM EpisodicTurn TO SemanticEntity)",
    "CREATE REL TABLE PartOf(FROM EpisodicTurn TO Session)",
)
READ_ALL = (
    "MATCH (s:Session) RETURN sum(s.steps)",
    "MATCH (t:EpisodicTurn)-[:PartOf]->(:Session) RETURN max(t.step), sum(size(t.observation))",
    "MATCH (:SemanticEntity)-[f:SemanticRel]->(:SemanticEntity) RETURN sum(f.valid_from)",
    "MATCH (:EpisodicTurn)-[:Mentions]->(e:SemanticEntity) RETURN max(e.name)",
)

# The casts: without them, a batch in which every score is unknown has the type of texts.
SET_SESSION = """MERGE (s:Session {id: $id}) SET s.policy = $policy, s.seed = $seed, s.steps = $steps,
s.score = CAST($score AS INT64), s.points = $points, s.deaths = $deaths, s.won = $won, s.digest = $digest,
s.record = $record"""
ADD_ENTITIES = """UNWIND $rows AS row MERGE (e:SemanticEntity {id: row.id})
ON CREATE SET e.kind = row.kind, e.name = row.name"""
ADD_TURNS = """UNWIND $rows AS row MATCH (s:Session {id: row.session})
CREATE (t:EpisodicTurn {id: row.id, session: row.session, step: row.step, episode: row.episode,
action: row.action, observation: row.observation, score: CAST(row.score AS INT64), reward: row.reward,
died: row.died, won: row.won, digest: row.digest})-[:PartOf]->(s)"""
ADD_ROOMS = """UNWIND $rows AS row MATCH (t:EpisodicTurn {id: row.turn}), (e:SemanticEntity {id: row.room})
CREATE (t)-[:InRoom]->(e)"""
ADD_FACTS = """UNWIND $rows AS row
MATCH (s:SemanticEntity {id: row.subject}), (o:SemanticEntity {id: row.object})
CREATE (s)-[:SemanticRel {relation: row.relation, session: row.session, valid_from: row.valid_from,
valid_to: row.valid_to}]->(o)"""
END_FACTS = """UNWIND $rows AS row
MATCH (s:SemanticEntity {id: row.subject})-[f:SemanticRel]->(o:SemanticEntity {id: row.object})
WHERE f.relation = row.relation AND f.session = row.session AND f.valid_from = row.valid_from
SET f.valid_to = row.valid_to"""
ADD_MENTIONS = """UNWIND $rows AS row
MATCH (t:EpisodicTurn {id: row.turn}), (e:SemanticEntity {id: row.entity}) CREATE (t)-[:Mentions]->(e)"""
SESSIONS = "MATCH (s:Session) RETURN s.id, s.steps, s.digest, s.record"
