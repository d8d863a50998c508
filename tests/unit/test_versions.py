"""A stream says which messages it is for; who comes with others is told what to do."""

from __future__ import annotations

from typing import ClassVar

import pytest

from mesh.nats.message_versions import KEY, OtherMessages, check, metadata_for, outdated_error
from schemas.base import Kind, Message
from schemas.fragment import FragmentGiven


class Fragment2(FragmentGiven):
    """A fragment of the next major version."""

    version: ClassVar[str] = "2.0"


OURS: dict[Kind, type[Message]] = {Kind.FRAGMENT: FragmentGiven}
NEXT: dict[Kind, type[Message]] = {Kind.FRAGMENT: Fragment2}


def test_who_has_the_messages_of_the_stream_may_join() -> None:
    check(metadata_for(OURS), OURS)

    assert outdated_error(metadata_for(OURS), OURS) is None


def test_who_is_older_than_the_stream_is_refused() -> None:
    with pytest.raises(
        OtherMessages, match=r"is for fragment messages of version 2\.x, and this .* for 1\.x"
    ):
        check(metadata_for(NEXT), OURS)


def test_who_is_newer_has_the_stream_provisioned_first() -> None:
    check(metadata_for(OURS), NEXT)

    assert "Run `lantern provision` of this version" in str(outdated_error(metadata_for(OURS), NEXT))


@pytest.mark.parametrize("told", ["", "rubbish", "fragment=x", "unheard-of=7", "fragment"])
def test_what_cannot_be_understood_hinders_nobody(told: str) -> None:
    check({KEY: told}, OURS)

    assert outdated_error({KEY: told}, OURS) is None
