"""Text that is safe within XML."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from lantern.views.text_view import printable


def text(told: str) -> str:
    """Character data: nothing in it is markup, and nothing is forbidden in XML."""
    return escape(one_line(told))


def attribute(told: str | int) -> str:
    """A quoted attribute value."""
    return quoteattr(one_line(str(told)))


def one_line(told: str) -> str:
    """Without line ends and control characters."""
    return printable(" ".join(told.split()))
