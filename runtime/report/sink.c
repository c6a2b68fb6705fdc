/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/sink.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void plussi_sink_init(plussi_sink *sink, int (*write)(void *user, const char *data, size_t length),
                      void *user)
{
    sink->write = write;
    sink->user = user;
    sink->failed = false;
    sink->used = 0;
}

static void flush_sink(plussi_sink *sink)
{
    if (sink->used && !sink->failed && sink->write(sink->user, sink->buffer, sink->used) != 0)
        sink->failed = true;
    sink->used = 0;
}

void plussi_sink_bytes(plussi_sink *sink, const char *data, size_t length)
{
    if (length > sizeof sink->buffer - sink->used)
        flush_sink(sink);
    if (length > sizeof sink->buffer) {
        if (!sink->failed && sink->write(sink->user, data, length) != 0)
            sink->failed = true;
        return;
    }
    memcpy(sink->buffer + sink->used, data, length);
    sink->used += length;
}

void plussi_sink_text(plussi_sink *sink, const char *text)
{
    plussi_sink_bytes(sink, text, strlen(text));
}

void plussi_sink_repeat(plussi_sink *sink, char c, size_t n)
{
    while (n-- > 0)
        plussi_sink_bytes(sink, &c, 1);
}

pluss_status plussi_sink_finish(plussi_ctx *ctx, plussi_sink *sink)
{
    flush_sink(sink);
    if (sink->failed)
        return plussi_fail(ctx, PLUSS_EIO, NULL, "the report cannot be written");
    return PLUSS_OK;
}

size_t plussi_text_u64(char *out, uint64_t value)
{
    char digits[20];
    size_t n = 0;
    do
        digits[n++] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    for (size_t i = 0; i < n; i++)
        out[i] = digits[n - 1 - i];
    out[n] = '\0';
    return n;
}

size_t plussi_text_i64(char *out, int64_t value)
{
    if (value >= 0)
        return plussi_text_u64(out, (uint64_t)value);
    *out = '-';
    return 1 + plussi_text_u64(out + 1, -(uint64_t)value);
}

size_t plussi_text_grouped(char *out, uint64_t value)
{
    char plain[PLUSSI_NUMBER];
    size_t n = plussi_text_u64(plain, value), used = 0;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = plain[i];
    }
    out[used] = '\0';
    return used;
}

size_t plussi_text_general(char *out, double value, unsigned digits)
{
    if (!isfinite(value)) {
        strcpy(out, "-");
        return 1;
    }
    int length = snprintf(out, PLUSSI_NUMBER, "%.*g", digits < 15 ? (int)digits : 15, value);
    char *point = out + strspn(out, "0123456789-"), *after = point + strcspn(point, "0123456789e");
    if (after > point) { /* whatever the locale's decimal point is */
        *point = '.';
        memmove(point + 1, after, (size_t)(out + length + 1 - after));
    }
    return strlen(out);
}

size_t plussi_text_fixed(char *out, double value, unsigned decimals)
{
    static const uint64_t power[] = {1,           10,           100,          1000,      10000,
                                     100000,      1000000,      10000000,     100000000, 1000000000,
                                     10000000000, 100000000000, 1000000000000};
    size_t used = 0;
    uint64_t scale = power[decimals <= 12 ? decimals : 12];
    if (!(fabs(value) * (double)scale < 0x1p63))
        return plussi_text_general(out, value, 15);
    uint64_t units = (uint64_t)llround(fabs(value) * (double)scale);
    if (value < 0 && units > 0)
        out[used++] = '-';
    used += plussi_text_u64(out + used, units / scale);
    if (scale > 1) {
        out[used++] = '.';
        for (uint64_t digit = scale / 10, rest = units % scale; digit > 0; digit /= 10)
            out[used++] = (char)('0' + rest / digit % 10);
    }
    out[used] = '\0';
    return used;
}

size_t plussi_text_bytes(char *out, uint64_t bytes)
{
    static const char *const unit[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
    unsigned u = 0;
    while (u < 6 && bytes >> (10 * (u + 1)) != 0)
        u++;
    double value = ldexp((double)bytes, -10 * (int)u);
    unsigned decimals = 0;
    if (u > 0 && bytes << (64 - 10 * u) != 0)
        decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
    size_t used = plussi_text_fixed(out, value, decimals);
    strcpy(out + used, unit[u]);
    return used + strlen(unit[u]);
}
