"""A new version of a service, for the tests that put it beside the old one."""

from __future__ import annotations

from services.narrator.service import NarratorService


class Newer(NarratorService):
    """Says the same as the old one."""

    version = "2.0.0"
