/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/shown.h"

#include <math.h>
#include <string.h>

#include "report/writer.h"

size_t plussi_count_character(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = *s < 0x80 ? 1 : *s >> 5 == 6 ? 2 : *s >> 4 == 14 ? 3 : *s >> 3 == 30 ? 4 : 0;
    uint32_t code = n > 1 ? *s & (0x7fu >> n) : *s;
    for (size_t i = 1; i < n; i++) {
        if (s[i] >> 6 != 2)
            return 0;
        code = code << 6 | (s[i] & 0x3f);
    }
    return n && code >= least[n] && code <= 0x10ffff && code >> 11 != 0x1b ? n : 0;
}

static double real_of(const plussi_datum *datum)
{
    return datum->kind == PLUSSI_D_REAL      ? datum->u.real
           : datum->kind == PLUSSI_D_INTEGER ? (double)datum->u.integer
           : datum->kind == PLUSSI_D_COUNT   ? (double)datum->u.count
                                             : NAN;
}

static void put_real(const plussi_heading *heading, double value, char *out)
{
    switch (heading->show) {
    case PLUSSI_AS_POINTS:
        plussi_text_fixed(out, 100 * value, heading->digits);
        break;
    case PLUSSI_AS_GENERAL:
        plussi_text_general(out, value, heading->digits);
        break;
    case PLUSSI_AS_NUMBER:
        plussi_text_fixed(out, value, heading->digits);
        break;
    default:
        if (value >= 0 && value < 0x1p63 && heading->show == PLUSSI_AS_BYTES)
            plussi_text_bytes(out, (uint64_t)value);
        else if (value >= 0 && value < 0x1p63 && heading->show == PLUSSI_AS_COUNT)
            plussi_text_grouped(out, (uint64_t)(value + .5));
        else
            plussi_text_general(out, value, 15);
    }
}

void plussi_show_place(const plussi_loc *place, plussi_shown *out)
{
    size_t n = 0;
    out->file = place->file ? place->file : place->line ? "?" : "";
    if (place->line) {
        out->place[n++] = ':';
        n += plussi_text_u64(out->place + n, place->line);
    }
    if (place->line && place->col) {
        out->place[n++] = ':';
        n += plussi_text_u64(out->place + n, place->col);
    }
    out->place[n] = '\0';
    out->main = out->place;
}

void plussi_show_datum(const plussi_heading *heading, const plussi_datum *datum, plussi_shown *out)
{
    bool number = datum->kind >= PLUSSI_D_INTEGER && datum->kind <= PLUSSI_D_REAL;
    bool whole = datum->kind == PLUSSI_D_COUNT && heading->show == PLUSSI_AS_COUNT;
    out->main = datum->kind == PLUSSI_D_ABSENT ? "" : "-";
    out->unit = out->file = "";
    *out->error = '\0';
    if (whole || (datum->kind == PLUSSI_D_COUNT && heading->show == PLUSSI_AS_BYTES)) {
        (whole ? plussi_text_grouped : plussi_text_bytes)(out->room, datum->u.count);
        out->main = out->room;
    } else if (datum->kind == PLUSSI_D_REAL || (number && heading->show == PLUSSI_AS_POINTS)) {
        double value = real_of(datum);
        put_real(heading, value, out->room);
        out->main = isnan(value) && datum->error >= 0 ? "" : out->room;
        if (datum->error >= 0 && isfinite(datum->error)) {
            memcpy(out->error, "+-", 3);
            put_real(heading, datum->error, out->error + 2);
        }
    } else if (datum->kind == PLUSSI_D_BOOLEAN) {
        out->main = datum->u.boolean ? "yes" : "no";
    } else if (datum->kind == PLUSSI_D_PLACE) {
        out->main = "";
        if (datum->u.place.line)
            plussi_show_place(&datum->u.place, out);
    } else if (plussi_datum_print(datum, out->room)) {
        out->main = plussi_datum_print(datum, out->room);
    }
    if (heading->unit && number && strcmp(out->main, "-") != 0)
        out->unit = heading->unit;
}

void plussi_put_shown(void (*put)(void *writer, const char *text), void *writer,
                      const char *before_error, const plussi_heading *heading,
                      const plussi_datum *datum)
{
    plussi_shown p;
    plussi_show_datum(heading, datum, &p);
    put(writer, p.file);
    put(writer, p.main);
    put(writer, *p.error ? before_error : "");
    put(writer, *p.error ? p.error + 2 : "");
    put(writer, *p.unit ? " " : "");
    put(writer, p.unit);
}
