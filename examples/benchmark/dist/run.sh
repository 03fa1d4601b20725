#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# AllReduce beside MPI, and training on several ranks beside torch.distributed, where python3 has it.
#   run.sh BUILD-FOLDER [RANKS] [MPIRUN...]
set -euo pipefail
programs=$1/examples/benchmark
ranks=${2:-2}
here=$(dirname "$0")
if [ $# -gt 2 ]; then run=("${@:3}"); else run=(mpirun); fi
export OMP_NUM_THREADS=1
"${run[@]}" -n "$ranks" "$programs/benchmark_all_reduce"
echo
"${run[@]}" -n "$ranks" "$programs/benchmark_scaling"
if /usr/bin/python3 -c 'import torch.distributed' 2>/dev/null; then
  /usr/bin/python3 "$here/gloo.py" "$ranks"
else
  echo "without torch.distributed: not found (python3-torch)"
fi
