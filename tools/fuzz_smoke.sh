#!/bin/bash
# Runs each fuzzer for some seconds, from its corpus, several side by side: fuzz_smoke.sh SECONDS JOBS
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$1
jobs=$2

if ! grep -q '^berth_fuzzer(' tests/fuzz/CMakeLists.txt; then
  echo "fuzz: no fuzzers"
  exit 0
fi
cmake --preset fuzz --log-level=WARNING > /dev/null
cmake --build --preset fuzz -j "$jobs"

run_one() {  # NAME SECONDS
  local found="build/fuzz/found/$1" corpus="build/fuzz/corpus/$1" log="build/fuzz/$1.log"
  mkdir -p "$found" "$corpus"
  local seeds=()
  if [ -d "tests/fuzz/corpus/$1" ]; then seeds+=("tests/fuzz/corpus/$1"); fi
  if "build/fuzz/fuzz/$1" "$corpus" "${seeds[@]}" -seed=1 -max_total_time="$2" -max_len=65536 \
      -timeout=5 -rss_limit_mb=2048 -artifact_prefix="$found/" > "$log" 2>&1; then
    echo "fuzz: $1 ok, $(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$log") runs in $2 s"
  else
    tail -n 40 "$log"
    echo "fuzz: $1 FAILED; the input lies in $found, put it into tests/fuzz/corpus/$1 with the repair"
    return 1
  fi
}
export -f run_one
find build/fuzz/fuzz -maxdepth 1 -type f -executable -printf '%f\n' | sort |
  xargs -P "$jobs" -I NAME bash -c "run_one NAME $seconds"
