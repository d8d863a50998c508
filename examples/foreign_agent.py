"""A sub-agent without any code of Lantern: it needs nats-py alone, and could be written in any language.

Usage: NATS_URL=$(lantern nats-url) python examples/foreign_agent.py
"""

import asyncio
import hashlib
import json
import os
import secrets
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import nats
from nats.js.api import ConsumerConfig, DeliverPolicy
from nats.js.errors import APIError

CELL, NAME = os.environ.get("LANTERN_CELL", "main"), "oracle"
ME = {"name": NAME, "version": "1.0.0", "instance": secrets.token_hex(4)}
TAKEN = 10077  # JetStream's error code: the stream has a message on this subject already, so all is well


def now() -> str:
    """The time as messages carry it."""
    return datetime.now(UTC).isoformat()


def fragment_for(step: dict[str, Any]) -> dict[str, Any]:
    """The fragment in its envelope: what the actor should know, and what it could do."""
    section = {"name": NAME, "text": f"You read {len(step['body']['observation'].split())} words."}
    body = {"step": step["step"], "sections": [section], "suggestions": ["pray"]}
    trace = hashlib.md5(f"{step['session']}/{step['step']}".encode(), usedforsecurity=False).hexdigest()
    address = {"kind": "fragment", "cell": CELL, "session": step["session"], "step": step["step"]}
    return {**address, "version": "1.1", "service": ME, "time": now(), "trace_id": trace, "body": body}


async def say_alive(nc: Any, since: str, state: str) -> None:
    """One heartbeat. The actor waits for the fragments of instances that are ready."""
    alive = {**ME, "cell": CELL, "gives_fragments": True, "state": state, "since": since, "time": now()}
    await nc.publish(f"lantern.{CELL}.live.{NAME}.{ME['instance']}", json.dumps(alive).encode())


async def answer_steps(nc: Any, steps: Any) -> None:
    """Publish a fragment for each step, once: the Nats-Msg-Id is the subject without its first word."""
    while True:
        for message in await steps.fetch(1, timeout=3600):
            envelope = json.loads(message.data)
            if envelope["kind"] == "step":
                fragment = fragment_for(envelope)
                message_id = f"{CELL}.{fragment['session']}.fragment.{fragment['step']}.{NAME}"
                data, headers = json.dumps(fragment).encode(), {"Nats-Msg-Id": message_id}
                try:
                    await nc.jetstream().publish(f"lantern.{message_id}", data, headers=headers)
                except APIError as error:
                    if error.err_code != TAKEN:
                        raise
            await message.ack()


async def main() -> None:
    """Serve all sessions of the cell until Ctrl-C."""
    nc = await nats.connect(os.environ["NATS_URL"])
    subject, new = f"lantern.{CELL}.*.step.*", ConsumerConfig(deliver_policy=DeliverPolicy.NEW)
    steps = await nc.jetstream().pull_subscribe(subject, f"{CELL}-{NAME}", "LANTERN", config=new)
    answering, since = asyncio.ensure_future(answer_steps(nc, steps)), now()
    try:
        while not answering.done():
            await say_alive(nc, since, "ready")
            await asyncio.wait([answering], timeout=1)
        answering.result()
    finally:
        await say_alive(nc, since, "draining")
        await nc.drain()


with suppress(KeyboardInterrupt):
    asyncio.run(main())
