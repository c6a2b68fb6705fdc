# SPDX-License-Identifier: GPL-3.0-or-later
"""Random programs: the same seed gives the same program."""
import random

from program import *

C_COUNTERS = [INT, INT, INT, LONG, LONG, UINT, SHORT, UCHAR, USHORT, ULONG, LLONG, CHAR]
F_COUNTERS = [INT, INT, INT, LONG, SHORT]
C_ELEMENTS = [INT, DOUBLE, UINT, SHORT, CHAR, FLOAT, USHORT, LONG, LLONG]
F_ELEMENTS = [INT, DOUBLE, FLOAT, LONG, SHORT]
OLD = 2000 # programs of later numbers have more: values that are each thread's own, and unsigned differences
FIELDS = [".x", ".y", ".d", ".in.b", ".q", ".m"]


class Inventor:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.more = seed > OLD
        rng = self.rng
        lang = rng.choice(["c", "c", "c", "cc", "f90"])
        self.p = Program(seed, lang, rng.choice(["-O0", "-O0", "-O1", "-O2", "-O3"]), lang != "f90" and rng.random() < 0.08)
        self.p.team = rng.choice([2, 3, 4, 4, 5])
        self.fortran = lang == "f90"
        self.kernel = None
        self.in_function = False
        self.loads_in_bounds = True
        self.names = 0

    def chance(self, probability):
        return self.rng.random() < probability

    def fresh(self, prefix):
        self.names += 1
        return "%s%d" % (prefix, self.names)

    # ---- numbers
    def use(self, var):
        """A variable in an expression: unsigned ones mostly as signed numbers."""
        if not self.fortran and not var.type.signed and self.chance(0.93):
            return Cast(self.rng.choice([INT, LONG]), var)
        return var

    def affine(self, scope, terms=2):
        rng = self.rng
        e = None
        for _ in range(rng.randint(1, terms)):
            var = self.use(rng.choice(scope))
            k = rng.choice([1, 1, 1, 1, 2, -1, -1, 3, -2])
            if k == 1:
                e = Bin("+", e, var) if e else var
            elif k == -1:
                e = Bin("-", e, var) if e else Neg(var)
            else:
                term = Bin("*", Num(k), var) if self.chance(0.7) else Bin("*", var, Num(k))
                e = Bin("+", e, term) if e else term
        if self.chance(0.5):
            e = Bin("+", e, Num(rng.randint(-4, 7)))
        return e

    def unsigned(self, scope, type, loaded=0.0):
        rng = self.rng
        index = [a for a in self.kernel.arrays if a.kind == "index"]
        if index and self.loads_in_bounds and self.chance(loaded):
            return Cast(type, Load(Ref(rng.choice(index), [rng.choice(scope)])))
        var = rng.choice(scope)
        return var if var.type is type else Cast(type, var)

    def difference(self, scope):
        """Of unsigned numbers; it may be less than 0 and so a large number."""
        rng = self.rng
        t = rng.choice([UINT, UINT, UINT, UINT, UINT, ULONG, USHORT, UCHAR])
        a = self.unsigned(scope, t, 0.2) # not both: GCC knows that x - x is 0
        b = self.unsigned(scope, t)
        if self.chance(0.4) or b is a or isinstance(b, Cast) and isinstance(a, Cast) and b.a is a.a:
            b = Num(rng.randint(1, 9), UINT)
        d = Bin("-", a, b, wraps=t is not ULONG or not isinstance(b, Num)) # n - 1ul is taken for a size
        if t.bits < 32:
            d = Cast(t, d, wraps=True)
        how = rng.random()
        if how < 0.3:
            return d
        if how < 0.5:
            return Bin("%", d, Num(rng.choice([3, 5, 7, 8, 12])))
        if how < 0.7:
            return Bin("/", d, Num(rng.choice([2, 3, 4])))
        if how < 0.8:
            return Bin(">>", d, Num(rng.choice([1, 2, t.bits - 3, t.bits - 4])))
        if how < 0.9:
            return Bin("+", d, self.unsigned(scope, t), wraps=True)
        return Cast(rng.choice([INT, LONG]), d, wraps=True)

    def number(self, scope, terms=2):
        """Mostly affine."""
        rng = self.rng
        if self.more and not self.fortran and self.chance(0.12):
            return self.difference(scope)
        e = self.affine(scope, terms)
        how = rng.random()
        if how < 0.7:
            return e
        if how < 0.78:
            return Bin("%", e, Num(rng.choice([2, 3, 4, 5, 7, 8])))
        if how < 0.86:
            return Bin("/", Bin("+", e, Num(rng.choice([0, 6, 30]))), Num(rng.choice([2, 3, 4, 5])))
        if how < 0.92:
            return Least(self.chance(0.5), e, self.affine(scope))
        if self.fortran:
            return e
        if how < 0.95:
            return Bin("&", e, Num(rng.choice([1, 3, 7, 15])))
        if how < 0.97:
            return Bin("<<" if self.chance(0.5) else ">>", Bin("&", e, Num(15)), Num(rng.randint(1, 2)))
        return Bin("%", Cast(rng.choice([UINT, USHORT, UCHAR, ULONG]), e), Num(rng.choice([3, 5, 12, 16])))

    def comparison(self, scope):
        loads, self.loads_in_bounds = self.loads_in_bounds, False # GCC may know that unsigned(x[i]) >= -1, and not load it
        c = self.compared(scope)
        self.loads_in_bounds = loads
        return c

    def compared(self, scope):
        return Cmp(self.rng.choice(["<", "<=", ">", ">=", "==", "!="]), self.number(scope),
                   Num(self.rng.randint(-2, 9)) if self.chance(0.5) else self.number(scope))

    def condition(self, scope, data=True):
        rng = self.rng
        how = rng.random()
        if how < 0.1:
            return self.fixed()
        if how < 0.18 and data:
            c = Cmp(rng.choice(["==", "!=", "<", ">"]), Load(self.ref(scope)), Num(rng.randint(1, 9)))
            return c if self.fortran or self.chance(0.5) else Both(rng.choice(["&&", "||"]), self.comparison(scope), c)
        if how < 0.3:
            return Both(rng.choice(["&&", "||"]), self.comparison(scope), self.comparison(scope))
        if how < 0.38:
            return Not(self.comparison(scope))
        if how < 0.42 and not self.fortran:
            return Both("&&", self.fixed(), self.comparison(scope))
        return self.comparison(scope)

    def fixed(self):
        truth = self.chance(0.5)
        texts = {"c": (["0", "DEBUG", "sizeof(int) == 2"], ["1", "!DEBUG", "sizeof(int) == 4"]),
                 "cc": (["0", "DEBUG", "sizeof(int) == 2"], ["1", "!DEBUG", "sizeof(int) == 4"]),
                 "f90": ([".false.", "debug"], [".true.", ".not. debug"])}
        if self.kernel.template and not self.in_function:
            texts["cc"] = (["!FLAG", "CASE == 0"], ["FLAG", "CASE == 2"])
        return Fixed(truth, self.rng.choice(texts[self.p.lang][truth]))

    # ---- arrays and references
    def array(self, kind=None):
        rng, k = self.rng, self.kernel
        kind = kind or rng.choice(["global", "static", "vla", "flat", "global", "struct", "structp", "vla", "flat"])
        if self.fortran:
            kind = {"static": "global", "struct": "vla", "structp": "vla", "flat": "vla"}.get(kind, kind)
        dims = rng.choice([1, 1, 2, 2, 3]) if kind in ("global", "static", "vla", "flat") else 1
        type = {"struct": None, "structp": None, "index": INT, "count": self.rng.choice([UINT, INT, LONG])}.get(
            kind, rng.choice(F_ELEMENTS if self.fortran else C_ELEMENTS))
        if self.fortran and kind == "count":
            type = rng.choice([INT, LONG])
        letter = {"global": "g", "static": "t", "vla": "v", "flat": "p", "struct": "s", "structp": "r", "index": "x",
                  "count": "c", "own": "w"}[kind]
        a = Array("k%d_%s%d" % (k.number, letter, len(k.arrays)), kind, type or UINT, dims,
                  0 if kind == "count" else rng.randint(1, 9))
        a.id = len(k.arrays) + 16 * k.number # in counting.c, too
        k.arrays.append(a)
        return a

    def subscript(self, scope):
        rng = self.rng
        index = [a for a in self.kernel.arrays if a.kind == "index"]
        if index and self.chance(0.08):
            return Load(Ref(rng.choice(index), [rng.choice(scope)]))
        return self.number(scope, 3)

    def ref(self, scope, kinds=None, own=()):
        rng = self.rng
        arrays = [a for a in self.kernel.arrays if (a.kind in kinds if kinds else a.kind not in ("index", "count", "own"))]
        if self.in_function: # out of its sight
            arrays = [a for a in arrays if not a.is_parameter()]
        arrays += list(own)
        a = rng.choice(arrays)
        subs = [self.subscript(scope) if self.chance(0.9) else Num(rng.randint(0, 3)) for _ in range(a.dims)]
        if a.kind not in ("struct", "structp"):
            return Ref(a, subs)
        field = rng.choice(FIELDS)
        inner = [self.small(scope) for _ in range({".q": 1, ".m": 2}.get(field, 0))]
        return Ref(a, subs, field, inner)

    def small(self, scope):
        """0, 1 or 2"""
        if self.chance(0.5):
            return Num(self.rng.randint(0, 2))
        return Bin("%", Bin("+", Bin("%", self.use(self.rng.choice(scope)), Num(3)), Num(3)), Num(3))

    # ---- statements
    def statements(self, scope, depth, target, own=(), n=None, plain=False):
        out = []
        scope = list(scope)
        for _ in range(n or self.rng.choice([1, 1, 2, 2, 3])):
            out.append(self.statement(scope, depth, target, own, plain))
            if isinstance(out[-1], Let):
                scope.append(out[-1].var)
        return out

    def statement(self, scope, depth, target, own, plain):
        rng = self.rng
        how = rng.random()
        if how < 0.3 or depth <= 0 and how < 0.5:
            return Sum(target, [Load(self.ref(scope, own=own)) for _ in range(rng.choice([1, 1, 2, 2, 3]))],
                       "+" if self.fortran else rng.choice(["+", "+", "^"]))
        if how < 0.45:
            return Store(self.ref(scope, own=own), rng.choice(["=", "=", "+=", "*="]))
        if how < 0.5 and not plain:
            return Store(self.ref(scope, ("count",)), "atomic")
        if how < 0.53 and not plain and depth > 0:
            return Critical([Store(self.ref(scope, ("count",)), "+=")])
        if how < 0.57:
            return Choose(target, self.condition(scope, data=False), Load(self.ref(scope)), Load(self.ref(scope)))
        if how < 0.61 and not plain:
            return Continue(self.condition(scope, data=False))
        if how < 0.65:
            return Let(Var(self.fresh("t"), INT), self.number(scope), self.comparison(scope) if self.chance(0.3) else None)
        callable = [f for f in self.kernel.functions if f.form != "lambda" or not self.in_function]
        if how < 0.69 and callable:
            return Call(rng.choice(callable), self.number(scope), target)
        if depth <= 0:
            return Sum(target, [Load(self.ref(scope, own=own))])
        if how < 0.78:
            inner = self.statements(scope, depth - 1, target, own, plain=plain)
            other = self.statements(scope, depth - 1, target, own, plain=plain) if self.chance(0.4) else None
            return If(self.condition(scope), inner, other)
        if how < 0.82:
            return self.switch(scope, depth, target, own)
        if how < 0.85:
            var = Var(self.fresh("u"), INT)
            return While(var, self.number(scope), self.statements(scope + [var], 0, target, own, plain=True), self.chance(0.3))
        loop = self.loop(scope)
        loop.body = self.statements(scope + [loop.var], depth - 1, target, own, plain=plain)
        return loop

    def switch(self, scope, depth, target, own):
        rng = self.rng
        value = Num(rng.randint(0, 3)) if self.chance(0.2) else self.number(scope)
        cases, left = [], [0, 1, 2, 3, 4]
        for _ in range(rng.randint(1, 3)):
            values = [left.pop(rng.randrange(len(left))) for _ in range(rng.choice([1, 1, 2]) if len(left) > 1 else 1)]
            cases.append((values, self.statements(scope, 0, target, own, n=1, plain=True), not self.fortran and self.chance(0.2)))
            if not left:
                break
        cases.append(([], self.statements(scope, 0, target, own, n=1, plain=True), False))
        return Switch(value, cases)

    def loop(self, scope, omp=False, name="i"):
        rng = self.rng
        type = rng.choice(F_COUNTERS if self.fortran else C_COUNTERS)
        step = rng.choice([1, 1, 1, 1, 2, 3, 4, -1, -1, -2, -3])
        outer = [v for v in scope]
        low, high = self.bound(outer, False), self.bound(outer, True)
        op = rng.choice(["<", "<", "<="]) if step > 0 else rng.choice([">", ">="])
        first, last = (low, high) if step > 0 else (high, low)
        if op == ">=" and not type.signed and isinstance(last, Num) and last.value == 0:
            op = ">" # the other is no loop, and GCC says so
        if self.fortran:
            op = "<=" if step > 0 else ">="
        elif type.bits < 32 and (self.chance(0.3) or omp and self.p.lang == "cc"): # g++ wants one type
            last = Cast(type, last)
        return Loop(Var(self.fresh(name), type), first, op, last, step, rng.randrange(3), [], omp)

    def bound(self, scope, high):
        rng = self.rng
        if self.more and self.chance(0.25):
            mine = [v for v in scope if v.mine]
            if mine and self.chance(0.7):
                return self.affine(mine, 1)
            if not self.fortran:
                return self.difference(scope)
        index = [a for a in self.kernel.arrays if a.kind == "index"]
        if index and self.loads_in_bounds and self.chance(0.15):
            return Load(Ref(rng.choice(index), [rng.choice(scope)]))
        if self.chance(0.4):
            return Num(rng.randint(5, 15) if high else rng.randint(0, 4))
        if self.chance(0.6):
            params = [v for v in scope if v.name in ("n", "m", "k")]
            var = rng.choice(params or scope)
            return var if self.chance(0.6) else Bin("+", var, Num(rng.randint(-3, 3)))
        return self.number(scope)

    # ---- constructs
    def schedule(self):
        rng = self.rng
        kind = rng.choice([None, None, "static", "static", "static", "dynamic", "guided", "runtime", "auto"])
        if kind == "auto" and self.chance(0.7):
            kind = "static"
        chunk = None
        if kind in ("static", "dynamic", "guided") and self.chance(0.6):
            chunk = Num(rng.randint(1, 5)) if self.chance(0.7) else Var("n", self.kernel.type)
        return kind, chunk

    def own_values(self, scope):
        """Variables of which every thread has its own, with values that differ."""
        rng = self.rng
        lets, mine = [], []
        for what in rng.choice([["thread_num"], ["thread_num"], ["thread_num", "num_threads"]]):
            lets.append(Let(Var(self.fresh("h"), INT, mine=True), Of(what)))
        for _ in range(rng.randint(0, 2)):
            lets.append(Let(Var(self.fresh("h"), INT, mine=True), self.number([lets[0].var, lets[0].var] + scope)))
        return lets, [let.var for let in lets]

    def share(self, scope, parallel, target, own=(), mine=()):
        rng = self.rng
        collapse = rng.choice([1, 1, 1, 1, 2, 2, 3])
        loops, inner = [], list(scope)
        # gfortran takes the bounds of a combined construct before it: serial code, of which the first is not described
        self.loads_in_bounds = not (self.fortran and parallel)
        for _ in range(collapse):
            loops.append(self.loop(scope, omp=True)) # rectangular
            inner.append(loops[-1].var)
        self.loads_in_bounds = True
        kind, chunk = self.schedule()
        s = Share(loops, [], kind, chunk, parallel=parallel)
        if s.dynamic() and any(l.step < 0 and not l.var.type.signed and l.var.type.bits < 64 for l in loops):
            s.schedule = "static" # README.md: GCC's
        simd = self.chance(0.06) and not (self.fortran and collapse > 1) # README.md: GCC's
        if simd:
            s.simd, s.schedule, s.chunk = True, None, None
        lets = []
        if self.more and parallel and not s.dynamic() and not simd and self.chance(0.4):
            s.each = True
            lets, mine = self.own_values(inner)
        if s.dynamic() or simd:
            mine = []
        s.body = lets + self.statements(inner + list(mine), 0 if simd else rng.choice([1, 2, 2, 3]), target, own, plain=simd)
        if not parallel and len(mine) > 1 and self.chance(0.3):
            s.body.append(More(mine[-1], Num(rng.choice([1, 1, 2, -1]))))
        s.nowait = not parallel and self.chance(0.25)
        if parallel and self.chance(0.15):
            s.threads = rng.choice([1, 2, 3])
        if parallel and self.chance(0.08) and not s.each:
            s.condition = self.comparison(scope)
        return s

    def region(self, scope):
        rng = self.rng
        target = "s0"
        own = []
        clauses, local, start = [], [], []
        if self.chance(0.3):
            a = self.array("own")
            own.append(a)
            if self.chance(0.4):
                clauses.append("firstprivate(%s)" % a.name)
                a.first = True
            else:
                if self.fortran or self.chance(0.5):
                    clauses.append("private(%s)" % a.name)
                else:
                    local.append(a)
                start.append(Fill(a, Var(self.fresh("q"), INT)))
        body = list(start)
        lets, mine = self.own_values(scope) if self.more and self.chance(0.6) else ([], [])
        body += lets
        here = scope + mine
        for _ in range(rng.randint(1, 4)):
            how = rng.random()
            if how < 0.5:
                body.append(self.share(scope, False, "s", own, mine))
            elif how < 0.6:
                kind = rng.choice(["single", "master"])
                body.append(Block(kind, self.statements(scope if kind == "single" else here, 1, target, own, plain=True),
                                  self.chance(0.3)))
            elif how < 0.68:
                body.append(Sections([self.statements(scope, 1, target, own, plain=True) for _ in range(rng.randint(1, 3))],
                                     self.chance(0.3)))
            elif how < 0.74:
                body.append(Block("barrier", []))
            elif how < 0.8:
                body.append(Critical(self.statements(here, 0, target, own, plain=True)))
            elif how < 0.9:
                shared = self.more and self.chance(0.4)
                loop = self.loop(scope if shared else here)
                loop.body = self.statements(here + [loop.var], 1, target, own, plain=True)
                if shared or not self.more and self.chance(0.4):
                    loop.body.append(self.share(scope + [loop.var], False, "s", own, mine))
                elif len(mine) > 1 and self.chance(0.3) and mine[-1] not in below([loop.last], Var):
                    loop.body.append(More(mine[-1], Num(rng.choice([1, 2, -1]))))
                body.append(loop)
            else:
                body.extend(self.statements(here, 1, target, own, n=1, plain=True))
        for node in body:
            if isinstance(node, Continue):
                body.remove(node)
        r = Region(body, rng.choice([1, 2, 3]) if self.chance(0.1) else 0, clauses, local)
        r.each = bool(mine)
        return r

    def construct(self, scope):
        how = self.rng.random()
        if how < 0.55:
            return self.share(scope, True, "s")
        if how < 0.85:
            return self.region(scope)
        if how < 0.95:
            loop = self.loop(scope)
            inner = scope + [loop.var]
            before = self.statements(inner, 1, "s", n=1, plain=True) if self.chance(0.5) else []
            after = self.statements(inner, 1, "s", n=1, plain=True) if self.chance(0.5) else []
            loop.body = before + [self.share(inner, True, "s") if self.chance(0.7) else self.region(inner)] + after
            return loop
        return self.statements(scope, 1, "s", n=1, plain=True)[0]

    def function(self):
        rng, k = self.rng, self.kernel
        param = Var(self.fresh("a"), rng.choice([INT, INT, LONG] if self.fortran else [INT, INT, LONG, SHORT, UCHAR]))
        forms = {"c": ["function", "inline"], "cc": ["function", "inline", "lambda", "template"], "f90": ["function"]}
        form = rng.choice(forms[self.p.lang])
        self.in_function = form != "lambda"
        body = self.statements([param], rng.choice([0, 0, 1]), "sum", n=rng.choice([1, 1, 2]), plain=True)
        self.in_function = False
        return Function("k%d_f%d" % (k.number, len(k.functions)), param, body, form)

    def make_kernel(self, number):
        rng = self.rng
        types = [INT, INT, LONG] if self.fortran else [INT, INT, INT, LONG, SHORT, UINT]
        if self.more and not self.fortran:
            types += [UINT, UINT, ULONG]
        k = self.kernel = Kernel(number, rng.choice(types))
        k.template = self.p.lang == "cc" and self.chance(0.5)
        k.orphaned = self.chance(0.15)
        for _ in range(rng.randint(2, 3)):
            n = rng.randint(6, 14)
            k.calls.append((n, rng.randint(5, 12), rng.randint(1, 5)))
        for _ in range(rng.randint(2, 5)):
            self.array()
        self.array("global")
        if self.chance(0.4):
            self.array("index")
        self.array("count")
        scope = [Var(x, k.type) for x in ("n", "m", "k")]
        for _ in range(rng.randint(0, 2)):
            f = self.function()
            if f:
                k.functions.append(f)
        for _ in range(rng.choice([1, 1, 2, 2, 3])):
            for attempt in range(60):
                arrays = len(k.arrays)
                try:
                    node = self.share(scope, False, "s") if k.orphaned else self.construct(scope)
                    self.p.try_kernel(k, 4000, k.body + [node])
                    k.body.append(node)
                    break
                except Undefined:
                    del k.arrays[arrays:]
        if not holds(k.body, (Share, Region)):
            return None
        return k

    def program(self, kernels=2):
        while len(self.p.kernels) < kernels:
            k = self.make_kernel(len(self.p.kernels))
            if k:
                self.p.kernels.append(k)
        self.p.settle()
        return self.p


def program(seed, kernels=2):
    return Inventor(seed).program(kernels)
