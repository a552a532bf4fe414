"""The checks find what they are for: planted violations, in a tree of their own."""

import io
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import docs
import examples
import formatting
import includes
import purity
import sizes
import targets
import tidy
import tokens
from repo import Repo, code_only, read_rooms


def check(_repo):
    suite = unittest.defaultTestLoader.loadTestsFromModule(__import__(__name__))
    log = io.StringIO()
    result = unittest.TextTestRunner(stream=log, verbosity=0).run(suite)
    if not result.wasSuccessful():
        return [log.getvalue()], ""
    return [], f"{result.testsRun} planted violations and look-alikes"


class Planted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        self.repo = Repo(self.root, self.root / "build/release")
        settings = Path(__file__).resolve().parents[2]
        for name in (".clang-tidy", ".clang-format"):
            (self.root / name).write_text((settings / name).read_text())

    def plant(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def build(self, *sources):
        """Compiles the sources and writes the compile commands of a build."""
        self.repo.build.mkdir(parents=True)
        entries = []
        for source in sources:
            target = self.repo.build / (source.name + ".o")
            command = ["g++", "-std=c++20", "-O2", "-I", str(self.root / "src"), "-o", str(target), "-c", str(source)]
            subprocess.run(command, check=True)
            entries.append({"directory": str(self.root), "command": " ".join(command), "file": str(source)})
        (self.repo.build / "compile_commands.json").write_text(json.dumps(entries))

    def assert_finds(self, module, *parts):
        errors, _ = module.check(self.repo)
        self.assertEqual(len(errors), 1, errors)
        for part in parts:
            self.assertIn(part, errors[0])

    def assert_clean(self, module):
        self.assertEqual(module.check(self.repo)[0], [])


class Includes(Planted):
    def test_arrow_upwards(self):
        self.plant("src/model/job.h", '#pragma once\n#include "engine/state.h"\n')
        self.assert_finds(includes, "src/model/job.h:2", "engine/state.h", "base, model")

    def test_arrow_downwards_and_through(self):
        self.plant("src/control/loop.cc", '#include "engine/state.h"\n#include "base/error.h"\n#include <chrono>\n')
        self.plant("src/engine/state_test.cc", '#include "codec/yaml.h"\n')
        self.plant("bench/x/main.cc", '#include "bench/x/y.h"\n#include "sim/run.h"\n')
        self.assert_clean(includes)

    def test_bench_from_a_room(self):
        self.plant("src/sim/run.cc", '#include "bench/openb/lp.h"\n')
        self.assert_finds(includes, "bench/openb/lp.h")

    def test_relative_path(self):
        self.plant("src/engine/state.cc", '#include "state.h"\n')
        self.assert_finds(includes, "full path")

    def test_impure_header(self):
        self.plant("src/engine/state.cc", "#include <random>\n")
        self.assert_finds(includes, "<random>", "pure room engine")

    def test_unknown_room(self):
        self.plant("src/cellar/wine.cc", "int x;\n")
        self.assert_finds(includes, "src/cellar")

    def test_room_in_a_room(self):
        self.plant("src/agent/core/book.cc", '#include "agent/core/book.h"\n#include "agent/session.h"\n')
        self.assert_finds(includes, "src/agent/core/book.cc:2", "agent/session.h", "agent/core, base, model")

    def test_room_in_a_room_from_outside(self):
        self.plant("src/agent/session.cc", '#include "agent/core/book.h"\n#include <thread>\n')
        self.assert_clean(includes)

    def test_table_has_no_cycles(self):
        with self.assertRaises(SystemExit):
            read_rooms("a: b\nb: a\n")


class Purity(Planted):
    def test_clock(self):
        self.build(self.plant("src/engine/a.cc", "#include <chrono>\nlong f() { return "
                              "std::chrono::steady_clock::now().time_since_epoch().count(); }\n"))
        self.assert_finds(purity, "src/engine/a.cc", "steady_clock", "clock")

    def test_environment(self):
        self.build(self.plant("src/learn/a.cc", '#include <cstdlib>\nchar* f() { return std::getenv("X"); }\n'))
        self.assert_finds(purity, "getenv", "environment")

    def test_room_in_a_room(self):
        text = '#include <cstdlib>\nchar* f() { return std::getenv("X"); }\n'
        self.build(self.plant("src/agent/core/a.cc", text), self.plant("src/agent/b.cc", text))
        self.assert_finds(purity, "src/agent/core/a.cc", "getenv")

    def test_terminal(self):
        self.build(self.plant("src/base/a.cc", '#include <cstdio>\nvoid f(int x) { std::printf("%d", x); }\n'))
        self.assert_finds(purity, "printf")

    def test_innocent(self):
        self.build(
            self.plant("src/base/check.cc", '#include <cstdio>\nvoid f(int x) { std::fprintf(stderr, "%d", x); }\n'),
            self.plant("src/engine/b.cc", "#include <string>\n#include <map>\nint connections(std::map<int, "
                       "std::string>& m) { return int(m[1].size()); }\n"),
            self.plant("src/sim/c.cc", '#include <cstdlib>\nchar* g() { return std::getenv("X"); }\n'),
            self.plant("src/engine/d_test.cc", '#include <cstdlib>\nchar* h() { return std::getenv("X"); }\n'))
        self.assert_clean(purity)


class Tokens(Planted):
    def test_double(self):
        self.plant("src/engine/a.cc", "// a double\nint x;\ndouble y;\n")
        self.assert_finds(tokens, "src/engine/a.cc:3", "`double`")

    def test_literal(self):
        self.plant("src/model/a.cc", "auto x = 1.5;\n")
        self.assert_finds(tokens, "`1.5`")

    def test_hash_container(self):
        self.plant("src/engine/a.cc", "std::unordered_map<int, int> m;\n")
        self.assert_finds(tokens, "unordered_map")

    def test_open_end(self):
        self.plant("docs/a.md", "x\nTO" "DO: y\n")
        self.assert_finds(tokens, "docs/a.md:2")

    def test_silent_skip(self):
        self.plant("src/sim/a_test.cc", 'TEST(A, b) { GTEST_SKIP(); }\nTEST(A, c) { GTEST_SKIP() << "no trace"; }\n')
        self.assert_finds(tokens, "src/sim/a_test.cc:1", "says why")

    def test_look_alikes(self):
        self.plant("src/engine/a.cc", "/* double */ int doubled = 1'000'000; // 1.5\nauto s = \"float 0.5\";\n"
                   "auto r = R\"x(double \" )\")x\"; char c = '\"'; int hex = 0x1e5; int v = a.b1.c;\n")
        self.plant("src/learn/a.cc", "double x = 0.5;\n")
        self.plant("src/engine/a_test.cc", "double x = 0.5;\n")
        self.assert_clean(tokens)

    def test_stripping_keeps_lines(self):
        text = 'a /* x\n y */ b "s\\"t" // z\nR"(1\n2)" c\n'
        self.assertEqual(code_only(text).count("\n"), text.count("\n"))
        self.assertNotIn("y", code_only(text))


LONG = "  x = 1;\n" * 70


class Sizes(Planted):
    def test_file(self):
        self.plant("src/base/a.cc", "int x;\n" * 501)
        self.assert_finds(sizes, "501 lines")

    def test_function(self):
        self.plant("src/base/a.cc", f"namespace a {{\nint S::run(int y) const {{\n{LONG}}}\n}}\n")
        self.assert_finds(sizes, "src/base/a.cc:2", "S::run has 72 lines")

    def test_method_in_class_template(self):
        self.plant("src/base/a.h", "template <typename T, typename U = A<B>>\nclass X : public Y<T> {\n public:\n"
                   f"  void go() {{\n{LONG}  }}\n}};\n")
        self.assert_finds(sizes, "src/base/a.h:4", "go has 72")

    def test_constructor_with_braces(self):
        self.plant("src/base/a.cc", f"X::X(int a)\n    : a_{{a}}, b_(2), c_{{}} {{\n{LONG}}}\n")
        self.assert_finds(sizes, "src/base/a.cc:1", "X::X has 73")

    def test_test_body(self):
        self.plant("src/base/a_test.cc", f"TEST(Suite, Name) {{\n{LONG}}}\n")
        self.assert_finds(sizes, "TEST(Suite, Name)")

    def test_lambda_counts_into_its_function(self):
        self.plant("src/base/a.cc", f"int f() {{\n  auto g = [](int x) {{\n{LONG}  }};\n  return g(1);\n}}\n")
        self.assert_finds(sizes, "f has 75")

    def test_data_is_no_function(self):
        rows = '    {"a", f(1)},\n' * 100
        self.plant("src/base/a.cc", f"const Row kRows[] = {{\n{rows}}};\nconst std::vector<R> kMore = {{\n{rows}}};\n"
                   f"enum class E {{\n{'  kA,' * 80}\n}};\nint after() {{ return 1; }}\n")
        self.assert_clean(sizes)

    def test_many_short_functions(self):
        self.plant("src/base/a.cc", "#define M(x) \\\n  { x }\n" + "bool operator==(A a, B b = {}) {\n  if (a) {\n"
                   "    return '{' == \"}\"[0];\n  }\n  return 1;\n}\n" * 60)
        self.assert_clean(sizes)
        self.assertIn("60 functions", sizes.check(self.repo)[1])


class Others(Planted):
    def test_source_without_target(self):
        self.build(self.plant("src/base/a.cc", "int x;\n"))
        self.plant("src/base/b.cc", "int y;\n")
        self.assert_finds(targets, "src/base/b.cc", "no target")

    def test_format(self):
        self.plant("src/base/a.cc", "int x;\n")
        self.plant("src/base/b.cc", "int  y ;\n")
        self.assert_finds(formatting, "src/base/b.cc:1", "make format")

    def test_tidy(self):
        source = self.plant("src/base/a.cc", "#include <string>\n#include <utility>\nstd::string g(std::string);\n"
                            "std::size_t f(std::string s) { g(std::move(s)); return s.size(); }\n")
        self.build(source)
        self.assert_finds(tidy, "src/base/a.cc:4", "bugprone-use-after-move")

    def test_tidy_without_time(self):
        self.build(self.plant("src/base/a.cc", "int f() { return 1; }\n"))
        with mock.patch.object(tidy, "DEFAULT_SECONDS", -1), mock.patch.dict(os.environ):
            os.environ.pop("TIDY", None)
            os.environ.pop("TIDY_SECONDS", None)
            self.assert_finds(tidy, "1 of 1 files not looked at", "TIDY=all")
            os.environ["TIDY_SECONDS"] = "-1"
            errors, summary = tidy.check(self.repo)
        self.assertEqual(errors, [])
        self.assertIn("1 NOT looked at", summary)

    def test_examples_without_program(self):
        self.assert_finds(examples, "build/release/berth is absent; build it first")

    def test_examples_that_give_something_else(self):
        self.plant("build/release/berth", "#!/bin/sh\necho '+place a n1:1'; exit 1\n").chmod(0o755)
        self.plant("README.md", "x\n\n```\nqueue q\n----\nplace a n1:0\n```\n")
        self.assert_finds(examples, "README.md:4: gives something else\n+place a n1:1")

    def test_pages_without_an_example(self):
        self.plant("build/release/berth", "#!/bin/sh\nexit 0\n").chmod(0o755)
        self.plant("README.md", "x\n```\nqueue q\n```\n")
        self.assert_finds(examples, "no example was found")

    def test_docs_without_program(self):
        self.assert_finds(docs, "build/release/berth is not built")

    def test_docs_of_a_program_without_docs(self):
        self.plant("build/release/berth", "#!/bin/sh\necho 'Subcommands: gpus'\n").chmod(0o755)
        self.assert_finds(docs, "build/release/berth knows no `docs`")

    def test_docs_not_current(self):
        program = "#!/bin/sh\nif [ $1 = --help ]; then echo '  docs  Writes'; else echo job.md is stale; exit 1; fi\n"
        self.plant("build/release/berth", program).chmod(0o755)
        self.assert_finds(docs, "job.md is stale")

    def test_tidy_remembers_a_pass_until_a_header_changes(self):
        self.plant("src/base/a.h", "int f();\n")
        self.build(self.plant("src/base/a.cc", '#include "base/a.h"\nint f() { return 1; }\n'))
        self.assertIn("1 of them", tidy.check(self.repo)[1])
        self.assertIn("0 of them", tidy.check(self.repo)[1])
        self.plant("src/base/a.h", "int f();\nint g();\n")
        self.assertIn("1 of them", tidy.check(self.repo)[1])
