"""Makes local substitutes for the base images of a deployment, from the Debian packages of this machine.

For machines that cannot pull from a registry: never push them. Needs Debian's Python 3.11 and the packages in
PACKAGES. An image of the same name that exists is not replaced.

Usage: python deploy/base_images.py [NATS-SERVER]    where the program nats-server is, if not on the PATH
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

RUNTIME = """base-files bash ca-certificates coreutils dash findutils grep gzip hostname libc-bin libc6
libstdc++6 login netbase passwd python3 python3-pip-whl python3-setuptools-whl python3-venv sed tar
tzdata""".split()
COMPILER = "gcc libc6-dev make python3-dev".split()
PACKAGES = (*RUNTIME, *COMPILER, "busybox-static")
PYTHON, BUILDER, NATS = "python:3.11-slim", "python:3.11", "nats:2-alpine"

EXCLUDED_PACKAGES = {"debconf", "dpkg", "mailcap", "media-types", "perl", "perl-base"}
EXCLUDED_FILES = re.compile(
    r"^/usr/share/(bug|doc|info|lintian|locale|man)/|/__pycache__(/|$)|\.pyc$|EXTERNALLY-MANAGED$"
    r"|^/(dev|home|proc|root|run|sys|tmp)(/|$)"
)
FOLDERS = "/dev /etc /home /mnt /opt /proc /root /run /srv /sys /var".split()
FILES = {
    "/etc/passwd": "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n",
    "/etc/group": "root:x:0:\nnogroup:x:65534:\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"


def main() -> int:
    """Make the missing images; returns the exit code."""
    given = sys.argv[1] if len(sys.argv) > 1 else shutil.which("nats-server")
    missing = sorted({*PACKAGES} - installed().keys())
    if missing:
        print(f"Packages are missing. Run: apt-get install {' '.join(missing)}", file=sys.stderr)
        return 1
    if given is None:
        print("There is no nats-server on the PATH. Name the program.", file=sys.stderr)
        return 1
    for tag in absent(PYTHON, BUILDER, NATS):
        print(f"making a substitute for {tag}", file=sys.stderr)
        with image(tag) as archive:
            if tag == NATS:
                nats_into(archive, Path(given))
            else:
                python_into(archive, RUNTIME if tag == PYTHON else [*RUNTIME, *COMPILER])
    return 0


def absent(*tags: str) -> list[str]:
    """Those of the images that docker does not have."""
    look = ["docker", "image", "inspect"]
    return [tag for tag in tags if subprocess.run([*look, tag], capture_output=True, check=False).returncode]


def installed() -> dict[str, tuple[str, str]]:
    """The dependencies and the full name of each installed package."""
    fields = "${Package}\t${Pre-Depends}, ${Depends}\t${binary:Package}\t${db:Status-Status}\n"
    told = subprocess.run(["dpkg-query", "-W", f"-f={fields}"], capture_output=True, text=True, check=True)
    rows = (line.split("\t") for line in told.stdout.splitlines())
    return {name: (needs, full) for name, needs, full, status in rows if status == "installed"}


def files_of(packages: Iterable[str]) -> list[Path]:
    """All files of these packages and their dependencies; links to folders are resolved."""
    known, wanted, waiting = installed(), set[str](), [*packages]
    while waiting:
        name = waiting.pop()
        if name not in wanted:
            wanted.add(name)
            waiting += _dependencies(known[name][0], known)
    full = sorted(known[name][1] for name in wanted)
    told = subprocess.run(["dpkg", "-L", *full], capture_output=True, text=True, check=True).stdout
    named = (Path(line) for line in told.splitlines() if line.startswith("/") and line != "/.")
    return sorted({Path(os.path.realpath(file.parent)) / file.name for file in named})


def _dependencies(needs: str, known: dict[str, tuple[str, str]]) -> Iterator[str]:
    """The first alternative of each dependency that is installed and not excluded."""
    for group in needs.split(","):
        names = (re.match(r"\s*([a-z0-9][a-z0-9+.-]+)", one) for one in group.split("|"))
        fitting = [
            name[1] for name in names if name and name[1] in known and name[1] not in EXCLUDED_PACKAGES
        ]
        yield from fitting[:1]


@contextmanager
def image(tag: str) -> Iterator[ImageArchive]:
    """Import the archive that the block fills as an image."""
    settings = ["-c", 'CMD ["python3"]', "-c", "ENV LANG=C.UTF-8"]
    command = ["docker", "import", *settings, "-", tag]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as importing:
        assert importing.stdin is not None
        with tarfile.open(fileobj=importing.stdin, mode="w|") as archive:
            yield ImageArchive(archive)
        importing.stdin.close()
    if importing.returncode != 0:
        raise SystemExit(f"docker import {tag} failed.")


def python_into(archive: ImageArchive, packages: Iterable[str]) -> None:
    """Add Debian's Python and the files of these packages."""
    for folder in ("bin", "lib", "lib64", "sbin"):
        archive.folder(f"/usr/{folder}")
        archive.link(f"/{folder}", f"usr/{folder}")
    for folder in FOLDERS:
        archive.folder(folder)
    for folder in ("/tmp", "/var/tmp"):
        archive.folder(folder, 0o1777)
    for path, text in {**FILES, CERTIFICATES: Path(CERTIFICATES).read_text()}.items():
        archive.text(path, text)
    archive.link("/usr/bin/awk", "mawk")
    archive.link("/usr/bin/cc", "gcc")
    for name in ("python", "python3"):
        archive.link(f"/usr/local/bin/{name}", "/usr/bin/python3")
    for file in files_of(packages):
        if not EXCLUDED_FILES.search(str(file)) and (file.is_symlink() or file.is_file()):
            archive.file(str(file), file)


def nats_into(archive: ImageArchive, program: Path) -> None:
    """Add the server, and the shell that its health check needs."""
    archive.file("/bin/busybox", Path("/bin/busybox"))
    for name in ("sh", "wget"):
        archive.link(f"/bin/{name}", "busybox")
    archive.file("/usr/local/bin/nats-server", program)
    for folder in ("/etc/nats", "/run", "/opt"):
        archive.folder(folder)
    archive.folder("/tmp", 0o1777)


class ImageArchive:
    """A tar archive with one entry for each path, owned by root."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar, self._paths = tar, {"/"}

    def folder(self, path: str, mode: int = 0o755) -> None:
        """Add a folder and its parents."""
        if path not in self._paths:
            self._add(path, type=tarfile.DIRTYPE, mode=mode)

    def link(self, path: str, to: str) -> None:
        """Add a symbolic link."""
        self._add(path, type=tarfile.SYMTYPE, linkname=to)

    def text(self, path: str, text: str) -> None:
        """Add a file with this text."""
        data = text.encode()
        self._add(path, io.BytesIO(data), size=len(data))

    def file(self, path: str, source: Path) -> None:
        """Add a copy of a file or link of this machine, if the path has no entry yet."""
        if path not in self._paths:
            self._begin(path)
            self._tar.add(source, path.lstrip("/"), recursive=False)

    def _add(self, path: str, data: io.BytesIO | None = None, **settings: object) -> None:
        self._begin(path)
        info = tarfile.TarInfo(path.lstrip("/"))
        for name, value in {"mode": 0o644, **settings}.items():
            setattr(info, name, value)
        self._tar.addfile(info, data)

    def _begin(self, path: str) -> None:
        self.folder(str(Path(path).parent))
        self._paths.add(path)


if __name__ == "__main__":
    sys.exit(main())
