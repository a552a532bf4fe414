"""Arrows between rooms: every #include "room/..." must be in rooms.txt."""

import re

from repo import is_test, room_in

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)

# Deterministic or not, these have no place in a pure room: time is an argument, randomness is
# base/rng.h, and what the rest does is the shells' work.
IMPURE_HEADERS = {
    "chrono", "condition_variable", "ctime", "filesystem", "fstream", "future", "iostream", "mutex",
    "random", "shared_mutex", "thread", "time.h", "unistd.h", "sys/socket.h", "sys/time.h", "pthread.h",
}


def check(repo):
    rooms = repo.rooms()
    for_tests = rooms.pop("tests").arrows
    errors, arrows = [], 0
    for path in repo.code():
        text = path.read_text(errors="replace")
        room = repo.room_of(path)
        if room is not None and room not in rooms:
            errors.append(f"{repo.name(path)}: src/{room} is not in tools/check/rooms.txt")
            continue
        for match in _INCLUDE.finditer(text):
            where = f"{repo.name(path)}:{text.count(chr(10), 0, match.start()) + 1}"
            arrows += 1
            problem = _problem(rooms, for_tests, path, room, match.group(1), match.group(2))
            if problem:
                errors.append(f"{where}: {problem}")
    return errors, f"{arrows} includes, {len(rooms)} rooms"


def _problem(rooms, for_tests, path, room, bracket, header):
    if bracket == "<":
        if room and rooms[room].pure and not is_test(path) and header in IMPURE_HEADERS:
            return f"<{header}> in the pure room {room}; time, randomness and files belong to the shells"
        return None
    top, slash, _ = header.partition("/")
    if not slash or top in (".", ".."):
        return f'"{header}": include by the full path, as in "base/error.h"'
    top = room_in(rooms, header)
    if room is None:  # bench and tests may use every room
        known = top in rooms or top in ("bench", "tests")
        return None if known else f'"{header}": there is no room {top}'
    allowed = rooms[room].arrows | {room} | (for_tests if is_test(path) else set())
    if top in allowed:
        return None
    return f'"{header}": {room} may include {", ".join(sorted(allowed))} only (tools/check/rooms.txt)'
