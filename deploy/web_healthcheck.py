"""The health check of the web page: asks it, with its token, for what only NATS can tell it."""

import sys
import urllib.request
from pathlib import Path

ADDRESS = "http://127.0.0.1:8080/api/sessions"
TOKEN = Path("/run/secrets/web_token")
TIMEOUT = 8.0
"""Seconds."""


def main() -> int:
    """The exit code: 0 if the page answers."""
    try:
        headers = {"Cookie": f"lantern={TOKEN.read_text().strip()}"}
        with urllib.request.urlopen(urllib.request.Request(ADDRESS, headers=headers), timeout=TIMEOUT):
            print("healthy")
            return 0
    except OSError as error:
        print(f"no answer from the page ({error})")
        return 1


if __name__ == "__main__":
    sys.exit(main())
