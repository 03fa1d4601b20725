#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a package of the recipe.   conan.sh CONAN FOLDER; CONAN_HOME: where Conan keeps its files.
set -euo pipefail
"$1" profile detect --force >/dev/null 2>&1
"$1" create "$2"
