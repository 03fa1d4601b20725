#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# That check.sh passes on budgets just written, and fails on each kind of budget that it should.
#   test/instructions/check_test.sh PROGRAM
set -euo pipefail
check=$(dirname "$0")/check.sh
program=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# expect STATUS TEXT: check.sh exits with STATUS on $dir/budget and prints TEXT.
expect() {
  local status=0
  "$check" "$program" "$dir/budget" >"$dir/output" || status=$?
  if [ "$status" -ne "$1" ] || ! grep -qF "$2" "$dir/output"; then
    cat "$dir/output"
    echo "status $status; expected status $1 and the text: $2"
    exit 1
  fi
}

# edit AWK-PROGRAM: the budget, from the one just written.
edit() { awk "$1" "$dir/written" >"$dir/budget"; }

"$check" --update "$program" "$dir/written" >"$dir/output"
edit '{ print }'
expect 0 '+0.0%'
edit 'NR == 3 { $1 = int($1 / 1.07) } { print }'
expect 1 'OVER BUDGET'
edit 'NR == 3 { $1 = int($1 / 1.03) } { print }'
expect 0 '+0.0%'
edit 'NR == 3 { $1 = int($1 * 1.5) } { print }'
expect 0 'can be lowered'
edit 'NR != 3 { print }'
expect 1 'NO BUDGET'
edit '{ print } END { print "100  1: other" }'
expect 1 'NO SUCH STATEMENT'
edit 'NR == 1 { $0 = "another compiler" } NR == 3 { $1 = 1 } { print }'
expect 0 'not judged'
