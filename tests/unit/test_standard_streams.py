"""Standard output that nobody reads, that cannot be written, or that is not open."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lantern.standard_streams import OUTPUT_CLOSED, OutputClosed, OutputFailed, OutputFile


def test_the_first_write_to_a_closed_pipe_is_told_and_the_rest_is_thrown_away() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    output = OutputFile(writer, raises=True)

    with pytest.raises(OutputClosed):
        output.write(b"a")

    assert output.write(b"more") == 4
    os.close(writer)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_is_told_as_such() -> None:
    with Path("/dev/full").open("w") as full, pytest.raises(OutputFailed, match=os.strerror(errno.ENOSPC)):
        OutputFile(full.fileno(), raises=True).write(b"a")


def test_standard_error_never_fails() -> None:
    reader, writer = os.pipe()
    os.close(reader)

    assert OutputFile(writer, raises=False).write(b"abc") == 3
    os.close(writer)


def test_a_command_ends_quietly_when_nobody_reads_its_output() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "lantern.cli", "--help"], stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)

    assert (done.returncode, done.stderr) == (OUTPUT_CLOSED, b"")


@pytest.mark.parametrize(
    ("redirected", "code", "told"),
    [
        (
            ">/dev/full",
            1,
            b"lantern: The output cannot be written (No space left on device). Send it elsewhere.\n",
        ),
        ("<&- >&- 2>&-", 0, b""),
    ],
)
def test_a_command_ends_in_order_whatever_its_output_is(redirected: str, code: int, told: bytes) -> None:
    command = f"{sys.executable} -m lantern.cli --help {redirected}"
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, check=False)

    assert (done.returncode, done.stderr) == (code, told)
