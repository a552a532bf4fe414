"""clang-tidy 16 with the bug-finding checks of .clang-tidy, on what changed since it last passed.

A file takes seconds, so a pass is remembered under build/tidy by a hash of everything it saw. By
default the pure rooms and control are looked at; TIDY=all takes every file and all the time it
needs. What no time was left for fails, unless TIDY_SECONDS asked for no more.
"""

import hashlib
import os
import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from repo import is_test

DEFAULT_SECONDS = 1500
# The analyzer explores at most this many states of a function: a third of its default finds the same
# in short functions and bounds what a visit over a big variant costs (22 s to 7 s for model/event.cc).
_ANALYZER_STATES = 50_000
_QUOTED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


def check(repo):
    everything = os.environ.get("TIDY") == "all"
    asked = os.environ.get("TIDY_SECONDS")
    seconds = float("inf") if everything else float(asked or DEFAULT_SECONDS)
    deadline = time.monotonic() + seconds
    stamps = repo.build.parent / "tidy"
    stamps.mkdir(parents=True, exist_ok=True)
    files = _files(repo, everything)
    hasher = _Hasher(repo)
    work = [(path, stamps / hasher.of(path)) for path in files]
    work = [(path, stamp) for path, stamp in work if not stamp.exists()]

    errors, late = [], 0
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for output in pool.map(lambda item: _tidy(repo, *item, deadline), work):
            if output is None:
                late += 1
            elif output:
                errors.append(output)
    summary = f"{len(files)} files, {len(work) - late} of them looked at now"
    if late and asked:
        summary += f"; {late} NOT looked at in the {asked} s of TIDY_SECONDS, the next run goes on there"
    elif late:
        errors.append(f"{late} of {len(files)} files not looked at in {seconds:.0f} s: run again, it goes on there "
                      "(TIDY=all takes the time it needs, TIDY_SECONDS=N is content with N seconds)")
    return errors, summary


def _files(repo, everything):
    rooms = repo.rooms()
    chosen = {room.name for room in rooms.values() if room.pure} | {"control"}
    found = []
    for path in sorted(repo.compile_commands()):
        if not path.is_relative_to(repo.root) or path.is_relative_to(repo.build) or not path.exists():
            continue
        if everything or (repo.room_of(path) in chosen and not is_test(path)):
            found.append(path)
    return found


def _tidy(repo, path, stamp, deadline):
    """The findings ('' for none), or None when there was no time left to look."""
    if time.monotonic() > deadline:
        return None
    compiler = ["-Wno-unknown-warning-option", "-Xclang", "-analyzer-config", "-Xclang", f"max-nodes={_ANALYZER_STATES}"]
    answer = subprocess.run(
        ["clang-tidy-16", "--quiet", "-p", str(repo.build), *(f"--extra-arg={flag}" for flag in compiler), str(path)],
        cwd=repo.root, capture_output=True, text=True)
    if answer.returncode == 0:
        stamp.touch()
        return ""
    return (answer.stdout.strip() or answer.stderr.strip()).replace(f"{repo.root}/", "")


class _Hasher:
    """The hash of a source: its text, what it includes from the repository, command, checks."""

    def __init__(self, repo):
        self._repo = repo
        self._roots = [repo.root / "src", repo.root]
        self._settings = (repo.root / ".clang-tidy").read_bytes()
        self._texts = {}

    def of(self, path):
        digest = hashlib.sha256(self._settings)
        digest.update(" ".join(self._repo.compile_commands()[path][0]).encode())
        seen, pending = set(), [path]
        while pending:
            at = pending.pop()
            if at in seen:
                continue
            seen.add(at)
            pending += self._included(at)
        for at in sorted(seen):
            digest.update(self._text(at).encode())
        return digest.hexdigest()

    def _text(self, path):
        if path not in self._texts:
            self._texts[path] = path.read_text(errors="replace")
        return self._texts[path]

    def _included(self, path):
        found = []
        for header in _QUOTED.findall(self._text(path)):
            found += [root / header for root in self._roots if (root / header).is_file()][:1]
        return found
