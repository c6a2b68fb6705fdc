# SPDX-License-Identifier: GPL-3.0-or-later
# Part of run.sh: recorded paths follow -f*-prefix-map as __FILE__ does; builds repeat.

fresh
mkdir here there
cp one.c shared.h here && cp one.c shared.h there

# In each of the two folders: the unit by its absolute path, under flags in which @ is the folder.
in_both() { # flags
    local folder
    for folder in here there; do
        # shellcheck disable=SC2086
        gcc -fplugin="$plugin" -O2 -fopenmp ${1//@/$PWD/$folder} -c "$PWD/$folder/one.c" -o $folder/one.o || return
    done
}
mapped() { # title, flags, wanted prefix of one.c
    in_both "$2" 2>"$work/detail"
    expect_names "$1: the paths" here/one.o "one $3one.c:8" "forgotten $3one.c:17" "shared $3shared.h:5"
    expect_names "$1: the paths in the other folder" there/one.o "one $3one.c:8" "forgotten $3one.c:17" "shared $3shared.h:5"
    for part in .pluss.nests .pluss.symbols; do
        cmp <(section here/one.o $part) <(section there/one.o $part) >"$work/detail" 2>&1 && [ -n "$(section here/one.o $part | tr -d '\0')" ]
        verdict "$1: $part is the same from both folders" $? "$work/detail"
    done
}
mapped "-ffile-prefix-map" "-ffile-prefix-map=@=/src" /src/
mapped "-fmacro-prefix-map" "-fmacro-prefix-map=@=/src" /src/
mapped "-fdebug-prefix-map" "-fdebug-prefix-map=@=/src" /src/
mapped "two maps, the last that fits counts" "-ffile-prefix-map=@=/src -ffile-prefix-map=@/=/" /
mapped "macros in preference to debugging" "-fdebug-prefix-map=@=/debug -fmacro-prefix-map=@=/macro" /macro/
mapped "to nothing" "-ffile-prefix-map=@/=" ""
in_both "-fmacro-prefix-map=@=/src"
strings here/one.o | grep -qx /src/one.c
verdict "__FILE__ agrees" $? /dev/null

# No map: as the compiler was given it.
gcc -fplugin="$plugin" -fopenmp -c here/one.c -o one.o
expect_names "without a map, as it was given" one.o "one here/one.c:8" "forgotten here/one.c:17" "shared here/shared.h:5"

# Whole object files, debugging information and all, from two folders.
for flags in "-g" "-g3 -O3"; do
    in_both "$flags -ffile-prefix-map=@=/src"
    cmp here/one.o there/one.o >"$work/detail" 2>&1
    verdict "whole objects are the same from both folders: $flags" $? "$work/detail"
    for folder in here there; do
        # shellcheck disable=SC2086
        (cd $folder && gcc -fplugin="$plugin" -fopenmp $flags -ffile-prefix-map="$PWD=/src" -c one.c -o relative.o)
    done
    cmp here/relative.o there/relative.o >"$work/detail" 2>&1
    verdict "and compiled in them: $flags" $? "$work/detail"
done
# Under -flto -g objects differ without the plugin too.
mapped "-flto" "-g -flto -ffat-lto-objects -ffile-prefix-map=@=/src" /src/

# Where the plugin lies is not told.
cp "$plugin" pluss.so
gcc -fplugin=./pluss.so -fplugin-arg-pluss-notes=off -g -O2 -fopenmp -c one.c -o a.o
gcc -fplugin="$plugin" -g -O2 -fopenmp -c one.c -o b.o
cmp a.o b.o >"$work/detail" 2>&1
verdict "a plugin elsewhere, with other options" $? "$work/detail"
gcc -g -O2 -fopenmp -c one.c -o c.o
same_code "debugging information is the same without the plugin" a.o c.o
gcc -g -O2 -fopenmp -frecord-gcc-switches -c one.c -o c.o
gcc -fplugin="$plugin" -g -O2 -fopenmp -frecord-gcc-switches -c one.c -o a.o
same_code "so are recorded switches" a.o c.o

# Odd names.
mkdir 'a "b" \ c'
cp one.c shared.h 'a "b" \ c'
gcc -fplugin="$plugin" -fopenmp -c 'a "b" \ c/one.c' -o odd.o
pluss nests odd.o >"$work/detail" 2>&1 && grep -qF 'a "b" \ c/one.c:8' "$work/detail"
verdict "quotes and backslashes in a path" $? "$work/detail"
cp one.c 'späť.c'
gcc -fplugin="$plugin" -fopenmp -c 'späť.c' -o odd.o
pluss nests odd.o >"$work/detail" 2>&1 && grep -qF 'späť.c:8' "$work/detail"
verdict "letters past ASCII in a path" $? "$work/detail"
printf '# 1 "/generated/from.y"\nvoid f(int n, double *a) {\n#pragma omp parallel for\nfor (int i = 0; i < n; i++) a[i] = 1; }\n' >line.c
gcc -fplugin="$plugin" -fopenmp -ffile-prefix-map=/generated=. -c line.c -o odd.o
expect_names "a #line directive's file" odd.o "f ./from.y:1"
