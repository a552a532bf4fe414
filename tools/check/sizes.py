"""Files that can be read in one go, functions that fit on a screen."""

import re

from repo import code_only, line_of

FILE_LINES = 500
FUNCTION_LINES = 70


def check(repo):
    errors, functions = [], 0
    files = repo.code()
    for path in files:
        text = path.read_text(errors="replace")
        lines = len(text.splitlines())
        if lines > FILE_LINES:
            errors.append(f"{repo.name(path)}: {lines} lines; at most {FILE_LINES}, split it by what it owns")
        for name, first, last in functions_of(text):
            functions += 1
            if last - first + 1 > FUNCTION_LINES:
                errors.append(f"{repo.name(path)}:{first}: {name} has {last - first + 1} lines; "
                              f"at most {FUNCTION_LINES}, give its steps names")
    return errors, f"{len(files)} files, {functions} functions"


def functions_of(text):
    """(name, first line, last line) of each function, from its declaration to its closing brace.

    Not a parser: braces are matched, and what stands before one tells a function's body from a
    scope (namespace, class) or data. A lambda counts into the function that it stands in.
    """
    code = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda m: "\n" * m.group(0).count("\n"),
                  code_only(text), flags=re.MULTILINE | re.DOTALL)
    found, start, at = [], 0, 0
    while at < len(code):
        char = code[at]
        if char == ";" and _balanced(code[start:at]):
            start = at + 1
        elif char == "}":  # the end of a scope
            start = at + 1
        elif char == "{":
            header = code[start:at]
            kind = _kind(header)
            if kind == "scope":
                start = at + 1
            else:
                at = _closing(code, at)
                if not re.match(r"\s*[,{()]", code[at + 1:at + 200]):  # else: `: a_{1}, b_{2} {`
                    if kind == "function":
                        first = start + _ACCESS.match(header).end()
                        found.append((_function_name(header), line_of(code, first), line_of(code, at)))
                    start = at + 1
        at += 1
    return found


def _balanced(header):
    return header.count("(") == header.count(")")


def _closing(code, at):
    depth = 0
    for match in re.compile(r"[{}]").finditer(code, at):
        depth += 1 if match.group(0) == "{" else -1
        if depth == 0:
            return match.start()
    return len(code) - 1


_ACCESS = re.compile(r"\s*(?:(?:public|private|protected)\s*:\s*)*")
_SCOPE = re.compile(r'(?:inline\s+)?namespace\b|(?:typedef\s+)?(?:class|struct|union|enum)\b|extern\s*""\s*$')


def _kind(header):
    header = _without_templates(header)
    if _SCOPE.match(header):
        return "scope"
    plain = re.sub(r"\boperator\s*[^\s\w(]+", "operator", header)
    outer = _outside_parentheses(plain)
    if "(" not in plain or (re.search(r"=", outer) and "[" not in outer):
        return "data"
    return "function"


def _without_templates(header):
    while True:
        header = header[_ACCESS.match(header).end():].strip()
        if not header.startswith("template"):
            return header
        depth = 0
        for match in re.compile(r"[<>]").finditer(header):
            depth += 1 if match.group(0) == "<" else -1
            if depth == 0:
                header = header[match.end():]
                break
        else:
            return header


def _outside_parentheses(header):
    kept, depth = [], 0
    for char in header:
        depth += {"(": 1, ")": -1}.get(char, 0)
        if depth == 0:
            kept.append(char)
    return "".join(kept)


def _function_name(header):
    match = re.search(r"([\w:~]+|operator\s*\S+?)\s*\(([^,()]*,\s*[^,()]*)?", _without_templates(header))
    if not match:
        return "a function"
    if match.group(1).startswith("TEST") or match.group(1).startswith("RC_"):
        return f"{match.group(1)}({' '.join((match.group(2) or '').split())})"
    return match.group(1)
