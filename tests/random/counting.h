/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What random programs include. With -DCOUNT each access of an array is counted, by source line,
 * array, thread, and whether it is a write: the count is made by the source alone. */
#ifndef COUNTING_H
#define COUNTING_H
#define ALIGNED __attribute__((aligned(64)))
#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#ifdef __cplusplus
extern "C" {
#endif
extern int zero, unity;
void count_access(int line, int array, int write);
void count_pause(int pause); /* 1: this thread's accesses do not count; 0: they do */
void count_end(void);
struct record {
    unsigned x;
    short y;
    unsigned char q[3];
    double d;
    short m[3][3];
    struct {
        char a;
        int b;
    } in;
};
void fill_record(struct record *r, int value);
unsigned sum_record(const struct record *r);
#ifdef __cplusplus
}
#endif
#ifdef COUNT
#define L(id, lvalue) (count_access(__LINE__, id, 0), (lvalue))
#define W(id, lvalue, v) (count_access(__LINE__, id, 1), (lvalue) = (v))
#define U(id, lvalue, ...)                                                                         \
    (count_access(__LINE__, id, 0), count_access(__LINE__, id, 1), (lvalue)__VA_ARGS__)
#define N(id) (count_access(__LINE__, id, 0), count_access(__LINE__, id, 1))
#define PAUSE(pause) count_pause(pause)
#else
#define L(id, lvalue) (lvalue)
#define W(id, lvalue, v) ((lvalue) = (v))
#define U(id, lvalue, ...) ((lvalue)__VA_ARGS__)
#define N(id) ((void)0)
#define PAUSE(pause) ((void)0)
#endif
#endif
