#!/usr/bin/env bash
# Counts the instructions of fixed runs of a bench and compares them with the recorded ones.
#   tools/instruction_gate.sh PROGRAM            fails when a run takes 5 % more than recorded
#   tools/instruction_gate.sh PROGRAM --update   records what the runs take now
# The record is bench/NAME/instructions.txt. Counted are the functions that its lines `#counts
# PATTERN` name and nothing else, by callgrind. Exit code 77: skipped.
set -euo pipefail

readonly margin_pct=5
program="${1:?usage: tools/instruction_gate.sh PROGRAM [--update]}"
mode="${2:-check}"
cd "$(dirname "$0")/.."
readonly record="bench/$(basename "$program")/instructions.txt"

if ! command -v valgrind >/dev/null; then
  echo "instruction gate: skipped, valgrind is not installed"
  exit 77
fi
first="$(grep -v -m 1 '^#' "$record" | cut -d ' ' -f 1)"
if "$program" --instructions "$first" 2>&1 >/dev/null | grep -q absent; then
  echo "instruction gate: skipped, the traces are absent"
  exit 77
fi

mapfile -t counted < <(sed -n 's/^#counts /--toggle-collect=/p' "$record")

count_of() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "${counted[@]}" \
    "$program" --instructions "$1" 2>&1 | sed -n 's/.*Collected : *//p'
}

failed=0
lines=()
while read -r name recorded; do
  case "$name" in '' | '#'*) lines+=("$name${recorded:+ $recorded}"); continue ;; esac
  now="$(count_of "$name")"
  lines+=("$name $now")
  [ "$mode" = --update ] && echo "$name: $now (was $recorded)" && continue
  limit=$((recorded + recorded * margin_pct / 100))
  if [ "$now" -gt "$limit" ]; then
    echo "instruction gate: $name takes $now instructions, recorded are $recorded (+$margin_pct % allowed)"
    failed=1
  else
    echo "$name: $now, recorded $recorded"
  fi
done <"$record"

if [ "$mode" = --update ]; then printf '%s\n' "${lines[@]}" >"$record"; fi
exit "$failed"
