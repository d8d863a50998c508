"""Going through a recorded session: stops, breakpoints, messages, changes, without a terminal."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable

import pytest

from lantern.inspect.comparison import ExpressionRefused
from lantern.inspect.debug_loop import THE_END, debug
from lantern.inspect.debugger import Debugger, ShownStep
from lantern.views.replay_pace import ReplayPace
from mesh.errors import InputError
from mesh.record.step_messages import StepMessages
from schemas.critic import ActionJudged
from schemas.fragment import FragmentGiven
from tests.support.scenes.builders import a_session, a_step
from tests.support.scenes.moment_builders import a_fragment, a_moment, a_proposed, a_verdict, a_walk, said


async def gone_through(
    moments: Iterable[StepMessages], commands: Iterable[str] = (), *, first: int = 0, debugger: Debugger
) -> list[str]:
    """What is said, with each command after its prompt."""
    spoken: list[str] = []
    lines = iter(commands)

    async def ask(prompt: str) -> str | None:
        line = next(lines, None)
        spoken.append(f"{prompt}{'' if line is None else line}".rstrip())
        return line

    async def steps() -> AsyncIterator[ShownStep]:
        for moment in moments:
            yield ShownStep(moment)

    await debug(steps(), debugger, spoken.append, ask, ReplayPace(None), first)
    return spoken


async def stepped(moments: Iterable[StepMessages], *commands: str, first: int = 0) -> list[str]:
    return await gone_through(moments, commands, first=first, debugger=Debugger(stepping=True))


def prompts(spoken: list[str]) -> list[str]:
    return [line for line in spoken if line.startswith("step ") and ">" in line]


def after(spoken: list[str], prompt: str) -> list[str]:
    """What is said between a command and the next prompt."""
    rest = spoken[spoken.index(prompt) + 1 :]
    end = next((at for at, line in enumerate(rest) if line.startswith("step ") and ">" in line), len(rest))
    return rest[:end]


async def test_without_stops_every_step_is_shown_and_nothing_asked() -> None:
    spoken = await gone_through(a_walk(3), debugger=Debugger())

    assert prompts(spoken) == []
    assert [line for line in spoken if line.startswith("[")] == [
        "[0] Room 0, 0 points", "[1] Room 1, 0 points", "[2] Room 2, 0 points", "[3] Room 3, 0 points",
    ]  # fmt: skip


async def test_enter_goes_to_the_next_step_and_the_end_of_the_commands_ends_it() -> None:
    spoken = await stepped(a_walk(9), "", "n")

    assert prompts(spoken) == ["step 0>", "step 1> n", "step 2>"]
    assert not any(line.startswith("[3]") for line in spoken)


@pytest.mark.parametrize("command", ["c", "g 9", "g 40"])
async def test_the_end_is_a_stop_where_one_stays(command: str) -> None:
    spoken = await stepped(a_walk(9), command, "n", "r", "p step", "c", "c", "q", "p step")

    assert prompts(spoken)[:3] == [f"step 0> {command}", "step 9> n", "step 9> r"]
    assert prompts(spoken)[-1] == "step 9> q"
    assert spoken.count(THE_END) >= 2


async def test_p_prints_the_value_of_whatever_a_breakpoint_may_name() -> None:
    moment = a_moment(a_step(0, held=["egg"], score=7), a_fragment(0, "dark\nold"))

    spoken = await stepped(
        [moment], "p score", "p score > 5", "p inventory", "p fragment.narrator.text", "p policy", "p scroe"
    )

    assert after(spoken, "step 0> p score") == ["7"]
    assert after(spoken, "step 0> p score > 5") == ["true"]
    assert after(spoken, "step 0> p inventory") == ['["egg"]']
    assert after(spoken, "step 0> p fragment.narrator.text") == ["dark", "old"]
    assert after(spoken, "step 0> p policy") == ["unknown"]
    assert "Did you mean score?" in after(spoken, "step 0> p scroe")[0]


async def test_d_names_a_few_of_many_things() -> None:
    seen = [f"thing {number}" for number in range(9)]

    spoken = await stepped([a_moment(a_step(0)), a_moment(a_step(1, "look", seen=seen))], "", "d", "d all")

    [told] = after(spoken, "step 1> d")
    assert told.endswith("+ thing 4, and 4 more (d all)")
    assert "thing 8" in after(spoken, "step 1> d all")[0]


async def test_q_ends_it() -> None:
    assert prompts(await stepped(a_walk(9), "", "q", "")) == ["step 0>", "step 1> q"]


async def test_c_goes_on_to_the_next_breakpoint_and_then_to_the_end() -> None:
    spoken = await stepped(a_walk(9, scores={4: 5, 5: 0}), "b score > 3", "c", "c")

    assert prompts(spoken) == ["step 0> b score > 3", "step 0> c", "step 4> c", "step 9>"]
    assert "breakpoint 1: score > 3" in spoken
    assert spoken[-3:] == ["Nothing happens.", THE_END, "step 9>"]
    assert any(line.startswith("[9]") for line in spoken)


async def test_breakpoints_given_beforehand_stop_where_they_hold() -> None:
    debugger = Debugger()
    debugger.add_breakpoint('room == "Room 2"')
    debugger.add_breakpoint("step == 4")

    spoken = await gone_through(a_walk(9), ["c", "", "c"], debugger=debugger)

    assert prompts(spoken) == ["step 2> c", "step 4>", "step 5> c", "step 9>"]


async def test_breakpoints_are_listed_and_removed() -> None:
    spoken = await stepped(a_walk(5), "b", "b step == 2", "b step == 3", "x 1", "x 7", "b", "c")

    assert after(spoken, "step 0> b")[0].startswith("There are no breakpoints")
    assert "breakpoint 1 is removed" in spoken
    assert "There is no such breakpoint. b lists those there are." in spoken
    assert "2: step == 3" in spoken
    assert prompts(spoken)[-1] == "step 3>"


async def test_a_breakpoint_that_is_no_expression_is_refused_where_it_is_given() -> None:
    spoken = await stepped(a_walk(5), "b scroe > 3", "q")

    assert after(spoken, "step 0> b scroe > 3")[0].startswith("Position 1 of the expression")
    with pytest.raises(ExpressionRefused):
        Debugger().add_breakpoint("score >")


async def test_a_breakpoint_that_cannot_be_evaluated_stops_and_says_so() -> None:
    debugger = Debugger()
    debugger.add_breakpoint('score > "x"')

    spoken = await gone_through(a_walk(5), debugger=debugger)

    assert prompts(spoken) == ["step 0>"]
    assert any("says nothing" in line for line in spoken)


async def test_a_breakpoint_sees_every_kind_of_message() -> None:
    moments = a_walk(3)
    moments[2] = a_moment(
        a_step(2, "north", held=["lamp"], valid=["up"]),
        a_fragment(2, "the lamp is lit"),
        a_proposed(2, "east"),
        a_verdict(2, "north", proposed="east"),
    )
    holding_at_2 = (
        'verdict.decision == "substitute"', 'proposal.action == "east"', '"lit" in fragment.narrator.text',
        '"lamp" in inventory', '"up" in valid_actions', 'step.room.name == "Hall"',
        'action == "north" and step > 1',
    )  # fmt: skip
    for text in holding_at_2:
        debugger = Debugger()
        debugger.add_breakpoint(text)
        spoken = await gone_through(moments, ["q"], debugger=debugger)
        assert prompts(spoken) == ["step 2> q"], text


async def test_what_the_session_was_started_with_holds_at_every_step() -> None:
    debugger = Debugger()
    debugger.add_breakpoint('step == 2 and policy == "heuristic" and started.seed == 1')

    assert prompts(await gone_through(a_walk(3), ["q"], debugger=debugger)) == ["step 2> q"]


async def test_p_lists_and_prints_messages_whole() -> None:
    moments = a_walk(2)
    moments[1] = a_moment(a_step(1, "north"), a_fragment(1, "one"), a_fragment(1, "two", by="hint"))

    spoken = await stepped(moments, "", "p", "p fragment narrator", "p hint", "p verdict", "q")

    assert after(spoken, "step 1> p") == ["step 1 has: step, fragment narrator, fragment hint"]
    for command, text in (("p fragment narrator", "one"), ("p hint", "two")):
        whole = json.loads("".join(after(spoken, f"step 1> {command}")))
        assert whole["body"]["sections"] == [{"name": "s", "text": text}]
    assert after(spoken, "step 1> p verdict")[0].startswith("There is no such message")


async def test_d_tells_field_by_field_what_changed() -> None:
    moments = [
        StepMessages(
            0,
            (
                said(a_session()),
                said(a_step(0, held=["egg"], seen=["lamp"], valid=["up"])),
                a_fragment(0, "dark\nold"),
            ),
        ),
        a_moment(
            a_step(
                1, "take lamp", held=["egg", "lamp"], seen=[], valid=["up", "down"], score=5, room="Attic"
            ),
            a_fragment(1, "dark\nnew"),
        ),
        a_moment(a_step(2, "x", held=["egg", "lamp"], seen=[], valid=["up", "down"], score=5, room="Attic")),
    ]

    spoken = await stepped(moments, "d", "", "d", "d all", "", "d")

    assert after(spoken, "step 0> d") == ["There is no step before this one to compare it with."]
    assert after(spoken, "step 1> d") == [
        "room: Hall -> Attic", "score: 0 -> 5", "inventory: + lamp", "objects: - lamp",
        "valid_actions: + down", "fragment narrator: 1 line gone, 1 new (d all)",
    ]  # fmt: skip
    assert after(spoken, "step 1> d all")[-3:] == ["fragment narrator:", "  - old", "  + new"]
    assert after(spoken, "step 2> d") == ["Nothing has changed."]


async def test_one_can_go_back_and_forth() -> None:
    spoken = await stepped(a_walk(9), "g 4", "r", "r", "", "g 0", "g x", "r", "q")

    assert prompts(spoken) == [
        "step 0> g 4", "step 4> r", "step 3> r", "step 2>", "step 3> g 0", "step 0> g x", "step 0> r",
        "step 0> q",
    ]  # fmt: skip
    assert "There is no step before this one." in spoken


async def test_steps_before_the_first_are_not_shown_and_are_known() -> None:
    moments = a_walk(5, scores={3: 7})

    spoken = await stepped(moments, "d", "q", first=3)

    assert not any(line.startswith(("[0]", "[1]", "[2]")) for line in spoken)
    assert "score: 0 -> 7" in after(spoken, "step 3> d")


async def test_an_unknown_command_says_where_help_is() -> None:
    spoken = await stepped(a_walk(1), "jump", "h", "q")

    assert after(spoken, "step 0> jump") == ["There is no command jump. h lists the commands."]
    assert any(line.startswith("Enter, n") for line in after(spoken, "step 0> h"))


async def test_nothing_that_is_said_can_steer_a_terminal() -> None:
    evil = "\x1b[31m\x07\x9b2J\u202e"
    verdict = ActionJudged(
        step=0, action=evil, proposed=evil, decision="approve", score=0, reason=evil, by="game"
    )
    moments = [
        StepMessages(
            0,
            (
                said(a_session().model_copy(update={"game": evil})),
                said(a_step(0, text=evil, room=evil, held=[evil], seen=[evil], valid=[evil])),
                said(FragmentGiven(step=0, suggestions=(evil,)), "hint"),
                a_fragment(0, evil),
                a_proposed(0, evil),
                said(verdict),
            ),
        ),
        a_moment(a_step(1, evil, text=evil, room=evil + "2", held=[], seen=[], valid=[])),
    ]
    kinds = [f"p {kind}" for kind in ("started", "step", "hint", "narrator", "proposal", "verdict")]

    spoken = await stepped(moments, *kinds, f"b room == '{evil}'", "b", f"{evil}", "", "d", "p step", "c")

    said_back = [line for line in spoken if not line.startswith("step ")]
    assert len(said_back) > 50
    assert all(character.isprintable() for line in said_back for character in line.replace("\n", ""))


@pytest.mark.parametrize(
    ("speed", "times"), [("instant", None), ("original", 1.0), ("x4", 4.0), ("x0.5", 0.5)]
)
def test_speeds(speed: str, times: float | None) -> None:
    assert ReplayPace.of(speed).times == times


@pytest.mark.parametrize("speed", ["", "4", "x", "x0", "x-1", "xnan", "xinf", "fast", "x1e999"])
def test_a_speed_that_is_none_is_refused(speed: str) -> None:
    with pytest.raises(InputError, match="--speed cannot be"):
        ReplayPace.of(speed)
