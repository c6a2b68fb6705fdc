/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which symbol belongs to which description, and whether it is there. Whole tables of symbols are
 * for tests/objects, which has a linker.
 */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "elf_image.h"
#include "failing_mem.h"
#include "object/object.h"
#include "suite.h"

static plussi_ctx ctx;
static plussi_texts texts;

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
    plussi_texts_init(&texts, &ctx.mem);
}

static void teardown(void)
{
    plussi_texts_free(&texts);
    plussi_ctx_clear(&ctx);
}

static void add_record(const char *record)
{
    ck_assert_int_eq(plussi_linked_add(&ctx, &texts, record, strlen(record), "x.o"), PLUSS_OK);
}

static void add_text(const char *text)
{
    ck_assert_int_eq(plussi_texts_add(&texts, text, strlen(text), "x.o", texts.n + 1), PLUSS_OK);
}

static void expect(size_t i, const char *symbol, plussi_presence presence)
{
    const plussi_text *text = &texts.text[i];
    if (symbol)
        ck_assert_str_eq(text->symbol, symbol);
    else
        ck_assert_ptr_null(text->symbol);
    ck_assert_int_eq(text->presence, presence);
}

static plussi_presence presence_of(const char *symbol)
{
    for (size_t i = 0; i < texts.n_linked; i++)
        if (strcmp(texts.linked[i].symbol, symbol) == 0)
            return texts.linked[i].presence;
    ck_abort_msg("no record of %s", symbol);
    return PLUSSI_PRESENCE_UNKNOWN;
}

START_TEST(texts_get_the_symbols_of_their_headings)
{
    add_text("pluss-nest 1\nregion b \"x.c\":2\n");
    add_text("region a \"x.c\":1\nparallel for i in 0..4 {\n}\n");
    add_text("pluss-nest 1\nregion a \"x.c\":11\n");
    add_text("pluss-nest 1\nregion a");
    add_text("no region here");
    add_text("pluss-nest 1\nregion c\n");
    add_record("symbol_b\nregion b \"x.c\":2");
    add_record("symbol_a\nregion a \"x.c\":1");
    add_record("symbol_c\nregion c");
    add_record("useless\n");
    plussi_linked_resolve(&texts);
    expect(0, "symbol_b", PLUSSI_PRESENCE_UNKNOWN);
    expect(1, "symbol_a", PLUSSI_PRESENCE_UNKNOWN);
    expect(2, NULL, PLUSSI_PRESENCE_UNKNOWN);
    expect(3, NULL, PLUSSI_PRESENCE_UNKNOWN);
    expect(4, NULL, PLUSSI_PRESENCE_UNKNOWN);
    expect(5, "symbol_c", PLUSSI_PRESENCE_UNKNOWN);
}
END_TEST

START_TEST(functions_and_what_is_made_of_them)
{
    static const char *const symbols[] = {"f", "ff", "f_", "g", "dotted.name", "h", "f"};
    for (size_t i = 0; i < 7; i++) {
        char record[64];
        snprintf(record, sizeof record, "%s\nregion r", symbols[i]);
        add_record(record);
    }
    plussi_linked_sort(&texts, 0);
    static const char *const functions[] = {"f._omp_fn.0", "ggg", "g.constprop.0.lto_priv.1",
                                            "dotted.name", "",    ".",
                                            "..h",         "fff", "H"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        plussi_linked_found(&texts, 0, functions[i]);
    size_t present = 0;
    for (size_t i = 0; i < texts.n_linked; i++)
        present += texts.linked[i].presence == PLUSSI_PRESENT;
    ck_assert_uint_eq(present, 4); /* f twice */
    plussi_linked_rest_absent(&texts, 0);
    ck_assert_int_eq(presence_of("f"), PLUSSI_PRESENT);
    ck_assert_int_eq(presence_of("g"), PLUSSI_PRESENT);
    ck_assert_int_eq(presence_of("dotted.name"), PLUSSI_PRESENT);
    ck_assert_int_eq(presence_of("ff"), PLUSSI_ABSENT);
    ck_assert_int_eq(presence_of("f_"), PLUSSI_ABSENT);
    ck_assert_int_eq(presence_of("h"), PLUSSI_ABSENT);
}
END_TEST

/* What members of an archive say of the same description. */
START_TEST(members_together)
{
    static const struct {
        plussi_presence first, second, both;
    } rows[] = {{PLUSSI_PRESENT, PLUSSI_ABSENT, PLUSSI_PRESENT},
                {PLUSSI_ABSENT, PLUSSI_PRESENT, PLUSSI_PRESENT},
                {PLUSSI_ABSENT, PLUSSI_ABSENT, PLUSSI_ABSENT},
                {PLUSSI_ABSENT, PLUSSI_PRESENCE_UNKNOWN, PLUSSI_PRESENCE_UNKNOWN},
                {PLUSSI_PRESENCE_UNKNOWN, PLUSSI_ABSENT, PLUSSI_PRESENCE_UNKNOWN},
                {PLUSSI_PRESENCE_UNKNOWN, PLUSSI_PRESENT, PLUSSI_PRESENT}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        add_text("pluss-nest 1\nregion f\n");
        add_record("f\nregion f");
        add_record("f\nregion f");
        texts.linked[0].presence = rows[i].first;
        texts.linked[1].presence = rows[i].second;
        plussi_linked_resolve(&texts);
        expect(0, "f", rows[i].both);
        plussi_texts_free(&texts);
    }
}
END_TEST

/* Only the records of the object at hand are touched. */
START_TEST(objects_apart)
{
    add_record("f\nregion f");
    plussi_linked_sort(&texts, 0);
    plussi_linked_found(&texts, 0, "f");
    add_record("z\nregion z");
    add_record("f\nregion f");
    plussi_linked_sort(&texts, 1);
    plussi_linked_found(&texts, 1, "z.part.0");
    plussi_linked_rest_absent(&texts, 1);
    ck_assert_int_eq(texts.linked[0].presence, PLUSSI_PRESENT);
    ck_assert_str_eq(texts.linked[1].symbol, "f");
    ck_assert_int_eq(texts.linked[1].presence, PLUSSI_ABSENT);
    ck_assert_int_eq(texts.linked[2].presence, PLUSSI_PRESENT);
}
END_TEST

static pluss_status read_records(plussi_ctx *reader, const char *data, size_t size,
                                 plussi_texts *out)
{
    elf_spec spec = {.bits = 64,
                     .file_type = ET_REL,
                     .section = PLUSSI_SYMBOLS_SECTION,
                     .type = SHT_PROGBITS,
                     .flags = SHF_MERGE | SHF_STRINGS,
                     .data = data,
                     .size = size};
    image elf = elf_make(&spec);
    pluss_status status = plussi_object_read_image(reader, elf.bytes, elf.size, "x.o", out);
    image_free(&elf);
    return status;
}

START_TEST(a_section_of_records)
{
    static const char two[] = "f\nregion f\0g\nregion `a b`";
    ck_assert_int_eq(read_records(&ctx, two, sizeof two, &texts), PLUSS_OK);
    ck_assert_uint_eq(texts.n, 0);
    ck_assert_uint_eq(texts.n_linked, 2);
    ck_assert_str_eq(texts.linked[0].symbol, "g"); /* in the order of the headings */
    ck_assert_str_eq(texts.linked[0].heading, "region `a b`");
    ck_assert_int_eq(texts.linked[0].presence, PLUSSI_PRESENCE_UNKNOWN);
}
END_TEST

START_TEST(bad_records)
{
    static const struct {
        const char *data;
        size_t size;
        const char *text;
    } rows[] = {{"f", 2, "names no symbol"},
                {"\nregion f", 10, "names no symbol"},
                {"f\nregion f", 10, "does not end"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        plussi_texts none = {0};
        ck_assert_int_eq(read_records(&ctx, rows[i].data, rows[i].size, &none), PLUSS_EFORMAT);
        ck_assert_uint_eq(ctx.n_diags, 1);
        ck_assert_msg(strstr(ctx.diags[0].text, rows[i].text), "%s", ctx.diags[0].text);
        ck_assert_msg(strstr(ctx.diags[0].text, PLUSSI_SYMBOLS_SECTION), "%s", ctx.diags[0].text);
        plussi_ctx_clear(&ctx);
    }
}
END_TEST

START_TEST(out_of_memory)
{
    static const char two[] = "f\nregion f\0g\nregion g";
    for (long budget = 0;; budget++) {
        failing_mem memory;
        failing_mem_init(&memory, budget);
        plussi_ctx failing;
        plussi_ctx_init(&failing, &memory.mem);
        plussi_texts found = {0};
        pluss_status status = read_records(&failing, two, sizeof two, &found);
        ck_assert_int_eq(status, memory.failed ? PLUSS_ENOMEM : PLUSS_OK);
        if (status == PLUSS_OK)
            plussi_texts_free(&found);
        plussi_ctx_clear(&failing);
        ck_assert_int_eq(memory.live, 0);
        if (!memory.failed)
            break;
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("linked");
    TCase *t = tcase_create("linked");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, texts_get_the_symbols_of_their_headings);
    tcase_add_test(t, functions_and_what_is_made_of_them);
    tcase_add_test(t, members_together);
    tcase_add_test(t, objects_apart);
    tcase_add_test(t, a_section_of_records);
    tcase_add_test(t, bad_records);
    tcase_add_test(t, out_of_memory);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
