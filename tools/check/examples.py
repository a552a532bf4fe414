"""Examples in the pages: each block that holds a scenario is played and gives what is shown."""

import re
import subprocess
import tempfile
from pathlib import Path

BLOCK = re.compile(r"^```\n(.*?)^```$", re.M | re.S)


def scenarios_of(page):
    """(line, text) of each block with commands, a line ----, and a transcript."""
    text = page.read_text()
    for block in BLOCK.finditer(text):
        if re.search(r"^----$", block[1], re.M):
            yield text.count("\n", 0, block.start()) + 2, block[1]


def play(program, data, text, folder):
    path = Path(folder) / "example.scn"
    path.write_text(text)
    return subprocess.run(
        [program, "scenario", "run", path],
        capture_output=True,
        text=True,
        env={"BERTH_DATA": str(data)},
        check=False,
    )


def check(repo):
    program = Path(repo.build) / "berth"
    if not program.exists():
        return [f"{program} is absent; build it first"], ""
    errors = []
    count = 0
    pages = [Path(repo.root) / "README.md", *sorted((Path(repo.root) / "docs").glob("*.md"))]
    with tempfile.TemporaryDirectory() as folder:
        for page in pages:
            for line, text in scenarios_of(page):
                count += 1
                done = play(program, Path(repo.root) / "data", text, folder)
                if done.returncode == 0:
                    continue
                shown = page.relative_to(repo.root)
                errors.append(f"{shown}:{line}: gives something else\n{done.stdout}{done.stderr}")
    if count == 0:
        errors.append("no example was found")
    return errors, f"{count} examples give what they show"
