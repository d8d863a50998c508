"""The graph as GraphML, for programs that draw and measure graphs (Gephi, yEd, NetworkX)."""

from __future__ import annotations

from collections.abc import Iterator

from lantern.views.drawing.xml import attribute, text
from services.memory.beliefs.facts import Entity
from services.memory.timeline.snapshot import GraphSnapshot

_KEYS = (
    ("kind", "node", "string"),
    ("name", "node", "string"),
    ("is_a", "node", "string"),
    ("here", "node", "boolean"),
    ("relation", "edge", "string"),
    ("valid_from", "edge", "int"),
)


def graphml(graph: GraphSnapshot) -> str:
    """Every entity, and every fact that was valid at the snapshot's step."""
    return "\n".join(_lines(graph)) + "\n"


def _lines(graph: GraphSnapshot) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    for name, of, kind in _KEYS:
        yield f'<key id="{name}" for="{of}" attr.name="{name}" attr.type="{kind}"/>'
    yield f'<graph id="step-{graph.step}" edgedefault="directed">'
    for entity in graph.entities:
        yield _node(entity, graph)
    for number, fact in enumerate(graph.valid_facts):
        yield (
            f'<edge id="f{number}" source={attribute(fact.subject)} target={attribute(fact.object)}>'
            f'<data key="relation">{text(fact.relation)}</data>'
            f'<data key="valid_from">{fact.valid_from}</data></edge>'
        )
    yield "</graph></graphml>"


def _node(entity: Entity, graph: GraphSnapshot) -> str:
    here = '<data key="here">true</data>' if entity.id == graph.room else ""
    categories = ", ".join(graph.categories.get(entity.id, ()))
    is_a = f'<data key="is_a">{text(categories)}</data>' if categories else ""
    return (
        f'<node id={attribute(entity.id)}><data key="kind">{entity.kind}</data>'
        f'<data key="name">{text(entity.name)}</data>{is_a}{here}</node>'
    )
