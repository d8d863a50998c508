"""Verbs that nobody can type before something was done."""

from __future__ import annotations

from games import BUNDLED
from search.environment import Environment
from search.frontier.scene import SceneReader
from search.frontier.spoken_verbs import SpokenVerbs
from tests.support.search.rig import STORIES, Rig


def test_a_spell_that_was_learned_is_a_verb_and_is_learned_again_before_it_is_cast() -> None:
    rig = Rig(Environment(STORIES / "spell.z5", 0))
    spoken, stop = rig.trier.spoken, rig.walker.stop(())
    spell = next(thing for thing in stop.scene.things if thing.noun == "zifmia")

    assert spoken.heard(stop.position, ["zifmia", "stone"]) == []
    rig.environment.restore(stop.position)
    rig.environment.step("learn zifmia")
    deed = rig.deeds.found(stop, ("learn zifmia",))
    assert deed is not None
    found = spoken.done(deed, [spell])

    assert [phrase.text for phrase in found] == ["zifmia", "zifmia {}"]
    assert spoken.line("zifmia stone") == ("learn zifmia", "zifmia stone")
    assert spoken.line("take stone") == ("take stone",)
    assert spoken.unready(stop.position, "here") == frozenset()


def test_a_spell_is_no_verb_where_it_cannot_be_learned() -> None:
    rig = Rig(Environment(STORIES / "spell.z5", 0))
    spoken, stop = rig.trier.spoken, rig.walker.stop(())
    rig.environment.step("learn zifmia")
    deed = rig.deeds.found(stop, ("learn zifmia",))
    assert deed is not None
    spoken.done(deed, [thing for thing in stop.scene.things if thing.noun == "zifmia"])

    rig.environment.restore(stop.position)
    rig.environment.step("close book")

    assert spoken.unready(rig.environment.save(), "the book is closed") == {"zifmia"}


def test_what_only_a_spell_being_learned_has_changed_is_no_effect_of_casting_it() -> None:
    rig = Rig(Environment(STORIES / "spell.z5", 0))
    stop = rig.walker.stop(())

    def effect(action: str) -> bool:
        line = ("learn zifmia", action)
        rig.environment.restore(stop.position)
        for each in line:
            rig.environment.step(each)
        deed = rig.deeds.found(stop, line)
        return deed is not None and rig.trier._adds(deed, line)

    assert effect("zifmia stone")
    assert not effect("learn zifmia")


def test_a_story_whose_verbs_can_all_be_typed_has_no_spoken_verbs() -> None:
    environment = Environment(BUNDLED, 0)
    spoken = SpokenVerbs(environment, SceneReader(environment))
    spent = environment.probes

    assert spoken.heard(environment.save(), ["lamp", "rug"]) == []
    assert environment.probes == spent
