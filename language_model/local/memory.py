"""Measures the free memory."""

from __future__ import annotations

from pathlib import Path

GROUP = Path("/sys/fs/cgroup")
MACHINE = Path("/proc/meminfo")


def free_bytes(machine: Path = MACHINE, group: Path = GROUP) -> int:
    """The free memory of the machine, or of the container (cgroup 2) if that is less."""
    return min(_of_machine(machine), _of_group(group))


def _of_machine(file: Path) -> int:
    fields = dict(line.split(":", 1) for line in file.read_text().splitlines())
    return int(fields["MemAvailable"].split()[0]) * 1024


def _of_group(folder: Path) -> int:
    try:
        most = (folder / "memory.max").read_text().strip()
        used = int((folder / "memory.current").read_text())
        fields = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
    except OSError:
        return 2**63  # no limit of the group's own
    if most == "max":
        return 2**63
    return max(0, int(most) - used + int(fields.get("inactive_file", 0)))
