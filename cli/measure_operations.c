/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What operations cost: of a dependent chain, and of independent ones. The compiler must not know
 * values, or it would compute them: HIDE_INT and HIDE_REAL take them out of its sight, and leave
 * them in registers where it is known how to say so.
 */
#include <math.h>

#include "measure.h"

#define HIDE_INT(x) __asm__ volatile("" : "+r"(x))
#if defined(__x86_64__)
#define HIDE_REAL(x) __asm__ volatile("" : "+x"(x))
#elif defined(__aarch64__)
#define HIDE_REAL(x) __asm__ volatile("" : "+w"(x))
#else
#define HIDE_REAL(x) __asm__ volatile("" : "+m"(x))
#endif

/* Eight times, without a loop, which would cost, too. */
#define EIGHT_STEPS(...)                                                                           \
    __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__
#define EIGHT(m) m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7)

/* NAME_chain: n steps, each from the result of the one before; NAME_many: n steps in eight chains.
 * In a step x is the value, y a number that the compiler does not know. */
#define MEASURED(name, type, hide, first, other, step)                                             \
    static type name##_step(type x, type y)                                                        \
    {                                                                                              \
        return step;                                                                               \
    }                                                                                              \
    static void name##_chain(void *work, uint64_t n)                                               \
    {                                                                                              \
        type x = (first), y = (other);                                                             \
        (void)work;                                                                                \
        hide(x);                                                                                   \
        hide(y);                                                                                   \
        for (; n; n -= 8) {                                                                        \
            EIGHT_STEPS(x = name##_step(x, y); hide(x);)                                           \
        }                                                                                          \
    }                                                                                              \
    static void name##_many(void *work, uint64_t n)                                                \
    {                                                                                              \
        type x0 = (first), x1 = x0, x2 = x0, x3 = x0, x4 = x0, x5 = x0, x6 = x0, x7 = x0;          \
        type y = (other);                                                                          \
        (void)work;                                                                                \
        hide(y);                                                                                   \
        for (; n; n -= 8) {                                                                        \
            x0 = name##_step(x0, y);                                                               \
            hide(x0);                                                                              \
            x1 = name##_step(x1, y);                                                               \
            hide(x1);                                                                              \
            x2 = name##_step(x2, y);                                                               \
            hide(x2);                                                                              \
            x3 = name##_step(x3, y);                                                               \
            hide(x3);                                                                              \
            x4 = name##_step(x4, y);                                                               \
            hide(x4);                                                                              \
            x5 = name##_step(x5, y);                                                               \
            hide(x5);                                                                              \
            x6 = name##_step(x6, y);                                                               \
            hide(x6);                                                                              \
            x7 = name##_step(x7, y);                                                               \
            hide(x7);                                                                              \
        }                                                                                          \
    }

MEASURED(int_add, uint64_t, HIDE_INT, 1, 3, x + y)
MEASURED(int_mul, uint64_t, HIDE_INT, 1, 3, x *y)
MEASURED(int_div, uint32_t, HIDE_INT, 46341, 2147483647, y / x)
MEASURED(flt_add, float, HIDE_REAL, 1, 1e-3F, x + y)
MEASURED(flt_mul, float, HIDE_REAL, 1, 0.9999999F, x *y)
MEASURED(flt_div, float, HIDE_REAL, 1.7F, 3.1F, y / x)
MEASURED(dbl_add, double, HIDE_REAL, 1, 1e-3, x + y)
MEASURED(dbl_mul, double, HIDE_REAL, 1, 0.999999999, x *y)
MEASURED(dbl_div, double, HIDE_REAL, 1.7, 3.1, y / x)
MEASURED(root_sum, double, HIDE_REAL, 1.7, 3.1, __builtin_sqrt(x) + y)
MEASURED(sine, double, HIDE_REAL, 1.7, 3.1, sin(x) + y)
MEASURED(exponential, double, HIDE_REAL, 0.7, -3.1, exp(x) + y)
MEASURED(greater, double, HIDE_REAL, 1.7, 3.1, x > y ? x : y)

static __attribute__((noinline)) void call_nothing(void)
{
    __asm__ volatile("");
}

static void call_many(void *work, uint64_t n)
{
    (void)work;
    for (; n; n--)
        call_nothing();
}

static void iterate_many(void *work, uint64_t n)
{
    (void)work;
    for (; n; n--)
        __asm__ volatile("");
}

static void load_chain(void *work, uint64_t n)
{
    void *at = work;
    for (; n; n -= 8) {
        EIGHT_STEPS(at = *(void **)at; HIDE_INT(at);)
    }
}

static void load_many(void *work, uint64_t n)
{
    const uint64_t *at = work;
    for (; n; n -= 8) {
        HIDE_INT(at);
#define LOAD(i)                                                                                    \
    uint64_t x##i = at[8 * (i)];                                                                   \
    HIDE_INT(x##i);
        EIGHT(LOAD)
    }
}

static void store_many(void *work, uint64_t n)
{
    uint64_t *at = work, x = 1;
    for (; n; n -= 8) {
        HIDE_INT(x);
#define STORE(i)                                                                                   \
    at[8 * (i) + 1] = x;                                                                           \
    __asm__ volatile("" ::: "memory");
        EIGHT(STORE)
    }
}

/* Eleven operations of all kinds, with the loop's two. */
static void mix_many(void *work, uint64_t n)
{
    uint64_t *at = work, a = 1, b = 2, c = 3, y = 5;
    double p = 1, q = 2, z = 1e-3;
    HIDE_REAL(z);
    HIDE_INT(y);
    for (; n; n--) {
        HIDE_INT(at);
        uint64_t x0 = at[0], x1 = at[8], x2 = at[16];
        HIDE_INT(x0);
        HIDE_INT(x1);
        HIDE_INT(x2);
        a += y;
        HIDE_INT(a);
        b += y;
        HIDE_INT(b);
        c += y;
        HIDE_INT(c);
        double r0 = p + z, r1 = q * z;
        HIDE_REAL(r0);
        HIDE_REAL(r1);
        at[24] = a;
    }
}
enum { MIXED = 11 };

/* Chains of 64 additions, each one of four operations, and the next chain begins anew. */
enum { IN_CHAIN = 64, IN_LINK = 4 };

static void begin_chains(void *work, uint64_t n)
{
    uint64_t a = 1, b = 2, c = 3, y = 5;
    double z = 1e-3;
    (void)work;
    HIDE_REAL(z);
    HIDE_INT(y);
#define LINK                                                                                       \
    x += z;                                                                                        \
    HIDE_REAL(x);                                                                                  \
    a += y;                                                                                        \
    HIDE_INT(a);                                                                                   \
    b += y;                                                                                        \
    HIDE_INT(b);                                                                                   \
    c += y;                                                                                        \
    HIDE_INT(c);
    for (; n >= IN_CHAIN; n -= IN_CHAIN) {
        double x = 1;
        HIDE_REAL(x);
        for (int i = 0; i < IN_CHAIN / 8; i++) {
            EIGHT_STEPS(LINK)
        }
    }
}

/* Sum, load and store of one number, each waiting for the one before. */
static void store_chain(void *work, uint64_t n)
{
    double *at = work, y = 1e-3;
    HIDE_REAL(y);
    for (; n; n -= 8) {
        EIGHT_STEPS(at[9] += y; __asm__ volatile("" ::: "memory");)
    }
}

/* ---- all --------------------------------------------------------------------------------------
 */

typedef struct memory {
    _Alignas(64) uint64_t word[64];
} memory;

double cli_measure_cycle(void)
{
    return cli_measure_work(int_add_chain, NULL).value;
}

static pluss_measured measure(cli_work_fn run, void *work, double cycle_ns)
{
    return cli_in_cycles(cli_measure_work(run, work), cycle_ns);
}

pluss_measured cli_measure_issue(double cycle_ns)
{
    static memory words;
    const pluss_measured m = measure(mix_many, &words, cycle_ns);
    return (pluss_measured){m.value / MIXED, m.spread / MIXED};
}

/* n links take n / (n + overlapping links) of their latency. */
double cli_measure_window(double cycle_ns)
{
    const double latency = measure(dbl_add_chain, NULL, cycle_ns).value;
    const double link = measure(begin_chains, NULL, cycle_ns).value;
    return latency > link ? IN_LINK * IN_CHAIN * (latency / link - 1) : 0;
}

static pluss_measured mean(pluss_measured a, pluss_measured b)
{
    return (pluss_measured){(a.value + b.value) / 2, (a.spread + b.spread) / 2};
}

static pluss_measured without(pluss_measured a, pluss_measured b)
{
    return (pluss_measured){a.value - b.value, a.spread + b.spread};
}

void cli_measure_operations(double cycle_ns, pluss_operation_cost out[CLI_OPERATIONS])
{
    static memory words;
#define CYCLES(run) measure(run, &words, cycle_ns)
#define BOTH(name) CYCLES(name##_many), CYCLES(name##_chain)
    words.word[0] = (uint64_t)(uintptr_t)&words; /* a chain of one word */
    const pluss_measured add = CYCLES(dbl_add_chain);
    const pluss_measured load = CYCLES(load_many);
    const pluss_measured wait = CYCLES(load_chain);
    const pluss_measured store = CYCLES(store_many);
    const pluss_measured forward = without(CYCLES(store_chain), add);
    const pluss_measured call = CYCLES(call_many);
    const pluss_measured loop = CYCLES(iterate_many);
    const pluss_measured function =
        without(mean(CYCLES(sine_chain), CYCLES(exponential_chain)), add);
    const pluss_operation_cost all[CLI_OPERATIONS] = {
        {"int_add", BOTH(int_add)},
        {"int_mul", BOTH(int_mul)},
        {"int_div", BOTH(int_div)},
        {"flt_add", mean(CYCLES(flt_add_many), CYCLES(flt_mul_many)),
         mean(CYCLES(flt_add_chain), CYCLES(flt_mul_chain))},
        {"flt_div", BOTH(flt_div)},
        {"dbl_add", mean(CYCLES(dbl_add_many), CYCLES(dbl_mul_many)),
         mean(add, CYCLES(dbl_mul_chain))},
        {"dbl_div", BOTH(dbl_div)},
        {"sqrt", CYCLES(root_sum_many), without(CYCLES(root_sum_chain), add)},
        {"trig", mean(CYCLES(sine_many), CYCLES(exponential_many)), function},
        {"intrinsic", BOTH(greater)},
        {"call", call, call},
        {"loop", loop, loop},
        {"load", load, wait},
        {"store", store, forward},
        {"dbl_load", load, wait},
        {"dbl_store", store, forward},
        {"array_load", load, wait},
        {"array_store", store, forward},
        {"ndim_load", load, wait},
        {"ndim_store", store, forward}};
    for (int i = 0; i < CLI_OPERATIONS; i++)
        out[i] = all[i];
}
