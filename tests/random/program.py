# SPDX-License-Identifier: GPL-3.0-or-later
"""A random program as a tree: expressions with the types and conversions of C, statements, OpenMP constructs. A program can
be run in its tree (`Program.settle`), which finds what subscripts come to, so that arrays get their extents and references
their offsets, and refuses what the language leaves undefined: overflow, division by zero, a counter that leaves its type.
Statements are lists of nodes that may be cut down anywhere (shrink.py); printed.py turns the tree into source."""


import copy


class Undefined(Exception):
    """What the program may not do, or what takes too long."""


class Type:
    def __init__(self, c, bits, signed, real=False, f=None):
        self.c, self.bits, self.signed, self.real, self.f = c, bits, signed, real, f
        self.low = -(1 << bits - 1) if signed else 0
        self.high = (1 << bits - 1 if signed else 1 << bits) - 1

    def __repr__(self):
        return self.c


CHAR, UCHAR = Type("signed char", 8, True), Type("unsigned char", 8, False)
SHORT, USHORT = Type("short", 16, True, f="integer(2)"), Type("unsigned short", 16, False)
INT, UINT = Type("int", 32, True, f="integer(4)"), Type("unsigned", 32, False)
LONG, ULONG = Type("long", 64, True, f="integer(8)"), Type("unsigned long", 64, False)
LLONG = Type("long long", 64, True)
FLOAT, DOUBLE = Type("float", 32, True, True, "real(4)"), Type("double", 64, True, True, "real(8)")


def promoted(t):
    return INT if t.bits < 32 else t


def common(a, b):
    a, b = promoted(a), promoted(b)
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return b if a.signed else a


class Run:
    """One execution in the tree: variables, steps left, whether values may wrap where C says how."""

    def __init__(self, program, env, steps):
        self.env, self.steps, self.wild, self.team = env, steps, program.wild, program.team
        self.times = 1     # how many threads do this
        self.thread = None # which of `threads`, where one after the other does all that it has to do
        self.threads = 1
        self.made = None   # accesses by array, where they are counted

    def step(self, n=1):
        self.steps -= n
        if self.steps < 0:
            raise Undefined("too long")

    def by(self, threads, node_run):
        """What so many threads do alike."""
        before, self.times = self.times, threads
        node_run()
        self.times = before

    def by_each(self, threads, node_run):
        """What so many threads do, each its own."""
        self.threads = threads
        for self.thread in range(threads):
            node_run()
        self.thread = None

    def by_one(self, node_run):
        """What one of the threads does, and which one nothing hangs on."""
        if self.thread is None:
            self.by(1, node_run)
        elif self.thread == 0:
            node_run()

    def count(self, array, n=1):
        if self.made is not None:
            self.made[array.name] = self.made.get(array.name, 0) + n * self.times

    def fit(self, value, t, conversion=False, wraps=False):
        if t.low <= value <= t.high:
            return value
        if (t.signed and not conversion) or not (self.wild or wraps):
            raise Undefined("%d is no %s" % (value, t))
        value &= (1 << t.bits) - 1
        return value - (1 << t.bits) if t.signed and value > t.high else value


# ---- expressions ----------------------------------------------------------------------------------

class Num:
    def __init__(self, value, type=INT):
        self.value, self.type = value, type

    def run(self, r):
        return self.value


class Var:
    """mine: every thread's own."""

    def __init__(self, name, type, mine=False):
        self.name, self.type, self.mine = name, type, mine

    def run(self, r):
        if self.name not in r.env:
            raise Undefined("a variable without a value")
        return r.env[self.name]


class Of:
    """What the OpenMP runtime says of the thread: its number, or its team's size."""
    type = INT

    def __init__(self, what):
        self.what = what

    def run(self, r):
        return r.thread if self.what == "thread_num" else r.threads


class Bin:
    """wraps: an unsigned result may be any, whatever the program's others may."""

    def __init__(self, op, a, b, wraps=False):
        self.op, self.a, self.b, self.wraps = op, a, b, wraps
        self.type = promoted(a.type) if op in ("<<", ">>") else common(a.type, b.type)

    def run(self, r):
        a, b, op, t = self.a.run(r), self.b.run(r), self.op, self.type
        if op in ("<<", ">>"):
            if not 0 <= b < t.bits or a < 0:
                raise Undefined("shift")
            return r.fit(a << b if op == "<<" else a >> b, t)
        a, b = r.fit(a, t, True), r.fit(b, t, True)
        if op in ("/", "%"):
            if b == 0:
                raise Undefined("division by zero")
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return r.fit(quotient if op == "/" else a - quotient * b, t)
        value = {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b}[op]
        return r.fit(value, t, wraps=self.wraps)


class Neg:
    def __init__(self, a):
        self.a, self.type = a, promoted(a.type)

    def run(self, r):
        return r.fit(-self.a.run(r), self.type)


class Cast:
    def __init__(self, type, a, wraps=False):
        self.a, self.type, self.wraps = a, type, wraps

    def run(self, r):
        return r.fit(self.a.run(r), self.type, True, self.wraps)


class Least:
    """The lesser or the greater of two; both operands are printed twice."""

    def __init__(self, greater, a, b):
        self.greater, self.a, self.b, self.type = greater, a, b, common(a.type, b.type)

    def run(self, r):
        a, b = (r.fit(x.run(r), self.type, True) for x in (self.a, self.b))
        return max(a, b) if self.greater else min(a, b)


class Load:
    """An element of an array, as a number."""

    def __init__(self, ref, type=None):
        self.ref, self.type = ref, type or ref.array.type

    def run(self, r):
        at = self.ref.run(r)
        if self.ref.array.kind != "index":
            return self.ref.array.value
        if at[0] < 0:
            raise Undefined("index")
        return content(at[0])


def content(i):
    """What the index arrays hold."""
    return (i * 7 + i // 5) % 16


class Cmp:
    type = INT

    def __init__(self, op, a, b):
        self.op, self.a, self.b = op, a, b

    def run(self, r):
        t = common(self.a.type, self.b.type)
        a, b = (r.fit(x.run(r), t, True) for x in (self.a, self.b))
        return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}[self.op]


class Both:
    """and, or"""
    type = INT

    def __init__(self, op, a, b):
        self.op, self.a, self.b = op, a, b

    def run(self, r):
        if self.op == "&&":
            return self.a.run(r) and self.b.run(r)
        return self.a.run(r) or self.b.run(r)


class Not:
    type = INT

    def __init__(self, a):
        self.a = a

    def run(self, r):
        return not self.a.run(r)


class Fixed:
    """A condition that the compiler knows: its text in C, in C++ and in Fortran."""
    type = INT

    def __init__(self, truth, text):
        self.truth, self.text = truth, text

    def run(self, r):
        return self.truth


# ---- arrays ---------------------------------------------------------------------------------------

class Array:
    """kind: global, static, vla, flat (a pointer, linearised by hand), struct, structp (a pointer to structs), index,
    count (updated atomically), own (every thread its own)."""

    def __init__(self, name, kind, type, dims, value):
        self.name, self.kind, self.type, self.dims, self.value = name, kind, type, dims, value
        self.id = 0
        self.extent = [2] * dims

    def is_parameter(self):
        return self.kind in ("vla", "flat", "structp")


class Ref:
    """field: text behind the subscript of a struct; inner: subscripts of an array in it, [0, 3)."""

    def __init__(self, array, subs, field=None, inner=()):
        self.array, self.subs, self.field, self.inner = array, subs, field, inner
        self.reset()

    def reset(self):
        self.low, self.high = [0] * len(self.subs), [0] * len(self.subs)
        self.offset = [0] * len(self.subs)
        self.seen = 0 # tells whether another one was at the same places

    def run(self, r):
        r.step()
        r.count(self.array)
        at = []
        for d, sub in enumerate(self.subs):
            v = sub.run(r)
            if not -3000 <= v <= 3000:
                raise Undefined("subscript")
            at.append(v)
            self.low[d] = min(self.low[d], v)
            self.high[d] = max(self.high[d], v)
        self.seen = hash((self.seen, tuple(at)))
        for sub in self.inner:
            if not 0 <= sub.run(r) < 3:
                raise Undefined("field")
        return at

    def settle(self):
        for d in range(len(self.subs)):
            self.offset[d] = -self.low[d]
            self.array.extent[d] = max(self.array.extent[d], self.high[d] - self.low[d] + 2)


# ---- statements -----------------------------------------------------------------------------------

class Leave(Exception):
    """continue"""


class Sum:
    """target += load op load ..."""

    def __init__(self, target, loads, op="+"):
        self.target, self.loads, self.op = target, loads, op

    def run(self, r):
        for load in self.loads:
            load.run(r)


class Choose:
    """target += cond ? load : load"""

    def __init__(self, target, cond, a, b):
        self.target, self.cond, self.a, self.b = target, cond, a, b

    def run(self, r):
        (self.a if self.cond.run(r) else self.b).run(r)


class Store:
    """how: "=" the value that the array holds anyway; "+=" by zero, "*=" by one; "atomic"."""

    def __init__(self, ref, how):
        self.ref, self.how = ref, how

    def run(self, r):
        self.ref.run(r)
        if self.how != "=":
            r.count(self.ref.array)


class If:
    def __init__(self, cond, then, other=None):
        self.cond, self.then, self.other = cond, then, other

    def run(self, r):
        r.step()
        execute(self.then if self.cond.run(r) else self.other or [], r)


class Switch:
    """cases: (values, statements, falls through); the last is the default."""

    def __init__(self, value, cases):
        self.value, self.cases = value, cases

    def run(self, r):
        r.step()
        v, found = self.value.run(r), False
        for k, (values, body, falls) in enumerate(self.cases):
            found = found or v in values or k + 1 == len(self.cases)
            if found:
                execute(body, r)
                if not falls:
                    return


class Continue:
    def __init__(self, cond):
        self.cond = cond

    def run(self, r):
        r.step()
        if self.cond.run(r):
            raise Leave()


class Let:
    """A variable of the body: type name = value"""

    def __init__(self, var, value, again=None):
        self.var, self.value, self.again = var, value, again

    def run(self, r):
        v = r.fit(self.value.run(r), self.var.type, True)
        if self.again:
            v = r.fit(v + 1, self.var.type) if self.again.run(r) else v
        r.env[self.var.name] = v


class More:
    """A variable of the region: var += value"""

    def __init__(self, var, value):
        self.var, self.value = var, value

    def run(self, r):
        if self.var.name not in r.env:
            raise Undefined("a variable without a value") # its Let was taken away
        r.env[self.var.name] = r.fit(r.env[self.var.name] + self.value.run(r), self.var.type)


class Critical:
    def __init__(self, body):
        self.body = body

    def run(self, r):
        execute(self.body, r)


class Call:
    """of a function of its own: a body over one number, with its references"""

    def __init__(self, function, arg, target):
        self.function, self.arg, self.target = function, arg, target

    def run(self, r):
        f = self.function
        r.env[f.param.name] = r.fit(self.arg.run(r), f.param.type, True)
        execute(f.body, r)


class Function:
    """form: function, inline, template, lambda (in the kernel)"""

    def __init__(self, name, param, body, form):
        self.name, self.param, self.body, self.form = name, param, body, form


class Loop:
    """A counted loop; step: a number; shape: how its advance is written. omp: of an OpenMP construct."""

    def __init__(self, var, first, op, last, step, shape, body, omp=False):
        self.var, self.first, self.op, self.last, self.step, self.shape = var, first, op, last, step, shape
        self.body, self.omp = body, omp

    def turns(self, r):
        t = self.var.type
        v = r.fit(self.first.run(r), t, True)
        last = self.last.run(r)
        if self.omp and not t.low <= last <= t.high:
            raise Undefined("GCC converts the bound")
        compare = common(t, self.last.type)
        while True:
            r.step()
            a, b = r.fit(v, compare, True), r.fit(last, compare, True)
            if self.omp and a != v:
                raise Undefined("GCC compares in the counter's type")
            if not {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[self.op]:
                break
            yield v
            v += self.step
            if not t.low <= v <= t.high:
                raise Undefined("the counter leaves its type")

    def run(self, r):
        for v in self.turns(r):
            r.env[self.var.name] = v
            body_once(self.body, r)


class While:
    """int name = first & 15; while (name > 0) { ...; name--; }, or do ... while"""

    def __init__(self, var, first, body, do=False):
        self.var, self.first, self.body, self.do = var, first, body, do

    def run(self, r):
        v = r.fit(self.first.run(r), INT) & 15
        if self.do:
            v += 1
        while v > 0:
            r.step()
            r.env[self.var.name] = v
            execute(self.body, r)
            v -= 1


class Share:
    """A worksharing loop, or (parallel) a parallel loop: as many loops as are collapsed, one in the other."""

    def __init__(self, loops, body, schedule=None, chunk=None, nowait=False, parallel=False, simd=False, threads=0,
                 condition=None, clauses=()):
        self.loops, self.body, self.schedule, self.chunk, self.nowait = loops, body, schedule, chunk, nowait
        self.parallel, self.simd, self.threads, self.condition, self.clauses = parallel, simd, threads, condition, list(clauses)
        self.each = False # its threads do not do the same: Of

    def run(self, r):
        if self.each and r.thread is None: # a parallel loop
            r.by_each(self.threads or r.team, lambda: self.run(r))
            return
        if self.dynamic():
            r.by_one(lambda: self.all(r))
        elif r.thread is None:
            r.by(1, lambda: self.all(r))
        else:
            self.all(r)

    def all(self, r):
        self.iterations, self.mine = 0, None
        if r.thread is not None and not self.dynamic():
            chunk = max(self.chunk.run(r), 1) if self.chunk else 0
            if not chunk:
                share = copy.copy(self)
                share.body, share.mine = [], lambda i: False
                share.iterations = 0
                share.dimension(r, 0)
                size, more = divmod(share.iterations, r.threads)
                low = r.thread * size + min(r.thread, more)
                high = low + size + (r.thread < more)
                self.mine = lambda i: low <= i < high
            else:
                self.mine = lambda i: i // chunk % r.threads == r.thread
        self.dimension(r, 0)
        bits = max(loop.var.type.bits for loop in self.loops)
        if bits < 32 and self.iterations + 8 * (self.chunk.run(r) if self.chunk else 1) >= 1 << bits - 1:
            raise Undefined("GCC counts in the counters' type") # README.md: GCC's

    def dimension(self, r, d):
        if d == 0 and self.chunk and not 1 <= self.chunk.run(r) <= 1000:
            raise Undefined("chunk")
        if d == 0 and self.condition:
            self.condition.run(r)
        if d == len(self.loops):
            self.iterations += 1
            if self.mine is None or self.mine(self.iterations - 1):
                body_once(self.body, r)
            return
        for v in self.loops[d].turns(r):
            r.env[self.loops[d].var.name] = v
            self.dimension(r, d + 1)

    def dynamic(self):
        return self.schedule in ("dynamic", "guided", "runtime")


class Region:
    """A parallel region of several constructs."""

    def __init__(self, body, threads=0, clauses=(), locals=()):
        self.body, self.threads, self.clauses, self.locals = body, threads, list(clauses), list(locals)
        self.each = False # its threads do not do the same: Of

    def run(self, r):
        (r.by_each if self.each else r.by)(self.threads or r.team, lambda: execute(self.body, r))


class Block:
    """kind: single, master, barrier; one thread or all."""

    def __init__(self, kind, body, nowait=False):
        self.kind, self.body, self.nowait = kind, body, nowait

    def run(self, r):
        r.by_one(lambda: execute(self.body, r))


class Sections:
    def __init__(self, parts, nowait=False):
        self.parts, self.nowait = parts, nowait

    def run(self, r):
        for part in self.parts:
            r.by_one(lambda: execute(part, r))


class Fill:
    """Every element of a thread's own array gets its value, by a loop."""

    def __init__(self, array, var):
        self.array, self.var = array, var
        self.ref = Ref(array, [var] + [Num(0)] * (array.dims - 1))

    def run(self, r):
        r.step(self.array.extent[0])
        r.count(self.array, self.array.extent[0])


def execute(body, r):
    for node in body:
        node.run(r)


def body_once(body, r):
    try:
        execute(body, r)
    except Leave:
        pass


# ---- all of it ------------------------------------------------------------------------------------

def held(kernel):
    """The statements from the first to the last that holds a parallel construct: what a description has."""
    at = [i for i, node in enumerate(kernel.body) if holds(node, (Share, Region))]
    return range(at[0], at[-1] + 1) if at else range(0)


class Kernel:
    def __init__(self, number, type):
        self.number, self.type = number, type
        self.arrays, self.functions, self.body, self.calls = [], [], [], []
        self.orphaned = False
        self.template = False


class Program:
    def __init__(self, seed, lang, level, wild):
        self.seed, self.lang, self.level, self.wild = seed, lang, level, wild
        self.kernels = []
        self.team = 4

    def try_kernel(self, kernel, steps=12000, body=None):
        """Runs a kernel's statements with each set of arguments; Undefined: it must not be."""
        for args in kernel.calls:
            r = Run(self, dict(zip(("n", "m", "k"), args)), steps)
            for node in kernel.body if body is None else body:
                node.run(r)

    def settle(self):
        """Offsets and extents, from a run of everything."""
        for kernel in self.kernels:
            refs = list(references(kernel))
            for array in kernel.arrays:
                array.extent = [2] * array.dims
            for ref in refs:
                ref.reset()
            self.try_kernel(kernel)
            for ref in refs:
                ref.settle()
            for array in kernel.arrays:
                if array.kind == "index":
                    array.extent = [max(array.extent[0], 64)]


def references(node, seen=None):
    """All Refs below a node, in any order."""
    seen = set() if seen is None else seen
    if isinstance(node, (list, tuple)):
        for x in node:
            yield from references(x, seen)
    elif isinstance(node, Ref):
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            yield from references(node.subs, seen)
    elif hasattr(node, "__dict__") and not isinstance(node, (Type, Array)):
        for x in vars(node).values():
            yield from references(x, seen)


def holds(node, kinds):
    if isinstance(node, (list, tuple)):
        return any(holds(x, kinds) for x in node)
    if isinstance(node, kinds):
        return True
    return hasattr(node, "__dict__") and not isinstance(node, (Type, Array)) and any(
        holds(x, kinds) for x in vars(node).values())


def made(program):
    """Accesses by array of one run of the program, where they are counted."""
    total = {}
    for kernel in program.kernels:
        for args in kernel.calls:
            r = Run(program, dict(zip(("n", "m", "k"), args)), 1 << 30)
            for i, node in enumerate(kernel.body):
                r.made = total if i in held(kernel) else None
                node.run(r)
    return total


def below(node, kinds):
    if isinstance(node, (list, tuple)):
        for x in node:
            yield from below(x, kinds)
    elif hasattr(node, "__dict__") and not isinstance(node, (Type, Array, Function)):
        if isinstance(node, kinds):
            yield node
        for x in vars(node).values():
            yield from below(x, kinds)
