"""Questions about what was read, heard and found, in a player's own words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set

from folds.text.phrases import is_fruitless
from folds.vocabulary.actions import is_conversation
from folds.vocabulary.talk import talk_in
from folds.vocabulary.words import words_of
from schemas.memory import MemoryAnswer
from services.memory.beliefs.facts import (
    HAS,
    INSIDE,
    LOCATED_IN,
    STILL_VALID,
    Entity,
    EntityKind,
    Fact,
)
from services.memory.questions import sentences
from services.memory.questions.lookup import (
    Answerer,
    Asked,
    any_by_text,
    evidence,
    has_begun,
    rooms_named,
    things_named,
)
from services.memory.questions.sentences import cut
from services.memory.texts.passages import PassageKind, RememberedText, sentences_of
from services.memory.texts.search import TextMatch, excerpt, search
from services.memory.texts.word_index import stem, stems, stems_in
from services.memory.timeline.entity_names import words_in
from services.memory.timeline.world_model import WorldModel

MOST_TEXTS = 3
MOST_WHOLE = 6
_BEST = {PassageKind.READ: 3, PassageKind.HEARD: 3, PassageKind.EXAMINED: 2, PassageKind.SEEN: 1}


def from_texts(asked: Asked, world: WorldModel) -> MemoryAnswer:
    """The texts that are nearest to a question."""
    also = _other_words(asked.question, asked.at, world)
    found = search(world.texts, asked.question, asked.at, also=also, alike=asked.alike)
    if found:
        return _told("The texts nearest to that:", found[:MOST_TEXTS], excerpt)
    return _refused(asked, world) or MemoryAnswer(answer=sentences.no_text(asked.question), known=False)


def _refused(asked: Asked, world: WorldModel) -> MemoryAnswer | None:
    """What the game said to actions on what the question names, although they came to nothing."""
    wanted = set(stems(asked.question))
    tried = [
        step
        for step in world.changes.steps(asked.at)
        if step.action
        and wanted & stems_in(step.action)
        and is_fruitless(step.observation)
        and not is_conversation(step.action)
    ]
    newest = {step.observation: step for step in tried}
    shown = sorted(newest.values(), key=lambda step: -step.step)[:MOST_TEXTS]
    lines = (f"step {step.step}: {cut(step.action or '')}:\n{step.observation}" for step in shown)
    if not shown:
        return None
    answer = "\n".join(("The game said:", *lines))
    return MemoryAnswer(answer=answer, steps=evidence(step.step for step in shown))


def what_it_says(asked: Asked, world: WorldModel) -> MemoryAnswer | None:
    """What was read in, heard from, or seen on something, about a topic or in all."""
    things = frozenset(things_named(asked.about, world, asked.at))
    about = [passage for passage in world.texts.up_to(asked.at) if _is_about(passage, things, asked, world)]
    if not about:
        return None
    if asked.topic:
        words = set(words_of(asked.topic))
        raised = [p for p in about if (talk := talk_in(p.action)) and talk[1] in words]
        wanted = set(stems(asked.topic))
        named = [p for p in about if any(map(wanted.intersection, map(stems_in, sentences_of(p.text))))]
        if not (chosen := raised or named):
            return None
        found = search(world.texts, asked.topic, asked.at, only=chosen, alike=asked.alike)
        return _told(f"Of {cut(asked.about)} about {cut(asked.topic)}:", found[:MOST_TEXTS], _whole)
    done = asked.verb.casefold()
    best = sorted(about, key=lambda p: (not p.action.startswith(done), -_BEST[p.kind], -p.step))
    shown = [TextMatch(passage, 0, 0) for passage in best[:MOST_WHOLE]]
    return _told(f"Of {cut(asked.about)}:", shown, _whole)


def who_has(asked: Asked, world: WorldModel) -> MemoryAnswer | None:
    """Who or what has a thing."""
    facts = [(t, f) for t in things_named(asked.about, world, asked.at) for f in _place(world, t, asked.at)]
    held = [(thing, fact) for thing, fact in facts if fact.relation in (HAS, INSIDE)]
    if not held:
        return None
    lines = (f"{_holder(world, fact)} the {cut(thing.name)}." for thing, fact in held)
    return _proved("\n".join(dict.fromkeys(lines)), (fact.valid_from for _, fact in held), facts)


def where_it_was_found(asked: Asked, world: WorldModel) -> MemoryAnswer | None:
    """In which room something came into the player's hands."""
    taken = []
    for thing in things_named(asked.about, world, asked.at):
        facts = [f for f in world.index.history(thing.id) if f.relation == HAS and has_begun(f, asked.at)]
        for fact in [fact for fact in facts if fact.valid_from > 0][:1]:
            step = world.changes.episodic(fact.valid_from)
            room = world.index.entities[step.room].name if step.room else "an unknown room"
            taken.append(
                (thing, fact, f"The {cut(thing.name)} came to you in {cut(room)} by {step.action!r}.")
            )
    if not taken:
        return None
    found = [(thing, fact) for thing, fact, _ in taken]
    return _proved("\n".join(line for *_, line in taken), (fact.valid_from for _, fact in found), found)


def where_it_was(asked: Asked, world: WorldModel) -> MemoryAnswer | None:
    """Every place of a thing that has been moved, oldest first."""
    stays = [
        (thing, fact)
        for thing in things_named(asked.about, world, asked.at)
        for fact in world.index.history(thing.id)
        if fact.relation in (HAS, INSIDE, LOCATED_IN)
    ]
    if asked.at is not None or all(fact.valid_to == STILL_VALID for _, fact in stays):
        return None
    lines = (f"The {cut(thing.name)} {_stay(world, fact)}." for thing, fact in stays)
    return _proved("\n".join(lines), (fact.valid_from for _, fact in stays), stays)


def what_was_there(asked: Asked, world: WorldModel) -> MemoryAnswer | None:
    """The things that were first met in a room, and those that came into the player's hands there."""
    named = rooms_named(asked.about, world, asked.at) or rooms_named(
        asked.about.casefold().removesuffix(" room"), world, asked.at
    )
    rooms = {room.id for room in named}
    found = []
    for thing in _met(world, EntityKind.ITEM, asked.at):
        facts = [f for f in world.index.history(thing.id) if has_begun(f, asked.at)]
        there = (f for f in facts if f.relation == LOCATED_IN and f.object in rooms)
        taken = (f for f in facts if f.relation == HAS and world.changes.episodic(f.valid_from).room in rooms)
        found += [(thing, fact) for fact in (*there, *taken)][:1]
    if not found:
        return None
    places = ", ".join(dict.fromkeys(cut(room.name) for room in named))
    answer = f"Found in {places}: {_listed(thing.name for thing, _ in found)}."
    return _proved(answer, (fact.valid_from for _, fact in found), found)


def what_is_inside(asked: Asked, world: WorldModel) -> MemoryAnswer | None:
    """What is, or was, in or on a thing."""
    holders = {thing.id: thing for thing in things_named(asked.about, world, asked.at)}
    held = [
        (thing, fact)
        for thing in _met(world, EntityKind.ITEM, asked.at)
        for fact in world.index.history(thing.id)
        if fact.relation == INSIDE and fact.object in holders and has_begun(fact, asked.at)
    ]
    if not held:
        return None
    now = [t.name for t, fact in held if fact in set(world.index.facts(t.id, asked.at))]
    gone = [t.name for t, _ in held if t.name not in now]
    name = cut(next(iter(holders.values())).name)
    lines = [f"In or on the {name}: {_listed(now)}."] if now else []
    lines += [f"Formerly in or on the {name}: {_listed(gone)}."] if gone else []
    return _proved("\n".join(lines), (fact.valid_from for _, fact in held), held)


def what_was_asked(asked: Asked, world: WorldModel) -> MemoryAnswer | None:
    """The topics of which somebody was asked."""
    words = words_in(asked.about)
    talks = [(s.step, talk_in(s.action)) for s in world.changes.steps(asked.at) if s.action]
    topics = [(step, talk[1]) for step, talk in talks if talk and talk[0] in words and talk[1]]
    if not topics:
        return None
    listed = ", ".join(dict.fromkeys(topic for _, topic in topics))
    return MemoryAnswer(
        answer=f"You have asked {cut(asked.about)} about: {listed}.",
        steps=evidence(step for step, _ in topics),
    )


def _is_about(passage: RememberedText, things: Set[Entity], asked: Asked, world: WorldModel) -> bool:
    """Whether a text was brought by an action on what the question names, which may be some known things."""
    if not passage.about:
        return False
    named, words = set(words_of(passage.about)), words_in(asked.about)
    is_whole = len(words) == 1 or passage.kind is PassageKind.HEARD or named.issuperset(words)
    if words[-1] in named and is_whole:
        return True
    return bool(things) and not things.isdisjoint(things_named(passage.about, world, asked.at))


def _other_words(question: str, at: int | None, world: WorldModel) -> Iterator[str]:
    """The names of the things that a question calls by words which no text has."""
    for word in words_of(question):
        if world.texts.words.has(stem(word)):
            continue
        for thing in world.index.names.by_synonym(word, at):
            yield from words_of(thing.name)


def _told(head: str, found: Iterable[TextMatch], shown: Callable[[TextMatch], str]) -> MemoryAnswer:
    texts = list(found)
    blocks = (f"step {f.passage.step}: {_source(f.passage)}:\n{shown(f)}" for f in texts)
    return MemoryAnswer(answer="\n".join((head, *blocks)), steps=evidence(f.passage.step for f in texts))


def _source(passage: RememberedText) -> str:
    room = f" ({cut(passage.room)})" if passage.room else ""
    return f"{cut(passage.action) or 'the opening'}{room}"


def _whole(found: TextMatch) -> str:
    return found.passage.text


def _proved(answer: str, steps: Iterable[int], held: Iterable[tuple[Entity, Fact]]) -> MemoryAnswer:
    return MemoryAnswer(answer=answer, steps=evidence(steps), by_text=any_by_text(thing for thing, _ in held))


def _place(world: WorldModel, thing: Entity, at: int | None) -> Iterator[Fact]:
    return (f for f in world.index.facts(thing.id, at) if f.relation in (HAS, INSIDE, LOCATED_IN))


def _holder(world: WorldModel, fact: Fact) -> str:
    return "You have" if fact.relation == HAS else f"The {cut(world.index.entities[fact.object].name)} has"


def _stay(world: WorldModel, fact: Fact) -> str:
    """Where a thing was, from which step to which."""
    place = "with you" if fact.relation == HAS else f"in {cut(world.index.entities[fact.object].name)}"
    if fact.valid_to == STILL_VALID:
        return f"is {place} since step {fact.valid_from}"
    return f"was {place} (steps {fact.valid_from} to {fact.valid_to})"


def _met(world: WorldModel, kind: EntityKind, at: int | None) -> Iterator[Entity]:
    known = world.index.entities.values() if at is None else world.index.met_up_to(at)
    return (entity for entity in known if entity.kind is kind)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(cut, dict.fromkeys(names)))


_SAYS = r"(?:says?|said|reads?|tells?|told|shows?|mentions?|mentioned|contains?)"
_TOPIC = r"(?: (?:about|of|on) (?P<topic>.+))?"
_FIND = r"(?:find|found|get|got|take|taken|pick(?:ed)? up|buy|bought|obtain)"
QUESTIONS: tuple[tuple[str, Answerer], ...] = (
    (rf"what (?:does|did|do|has|have) (?P<about>.+?) {_SAYS}(?: to)?(?: me| us)?{_TOPIC}", what_it_says),
    (r"what (?:is|was) (?:written|printed|carved|engraved) (?:on|in|upon) (?P<about>.+)", what_it_says),
    (rf"what (?:did|have) i (?:read|learn|learned|hear) (?:in|on|from) (?P<about>.+?){_TOPIC}", what_it_says),
    (r"what (?:does|did|do) (?P<about>.+?) (?P<verb>look|smell|taste|feel|sound) like", what_it_says),
    (r"(?:describe|read) (?P<about>.+)", what_it_says),
    (r"(?:who|what) (?:has|had|holds|owns|carries|keeps|took|stole) (?P<about>.+)", who_has),
    (rf"where (?:did|have) i {_FIND} (?P<about>.+?)(?: from)?", where_it_was_found),
    (r"where (?:was|were) (?P<about>.+)", where_it_was),
    (r"what (?:is|was|are|were) (?:there )?(?:in|inside|on|within) (?P<about>.+)", what_is_inside),
    (
        rf"what (?:(?:did|have) i (?:{_FIND[3:-1]}|see|seen)|was there) (?:in|at) (?P<about>.+)",
        what_was_there,
    ),
    (r"what (?:have|did) i (?:already )?(?:ask|asked|told) (?P<about>.+?)(?: about)?", what_was_asked),
)
"""Patterns of whole questions, and who answers them."""
