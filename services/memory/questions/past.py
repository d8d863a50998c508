"""Questions about what was done, and how it went, in a player's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from folds.text.things.inventory import object_of
from folds.vocabulary.actions import direction_of, normal
from folds.vocabulary.words import head_of, is_person, words_of
from schemas.memory import MemoryAnswer
from services.memory.beliefs.facts import AT, PLAYER, SAID, EntityKind, EpisodicStep
from services.memory.questions.lookup import Answerer, Asked, evidence, has_begun, rooms_named, things_named
from services.memory.questions.sentences import cut
from services.memory.timeline.world_model import WorldModel

_SOMEBODY = re.compile(r"I don['’]t suppose (?:the )?([a-z]+) would")
"""How Inform's library says that somebody is alive."""
_STATES = (
    ("lock", "locked", "unlock", "unlocked", "open", "opened", "close", "closed", "shut"),
    ("on", "off", "lit", "light", "burning", "out"),
    ("broken", "broke", "break", "whole", "intact"),
    ("full", "empty"),
    ("alive", "dead", "killed", "asleep", "awake"),
)
"""Words for states of which one ends another."""

LATEST = 5
"""Actions of which one who asks for the last ones is told."""
ANSWERED = 100
"""Characters of the answer to each action on a thing."""
SCORE = "score"


def score(asked: Asked, world: WorldModel) -> MemoryAnswer | None:
    """The score, as far as it is known."""
    scored = [step for step in world.changes.steps(asked.at) if step.score is not None]
    if scored:
        return MemoryAnswer(answer=f"The score is {scored[-1].score}.", steps=(scored[-1].step,))
    typed = [step for step in world.changes.steps(asked.at) if normal(step.action or "") == SCORE]
    if not typed:
        return None
    last = typed[-1]
    return MemoryAnswer(answer=f"The game said at step {last.step}: {last.observation}", steps=(last.step,))


def what_earned(asked: Asked, world: WorldModel) -> MemoryAnswer | None:
    """The actions that brought points."""
    earned = [step for step in world.changes.steps(asked.at) if step.reward > 0]
    lines = (f"step {s.step}: {_done(s, world)} ({s.reward:+d})" for s in earned)
    if not earned:
        return MemoryAnswer(answer="Nothing has earned points, as far as I know.", known=False)
    return MemoryAnswer(answer="\n".join(lines), steps=evidence(step.step for step in earned))


def how_it_ended(asked: Asked, world: WorldModel) -> MemoryAnswer | None:
    """Where and how the game has ended."""
    ends = [step for step in world.changes.steps(asked.at) if step.step in world.ends]
    if not ends:
        return MemoryAnswer(answer="The game has not ended yet.", known=False)
    lines = (f"step {s.step}: {_done(s, world)}: {s.observation}" for s in ends)
    return MemoryAnswer(answer="\n".join(lines), steps=evidence(step.step for step in ends))


def rooms_visited(asked: Asked, world: WorldModel) -> MemoryAnswer | None:
    """Every room in which the player was."""
    stays = [f for f in world.index.history(PLAYER.id) if f.relation == AT and has_begun(f, asked.at)]
    names = dict.fromkeys(world.index.entities[fact.object].name for fact in stays)
    if not names:
        return None
    first = {fact.object: fact.valid_from for fact in reversed(stays)}
    answer = f"You have been in: {', '.join(map(cut, names))}."
    return MemoryAnswer(answer=answer, steps=evidence(first.values()))


def last_actions(asked: Asked, world: WorldModel) -> MemoryAnswer | None:
    """The latest actions, the newest last."""
    done = [step for step in world.changes.steps(asked.at) if step.action][-LATEST:]
    lines = (f"step {step.step}: {_done(step, world)}" for step in done)
    return MemoryAnswer(answer="\n".join(lines), steps=evidence(step.step for step in done)) if done else None


def was_there(asked: Asked, world: WorldModel) -> MemoryAnswer | None:
    """Whether and when the player was in a room."""
    rooms = {room.id: room for room in rooms_named(asked.about, world, asked.at)}
    stays = [
        fact
        for fact in world.index.history(PLAYER.id)
        if fact.relation == AT and fact.object in rooms and has_begun(fact, asked.at)
    ]
    if not stays:
        return None
    name, came = cut(rooms[stays[0].object].name), sorted(fact.valid_from for fact in stays)
    often = f", {len(came)} times, the last time at step {came[-1]}" if len(came) > 1 else ""
    return MemoryAnswer(answer=f"You first came to {name} at step {came[0]}{often}.", steps=evidence(came))


def why_not(asked: Asked, world: WorldModel) -> MemoryAnswer | None:
    """What the game said when a way was refused, from here or from a room that the question names."""
    way = direction_of(asked.about)
    rooms = {room.id for room in rooms_named(asked.topic or None, world, asked.at)}
    if way is None or not rooms:
        return None
    steps = list(world.changes.steps(asked.at))
    here = world.index.room(asked.at)
    rooms_after = [*(step.room for step in steps[1:]), here.object if here else None]
    refused = [
        step
        for step, after in zip(steps, rooms_after, strict=True)
        if direction_of(step.action or "") == way and step.room == after and step.room in rooms
    ]
    return _said(refused[-1:]) if refused else None


def state_of(asked: Asked, world: WorldModel) -> MemoryAnswer | None:
    """What the newest texts say of a thing's state: of its lock, its light, and the like."""
    told = next(told for told in _STATES if asked.topic.casefold() in told)
    state = re.compile(rf"\b(?:{'|'.join(told)})\b", re.I)
    about = [s for s in _actions_on(asked, world) if state.search(f"{s.action}\n{s.observation}")]
    return _said(about[: -LATEST - 1 : -1]) if about else None


def what_was_done(asked: Asked, world: WorldModel) -> MemoryAnswer | None:
    """The actions on a thing, oldest first."""
    done = list(_actions_on(asked, world))
    lines = (f"step {s.step}: {_done(s, world)}: {cut(s.observation, ANSWERED)!r}" for s in done)
    return MemoryAnswer(answer="\n".join(lines), steps=evidence(s.step for s in done)) if done else None


def _actions_on(asked: Asked, world: WorldModel) -> Iterator[EpisodicStep]:
    """The steps whose action was on what the question names: `unlock door with key` is on the door."""
    things, words = set(things_named(asked.about, world, asked.at)), set(words_of(asked.about))
    for step in world.changes.steps(asked.at):
        name = re.split(r" (?:with|using) ", object_of(normal(step.action or "")))[0]
        on = re.sub(r"^(?:on|off|up|down|in|out) ", "", name)
        if on and (head_of(on) in words or not things.isdisjoint(things_named(on, world, asked.at))):
            yield step


def _said(steps: Sequence[EpisodicStep]) -> MemoryAnswer:
    lines = (f"The game said at step {s.step} ({cut(s.action or '')}): {s.observation}" for s in steps)
    return MemoryAnswer(answer="\n".join(lines), steps=evidence(step.step for step in steps))


def people_met(asked: Asked, world: WorldModel) -> MemoryAnswer | None:
    """The characters that were met: those named as people are, and those who said something."""
    known = world.index.entities.values() if asked.at is None else world.index.met_up_to(asked.at)
    said = {
        thing.name: [f.valid_from for f in world.index.history(thing.id) if f.relation.startswith(SAID)]
        for thing in known
        if thing.kind is EntityKind.ITEM
    }
    alive = {name for step in world.changes.steps(asked.at) for name in _SOMEBODY.findall(step.observation)}
    met = {name: steps for name, steps in said.items() if steps or is_person(name) or head_of(name) in alive}
    if not met:
        return MemoryAnswer(answer="You have met nobody, as far as I know.", known=False)
    answer = f"You have met: {', '.join(map(cut, met))}."
    return MemoryAnswer(answer=answer, steps=evidence(step for steps in met.values() for step in steps[:1]))


def _done(step: EpisodicStep, world: WorldModel) -> str:
    room = cut(world.index.entities[step.room].name) if step.room else "an unknown room"
    return f"{cut(step.action or '')} in {room}"


_GAIN = r"(?:earn(?:ed)?|score[d]?|gain(?:ed)?|got|get|brought|gave|made)"
_VISIT = r"(?:visit(?:ed)?|been (?:in|to)|see|seen|know|enter(?:ed)?)"
_HAS = r"(?:has |have |did |was |were )?"
_DID = r"what (?:did|have) i (?:do|done)(?: last| lately| recently| so far)"
_LAST = r"what (?:was|were) (?:my|the) (?:last|latest) (?:actions?|moves?|things?)(?: i did)?"
_WHO = r"who|which (?:people|persons?|characters?)"
_HOW = r"(?:how(?: often| many times)?|where|why|when)"
_FROM = r"(?: (?:from|in|at|out of) (?P<topic>.+))?"
_STATE = "|".join(state for states in _STATES for state in states)
_CANNOT = r"can['’]?t|cannot|can not|could ?n['’]?t|could not"
QUESTIONS: tuple[tuple[str, Answerer], ...] = (
    (r"(?:what is )?(?:my|the) score|how many points (?:(?:do|did) i have|have i(?: got)?)", score),
    (rf"(?:what|which actions?|where|how) {_HAS}(?:i )?{_GAIN}(?: me)?(?: any)?(?: points?)?", what_earned),
    (rf"{_HOW} (?:did|have) i (?:die|died|lose|lost)|what (?:has )?killed me", how_it_ended),
    (rf"(?:which|what) (?:rooms|places) (?:have|did|do) i (?:already )?{_VISIT}", rooms_visited),
    (r"where have i been", rooms_visited),
    (rf"{_DID}|{_LAST}", last_actions),
    (r"what (?:did i do|have i done|was done) (?:to|with) (?P<about>.+)", what_was_done),
    (rf"(?:have|did|was) i (?:ever |already )?(?:{_VISIT}|in|at) (?P<about>.+?)(?: yet| before)?", was_there),
    (rf"(?:{_WHO}) (?:have|did|do) i (?:already )?(?:met|meet|seen?|know)(?: so far| yet)?", people_met),
    (rf"why (?:{_CANNOT}) i (?:go|walk|get|leave) (?:to the )?(?P<about>\S+){_FROM}", why_not),
    (rf"(?:is|are|was|were) (?P<about>.+?) (?:still |now |already )?(?P<topic>{_STATE})", state_of),
)
"""Patterns of whole questions, and who answers them."""
