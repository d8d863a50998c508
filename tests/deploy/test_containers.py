"""What a container is, may and takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from engine import docker
from stack import IMAGE, SERVICES, Stack

from mesh.nats.subjects import Address, subject_of
from schemas.base import Kind


def test_every_service_is_well_and_nats_alone_can_be_reached_on_loopback(mesh: Stack) -> None:
    for service in (*SERVICES, "nats"):
        published = mesh.inspect(service)["NetworkSettings"]["Ports"]
        addresses = {address["HostIp"] for taken in published.values() for address in taken or ()}
        assert addresses == ({"127.0.0.1"} if service == "nats" else set()), service
    assert {alive["name"] for alive in mesh.json("status")} == {*SERVICES}


@pytest.mark.parametrize("service", [*SERVICES, "nats"])
def test_a_container_may_next_to_nothing(mesh: Stack, service: str) -> None:
    found = mesh.inspect(service)
    told, process = found["HostConfig"], Path(f"/proc/{found['State']['Pid']}/status").read_text()
    assert "Uid:\t10001\t10001\t10001\t10001\n" in process
    assert "CapBnd:\t0000000000000000\n" in process
    for path in ("/written", "/opt/written", "/etc/written", "/opt/code/written"):
        refused = mesh.execute(service, "sh", "-c", f": > {path}")
        assert refused.returncode != 0 and ("Read-only" in refused.stderr or "nonexistent" in refused.stderr)
    assert (told["ReadonlyRootfs"], told["CapDrop"], told["Privileged"]) == (True, ["ALL"], False)
    assert told["SecurityOpt"] == ["no-new-privileges:true"]
    assert told["RestartPolicy"]["Name"] == "unless-stopped"
    assert told["Memory"] and told["NanoCpus"] and told["PidsLimit"]


FORGE = """
import asyncio, sys
from lantern.play.compose import connection
from lantern.command_options import settings_with
from mesh.errors import NotAllowed

async def main():
    async with connection(settings_with(None).server(), "main") as bus:
        try:
            await bus.cell.nc.request(sys.argv[1], b"{}", timeout=10)
        except NotAllowed as refused:
            print(refused)

asyncio.run(main())
"""


@pytest.mark.parametrize("service", ["narrator", "critic", "memory"])
def test_a_service_cannot_say_what_is_anothers_to_say(mesh: Stack, service: str) -> None:
    forged = subject_of(Address("main", "forged", Kind.STEP, 1))

    done = mesh.execute(service, "python3", "-c", FORGE, forged)

    assert f"NATS does not let the user {service} publish {forged}" in done.stdout, done.stderr


def test_a_container_has_its_own_password_alone(mesh: Stack) -> None:
    for service in SERVICES:
        held = {*mesh.execute(service, "ls", "/run/secrets").stdout.split()}
        assert held - {"anthropic"} == {service}


def test_memory_stays_under_its_limits(mesh: Stack) -> None:
    with mesh.playing("bundled", "measured", 8) as play:
        play.finish()
    told = {service: mesh.inspect(service) for service in (*SERVICES, "nats")}
    wanted = ("--no-trunc", "--format", "{{.ID}} {{.MemPerc}} {{.MemUsage}}")
    read = docker("stats", "--no-stream", *wanted, *(each["Id"] for each in told.values()))
    used = {container: taken for container, *taken in map(str.split, read.splitlines())}
    for service, each in told.items():
        percent, *usage = used[each["Id"]]
        print(f"{service:12} {' '.join(usage)}")
        assert float(percent.rstrip("%")) < 90, service
        assert not each["State"]["OOMKilled"], service
    print(docker("images", "--format", "{{.Repository}}:{{.Tag}} {{.Size}}", IMAGE))
