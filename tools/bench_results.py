#!/usr/bin/env python3
"""Runs the benches and writes bench/RESULTS.json and bench/RESULTS.md. `make bench` calls it.

Each program in the folder --programs is run with --json bench/out/<name>.json; its rows have case,
policy, metric, value, unit, runs and sd. When only some benches are named, the results of the
others stay as they were; each bench carries its own machine, date and revision.
"""

import argparse
import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REFERENCES = ("_published", "_ref", "_bound")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=Path, default=ROOT / "build/release/bench", help="folder of the bench programs")
    parser.add_argument("--out", type=Path, default=ROOT / "bench", help="folder for RESULTS.md and RESULTS.json")
    parser.add_argument("names", nargs="*", metavar="BENCH", help="only these")
    arguments = parser.parse_args()

    present = sorted(p.name for p in arguments.programs.glob("*") if p.is_file() and os.access(p, os.X_OK))
    unknown = [name for name in arguments.names if name not in present]
    if unknown:
        parser.error(f"no bench is called {unknown[0]}; there are {', '.join(present) or 'none'}")

    results = {bench["bench"]: bench for bench in _read(arguments.out / "RESULTS.json", [])}
    failed = []
    for name in arguments.names or present:
        bench = _run(arguments.programs / name, arguments.out / "out" / f"{name}.json")
        if bench is None:
            failed.append(name)
        elif _lost_cases(results.get(name), bench) and not _traces().exists():
            print(f"bench: the traces are absent ({_traces()}); the earlier figures of {name} stay as they were")
        else:
            results[name] = bench

    ordered = [results[name] for name in sorted(results)]
    (arguments.out / "RESULTS.json").write_text(json.dumps(ordered, indent=1) + "\n")
    (arguments.out / "RESULTS.md").write_text(markdown(ordered))
    print(f"bench: wrote {_shown(arguments.out / 'RESULTS.md')} ({', '.join(sorted(results)) or 'no benches'})")
    if failed:
        print(f"bench: FAILED, no new figures: {', '.join(failed)}")
    return 1 if failed else 0


def _traces():
    return Path(os.environ.get("BERTH_TRACES") or ROOT.parent / "shared/traces")


def _lost_cases(before, now):
    """Whether the earlier results hold cases that were not measured now."""
    cases = {row["case"] for row in before["rows"]} if before else set()
    return bool(cases - {row["case"] for row in now["rows"]})


def _read(path, default):
    return json.loads(path.read_text()) if path.exists() else default


def _shown(path):
    path = path.resolve()
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def _run(program, output):
    """The bench's object, completed with machine, date and revision; None when it failed."""
    output.parent.mkdir(parents=True, exist_ok=True)
    output.unlink(missing_ok=True)
    print(f"bench: {program.name}", flush=True)
    answer = subprocess.run([program, "--json", output], cwd=ROOT, check=False)
    if answer.returncode != 0 or not output.exists():
        print(f"bench: {program.name} ended with {answer.returncode}")
        return None
    bench = json.loads(output.read_text())
    bench["bench"] = program.name
    bench["machine"] = bench.get("machine") or machine()
    bench["date"] = bench.get("date") or datetime.date.today().isoformat()
    bench["revision"] = bench.get("revision") or revision()
    bench.setdefault("rows", [])
    return bench


def machine():
    model = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return f"{model}, {os.cpu_count()} cores"


def revision():
    answer = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    return answer.stdout.strip() if answer.returncode == 0 else "unknown"


def markdown(benches):
    lines = [
        "# Results",
        "",
        "Written by `make bench`; do not edit. Each cell is the mean over the runs, ± the standard deviation where it",
        "is known. **Bold**: Berth. Columns on the right are references: `published` is the figure of the publication,",
        "`bound` a proven bound, `ref` a reference that is no proven bound. Protocols: `bench/<name>/`.",
        "",
    ]
    for bench in benches:
        lines += [f"## {bench['bench']}", "",
                  f"{bench['machine']} · {bench['date']} · revision {bench['revision']}", ""]
        if not bench["rows"]:
            lines += ["No figures: its inputs were absent.", ""]
        for metric in dict.fromkeys(row["metric"] for row in bench["rows"]):
            lines += _table(metric, [row for row in bench["rows"] if row["metric"] == metric])
    return "\n".join(lines).rstrip() + "\n"


def _table(metric, rows):
    policies = sorted(dict.fromkeys(row["policy"] for row in rows), key=_column)
    cases = dict.fromkeys(row["case"] for row in rows)
    cells = {(row["case"], row["policy"]): row for row in rows}
    unit = rows[0].get("unit") or ""
    runs = sorted({row["runs"] for row in rows if row.get("runs")})
    notes = [unit] if unit else []
    if runs:
        notes.append(f"{runs[-1]} run{'s' if runs[-1] > 1 else ''}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]} runs")
    lines = [f"### {metric}" + (f" ({', '.join(notes)})" if notes else ""), ""]
    lines.append("| case | " + " | ".join(policy.replace("_", " ") for policy in policies) + " |")
    lines.append("|---|" + "---:|" * len(policies))
    for case in cases:
        shown = [_cell(cells.get((case, policy)), policy) for policy in policies]
        lines.append(f"| {case} | " + " | ".join(shown) + " |")
    return lines + [""]


def _column(policy):
    """Baselines, then ours, then references; each in the order of the rows (sorted() is stable)."""
    if policy.endswith(REFERENCES):
        return 2
    return 1 if policy.startswith("berth") else 0


def _cell(row, policy):
    if row is None:
        return "–"
    text = number(row["value"])
    if row.get("sd"):
        text += f" ± {number(row['sd'])}"
    return f"**{text}**" if _column(policy) == 1 else text


def number(value):
    if abs(value) >= 1000 or (isinstance(value, int) and not isinstance(value, bool)):
        return f"{value:,.0f}"
    if value != 0 and abs(value) < 0.1:
        return f"{value:.3g}"
    return f"{value:.2f}"


if __name__ == "__main__":
    sys.exit(main())
