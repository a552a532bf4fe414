"""Words that must not occur: floats and hash containers in the decisions, open ends, silent skips."""

import re

from repo import code_only, is_test, line_of

INTEGER_ROOMS = ("model", "engine")

_FLOAT = re.compile(r"\b(?:float|double)\b|(?<![\w.'])(?:\d[\d']*\.[\d']*|\.\d[\d']*|\d[\d']*[eE][-+]?\d+)"
                    r"(?:[eE][-+]?\d+)?[fFlL]?(?![\w.])")
_HASHED = re.compile(r"\bunordered_\w+|\bhash_map\b")
_OPEN_END = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b")
_SKIP = re.compile(r"\bGTEST_SKIP\s*\(\s*\)\s*(?P<reason><<)?")

TEXT_SUFFIXES = {".h", ".cc", ".py", ".sh", ".md", ".txt", ".cmake", ".yaml", ".json", ".scn", ".csv"}
TEXT_FOLDERS = ("src", "bench", "tests", "tools", "cmake", "docs", "data")


def check(repo):
    errors = []
    code = repo.code()
    for path in code:
        text = path.read_text(errors="replace")
        stripped = code_only(text)
        if repo.room_of(path) in INTEGER_ROOMS and not is_test(path):
            errors += _hits(repo, path, stripped, _FLOAT, "floating point; the decisions count in integers")
            errors += _hits(repo, path, stripped, _HASHED,
                            "a hash container; its order would reach a decision (see base/lookup_map.h)")
        for match in _SKIP.finditer(stripped):
            if not match.group("reason"):
                errors.append(f"{repo.name(path)}:{line_of(stripped, match.start())}: "
                              'a skipped test says why: GTEST_SKIP() << "..."')
    texts = _texts(repo)
    for path in texts:
        errors += _hits(repo, path, path.read_text(errors="replace"), _OPEN_END,
                        "an open end; do it, or file an issue")
    return errors, f"{len(code)} sources, {len(texts)} texts"


def _hits(repo, path, text, pattern, what):
    return [f"{repo.name(path)}:{line_of(text, m.start())}: `{m.group(0)}`: {what}"
            for m in pattern.finditer(text)]


def _texts(repo):
    found = [p for p in repo.root.iterdir() if p.is_file() and (p.suffix in TEXT_SUFFIXES or p.name == "Makefile")]
    for folder in TEXT_FOLDERS:
        found += [p for p in (repo.root / folder).rglob("*") if p.is_file() and p.suffix in TEXT_SUFFIXES
                  and "corpus" not in p.parts and "node_modules" not in p.parts]
    return sorted(found)
