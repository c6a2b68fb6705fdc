/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the plugin knows about one function, between GIMPLE and the nest:
 *
 *   Construct  an OpenMP construct that was flattened; marker calls in the shadow body name it
 *   Object     a block of memory that references are told apart by: a variable, the target of a
 *              pointer, a heap block, the rows that a table of pointers leads to
 *   Ref        one source-level load or store of an object
 *   Loop       a loop of the shadow's CFG with its induction variable and bounds
 *   Operations what the code of a list of items computes
 *   Item       a node of the tree that becomes the nest
 */
#ifndef PLUSSI_PLUGIN_ITEMS_H
#define PLUSSI_PLUGIN_ITEMS_H

#include "common/poly.h"

namespace pluss
{

/* ---- options (plugin.cc) --------------------------------------------------------------------- */

enum class Mode { Describe, Bind, Time, Sample, Profile, Auto };
enum class Whole { Off, On, All };

struct Options {
    Mode mode = Mode::Describe;
    bool notes = true;    /* located notes for what is not described */
    bool assume = true;   /* assumptions that only a person can know to be right; they are noted */
    bool scalars = false; /* rank-0 references too, ... */
    bool registers = false;  /* ... and to variables that a register would hold */
    bool branches = false;   /* probabilities of branches that cannot be described */
    bool ops = false;        /* counts of operations */
    bool serial = false;     /* loops of serial code as if they were parallel */
    bool accesses = false;   /* mode=auto: all regions are recorded access by access */
    Whole whole = Whole::On; /* -flto: describe again at the link what calls other units, or all */
    bool dump = false;       /* print the shadow body to stderr */
    bool report = false;     /* remarks on each loop (emit/loop_remarks.h) */
};
extern Options options;

/* ---- constructs (flatten.cc) ----------------------------------------------------------------- */

enum class ConstructKind {
    Parallel,
    For,      /* worksharing loop */
    Sections, /* as a worksharing loop over the number of the section */
    Single,
    Master,
    Critical,
    Ordered,
    Unknown, /* its body is dropped; `what` names the construct */
    Body     /* the body of the loop at depth `dim` of the construct `of` */
};

struct Construct {
    ConstructKind kind;
    location_t loc;
    bool nowait = false, ordered = false;
    bool tasks = false; /* For: a taskloop; Single, Master: ends or begins at one */
    plussi_schedule_kind schedule = PLUSSI_SCHED_NONE;
    plussi_sched_modifier modifier = PLUSSI_SCHED_PLAIN;
    unsigned collapse = 1;
    tree chunk = NULL_TREE;
    unsigned sections = 0;
    bool has_chunk = false, has_threads = false, has_if = false;
    std::string what;
    gimple *original = nullptr; /* the construct's statement in the program */
    Construct *of = nullptr;
    unsigned dim = 0;

    Construct(ConstructKind k, location_t l) : kind(k), loc(l) {}
};

/* Marker calls: pluss_mark (number, is_end, chunk | num_threads, if). */
struct Marker {
    Construct *construct;
    bool end;
    tree arg[2]; /* NULL: the call has no such argument */
};

/* ---- memory (memory.cc) ---------------------------------------------------------------------- */

enum class ObjectKind {
    Decl,    /* a variable */
    Pointer, /* the target of a pointer: parameter, global, field */
    Heap,    /* a block allocated in the function */
    Rows     /* the targets of a table of pointers */
};

/* Where the program computes a value that the description uses as a symbol. Statements are the
 * shadow's. All fields empty: origin unknown. */
struct Origin {
    tree given = NULL_TREE;      /* this parameter's value at the function's start, or that of a
                                    variable where the part begins that the shadow is of */
    gimple *def = nullptr;       /* computed by this statement, which runs once, ... */
    bool decides = false;        /* ... or more often, if it decides a branch */
    std::vector<gimple *> loads; /* loaded by any of these, ... */
    std::set<gimple *> stores;   /* ... all after what these may store (calls among them) */
    std::vector<gimple *> near;  /* not loaded, but beside what these load: from a descriptor, or
                                    from a table of few pointers */
    tree type = NULL_TREE;       /* of the loads */
};

struct Object {
    ObjectKind kind;
    tree decl = NULL_TREE; /* Decl: the variable; Pointer: the variable that holds it, if any */
    tree type = NULL_TREE; /* Decl: of the variable; else what the pointer points to, or NULL */
    std::string name;      /* as in the source; the nest's builder makes it unique */
    std::string source;    /* Pointer: the expression that the name was made of */
    location_t loc = 0;    /* of the declaration: orders the arrays of a nest */
    bool is_private = false;
    bool is_register = false; /* Decl: a register would hold the variable */
    bool is_restrict = false;
    bool is_param = false;
    unsigned descriptor_rank = 0; /* of a Fortran array known by its descriptor; 0: it is not */
    /* The type that the variable of its name is declared with, where there is a descriptor; NULL:
     * not known; error_mark_node: there are several. */
    tree declared = NULL_TREE;
    Origin origin;            /* of the pointer */
    Object *inside = nullptr; /* Pointer: loaded from this object, ... */
    int64_t at = 0;           /* ... bytes from its start */
    bool escapes = true;      /* a pointer that is not based on it, or a call, may lead to it */
    bool pointed = true;      /* such a pointer may */
    Poly bytes;               /* Heap: its size; zero where it is not known */
    Object *table = nullptr;  /* Rows: the table */
    std::string assumption;   /* noted where the object is used; "" if there is none */

    explicit Object(ObjectKind k) : kind(k) {}
};

/* One level of an address: subscript `sub` times `stride` bytes. */
struct Level {
    Poly stride, sub;
    Poly extent;               /* of the array type; 0: not known */
    bool from_pointer = false; /* steps of the pointer's own type, not an array's subscript */
};

struct Ref {
    Object *object = nullptr;
    /* Rows: where the pointer was loaded: bytes into the table; into the row of the table's own
     * table, where that is one of rows, too; and so on. */
    std::vector<Poly> path;
    Poly offset;               /* bytes from the object's start: all levels and fields together */
    std::vector<Level> levels; /* outermost first; empty: nothing but a constant offset */
    size_t field_level = 0;    /* number of levels before the first field access */
    bool has_field = false;
    std::string field;        /* ".v" and so on */
    int64_t field_offset = 0; /* bytes, of the fields up to the last level or access */
    int64_t last_offset = 0;  /* bytes after the last level */
    uint64_t width = 0;
    tree elem_type = NULL_TREE; /* of what the innermost level steps over */
    tree type = NULL_TREE;      /* of the access */
    tree array = NULL_TREE;     /* Fortran: the declared type of the array of that name, or NULL */
    bool write = false, atomic = false;
    bool is_constant =
        false;          /* the compiler put a constant there: it is not memory of the program */
    std::string reason; /* why it cannot be described; "" if it can */
    const Atom *choice = nullptr; /* what is chosen there: one of two arrays */
    location_t place =
        0; /* of the expression: the two accesses of a compound assignment have the same */
    gimple *stmt = nullptr;
    bool unneeded = false; /* the nest is right without it: a register's, or another's once more */
    const Ref *with = nullptr; /* read of a compound assignment: the write that follows it */
};

/* ---- loops (loops.cc) ------------------------------------------------------------------------ */

struct Item;

struct Loop {
    class loop *cfg = nullptr;
    bool analysed = false, busy = false;
    std::string reason; /* why it cannot be described; "" if it can */
    location_t loc = 0;
    tree control = NULL_TREE; /* the PHI result that is the induction variable */
    tree control_var = NULL_TREE;
    Poly lo, hi;
    int64_t step = 1;
    bool counted = false; /* lo..hi counts iterations; the control variable is lo + step * count */
    bool trips_known = false; /* not described: `counted' says whether a symbol counts iterations */
    /* The control variable is unsigned and passes 2^63: from `first' in steps of `by', up or down.
     */
    bool passes_sign = false, down = false;
    uint64_t first = 0, by = 0;
    basic_block test = nullptr; /* holds the exit test */
    edge leave = nullptr;
    std::vector<std::pair<tree, tree>> swaps; /* header PHIs of pointers that change places */
    Item *item = nullptr;
    std::string name;
};

/* ---- operations (operations.cc) -------------------------------------------------------------- */

enum OperationGroup {
    OP_INT_ADD,
    OP_INT_MUL,
    OP_INT_DIV,
    OP_FLT_ADD, /* addition, subtraction and multiplication */
    OP_FLT_DIV,
    OP_DBL_ADD,
    OP_DBL_DIV,
    OP_SQRT,
    OP_TRIG,
    OP_INTRINSIC,
    OP_CALL,
    N_OPERATIONS
};
extern const char *const operation_groups[N_OPERATIONS]; /* their names in the nest */

struct LineOperations {
    location_t loc;
    std::array<uint64_t, N_OPERATIONS> count;
};

struct Operations {
    std::vector<LineOperations> lines; /* in order of first occurrence */

    void add(location_t loc, OperationGroup group, uint64_t n);
    void add(const Operations &other);
    uint64_t total() const;
};

/* ---- the tree (structure.cc) ----------------------------------------------------------------- */

/* Statements of the shadow whose accesses an unknown stands for. */
struct LeftOut {
    enum Part { Read, Write, Call }; /* Call: what a called function accesses */
    std::vector<std::pair<gimple *, Part>> parts;
    std::vector<const class loop *> loops; /* all that is in them */
};

struct Item {
    plussi_node_kind kind;
    location_t loc = 0;
    basic_block bb = nullptr; /* the block of the shadow where it starts; a loop's header */
    Item *parent = nullptr;
    std::vector<Item *> body, orelse;
    Operations ops, orelse_ops;           /* of the code of body and orelse itself */
    Operations chain;                     /* LOOP: of these, what waits for the iteration before */
    Loop *loop = nullptr;                 /* LOOP */
    const Construct *construct = nullptr; /* LOOP (workshare), PARALLEL, SINGLE */
    Poly lo, hi;                          /* LOOP */
    int64_t step = 1;
    Poly chunk; /* LOOP */
    bool has_chunk = false;
    Poly threads;                      /* PARALLEL */
    const Cond *cond = nullptr;        /* IF; PARALLEL's if clause, or NULL */
    double probability = 0;            /* BRANCH, IF: the compiler's estimate, if it is asked for */
    Ref *ref = nullptr;                /* REF */
    Object *a = nullptr, *b = nullptr; /* SWAP; UNKNOWN: a or NULL */
    plussi_unknown_kind unknown = PLUSSI_UNKNOWN_CONTROL;
    std::string reason;          /* UNKNOWN */
    bool holds_parallel = false; /* UNKNOWN: it replaces a parallel construct */
    LeftOut left;                /* UNKNOWN: what it stands for, where that is known */
    bool extended = false;       /* LOOP: has an iteration more than the program's, for its test */
    bool tested_last = false;    /* LOOP: all that it does comes before its test */
    bool collapsed = false;      /* LOOP: an inner loop of a collapsed nest */

    explicit Item(plussi_node_kind k) : kind(k) {}
};

} // namespace pluss
#endif
