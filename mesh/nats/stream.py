"""The one stream of Lantern: its configuration, creation, update and replication."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from nats.errors import NoRespondersError
from nats.errors import TimeoutError as NatsTimeout
from nats.js.api import DiscardPolicy, StorageType, StreamConfig
from nats.js.errors import APIError, NotFoundError
from nats.js.manager import JetStreamManager

from mesh.errors import BusUnreachable, NotAllowed
from mesh.nats.connection import reason_of
from mesh.nats.message_versions import check, metadata_for, outdated_error
from mesh.nats.subjects import STREAM, STREAM_SUBJECTS

OTHER_CONFIGURATION = 10058
"""JetStream's error code for creating a stream that exists with another configuration."""

ALREADY_THERE = 10077
"""JetStream's error code for a subject (or a stream) that takes no more messages."""

STORE_BROKEN = 10049
"""JetStream's error code for a stream whose files cannot be opened or made."""

SAME_ID_WINDOW = 0.1
"""Seconds in which the server itself drops a repeated `Nats-Msg-Id` (the smallest value that it allows).
Repeats are harmless anyway, because a subject takes one message; a longer window would drop the messages of
a session that is deleted and created again."""

REPLICATED_WITHIN = 60.0
"""Seconds in which all replicas of a stream must be current."""

RECORD = StreamConfig(
    name=STREAM,
    subjects=list(STREAM_SUBJECTS),
    storage=StorageType.FILE,
    max_msgs_per_subject=1,
    discard=DiscardPolicy.NEW,
    discard_new_per_subject=True,
    allow_direct=True,
    duplicate_window=SAME_ID_WINDOW,
    metadata=metadata_for(),
)
"""The one stream."""

PROVISION = "Run `lantern provision` as the operator."


async def provision(jsm: JetStreamManager, who: str) -> None:
    """Create the stream if it is missing, and update it if it is outdated.

    Raises:
        BusUnreachable: the server has no JetStream.
        NotAllowed: the stream is missing or outdated, and `who` may not change that.
        OtherMessages: the stream is for other versions of the messages.
    """
    existing = None
    try:
        existing = await _found(jsm)
        if existing is None or not _is_current(existing):
            await _make(jsm, _as_limited(existing))
    except NotAllowed as error:
        if existing is not None and (other := outdated_error(existing.metadata or {})) is not None:
            raise other from error
        raise NotAllowed(who, f"create the stream {STREAM}", PROVISION) from error
    except (APIError, NatsTimeout, NoRespondersError) as error:
        if isinstance(error, APIError) and error.err_code == STORE_BROKEN:
            raise BusUnreachable(
                f"The NATS server cannot open the store of the stream {STREAM}: it is damaged. See the "
                "server's log; move the store away, and put a backup in its place or import exports."
            ) from error
        raise BusUnreachable(
            f"The NATS server keeps no streams ({reason_of(error)}). Start it with JetStream (-js)."
        ) from error


async def limit(jsm: JetStreamManager, most_bytes: int) -> None:
    """Limit the bytes that the stream holds. Beyond them it refuses new messages; it drops none.

    Raises:
        BusUnreachable: the server has no room for so many.
    """
    config = (await jsm.stream_info(STREAM)).config
    try:
        await jsm.update_stream(replace(config, max_bytes=most_bytes))
    except APIError as error:
        raise BusUnreachable(
            f"NATS does not keep {most_bytes} bytes for {STREAM} ({error.description}). Give a smaller limit."
        ) from error


async def replicate(jsm: JetStreamManager, stream: str, replicas: int) -> None:
    """Set the number of replicas of a stream and its consumers, and wait until they are current.

    Raises:
        BusUnreachable: the cluster has too few servers, or a replica does not become current.
    """
    config = (await jsm.stream_info(stream)).config
    try:
        if config.num_replicas != replicas:
            await jsm.update_stream(replace(config, num_replicas=replicas))
        async with asyncio.timeout(REPLICATED_WITHIN):
            while not await _has_replicas(jsm, stream, replicas):  # noqa: ASYNC110
                await asyncio.sleep(0.1)
    except (APIError, TimeoutError) as error:
        raise BusUnreachable(
            f"NATS does not keep {replicas} replicas of {stream} ({reason_of(error)}). "
            "Give --replicas no more than the cluster has servers that run."
        ) from error


async def _has_replicas(jsm: JetStreamManager, stream: str, replicas: int) -> bool:
    cluster = (await jsm.stream_info(stream)).cluster
    others = [peer for peer in (cluster.replicas if cluster else None) or () if peer.current]
    return len(others) == replicas - 1


async def _found(jsm: JetStreamManager) -> StreamConfig | None:
    """The stream's configuration; None: there is no stream.

    Raises:
        OtherMessages: the stream is for newer messages.
    """
    try:
        config = (await jsm.stream_info(STREAM)).config
    except NotFoundError:
        return None
    check(config.metadata or {})
    return config


async def _make(jsm: JetStreamManager, config: StreamConfig) -> None:
    try:
        await jsm.add_stream(config)
    except APIError as error:
        if error.err_code != OTHER_CONFIGURATION:
            raise
        await jsm.update_stream(config)


def _as_limited(existing: StreamConfig | None) -> StreamConfig:
    """Our configuration, with the replicas and the limit that the operator has set."""
    if existing is None:
        return RECORD
    return replace(RECORD, num_replicas=existing.num_replicas, max_bytes=existing.max_bytes)


def _is_current(existing: StreamConfig) -> bool:
    """Whether the stream has our configuration; the server adds metadata of its own."""
    wanted, found = replace(RECORD, metadata=None).as_dict(), existing.as_dict()
    same = all(found.get(name) == value for name, value in wanted.items() if value is not None)
    return same and metadata_for().items() <= (existing.metadata or {}).items()
