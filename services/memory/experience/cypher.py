"""The queries of a story's experience. They only add and set: a log with deletions cannot be replayed."""

from __future__ import annotations

SCHEMA_VERSION = 2

SCHEMA = (
    """CREATE NODE TABLE PlayedSession(id STRING PRIMARY KEY, number INT64, steps INT64, points INT64,
    score INT64, stages INT64, reflections STRING[])""",
    "CREATE NODE TABLE Room(id STRING PRIMARY KEY, name STRING)",
    "CREATE REL TABLE LeadsTo(FROM Room TO Room, way STRING, number INT64)",
    "CREATE REL TABLE Earned(FROM PlayedSession TO Room, action STRING, points INT64)",
    "CREATE REL TABLE DiedIn(FROM PlayedSession TO Room, action STRING, dark BOOLEAN, times INT64)",
    """CREATE REL TABLE Did(FROM PlayedSession TO Room, steps INT64, position INT64, action STRING,
    arrives STRING)""",
)
READ_ALL = (
    "MATCH (s:PlayedSession) RETURN sum(s.steps)",
    "MATCH (:Room)-[e:LeadsTo]->(r:Room) RETURN max(e.way), max(r.name)",
    "MATCH (:PlayedSession)-[e:Earned]->(:Room) RETURN max(e.action), sum(e.points)",
    "MATCH (:PlayedSession)-[e:DiedIn]->(:Room) RETURN max(e.action), sum(e.times)",
    "MATCH (:PlayedSession)-[e:Did]->(:Room) RETURN max(e.action), sum(e.position)",
)

SESSION = "MATCH (s:PlayedSession {id: $id}) RETURN s.number, s.steps"
SUMMARY = "MATCH (s:PlayedSession) RETURN count(s), max(s.score)"
# The cast: see `ADD_TURNS` of the history.
ADD_SESSION = """MERGE (s:PlayedSession {id: $id})
SET s.number = $number, s.steps = $steps, s.points = $points, s.score = CAST($score AS INT64),
s.stages = $stages, s.reflections = CAST($reflections AS STRING[])"""
ADD_ROOMS = "UNWIND $rows AS row MERGE (r:Room {id: row.id}) SET r.name = row.name"
ADD_EXITS = """UNWIND $rows AS row MATCH (a:Room {id: row.room}), (b:Room {id: row.arrives})
MERGE (a)-[e:LeadsTo {way: row.way}]->(b) SET e.number = row.number"""
ADD_EARNED = """UNWIND $rows AS row MATCH (s:PlayedSession {id: row.session}), (r:Room {id: row.room})
MERGE (s)-[e:Earned {action: row.action}]->(r) SET e.points = row.points"""
ADD_DEATHS = """UNWIND $rows AS row MATCH (s:PlayedSession {id: row.session}), (r:Room {id: row.room})
MERGE (s)-[e:DiedIn {action: row.action, dark: row.dark}]->(r) SET e.times = row.times"""
ADD_ROUTE = """UNWIND $rows AS row MATCH (s:PlayedSession {id: row.session}), (r:Room {id: row.room})
MERGE (s)-[e:Did {steps: row.steps, position: row.position}]->(r)
SET e.action = row.action, e.arrives = row.arrives"""

REFLECTIONS = """MATCH (s:PlayedSession) WHERE size(s.reflections) > 0
RETURN s.reflections ORDER BY s.number DESC LIMIT $most"""
BEST = """MATCH (s:PlayedSession) WHERE s.stages > 0 RETURN s.id, s.points, s.stages
ORDER BY s.points DESC, s.stages, s.number LIMIT 1"""
ROUTE = """MATCH (s:PlayedSession {id: $id})-[e:Did]->(r:Room) WHERE e.steps = s.steps
RETURN e.position, e.action, r.id, e.arrives ORDER BY e.position"""
ROOMS = "MATCH (r:Room) RETURN r.id, r.name ORDER BY r.id"
EXITS = (
    """MATCH (a:Room)-[e:LeadsTo]->(b:Room) RETURN a.id, e.way, b.id ORDER BY a.id, e.number, e.way, b.id"""
)
EARNED = """MATCH (:PlayedSession)-[e:Earned]->(r:Room)
RETURN r.id, e.action, max(e.points) AS points ORDER BY r.id, e.action"""
DEATHS = """MATCH (:PlayedSession)-[e:DiedIn]->(r:Room)
RETURN r.id, e.action, e.dark, CAST(sum(e.times) AS INT64) AS times ORDER BY r.id, e.action, e.dark"""
