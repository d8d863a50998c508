"""Who is spoken to, and about what."""

from __future__ import annotations

from folds.vocabulary.actions import is_conversation, normal

_BETWEEN = ("about", "for", "to")


def addressed(action: str) -> tuple[str, str]:
    """Who an action speaks to and about what, by a word each: `ask man about key` is `("man", "key")`."""
    words = normal(action).split()[1:]
    for between in _BETWEEN:
        if between in words:
            at = words.index(between)
            before, after = _last(words[:at]), _last(words[at + 1 :])
            if between == "to" and before:
                return (after, before)
            return (before, after) if before else (after, "")
    return (_last(words), "")


def talk_in(action: str) -> tuple[str, str] | None:
    """The same of an action that speaks to somebody; None: it speaks to nobody."""
    return addressed(action) if is_conversation(action) else None


def _last(words: list[str]) -> str:
    return words[-1] if words else ""
