// SPDX-License-Identifier: GPL-3.0-or-later
structs! {
    pluss_diagnostic { size, severity, status, file, line, col, text }
    pluss_context_options { size, resize, resize_user, log, log_user, ask, ask_user, kept_bytes }
    pluss_ranks { size, n, send, probe, receive, user }
    pluss_contents { array, values, n }
    pluss_nest_info { size, origin, regions, symbols, loops, refs, unknowns, arrays }
    pluss_region_info { size, name, file, line, col, symbol, no_symbol }
    pluss_symbol_info { size, kind, name, origin, value, region }
    pluss_array_info { size, name, element, rank, region, is_private, has_contents }
    pluss_loop_info { size, region, depth, file, line, col, iv, lo, hi, step, parallel, schedule, collapse, nowait }
    pluss_ref_info { size, region, r#loop, file, line, col, text, array, write, atomic, parallel, sharing }
    pluss_unknown_info { size, region, file, line, col, kind, array, reason }
    pluss_array_spec { size, element, name, rank, extents, strides, column, is_private, base_kind, base, over, alias, values, n_values }
    pluss_loop_spec { size, iv, lo, hi, step, kind, schedule, chunk, chunk2, collapse, nowait, ordered, num_threads, condition }
    pluss_ref_spec { size, array, n_subscripts, subscripts, write, atomic, first_byte, bytes }
    pluss_binding { name, value }
    pluss_chunk { r#loop, thread, time, lo, hi }
    pluss_loop_rates { r#loop, rates, costs }
    pluss_progress { size, law, accesses, cores, sigma, skew, skew_spread, rates, n_rates, stall_rate, stall, loops, n_loops, timelines, origin, by_default, wake, access }
    pluss_progress_info { size, name, syntax, summary, predicted, simulated }
    pluss_option_info { size, name, syntax, summary, letter, adds, predict, simulate, run, gaps, calibrate }
    pluss_cache { bytes, label, threads }
    pluss_model_info { size, name, summary, scales }
    pluss_capacities { size, max_bytes, core_bytes, share_bytes }
    pluss_number { name, value }
    pluss_curve_info { size, region, file, line, team, simulated, engine, line_bytes, seed, schedule, n_bindings, bindings, footprint_lines, accesses, unknowns, n_points, size_lines, miss, mean_error, n_error_points, error_size_lines, error, threads_per_cache, spread, progress, progress_from, progress_source, n_progress_numbers, progress_numbers }
    pluss_record_info { size, line_bytes, n_blocks, lost_runs, n_objects, objects, runs, runs_lost }
    pluss_block_info { size, region, file, line, team, by, runs, accesses, lost, n_symbols, symbols, n_arrays, n_places, arrays, addresses, has_intervals, n_chunks, chunks }
    pluss_knee_info { size, at_lines, from_lines, to_lines, before, after, n_reuses }
    pluss_reuse_info { size, share, array, reference, write, atomic, file, line, carried, r#loop, loop_file, loop_line, other_thread, source, source_write, source_atomic, source_file, source_line }
    pluss_misses { requests, misses, error, cold, capacity, conflict, true_sharing, false_sharing, bytes_fetched, bytes_written_back, bytes_written_back_error, after_other_thread }
    pluss_level_info { size, name, region, threads, threads_per_cache, simulated, line_bytes, bytes, sets, ways, accesses, misses, n_references, ways_from, point, n_threads }
    pluss_level_thread { size, thread, misses }
    pluss_level_reference { size, reference, write, atomic, file, line, r#loop, misses, conflicts_with, conflicts, row_bytes, column_sets, pad_bytes }
    pluss_level_group { size, array, r#loop, file, line, n_references, misses }
    pluss_trace_info { size, touched_runs, timed_runs }
    pluss_timelines_info { size, runs, team, phases, accesses }
    pluss_calibration_info { size, region, file, line, team, runs, discarded, sigma_error, skew_error, stall_rate_error, progress, access_ns, access_error }
    pluss_calibrated_by { size, command, date, processor, slice_ns }
    pluss_machine_file_info { size, n_regions, sigma, skew, slice_ns, n_levels, line_bytes, cores, processors }
    pluss_pri_info { size, sharing, sharers, cold, thread_first, n_bins, interval, weight }
    pluss_format_info { size, name, summary }
    pluss_write_options { size, table }
    pluss_machine_cache { name, r#type, level, bytes, line_bytes, ways, shared_by, count }
    pluss_machine_info { size, cpu, cores, processors, caches, n_caches }
    pluss_measured { value, spread }
    pluss_operation_cost { group, cycles, latency }
    pluss_line_cost { name, latency, stream, strided, scattered, shared, written, held }
    pluss_burst_cost { level, lines, cycles }
    pluss_transfer_cost { latency, stream, strided, scattered, upgrade }
    pluss_page_cost { reach, cycles }
    pluss_team_cost { threads, start, barrier }
    pluss_machine_costs {
        size, cycle_ns, issue, operations, n_operations, levels, n_levels, window, serial,
        page_bytes, pages, n_pages, teams, n_teams, bursts, n_bursts, transfer
    }
    pluss_report_options {
        size, caches, n_caches, only_caches, note, scaling, plot, private_latency, shared_latency,
        memory_latency, brief
    }
    pluss_overview_options {
        size, title, caches, n_caches, nests, n_nests, sources, folders, n_folders, note, plot,
        advised, options
    }
    pluss_advice_info {
        size, kind, region, file, line, text, steps, source, worst, threads, threads_then, gain, error
    }
    pluss_time_info { size, region, file, line, threads, seconds, error, speedup, imbalance, core, dependences, memory, bound, level, counted, barriers }
    pluss_difference { size, mean_abs, max_abs, mean_signed, max_at_lines, first_lines, last_lines, n, a, b }
    pluss_compare_options { size, grid, a_name, b_name }
    pluss_comparison_info { size, n, mean_abs, greatest_mean_abs, n_levels, greatest_of_levels }
    pluss_level_difference { size, region, name, threads, threads_per_cache, a_misses, b_misses, difference, error, ways, line_bytes, a_accesses, b_accesses }
    pluss_gaps_info { size, region, file, line, r#loop, team, bins, lap, runs }
    pluss_gaps_test { size, samples, stops, outside, wrong, chi2, p, lag1, correlation, effective, p_corrected, counts, n_counts }
    pluss_sweep_info { size, cells, identity }
}

constants! {
    PLUSS_OK,
    PLUSS_ENOMEM,
    PLUSS_EINVAL,
    PLUSS_ERANGE,
    PLUSS_EPARSE,
    PLUSS_EINVALID,
    PLUSS_EUNBOUND,
    PLUSS_EUNSUPPORTED,
    PLUSS_ELIMIT,
    PLUSS_EIO,
    PLUSS_EFORMAT,
    PLUSS_ENOTFOUND,
    PLUSS_ECANCELLED,
    PLUSS_EINTERNAL,
    PLUSS_EEMPTY,
    PLUSS_NOTE,
    PLUSS_WARNING,
    PLUSS_ERROR,
    PLUSS_SYMBOL_UNBOUND,
    PLUSS_SYMBOL_BOUND,
    PLUSS_SYMBOL_DERIVED,
    PLUSS_SHARING_NONE,
    PLUSS_SHARING_SPATIAL,
    PLUSS_SHARING_FULL,
    PLUSS_SHARING_SPLIT,
    PLUSS_BASE_FREE,
    PLUSS_BASE_OFFSET,
    PLUSS_BASE_ADDRESS,
    PLUSS_BASE_OVER,
    PLUSS_LOOP_SEQUENTIAL,
    PLUSS_LOOP_WORKSHARE,
    PLUSS_LOOP_PARALLEL,
    PLUSS_BLOCK_MASTER,
    PLUSS_BLOCK_SINGLE,
    PLUSS_BLOCK_SINGLE_NOWAIT,
    PLUSS_BLOCK_CRITICAL,
    PLUSS_BLOCK_ORDERED,
    PLUSS_SCHEDULE_AS_WRITTEN,
    PLUSS_SCHEDULE_STATIC,
    PLUSS_SCHEDULE_DYNAMIC,
    PLUSS_SCHEDULE_GUIDED,
    PLUSS_SCHEDULE_RECORDED,
    PLUSS_RECORDED_PROFILE,
    PLUSS_RECORDED_BIND,
    PLUSS_RECORDED_SAMPLE,
    PLUSS_CARRIED_BY_NOTHING,
    PLUSS_CARRIED_BY_LOOP,
    PLUSS_CARRIED_BY_REPETITION,
    PLUSS_CARRIED_BY_OTHER_LOOP,
    PLUSS_CARRIED_BY_SAME_ITERATION,
    PLUSS_WAYS_GIVEN,
    PLUSS_WAYS_MACHINE,
    PLUSS_WAYS_UNKNOWN,
    PLUSS_BY_ARRAY,
    PLUSS_BY_LOOP,
    PLUSS_LANGUAGE_C,
    PLUSS_LANGUAGE_RUST,
    PLUSS_CACHE_UNIFIED,
    PLUSS_CACHE_DATA,
    PLUSS_CACHE_INSTRUCTION,
    PLUSS_ADVICE_INTERCHANGE,
    PLUSS_ADVICE_TILE,
    PLUSS_ADVICE_FUSE,
    PLUSS_ADVICE_SCHEDULE,
    PLUSS_ADVICE_PAD,
    PLUSS_ADVICE_SPREAD,
    PLUSS_ADVICE_THREADS,
    PLUSS_TIME_CORE,
    PLUSS_TIME_DEPENDENCES,
    PLUSS_TIME_LATENCY,
    PLUSS_TIME_BANDWIDTH,
    PLUSS_TIME_TRANSLATION,
    PLUSS_TIME_BARRIERS,
    PLUSS_TIME_IMBALANCE,
    PLUSS_TIME_TRANSFERS,
    PLUSS_GRID_STRICT,
    PLUSS_GRID_PAPER,
}
