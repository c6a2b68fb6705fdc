/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "elf_image.h"
#include "failing_mem.h"
#include "nest/nest.h"
#include "object/object.h"
#include "suite.h"

static plussi_ctx ctx;
static plussi_texts texts;

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
    texts = (plussi_texts){0};
}

static void teardown(void)
{
    if (texts.text)
        plussi_texts_free(&texts);
    plussi_ctx_clear(&ctx);
}

#define TWO "pluss-nest 1 #a\0pluss-nest 1 #b\0pluss-nest 1 #a"

static elf_spec spec_of(const char *data, size_t size)
{
    return (elf_spec){.bits = 64,
                      .file_type = ET_REL,
                      .section = PLUSSI_NESTS_SECTION,
                      .type = SHT_PROGBITS,
                      .flags = SHF_MERGE | SHF_STRINGS,
                      .data = data,
                      .size = size};
}

static pluss_status read_spec(const elf_spec *spec)
{
    image elf = elf_make(spec);
    pluss_status status = plussi_object_read_image(&ctx, elf.bytes, elf.size, "x.o", &texts);
    image_free(&elf);
    return status;
}

static void expect_error(pluss_status got, pluss_status want, const char *text)
{
    ck_assert_int_eq(got, want);
    ck_assert_uint_eq(ctx.n_diags, 1);
    ck_assert_int_eq(ctx.diags[0].severity, PLUSSI_ERROR);
    ck_assert_int_eq(ctx.diags[0].status, want);
    ck_assert_msg(strstr(ctx.diags[0].text, text), "'%s' in '%s'", text, ctx.diags[0].text);
    ck_assert_ptr_null(texts.text);
    plussi_ctx_clear(&ctx);
}

START_TEST(every_class_order_and_type)
{
    static const uint16_t types[] = {ET_REL, ET_EXEC, ET_DYN};
    for (int variant = 0; variant < 12; variant++) {
        elf_spec spec = spec_of(TWO, sizeof TWO);
        spec.bits = variant & 1 ? 32 : 64;
        spec.big_endian = variant >> 1 & 1;
        spec.file_type = types[variant >> 2];
        ck_assert_int_eq(read_spec(&spec), PLUSS_OK);
        ck_assert_uint_eq(texts.n, 2);
        ck_assert_str_eq(texts.text[0].text, "pluss-nest 1 #a");
        ck_assert_uint_eq(texts.text[0].length, strlen(texts.text[0].text));
        ck_assert_str_eq(texts.text[0].origin, "x.o#1");
        ck_assert_str_eq(texts.text[1].text, "pluss-nest 1 #b");
        ck_assert_str_eq(texts.text[1].origin, "x.o#2");
        plussi_texts_free(&texts);
    }
}
END_TEST

START_TEST(padding_is_no_text)
{
    elf_spec spec = spec_of("\0\0one\0\0\0two\0\0", 13);
    ck_assert_int_eq(read_spec(&spec), PLUSS_OK);
    ck_assert_uint_eq(texts.n, 2);
    ck_assert_str_eq(texts.text[0].text, "one");
    ck_assert_str_eq(texts.text[1].text, "two");
    ck_assert_str_eq(texts.text[1].origin, "x.o#2");
}
END_TEST

START_TEST(nothing_is_no_error)
{
    elf_spec none = {.bits = 64, .file_type = ET_REL};
    ck_assert_int_eq(read_spec(&none), PLUSS_OK);
    ck_assert_uint_eq(texts.n, 0);
    elf_spec empty = spec_of("", 0);
    ck_assert_int_eq(read_spec(&empty), PLUSS_OK);
    ck_assert_uint_eq(texts.n, 0);
    elf_spec other = spec_of("text", 5);
    other.section = ".pluss.nests.old";
    ck_assert_int_eq(read_spec(&other), PLUSS_OK);
    ck_assert_uint_eq(texts.n, 0);
    image archive = ar_start();
    ck_assert_int_eq(plussi_object_read_image(&ctx, archive.bytes, archive.size, "x.a", &texts),
                     PLUSS_OK);
    ck_assert_uint_eq(texts.n, 0);
    image_free(&archive);
    ck_assert_uint_eq(ctx.n_diags, 0);
}
END_TEST

START_TEST(bad_sections)
{
    elf_spec open_end = spec_of("pluss-nest 1", 12);
    expect_error(read_spec(&open_end), PLUSS_EFORMAT, "does not end");
    elf_spec no_bits = spec_of(NULL, 12);
    no_bits.type = SHT_NOBITS;
    expect_error(read_spec(&no_bits), PLUSS_EFORMAT, "no contents");
    elf_spec compressed = spec_of(TWO, sizeof TWO);
    compressed.flags |= SHF_COMPRESSED;
    expect_error(read_spec(&compressed), PLUSS_EFORMAT, "compressed");
}
END_TEST

START_TEST(text_files)
{
    static const char text[] = "pluss-nest 1\n";
    ck_assert_int_eq(plussi_object_read_image(&ctx, text, strlen(text), "a.nest", &texts),
                     PLUSS_OK);
    ck_assert_uint_eq(texts.n, 1);
    ck_assert_str_eq(texts.text[0].text, text);
    ck_assert_str_eq(texts.text[0].origin, "a.nest");
    plussi_texts_free(&texts);
    ck_assert_int_eq(plussi_object_read_image(&ctx, "", 0, "empty", &texts), PLUSS_OK);
    ck_assert_uint_eq(texts.n, 1);
    ck_assert_uint_eq(texts.text[0].length, 0);
    plussi_texts_free(&texts);
    texts = (plussi_texts){0};
    expect_error(plussi_object_read_image(&ctx, "ab\0c", 4, "junk", &texts), PLUSS_EFORMAT,
                 "neither");
    /* refused by its size alone */
    expect_error(plussi_object_read_image(&ctx, text, (size_t)PLUSSI_MAX_TEXT + 1, "big", &texts),
                 PLUSS_ELIMIT, "PLUSSI_MAX_TEXT");
}
END_TEST

/* Two objects with a description in common, a file that is no object, a long name. */
static image make_archive(void)
{
    elf_spec a = spec_of("one\0two", 8), b = spec_of("two\0three", 10);
    image first = elf_make(&a), second = elf_make(&b), archive = ar_start();
    ar_long_names(&archive, "a_rather_long_name_of_a_member.o/\n");
    ar_add(&archive, "first.o/", first.bytes, first.size);
    ar_add(&archive, "README/", "not an object", 13);
    ar_add(&archive, "/0", second.bytes, second.size);
    image_free(&first);
    image_free(&second);
    return archive;
}

START_TEST(archives)
{
    image archive = make_archive();
    ck_assert_int_eq(plussi_object_read_image(&ctx, archive.bytes, archive.size, "x.a", &texts),
                     PLUSS_OK);
    ck_assert_uint_eq(texts.n, 3);
    ck_assert_str_eq(texts.text[0].origin, "x.a(first.o)#1");
    ck_assert_str_eq(texts.text[1].text, "two");
    ck_assert_str_eq(texts.text[1].origin, "x.a(first.o)#2");
    ck_assert_str_eq(texts.text[2].text, "three");
    ck_assert_str_eq(texts.text[2].origin, "x.a(a_rather_long_name_of_a_member.o)#2");
    image_free(&archive);
}
END_TEST

START_TEST(bad_archives)
{
    expect_error(plussi_object_read_image(&ctx, "!<thin>\n", 8, "x.a", &texts), PLUSS_EFORMAT,
                 "thin archive");
    image archive = ar_start();
    ar_add(&archive, "x.o/", "12345678", 8);
    memcpy(archive.bytes + 8 + 48, "zz        ", 10); /* its size */
    expect_error(plussi_object_read_image(&ctx, archive.bytes, archive.size, "x.a", &texts),
                 PLUSS_EFORMAT, "archive");
    image_free(&archive);
    /* cut off within the last object */
    archive = make_archive();
    expect_error(plussi_object_read_image(&ctx, archive.bytes, archive.size - 10, "x.a", &texts),
                 PLUSS_EFORMAT, "cut off");
    image_free(&archive);
    /* the second member's header */
    archive = ar_start();
    ar_add(&archive, "README/", "text", 4);
    ar_add(&archive, "README/", "text", 4);
    archive.bytes[8 + 64 + 58] = 'x';
    expect_error(plussi_object_read_image(&ctx, archive.bytes, archive.size, "x.a", &texts),
                 PLUSS_EFORMAT, "no member at byte 72");
    expect_error(plussi_object_read_image(&ctx, archive.bytes, 8 + 64 + 30, "x.a", &texts),
                 PLUSS_EFORMAT, "no member at byte 72");
    image_free(&archive);
}
END_TEST

/* Whatever is read of a damaged file: no crash, and either texts or an error that says something.
 */
static void read_damaged(const char *bytes, size_t size)
{
    plussi_texts found = {0};
    pluss_status status = plussi_object_read_image(&ctx, bytes, size, "damaged", &found);
    if (status == PLUSS_OK) {
        for (size_t i = 0; i < found.n; i++)
            ck_assert_uint_eq(strlen(found.text[i].text), found.text[i].length);
        plussi_texts_free(&found);
    } else {
        ck_assert_int_eq(status, PLUSS_EFORMAT);
        ck_assert_uint_ge(ctx.n_diags, 1);
        ck_assert_int_eq(strncmp(ctx.diags[0].file, "damaged", 7), 0);
    }
    plussi_ctx_clear(&ctx);
}

static void damage(image whole)
{
    for (size_t size = 0; size <= whole.size; size++) {
        char *cut = malloc(size ? size : 1); /* its own block: reading past it is found out */
        memcpy(cut, whole.bytes, size);
        read_damaged(cut, size);
        free(cut);
    }
    for (size_t at = 0; at < whole.size; at++)
        for (int value = 0; value < 3; value++) {
            char old = whole.bytes[at];
            whole.bytes[at] = (char)(value == 0 ? 0 : value == 1 ? 0xff : old ^ 0x11);
            read_damaged(whole.bytes, whole.size);
            whole.bytes[at] = old;
        }
}

START_TEST(damaged_files)
{
    for (int bits = 32; bits <= 64; bits += 32) {
        elf_spec spec = spec_of(TWO, sizeof TWO);
        spec.bits = bits;
        image elf = elf_make(&spec);
        damage(elf);
        image_free(&elf);
    }
    image archive = make_archive();
    damage(archive);
    image_free(&archive);
}
END_TEST

/* Part of an ELF file never passes for a file without descriptions. */
START_TEST(truncation_is_noticed)
{
    elf_spec spec = spec_of(TWO, sizeof TWO);
    image elf = elf_make(&spec);
    for (size_t size = 4; size < elf.size; size++)
        expect_error(plussi_object_read_image(&ctx, elf.bytes, size, "x.o", &texts), PLUSS_EFORMAT,
                     "");
    image_free(&elf);
}
END_TEST

START_TEST(files_on_disk)
{
    char path[] = "/tmp/test_object_XXXXXX";
    int fd = mkstemp(path);
    elf_spec spec = spec_of(TWO, sizeof TWO);
    image elf = elf_make(&spec);
    ck_assert_int_eq(write(fd, elf.bytes, elf.size), (ssize_t)elf.size);
    close(fd);
    ck_assert_int_eq(plussi_object_read(&ctx, path, &texts), PLUSS_OK);
    ck_assert_uint_eq(texts.n, 2);
    plussi_texts_free(&texts);
    ck_assert_int_eq(truncate(path, (off_t)elf.size / 2), 0);
    texts = (plussi_texts){0};
    expect_error(plussi_object_read(&ctx, path, &texts), PLUSS_EFORMAT, "damaged");
    unlink(path);
    image_free(&elf);
    expect_error(plussi_object_read(&ctx, path, &texts), PLUSS_EIO, "cannot be opened");
    expect_error(plussi_object_read(&ctx, "/tmp", &texts), PLUSS_EIO, "cannot be read");
}
END_TEST

/* Longer than one step of reading, through a pipe, of which the length is not known. */
START_TEST(text_from_a_pipe)
{
    char path[] = "/tmp/test_object_XXXXXX";
    int fd = mkstemp(path);
    size_t size = 200000;
    char *text = malloc(size);
    for (size_t i = 0; i < size; i++)
        text[i] = (char)('a' + i % 26);
    ck_assert_int_eq(write(fd, text, size), (ssize_t)size);
    close(fd);
    char command[64];
    snprintf(command, sizeof command, "cat %s", path);
    FILE *pipe = popen(command, "r");
    char name[32];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fileno(pipe));
    ck_assert_int_eq(plussi_object_read(&ctx, name, &texts), PLUSS_OK);
    ck_assert_uint_eq(texts.text[0].length, size);
    ck_assert_mem_eq(texts.text[0].text, text, size);
    pclose(pipe);
    unlink(path);
    free(text);
}
END_TEST

START_TEST(unique_keeps_the_first)
{
    plussi_texts_init(&texts, &plussi_mem_libc);
    for (int i = 0; i < 100; i++) {
        char text[16];
        int length = snprintf(text, sizeof text, "%d", i * 7 % 10);
        ck_assert_int_eq(plussi_texts_add(&texts, text, (size_t)length, "f", (size_t)i + 1),
                         PLUSS_OK);
    }
    ck_assert_int_eq(plussi_texts_unique(&texts), PLUSS_OK);
    ck_assert_uint_eq(texts.n, 10);
    for (int i = 0; i < 10; i++) {
        ck_assert_int_eq(atoi(texts.text[i].text), i * 7 % 10);
        ck_assert_int_eq(atoi(texts.text[i].origin + 2), i + 1);
    }
}
END_TEST

START_TEST(out_of_memory)
{
    image archive = make_archive();
    for (long budget = 0;; budget++) {
        failing_mem memory;
        failing_mem_init(&memory, budget);
        plussi_ctx failing;
        plussi_ctx_init(&failing, &memory.mem);
        plussi_texts found = {0};
        pluss_status status =
            plussi_object_read_image(&failing, archive.bytes, archive.size, "x.a", &found);
        ck_assert_int_eq(status, memory.failed ? PLUSS_ENOMEM : PLUSS_OK);
        if (status == PLUSS_OK) {
            ck_assert_uint_eq(found.n, 3);
            plussi_texts_free(&found);
        } else {
            ck_assert_ptr_null(found.text);
        }
        plussi_ctx_clear(&failing);
        ck_assert_int_eq(memory.live, 0);
        if (!memory.failed)
            break;
    }
    image_free(&archive);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("object");
    TCase *t = tcase_create("object");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, every_class_order_and_type);
    tcase_add_test(t, padding_is_no_text);
    tcase_add_test(t, nothing_is_no_error);
    tcase_add_test(t, bad_sections);
    tcase_add_test(t, text_files);
    tcase_add_test(t, archives);
    tcase_add_test(t, bad_archives);
    tcase_add_test(t, damaged_files);
    tcase_add_test(t, truncation_is_noticed);
    tcase_add_test(t, files_on_disk);
    tcase_add_test(t, text_from_a_pipe);
    tcase_add_test(t, unique_keeps_the_first);
    tcase_add_test(t, out_of_memory);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
