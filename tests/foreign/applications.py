#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole applications of others: built as they are and in mode=auto, run with two threads, and the curve of the
whole run compared with the exact one of the order in which the run made its accesses.

    tests/foreign/applications.py --build build --folder FOLDER [--only NAME,...] [--report FILE]

FOLDER/src has the packages (fetch.sh); objects, inputs and records go to FOLDER. Inputs are made here, by random
numbers with fixed seeds. Columns of the table:

output      the same as the plain program's
accesses    loads and stores to memory objects, as the recorded program counts them: described, recorded or neither
callgrind   data reads and writes of the plain program, all libraries included: the outer bound
coverage    of `accesses`, the share that the curve of the whole run is of
recorded    of them, those that are recorded access by access, as they depend on data or are not described
described   of them, those of loops that a nest describes, recorded or not; the others follow lists, pointers or
            contents of arrays, or are of code between the loops
ordered     share of `accesses` that the exact curve is of: where it is not 100, the error is to a part of the run
error       mean and largest distance of the curve to the exact one, in points, over all sizes from 64 lines on
time        processor time of the recorded run, by that of the plain one; memory: largest resident sets
"""
import argparse
import bisect
import datetime
import hashlib
import json
import math
import os
import random
import re
import struct
import subprocess
import sys

TEAM = 2
RUNS_FOR_ORDER = 8  # at most, of programs that do not always do the same: until one makes as many accesses


# ---- inputs: each is written to a file, and gives the arguments of the program ----------------------------------------


def related_sequences(rng, n, length, letters, change):
    """Sequences, each of which is one of those before it with some letters changed."""
    made = [[rng.choice(letters) for _ in range(length)]]
    while len(made) < n:
        made.append([rng.choice(letters) if rng.random() < change else c for c in rng.choice(made)])
    return ["".join(s) for s in made]


def write_fasta(path, sequences):
    with open(path, "w") as out:
        for i, s in enumerate(sequences):
            out.write(f">s{i}\n{s}\n")


def dna(n, length, change):
    def make(path, rng):
        write_fasta(path, related_sequences(rng, n, length, "ACGT", change))

    return make


def reads(genome, n, length):
    """Pieces of one random sequence."""

    def make(path, rng):
        whole = "".join(rng.choice("ACGT") for _ in range(genome))
        at = [rng.randrange(genome - length) for _ in range(n)]
        write_fasta(path, [whole[i : i + length] for i in at])

    return make


def reads_of_species(genome, n, length):
    """Pieces of one random sequence, each of a species of its own in a tree of two kinds (in the format of NCBI's
    taxonomy, beside the pieces)."""

    def make(path, rng):
        reads(genome, n, length)(path, rng)
        nodes = ["1\t|\t1\t|\tno rank\t|", "2\t|\t1\t|\tgenus\t|", "3\t|\t1\t|\tgenus\t|"]
        nodes += [f"{i + 4}\t|\t{2 + i % 2}\t|\tspecies\t|" for i in range(n)]
        os.makedirs(path + ".tree", exist_ok=True)
        with open(path + ".tree/nodes.dmp", "w") as out:
            out.write("\n".join(nodes) + "\n")
        with open(path + ".tree/names.dmp", "w") as out:
            for node in nodes:
                number = node.split("\t")[0]
                out.write(f"{number}\t|\tname {number}\t|\t\t|\tscientific name\t|\n")
        with open(path + ".names", "w") as out:
            for i in range(n):
                out.write(f"s{i}\t{i + 4}\n")

    return make


def laplacian(n):
    """A sparse matrix of n * n points, as mumps' example programs read it, and a right-hand side."""

    def make(path, rng):
        entries = []
        for i in range(n):
            for j in range(n):
                row = i * n + j + 1
                entries.append((row, row, 4.0))
                for other, there in ((row - 1, j > 0), (row + 1, j + 1 < n), (row - n, i > 0), (row + n, i + 1 < n)):
                    if there:
                        entries.append((row, other, -1.0))
        with open(path, "w") as out:
            out.write(f"{n * n} : N\n{len(entries)} : NNZ\n")
            for e in entries:
                out.write("%d %d %.1f\n" % e)
            for _ in range(n * n):
                out.write("%.3f\n" % rng.random())

    return make


def picture(width, height):
    """In the format of pfstools: X, Y and Z of each pixel, of smooth shades and some noise."""

    def make(path, rng):
        with open(path, "wb") as out:
            out.write(b"PFS1\n%d %d\n3\n0\nX\n0\nY\n0\nZ\n0\nENDH" % (width, height))
            for _ in range(3):
                for y in range(height):
                    for x in range(width):
                        out.write(struct.pack("<f", math.exp(5 * x / width + 3 * math.sin(y / 9.0)) * (1 + 0.1 * rng.random())))

    return make


def ocean(x, y, levels):
    """Temperature, salinity, velocity, widths of cells and masks on a grid, in the classic format of netCDF."""
    dimensions = [("x", x), ("y", y), ("deptht", levels), ("time_counter", 1)]
    variables = [
        ("nav_lon", [1, 0], lambda rng: 0.0),
        ("nav_lat", [1, 0], lambda rng: 0.0),
        ("deptht", [2], lambda rng: 10.0),
        ("time_counter", [3], lambda rng: 0.0),
        ("votemper", [3, 2, 1, 0], lambda rng: 5 + 20 * rng.random()),
        ("vosaline", [3, 2, 1, 0], lambda rng: 33 + 4 * rng.random()),
        ("vomecrty", [3, 2, 1, 0], lambda rng: rng.random() - 0.5),
        ("e1v", [3, 1, 0], lambda rng: 1000.0),
        ("gphiv", [3, 1, 0], lambda rng: 180 * rng.random() - 90),
        ("e3v_ps", [3, 2, 1, 0], lambda rng: 10 + rng.random()),
        ("gdepw", [3, 2, 1, 0], lambda rng: 10.0),
        ("vmask", [3, 2, 1, 0], lambda rng: 1.0),
        *((f"tmask{basin}", [3, 1, 0], lambda rng: float(rng.random() < 0.3)) for basin in ("atl", "ind", "pac")),
    ]

    def name_of(text):
        return struct.pack(">i", len(text)) + text.encode() + b"\0" * (-len(text) % 4)

    def make(path, rng):
        head = b"CDF\x01" + struct.pack(">iii", 0, 10, len(dimensions))
        head += b"".join(name_of(name) + struct.pack(">i", n) for name, n in dimensions)
        head += struct.pack(">iiii", 0, 0, 11, len(variables))
        sizes = [4 * math.prod(dimensions[d][1] for d in dims) for _, dims, _ in variables]
        at = len(head) + sum(len(name_of(name)) + 4 * (len(dims) + 6) for name, dims, _ in variables)
        for (name, dims, _), size in zip(variables, sizes):
            head += name_of(name) + struct.pack(f">i{len(dims)}iiiiii", len(dims), *dims, 0, 0, 5, size, at)
            at += size
        with open(path, "wb") as out:
            out.write(head)
            for (_, _, value), size in zip(variables, sizes):
                out.write(struct.pack(f">{size // 4}f", *(value(rng) for _ in range(size // 4))))

    return make


# ---- the applications ---------------------------------------------------------------------------------------------------
#
# build: in a copy of the package's folder, with $CC, $CXX and $FC, to ./program; also: packages whose folders it needs,
# as $NAME. command, environment: {in} the input, {out} a folder of the program's own. out: files there that are compared besides the
# standard output; silent: that is not compared, as it tells times; varies: the plain program's own differs from run to
# run, so that runs of one thread are compared. Where some regions are described, the exact order is that of a program in
# which they are recorded access by access.


def compile_all(compiler, sources, flags="", libs=""):
    return (
        f"objects=; for f in {sources}; do {compiler} -O2 -fopenmp {flags} -c $f -o ${{f%.*}}.o; objects=\"$objects ${{f%.*}}.o\"; done\n"
        f"{compiler} -fopenmp $objects -o program {libs}\n"
    )


MUMPS = r"""
cat >Makefile.inc <<END
LPORDDIR = \$(topdir)/PORD/lib/
IPORD = -I\$(topdir)/PORD/include/
LPORD = -L\$(LPORDDIR) -lpord
ORDERINGSF = -Dpord
ORDERINGSC = -Dpord
LORDERINGS = \$(LPORD)
IORDERINGSC = \$(IPORD)
LIBEXT = .a
LIBEXT_SHARED = .so
OUTC = -o \$(NOTHING)
OUTF = -o \$(NOTHING)
RM = /bin/rm -f
CC = $CC
FC = $FC
FL = $FC
AR = ar vr \$(NOTHING)
RANLIB = ranlib
INCS = -I\$(topdir)/libseq
LIBS = \$(LIBSEQ)
INCSEQ = -I\$(topdir)/libseq
LIBSEQ = \$(topdir)/libseq/libmpiseq.a
LIBBLAS = \$(topdir)/libblas.a
CDEFS = -DAdd_
OPTF = -O2 -fopenmp -fallow-argument-mismatch -w
OPTC = -O2 -fopenmp -w
OPTL = -fopenmp
INCS = \$(INCSEQ)
LIBS = \$(LIBSEQ)
LIBSEQNEEDED = libseqneeded
END
mkdir -p lib blas
for f in $lapack/BLAS/SRC/d*.f* $lapack/BLAS/SRC/id*.f $lapack/BLAS/SRC/lsame.f $lapack/BLAS/SRC/xerbla.f; do
    name=$(basename $f)
    $FC -O2 -fopenmp -w -c $f -o blas/${name%.*}.o
done
for name in $(cat <<END
dgeqp3 dgeqrf dgetrf dgetrf2 dgetrs dlaqp2 dlaqps dlarf dlarfb dlarfg dlarft dlaswp dorgqr dorg2r dormqr dorm2r dpotrf dpotrf2
dtrtrs dgeqr2 dlapy2 disnan dlaisnan iladlc iladlr ilaenv ieeeck iparmq
END
); do
    $FC -O2 -fopenmp -w -c $lapack/SRC/$name.f -o blas/$name.o
done
$FC -O0 -w -c $lapack/INSTALL/dlamch.f -o blas/dlamch.o
ar cr libblas.a blas/*.o
make -s -C libseq CC="$CC" FC="$FC"
make -s -C PORD/lib CC="$CC" CFLAGS="-O2 -w" OUTC="-o " AR="ar vr " RANLIB=ranlib LIBEXT=.a LIBEXT_SHARED=.so libpord.a
cp PORD/lib/libpord.a lib
make -s -C src ../include/mumps_int_def.h
make -s -j2 -C src ARITH=d ../lib/libmumps_common.a ../lib/libdmumps.a
$FC -O2 -fopenmp -w -Ilibseq -Iinclude -Isrc -c examples/dsimpletest.F -o dsimpletest.o
$FC -fopenmp dsimpletest.o lib/libdmumps.a lib/libmumps_common.a lib/libpord.a libseq/libmpiseq.a libblas.a -o program -lpthread
"""

CDF_FLAGS = "-w -cpp -ffree-line-length-none $(nf-config --fflags)"


def cdftools(program, modules="eos.f90"):
    return "cd src\n" + compile_all(
        "$FC", f"modcdfnames.F90 cdfio.F90 modutils.f90 {modules} {program}.f90", CDF_FLAGS, "$(nf-config --flibs)"
    ) + "mv program ..\n"


APPLICATIONS = [
    {
        "name": "fasttree",
        "language": "C",
        "package": "fasttree",
        "build": compile_all("$CC", "fasttree.c", "-w -DOPENMP -DUSE_DOUBLE", "-lm"),
        "input": dna(24, 300, 0.05),
        "command": ["-nt", "-quiet", "-nosupport", "{in}"],
    },
    {
        "name": "velveth",
        "language": "C",
        "package": "velvet",
        "build": "mkdir third-party && ln -s /usr/include third-party/zlib-1.2.3 && rm src/run2.c\n"
        + compile_all(
            "$CC",
            "src/*.c",
            "-w -fgnu89-inline -DMAXKMERLENGTH=31 -DCATEGORIES=2 -D_FILE_OFFSET_BITS=64 -DOPENMP",
            "-lz -lm",
        ),
        "input": reads(20000, 6000, 80),
        "command": ["{out}/graph", "21", "-fasta", "-short", "{in}"],
        "out": ["graph/Roadmaps"],
        "silent": True,
        "varies": True,
    },
    {
        "name": "cd-hit-est",
        "language": "C++",
        "package": "cd-hit",
        "build": compile_all("$CXX", "cdhit-common.c++ cdhit-utility.c++ cdhit-est.c++", "-w"),
        "input": dna(300, 300, 0.03),
        "command": ["-i", "{in}", "-o", "{out}/clusters", "-T", str(TEAM), "-c", "0.9", "-d", "0"],
        "out": ["clusters.clstr"],
        "silent": True,
    },
    {
        "name": "kraken2 estimate_capacity",
        "language": "C++",
        "package": "kraken2",
        "build": compile_all(
            "$CXX",
            "src/estimate_capacity.cc src/seqreader.cc src/mmscanner.cc src/omp_hack.cc src/utilities.cc",
            "-w -std=c++11 -DLINEAR_PROBING",
        ),
        "input": reads(400000, 300, 2000),
        "command": ["-k", "35", "-l", "31", "-n", "4", "-p", str(TEAM)],
        "stdin": True,
    },
    {
        "name": "kraken2 build_db",
        "language": "C++",
        "package": "kraken2",
        "build": compile_all(
            "$CXX",
            "src/build_db.cc src/mmap_file.cc src/compact_hash.cc src/taxonomy.cc src/seqreader.cc src/mmscanner.cc "
            "src/omp_hack.cc src/utilities.cc",
            "-w -std=c++11 -DLINEAR_PROBING",
        ),
        "input": reads_of_species(60000, 100, 1000),
        "command": ["-k", "35", "-l", "31", "-c", "80000", "-p", str(TEAM), "-b", "2000", "-B", "20000"]
        + ["-H", "{out}/hash", "-o", "{out}/options", "-t", "{out}/taxonomy", "-m", "{in}.names", "-n", "{in}.tree"],
        "stdin": True,
        "out": ["hash", "taxonomy"],
    },
    {
        "name": "pfstools pfstmo_mantiuk06",
        "language": "C++",
        "package": "pfstools",
        "build": "printf '#define likely(x) (x)\\n#define unlikely(x) (x)\\n#define VERBOSE_STR std::clog\\n' >config.h\n"
        + compile_all(
            "$CXX",
            "src/tmo/mantiuk06/contrast_domain.cpp src/tmo/mantiuk06/pfstmo_mantiuk06.cpp "
            "src/pfs/pfs.cpp src/pfs/colorspace.cpp src/pfs/pfsutils.cpp",
            "-w -I. -Isrc/pfs -Isrc/tmo/pfstmo -DPACKAGE_STRING='\"pfstools\"'",
            "-lm",
        ),
        "input": picture(96, 64),
        "command": ["-q"],
        "stdin": True,
    },
    {
        "name": "mumps dsimpletest",
        "language": "Fortran",
        "package": "mumps",
        "also": ["lapack"],
        "build": MUMPS,
        "input": laplacian(40),
        "command": [],
        "stdin": True,
    },
    {
        "name": "cdftools cdfspice",
        "language": "Fortran",
        "package": "cdftools",
        "build": cdftools("cdfspice"),
        "input": ocean(360, 280, 6),
        "command": ["-t", "{in}", "-o", "{out}/spice.nc"],
        "out": ["spice.nc"],
    },
    {
        "name": "cdftools cdfsig0",
        "language": "Fortran",
        "package": "cdftools",
        "build": cdftools("cdfsig0"),
        "input": ocean(180, 140, 8),
        "command": ["-t", "{in}", "-o", "{out}/sigma.nc"],
        "out": ["sigma.nc"],
    },
    {
        "name": "cdftools cdfmocsig",
        "language": "Fortran",
        "package": "cdftools",
        "build": cdftools("cdfmocsig"),
        "input": ocean(90, 60, 4),
        "environment": {f"CDFT_{name}": "{in}" for name in ("MESH_HGR", "MESH_ZGR", "MASK", "BASINS")},
        "command": ["-v", "{in}", "-t", "{in}", "-ntr", "-o", "{out}/moc.nc"],
        "out": ["moc.nc"],
    },
    {
        "name": "cdftools cdfmoc",
        "language": "Fortran",
        "package": "cdftools",
        "build": cdftools("cdfmoc", "eos.f90 cdftools.f90"),
        "input": ocean(360, 280, 6),
        "environment": {f"CDFT_{name}": "{in}" for name in ("MESH_HGR", "MESH_ZGR", "MASK", "BASINS")},
        "command": ["-v", "{in}", "-o", "{out}/moc.nc"],
        "out": ["moc.nc"],
    },
]


# ---- running ------------------------------------------------------------------------------------------------------------


class Failed(Exception):
    pass


def call(command, log, **kwargs):
    with open(log, "w") as out:
        if subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, **kwargs).returncode:
            raise Failed(f"{command[0]} failed: {log}")


def folder_of(folder, package):
    at = os.path.join(folder, "src", package)
    inside = [d for d in sorted(os.listdir(at)) if os.path.isdir(os.path.join(at, d))] if os.path.isdir(at) else []
    if not inside:
        raise Failed(f"no {package} in {folder}/src")
    return os.path.join(at, inside[0])


def compilers(build, mode):
    plain = {"CC": "gcc", "CXX": "g++", "FC": "gfortran"}
    if mode == "plain":
        return plain
    how = f"--plugin={build}/pluss.so --mode=auto -fplugin-arg-pluss-notes=off"
    if mode == "ordered":
        how += " -fplugin-arg-pluss-accesses=on"
    return {name: f"{build}/pluss cc --gcc={gcc} {how}" for name, gcc in plain.items()}


def version_of(app, mode, options):
    """Of what makes a program: its commands and compiler, and, but for the plain one, the plugin and its library."""
    made = hashlib.sha256(app["build"].encode())
    made.update(subprocess.run(["gcc", "--version"], stdout=subprocess.PIPE, check=True).stdout)
    for name in ["pluss.so", "libpluss-rt.a", "libpluss-rt.so", "pluss"] if mode != "plain" else []:
        with open(os.path.join(options.build, name), "rb") as part:
            made.update(part.read())
    return made.hexdigest()[:12]


def build_program(app, mode, options):
    at = os.path.join(options.folder, "build", app["name"].replace(" ", "-"), f"{mode}-{version_of(app, mode, options)}")
    program = os.path.join(at, "program")
    if os.path.exists(program):
        return program
    source = folder_of(options.folder, app["package"])
    os.makedirs(os.path.dirname(at), exist_ok=True)
    subprocess.run(["rm", "-rf", at], check=True)
    subprocess.run(["cp", "-r", source, at], check=True)
    environment = dict(os.environ, **compilers(options.build, mode))
    for package in app.get("also", []):
        environment[package] = folder_of(options.folder, package)
    call(["bash", "-ec", app["build"]], at + ".log", cwd=at, env=environment)
    return program


class Run:
    """A run's output, processor seconds and largest resident set in bytes."""

    def __init__(self, app, program, folder, environment=(), before=()):
        at = os.path.join(folder, "runs")
        subprocess.run(["rm", "-rf", at], check=True)
        os.makedirs(at)
        path = os.path.join(folder, "input")

        def put_names(text):
            return text.replace("{in}", path).replace("{out}", at)

        arguments = [put_names(a) for a in app["command"]]
        own = {name: put_names(value) for name, value in app.get("environment", {}).items()}
        team = {"OMP_NUM_THREADS": str(TEAM), "OMP_WAIT_POLICY": "passive"}
        environment = {**os.environ, **team, **own, **dict(environment)}
        with open(path if app.get("stdin") else os.devnull) as given, open(os.path.join(at, "stdout"), "wb") as out:
            process = subprocess.Popen(
                [*(before or ["program"]), *([program] if before else []), *arguments],
                executable=None if before else program,  # output may have the name
                stdin=given,
                stdout=out,
                stderr=subprocess.PIPE,
                env=environment,
                cwd=at,
            )
            self.errors = process.stderr.read().decode(errors="replace")
            _, status, used = os.wait4(process.pid, 0)
        process.returncode = status
        if status:
            raise Failed(f"{program} ends with status {status}: {self.errors[-300:]}")
        self.seconds = used.ru_utime + used.ru_stime
        self.bytes = used.ru_maxrss * 1024
        files = app.get("out", []) + ([] if app.get("silent") else ["stdout"])
        self.output = []
        for name in files:
            with open(os.path.join(at, name), "rb") as result:
                self.output.append(result.read())


def count_by_callgrind(app, program, folder):
    out = os.path.join(folder, "callgrind.out")
    run = Run(app, program, folder, (), ["valgrind", "--tool=callgrind", "--cache-sim=yes", f"--callgrind-out-file={out}"])
    with open(out) as text:
        found = re.search(r"^(?:summary|totals): (.*)", text.read(), re.M)
    if not found:
        raise Failed(f"no totals in {out}: {run.errors[-200:]}")
    counts = [int(n) for n in found.group(1).split()]
    return counts[1] + counts[2]  # Ir Dr Dw ...


def pluss(options, folder, record, name, *arguments):
    path = os.path.join(folder, name + ".json")
    call(
        [f"{options.build}/pluss", "run", "--record", record, "--cache", "none", "--json", "-o", path, *arguments],
        os.path.join(folder, name + ".log"),
    )
    with open(path) as text:
        return json.load(text)


def whole_curve(result):
    """That of all runs; of one region alone, its own."""
    curves = [c for c in result["curves"] if c["threads"] == TEAM or len(result["curves"]) == 1]
    whole = [c for c in curves if c["region"] == "all runs" or "+" in c["region"]]
    return whole[-1] if whole else curves[-1] if len(result["curves"]) == 1 else None


def ratio_at(curve, size):
    return curve["miss_ratio"][bisect.bisect(curve["size_lines"], size) - 1]


def compare(curve, exact):
    sizes = range(64, max(exact["footprint_lines"], 65) + 1, max(1, exact["footprint_lines"] // 20000))
    apart = [abs(ratio_at(curve, size) - ratio_at(exact, size)) for size in sizes]
    return 100 * sum(apart) / len(apart), 100 * max(apart)


def count_not_described(record):
    with open(record) as text:
        return sum(int(line.split()[1]) for line in text if re.match(r"(outside|serial) \d", line))


def measure(app, options):
    folder = os.path.join(options.folder, "build", app["name"].replace(" ", "-"))
    os.makedirs(folder, exist_ok=True)
    app["input"](os.path.join(folder, "input"), random.Random(1))
    plain, auto = (build_program(app, mode, options) for mode in ("plain", "auto"))
    record, exact = (os.path.join(folder, name + ".record") for name in ("auto", "exact"))
    times = []
    for _ in range(options.times):
        one = Run(app, plain, folder)
        other = Run(app, auto, folder, {"PLUSS_RECORD": record})
        times.append((one, other))
    plain_run = min((t[0] for t in times), key=lambda run: run.seconds)
    auto_run = min((t[1] for t in times), key=lambda run: run.seconds)
    if app.get("varies"):
        alone = {"OMP_NUM_THREADS": "1"}
        plain_run.output = Run(app, plain, folder, alone).output
        auto_run.output = Run(app, auto, folder, {"PLUSS_RECORD": record + ".alone", **alone}).output
    result = pluss(options, folder, record, "auto")
    coverage = result["coverage"]
    accesses = coverage["covered"] + coverage["outside"] + coverage["serial"]
    recorded = sum(c["accesses"] * c["runs"] for c in result["curves"] if c.get("recorded") == "accesses")
    row = {
        "application": app["name"],
        "language": app["language"],
        "output": "same" if plain_run.output == auto_run.output else "OTHER",
        "accesses": accesses,
        "recorded": (recorded + coverage["outside"] + coverage["serial"]) / accesses,
        "described": 1 - count_not_described(record) / accesses,
        "time": auto_run.seconds / max(plain_run.seconds, 0.001),
        "seconds": plain_run.seconds,
        "memory": auto_run.bytes / plain_run.bytes,
    }
    curve = whole_curve(result)
    row["coverage"] = curve["coverage"] if curve else 0
    if curve and not options.quick:
        described = any(c.get("recorded") == "values" for c in result["curves"])
        ordered = build_program(app, "ordered" if described else "auto", options)
        for _ in range(RUNS_FOR_ORDER):
            Run(app, ordered, folder, {"PLUSS_RECORD": exact, "PLUSS_RECORD_ACCESSES": str(10**15), "PLUSS_INTERLEAVE": "tsc"})
            order = pluss(options, folder, exact, "exact", "--simulate", "--progress", "recorded", "--together")
            row["ordered"] = order["curves"][-1]["accesses"] / accesses
            if abs(row["ordered"] - 1) < 0.05:
                break
        row["mean"], row["largest"] = compare(curve, order["curves"][-1])
        os.remove(exact + ".trace")
    if not options.quick:
        row["callgrind"] = count_by_callgrind(app, plain, folder)
    return row


COLUMNS = [
    ("application", "application", str),
    ("language", "language", str),
    ("output", "output", str),
    ("accesses", "accesses, M", lambda n: f"{n / 1e6:.1f}"),
    ("callgrind", "callgrind, M", lambda n: f"{n / 1e6:.1f}"),
    ("coverage", "coverage, %", lambda share: f"{100 * share:.1f}"),
    ("recorded", "recorded, %", lambda share: f"{100 * share:.1f}"),
    ("described", "described, %", lambda share: f"{100 * share:.1f}"),
    ("ordered", "ordered, %", lambda share: f"{100 * share:.1f}"),
    ("mean", "error, mean", lambda points: f"{points:.2f}"),
    ("largest", "error, largest", lambda points: f"{points:.1f}"),
    ("seconds", "plain, s", lambda n: f"{n:.2f}"),
    ("time", "time", lambda n: f"{n:.1f}"),
    ("memory", "memory", lambda n: f"{n:.1f}"),
]


def table(rows):
    lines = ["| " + " | ".join(title for _, title, _ in COLUMNS) + " |", "|" + " --- |" * len(COLUMNS)]
    for row in rows:
        cells = [show(row[key]) if key in row else "" for key, _, show in COLUMNS]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", help="where pluss and its plugin are")
    parser.add_argument("--folder", default="/var/tmp/foreign", help="with the packages in src/")
    parser.add_argument("--only", help="applications, separated by commas")
    parser.add_argument("--times", type=int, default=2, help="runs for times; the shortest counts")
    parser.add_argument("--quick", action="store_true", help="without the exact order and callgrind")
    parser.add_argument("--report", help="where the table goes, besides standard output")
    options = parser.parse_args()
    options.build, options.folder = os.path.abspath(options.build), os.path.abspath(options.folder)
    rows, failed = [], 0
    for app in APPLICATIONS:
        if options.only and app["name"] not in options.only.split(","):
            continue
        try:
            rows.append(measure(app, options))
            print(table(rows[-1:]).splitlines()[-1], flush=True)
        except Failed as why:
            print(f"{app['name']}: {why}", file=sys.stderr)
            failed += 1
    if options.report:
        compiler = subprocess.run(["gcc", "--version"], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()[0]
        with open(options.report, "w") as out:
            out.write(f"# Whole applications in mode=auto\n\nWritten by `tests/foreign/applications.py` on {datetime.date.today()}; {compiler}; ")
            out.write(f"{TEAM} threads. The columns are explained in the script.")
            out.write(f"\n\n{table(rows)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
