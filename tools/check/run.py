#!/usr/bin/env python3
"""Runs the checks of the source: all, or those named. `make check` calls it.

Each check is a module here with `check(repo) -> (errors, summary)`; it stands alone.
"""

import argparse
import sys
import time
from pathlib import Path

import docs
import examples
import formatting
import includes
import purity
import selftest
import sizes
import targets
import tidy
import tokens
from repo import Repo

CHECKS = {
    "selftest": selftest,
    "includes": includes,
    "purity": purity,
    "tokens": tokens,
    "sizes": sizes,
    "targets": targets,
    "format": formatting,
    "docs": docs,
    "examples": examples,
    "tidy": tidy,
}


def main():
    root = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=root, help="the working tree")
    parser.add_argument("--build", default=root / "build/release", help="its release build")
    parser.add_argument("names", nargs="*", metavar="CHECK", help=f"of {', '.join(CHECKS)}")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in CHECKS]
    if unknown:
        parser.error(f"no check is called {unknown[0]}; there are {', '.join(CHECKS)}")

    repo = Repo(arguments.root, arguments.build)
    failed = []
    for name in arguments.names or CHECKS:
        began = time.monotonic()
        errors, summary = CHECKS[name].check(repo)
        seconds = f" ({time.monotonic() - began:.1f} s)" if time.monotonic() - began > 1 else ""
        if errors:
            failed.append(name)
            print(f"FAIL check {name}: {len(errors)} found{seconds}")
            for error in errors:
                print("  " + error.replace("\n", "\n  "))
        else:
            print(f"ok   check {name}: {summary}{seconds}", flush=True)
    if failed:
        print(f"checks failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
