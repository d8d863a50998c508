"""The files of what is known of stories: one for each story of a cell, and for each way of reading it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from schemas.experience import ExperienceAnswer, ExperienceForgotten
from services.memory.experience.experience_store import ExperienceStore
from services.memory.experience.lessons import SessionLessons
from services.memory.graph.file_lock import FileBusy, locked
from services.memory.graph.graph_files import FileStatus, GraphError, OpenedFile
from services.memory.graph.store_files import broken_path, companion_files, delete
from services.memory.graph.store_pool import StorePool


@dataclass(frozen=True, slots=True)
class StoryKey:
    """A story in a cell. Text-only sessions know its rooms by other ids, so they have a file of their own."""

    cell: str
    md5: str
    text_only: bool


class ExperienceError(Exception):
    """What is known of a story cannot be read or written; the text says why in one line."""


class ExperienceFiles:
    """Reads, extends and deletes the files. Each is open and locked only while it is used."""

    def __init__(self, directory: Path, pool: StorePool) -> None:
        self._directory, self._pool = directory, pool

    def path(self, story: StoryKey) -> Path:
        """The file of a story."""
        name = f"{story.md5}-text.kuzu" if story.text_only else f"{story.md5}.kuzu"
        return self._directory / story.cell / "experience" / name

    async def known(self, story: StoryKey) -> ExperienceAnswer:
        """What is known; where that cannot be read, nothing, and why."""
        path = self.path(story)
        if not is_kept(path):
            return ExperienceAnswer()
        try:
            async with self._open(path) as opened:
                experience = await self._pool.use(path, "known")
            return ExperienceAnswer(experience=experience, fault=damage_of(opened))
        except ExperienceError as error:
            return ExperienceAnswer(fault=str(error))

    async def learn(self, story: StoryKey, lessons: SessionLessons) -> str:
        """Add what a session has taught; a line on the damage that was found, or nothing.

        Raises:
            ExperienceError: it cannot be written.
        """
        path = self.path(story)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ExperienceError(f"{path.parent} cannot be made ({error.strerror}).") from error
        async with self._open(path) as opened:
            await self._pool.use(path, "learn", lessons)
        return damage_of(opened)

    async def forget(self, cell: str, md5: str) -> ExperienceForgotten:
        """Delete everything that is known of a story."""
        keys = [StoryKey(cell, md5, text_only) for text_only in (False, True)]
        parts = [await self._forgotten(self.path(key)) for key in keys]
        return ExperienceForgotten(
            sessions=sum(part.sessions for part in parts),
            files=tuple(name for part in parts for name in part.files),
            fault="; ".join(part.fault for part in parts if part.fault),
        )

    async def _forgotten(self, path: Path) -> ExperienceForgotten:
        if not is_kept(path):
            return ExperienceForgotten()
        try:
            async with _locked(path):
                sessions = await self._sessions(path)
                delete((path, *companion_files(path)))
        except (ExperienceError, OSError) as error:
            return ExperienceForgotten(fault=str(error))
        return ExperienceForgotten(sessions=sessions, files=(str(path),))

    async def _sessions(self, path: Path) -> int:
        """The sessions in a file that is about to be deleted; 0, if it cannot be read."""
        try:
            async with self._opened(path):
                return int(await self._pool.use(path, "sessions"))
        except ExperienceError:
            return 0

    @asynccontextmanager
    async def _open(self, path: Path) -> AsyncIterator[OpenedFile]:
        async with _locked(path), self._opened(path) as opened:
            yield opened

    @asynccontextmanager
    async def _opened(self, path: Path) -> AsyncIterator[OpenedFile]:
        """The file is open in the block. One that is damaged is renamed and made anew."""
        try:
            opened = await self._pool.open(path, ExperienceStore)
            try:
                yield opened
            finally:
                await self._pool.close(path)
        except GraphError as error:
            reason = " ".join(error.reason.split())
            raise ExperienceError(f"The experience in {path} cannot be used: {reason}.") from error


@asynccontextmanager
async def _locked(path: Path) -> AsyncIterator[None]:
    try:
        async with locked(path):
            yield
    except FileBusy as error:
        raise ExperienceError(f"The experience in {path} {error}.") from error


def is_kept(path: Path) -> bool:
    """Whether there is such a file."""
    return path.exists()


def damage_of(opened: OpenedFile) -> str:
    """That a file was damaged, and what became of it; empty: it was not."""
    if opened.status is not FileStatus.REBUILT:
        return ""
    return (
        f"The experience in {opened.path} could not be read ({' '.join(opened.reason.split())}). "
        f"It was renamed to {broken_path(opened.path).name}, and is collected anew."
    )
