/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs a fuzz target over files, without a fuzzer: the corpus as a test, or a crash again.
 *
 *     replay FILE...
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *read_file(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    if (!file)
        return NULL;
    uint8_t *bytes = NULL;
    size_t room = 0, n = 0, got;
    do {
        if (n == room) {
            room = room ? room * 2 : 4096;
            uint8_t *grown = realloc(bytes, room);
            if (!grown)
                break;
            bytes = grown;
        }
        got = fread(bytes + n, 1, room - n, file);
        n += got;
    } while (got > 0);
    int failed = ferror(file);
    fclose(file);
    if (failed) {
        free(bytes);
        return NULL;
    }
    /* exactly as large as the file, so that a read behind it is seen */
    uint8_t *exact = realloc(bytes, n ? n : 1);
    *size = n;
    return exact ? exact : bytes;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        size_t size;
        uint8_t *bytes = read_file(argv[i], &size);
        if (bytes) {
            LLVMFuzzerTestOneInput(bytes, size); /* aborts on a fault */
            printf("ok - %s\n", argv[i]);
        } else {
            printf("not ok - %s cannot be read\n", argv[i]);
            failed = 1;
        }
        fflush(stdout);
        free(bytes);
    }
    return failed;
}
