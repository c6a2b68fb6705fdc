/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A tool of valgrind that writes the accesses of a program as it is, of each thread, as plain text
 * (docs/trace-format.md), with marks of OpenMP's regions, barriers and chunks, and objects. The
 * variables of the environment are libpluss-trace's (tracer/tracer.h), and so are the files. It is
 * executed by itself, not by the command valgrind: PLUSS_TRACE=FILE VALGRIND_LAUNCHER=/
 * access_tool --tool=pluss --demangle=no PROGRAM ARG... A tool has no C library.
 */
#include <valgrind/pub_tool_basics.h>
/* valgrind's types come first */
#include <valgrind/libvex_guest_amd64.h>
#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_clientstate.h>
#include <valgrind/pub_tool_debuginfo.h>
#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_libcfile.h>
#include <valgrind/pub_tool_libcprint.h>
#include <valgrind/pub_tool_libcproc.h>
#include <valgrind/pub_tool_machine.h>
#include <valgrind/pub_tool_mallocfree.h>
#include <valgrind/pub_tool_options.h>
#include <valgrind/pub_tool_threadstate.h>
#include <valgrind/pub_tool_tooliface.h>
#include <valgrind/pub_tool_vki.h>

#include <string.h>
#define strlen vgPlain_strlen
#define strncmp vgPlain_strncmp
#define strstr vgPlain_strstr
#include "tracer/tracing.h"

#if !defined(VGA_amd64) || !defined(VGO_linux)
#error "arguments and results of functions are those of Linux on amd64"
#endif

enum { ROOM = 1 << 16, LINE = 96, MOST_THREADS = 1024, DEPTH = 16, MOST_BODIES = 4096 };

/* A place in the program whose execution means something. */
typedef struct place {
    const HChar *name; /* of a function; '*' stands for any characters */
    enum {
        HIDDEN,     /* what it does is not the program's */
        FUNCTION,   /* that is to be traced */
        TEAM,       /* a team begins to execute the function in that argument */
        TEAM_LOOP,  /* and a loop with it, whose start and step are the arguments 3 and 5 */
        BODY,       /* that function */
        BARRIER,    /* a thread waits for its team */
        LOOP,       /* a loop begins: start, end, step; its first chunk is put at two addresses */
        CHUNK,      /* another chunk is put at two addresses */
        ALLOCATION, /* memory is asked for: bytes, or the product of two arguments */
    } kind;
    Int argument, second; /* their numbers; -1: none */
    Addr address;         /* BODY */
    ULong number;
    Long start, step;
} place;

static place function = {.kind = FUNCTION};
static place bodies[MOST_BODIES]; /* in the order of their first execution */
static UInt n_bodies;
/* The first that fits counts. */
static place known[] = {
    {.name = "GOMP_parallel", .kind = TEAM},
    {.name = "GOMP_parallel_loop_*", .kind = TEAM_LOOP},
    {.name = "__kmpc_fork_call", .kind = TEAM, .argument = 2},
    {.name = "GOMP_barrier", .kind = BARRIER},
    {.name = "GOMP_loop_end", .kind = BARRIER},
    {.name = "__kmpc_barrier", .kind = BARRIER},
    {.name = "GOMP_loop_ull_*", .kind = HIDDEN},
    {.name = "GOMP_loop_doacross_*", .kind = HIDDEN},
    {.name = "GOMP_loop_*runtime_start", .kind = LOOP, .argument = 3},
    {.name = "GOMP_loop_*_start", .kind = LOOP, .argument = 4},
    {.name = "GOMP_loop_*_next", .kind = CHUNK},
    {.name = "GOMP_*", .kind = HIDDEN},
    {.name = "omp_*", .kind = HIDDEN},
    {.name = "__kmpc_*", .kind = HIDDEN},
    {.name = "free", .kind = HIDDEN},
    {.name = "malloc", .kind = ALLOCATION, .argument = 0, .second = -1},
    {.name = "calloc", .kind = ALLOCATION, .argument = 0, .second = 1},
    {.name = "realloc", .kind = ALLOCATION, .argument = 1, .second = -1},
    {.name = "memalign", .kind = ALLOCATION, .argument = 1, .second = -1},
    {.name = "aligned_alloc", .kind = ALLOCATION, .argument = 1, .second = -1},
    {.name = "posix_memalign", .kind = ALLOCATION, .argument = 2, .second = -1},
};

/* A call of such a function that has not returned. */
typedef struct call {
    const place *of;
    Addr sp; /* its return address is there */
    UWord
        word[2]; /* CHUNK, LOOP: where the chunk is put; ALLOCATION: bytes, where the address is */
} call;

static struct {
    Bool began;
    UInt number; /* in the order of creation, as libgomp numbers those of its teams */
    UInt depth;
    call call[DEPTH]; /* the latest last */
    UInt bodies;      /* of these, bodies of regions */
    Addr first;       /* its stack pointer when it began; 0: the first thread */
    Addr bottom;      /* its stack below here is left out */
    Long start, step; /* of its current loop */
} thread[MOST_THREADS];

static struct {
    Int fd; /* -1: there is none, or it ended */
    const HChar *path;
    HChar text[ROOM];
    UInt length;
    ULong accesses, most;
    Bool asked;     /* for a function */
    UInt executing; /* threads that are in it */
    UInt threads;
    const DebugInfo *program; /* the main one, once it is executed */
    Addr stack_end;           /* of the first thread */
} trace = {.fd = -1, .most = ~0ULL};

static plussi_tracer_block block[PLUSSI_TRACER_BLOCKS];
static UInt n_blocks;
static UInt n_counted, n_at_start; /* smaller ones, too; before the main program's code */
static HChar mangled[300];

/* ---- lines -------------------------------------------------------------------------------------
 */

static void flush(void)
{
    for (UInt done = 0; trace.fd >= 0 && done < trace.length;) {
        Int n = VG_(write)(trace.fd, trace.text + done, (Int)(trace.length - done));
        if (n > 0) {
            done += (UInt)n;
        } else if (n != -VKI_EINTR) {
            VG_(umsg)("%s: cannot be written\n", trace.path);
            trace.fd = -1;
        }
    }
    trace.length = 0;
}

static void put_text(const HChar *text)
{
    while (*text)
        trace.text[trace.length++] = *text++;
}

static void put_number(ULong value, UInt base)
{
    HChar *to = trace.text + trace.length;
    trace.length += (UInt)(plussi_tracer_put_number(to, value, base) - to);
}

static void begin_line(ThreadId tid)
{
    if (trace.length > ROOM - LINE)
        flush();
    put_number(thread[tid].number, 10);
}

/* Whether the thread executes code whose accesses are not the program's. */
static Bool is_hidden(ThreadId tid)
{
    UInt n = thread[tid].depth;
    return n > 0 && thread[tid].call[n - 1].of->kind != FUNCTION &&
           thread[tid].call[n - 1].of->kind != BODY;
}

/* Whether a thread is to be traced now: of a program with regions the others than the first in them
 * alone. */
static Bool is_wanted(ThreadId tid)
{
    return trace.fd >= 0 && (!trace.asked || trace.executing > 0) && !is_hidden(tid) &&
           (n_bodies == 0 || thread[tid].number == 0 || thread[tid].bodies > 0);
}

static void write_mark(ThreadId tid, const HChar *name, Int n, ULong a, ULong b)
{
    if (!is_wanted(tid))
        return;
    begin_line(tid);
    put_text(name);
    for (Int i = 0; i < n; i++) {
        put_text(" ");
        put_number(i ? b : a, 10);
    }
    put_text("\n");
}

static VG_REGPARM(3) void take_access(Addr address, UWord bytes_and_write, Addr pc, Addr sp)
{
    ThreadId tid = VG_(get_running_tid)();
    enum { RED_ZONE = 128 };
    Addr bottom = thread[tid].bottom;
    if (!is_wanted(tid) || (address >= sp - RED_ZONE && address < bottom))
        return;
    begin_line(tid);
    put_text(" 0x");
    put_number(address, 16);
    put_text(" ");
    put_number(bytes_and_write >> 1, 10);
    put_text(bytes_and_write & 1 ? " w 0x" : " r 0x");
    put_number(pc, 16);
    put_text("\n");
    if (++trace.accesses == trace.most) {
        VG_(umsg)
        ("%s: the trace is cut: it has as many accesses as PLUSS_TRACE_ACCESSES says\n",
         trace.path);
        flush();
        trace.fd = -1;
    }
}

/* ---- calls -------------------------------------------------------------------------------------
 */

static UWord get_register(ThreadId tid, PtrdiffT offset)
{
    UWord value;
    VG_(get_shadow_regs_area)(tid, (UChar *)&value, 0, offset, sizeof value);
    return value;
}

static UWord get_argument(ThreadId tid, Int number)
{
    static const PtrdiffT offset[] = {
        offsetof(VexGuestAMD64State, guest_RDI), offsetof(VexGuestAMD64State, guest_RSI),
        offsetof(VexGuestAMD64State, guest_RDX), offsetof(VexGuestAMD64State, guest_RCX),
        offsetof(VexGuestAMD64State, guest_R8),  offsetof(VexGuestAMD64State, guest_R9)};
    return get_register(tid, offset[number]);
}

/* The part of its stack that is left out is its latest call's, of the function that is traced or of
 * a region, else all, of the first thread nothing. */
static void find_bottom(ThreadId tid)
{
    UInt i = thread[tid].depth;
    while (i > 0 && thread[tid].call[i - 1].of->kind != FUNCTION &&
           thread[tid].call[i - 1].of->kind != BODY)
        i--;
    thread[tid].bottom = i > 0 ? thread[tid].call[i - 1].sp + sizeof(Addr) : thread[tid].first;
}

static place *find_body(Addr address)
{
    UInt i = 0;
    while (i < n_bodies && bodies[i].address != address)
        i++;
    if (i == n_bodies && i < MOST_BODIES)
        bodies[n_bodies++] = (place){.kind = BODY, .address = address, .number = i + 1};
    return i < n_bodies ? &bodies[i] : NULL;
}

static void mark_chunk(ThreadId tid, const call *c)
{
    Long step = thread[tid].step;
    if (!(get_register(tid, offsetof(VexGuestAMD64State, guest_RAX)) & 1) || step == 0)
        return;
    Long from = *(Long *)c->word[0] - thread[tid].start;
    Long to = *(Long *)c->word[1] - thread[tid].start;
    write_mark(tid, " chunk", 2, (ULong)(from / step),
               (ULong)((to + step - (step > 0 ? 1 : -1)) / step));
}

static void keep_block(ThreadId tid, const call *c)
{
    Addr address = get_register(tid, offsetof(VexGuestAMD64State, guest_RAX));
    if (c->word[1])
        address = address == 0 ? *(Addr *)c->word[1] : 0; /* posix_memalign */
    if (address && c->word[0] >= PLUSSI_TRACER_LEAST_BYTES && n_blocks < PLUSSI_TRACER_BLOCKS)
        block[n_blocks++] = (plussi_tracer_block){address, c->word[0], trace.accesses, n_counted};
    n_counted += address != 0;
}

/* The latest call ends; returned: by coming back, with its result. */
static void end_call(ThreadId tid, Bool returned)
{
    call *c = &thread[tid].call[thread[tid].depth - 1];
    if (c->of->kind == BODY) {
        write_mark(tid, " leave", 0, 0, 0);
        thread[tid].bodies--;
    }
    thread[tid].depth--;
    if (c->of->kind == FUNCTION)
        trace.executing--;
    else if (c->of->kind == ALLOCATION && returned)
        keep_block(tid, c);
    else if ((c->of->kind == CHUNK || c->of->kind == LOOP) && returned)
        mark_chunk(tid, c);
}

static Bool is_inside(ThreadId tid, const place *p)
{
    for (UInt i = 0; i < thread[tid].depth; i++)
        if (thread[tid].call[i].of == p)
            return True;
    return False;
}

static void begin_call(ThreadId tid, const place *p, Addr sp)
{
    call c = {.of = p, .sp = sp};
    place *body;
    switch (p->kind) {
    case HIDDEN:
        break;
    case TEAM:
    case TEAM_LOOP:
        body = find_body(get_argument(tid, p->argument));
        if (body && p->kind == TEAM_LOOP) {
            body->start = (Long)get_argument(tid, 3);
            body->step = (Long)get_argument(tid, 5);
        }
        break;
    case BARRIER:
        write_mark(tid, " barrier", 0, 0, 0);
        break;
    case FUNCTION:
        trace.executing++;
        break;
    case BODY:
        thread[tid].start = p->start;
        thread[tid].step = p->step;
        thread[tid].bodies++;
        break;
    case LOOP:
        thread[tid].start = (Long)get_argument(tid, 0);
        thread[tid].step = (Long)get_argument(tid, 2);
        /* fall through */
    case CHUNK:
        c.word[0] = get_argument(tid, p->argument);
        c.word[1] = get_argument(tid, p->argument + 1);
        break;
    case ALLOCATION:
        c.word[0] =
            get_argument(tid, p->argument) * (p->second >= 0 ? get_argument(tid, p->second) : 1);
        c.word[1] = p->argument == 2 ? get_argument(tid, 0) : 0;
        break;
    }
    thread[tid].call[thread[tid].depth++] = c;
    if (p->kind == BODY)
        write_mark(tid, " region", 1, p->number, 0);
}

/* The running thread begins a block of code, which is the first of that place; NULL: of none. */
static VG_REGPARM(2) void begin_block(Addr sp, const place *p)
{
    ThreadId tid = VG_(get_running_tid)();
    if (!thread[tid].began) {
        thread[tid].began = True;
        thread[tid].step = 1;
        thread[tid].first = thread[tid].number ? sp : 0;
        thread[tid].bottom = thread[tid].first;
        if (!thread[tid].number)
            trace.stack_end = VG_(thread_get_stack_max)(tid) + 1;
    }
    UInt before = thread[tid].depth;
    while (thread[tid].depth > 0 && sp > thread[tid].call[thread[tid].depth - 1].sp)
        end_call(tid, True);
    UInt n = thread[tid].depth;
    if (p && n < DEPTH && (!is_hidden(tid) || p->kind == BODY) &&
        !(p->kind == FUNCTION && is_inside(tid, p)))
        begin_call(tid, p, sp);
    if (p || n != before)
        find_bottom(tid);
}

static void make_thread(ThreadId parent, ThreadId tid)
{
    (void)parent;
    thread[tid].number = trace.threads++;
}

static void end_thread(ThreadId tid)
{
    while (thread[tid].depth > 0)
        end_call(tid, False);
    thread[tid].began = False;
}

/* ---- code --------------------------------------------------------------------------------------
 */

/* '*' stands for any characters, once. */
static Bool fits(const HChar *name, const HChar *pattern)
{
    const HChar *star = VG_(strchr)(pattern, '*');
    if (!star)
        return VG_(strcmp)(name, pattern) == 0;
    SizeT head = (SizeT)(star - pattern), tail = strlen(star + 1), n = strlen(name);
    return n >= head + tail && strncmp(name, pattern, head) == 0 &&
           VG_(strcmp)(name + n - tail, star + 1) == 0;
}

static const place *find_place(Addr address)
{
    const HChar *name;
    for (UInt i = 0; i < n_bodies; i++)
        if (bodies[i].address == address)
            return &bodies[i];
    if (!VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), address, &name))
        return NULL;
    if (trace.asked && plussi_tracer_is_function(name, function.name, mangled))
        return &function;
    for (UInt i = 0; i < sizeof known / sizeof *known; i++)
        if (fits(name, known[i].name))
            return &known[i];
    return NULL;
}

/* Code of the loader and of what executes OpenMP is not the program's, nor are the stubs of a file
 * that call other files' functions, which are not in its text. */
static Bool is_passed_over(const DebugInfo *file, Addr address)
{
    const NSegment *segment = file ? NULL : VG_(am_find_nsegment)(address);
    if (segment && segment->kind == SkFileC)
        return True;

    static const HChar *const runtime[] = {"ld-linux*", "libgomp.so*", "libomp*.so*",
                                           "vgpreload_*"};
    const HChar *name = file ? VG_(basename)(VG_(DebugInfo_get_filename)(file)) : "";
    for (UInt i = 0; i < sizeof runtime / sizeof *runtime; i++)
        if (fits(name, runtime[i]))
            return True;
    return False;
}

/* What addresses of code are moved by: those of the main program alone, which has no soname. */
static PtrdiffT find_bias(const DebugInfo *file)
{
    const HChar *name = VG_(args_the_exename), *slash = VG_(strrchr)(name, '/');
    if (!trace.program && file && VG_(strcmp)(VG_(DebugInfo_get_soname)(file), "NONE") == 0 &&
        VG_(strcmp)(VG_(basename)(VG_(DebugInfo_get_filename)(file)), slash ? slash + 1 : name) ==
            0) {
        trace.program = file;
        n_at_start = n_counted;
    }
    return file && file == trace.program ? VG_(DebugInfo_get_text_bias)(file) : 0;
}

static IRExpr *get_stack_pointer(IRSB *out)
{
    IRTemp sp = newIRTemp(out->tyenv, Ity_I64);
    addStmtToIRSB(out,
                  IRStmt_WrTmp(sp, IRExpr_Get(offsetof(VexGuestAMD64State, guest_RSP), Ity_I64)));
    return IRExpr_RdTmp(sp);
}

static void call_before(IRSB *out, const HChar *name, void *helper, Int registers, IRExpr *guard,
                        IRExpr **arguments)
{
    IRDirty *dirty = unsafeIRDirty_0_N(registers, name, VG_(fnptr_to_fnentry)(helper), arguments);
    if (guard)
        dirty->guard = guard;
    addStmtToIRSB(out, IRStmt_Dirty(dirty));
}

/* An access, where the guard is true; NULL: always. */
static void add_access(IRSB *out, IRExpr *address, Int bytes, Bool writes, Addr pc, IRExpr *guard)
{
    IRExpr **arguments = mkIRExprVec_4(address, mkIRExpr_HWord((HWord)bytes << 1 | writes),
                                       mkIRExpr_HWord(pc), get_stack_pointer(out));
    call_before(out, "take_access", take_access, 3, guard, arguments);
}

static Int size_of(const IRSB *out, const IRExpr *e)
{
    return sizeofIRType(typeOfIRExpr(out->tyenv, e));
}

static void add_accesses(IRSB *out, IRStmt *s, Addr pc)
{
    IRType to, from;
    switch (s->tag) {
    case Ist_WrTmp:
        if (s->Ist.WrTmp.data->tag == Iex_Load)
            add_access(out, s->Ist.WrTmp.data->Iex.Load.addr, size_of(out, s->Ist.WrTmp.data),
                       False, pc, NULL);
        break;
    case Ist_Store:
        add_access(out, s->Ist.Store.addr, size_of(out, s->Ist.Store.data), True, pc, NULL);
        break;
    case Ist_StoreG:
        add_access(out, s->Ist.StoreG.details->addr, size_of(out, s->Ist.StoreG.details->data),
                   True, pc, s->Ist.StoreG.details->guard);
        break;
    case Ist_LoadG:
        typeOfIRLoadGOp(s->Ist.LoadG.details->cvt, &to, &from);
        add_access(out, s->Ist.LoadG.details->addr, sizeofIRType(from), False, pc,
                   s->Ist.LoadG.details->guard);
        break;
    case Ist_Dirty:
        for (Int writes = 0; writes < 2; writes++)
            if (s->Ist.Dirty.details->mFx == Ifx_Modify ||
                s->Ist.Dirty.details->mFx == (writes ? Ifx_Write : Ifx_Read))
                add_access(out, s->Ist.Dirty.details->mAddr, s->Ist.Dirty.details->mSize, writes,
                           pc, s->Ist.Dirty.details->guard);
        break;
    case Ist_CAS:
        for (Int writes = 0; writes < 2; writes++)
            add_access(out, s->Ist.CAS.details->addr,
                       size_of(out, s->Ist.CAS.details->dataLo) *
                           (s->Ist.CAS.details->dataHi ? 2 : 1),
                       writes, pc, NULL);
        break;
    default:
        break;
    }
}

static IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                        const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                        IRType host_word)
{
    (void)closure, (void)layout, (void)host, (void)guest_word, (void)host_word;
    IRSB *out = deepCopyIRSBExceptStmts(in);
    const DebugInfo *file = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), extents->base[0]);
    PtrdiffT bias = find_bias(file);
    Bool passed_over = is_passed_over(file, extents->base[0]);
    Addr pc = 0;
    Int i = 0;
    for (; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++)
        addStmtToIRSB(out, in->stmts[i]);
    call_before(
        out, "begin_block", begin_block, 2, NULL,
        mkIRExprVec_2(get_stack_pointer(out), mkIRExpr_HWord((HWord)find_place(extents->base[0]))));
    for (; i < in->stmts_used; i++) {
        IRStmt *s = in->stmts[i];
        if (s->tag == Ist_IMark)
            pc = s->Ist.IMark.addr - (Addr)bias;
        else if (!passed_over)
            add_accesses(out, s, pc);
        addStmtToIRSB(out, s);
    }
    return out;
}

/* ---- objects -----------------------------------------------------------------------------------
 */

static void write_variable(void *out, const char *name, uintptr_t address, size_t bytes, bool code)
{
    if (!code && bytes > 0)
        VG_(fprintf)(out, "0x%lx %lu %s\n", address, bytes, name);
}

static void write_variables(VgFile *out)
{
    struct vg_stat file;
    SysRes opened = VG_(open)(VG_(DebugInfo_get_filename)(trace.program), VKI_O_RDONLY, 0);
    if (sr_isError(opened))
        return;
    Int fd = (Int)sr_Res(opened);
    if (VG_(fstat)(fd, &file) == 0 && file.size > 0) {
        HChar *image = VG_(malloc)("pluss.image", (SizeT)file.size);
        SizeT length = 0;
        for (Int n; (n = VG_(read)(fd, image + length, (Int)(file.size - (Long)length))) > 0;)
            length += (SizeT)n;
        plussi_tracer_read_symbols(image, length,
                                   (uintptr_t)VG_(DebugInfo_get_text_bias)(trace.program),
                                   write_variable, out);
        VG_(free)(image);
    }
    VG_(close)(fd);
}

static void write_objects(void)
{
    HChar *path = VG_(malloc)("pluss.path", strlen(trace.path) + sizeof ".objects");
    VG_(sprintf)(path, "%s.objects", trace.path);
    VgFile *out = VG_(fopen)(path, VKI_O_WRONLY | VKI_O_CREAT | VKI_O_TRUNC, 0666);
    if (out) {
        for (UInt i = 0; i < n_blocks; i++)
            if (!plussi_tracer_is_unused(block, i, n_blocks, trace.accesses)) {
                UInt number;
                const HChar *word = plussi_tracer_block_name(&block[i], n_at_start, &number);
                VG_(fprintf)
                (out, "0x%lx %lu %s%u\n", block[i].address, block[i].bytes, word, number);
            }
        if (trace.program)
            write_variables(out);
        VG_(fprintf)
        (out, "0x%lx %d stack\n", trace.stack_end - PLUSSI_TRACER_STACK, PLUSSI_TRACER_STACK);
        VG_(fclose)(out);
    } else {
        VG_(umsg)("%s: cannot be written\n", path);
    }
    VG_(free)(path);
}

/* ---- the tool ----------------------------------------------------------------------------------
 */

/* A forked child does not write into its parent's file. */
static void forget(ThreadId tid)
{
    (void)tid;
    trace.fd = -1;
    trace.path = NULL;
}

static void begin(void)
{
    const HChar *most = VG_(getenv)("PLUSS_TRACE_ACCESSES");
    trace.path = VG_(getenv)("PLUSS_TRACE");
    function.name = VG_(getenv)("PLUSS_TRACE_FUNCTION");
    trace.asked = function.name && *function.name;
    if (trace.asked && strlen(function.name) < 256)
        VG_(sprintf)(mangled, "%u%s", (UInt)strlen(function.name), function.name);
    if (most && *most)
        trace.most = VG_(strtoull10)(most, NULL);
    if (!trace.path)
        return;
    SysRes opened = VG_(open)(trace.path, VKI_O_WRONLY | VKI_O_CREAT | VKI_O_TRUNC, 0666);
    if (sr_isError(opened)) {
        VG_(umsg)("%s: cannot be written\n", trace.path);
        trace.path = NULL;
        return;
    }
    trace.fd = (Int)sr_Res(opened);
    VG_(atfork)(NULL, NULL, forget);
}

static void end(Int status)
{
    (void)status;
    flush();
    if (trace.path)
        write_objects();
}

static void set_up(void)
{
    VG_(details_name)("pluss");
    VG_(details_version)(NULL);
    VG_(details_description)("accesses of a program");
    VG_(details_copyright_author)("GPL-3.0-or-later");
    VG_(details_bug_reports_to)("the makers of pluss");
    VG_(basic_tool_funcs)(begin, instrument, end);
    VG_(track_pre_thread_ll_create)(make_thread);
    VG_(track_pre_thread_ll_exit)(end_thread);
    /* each function that is called begins a block */
    VG_(clo_vex_control).guest_chase = False;
}

VG_DETERMINE_INTERFACE_VERSION(set_up)
