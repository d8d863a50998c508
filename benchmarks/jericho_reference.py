"""What `jericho.get_valid_actions` finds along a story's walkthrough, and how long that takes.

Usage: python -m benchmarks.jericho_reference STORY FILE [--states 8]

Adds one JSON object a line to FILE, one for each state, evenly spread over the walkthrough, and goes on where
the file ends. Jericho's noun
finder needs a spaCy model that is downloaded at run time; the nouns of the story's own dictionary stand in
for it. A process of its own, as Jericho crashes now and then.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import jericho
from jericho import FrotzEnv
from jericho import util as jericho_util


def dictionary_nouns(env: FrotzEnv) -> Any:
    """A stand-in for `jericho.util.extract_objs`: the printed words that the dictionary calls nouns."""
    words = env.get_dictionary()
    longest = max(len(word.word) for word in words)
    kinds = {word.word: "NOUN" if word.is_noun else "ADJ" for word in words if word.is_noun or word.is_adj}

    def found(text: str) -> set[tuple[str, str]]:
        typed = "".join(c if c.isalnum() or c in "-'" else " " for c in text.lower()).split()
        return {(word, kinds[word[:longest]]) for word in typed if word[:longest] in kinds}

    return found


def reached(env: FrotzEnv, state: Any, action: str) -> str:
    """The world's hash after an action; empty: the story stopped."""
    env.set_state(state)
    env.step(action)
    if env._emulator_halted():
        env.reset()
        return ""
    return str(env.get_world_state_hash())


def examined(env: FrotzEnv, step: int, action: str) -> dict[str, Any]:
    """One state: Jericho's valid actions with what each leads to."""
    state = env.get_state()
    began, began_on_the_wall = time.process_time(), time.perf_counter()
    found = env.get_valid_actions(use_parallel=False)
    seconds, wall = time.process_time() - began, time.perf_counter() - began_on_the_wall
    effects = {each: reached(env, state, each) for each in found}
    told = {
        "step": step,
        "walkthrough": action,
        "seconds": seconds,
        "wall_seconds": wall,
        "world": world_of(env, state),
        "waited": reached(env, state, "wait"),
        "leads_to": reached(env, state, action),
        "effects": effects,
    }
    env.set_state(state)
    return told


def world_of(env: FrotzEnv, state: Any) -> str:
    env.set_state(state)
    return str(env.get_world_state_hash())


def measure(story: Path, file: Path, states: int) -> None:
    """Walk the walkthrough, and look at each of the states that the file does not have yet."""
    env = FrotzEnv(str(story))
    env.reset()
    jericho_util.extract_objs = dictionary_nouns(env)
    done = len(file.read_text().splitlines()) if file.exists() else 0
    actions = env.get_walkthrough()
    chosen = [number * len(actions) // states for number in range(states)]
    with file.open("a") as out:
        for step, action in enumerate(actions):
            if step in chosen[done:]:
                print(json.dumps(examined(env, step, action)), file=out, flush=True)
            env.step(action)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("story", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--states", type=int, default=8)
    given = parser.parse_args()
    print(f"jericho {jericho.__version__}", flush=True)
    measure(given.story, given.file, given.states)


if __name__ == "__main__":
    main()
