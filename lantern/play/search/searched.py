"""Searches before a session of the policy `search`, which then plays what was found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lantern.play.search.rule_player import METHOD, play_before
from lantern.play.session_options import PlayOptions
from schemas.game import SearchedActions
from search.messages import Order
from search.running import SearchRun
from services.actor.policies import PolicyName
from zmachine.story_file import StoryFile


async def with_search(options: PlayOptions, story: StoryFile, notify: Callable[[str], object]) -> PlayOptions:
    """The options with what a search has found, if the policy plays that and no search was made.

    Its limit is a number of probes, so the same options give the same session on any machine.

    Raises:
        SearchFailed: a worker has died.
    """
    if options.policy != PolicyName.SEARCH or options.searched is not None:
        return options
    notify(f"searching the story with {options.search_probes:,} probes before the session")
    seed = options.policy_seed or options.seed
    order = Order("", METHOD, emulator_seed=options.seed, seed=seed, probes=options.search_probes)
    search = SearchRun(story, order)
    await play_before(search, steps=options.steps)
    state = await search.run()
    if state.endless:
        notify(f"the search ended early: the game never ended {', '.join(state.endless)}")
    found = SearchedActions(method=METHOD, seed=seed, probes=state.spent, actions=state.actions)
    return replace(options, searched=found)
