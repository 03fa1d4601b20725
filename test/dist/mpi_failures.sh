#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs mpi_failures on 3 ranks, rank 2 of which does something wrong, and looks at what it prints.
#   mpi_failures.sh PROGRAM HOW WITNESSES PATTERN MPIRUN...
# WITNESSES: how many ranks must print a line "rank R, in time, PATTERN" (an extended regular
# expression). Nothing may run on afterwards.
set -euo pipefail
program=$1 how=$2 witnesses=$3 pattern=$4
shift 4
export MSHADOW_DIST_TIMEOUT=2 MSHADOW_DIST_CHECK=1
status=0
output=$(timeout -k 1 20 "$@" -n 3 "$program" "$how" 2>&1) || status=$?
echo "$output"
if [ "$status" -eq 124 ]; then echo "FAILED: mpirun did not end"; exit 1; fi
# (With --enable-recovery mpirun returns 0.)
if [ "$status" -eq 0 ] && [[ "$*" != *recovery* ]]; then echo "FAILED: status 0"; exit 1; fi
if [ "$(grep -c "^rank [0-2] begins" <<<"$output")" -ne 3 ]; then echo "FAILED: no ranks"; exit 1; fi
found=$(grep -Ec "^rank [0-9], in time, $pattern" <<<"$output" || true)
if [ "$found" -lt "$witnesses" ]; then
  echo "FAILED: $found lines, not $witnesses, as: rank R, in time, $pattern"
  exit 1
fi
if grep -E "nothing went wrong|late" <<<"$output"; then echo "FAILED"; exit 1; fi
if [ "$how" = throw ] && ! grep -q "^out of digits" <<<"$output"; then
  echo "FAILED: the exception's text is missing"
  exit 1
fi
