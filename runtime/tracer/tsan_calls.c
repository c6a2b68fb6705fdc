/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The functions that code compiled with -fsanitize=thread calls: sanitizer/tsan_interface.h and
 * tsan_interface_atomic.h of compiler-rt.
 */
#include "tracer/tracer.h"

#include <string.h>

#define PUBLIC __attribute__((visibility("default")))
#define PC __builtin_return_address(0)

#define ACCESS(name, bytes, writes)                                                                \
    PUBLIC void __tsan_##name(void *address);                                                      \
    PUBLIC void __tsan_##name(void *address)                                                       \
    {                                                                                              \
        plussi_tracer_access(address, bytes, writes, PC);                                          \
    }
#define UPDATE(name, bytes)                                                                        \
    PUBLIC void __tsan_##name(void *address);                                                      \
    PUBLIC void __tsan_##name(void *address)                                                       \
    {                                                                                              \
        plussi_tracer_access(address, bytes, false, PC);                                           \
        plussi_tracer_access(address, bytes, true, PC);                                            \
    }
#define SIZE(n)                                                                                    \
    ACCESS(read##n, n, false)                                                                      \
    ACCESS(write##n, n, true)                                                                      \
    ACCESS(unaligned_read##n, n, false)                                                            \
    ACCESS(unaligned_write##n, n, true)                                                            \
    ACCESS(volatile_read##n, n, false)                                                             \
    ACCESS(volatile_write##n, n, true)                                                             \
    ACCESS(unaligned_volatile_read##n, n, false)                                                   \
    ACCESS(unaligned_volatile_write##n, n, true)                                                   \
    UPDATE(read_write##n, n)                                                                       \
    UPDATE(unaligned_read_write##n, n)
SIZE(1)
SIZE(2)
SIZE(4)
SIZE(8)
SIZE(16)
ACCESS(vptr_read, sizeof(void *), false)

/* An access of any number of bytes. */
#define RANGE(address, bytes, writes)                                                              \
    plussi_tracer_take_access((uintptr_t)(address), bytes, writes, (uintptr_t)PC)
#define DECLARE(type, name, ...)                                                                   \
    PUBLIC type __tsan_##name(__VA_ARGS__);                                                        \
    PUBLIC type __tsan_##name(__VA_ARGS__)

DECLARE(void, vptr_update, void *address, void *value)
{
    (void)value;
    plussi_tracer_access(address, sizeof(void *), true, PC);
}
DECLARE(void, read_range, void *address, unsigned long bytes)
{
    RANGE(address, bytes, false);
}
DECLARE(void, write_range, void *address, unsigned long bytes)
{
    RANGE(address, bytes, true);
}
DECLARE(void *, memcpy, void *to, const void *from, size_t bytes)
{
    RANGE(from, bytes, false);
    RANGE(to, bytes, true);
    return memcpy(to, from, bytes);
}
DECLARE(void *, memmove, void *to, const void *from, size_t bytes)
{
    RANGE(from, bytes, false);
    RANGE(to, bytes, true);
    return memmove(to, from, bytes);
}
DECLARE(void *, memset, void *to, int value, size_t bytes)
{
    RANGE(to, bytes, true);
    return memset(to, value, bytes);
}
DECLARE(void, init, void) {}
DECLARE(void, func_entry, void *caller)
{
    (void)caller;
    plussi_tracer_begin_function((uintptr_t)PC);
}
DECLARE(void, func_exit, void)
{
    plussi_tracer_end_function();
}
DECLARE(void, ignore_thread_begin, void) {}
DECLARE(void, ignore_thread_end, void) {}

/* ---- atomic operations: as asked for, in the strongest order -----------------------------------
 */

#define FETCH(bits, type, name, builtin)                                                           \
    DECLARE(type, atomic##bits##_##name, volatile type *address, type value, int order)            \
    {                                                                                              \
        (void)order;                                                                               \
        plussi_tracer_access((const void *)address, sizeof(type), false, PC);                      \
        plussi_tracer_access((const void *)address, sizeof(type), true, PC);                       \
        plussi_tracer_commit();                                                                    \
        return builtin(address, value, __ATOMIC_SEQ_CST);                                          \
    }
#define EXCHANGE(bits, type, name)                                                                 \
    DECLARE(int, atomic##bits##_compare_exchange_##name, volatile type *address, type *expected,   \
            type value, int order, int failure)                                                    \
    {                                                                                              \
        (void)order;                                                                               \
        (void)failure;                                                                             \
        plussi_tracer_access((const void *)address, sizeof(type), false, PC);                      \
        plussi_tracer_access((const void *)address, sizeof(type), true, PC);                       \
        plussi_tracer_commit();                                                                    \
        return __atomic_compare_exchange_n(address, expected, value, false, __ATOMIC_SEQ_CST,      \
                                           __ATOMIC_SEQ_CST);                                      \
    }
#define ATOMIC(bits, type)                                                                         \
    DECLARE(type, atomic##bits##_load, const volatile type *address, int order)                    \
    {                                                                                              \
        (void)order;                                                                               \
        plussi_tracer_access((const void *)address, sizeof(type), false, PC);                      \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                         \
    }                                                                                              \
    DECLARE(void, atomic##bits##_store, volatile type *address, type value, int order)             \
    {                                                                                              \
        (void)order;                                                                               \
        plussi_tracer_access((const void *)address, sizeof(type), true, PC);                       \
        plussi_tracer_commit();                                                                    \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                        \
    }                                                                                              \
    DECLARE(type, atomic##bits##_compare_exchange_val, volatile type *address, type expected,      \
            type value, int order, int failure)                                                    \
    {                                                                                              \
        (void)order;                                                                               \
        (void)failure;                                                                             \
        plussi_tracer_access((const void *)address, sizeof(type), false, PC);                      \
        plussi_tracer_access((const void *)address, sizeof(type), true, PC);                       \
        plussi_tracer_commit();                                                                    \
        __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_SEQ_CST,            \
                                    __ATOMIC_SEQ_CST);                                             \
        return expected;                                                                           \
    }                                                                                              \
    EXCHANGE(bits, type, strong)                                                                   \
    EXCHANGE(bits, type, weak)                                                                     \
    FETCH(bits, type, exchange, __atomic_exchange_n)                                               \
    FETCH(bits, type, fetch_add, __atomic_fetch_add)                                               \
    FETCH(bits, type, fetch_sub, __atomic_fetch_sub)                                               \
    FETCH(bits, type, fetch_and, __atomic_fetch_and)                                               \
    FETCH(bits, type, fetch_or, __atomic_fetch_or)                                                 \
    FETCH(bits, type, fetch_xor, __atomic_fetch_xor)                                               \
    FETCH(bits, type, fetch_nand, __atomic_fetch_nand)
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

DECLARE(void, atomic_thread_fence, int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
DECLARE(void, atomic_signal_fence, int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
