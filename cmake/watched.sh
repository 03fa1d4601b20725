#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command and prints how far it is. If the caller is stopped, the command and all that it
# started are stopped too.
#   cmake/watched.sh LOG COMMAND...
# LOG gets the output. A terminal shows its last line; elsewhere that is printed every 30 seconds.
# If LOG is -, the output is printed as it comes, and nothing else.
# Minutes count from $WATCHED_SINCE, in seconds since 1970, or from now.
set -uo pipefail

# The command runs in a session of its own, beside the guard that ends it.
if [ -z "${WATCHED_PIDS:-}" ]; then
  WATCHED_PIDS="$$ $PPID" setsid "$0" "$@" </dev/null &
  wait $!
  exit
fi
read -r script caller <<<"$WATCHED_PIDS"
since=${WATCHED_SINCE:-$(date +%s)}
unset WATCHED_PIDS  # the command may call this script
log=${1:?usage: watched.sh LOG COMMAND...}
shift

# The last line of the log, of make "[ 13%] Building CXX object a.dir/b.cc.o", as "[ 13%] b.cc.o".
step() {
  tail -n 1 "$log" | sed -E 's/^(\[[^]]*\]).*[.]dir\//\1 /' | cut -c 1-60
}

if [ "$log" = - ]; then "$@" & else "$@" >"$log" 2>&1 & fi
command=$!
elapsed=0
while kill -0 $command 2>/dev/null; do
  sleep 1
  if ! kill -0 "$script" 2>/dev/null || ! kill -0 "$caller" 2>/dev/null; then
    trap '' TERM
    kill -TERM 0
    sleep 3
    kill -KILL 0
  fi
  elapsed=$((elapsed + 1))
  if [ "$log" = - ]; then continue; fi
  line="$((($(date +%s) - since) / 60)) min: $(step)"
  if [ -t 1 ]; then
    printf '\r\e[K%s' "$line"
  elif [ $((elapsed % 30)) -eq 0 ]; then
    echo "$line"
  fi
done
if [ -t 1 ] && [ "$log" != - ]; then printf '\r\e[K'; fi
wait $command
