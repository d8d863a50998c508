"""Gymnasium's environments: bare, and through the mesh."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv

from lantern.evaluation.plan import Regime
from lantern.gym import FourTupleEnvironment, StoryEnvironment, story_environment
from mesh.errors import InputError
from tests.support.processes.command import ROOT, Lantern
from tests.support.scenes.stories import DIRECTORY, story_path

INFO = {"feedback", "score", "max_score", "moves", "won", "lost", "inventory", "room"}
FIVE = ("zork1.z5", "detective.z5", "library.z5", "lostpig.z8", "deephome.z5")
WALK = ("north", "east", "west", "south", "look", "inventory", "north", "up")


@pytest.fixture
def bare() -> Iterator[StoryEnvironment]:
    environment = story_environment()
    yield environment
    environment.close()


@pytest.fixture
def home(lantern: Lantern, monkeypatch: pytest.MonkeyPatch) -> Lantern:
    """Recorded environments of this test use the command's home."""
    for name, value in lantern.env.items():
        monkeypatch.setenv(name, value)
    return lantern


def story(name: str) -> str:
    return str(story_path(name))


def test_the_environment_passes_gymnasiums_own_check() -> None:
    made = gymnasium.make("Lantern/Kelder-v0", render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        check_env(made.unwrapped)
    made.close()


@pytest.mark.exhaustive
def test_a_recorded_environment_passes_gymnasiums_own_check(home: Lantern) -> None:
    made = gymnasium.make("Lantern/Kelder-v0", recorded=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        check_env(made.unwrapped, skip_render_check=True)
    made.close()


def test_a_step_gives_five_values_and_everything_that_is_known(bare: StoryEnvironment) -> None:
    text, info = bare.reset(seed=1)
    after = bare.step("north")

    assert INFO - {"moves"} <= info.keys()  # the story is none that the emulator knows
    assert "Kelder Light" in text and bare.observation_space.contains(text)
    assert after[0].startswith("Shingle Beach") and after[1:4] == (0.0, False, False)
    assert (after[4]["room"], after[4]["inventory"]) == ("Shingle Beach", ["letter"])


def test_of_a_known_story_everything_is_told() -> None:
    made = gymnasium.make("Lantern/Zork1-v0", story=story("zork1.z5"), regime="search")
    _, info = made.reset(seed=1)
    made.step("open mailbox")
    _, _, terminated, _, later = made.step("take leaflet")
    made.close()

    assert info.keys() == INFO | {"admissible_commands"}
    assert "open mailbox" in info["admissible_commands"]
    assert (later["score"], later["max_score"], later["moves"], terminated) == (0, 350, 2, False)
    assert later["inventory"] == ["leaflet"]


def test_the_reward_is_what_a_step_adds_to_the_score() -> None:
    made = story_environment(story("detective.z5"))
    made.reset(seed=1)
    rewards, scores = [], []
    for action in ("take paper", "read paper", "drop paper", "inventory", "west"):
        _, reward, _, _, info = made.step(action)
        rewards.append(reward)
        scores.append(info["score"])
    made.close()

    assert scores[-1] - 10 == sum(rewards) > 0  # the story begins with 10 points


def test_what_was_saved_goes_on_as_before_also_in_another_environment(bare: StoryEnvironment) -> None:
    bare.reset(seed=1)
    bare.step("north")
    saved = pickle.loads(pickle.dumps(bare.save()))
    first = [bare.step(action)[0] for action in ("east", "take all", "west")]
    text, info = bare.restore(saved)
    again = [bare.step(action)[0] for action in ("east", "take all", "west")]
    other = story_environment()
    other.reset(seed=9)
    other.restore(saved)
    elsewhere = [other.step(action)[0] for action in ("east", "take all", "west")]
    other.close()

    assert first == again == elsewhere
    assert (text.splitlines()[0], info["room"]) == ("Shingle Beach", "Shingle Beach")


def test_what_is_no_saved_game_is_refused(bare: StoryEnvironment) -> None:
    with pytest.raises(InputError, match="Call reset"):
        bare.save()
    bare.reset()
    with pytest.raises(InputError, match="Give what save"):
        bare.restore((b"\x00nonsense", 0))


def test_equal_seeds_give_equal_episodes() -> None:
    made = story_environment(story("zork1.z5"))
    random, texts = Random(1), []
    actions = [random.choice(WALK) for _ in range(40)]
    for seed in (3, 4, 3):
        made.reset(seed=seed)
        texts.append([made.step(action)[0] for action in actions])
    made.close()

    assert texts[0] == texts[2]


def test_an_episode_is_truncated_after_its_steps() -> None:
    made = story_environment(regime=Regime(steps=2))
    made.reset()

    assert [made.step("look")[2:4] for _ in range(2)] == [(False, False), (False, True)]
    made.close()


def test_a_text_only_regime_tells_the_text_alone() -> None:
    made = story_environment(regime="tales")
    _, info = made.reset()
    made.close()

    assert info.keys() == {"feedback", "won", "lost"}


def test_whatever_is_typed_is_answered(bare: StoryEnvironment) -> None:
    bare.reset()
    for action in ("", "quit", "restart", "save", "a\nb", "\0", "\\", "é" * 500, "help", "x" * 10_000, "😀"):
        text, _, terminated, _, _ = bare.step(action)
        assert bare.observation_space.contains(text) and not terminated, action
    assert bare.step("north")[4]["room"] == "Shingle Beach"


def test_a_hundred_random_steps_of_five_stories_at_once() -> None:
    makers = [partial(gymnasium.make, "lantern.gym:Lantern/Story-v0", story=story(name)) for name in FIVE]
    vector = AsyncVectorEnv(makers, shared_memory=False)
    random = Random(1)
    try:
        texts, infos = vector.reset(seed=1)
        assert list(infos["max_score"]) == [350, 360, 30, 7, 300]
        for _ in range(100):
            sampled = vector.action_space.sample()
            actions = [random.choice((*WALK, "take all", each)) for each in sampled]
            texts, rewards, ended, cut, infos = vector.step(actions)
            assert all(map(vector.single_observation_space.contains, texts))
        assert rewards.shape == ended.shape == cut.shape == (5,)
        assert infos["_score"].all()
    finally:
        vector.close()


def test_shared_memory_is_refused_with_the_mend() -> None:
    with pytest.raises(ValueError, match="shared_memory=False"):
        AsyncVectorEnv([partial(gymnasium.make, "lantern.gym:Lantern/Kelder-v0")])


def test_an_episode_through_the_mesh_is_a_recorded_session(home: Lantern, bare: StoryEnvironment) -> None:
    recorded = gymnasium.make("Lantern/Kelder-v0", recorded=True, regime=Regime(steps=20, restore=True))
    unwrapped = recorded.unwrapped
    assert isinstance(unwrapped, StoryEnvironment)
    bare.reset(seed=5)
    recorded.reset(seed=5)
    both = [(bare.step(action), recorded.step(action)) for action in WALK]
    saved = unwrapped.save()
    recorded.step("south")
    text, info = unwrapped.restore(saved)
    ended = recorded.step("quit")
    recorded.close()

    for alone, meshed in both:
        assert alone[0] == meshed[0].strip() or alone[0].strip() == meshed[0].strip()
        assert alone[1:4] == meshed[1:4]
        assert {key: alone[4][key] for key in ("room", "score", "max_score")} == {
            key: meshed[4][key] for key in ("room", "score", "max_score")
        }
    assert info["room"] == both[-1][1][4]["room"] and text
    assert ended[2]
    [session] = home.sessions()
    assert (session["policy"], session["seed"], session["steps"]) == ("outside", 5, len(WALK) + 3)
    assert home.run("sessions", "verify", session["session"]).returncode == 0


def test_a_regime_without_restore_cannot_be_saved_through_the_mesh(home: Lantern) -> None:
    recorded = story_environment(recorded=True, regime=Regime(steps=5))
    recorded.reset()
    with pytest.raises(InputError, match="restore=True"):
        recorded.save()
    recorded.close()


def test_textworlds_four_values() -> None:
    with FourTupleEnvironment(story_environment(story("detective.z5"), regime="search")) as environment:
        environment.seed(1)
        text, infos = environment.reset()
        after, score, done, later = environment.step("take paper")

    assert infos["score"] == 10 and isinstance(infos["inventory"], str) and infos["location"]
    assert (score, done, later["last_action"]) == (later["score"], False, "take paper")
    assert text and after and "admissible_commands" in later


@pytest.mark.parametrize(
    ("options", "mend"),
    [
        ({"story": "none.z5"}, "none.z5"),
        ({"regime": "tails"}, "Did you mean tales"),
        ({"regime": 7}, "Give the name of a preset"),
    ],
)
def test_what_cannot_be_made_is_told_in_a_line(options: dict[str, object], mend: str) -> None:
    with pytest.raises(InputError, match=mend) as refused:
        gymnasium.make("Lantern/Story-v0", **options)
    assert "\n" not in str(refused.value)


def test_without_its_packages_the_import_names_the_extra(tmp_path: Path) -> None:
    script = "import sys; sys.modules['gymnasium'] = None; import lantern.gym"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)

    assert done.returncode == 1
    assert "pip install 'lantern-mesh[gym]'" in done.stderr.splitlines()[-1]


def test_the_programs_of_the_page_run(home: Lantern) -> None:
    story("zork1.z5")
    programs = [
        block.split("```")[0] for block in (ROOT / "docs" / "gym.md").read_text().split("```python\n")[1:]
    ]
    env = {**home.env, "LANTERN_STORIES": str(DIRECTORY), "PYTHONPATH": str(ROOT)}
    for program in programs:
        done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert programs
