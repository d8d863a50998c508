"""The health check of a container: requests /healthz of its services, and prints their problems."""

import json
import socket
import sys

ADDRESS = ("127.0.0.1", 8080)
TIMEOUT = 4.0
"""Seconds."""


def main() -> int:
    """The exit code: 0 if all services are healthy."""
    try:
        with socket.create_connection(ADDRESS, TIMEOUT) as connection:
            connection.settimeout(TIMEOUT)
            connection.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
            answer = connection.makefile("rb").read()
    except OSError as error:
        print(f"no answer from /healthz ({error})")
        return 1
    problems = json.loads(answer.partition(b"\r\n\r\n")[2])["problems"]
    print("; ".join(problems) or "healthy")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
