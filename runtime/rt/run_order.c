/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/run_order.h"

#include "rt/own_memory.h"
#include "rt/sidecar.h"

void plussi_order_free(plussi_run_order *order)
{
    plussi_free(&plussi_own, order->run);
    plussi_free(&plussi_own, order->line);
    *order = (plussi_run_order){0};
}

void plussi_order_lose(plussi_run_order *order)
{
    order->lost++;
}

/* Room for one more of n entries, of at most `most`. */
static bool has_room(void *ptr_to_array, size_t *cap, size_t n, size_t most, size_t size)
{
    void **array = ptr_to_array;
    if (n < *cap)
        return true;
    const size_t grown = *cap ? 2 * *cap : 64;
    void *larger =
        n < most ? plussi_realloc(&plussi_own, *array, grown < most ? grown : most, size) : NULL;
    if (!larger)
        return false;
    *array = larger;
    *cap = grown < most ? grown : most;
    return true;
}

/* Appends it, or adds it to the last one if that is the same and neither has lines. */
static void append(plussi_run_order *order, plussi_ordered_run run)
{
    order->opens = false;
    plussi_ordered_run *last = order->n_runs ? &order->run[order->n_runs - 1] : NULL;
    if (order->lost) {
        order->lost += run.place != PLUSSI_PIECE;
    } else if (last && last->block == run.block && last->place == run.place &&
               run.place != PLUSSI_PIECE && last->lines == run.lines &&
               (run.lines == 0 || run.lines == PLUSSI_ORDER_DESCRIBED)) {
        last->times++;
    } else if (has_room(&order->run, &order->cap_runs, order->n_runs, PLUSSI_ORDERED_RUNS,
                        sizeof run)) {
        order->run[order->n_runs++] = run;
    } else {
        order->lost = 1;
    }
}

/* Leaves at most one line in 2^shift. */
static void thin(plussi_run_order *order, unsigned shift)
{
    if (shift <= order->shift)
        return;
    order->shift = shift;
    order->n_lines =
        plussi_thin_runs(order->run, order->n_runs, order->line, plussi_line_threshold(shift));
}

void plussi_order_described(plussi_run_order *order, uint32_t block, uint32_t place)
{
    order->described = true;
    append(order, (plussi_ordered_run){block, place, 1, PLUSSI_ORDER_DESCRIBED});
}

void plussi_order_around(plussi_run_order *order, uint32_t block)
{
    order->around = true;
    append(order, (plussi_ordered_run){block, PLUSSI_AROUND, 1, PLUSSI_ORDER_DESCRIBED});
}

void plussi_order_described_piece(plussi_run_order *order, uint32_t run, uint64_t teams)
{
    order->described = true;
    append(order, (plussi_ordered_run){run, PLUSSI_PIECE, 0, PLUSSI_ORDER_TEAMS + teams});
    order->pieces += !order->lost;
}

void plussi_order_described_rest(plussi_run_order *order, uint32_t block, uint32_t place,
                                 uint64_t teams)
{
    append(order, (plussi_ordered_run){block, place, 1, PLUSSI_ORDER_TEAMS + teams});
}

/* Its lines are told next, one in 2^shift. */
static void append_with_lines(plussi_run_order *order, plussi_ordered_run run, unsigned shift)
{
    thin(order, shift);
    append(order, run);
}

void plussi_order_walked(plussi_run_order *order, uint32_t block, uint32_t place, unsigned shift)
{
    order->walked = true;
    append_with_lines(order, (plussi_ordered_run){block, place, 1, 0}, shift);
}

void plussi_order_recorded(plussi_run_order *order, uint32_t block, unsigned shift)
{
    order->recorded = true;
    append_with_lines(order, (plussi_ordered_run){block, PLUSSI_NO_PLACE, 1, 0}, shift);
}

void plussi_order_piece(plussi_run_order *order, uint32_t run, unsigned shift)
{
    order->recorded = true;
    thin(order, shift);
    order->opens = true;
    order->of = run;
}

/* Its `times` are 0 until its run has ended. */
static void open_piece(plussi_run_order *order)
{
    append(order, (plussi_ordered_run){order->of, PLUSSI_PIECE, 0, 0});
    order->pieces += !order->lost;
}

void plussi_order_join(plussi_run_order *order, size_t from, uint32_t run)
{
    for (size_t i = from; i + 1 < order->n_runs && !order->lost; i++) {
        plussi_ordered_run *piece = &order->run[i];
        if (piece->place != PLUSSI_PIECE || piece->times || piece->block != run)
            continue;
        piece->block = order->run[order->n_runs - 1].block;
        piece->times = order->n_runs - 1 - i;
    }
}

void plussi_order_drop(plussi_run_order *order)
{
    if (order->lost)
        return;
    plussi_ordered_run *run = order->opens ? NULL : &order->run[order->n_runs - 1];
    if (run && run->times > 1) { /* those before it have no lines, nor has it */
        run->times--;
    } else if (run) {
        order->n_lines -= run->lines;
        order->pieces -= run->place == PLUSSI_PIECE;
        order->n_runs--;
    }
    plussi_order_lose(order);
}

void plussi_order_line(plussi_run_order *order, uint64_t line, uint64_t last)
{
    if (order->lost || plussi_line_hash(line) > plussi_line_threshold(order->shift))
        return;
    while (!has_room(&order->line, &order->cap_lines, order->n_lines, PLUSSI_ORDERED_LINES,
                     sizeof *order->line)) {
        if (order->shift == PLUSSI_LEAST_RATE_BITS || !order->n_lines) {
            plussi_order_drop(order);
            return;
        }
        thin(order, order->shift + 1);
    }
    if (plussi_line_hash(line) > plussi_line_threshold(order->shift))
        return;
    if (order->opens)
        open_piece(order);
    if (order->lost)
        return;
    plussi_ordered_run *run = &order->run[order->n_runs - 1];
    if (run->times > 1) { /* those before it have none */
        run->times--;
        plussi_ordered_run own = {run->block, run->place, 1, 1};
        if (!has_room(&order->run, &order->cap_runs, order->n_runs, PLUSSI_ORDERED_RUNS,
                      sizeof own)) {
            plussi_order_lose(order);
            return;
        }
        order->run[order->n_runs++] = own;
    } else {
        run->lines++;
    }
    order->line[order->n_lines++] = (plussi_ordered_line){line, last};
}

bool plussi_order_is_needed(const plussi_run_order *order)
{
    const int kinds = order->described + order->recorded + order->walked;
    return (kinds > 1 || order->pieces || order->around) && order->n_runs;
}

void plussi_order_write(const plussi_run_order *order, plussi_outfile *sidecar)
{
    const uint64_t to = plussi_line_threshold(order->shift);
    plussi_trace_section runs = {
        .kind = PLUSSI_SECTION_ORDER, .size = sizeof *order->run, .n = order->n_runs, .to = to};
    plussi_trace_section lines = {
        .kind = PLUSSI_SECTION_LINES, .size = sizeof *order->line, .n = order->n_lines, .to = to};
    plussi_trace_section_put(sidecar, &runs, order->run);
    if (order->n_lines)
        plussi_trace_section_put(sidecar, &lines, order->line);
}
