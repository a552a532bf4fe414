"""What all checks share: the files of the repository, the table of rooms, C++ without comments."""

import json
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

CODE_FOLDERS = ("src", "bench", "tests")


@dataclass
class Room:
    name: str
    arrows: set = field(default_factory=set)
    pure: bool = False


class Repo:
    """The working tree at `root` and its release build in `build`."""

    def __init__(self, root, build):
        self.root = Path(root).resolve()
        self.build = Path(build).resolve()
        self._commands = None

    def name(self, path):
        return Path(path).resolve().relative_to(self.root).as_posix()

    def code(self, *suffixes):
        """The C++ files below src, bench and tests, sorted."""
        suffixes = suffixes or (".h", ".cc")
        found = []
        for folder in CODE_FOLDERS:
            base = self.root / folder
            found += [p for p in base.rglob("*") if p.suffix in suffixes and p.is_file()]
        return sorted(found)

    def room_of(self, path):
        """`engine` for src/engine/quota/tree.cc, None outside src."""
        top, _, inner = self.name(path).partition("/")
        return room_in(self.rooms(), inner) if top == "src" and "/" in inner else None

    def rooms(self):
        """The table rooms.txt with arrows closed: name -> Room, in its order."""
        return read_rooms((Path(__file__).parent / "rooms.txt").read_text())

    def compile_commands(self):
        """source path -> (arguments, object path), of the release build."""
        if self._commands is None:
            self._commands = {}
            text = (self.build / "compile_commands.json").read_text()
            for entry in json.loads(text):
                arguments = shlex.split(entry["command"])
                output = Path(entry["directory"]) / arguments[arguments.index("-o") + 1]
                self._commands[Path(entry["file"]).resolve()] = (arguments, output)
        return self._commands


def read_rooms(text):
    rooms = {}
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, rest = line.split(":")
        arrows, _, mark = rest.partition("|")
        room = Room(name.strip(), set(arrows.split()), mark.strip() == "pure")
        for lower in list(room.arrows):
            if lower not in rooms:
                raise SystemExit(f"rooms.txt: {room.name} points to {lower}, which is not above it")
            room.arrows |= rooms[lower].arrows
        rooms[room.name] = room
    return rooms


def room_in(rooms, path):
    """The room of a path below src: `agent/core` where that is a room of its own, else `agent`."""
    parts = path.split("/")
    inner = "/".join(parts[:2])
    return inner if len(parts) > 2 and inner in rooms else parts[0]


def is_test(path):
    return path.name.endswith("_test.cc") or path.name in ("testing.h", "testing.cc")


_TOKEN = re.compile(
    r'(?P<raw>\b(?:u8|[uUL])?R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)")'
    r"|(?P<line>//(?:[^\n\\]|\\.|\\\n)*)"
    r"|(?P<block>/\*.*?\*/)"
    r'|(?P<string>"(?:[^"\\\n]|\\.)*")'
    r"|(?P<number>\b\d[\w.']*)"
    r"|(?P<char>'(?:[^'\\\n]|\\.)*')",
    re.DOTALL,
)


def code_only(text):
    """`text` with comments removed and literals emptied; the lines stay where they are."""

    def blank(match):
        lines = "\n" * match.group(0).count("\n")
        kind = match.lastgroup if match.lastgroup != "tag" else "raw"
        if kind == "number":
            return match.group(0)
        if kind in ("raw", "string"):
            return '""' + lines
        if kind == "char":
            return "' '"
        return " " + lines

    return _TOKEN.sub(blank, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1
