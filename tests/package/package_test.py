#!/usr/bin/env python3
"""Makes the Debian package of a build, unpacks it elsewhere and uses it from there.

Exit status 77: skipped, because a tool of the distribution is missing.
"""

import argparse
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/release"
WAIT_S = 60


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))} gave {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def optional(tool, what):
    if shutil.which(tool):
        return True
    print(f"\nSKIPPED: package: {what}, because {tool} is missing", file=sys.stderr)
    return False


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="berth-package-")
        cls.addClassCleanup(cls.folder.cleanup)
        out = Path(cls.folder.name) / "out"
        run("cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", out, cwd=BUILD)
        [cls.package] = out.glob("*.deb")
        cls.at = Path(cls.folder.name) / "unpacked"
        run("dpkg-deb", "-x", cls.package, cls.at)
        cls.program = cls.at / "usr/bin/berth"

    def environment(self, **more):
        """Nothing of the repository, and a home of its own."""
        return {"PATH": os.environ["PATH"], "HOME": self.folder.name, **more}

    def berth(self, *arguments):
        return run(self.program, *arguments, cwd="/", env=self.environment())

    def field(self, name):
        return run("dpkg-deb", "-f", self.package, name).strip()

    def test_what_it_says_of_itself(self):
        version = re.search(r"project\(berth VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertEqual(self.field("Package"), "berth")
        self.assertEqual(self.field("Version"), version + "-1")
        self.assertEqual(self.field("Section"), "admin")
        depends = re.findall(r"(?:^|, )([a-z0-9.+-]+)", self.field("Depends"))
        for library in ("libc6", "libgrpc++1.51", "libsqlite3-0", "libssl3"):
            self.assertIn(library, depends)
        self.assertFalse([name for name in depends if name.endswith("-dev")])
        self.assertEqual(self.package.name, f"berth_{version}-1_{self.field('Architecture')}.deb")
        self.assertEqual(run("dpkg-deb", "--info", self.package).count("conffiles"), 0, "nothing of /etc is its own")

    def test_what_is_in_it(self):
        for folder, source in (("berth/data", "data"), ("doc/berth/docs", "docs")):
            names = {path.relative_to(ROOT / source) for path in (ROOT / source).rglob("*")}
            there = self.at / "usr/share" / folder
            self.assertEqual({path.relative_to(there) for path in there.rglob("*")}, names)
        for name in ("lib/systemd/system/berth-server.service", "lib/sysusers.d/berth.conf",
                     "share/doc/berth/copyright", "share/doc/berth/changelog.gz",
                     "share/berth/prometheus/berth.rules.yml"):
            self.assertTrue((self.at / "usr" / name).is_file(), name)
        tops = {path.relative_to(self.at).parts[:2] for path in self.at.rglob("*") if path.is_file()}
        self.assertEqual(tops, {("usr", "bin"), ("usr", "lib"), ("usr", "share")})
        self.assertLess(self.program.stat().st_size, 50 << 20, "it is stripped")
        modes = {path.stat().st_mode & 0o777 for path in (self.at / "usr/share").rglob("*") if path.is_file()}
        self.assertEqual(modes, {0o644})

    def test_completions_are_the_programs_own(self):
        for shell, name in (("bash", "bash-completion/completions/berth"),
                            ("zsh", "zsh/vendor-completions/_berth"),
                            ("fish", "fish/vendor_completions.d/berth.fish")):
            self.assertEqual((self.at / "usr/share" / name).read_text(), self.berth("completion", shell))

    def test_scripts_are_shell(self):
        control = Path(self.folder.name) / "control"
        run("dpkg-deb", "-e", self.package, control)
        for name in ("postinst", "prerm", "postrm"):
            self.assertEqual((control / name).stat().st_mode & 0o777, 0o755)
            run("sh", "-n", control / name)

    def test_the_unit_starts_what_is_installed(self):
        unit = self.at / "usr/lib/systemd/system/berth-server.service"
        start = re.search(r"^ExecStart=(.*)$", unit.read_text(), re.M)[1].split()
        self.assertEqual(start[:2], ["/usr/bin/berth", "server"])
        self.assertTrue((self.at / start[0][1:]).is_file())
        for option in start[2:]:
            if option.startswith("--"):
                self.assertIn(option, self.berth("server", "--help"))
        if optional("systemd-analyze", "the unit is not checked"):
            here = Path(self.folder.name) / unit.name  # with the program where it is unpacked
            here.write_text(unit.read_text().replace(start[0], str(self.program)))
            self.assertEqual(run("systemd-analyze", "verify", "--man=no", here), "")
            run("systemd-analyze", "security", "--offline=yes", "--no-pager", "--threshold=20", here)

    def test_it_runs_where_it_is_unpacked(self):
        self.assertIn(self.field("Version").removesuffix("-1"), self.berth("version"))
        self.assertIn("H100-80G", self.berth("gpus"))
        self.assertIn("policy", self.berth("sim", "run", self.at / "usr/share/berth/data/workloads/sample.yaml"))

    def test_the_server_finds_its_data_and_page(self):
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        manager.settimeout(WAIT_S)
        manager.bind(self.folder.name + "/notify")
        log = open(self.folder.name + "/log", "w+")
        server = subprocess.Popen(
            [self.program, "server", "--dev", "--listen", "127.0.0.1:0", "--agents", "127.0.0.1:0"],
            cwd="/", stderr=log, env=self.environment(NOTIFY_SOCKET=self.folder.name + "/notify"))
        try:
            self.assertEqual(manager.recv(64), b"READY=1")
            log.seek(0)
            url = re.search(r"listening on (\S+)", log.read())[1]
            with urllib.request.urlopen(url + "/readyz") as answer:
                self.assertEqual(answer.status, 200)
            with urllib.request.urlopen(url + "/v1/version") as answer:
                self.assertIn("version", json.load(answer))
            if (self.at / "usr/share/berth/web/index.html").exists():
                with urllib.request.urlopen(url + "/") as answer:
                    self.assertIn("<title>Berth", answer.read().decode())
            else:
                print("\nSKIPPED: package: the page, because web/dist is not built (make web)", file=sys.stderr)
            server.send_signal(signal.SIGTERM)
            self.assertEqual(manager.recv(64), b"STOPPING=1")
            self.assertEqual(server.wait(WAIT_S), 0)
        finally:
            server.kill()
            server.wait()
            log.close()
            manager.close()

    def test_lint(self):
        if optional("lintian", "the package is not linted"):
            run("lintian", "--fail-on", "error", "--suppress-tags", "no-manual-page", self.package)

    def test_alerts(self):
        rules = self.at / "usr/share/berth/prometheus/berth.rules.yml"
        told = set(re.findall(r"^\| `(berth_\w+)`", (ROOT / "docs/reference/metrics.md").read_text(), re.M))
        asked = set(re.findall(r"\bberth_\w+", " ".join(re.findall(r"expr: (.*)", rules.read_text()))))
        self.assertTrue(asked)
        self.assertEqual(asked - told, set(), "no server tells these")
        page = (self.at / "usr/share/doc/berth/docs/operations.md").read_text()
        alerts = re.findall(r"alert: (\w+)\n\s+expr: (.*)", rules.read_text())
        self.assertEqual(re.findall(r"^\| (Berth\w+) \| `(.*?)` \|", page, re.M), alerts)
        if optional("promtool", "the alert rules are not checked"):
            run("promtool", "check", "rules", rules)
            run("promtool", "test", "rules", ROOT / "tests/package/alerts.yaml")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=BUILD)
    given, others = parser.parse_known_args()
    BUILD = given.build.resolve()
    missing = [tool for tool in ("dpkg-deb", "dpkg-shlibdeps", "cpack") if not shutil.which(tool)]
    if missing:
        print(f"SKIPPED: package: {', '.join(missing)} is missing (dpkg-dev)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + others)
