"""Generated documentation is current: asks the program itself."""

import re
import subprocess


def check(repo):
    program = repo.build / "berth"
    if not program.exists():
        return [f"{repo.name(program)} is not built, so nobody can say whether docs/reference is current"], ""
    usage = subprocess.run([program, "--help"], cwd=repo.root, capture_output=True, text=True).stdout
    if not re.search(r"^\s+docs\b", usage, re.MULTILINE):
        return [f"{repo.name(program)} knows no `docs`, which writes docs/reference"], ""
    answer = subprocess.run([program, "docs", "--check"], cwd=repo.root, capture_output=True, text=True)
    if answer.returncode != 0:
        return [(answer.stdout + answer.stderr).strip() or "`berth docs --check` failed"], ""
    return [], "docs/reference is current"
