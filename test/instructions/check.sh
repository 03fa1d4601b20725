#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Counts the instructions of each statement of instructions.cc and compares them with a budget.
#   test/instructions/check.sh [--update] PROGRAM [BUDGET]
# Fails where a statement takes over 5 % more than its budget, and says where one takes less than
# 80 % of it; --update writes the counts into BUDGET (default: budget.txt beside this script).
#
# Counts do not depend on how busy the machine is; where the stack starts moves a few by under 1 %.
# They depend on the compiler and the instruction set, which the first line of the program's output
# and of the budget name: where these differ the table is printed and nothing is judged. The AVX2
# loops are counted on every machine, since valgrind runs no AVX-512.
# Where the instructions of a statement are:
#   MSHADOW_ISA=avx2 valgrind --tool=callgrind --collect-atstart=no --callgrind-out-file=out \
#     PROGRAM 'o = a + b' && callgrind_annotate out.1
set -euo pipefail
export LC_ALL=C
update=no
if [ "${1:-}" = --update ]; then update=yes; shift; fi
program=${1:?usage: check.sh [--update] PROGRAM [BUDGET]}
budget=${2:-$(dirname "$0")/budget.txt}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

OMP_NUM_THREADS=1 MSHADOW_ISA=avx2 valgrind --tool=callgrind --collect-atstart=no \
  --callgrind-out-file="$dir/out" "$program" >"$dir/output" 2>"$dir/errors" ||
  { cat "$dir/errors"; exit 1; }
built=$(head -n 1 "$dir/output")

# counts: a line `INSTRUCTIONS STATEMENT` for each part of callgrind's output.
counts() {
  local part
  for ((part = 1; ; ++part)); do
    if [ ! -e "$dir/out.$part" ]; then break; fi
    awk -v repeats=1000 '
      sub(/^desc: Trigger: Client Request: /, "") { statement = $0 }
      /^summary: / { printf "%6.0f  %s\n", $2 / repeats, statement }' "$dir/out.$part"
  done
}
counts >"$dir/counts"

if [ "$update" = yes ]; then
  { echo "$built"; cat "$dir/counts"; } >"$budget"
  echo "instructions a statement, $built, written to $budget"
  exit 0
fi

awk -v built="$built" '
function statement() { sub(/^ *[0-9]+ +/, ""); return $0 }
FNR == NR {
  if (FNR == 1) {
    judged = $0 == built
    printf "instructions a statement, %s\n", built
    if (!judged) printf "not judged: the budget is that of %s\n", $0
    printf "%8s %8s %8s\n", "count", "budget", "change"
  } else {
    count = $1
    budget[statement()] = count
  }
  next
}
{
  count = $1
  name = statement()
  if (!(name in budget)) {
    printf "%8d %8s %8s  %s  NO BUDGET\n", count, "", "", name
    ++bad
    next
  }
  change = 100 * (count / budget[name] - 1)
  note = ""
  if (judged && change > 5) note = "  OVER BUDGET"
  if (judged && change < -20) note = "  fewer: the budget can be lowered"
  printf "%8d %8d %+7.1f%%  %s%s\n", count, budget[name], change, name, note
  if (change > 5) ++bad
  delete budget[name]
}
END {
  for (name in budget) {
    printf "%8s %8d %8s  %s  NO SUCH STATEMENT\n", "", budget[name], "", name
    ++bad
  }
  if (!bad || !judged) exit 0
  printf "%d do not keep the budget. If that is meant, write a new one:\n", bad
  printf "  test/instructions/check.sh --update PROGRAM\n"
  exit 1
}' "$budget" "$dir/counts"
