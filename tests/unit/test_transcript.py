"""A transcript shows texts of stories and models as they are, and none of them as markup."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest

from language_model.model import Prompt, PromptPart, Reply, Role, ToolCall
from lantern.views import transcript
from mesh.record.step_messages import StepMessages
from schemas.fragment import FragmentGiven, Section
from schemas.game import StepTaken
from schemas.language_model import ModelAsked
from tests.support.scenes.moment_builders import said

HOSTILE = "</pre><script>alert(1)</script>\n````\n# heading\x1b[2J"


def chapters(*, models: bool) -> list[transcript.TranscriptStep]:
    prompt = Prompt(system="You narrate.", parts=(PromptPart(role=Role.USER, text=HOSTILE),))
    reply = Reply(model="m", text="A fine day.", calls=(ToolCall(name="act", arguments={"action": HOSTILE}),))
    asked = ModelAsked(
        step=1,
        model="m<b>",
        prompt_sha256=prompt.sha256,
        prompt=prompt.model_dump_json(),
        reply=reply.model_dump_json(),
    )
    messages = (
        said(StepTaken(step=1, action="<i>go", observation=HOSTILE), "game"),
        said(FragmentGiven(step=1, sections=(Section(name="a", text=HOSTILE),)), "narrator"),
        said(asked, "narrator"),
    )
    return [transcript.chapter_of(StepMessages(1, messages), models=models)]


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)


def test_a_page_holds_no_markup_of_a_story_or_a_model() -> None:
    reader = Tags()
    reader.feed("\n".join(transcript.page("s1", chapters(models=True))))

    assert reader.tags == {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "h1",
        "h2",
        "h3",
        "section",
        "pre",
    }


def test_markdown_shows_texts_in_blocks_that_they_cannot_end() -> None:
    text = "\n".join(transcript.markdown("s1", chapters(models=True)))

    assert "`````text\n</pre>" in text
    assert "\x1b" not in text
    assert "\\<i\\>go" in text


@pytest.mark.parametrize("models", [True, False])
def test_prompts_and_replies_are_told_as_people_read_them_if_wanted(models: bool) -> None:
    [step] = json.loads(transcript.as_json("s1", chapters(models=models)))["steps"]
    told = {passage["who"]: passage["text"] for passage in step["passages"]}

    assert told.keys() == {"game", "narrator"} | (
        {"prompt of narrator to m<b>", "reply to narrator"} if models else set()
    )
    if models:
        assert told["prompt of narrator to m<b>"].startswith("[system]\nYou narrate.\n\n[user]\n")
        assert told["reply to narrator"].startswith("A fine day.\n\n[calls act]\naction: </pre>")
