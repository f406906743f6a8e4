#!/usr/bin/env python3
"""Runs the programs of docs/doors.md in Python and in shell, each in a folder of its own.

Usage: doors.py PATH-OF-TIDEMARK [HEADING …]

The programs are taken from the page as they stand, except that each gets a free port of this machine. Prints what each
prints, below its heading. A program with more than 15 lines, or one that fails, ends the run with 1.
"""
import os
import re
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "doors.md"
LINE_COUNT_MAX = 15
# A guard against programs that hang; the longest one takes a few seconds.
SECONDS_MAX = 240


def programs():
    """Returns heading, language and text of each program."""
    found, heading = [], ""
    for part in re.split(r"^## ", PAGE.read_text(), flags=re.M)[1:]:
        heading = part.split("\n", 1)[0]
        for language, text in re.findall(r"^```(\w+)\n(.*?)^```$", part, flags=re.M | re.S):
            found.append((heading, language, text))
    return found


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def run(command, language, text):
    port = free_port()
    text = text.replace("7420", port).replace("4222", port)
    with tempfile.TemporaryDirectory() as folder:
        bin = Path(folder) / "bin"
        bin.mkdir()
        (bin / "tidemark").write_text(f'#!/bin/sh\nexec "{os.path.abspath(command)}" "$@"\n')
        (bin / "tidemark").chmod(0o755)
        environment = dict(os.environ, PATH=f"{bin}:{os.environ['PATH']}:/usr/sbin")
        words = [sys.executable, "-c", text] if language == "python" else ["bash", "-c", text]
        return subprocess.run(
            words, cwd=folder, env=environment, text=True, capture_output=True, timeout=SECONDS_MAX)


def main():
    command, wanted = sys.argv[1], sys.argv[2:]
    for heading, language, text in programs():
        if text.count("\n") > LINE_COUNT_MAX:
            sys.exit(f"{heading} has {text.count(chr(10))} lines, of which {LINE_COUNT_MAX} are allowed")
        if language not in ("python", "sh") or wanted and heading not in wanted:
            continue
        result = run(command, language, text)
        print(f"# {heading}\n{result.stdout.rstrip()}", flush=True)
        if result.returncode != 0:
            sys.exit(f"{heading} ended with {result.returncode}: {result.stderr}")


if __name__ == "__main__":
    main()
