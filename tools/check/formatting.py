"""clang-format 16 would change nothing."""

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor


def check(repo):
    files = repo.code()
    if not files:
        return [], "0 files"
    workers = os.cpu_count() or 1
    parts = [part for part in (files[i::workers] for i in range(workers)) if part]
    with ThreadPoolExecutor(workers) as pool:
        outputs = list(pool.map(lambda part: _dry_run(repo, part), parts))
    bad = {}
    for output in outputs:
        for match in re.finditer(r"^(/[^:\n]+):(\d+):\d+: (?:error|warning):", output, re.MULTILINE):
            bad.setdefault(match.group(1), match.group(2))
        if "error:" in output and not bad:
            return [output.strip()], ""
    errors = [f"{repo.name(path)}:{line}: not formatted; `make format` repairs it" for path, line in sorted(bad.items())]
    return errors, f"{len(files)} files"


def _dry_run(repo, files):
    return subprocess.run(["clang-format-16", "--dry-run", "--Werror", *map(str, files)], cwd=repo.root,
                          capture_output=True, text=True).stderr
