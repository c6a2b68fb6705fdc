# SPDX-License-Identifier: GPL-3.0-or-later
# Part of run.sh: link-time optimisation, libraries, partial links, strip, sections that are dropped.

one=("one one.c:8" "forgotten one.c:17" "shared shared.h:5")
main=("main caller.c:18" "inlined caller.c:11" "shared shared.h:5")
both=("${one[@]}" "main caller.c:18" "inlined caller.c:11")

# The whole way of a C program under some options: objects, partial link, archive, executable.
c_program() { # title, flags for compiling, flags for linking
    local title=$1 flags="$2 -fopenmp" link="$3 -fopenmp -Wl,--build-id=none" side
    fresh
    for side in with without; do
        mkdir stage # debugging information has the folder's name
        # shellcheck disable=SC2086
        for unit in one caller; do
            gcc $([ $side = with ] && echo "-fplugin=$plugin") $flags -c $unit.c -o stage/$unit.o || return
        done
        # shellcheck disable=SC2086
        (cd stage && gcc $flags $link one.o caller.o -o program) || return
        mv stage $side
    done 2>"$work/detail"
    expect_names "$title: one object" with/one.o "${one[@]}"
    expect_names "$title: the other object" with/caller.o "${main[@]}"
    expect_names "$title: the executable" with/program "${both[@]}"
    same_code "$title: the executable is the same without the plugin" with/program without/program
    [ "$(with/program)" = "$(without/program)" ]
    verdict "$title: it runs" $? /dev/null
    gcc-ar rcs with/lib.a with/one.o with/caller.o
    expect_names "$title: the archive" with/lib.a "${both[@]}"
    # shellcheck disable=SC2086
    (cd with && gcc $flags -Wl,--build-id=none caller.o lib.a -o from_archive)
    expect_names "$title: a program out of the archive" with/from_archive "${both[@]}"
}
c_program "plain" "-O2" ""
c_program "-O0 -g" "-O0 -g" ""
c_program "--gc-sections" "-O2 -ffunction-sections -fdata-sections" "-Wl,--gc-sections"
expect_unlinked "--gc-sections: what was dropped is marked" with/program forgotten
expect_unlinked "--gc-sections: in an archive, everything is there" with/lib.a
c_program "-flto" "-O2 -flto" ""
expect_unlinked "-flto: the object has no code: nothing is known" with/one.o
c_program "-flto -ffat-lto-objects" "-O2 -flto -ffat-lto-objects" ""
expect_unlinked "-ffat-lto-objects: the object has its functions" with/one.o
(cd with && gcc -fno-lto -fopenmp one.o caller.o -o no_lto) 2>"$work/detail"
expect_names "-ffat-lto-objects: linked without LTO" with/no_lto "${both[@]}"
c_program "-flto -fwhole-program, linked with -O3" "-O2 -g -flto" "-O3 -fwhole-program"
c_program "-flto, one partition" "-O2 -flto" "-flto-partition=one"
c_program "-flto, a partition each" "-O2 -flto -fno-toplevel-reorder" "-flto-partition=max"
expect_unlinked "-flto: inlined into main, but the parallel function is left" with/program

# Strip, in place and not; the sections stay, what is known of symbols does not.
c_program "-g --gc-sections" "-O2 -g -ffunction-sections" "-Wl,--gc-sections"
for how in "--strip-debug" "-g" "--strip-unneeded" "-s" "--discard-all"; do
    strip $how -o with/stripped with/program
    expect_names "strip $how: the executable" with/stripped "${both[@]}"
    case $how in
    --strip-debug | -g) expect_unlinked "strip $how: symbols are left" with/stripped forgotten ;;
    *) expect_unlinked "strip $how: nothing is said of symbols that were stripped" with/stripped ;;
    esac
done
strip -g -o with/one.s.o with/one.o && strip -g -o with/caller.s.o with/caller.o
gcc -fopenmp with/one.s.o with/caller.s.o -Wl,--build-id -s -o with/late
expect_names "stripped objects, linked with -s and --build-id" with/late "${both[@]}"
objcopy --only-keep-debug with/program with/program.debug
pluss nests with/program.debug >"$work/detail" 2>&1
{ [ $? -ne 139 ] && [ -s "$work/detail" ]; }
verdict "a file of debugging information alone gets an answer" $? "$work/detail"

# Partial links do not merge: the reader does.
fresh
gcc -fplugin="$plugin" -O2 -fopenmp -c one.c && gcc -fplugin="$plugin" -O2 -fopenmp -c caller.c
ld -r one.o caller.o -o both.o
expect_names "ld -r" both.o "${both[@]}"
[ "$(section both.o .pluss.nests | tr -dc '\0' | wc -c)" -ge 5 ]
verdict "ld -r: each nest is in the section" $? /dev/null
expect_unlinked "ld -r: every symbol is there" both.o
gcc -fopenmp both.o -o program
expect_names "ld -r, then linked" program "${both[@]}"
[ "$(section program .pluss.nests | tr -dc '\0' | wc -c)" = 5 ]
verdict "the linker merges equal nests" $? /dev/null
if ld.gold --version >/dev/null 2>&1; then
    gcc -fuse-ld=gold -fopenmp one.o caller.o -o golden
    expect_names "linked by gold" golden "${both[@]}"
    gcc -fuse-ld=gold -fopenmp one.o caller.o -Wl,--gc-sections,--icf=all -o golden
    expect_names "linked by gold with --icf" golden "${both[@]}"
else
    skip "linked by gold" "not installed"
fi

gcc -fopenmp -static -Wl,-O2 one.o caller.o -o static 2>/dev/null
expect_names "-static, the linker optimising" static "${both[@]}"
ar rcs lib.a one.o caller.o && strip -g lib.a
expect_names "an archive that was stripped" lib.a "${both[@]}"

# Partial links under LTO: bytecode carries its nests inside until it becomes code.
gcc -fplugin="$plugin" -O2 -flto -fopenmp -c one.c -o one.lto.o && gcc -fplugin="$plugin" -O2 -flto -fopenmp -c caller.c -o caller.lto.o
gcc -r -flto -O2 one.lto.o caller.lto.o -o bytecode.o && gcc -flto -O2 -fopenmp bytecode.o -o program
expect_names "gcc -r -flto, then linked" program "${both[@]}"
gcc -r -flto -O2 -flinker-output=nolto-rel one.lto.o caller.lto.o -o code.o
expect_names "gcc -r -flto -flinker-output=nolto-rel" code.o "${both[@]}"

# Shared libraries.
for flags in "" "-flto" "-g -ffunction-sections -Wl,--gc-sections"; do
    # shellcheck disable=SC2086
    gcc -fplugin="$plugin" $flags -O2 -fPIC -shared -fopenmp one.c -o libone.so
    expect_names "a shared library $flags" libone.so "${one[@]}"
    expect_unlinked "a shared library $flags: all it has is exported" libone.so
    strip libone.so
    expect_names "a shared library $flags, stripped" libone.so "${one[@]}"
done
gcc -fplugin="$plugin" -O2 -fopenmp caller.c -L. -lone -Wl,-rpath,. -o against
expect_names "a program against it has its own alone" against "${main[@]}"

# C++: templates, member functions and inline functions in two units.
template_names=("axpy<double> axpy.h:4" "axpy<float> axpy.h:4" "Field::clear axpy.h:14"
    "fill axpy.h:22" "c_name left.cc:16" "renamed left.cc:24")
for flags in "-O0" "-O2" "-O2 -flto" "-O2 -flto -ffat-lto-objects"; do
    fresh
    # shellcheck disable=SC2086
    for side in with without; do
        load=$([ $side = with ] && echo "-fplugin=$plugin")
        g++ $load $flags -fopenmp -c left.cc && g++ $load $flags -fopenmp -c right.cc &&
            g++ $flags -fopenmp -Wl,--build-id=none left.o right.o -o program && ./program &&
            mkdir $side && mv left.o right.o program $side
    done
    expect_names "C++ $flags: instances in two units" with/program "${template_names[@]}"
    case $flags in
    *-flto*) expect_unlinked "C++ $flags: what nobody calls is marked" with/program c_name renamed ;;
    *) expect_unlinked "C++ $flags: every function's symbol" with/program ;;
    esac
    same_code "C++ $flags: the same program without the plugin" with/program without/program
    gcc-ar rcs with/lib.a with/left.o with/right.o
    expect_names "C++ $flags: the archive" with/lib.a "${template_names[@]}"
done
pluss nests with/program --json | grep -A1 '"symbol"' | grep -q another_name
verdict "the symbol of a function renamed by asm()" $? /dev/null
for flags in "-O0" "-O2" "-O2 -flto"; do
    # shellcheck disable=SC2086
    g++ -fplugin="$plugin" $flags -fopenmp bodies.cc -o program && ./program
    verdict "C++ $flags: bodies: it runs" $? /dev/null
    expect_names "C++ $flags: a constructor of two bodies is one nest" program "Zeros::Zeros bodies.cc:12" \
        "Zeros::~Zeros bodies.cc:18" "{anonymous}::hidden bodies.cc:27" "main()::<lambda(int)>::operator() bodies.cc:45"
    expect_unlinked "C++ $flags: and has its symbols" program
done
fortran=$(command -v gfortran || command -v gfortran-12)
if [ -n "$fortran" ]; then
    $fortran -fplugin="$plugin" -O2 -fopenmp -c solo.f90
    expect_names "Fortran" solo.o "solo solo.f90:2"
    pluss nests solo.o --json | grep '"symbol":"solo_"' >"$work/detail"
    verdict "Fortran: its symbol" $? "$work/detail"
    expect_unlinked "Fortran: its symbol is there" solo.o
else
    skip "Fortran" "no gfortran"
fi

# Parallel make, the objects again and again.
fresh
mkdir many
for i in $(seq 12); do sed "s/\bone\b/one$i/; s/forgotten/forgotten$i/" one.c >many/u$i.c; done
cp shared.h many
cat >many/Makefile <<'M'
units := $(patsubst %.c,%.o,$(wildcard u*.c))
all: liball.a
liball.a: $(units)
	gcc-ar rcs $@ $^
%.o: %.c
	gcc $(FLAGS) -fopenmp -O2 -c $< -o $@
M
{ make -s -j8 -C many FLAGS="-fplugin=$plugin" && pluss nests many/liball.a --json >first &&
    rm many/*.o many/*.a && make -s -j1 -C many FLAGS="-fplugin=$plugin" && pluss nests many/liball.a --json >second &&
    cmp first second && [ "$(names many/liball.a | wc -l)" = 25 ]; } >"$work/detail" 2>&1
verdict "make -j8 gives what make -j1 does" $? "$work/detail"
