/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bad texts and exactly what is said about each: where, what was found, what was expected.
 */
#ifndef TESTS_UNIT_NEST_FAULTS_H
#define TESTS_UNIT_NEST_FAULTS_H

#include "nest/nest.h"

#define HEADER "pluss-nest 1\n"
#define STATEMENTS                                                                                 \
    HEADER "symbol n, m\narray f64 A[n][m]\narray i32 x[4] values(1, 2, 3, 4)\narray f64 s\n"      \
           "region r\n"
#define INSIDE(text) STATEMENTS "for i in 0..n {\n  for j in 0..m {\n" text "\n  }\n}\n"

/* With its length, for there are texts with NUL bytes. */
#define TEXT(text) (text), sizeof(text) - 1

static const struct fault {
    const char *text;
    size_t length;
    pluss_status status;
    const char *messages;
} faults[] = {
    {TEXT(""), PLUSS_EPARSE, "1:1: found end of text, expected 'pluss-nest 1' at the beginning\n"},
    {TEXT("   # only a comment\n"), PLUSS_EPARSE,
     "2:1: found end of text, expected 'pluss-nest 1' at the beginning\n"},
    {TEXT("region r\n"), PLUSS_EPARSE,
     "1:1: found 'region', expected 'pluss-nest 1' at the beginning\n"},
    {TEXT("pluss-nest\n"), PLUSS_EPARSE,
     "2:1: found end of text, expected 1, the version of the format that this library reads\n"},
    {TEXT("pluss-nest 2\n"
          "symbol n\n"),
     PLUSS_EPARSE,
     "1:12: found '2', expected 1, the version of the format that this library reads\n"},
    {TEXT("pluss-nest one\n"), PLUSS_EPARSE,
     "1:12: found 'one', expected 1, the version of the format that this library reads\n"},
    {TEXT("pluss-nes 1\n"), PLUSS_EPARSE,
     "1:1: found 'pluss', expected 'pluss-nest 1' at the beginning\n"},
    {TEXT(HEADER "region r\n"
                 "\000\000\000read s"),
     PLUSS_EPARSE,
     "3:1: found a NUL byte, expected text\n"
     "3:9: found 's', expected the name of a declared array\n"},
    {TEXT(HEADER "region r\n"
                 "\001\001\177"),
     PLUSS_EPARSE,
     "3:1: found byte 0x01, expected text\n"
     "3:3: found byte 0x7f, expected text\n"},
    {TEXT(HEADER "region r $threads"), PLUSS_EPARSE,
     "2:10: found '$threads', expected $thread or $team\n"},
    {TEXT(HEADER "region r ~~~ ^ . & |"), PLUSS_EPARSE,
     "2:10: found '~~~', expected a name, a number or punctuation\n"
     "2:14: found '^', expected a name, a number or punctuation\n"
     "2:16: found '.', expected a name, a number or punctuation\n"
     "2:18: found '&', expected a name, a number or punctuation\n"
     "2:20: found '|', expected a name, a number or punctuation\n"},
    {TEXT(HEADER "region `a\n"
                 "barrier"),
     PLUSS_EPARSE, "2:8: found '`a', expected a closing '`' on the same line\n"},
    {TEXT(HEADER "region r \"a.c\n"
                 "barrier"),
     PLUSS_EPARSE, "2:10: found \"a.c, expected a closing '\"' on the same line\n"},
    {TEXT(HEADER "region r \"a\\q.c\\x0\""), PLUSS_EPARSE,
     "2:12: found '\\q', expected one of the escapes \\\" \\\\ \\n \\t \\xHH\n"},
    {TEXT(HEADER "region r \"a\tb\001c\""), PLUSS_EPARSE,
     "2:14: found byte 0x01, expected an escape (\\n, \\t, \\xHH)\n"},
    {TEXT(HEADER "region `a\tb`"), PLUSS_EPARSE,
     "2:10: found byte 0x09, expected a printable name\n"},
    {TEXT(HEADER "region ``"), PLUSS_EPARSE, "2:8: found '``', expected the region's name\n"},
    {TEXT(HEADER "region \303\274"), PLUSS_EPARSE,
     "2:8: found 'ü', expected a name, a number or punctuation\n"
     "2:10: found end of text, expected the region's name\n"},
    {TEXT(HEADER "symbol n = 012, m = 3x, k = 0x, l = 1.5, o = 1e9"), PLUSS_EPARSE,
     "2:12: found '012', expected an integer without leading zeros\n"
     "2:21: found '3x', expected a number\n"
     "2:29: found '0x', expected a number\n"
     "2:37: found '1.5', expected a number\n"},
    {TEXT(HEADER
          "symbol a = 9223372036854775808\n"
          "symbol b = -9223372036854775809, c = 0x8000000000000000, d = 99999999999999999999"),
     PLUSS_EPARSE,
     "2:12: found '9223372036854775808', expected an integer that fits 64 bits signed\n"
     "3:13: found '9223372036854775809', expected an integer that fits 64 bits signed\n"
     "3:38: found '0x8000000000000000', expected an integer that fits 64 bits signed\n"
     "3:62: found '99999999999999999999', expected an integer that fits 64 bits signed\n"},
    {TEXT(HEADER "symbol for, n"), PLUSS_EPARSE, "2:8: found 'for', expected the symbol's name\n"},
    {TEXT(HEADER
          "region "
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
     PLUSS_ELIMIT,
     "2:8: found more than 255 bytes of a name, expected at most PLUSSI_MAX_NAME = 255\n"},
    {TEXT(HEADER "symbol"), PLUSS_EPARSE, "2:7: found end of text, expected the symbol's name\n"},
    {TEXT(HEADER "symbol n >= m"), PLUSS_EPARSE, "2:13: found 'm', expected the least value\n"},
    {TEXT(HEADER "symbol n m"), PLUSS_EPARSE,
     "2:10: found 'm', expected 'symbol', 'array' or 'region'\n"},
    {TEXT(HEADER "symbol n,"), PLUSS_EPARSE,
     "2:10: found end of text, expected the symbol's name\n"},
    {TEXT(HEADER "symbol n = "), PLUSS_EPARSE, "2:12: found end of text, expected a number\n"},
    {TEXT(HEADER "symbol n is p"), PLUSS_EPARSE,
     "2:13: found 'p', expected a string, the source expression\n"},
    {TEXT(HEADER "symbol n = 1 +\n"
                 "symbol m = * 2\n"
                 "array f64 A[m]"),
     PLUSS_EPARSE,
     "3:1: found 'symbol', expected a number\n"
     "3:12: found '*', expected a number\n"},
    {TEXT(HEADER "symbol n\n"
                 "symbol n\n"
                 "region r\n"
                 "symbol n, k, k\n"
                 "array f64 k"),
     PLUSS_EINVALID,
     "3:8: found symbol 'n' again, expected one declaration\n"
     "5:14: found symbol 'k' again, expected one declaration\n"
     "6:11: found array 'k' again, expected one declaration\n"},
    {TEXT(HEADER "symbol n = m, m = n"), PLUSS_EPARSE,
     "2:12: found 'm', expected a symbol or induction variable in scope\n"},
    {TEXT(HEADER "array A[3]"), PLUSS_EPARSE,
     "2:7: found 'A', expected an element type (f64, i32, ... or b<bytes>)\n"},
    {TEXT(HEADER "array f65 A"), PLUSS_EPARSE,
     "2:7: found 'f65', expected an element type (f64, i32, ... or b<bytes>)\n"},
    {TEXT(HEADER "array b0 A, B"), PLUSS_EPARSE,
     "2:7: found 'b0', expected an element type (f64, i32, ... or b<bytes>)\n"},
    {TEXT(HEADER "array b01 A"), PLUSS_EPARSE,
     "2:7: found 'b01', expected an element type (f64, i32, ... or b<bytes>)\n"},
    {TEXT(HEADER "array b A"), PLUSS_EPARSE,
     "2:7: found 'b', expected an element type (f64, i32, ... or b<bytes>)\n"},
    {TEXT(HEADER "array b99999999999999999999 A"), PLUSS_EPARSE,
     "2:7: found 'b99999999999999999999', expected an element type (f64, i32, ... or b<bytes>)\n"},
    {TEXT(HEADER "array f64 3"), PLUSS_EPARSE, "2:11: found '3', expected the array's name\n"},
    {TEXT(HEADER "array f64 A[3"), PLUSS_EPARSE, "2:14: found end of text, expected ']'\n"},
    {TEXT(HEADER "array f64 A[n]"), PLUSS_EPARSE,
     "2:13: found 'n', expected a symbol or induction variable in scope\n"},
    {TEXT(HEADER "array f64 A[-1]"), PLUSS_EINVALID,
     "2:13: found -1 for an array's extent, expected at least 0\n"},
    {TEXT(HEADER "array f64 A[3][]"), PLUSS_EINVALID,
     "2:11: array 'A': found no extent, expected one in all but the slowest dimension\n"},
    {TEXT(HEADER "array f64 A[][3] column"), PLUSS_EINVALID,
     "2:11: array 'A': found no extent, expected one in all but the slowest dimension\n"},
    {TEXT(HEADER "array f64 A[2] stride(1, 2), B[2][3] stride(1), C stride(1)"), PLUSS_EPARSE,
     "2:22: found 2 strides, expected 1, one a dimension\n"
     "2:44: found 1 stride, expected 2, one a dimension\n"
     "2:57: found 1 stride, expected 0, one a dimension\n"},
    {TEXT(HEADER "array f64 A[2] lower(1, 2), B[2][3] lower(1), C lower(1), D[2] lower(n)"),
     PLUSS_EPARSE,
     "2:21: found 2 lower bounds, expected 1, one a dimension\n"
     "2:42: found 1 lower bound, expected 2, one a dimension\n"
     "2:54: found 1 lower bound, expected 0, one a dimension\n"
     "2:70: found 'n', expected an integer\n"},
    {TEXT(HEADER "array f64 A[2] lower(1) lower(1)"), PLUSS_EPARSE,
     "2:25: found 'lower' again, expected it once\n"},
    {TEXT(HEADER "array f64 A[2] private private\n"
                 "array f64 B column column\n"
                 "array f64 C[2] stride(1) stride(2)\n"
                 "array f64 D alias a alias b\n"
                 "array i8 E[1] values(1) values(2)"),
     PLUSS_EPARSE,
     "2:24: found 'private' again, expected it once\n"
     "3:20: found 'column' again, expected it once\n"
     "4:26: found 'stride' again, expected it once\n"
     "5:21: found 'alias' again, expected it once\n"
     "6:25: found 'values' again, expected it once\n"},
    {TEXT(HEADER "array f64 A offset(8) address(64)\n"
                 "array f64 B offset 8\n"
                 "array f64 C over\n"
                 "array f64 D over E\n"
                 "array f64 E over E\n"
                 "array f64 F alias"),
     PLUSS_EPARSE,
     "2:23: found 'address', expected one of offset, address and over\n"
     "3:20: found '8', expected '('\n"
     "5:1: found 'array', expected the name of an array\n"
     "5:18: found 'E', expected the name of a declared array\n"
     "7:18: found end of text, expected the name of an alias group\n"},
    {TEXT(HEADER "array f64 A offset(-8), B address(-1)"), PLUSS_EINVALID,
     "2:20: found -8 for an array's base, expected at least 0\n"
     "2:35: found -1 for an array's base, expected at least 0\n"},
    {TEXT(HEADER "array f64 A private\n"
                 "array f64 B over A"),
     PLUSS_EINVALID, "3:11: array 'B': found a private array over a shared one or the reverse\n"},
    {TEXT(HEADER "array f64 A values(1)\n"
                 "array i8 B[3] values(1, 2)\n"
                 "array i8 C[] values(1, x)"),
     PLUSS_EPARSE, "4:24: found 'x', expected an integer\n"},
    {TEXT(HEADER "array i8 A[2] values(256, 1)\n"
                 "array i16 B values(-32769)\n"
                 "array i32 C[2][] column values(1, 2, 3)"),
     PLUSS_EINVALID,
     "2:10: found the value 256, expected one that fits i8\n"
     "3:11: found the value -32769, expected one that fits i16\n"
     "4:11: found 3 values of array 'C', expected a multiple of 2\n"},
    {TEXT(HEADER "array i32 C[][2] values(1, 2, 3)"), PLUSS_EINVALID,
     "2:11: found 3 values of array 'C', expected a multiple of 2\n"},
    {TEXT(HEADER "symbol i\n"
                 "region r\n"
                 "for i in 0..3 {}\n"
                 "for j in 0..3 { for j in 0..3 { } }"),
     PLUSS_EINVALID,
     "4:1: found induction variable 'i', expected a name that no symbol in scope has\n"
     "5:17: found induction variable 'j', expected a name that no induction variable in scope "
     "has\n"},
    {TEXT(HEADER "array f64 A[3 < 4]"), PLUSS_EPARSE,
     "2:15: found a condition, expected a number\n"},
    {TEXT(HEADER "symbol n = $team, m = x[0]\n"
                 "array f64 A[$thread]"),
     PLUSS_EPARSE, "2:23: found 'x', expected the name of a declared array\n"},
    {TEXT(HEADER "array i32 x[1] values(0)\n"
                 "symbol n = x[0]\n"
                 "array f64 A[x[0]]"),
     PLUSS_EINVALID,
     "3:12: found a value loaded from an array in a symbol's value, which it may not depend on\n"
     "3:12: found array 'x' outside of its scope, expected one declared before this place\n"
     "4:13: found a value loaded from an array in an array's extent, which it may not depend on\n"},
    {TEXT(HEADER "symbol n\n"
                 "region r\n"
                 "read n\n"),
     PLUSS_EPARSE, "4:6: found 'n', expected the name of a declared array\n"},
    {TEXT(HEADER "regio r\n"
                 "region s\n"
                 "read A"),
     PLUSS_EPARSE,
     "2:1: found 'regio', expected 'symbol', 'array' or 'region'\n"
     "4:6: found 'A', expected the name of a declared array\n"},
    {TEXT(HEADER "region\n"
                 "region \"a.c\"\n"
                 "region for"),
     PLUSS_EPARSE,
     "3:1: found 'region', expected the region's name\n"
     "3:8: found \"a.c\", expected the region's name\n"
     "4:8: found 'for', expected the region's name\n"
     "4:11: found end of text, expected the loop's induction variable\n"},
    {TEXT(HEADER "region r \"a.c\":0"), PLUSS_EPARSE, "2:16: found '0', expected a line number\n"},
    {TEXT(HEADER "region r \"a.c\":\n"
                 "read s"),
     PLUSS_EPARSE,
     "3:1: found 'read', expected a line number\n"
     "3:6: found 's', expected the name of a declared array\n"},
    {TEXT(HEADER "region r @"), PLUSS_EPARSE, "2:11: found end of text, expected a line number\n"},
    {TEXT(HEADER "region r repeat"), PLUSS_EPARSE, "2:16: found end of text, expected a number\n"},
    {TEXT(HEADER "region r repeat -1"), PLUSS_EINVALID,
     "2:17: found -1 for the number of repetitions, expected at least 0\n"},
    {TEXT(HEADER "region r repeat i"), PLUSS_EPARSE,
     "2:17: found 'i', expected a symbol or induction variable in scope\n"},
    {TEXT(HEADER "region r\n"
                 "for i in 0..3 {\n"
                 "region s\n"),
     PLUSS_EPARSE, "4:1: found 'region', expected '}'\n"},
    {TEXT(HEADER "region r\n"
                 "barrier\n"
                 "symbol n\n"
                 "read n\n"),
     PLUSS_EPARSE,
     "4:1: found 'symbol', expected a statement (declarations come before all statements)\n"
     "5:6: found 'n', expected the name of a declared array\n"},
    {TEXT(HEADER "region r\n"
                 "}\n"
                 "barrier\n"
                 "}"),
     PLUSS_EPARSE,
     "3:1: found '}', expected a statement or 'region'\n"
     "5:1: found '}', expected a statement or 'region'\n"},
    {TEXT(HEADER "region r foo\n"
                 "bar { baz { } }\n"
                 "barrier qux"),
     PLUSS_EPARSE,
     "2:10: found 'foo', expected a statement or 'region'\n"
     "4:9: found 'qux', expected a statement or 'region'\n"},
    {TEXT(INSIDE("read A[i]; read A; read s[0]; read A[i][j][0]")), PLUSS_EINVALID,
     "9:1: found 1 subscript of 'A', expected 2\n"
     "9:12: found 0 subscripts of 'A', expected 2\n"
     "9:20: found 1 subscript of 's', expected 0\n"
     "9:31: found 3 subscripts of 'A', expected 2\n"},
    {TEXT(INSIDE("read B[i]; write B[j]; swap B, A")), PLUSS_EPARSE,
     "9:6: found 'B', expected the name of a declared array\n"},
    {TEXT(INSIDE("read i; read A[k][l]; read A[k][x]")), PLUSS_EPARSE,
     "9:6: found 'i', expected the name of a declared array\n"
     "9:16: found 'k', expected a symbol or induction variable in scope\n"
     "9:19: found 'l', expected a symbol or induction variable in scope\n"},
    {TEXT(INSIDE("read A[i; read A[i]]; write A[i][j] bytes")), PLUSS_EPARSE,
     "9:9: found ';', expected ']'\n"
     "9:20: found ']', expected a statement or '}'\n"
     "10:3: found '}', expected an integer, the first byte\n"},
    {TEXT(INSIDE("read s bytes 4..4; read s bytes 8..4; read s bytes ..4; read s bytes 1..")),
     PLUSS_EPARSE,
     "9:14: found no bytes between 4 and 4, expected at least one\n"
     "9:33: found no bytes between 8 and 4, expected at least one\n"
     "9:52: found '..', expected an integer, the first byte\n"
     "10:3: found '}', expected an integer, the byte after the last\n"},
    {TEXT(INSIDE("atomic s; atomic atomic read s; write")), PLUSS_EPARSE,
     "9:8: found 's', expected 'read' or 'write'\n"
     "9:18: found 'atomic', expected 'read' or 'write'\n"
     "10:3: found '}', expected the name of an array\n"},
    {TEXT(INSIDE("read s @; read s @0; read s @\"a\":; read s @3:0; read s @99999999999; read s @ "
                 "\"a\" 3")),
     PLUSS_EPARSE,
     "9:9: found ';', expected a line number\n"
     "9:19: found '0', expected a line number\n"
     "9:34: found ';', expected a line number\n"
     "9:46: found '0', expected a column number\n"
     "9:57: found '99999999999', expected a line number\n"
     "9:83: found '3', expected ':'\n"},
    {TEXT(INSIDE("if i < j { read q }")), PLUSS_EPARSE,
     "9:4: found 'i', expected '('\n"
     "9:17: found 'q', expected the name of a declared array\n"},
    {TEXT(INSIDE("if (i) { read s } else if (i < j) { }")), PLUSS_EPARSE,
     "9:5: found a number, expected a condition\n"
     "9:24: found 'if', expected '{'\n"},
    {TEXT(INSIDE("if (i < j { read s }")), PLUSS_EPARSE, "9:11: found '{', expected ')'\n"},
    {TEXT(INSIDE("branch { } branch 1.5 { } branch -1 { } branch 0.1.2 { } branch 2 {}")),
     PLUSS_EPARSE,
     "9:8: found '{', expected a probability between 0 and 1\n"
     "9:19: found '1.5', expected a probability between 0 and 1\n"
     "9:34: found '-', expected a probability between 0 and 1\n"
     "9:51: found '.', expected a name, a number or punctuation\n"
     "9:52: found '2', expected '{'\n"
     "9:65: found '2', expected a probability between 0 and 1\n"},
    {TEXT(INSIDE("barrier { } single 3 { } master nowait {} critical")), PLUSS_EPARSE,
     "9:9: found '{', expected a statement or '}'\n"
     "9:20: found '3', expected '{'\n"
     "9:33: found 'nowait', expected '{'\n"
     "10:3: found '}', expected '{'\n"},
    {TEXT(INSIDE("swap A; swap A, A; swap A, x; swap A, s")), PLUSS_EPARSE,
     "9:7: found ';', expected ','\n"},
    {TEXT(INSIDE("ops(); ops(a); ops(a -1); ops(1 a); ops(a 1,); ops a 1")), PLUSS_EPARSE,
     "9:5: found ')', expected the name of a group of operations\n"
     "9:13: found ')', expected a count\n"
     "9:22: found '-', expected a count\n"
     "9:31: found '1', expected the name of a group of operations\n"
     "9:45: found ')', expected the name of a group of operations\n"
     "9:52: found 'a', expected '('\n"},
    {TEXT(INSIDE("unknown; unknown \"x\"; unknown thing \"x\"; unknown loop x; unknown loop of q "
                 "\"x\"; unknown loop \"\"")),
     PLUSS_EPARSE,
     "9:8: found ';', expected what is not known (loop, reference, call, control, construct)\n"
     "9:18: found \"x\", expected what is not known (loop, reference, call, control, construct)\n"
     "9:31: found 'thing', expected what is not known (loop, reference, call, control, construct)\n"
     "9:55: found 'x', expected a string, the reason\n"
     "9:74: found 'q', expected the name of a declared array\n"},
    {TEXT(INSIDE("for in 0..3 {} for k 0..3 {} for k in 0.3 {} for k in 0.. {} for k in 0..3")),
     PLUSS_EPARSE,
     "9:5: found 'in', expected the loop's induction variable\n"
     "9:22: found '0', expected 'in'\n"
     "9:39: found '0.3', expected a number\n"
     "9:59: found '{', expected a number\n"
     "10:3: found '}', expected '{'\n"},
    {TEXT(INSIDE("for k in k..3 {} read A[k][0]")), PLUSS_EPARSE,
     "9:10: found 'k', expected a symbol or induction variable in scope\n"},
    {TEXT(INSIDE("for k in 0..3 step 0 {} for k in 0..3 step k {} for k in 0..3 step "
                 "-9223372036854775808 {}")),
     PLUSS_EPARSE, "9:44: found 'k', expected an integer other than 0\n"},
    {TEXT(INSIDE("for k in 0..3 schedule(static) {} for k in 0..3 collapse(2) { for l in 0..3 {} } "
                 "for k in 0..3 nowait {}")),
     PLUSS_EINVALID,
     "9:1: found a clause of worksharing on a loop without workshare\n"
     "9:35: found a clause of worksharing on a loop without workshare\n"
     "9:82: found a clause of worksharing on a loop without workshare\n"},
    {TEXT(INSIDE("workshare for k in 0..3 {} workshare k in 0..3 {}")), PLUSS_EPARSE,
     "9:38: found 'k', expected 'for'\n"},
    {TEXT(STATEMENTS "for i in 0..n { read A[i][i] ]\n"
                     "read A[i][i] )\n"
                     "}\n"
                     "read s\n"),
     PLUSS_EPARSE,
     "7:30: found ']', expected a statement or '}'\n"
     "8:14: found ')', expected a statement or '}'\n"},
    {TEXT(STATEMENTS "for i in 0..n {\n"
                     "  read s\n"),
     PLUSS_EPARSE, "9:1: found end of text, expected '}'\n"},
    {TEXT(STATEMENTS "parallel for i in 0..n schedule(foo) { read q }\n"
                     "parallel for i in 0..n schedule { }\n"
                     "parallel for i in 0..n schedule(monotonic static) {}\n"
                     "parallel for i in 0..n schedule(static, ) {}\n"
                     "parallel for i in 0..n schedule(static, 1, 2, 3) {}"),
     PLUSS_EPARSE,
     "7:33: found 'foo', expected a schedule (static, dynamic, guided, auto, runtime, rayon, "
     "recorded)\n"
     "7:45: found 'q', expected the name of a declared array\n"
     "8:33: found '{', expected '('\n"
     "9:43: found 'static', expected ':'\n"
     "10:41: found ')', expected a number\n"
     "11:45: found ',', expected ')'\n"},
    {TEXT(STATEMENTS "parallel for i in 0..n schedule(static) schedule(static) nowait nowait "
                     "ordered ordered {}\n"
                     "parallel num_threads(1) num_threads(2) {}\n"
                     "parallel if (n < 1) if (n < 2) {}"),
     PLUSS_EPARSE,
     "7:41: found 'schedule' again, expected it once\n"
     "8:25: found 'num_threads' again, expected it once\n"
     "9:21: found 'if' again, expected it once\n"},
    {TEXT(STATEMENTS "parallel for i in 0..n schedule(static, 1, 2) {}\n"
                     "parallel for i in 0..n schedule(auto, 1) {}\n"
                     "parallel for i in 0..n schedule(runtime, 1) {}\n"
                     "parallel for i in 0..n schedule(recorded, 1) {}\n"
                     "parallel for i in 0..n schedule(rayon, 1, 2) {}\n"
                     "parallel for i in 0..n schedule(dynamic, 0) {}\n"
                     "parallel for i in 0..n schedule(rayon, 1, -2) {}"),
     PLUSS_EINVALID,
     "7:1: found 2 arguments of schedule(static), expected at most 1\n"
     "8:1: found 1 argument of schedule(auto), expected at most 0\n"
     "9:1: found 1 argument of schedule(runtime), expected at most 0\n"
     "10:1: found 1 argument of schedule(recorded), expected at most 0\n"
     "12:42: found 0 for a schedule's argument, expected at least 1\n"
     "13:43: found -2 for a schedule's argument, expected at least 1\n"},
    {TEXT(STATEMENTS "parallel for i in 0..n schedule(static, i) {}\n"
                     "parallel for i in 0..n schedule(static, $thread) {}\n"
                     "parallel for i in 0..n schedule(static, x[0]) {}\n"
                     "parallel for i in $thread..n {}\n"
                     "parallel for i in 0..n collapse(2) { for j in 0..$thread {} }"),
     PLUSS_EPARSE, "7:41: found 'i', expected a symbol or induction variable in scope\n"},
    {TEXT(STATEMENTS "parallel num_threads(0) {}\n"
                     "parallel num_threads($team) {}\n"
                     "parallel num_threads(x[0]) {}\n"
                     "parallel if (n) {}\n"
                     "parallel if ($thread < 1) {}\n"
                     "parallel if n {}"),
     PLUSS_EPARSE,
     "10:14: found a number, expected a condition\n"
     "12:13: found 'n', expected '('\n"},
    {TEXT(STATEMENTS
          "parallel for i in 0..n collapse(0) {}\n"
          "parallel for i in 0..n collapse(n) {}\n"
          "parallel for i in 0..n collapse(2) { read s }\n"
          "parallel for i in 0..n collapse(3) { for j in 0..n { for k in 0..n {} read s } }\n"
          "parallel for i in 0..n collapse(2) { for j in 0..n {} for k in 0..n {} }"),
     PLUSS_EPARSE,
     "7:33: found '0', expected a number of loops, at least 1\n"
     "8:33: found 'n', expected a number of loops, at least 1\n"},
    {TEXT(STATEMENTS "workshare for i in 0..n {}\n"
                     "parallel { workshare for i in 0..n {\n"
                     "workshare for j in 0..n {}\n"
                     "barrier\n"
                     "single {}\n"
                     "master {}\n"
                     "critical { barrier }\n"
                     "parallel { barrier }\n"
                     "} }"),
     PLUSS_EINVALID,
     "7:1: found a workshare loop outside of parallel\n"
     "9:1: found a workshare loop inside of a workshare loop\n"
     "10:1: found a barrier inside of a workshare loop\n"
     "11:1: found a single inside of a workshare loop\n"
     "12:1: found a master inside of a workshare loop\n"
     "13:12: found a barrier inside of a critical\n"},
    {TEXT(STATEMENTS "parallel {\n"
                     "single { barrier }\n"
                     "single { master {} }\n"
                     "master { workshare for i in 0..n {} }\n"
                     "master { master { single {} } }\n"
                     "ordered { barrier }\n"
                     "swap A, A\n"
                     "if (n < 3) { single { single {} } }\n"
                     "}"),
     PLUSS_EINVALID,
     "8:10: found a barrier inside of a single\n"
     "9:10: found a master inside of a single\n"
     "10:10: found a workshare loop inside of a master\n"
     "11:19: found a single inside of a master\n"
     "12:11: found a barrier inside of an ordered\n"
     "13:1: found a swap inside of parallel, expected it outside\n"
     "13:1: found a swap of an array with itself, expected two arrays\n"
     "14:23: found a single inside of a single\n"},
    {TEXT(STATEMENTS "parallel num_threads(2) for i in 0..n {}"), PLUSS_EPARSE,
     "7:25: found 'for', expected '{'\n"},
    {TEXT(INSIDE("read A[i * j][0]; read A[i * (j + 1) * n][0]; read A[x[i] * j][0]; read A[i * "
                 "$thread][0]; read A[n * m * i][0]")),
     PLUSS_EINVALID,
     "9:10: found a product of two factors that vary, expected at most one with induction "
     "variables, loads or $thread\n"
     "9:28: found a product of two factors that vary, expected at most one with induction "
     "variables, loads or $thread\n"
     "9:59: found a product of two factors that vary, expected at most one with induction "
     "variables, loads or $thread\n"
     "9:77: found a product of two factors that vary, expected at most one with induction "
     "variables, loads or $thread\n"},
    {TEXT(INSIDE("read A[i / j][0]; read A[i % x[0]][0]; read A[i / 0][0]; read A[i % -2][0]; read "
                 "A[i / (n - 1)][0]; read A[i / $thread][0]")),
     PLUSS_EINVALID,
     "9:12: found a divisor that varies, expected an integer or symbols\n"
     "9:30: found a divisor that varies, expected an integer or symbols\n"
     "9:51: found the divisor 0, expected at least 1\n"
     "9:69: found the divisor -2, expected at least 1\n"
     "9:112: found a divisor that varies, expected an integer or symbols\n"},
    {TEXT(INSIDE("read A[i < j][0]; read A[(i < j) + 1][0]; read A[-(i < j)][0]; read A[min(i < j, "
                 "1)][0]; read A[!i][0]")),
     PLUSS_EPARSE,
     "9:10: found a condition, expected a number\n"
     "9:29: found a condition, expected a number\n"
     "9:54: found a condition, expected a number\n"
     "9:77: found a condition, expected a number\n"
     "9:98: found a number, expected a condition\n"},
    {TEXT(INSIDE("if (i < j < n) {} if (i && j) {} if (!i) {} if (1) {} if (i == (i < j)) {} if (i "
                 "< j ? 1 : 2) {}")),
     PLUSS_EPARSE,
     "9:7: found a condition, expected a number\n"
     "9:23: found a number, expected a condition\n"
     "9:39: found a number, expected a condition\n"
     "9:49: found a number, expected a condition\n"
     "9:67: found a condition, expected a number\n"
     "9:86: found a number, expected a condition\n"},
    {TEXT(INSIDE("read A[i ? 1 : 2][0]; read A[(i < j) ? 1][0]; read A[(i < j) ? i < j : 2][0]; "
                 "read A[(i < j) 1 : 2][0]")),
     PLUSS_EPARSE,
     "9:8: found a number, expected a condition\n"
     "9:41: found ']', expected ':'\n"
     "9:66: found a condition, expected a number\n"
     "9:89: found a condition, expected a number\n"},
    {TEXT(INSIDE("read A[min(i)][0]; read A[min()][0]; read A[min i][0]; read A[max(i, )][0]; read "
                 "A[min(i, j][0]")),
     PLUSS_EPARSE,
     "9:13: found ')', expected ','\n"
     "9:31: found ')', expected a number\n"
     "9:49: found 'i', expected '('\n"
     "9:70: found ')', expected a number\n"
     "9:92: found ']', expected ',' or ')'\n"},
    {TEXT(INSIDE("read A[i +][0]; read A[* i][0]; read A[i j][0]; read A[(i][0]; read A[()][0]; "
                 "read A[i + for][0]; read A[\"i\"][0]")),
     PLUSS_EPARSE,
     "9:11: found ']', expected a number\n"
     "9:24: found '*', expected a number\n"
     "9:42: found 'j', expected ']'\n"
     "9:58: found ']', expected ')'\n"
     "9:72: found ')', expected a number\n"
     "9:90: found 'for', expected a number\n"
     "9:93: found ']', expected the loop's induction variable\n"
     "9:106: found \"i\", expected a number\n"},
    {TEXT(INSIDE(
         "read A[x][0]; read A[x[i][j]][0]; read A[n[i]][0]; read A[y[i]][y[0]]; read A[$foo][0]")),
     PLUSS_EPARSE,
     "9:43: found '[', expected ']'\n"
     "9:59: found 'y', expected the name of a declared array\n"
     "9:79: found '$foo', expected $thread or $team\n"
     "9:83: found ']', expected a number\n"},
    {TEXT(HEADER "symbol n\n"
                 "region r\n"
                 "symbol k = n\n"
                 "symbol n\n"
                 "array f64 A[n]\n"
                 "for i in 0..i { }\n"),
     PLUSS_EPARSE, "7:13: found 'i', expected a symbol or induction variable in scope\n"},
    {TEXT(INSIDE("swap A, A; swap A, x; swap A, s")), PLUSS_EINVALID,
     "9:1: found a swap of an array with itself, expected two arrays\n"
     "9:12: found a swap of arrays that differ in rank or element size\n"
     "9:23: found a swap of arrays that differ in rank or element size\n"},
    {TEXT(HEADER "array f64 A\n"
                 "array f64 B private, C over A\n"
                 "region r\n"
                 "swap A, B\n"
                 "swap A, C\n"
                 "parallel { for i in 0..3 { swap A, A } }"),
     PLUSS_EINVALID,
     "5:1: found a swap of an array that is private or overlays another\n"
     "6:1: found a swap of an array that is private or overlays another\n"
     "7:28: found a swap inside of parallel, expected it outside\n"
     "7:28: found a swap of an array with itself, expected two arrays\n"},
    {TEXT(INSIDE("for k in 0..3 step 0 {} for k in 0..3 step -9223372036854775808 {}")),
     PLUSS_EINVALID,
     "9:1: found step 0, expected another number\n"
     "9:25: found step -9223372036854775808, expected another number\n"},
    {TEXT(INSIDE("unknown loop \"\"")), PLUSS_EINVALID, "9:1: found unknown without a reason\n"},
    {TEXT(STATEMENTS
          "parallel for i in 0..n schedule(static, $thread) {}\n"
          "parallel for i in 0..n schedule(static, x[0]) {}\n"
          "parallel for i in $thread..n {}\n"
          "parallel for i in 0..n collapse(2) { for j in 0..$thread {} }\n"
          "parallel for i in 0..n collapse(2) { for j in 0..3 { for k in 0..$thread {} } }"),
     PLUSS_EINVALID,
     "7:41: found $thread in a schedule's argument, which it may not depend on\n"
     "8:41: found a value loaded from an array in a schedule's argument, which it may not depend "
     "on\n"
     "9:19: found $thread in a loop's first value, which it may not depend on\n"
     "10:50: found $thread in a loop's bound, which it may not depend on\n"},
    {TEXT(STATEMENTS "parallel num_threads(0) {}\n"
                     "parallel num_threads($team) {}\n"
                     "parallel num_threads(x[0]) {}\n"
                     "parallel if ($thread < 1) {}"),
     PLUSS_EINVALID,
     "7:22: found 0 for the number of threads, expected at least 1\n"
     "8:22: found $team in the number of threads, which it may not depend on\n"
     "9:22: found a value loaded from an array in the number of threads, which it may not depend "
     "on\n"
     "10:14: found $thread in the if clause, which it may not depend on\n"},
    {TEXT(STATEMENTS
          "parallel for i in 0..n collapse(2) { read s }\n"
          "parallel for i in 0..n collapse(3) { for j in 0..n { for k in 0..n {} read s } }\n"
          "parallel for i in 0..n collapse(2) { for j in 0..n {} for k in 0..n {} }\n"
          "parallel for i in 0..n collapse(2) {}\n"
          "parallel for i in 0..n collapse(2) { parallel { workshare for j in 0..n {} } }\n"
          "parallel for i in 0..n collapse(4000000000) { for j in 0..i {} }"),
     PLUSS_EINVALID,
     "7:1: found 1 perfectly nested loop, expected 2 for collapse\n"
     "8:1: found 2 perfectly nested loops, expected 3 for collapse\n"
     "9:1: found 1 perfectly nested loop, expected 2 for collapse\n"
     "10:1: found 1 perfectly nested loop, expected 2 for collapse\n"
     "11:1: found 1 perfectly nested loop, expected 2 for collapse\n"
     "12:1: found 2 perfectly nested loops, expected 4000000000 for collapse\n"},
    {TEXT(HEADER "array i32 x values(1)\n"
                 "array f64 A[1] address(x)\n"
                 "region r repeat x\n"),
     PLUSS_EINVALID,
     "3:24: found a value loaded from an array in an array's base, which it may not depend on\n"
     "4:17: found a value loaded from an array in the number of repetitions, which it may not "
     "depend on\n"},
    {TEXT(HEADER "symbol n = $team, m = $thread\n"
                 "array f64 A[$thread] stride($team)"),
     PLUSS_EINVALID,
     "2:12: found $team in a symbol's value, which it may not depend on\n"
     "2:23: found $thread in a symbol's value, which it may not depend on\n"
     "3:13: found $thread in an array's extent, which it may not depend on\n"
     "3:29: found $team in an array's stride, which it may not depend on\n"},
    {TEXT(HEADER "array f64 A values(1)\n"
                 "array i8 B[3] values(1, 2)"),
     PLUSS_EINVALID,
     "2:11: array 'A': found values, expected an integer element type with them\n"
     "3:10: found 2 values of array 'B', expected 3\n"},
    {TEXT(INSIDE("read A[x[x]][0]; read A[x][x[1][2]]; read A[s][x[$thread + i * j]]")),
     PLUSS_EINVALID,
     "9:10: found 0 subscripts of 'x', expected 1\n"
     "9:25: found 0 subscripts of 'x', expected 1\n"
     "9:28: found 2 subscripts of 'x', expected 1\n"
     "9:62: found a product of two factors that vary, expected at most one with induction "
     "variables, loads or $thread\n"},
    {TEXT(INSIDE("read s bytes -9223372036854775808..9223372036854775807; read s bytes "
                 "1..9223372036854775807; read s bytes 9223372036854775800..9223372036854775807")),
     PLUSS_ELIMIT,
     "9:1: found a reference to 18446744073709551615 bytes, expected at most PLUSSI_MAX_ACCESS = "
     "16777216\n"
     "9:57: found a reference to 9223372036854775806 bytes, expected at most PLUSSI_MAX_ACCESS = "
     "16777216\n"},
    {TEXT(HEADER "symbol a = 1 / 0, b = 1 % (0 - 1), c = a / a\n"
                 "region r"),
     PLUSS_EINVALID, "2:16: found the divisor 0, expected at least 1\n"},
    {TEXT(INSIDE("ops(a 9223372036854775808); ops(a 1, b -1)")), PLUSS_EPARSE,
     "9:7: found '9223372036854775808', expected an integer that fits 64 bits signed\n"
     "9:40: found '-', expected a count\n"},
    {TEXT(STATEMENTS "parallel for i in 0..n nowait nowait {}\n"
                     "parallel for i in 0..n ordered ordered {}\n"
                     "parallel for i in 0..n collapse 2 {}\n"
                     "parallel for i in 0..n num_threads 2 {}"),
     PLUSS_EPARSE,
     "7:31: found 'nowait' again, expected it once\n"
     "8:32: found 'ordered' again, expected it once\n"
     "9:33: found '2', expected '('\n"
     "10:36: found '2', expected '('\n"},
    {TEXT(HEADER "region r\n"
                 "for i in 0..3 {\n"
                 "  symbol n\n"
                 "  array f64 A\n"
                 "  barrier\n"
                 "}\n"),
     PLUSS_EPARSE,
     "4:3: found 'symbol', expected a statement or '}'\n"
     "5:3: found 'array', expected a statement or '}'\n"},
    {TEXT(HEADER
          "region r\n"
          "read "
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaa\n"
          "read "
          "`\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303"
          "\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303"
          "\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303"
          "\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303"
          "\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303"
          "\251\303\251\303\251\303\251\303\251\303\251`\n"
          "read `a\001b`"),
     PLUSS_EPARSE,
     "3:6: found 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...', expected the "
     "name of a declared array\n"
     "4:6: found '`éééééééééééééééééééééééééééé...', expected the name of a declared array\n"
     "5:8: found byte 0x01, expected a printable name\n"
     "5:6: found '`a?b`', expected the name of a declared array\n"},
    {TEXT(HEADER "array 5"), PLUSS_EPARSE,
     "2:7: found '5', expected an element type (f64, i32, ... or b<bytes>)\n"},
    {TEXT(HEADER "array f64 A[2] stride 3"), PLUSS_EPARSE, "2:23: found '3', expected '('\n"},
    {TEXT(HEADER "array f64 A[2] stride(,)"), PLUSS_EPARSE, "2:23: found ',', expected a number\n"},
    {TEXT(HEADER "array i8 A[] values 3"), PLUSS_EPARSE, "2:21: found '3', expected '('\n"},
    {TEXT(HEADER "array f64 A[)\n"
                 "array f64 B[+"),
     PLUSS_EPARSE,
     "2:13: found ')', expected a number\n"
     "3:13: found '+', expected a number\n"},
    {TEXT(HEADER
          "region r\n"
          "branch 0.3333333333333333333333333333333333333333333333333333333333333333333333 { }"),
     PLUSS_EPARSE,
     "3:8: found '0.33333333333333333333333333333333333333333333333333333333...', expected a "
     "probability between 0 and 1\n"},
    {TEXT(HEADER "array i8 A[4294967296][4294967296] values(1)"), PLUSS_EINVALID,
     "2:10: found 1 value of array 'A', expected 18446744073709551615\n"},
    {TEXT(STATEMENTS "if (n < 3) { } else read s\n"
                     "branch 0.5 { } else else { }\n"
                     "else { }\n"
                     "in n\n"),
     PLUSS_EPARSE,
     "7:21: found 'read', expected '{'\n"
     "8:21: found 'else', expected '{'\n"},
    {TEXT(STATEMENTS "parallel\n"
                     "parallel for\n"
                     "parallel for i\n"
                     "parallel {"),
     PLUSS_EPARSE,
     "8:1: found 'parallel', expected '{'\n"
     "9:1: found 'parallel', expected the loop's induction variable\n"
     "10:1: found 'parallel', expected 'in'\n"
     "10:11: found end of text, expected '}'\n"},
};

#endif
