/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Added to a generated sampler in C, whose main is called sampler_main: prints which lines of which
 * array each thread touched.
 */
int main(void)
{
    enum { THREADS = 9 };
    struct symbols s;
    int64_t value[N_SYMBOLS + 1];
    bool given[N_SYMBOLS + 1] = {false};
    memcpy(value, defaults, sizeof value);
    set_up(&s, value, given, 64);
    for (int64_t k = 0; k < THREADS; k++) {
        walker *w = walker_new(&s, k, THREADS, 64);
        walk(w);
        for (size_t i = 0; i <= w->seen.mask; i++) {
            uint64_t line = w->seen.slot[i].line;
            if (w->seen.slot[i].last)
                printf("%d %d %" PRIu64 "\n", (int)k, (int)(line / (FAR / 64)) - 1,
                       line % (FAR / 64));
        }
        walker_free(w);
    }
    return 0;
}
