# SPDX-License-Identifier: GPL-3.0-or-later
"""Source of a program: the kernels, which are compiled in every mode, and a driver in C. In C and C++ the counts are macros
around each access (counting.h, -DCOUNT); in Fortran the program is printed twice, with calls before each statement, on the
same lines. Also: which lines stand in which loop or construct, and where threads decide at run time who executes what."""
from program import *


class Source:
    def __init__(self, program):
        self.p = program
        self.out = []
        self.depth = 0
        self.counting = True
        self.entry = None    # the loop that a kernel's parallel part begins with
        self.spans = []      # (first line, last line) of loops and constructs
        self.loops = set()   # those whose iterations may be left early
        self.leaves = []     # lines that leave an iteration
        self.unsettled = []  # (first line, last line) of what threads take on demand
        self.alone = set()   # (line, array) of the first element of what a pointer points to
        self.folded = set()  # (line, array) of an element that one expression reads twice: GCC may make one of it
        self.function_lines = {}  # of a function's name
        self.calls = []  # (line, function's name)

    def put(self, text=""):
        self.out.append("  " * self.depth + text if text else "")

    def line(self):
        """Of what is put next."""
        return len(self.out) + 1

    def target(self, x):
        """Where a statement adds to."""
        return self.total if x.target == "s" else x.target

    def span(self, first, unsettled=False, loop=False):
        self.spans.append((first, len(self.out)))
        if loop:
            self.loops.add(self.spans[-1])
        if unsettled:
            self.unsettled.append((first, len(self.out)))

    def statements(self, kernel):
        """Serial code around the parallel part is not described, and not counted; nor is what its first loop starts from, in Fortran also where it ends."""
        parallel = held(kernel)
        self.entry = kernel.body[parallel[0]]
        for i, node in enumerate(kernel.body):
            if i not in parallel:
                self.pause(1)
            self.node(node)
            if i not in parallel:
                self.pause(0)

    def find_folded(self, loads):
        for i, a in enumerate(loads):
            if any(a.ref.array is b.ref.array and a.ref.seen == b.ref.seen and a.ref.field == b.ref.field for b in loads[:i]):
                self.folded.add((self.line(), a.ref.array.id))

    def text(self):
        return "\n".join(self.out) + "\n"


class C(Source):
    def __init__(self, program):
        super().__init__(program)
        self.cc = program.lang == "cc"

    # ---- expressions
    def e(self, x):
        if isinstance(x, Num):
            return str(x.value) + ("" if x.type.signed else "u")
        if isinstance(x, Of):
            return "omp_get_%s()" % x.what
        if isinstance(x, Var):
            return x.name
        if isinstance(x, Neg):
            return "-(%s)" % self.e(x.a) if not isinstance(x.a, Var) else "-" + self.e(x.a)
        if isinstance(x, Cast):
            return "(%s)(%s)" % (x.type, self.e(x.a))
        if isinstance(x, Least):
            a, b = self.e(x.a), self.e(x.b)
            return "((%s) %s (%s) ? (%s) : (%s))" % (a, ">" if x.greater else "<", b, a, b)
        if isinstance(x, (Bin, Cmp, Both)):
            return "(%s %s %s)" % (self.e(x.a), x.op, self.e(x.b))
        if isinstance(x, Not):
            return "!%s" % self.e(x.a)
        if isinstance(x, Fixed):
            return "(%s)" % x.text
        if isinstance(x, Load):
            return self.load(x)
        raise TypeError(x)

    def load(self, x):
        lvalue = self.lvalue(x.ref)
        return "L(%d, %s)" % (x.ref.array.id, lvalue) if self.counting else lvalue

    def lvalue(self, ref):
        a = ref.array
        if a.is_parameter() and all(low + o == 0 == high + o for low, high, o in zip(ref.low, ref.high, ref.offset)):
            self.alone.add((self.line(), a.id))
        subs = ["%s + %d" % (self.e(s), o) if o else self.e(s) for s, o in zip(ref.subs, ref.offset)]
        if a.kind == "flat":
            at = subs[0]
            for s, extent in zip(subs[1:], a.extent[1:]):
                at = "(%s) * %d + (%s)" % (at, extent, s)
            return "%s[%s]" % (a.name, at) if len(at) % 2 else "*(%s + (%s))" % (a.name, at)
        text = a.name + "".join("[%s]" % s for s in subs)
        if ref.field:
            text += ref.field + "".join("[%s]" % self.e(s) for s in ref.inner)
        return text

    def pause(self, on):
        self.put("PAUSE(%d);" % on)

    def number(self, load):
        return "(unsigned)" + self.load(load)

    # ---- statements
    def body(self, nodes):
        self.depth += 1
        for node in nodes:
            self.node(node)
        self.depth -= 1

    def node(self, x):
        getattr(self, type(x).__name__.lower())(x)

    def sum(self, x):
        self.find_folded(x.loads)
        self.put("%s += %s;" % (self.target(x), (" %s " % x.op).join(self.number(load) for load in x.loads)))

    def choose(self, x):
        self.put("%s += %s ? %s : %s;" % (self.target(x), self.e(x.cond), self.number(x.a), self.number(x.b)))

    def store(self, x):
        a, lvalue = x.ref.array, self.lvalue(x.ref)
        if x.how == "atomic":
            self.put("{ N(%d); PRAGMA(omp atomic) %s += 1; }" % (a.id, lvalue))
        elif x.how == "=":
            self.put("W(%d, %s, %d);" % (a.id, lvalue, a.value))
        else:
            change = x.how + (" zero" if x.how == "+=" else " unity")
            if a.kind == "count":
                change = "+= 1"
            self.put("U(%d, %s, %s);" % (a.id, lvalue, change))

    def if_(self, x):
        first = self.line()
        self.put("if (%s) {" % self.e(x.cond))
        self.body(x.then)
        if x.other is not None:
            self.put("} else {")
            self.body(x.other)
        self.put("}")
        self.span(first)

    def switch(self, x):
        first = self.line()
        self.put("switch (%s) {" % self.e(x.value))
        for values, body, falls in x.cases:
            for v in values:
                self.put("case %d:" % v)
            if not values:
                self.put("default:")
            self.put("  {")
            self.body(body)
            self.put("  }")
            if not falls:
                self.put("  break;")
        self.put("}")
        self.span(first)

    def continue_(self, x):
        self.leaves.append(self.line())
        self.put("if (%s) continue;" % self.e(x.cond))

    def let(self, x):
        self.put("int %s = %s;" % (x.var.name, self.e(x.value)))
        if x.again:
            self.put("if (%s) %s += 1;" % (self.e(x.again), x.var.name))

    def more(self, x):
        self.put("%s += %s;" % (x.var.name, self.e(x.value)))

    def critical(self, x):
        first = self.line()
        self.put("PRAGMA(omp critical)")
        self.put("{")
        self.body(x.body)
        self.put("}")
        self.span(first)

    def call(self, x):
        self.calls.append((self.line(), x.function.name))
        name = x.function.name + ("<%s>" % x.function.param.type if x.function.form == "template" else "")
        self.put("%s += %s(%s);" % (self.target(x), name, self.e(x.arg)))

    def head(self, x):
        v, t = x.var.name, x.var.type
        if x.step in (1, -1) and x.shape < 2:
            sign = "++" if x.step > 0 else "--"
            advance = v + sign if x.shape else sign + v
        else:
            sign = "+" if x.step > 0 else "-"
            advance = "%s %s= %d" % (v, sign, abs(x.step)) if x.shape else "%s = %s %s %d" % (v, v, sign, abs(x.step))
        self.counting = x is not self.entry
        first = self.e(x.first)
        self.counting = True
        return "for (%s %s = %s; %s %s %s; %s)" % (t, v, first, v, x.op, self.e(x.last), advance)

    def loop(self, x):
        first = self.line()
        self.put(self.head(x) + " {")
        self.body(x.body)
        self.put("}")
        self.span(first, loop=True)

    def while_(self, x):
        first = self.line()
        v = x.var.name
        self.put("{")
        self.depth += 1
        self.put("int %s = ((%s) & 15)%s;" % (v, self.e(x.first), " + 1" if x.do else ""))
        self.put("do {" if x.do else "while (%s > 0) {" % v)
        self.body(x.body)
        self.put("  %s--;" % v)
        self.put("} while (%s > 0);" % v if x.do else "}")
        self.depth -= 1
        self.put("}")
        self.span(first)

    def share(self, x):
        first = self.line()
        clauses = list(x.clauses)
        if x.schedule:
            clauses.append("schedule(%s%s)" % (x.schedule, ", " + self.e(x.chunk) if x.chunk else ""))
        if len(x.loops) > 1:
            clauses.append("collapse(%d)" % len(x.loops))
        if x.nowait:
            clauses.append("nowait")
        if x.threads:
            clauses.append("num_threads(%d)" % x.threads)
        if x.condition:
            clauses.append("if(%s)" % self.e(x.condition))
        clauses.append("reduction(+:%s)" % self.total)
        self.put("#pragma omp %sfor %s%s" % ("parallel " if x.parallel else "", "simd " if x.simd else "", " ".join(clauses)))
        for loop in x.loops:
            self.put(self.head(loop) + (" {" if loop is x.loops[-1] else ""))
        self.body(x.body)
        self.put("}")
        self.span(first, x.dynamic(), loop=True)

    def region(self, x):
        first = self.line()
        clauses = x.clauses + (["num_threads(%d)" % x.threads] if x.threads else [])
        self.put("#pragma omp parallel reduction(+:s2) " + " ".join(clauses))
        self.put("{")
        self.depth += 1
        self.put("unsigned s0 = 0;")
        for a in x.locals:
            self.put("%s %s[%d] ALIGNED;" % (a.type, a.name, a.extent[0]))
        self.depth -= 1
        self.body(x.body)
        self.put("  s2 += s0;")
        self.put("}")
        self.span(first)

    def block(self, x):
        first = self.line()
        self.put("#pragma omp %s%s" % (x.kind, " nowait" if x.nowait and x.kind == "single" else ""))
        if x.kind == "barrier":
            return
        self.put("{")
        self.body(x.body)
        self.put("}")
        self.span(first, x.kind == "single")

    def sections(self, x):
        first = self.line()
        self.put("#pragma omp sections%s" % (" nowait" if x.nowait else ""))
        self.put("{")
        for part in x.parts:
            self.put("#pragma omp section")
            self.put("{")
            self.body(part)
            self.put("}")
        self.put("}")
        self.span(first, True)

    def fill(self, x):
        first = self.line()
        v, a = x.var.name, x.array
        self.put("for (int %s = 0; %s < %d; %s++) {" % (v, v, a.extent[0], v))
        self.put("  W(%d, %s[%s], %d);" % (a.id, a.name, v, a.value))
        self.put("}")
        self.span(first)

    # ---- whole
    def array(self, a):
        type = "struct record" if a.kind in ("struct", "structp") else str(a.type)
        dims = "".join("[%d]" % d for d in a.extent)
        if a.kind == "static":
            self.put("static %s %s%s ALIGNED;" % (type, a.name, dims))
            self.put("%svoid *%s_at(void) { return %s; }" % ('extern "C" ' if self.cc else "", a.name, a.name))
        elif not a.is_parameter() and a.kind != "own":
            if self.cc:
                self.put('extern "C" { extern %s %s%s; }' % (type, a.name, dims))
            self.put("%s %s%s ALIGNED;" % (type, a.name, dims))

    def function(self, f):
        first = self.line()
        if f.form == "lambda":
            self.put("auto %s = [&](%s %s) {" % (f.name, f.param.type, f.param.name))
        else:
            if f.form == "template":
                self.put("template <typename A>")
            self.put("static %sunsigned %s(%s %s) {" % ("inline " if f.form == "inline" else "", f.name,
                                                       "A" if f.form == "template" else f.param.type, f.param.name))
        self.put("  unsigned sum = 0;")
        self.body(f.body)
        self.put("  return sum;")
        self.put("};" if f.form == "lambda" else "}")
        self.function_lines[f.name] = (first, len(self.out))

    def parameters(self, k):
        out = ["TP n", "TP m", "TP k"]
        for a in k.arrays:
            if a.kind == "flat":
                out.append("%s *%s" % (a.type, a.name))
            elif a.kind == "structp":
                out.append("struct record *%s" % a.name)
            elif a.kind == "vla" and self.cc:
                out.append("%s %s[]%s" % (a.type, a.name, "".join("[%d]" % d for d in a.extent[1:])))
            elif a.kind == "vla":
                sizes = ["e%d_%s" % (d, a.name) for d in range(1, a.dims)]
                out += ["int " + s for s in sizes]
                out.append("%s %s[]%s" % (a.type, a.name, "".join("[%s]" % s for s in sizes)))
        return ", ".join(out)

    def kernel(self, k):
        for a in k.arrays:
            self.array(a)
        for f in k.functions:
            if f.form != "lambda":
                self.function(f)
        self.put("#undef TP")
        if k.template:
            self.put("template <typename TP, bool FLAG, int CASE>")
            self.put("static __attribute__((noinline)) unsigned k%d_body(%s)" % (k.number, self.parameters(k)))
        else:
            self.put("#define TP %s" % k.type)
            if self.cc:
                self.put('extern "C"')
            self.put("__attribute__((noinline)) unsigned kern%d(%s)" % (k.number, self.parameters(k)))
        first = self.line()
        self.put("{")
        self.depth += 1
        self.put("unsigned s = 0, s2 = 0;")
        self.total = "k%d_total" % k.number if k.orphaned else "s"
        for a in k.arrays:
            if a.kind == "own" and hasattr(a, "first"):
                self.put("%s %s[%d] ALIGNED;" % (a.type, a.name, a.extent[0]))
                self.put("for (int i = 0; i < %d; i++) %s[i] = %d;" % (a.extent[0], a.name, a.value))
            elif a.kind == "own":
                self.put("%s %s[%d] ALIGNED;" % (a.type, a.name, a.extent[0]))
        for f in k.functions:
            if f.form == "lambda":
                self.function(f)
        self.statements(k)
        self.depth -= 1
        self.put("  return s + s2;")
        self.put("}")
        self.spans.append((first - 1, len(self.out)))
        if k.template:
            self.put("#define TP %s" % k.type)
            self.put('extern "C" unsigned kern%d(%s)' % (k.number, self.parameters(k)))
            self.put("{ return k%d_body<%s, true, 2>(%s); }" % (k.number, k.type, ", ".join(
                ["n", "m", "k"] + [a.name for a in k.arrays if a.is_parameter()])))

    def whole(self):
        self.put('#include "counting.h"')
        if holds([k.body for k in self.p.kernels], Of):
            self.put("#include <omp.h>")
        self.put("#define DEBUG 0")
        for k in self.p.kernels:
            if k.orphaned:
                self.put("%sunsigned k%d_total;" % ('extern "C" { extern unsigned k%d_total; } ' % k.number
                                                    if self.cc else "", k.number))
            self.kernel(k)
        return self.text()


for name in ("if", "continue", "while"):
    setattr(C, name, getattr(C, name + "_"))


class Fortran(Source):
    def __init__(self, program, counted):
        super().__init__(program)
        self.counted = counted
        self.moved = {} # an atomic update, or a branch, by its id: the line that GCC has it in, if that is another one

    def e(self, x):
        if isinstance(x, Num):
            return "(%d)" % x.value if x.value < 0 else str(x.value)
        if isinstance(x, Of):
            return "omp_get_%s()" % x.what
        if isinstance(x, Var):
            return x.name
        if isinstance(x, Neg):
            return "(-%s)" % self.e(x.a)
        if isinstance(x, Cast):
            return "int(%s, %d)" % (self.e(x.a), x.type.bits // 8)
        if isinstance(x, Least):
            return "%s(%s, %s)" % ("max" if x.greater else "min", self.kind(x.a, x.type), self.kind(x.b, x.type))
        if isinstance(x, Bin) and x.op == "%":
            return "mod(%s, %s)" % (self.kind(x.a, x.type), self.kind(x.b, x.type))
        if isinstance(x, Cmp):
            return "(%s %s %s)" % (self.e(x.a), x.op.replace("!=", "/="), self.e(x.b))
        if isinstance(x, Both):
            return "(%s %s %s)" % (self.e(x.a), ".and." if x.op == "&&" else ".or.", self.e(x.b))
        if isinstance(x, Bin):
            return "(%s %s %s)" % (self.e(x.a), x.op, self.e(x.b))
        if isinstance(x, Not):
            return ".not. %s" % self.e(x.a)
        if isinstance(x, Fixed):
            return x.text
        if isinstance(x, Load):
            return self.lvalue(x.ref)
        raise TypeError(x)

    def kind(self, x, type):
        if isinstance(x, Num):
            return "%d_%d" % (x.value, type.bits // 8)
        return "int(%s, %d)" % (self.e(x), type.bits // 8)

    def lvalue(self, ref):
        subs = ["%s + %d" % (self.e(s), o) if o else self.e(s) for s, o in zip(ref.subs, ref.offset)]
        return "%s(%s)" % (ref.array.name, ", ".join(subs))

    def pause(self, on):
        self.put("call count_pause(%d)" % on if self.counted else "")

    def number(self, load):
        return "int(%s, 8)" % self.lvalue(load.ref)

    def counts(self, what, line=None):
        """Calls that count the reads of expressions; '' if there are none."""
        if not self.counted:
            return ""
        line = line or self.line()
        found = [r for part in what for r in references(part)] if isinstance(what, list) else references(what)
        return "".join("call count_access(%d, %d, 0); " % (line, r.array.id) for r in found)

    def put_counted(self, text, what, writes=()):
        calls = self.counts(what)
        if self.counted:
            calls += "".join("call count_access(%d, %d, 1); " % (self.line(), r.array.id) for r in writes)
        self.put(calls + text)

    def body(self, nodes):
        self.depth += 1
        for node in nodes:
            self.node(node)
        self.depth -= 1

    def node(self, x):
        getattr(self, type(x).__name__.lower())(x)

    def sum(self, x):
        self.find_folded(x.loads)
        self.put_counted("%s = %s + %s" % (self.target(x), self.target(x), " + ".join(self.number(load) for load in x.loads)), x.loads)

    def choose(self, x):
        first = self.line()
        self.put("if (%s) then" % self.e(x.cond))
        self.put_counted("  %s = %s + %s" % (self.target(x), self.target(x), self.number(x.a)), x.a)
        self.put("else")
        self.put_counted("  %s = %s + %s" % (self.target(x), self.target(x), self.number(x.b)), x.b)
        self.put("end if")
        self.span(first)

    def store(self, x):
        a, lvalue = x.ref.array, self.lvalue(x.ref)
        value = {"=": str(a.value), "+=": lvalue + " + zero", "*=": lvalue + " * unity", "atomic": lvalue + " + 1"}[x.how]
        if x.how == "+=" and a.kind == "count":
            value = lvalue + " + 1"
        again = list(references(x.ref.subs)) # of the subscripts, which are written twice
        reads = [[x.ref], again] if x.how != "=" else again
        if x.how == "atomic": # GCC has it in the directive's line, and its subscripts once
            line = self.moved.get(id(x), self.line() + 1)
            self.put(self.counts(again, self.line() + 1) + "; ".join(
                "call count_access(%d, %d, %d)" % (line, a.id, write) for write in (0, 1) if self.counted))
            self.put("!$omp atomic")
            self.put("%s = %s" % (lvalue, value))
        else:
            self.put_counted("%s = %s" % (lvalue, value), reads, [x.ref])

    def if_(self, x):
        first = self.line()
        if isinstance(x.cond, Fixed): # what is left of it begins where it began
            for node in ((x.then if x.cond.truth else x.other) or [])[:1]:
                self.moved[id(node)] = self.moved.get(id(x), first)
        self.put_counted("if (%s) then" % self.e(x.cond), x.cond)
        self.body(x.then)
        if x.other is not None:
            self.put("else")
            self.body(x.other)
        self.put("end if")
        self.span(first)

    def switch(self, x):
        first = self.line()
        self.put("select case (%s)" % self.e(x.value))
        for values, body, _ in x.cases:
            self.put("case (%s)" % ", ".join(map(str, values)) if values else "case default")
            self.body(body)
        self.put("end select")
        self.span(first)

    def continue_(self, x):
        self.leaves.append(self.line())
        self.put("if (%s) cycle" % self.e(x.cond))

    def let(self, x):
        self.put("%s = int(%s, 4)" % (x.var.name, self.e(x.value)))
        if x.again:
            self.put("if (%s) %s = %s + 1" % (self.e(x.again), x.var.name, x.var.name))

    def more(self, x):
        self.put("%s = %s + %s" % (x.var.name, x.var.name, self.e(x.value)))

    def critical(self, x):
        first = self.line()
        self.put("!$omp critical")
        self.body(x.body)
        self.put("!$omp end critical")
        self.span(first)

    def call(self, x):
        self.calls.append((self.line(), x.function.name))
        self.put("%s = %s + %s(int(%s, %d))" % (self.target(x), self.target(x), x.function.name, self.e(x.arg),
                                              x.function.param.type.bits // 8))

    def do(self, x):
        step = ", %d" % x.step if x.step != 1 else ""
        t = x.var.type.bits // 8
        return "do %s = int(%s, %d), int(%s, %d)%s" % (x.var.name, self.e(x.first), t, self.e(x.last), t, step)

    def loop(self, x):
        first = self.line()
        self.put_counted(self.do(x), [] if x is self.entry else [x.first, x.last])
        self.body(x.body)
        self.put("end do")
        self.span(first, loop=True)

    def while_(self, x):
        first = self.line()
        v = x.var.name
        self.put("%s = int(iand(%s, %s), 4)%s" % (v, self.kind(x.first, LONG), "15_8", " + 1" if x.do else ""))
        self.put("do" if x.do else "do while (%s > 0)" % v)
        self.body(x.body)
        self.put("  %s = %s - 1" % (v, v))
        if x.do:
            self.put("  if (%s <= 0) exit" % v)
        self.put("end do")
        self.span(first)

    def locals_in(self, node):
        return sorted({x.name for x in assigned(node)})

    def share(self, x):
        first = self.line()
        clauses = list(x.clauses)
        if x.schedule:
            clauses.append("schedule(%s%s)" % (x.schedule, ", " + self.e(x.chunk) if x.chunk else ""))
        if len(x.loops) > 1:
            clauses.append("collapse(%d)" % len(x.loops))
        if x.threads:
            clauses.append("num_threads(%d)" % x.threads)
        if x.condition:
            clauses.append("if(%s)" % self.e(x.condition))
        if x.parallel and self.locals_in(x.body):
            clauses.append("private(%s)" % ", ".join(self.locals_in(x.body)))
        clauses.append("reduction(+:%s)" % self.total)
        name = "%sdo%s" % ("parallel " if x.parallel else "", " simd" if x.simd else "")
        self.put(self.counts([[loop.first, loop.last] for loop in x.loops], self.line() + 1) # GCC has them there
                 .rstrip("; "))
        self.put("!$omp %s %s" % (name, " ".join(clauses)))
        for loop in x.loops:
            self.put(self.do(loop))
        self.body(x.body)
        for loop in x.loops:
            self.put("end do")
        self.put("!$omp end %s%s" % (name, " nowait" if x.nowait else ""))
        self.span(first, x.dynamic(), loop=True)

    def region(self, x):
        first = self.line()
        clauses = x.clauses + (["num_threads(%d)" % x.threads] if x.threads else [])
        private = ["s0"] + self.locals_in(x.body)
        self.put("!$omp parallel reduction(+:s2) private(%s) %s" % (", ".join(private), " ".join(clauses)))
        self.put("  s0 = 0")
        self.body(x.body)
        self.put("  s2 = s2 + s0")
        self.put("!$omp end parallel")
        self.span(first)

    def block(self, x):
        first = self.line()
        self.put("!$omp " + x.kind)
        if x.kind == "barrier":
            return
        self.body(x.body)
        self.put("!$omp end %s%s" % (x.kind, " nowait" if x.nowait and x.kind == "single" else ""))
        self.span(first, x.kind == "single")

    def sections(self, x):
        first = self.line()
        self.put("!$omp sections")
        for part in x.parts:
            self.put("!$omp section")
            self.body(part)
        self.put("!$omp end sections%s" % (" nowait" if x.nowait else ""))
        self.span(first, True)

    def fill(self, x):
        first = self.line()
        v, a = x.var.name, x.array
        self.put("do %s = 0, %d" % (v, a.extent[0] - 1))
        self.put_counted("  %s(%s) = %d" % (a.name, v, a.value), [], [x.ref])
        self.put("end do")
        self.span(first)

    def declare(self, node):
        for var in sorted(variables(node), key=lambda v: v.name):
            self.put("%s :: %s" % (var.type.f, var.name))

    def array(self, a, how=""):
        self.put("%s%s :: %s(%s)" % (a.type.f, how, a.name, ", ".join("0:%d" % (d - 1) for d in a.extent)))

    def function(self, f):
        first = self.line()
        self.put("integer(8) function %s(%s) result(sum)" % (f.name, f.param.name))
        self.depth += 1
        self.put("%s, intent(in) :: %s" % (f.param.type.f, f.param.name))
        self.declare(f.body)
        self.put("sum = 0")
        self.depth -= 1
        self.body(f.body)
        self.put("end function")
        self.function_lines[f.name] = (first, len(self.out))

    def kernel(self, k):
        arguments = [a for a in k.arrays if a.is_parameter()]
        sizes = ["e%d_%s" % (d, a.name) for a in arguments for d in range(a.dims - 1)]
        first = self.line()
        self.put("integer(8) function kern%d(%s) result(total) bind(c)" % (
            k.number, ", ".join(["n", "m", "k"] + sizes + [a.name for a in arguments])))
        self.depth += 1
        self.put("%s, value :: n, m, k" % k.type.f)
        for size in sizes:
            self.put("integer(4), value :: %s" % size)
        for a in arguments: # the last extent is left open
            dims = ["0:e%d_%s-1" % (d, a.name) for d in range(a.dims - 1)] + ["0:*"]
            self.put("%s :: %s(%s)" % (a.type.f, a.name, ", ".join(dims)))
        for a in k.arrays:
            if a.kind == "own":
                self.array(a)
        self.put("integer(8) :: s, s0, s2")
        self.declare(k.body)
        self.put("s = 0; s0 = 0; s2 = 0")
        for a in k.arrays:
            if a.kind == "own" and hasattr(a, "first"):
                self.put("%s = %d" % (a.name, a.value))
        self.total = "k%d_total" % k.number if k.orphaned else "s"
        self.statements(k)
        self.depth -= 1
        self.put("  total = s + s2")
        self.put("end function")
        self.span(first)

    def whole(self):
        self.put("module kernels")
        if holds([k.body for k in self.p.kernels], Of):
            self.put("use omp_lib, only: omp_get_thread_num, omp_get_num_threads")
        self.put("implicit none")
        self.put("logical, parameter :: debug = .false.")
        self.put('integer(4), bind(c, name="zero") :: zero')
        self.put('integer(4), bind(c, name="unity") :: unity')
        for k in self.p.kernels:
            if k.orphaned:
                self.put('integer(8), bind(c, name="k%d_total") :: k%d_total' % (k.number, k.number))
            for a in k.arrays:
                if not a.is_parameter() and a.kind != "own":
                    self.array(a, ', bind(c, name="%s")' % a.name)
        for line in ("interface", "subroutine count_access(line, array, write) bind(c)",
                     "integer(4), value :: line, array, write", "end subroutine", "subroutine count_pause(pause) bind(c)",
                     "integer(4), value :: pause", "end subroutine", "end interface", "contains"):
            self.put(line)
        for k in self.p.kernels:
            for f in k.functions:
                self.function(f)
            self.kernel(k)
        self.put("end module")
        return self.text()


for name in ("if", "continue", "while"):
    setattr(Fortran, name, getattr(Fortran, name + "_"))


def variables(node):
    return {x.var.name: x.var for x in below(node, (Loop, Let, While, Fill))}.values()


def assigned(node):
    """Variables that are no counters of loops."""
    return [x.var for x in below(node, (Let, While))]


def driver(p):
    """In C: arrays are filled, kernels are called, sums are printed."""
    out = ['#include "counting.h"', "#include <stdio.h>", "#include <stdlib.h>"]
    sums = "long" if p.lang == "f90" else "unsigned"
    # zero and unity are the driver's, so that no kernel knows them
    out += ["int zero, unity = 1;"]
    calls = []
    for k in p.kernels:
        types, values, start, end = [str(k.type)] * 3, [], [], []
        if k.orphaned:
            out.append("extern %s k%d_total;" % (sums, k.number))
        for a in k.arrays:
            if a.kind == "own":
                continue
            type = "struct record" if a.kind in ("struct", "structp") else str(a.type)
            n = 1
            for d in a.extent:
                n *= d
            if a.kind == "static":
                out.append("void *%s_at(void);" % a.name)
                at = "((%s *)%s_at())" % (type, a.name)
            elif a.is_parameter():
                out.append("static %s %s[%d] ALIGNED;" % (type, a.name, n))
                at = a.name
                if p.lang != "f90":
                    sizes = a.extent[1:] if a.kind == "vla" and p.lang == "c" else []
                    types += ["int"] * len(sizes) + [type + " *"]
                    values += [str(size) for size in sizes] + [a.name]
            else:
                out.append("extern %s %s[%d];" % (type, a.name, n))
                at = a.name
            if type == "struct record":
                start.append("for (long i = 0; i < %d; i++) fill_record(&%s[i], %d);" % (n, at, a.value))
                end.append("for (long i = 0; i < %d; i++) h = h * 31 + sum_record(&%s[i]);" % (n, at))
            else:
                value = "(i * 7 + i / 5) % 16" if a.kind == "index" else str(a.value)
                start.append("for (long i = 0; i < %d; i++) %s[i] = %s;" % (n, at, value))
                end.append("for (long i = 0; i < %d; i++) h = h * 31 + (unsigned)%s[i];" % (n, at))
        if p.lang == "f90": # extents first
            arguments = [a for a in k.arrays if a.is_parameter()]
            for a in arguments:
                types += ["int"] * (a.dims - 1)
                values += [str(d) for d in a.extent[:-1]]
            types += ["%s *" % a.type for a in arguments]
            values += [a.name for a in arguments]
        out.append("%s kern%d(%s);" % (sums, k.number, ", ".join(types)))
        out.append("static void run%d(void) {" % k.number)
        out.append("  unsigned h = 0;")
        out += ["  " + x for x in start]
        for args in k.calls:
            call = "kern%d(%s)" % (k.number, ", ".join([str(x) for x in args] + values))
            if k.orphaned:
                out.append("  _Pragma(\"omp parallel\") %s;" % call)
                out.append("  h = h * 31 + k%d_total;" % k.number)
            else:
                out.append("  h = h * 31 + %s;" % call)
        out += ["  " + x for x in end]
        out.append('  printf("kernel %d %%u\\n", h);' % k.number)
        out.append("}")
        calls.append("run%d();" % k.number)
    out.append("int main(void) { %s count_end(); return 0; }" % " ".join(calls))
    return "\n".join(out) + "\n"
