"""Fifty questions in a player's own words, about five sessions; the right answers were found by hand.

An answer is right if all the words stand in its first 700 characters: not in a list of everything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from schemas.memory import AskMemory
from services.memory.questions.free_text import answer_free_text
from services.memory.timeline.world_model import WorldModel
from tests.support.scenes.stories import BUNDLED_NAME, story_path
from tests.support.sessions.walk import walk

SHOWN = 700
LEAST_RIGHT = 45


@dataclass(frozen=True, slots=True)
class Session:
    """A story, what was typed, and the questions, each with words of the right answer."""

    story: str
    actions: str
    questions: tuple[tuple[str, tuple[str, ...]], ...]
    text_only: bool = False


SESSIONS = {
    "keeper": Session(
        BUNDLED_NAME,
        "read letter, north, east, ask maren about tobias, ask maren about key, ask maren about light, "
        "ask maren about sea, west, up, west, open cupboard, take brass lamp, up, read logbook, down, "
        "move rug, open trapdoor, down, light lamp, up, east, down, drop letter",
        (
            ("where is the lamp", ("brass lamp", "with you")),
            ("what does the letter say", ("Harbour Board", "Maren Voss")),
            ("who has the tower key?", ("Maren",)),
            ("what did the letter say about the key", ("believed to hold the tower key",)),
            ("what did Maren say about Tobias", ("thirty years",)),
            ("what did I read in the logbook", ("Never toward the roar",)),
            ("which way do I have to go from the gap in the cellar", ("west, then south, then east",)),
            ("where did I leave the letter", ("Shingle Beach",)),
            ("what was the name of the boat", ("Petrel",)),
            ("how do I get to the attic", ("up, then west, then up",)),
            ("what was under the rug", ("trapdoor",)),
            ("how do I get back to the jetty", (": south",)),
            ("what have I asked Maren about", ("tobias", "key", "light", "sea")),
        ),
    ),
    "keeper by text": Session(
        BUNDLED_NAME,
        "read letter, north, east, ask maren about key, west, up, west, open cupboard, take lamp, up, take "
        "coat, read logbook, down, east",
        (
            ("do I have the lamp", ("with you",)),
            ("where did I find the coat", ("Attic",)),
            ("what orders did the Board give me", ("light the great lantern",)),
            ("what did Maren tell me about the key", ("none but a friend",)),
            ("when does the fleet arrive?", ("evening",)),
            ("what was in the cupboard", ("brass lamp",)),
            ("where am I", ("Cliff Top",)),
            ("how do I get to the net shed", ("down, then east",)),
            ("why did Tobias hide the lens", ("wreckers",)),
        ),
        text_only=True,
    ),
    "library": Session(
        "library.z5",
        "x security gates, x attendant, read tag, ask alan about novel, ask alan about nelson, "
        "ask alan about librarian, w, x librarian, read tag, ask marion about nelson, "
        "ask marion about rare books, ask marion about key, e, ask alan about key, i, give card to alan, w, "
        "n, x stairs, smell, u, x painting, s, search shelves, unlock door with key, open door, s, get book, "
        "read book, n, close door, lock door with key, e, x technician, ask technician about security gates, "
        "x printouts, w, n, d, s",
        (
            ("what did Marion say about the key", ("circulation desk",)),
            ("who has my ID card", ("attendant",)),
            ("how do I get to the rare books room", ("north, then up, then south",)),
            ("what did Alan want in exchange for the key", ("ID card",)),
            ("what is the attendant's name", ("Alan",)),
            ("where did I find the novel", ("Second Floor Stacks",)),
            ("what was written on the plaque", ("Grue",)),
            ("where did I see the technician", ("Computer Lab",)),
            ("what did the door to the rare books room need", ("key",)),
            ("what does the biography say", ("Curses",)),
            ("what has earned points", ("give card to alan", "search shelves")),
        ),
    ),
    "pig": Session(
        "lostpig.z8",
        "x me, inventory, x farm, x forest, look for pig, listen, northeast, x stairs, x metal thing, "
        "take tube and torch, look inside tube, blow in tube, x crack, east, x pig, follow pig, catch it, "
        "x fountain, x bowl, x coin, x curtain, x man, north, x west mural, x east mural, x statue, x hat, "
        "take it, wear it, south, southwest, x box, put coin in slot, take coin, pull lever, x brick, "
        "take it, smell it, east, greet gnome, tell gnome about grunk, ask gnome about statue, "
        "ask what gnome looking for, ask gnome about moggle",
        (
            ("what is the gnome looking for", ("Mogglev",)),
            ("where is the pig", ("Fountain Room",)),
            ("where did I get the hat", ("Statue Room",)),
            ("what happened to the coin", ("metal box",)),
            ("what does the east mural show", ("purple pole",)),
            ("what did the gnome say about the statue", ("alchemist",)),
            ("what does the brick smell like", ("fruity",)),
            ("how do I get to the fountain", ("west, then northeast",)),
            ("what came out of the box when I pulled the lever", ("brick",)),
        ),
    ),
    "detective": Session(
        "detective.z5",
        "take paper, read paper, drop paper, inventory, w, take gun, e, n, w, e, e, take wood, w, w, take "
        "note, read note, e, n, n, w, n, n, w, e, n, e, e, e, s, take hamburger, n, n, e, n",
        (
            ("what did the note say", ("governer",)),
            ("where did I leave the paper", ("Chief's office",)),
            ("who was murdered", ("Mayor",)),
            ("where is the gun", ("pistol", "with you")),
            ("what is my score", ("150",)),
            ("where did I get the hamburger", ("McDonalds",)),
            ("which rooms have I visited", ("Closet", "Dining room", "McDonalds")),
            ("what did the man in the music store tell me", ("back there",)),
        ),
    ),
}


def test_a_player_s_questions_are_answered() -> None:
    wrong = [line for session in SESSIONS.values() for line in wrong_answers(session)]

    asked = sum(len(session.questions) for session in SESSIONS.values())
    print(f"\n{asked - len(wrong)} of {asked} right", *wrong, sep="\n")
    assert asked == 50
    assert asked - len(wrong) >= LEAST_RIGHT


def wrong_answers(session: Session) -> Iterator[str]:
    """The questions that are not answered right, with what was answered."""
    world = WorldModel()
    for step in walk(story_path(session.story), session.actions.split(", "), text_only=session.text_only):
        world.after(step)
    for question, words in session.questions:
        answer = answer_free_text(AskMemory(session="s", question=question), world)
        shown = answer.answer[:SHOWN].casefold()
        if not answer.known or not all(word.casefold() in shown for word in words):
            yield f"{question}\n    {answer.answer[:SHOWN]}"
