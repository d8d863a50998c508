"""The one stream: how it is to be, made where it is missing, and kept by several servers."""

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
from mesh.nats.message_versions import check, metadata_for, outdated
from mesh.nats.subjects import STREAM, STREAM_SUBJECTS

OTHER_CONFIGURATION = 10058
"""JetStream's error code for making a stream that is there with other settings."""

SAME_ID_WINDOW = 0.1
"""Seconds in which the server itself drops a repeated `Nats-Msg-Id` (its least). Subjects that take one
message make repeats harmless for ever; a longer window would swallow a session deleted and made again."""

REPLICATED_WITHIN = 60.0
"""Seconds in which all servers must have a stream that they are to keep."""
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
    """See that the stream is there and as it should be; else make it or bring it up to date.

    Raises:
        BusUnreachable: the server has no JetStream.
        NotAllowed: the stream is missing or outdated, and `who` may not change that.
        OtherMessages: it is for other versions of the messages.
    """
    there = None
    try:
        there = await _found(jsm)
        if there is None or not _is_as_it_should_be(there):
            await _make(jsm, replace(RECORD, num_replicas=there.num_replicas if there else None))
    except NotAllowed as error:
        if there is not None and (other := outdated(there.metadata or {})) is not None:
            raise other from error
        raise NotAllowed(who, f"make the stream {STREAM}", PROVISION) from error
    except (APIError, NatsTimeout, NoRespondersError) as error:
        raise BusUnreachable(
            f"The NATS server keeps no streams ({reason_of(error)}). Start it with JetStream (-js)."
        ) from error


async def replicate(jsm: JetStreamManager, stream: str, replicas: int) -> None:
    """Have so many servers of the cluster keep a stream (its consumers follow), and wait until they do.

    Raises:
        BusUnreachable: there are not so many, or one of them does not come to have what the others have.
    """
    config = (await jsm.stream_info(stream)).config
    try:
        if config.num_replicas != replicas:
            await jsm.update_stream(replace(config, num_replicas=replicas))
        async with asyncio.timeout(REPLICATED_WITHIN):
            while not await _is_kept_by(jsm, stream, replicas):  # noqa: ASYNC110
                await asyncio.sleep(0.1)
    except (APIError, TimeoutError) as error:
        raise BusUnreachable(
            f"NATS does not keep {replicas} replicas of {stream} ({reason_of(error)}). "
            "Give --replicas no more than the cluster has servers that run."
        ) from error


async def _is_kept_by(jsm: JetStreamManager, stream: str, replicas: int) -> bool:
    cluster = (await jsm.stream_info(stream)).cluster
    others = [peer for peer in (cluster.replicas if cluster else None) or () if peer.current]
    return len(others) == replicas - 1


async def _found(jsm: JetStreamManager) -> StreamConfig | None:
    """The stream's settings; None: there is none.

    Raises:
        OtherMessages: it is for newer messages than ours.
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


def _is_as_it_should_be(there: StreamConfig) -> bool:
    """Whether nothing of ours is missing; the server adds metadata of its own."""
    wanted, found = replace(RECORD, metadata=None).as_dict(), there.as_dict()
    same = all(found.get(name) == value for name, value in wanted.items() if value is not None)
    return same and metadata_for().items() <= (there.metadata or {}).items()
