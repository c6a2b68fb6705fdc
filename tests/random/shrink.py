# SPDX-License-Identifier: GPL-3.0-or-later
"""A smaller program with the same fault: statements, loops, arms and kernels are taken away as long as it fails alike."""
import copy
import time

from program import *


def lists(node, seen=None):
    """All lists of nodes below."""
    seen = set() if seen is None else seen
    if isinstance(node, (list, tuple)):
        if isinstance(node, list) and id(node) not in seen and all(hasattr(x, "run") for x in node):
            seen.add(id(node))
            yield node
        for x in node:
            yield from lists(x, seen)
    elif hasattr(node, "__dict__") and not isinstance(node, (Type, Array)) and id(node) not in seen:
        seen.add(id(node))
        for x in list(vars(node).values()):
            yield from lists(x, seen)


def inner(node):
    """What may stand in a node's place."""
    out = []
    if isinstance(node, If):
        out = [node.then, node.other or []]
    elif isinstance(node, (Critical, Block, While, Switch)):
        out = [node.body] if hasattr(node, "body") else [body for _, body, _ in node.cases]
    return [x for x in out if x]


def settles(p):
    try:
        p.settle()
        return all(holds(k.body, (Share, Region)) for k in p.kernels)
    except Undefined:
        return False


def shrink(p, fails, seconds=240):
    """fails(program): whether it has the fault still."""
    end = time.time() + seconds
    p = copy.deepcopy(p)

    def attempt(q):
        return time.time() < end and settles(q) and fails(q)

    def try_change(change):
        nonlocal p
        q = copy.deepcopy(p)
        if change(q) is not False and attempt(q):
            p = q
            return True
        return False

    for i in reversed(range(len(p.kernels))):
        if len(p.kernels) > 1:
            try_change(lambda q: q.kernels.pop(i))
    again = True
    while again and time.time() < end:
        again = False
        for number in range(len(list(lists(p.kernels)))):
            at = 0
            while True:
                found = list(lists(p.kernels))
                if number >= len(found) or at >= len(found[number]) or time.time() > end:
                    break
                if try_change(lambda q: list(lists(q.kernels))[number].pop(at)):
                    again = True
                    continue
                for way in range(len(inner(found[number][at]))):
                    def replace(q):
                        where = list(lists(q.kernels))[number]
                        where[at:at + 1] = inner(where[at])[way]
                    if try_change(replace):
                        again = True
                        break
                else:
                    at += 1
        for i in range(len(p.kernels)):
            while len(p.kernels[i].calls) > 1 and try_change(lambda q: q.kernels[i].calls.pop()):
                again = True
            for f in reversed(range(len(p.kernels[i].functions))):
                try_change(lambda q: not holds(q.kernels[i].body, Call) and q.kernels[i].functions.pop(f) is None)
            used = {id(r.array) for r in references(p.kernels[i])}

            def drop(q):
                k = q.kernels[i]
                kept = {r.array.name for r in references([k.body, k.functions])}
                if all(a.name in kept or a.kind == "own" for a in k.arrays):
                    return False
                k.arrays = [a for a in k.arrays if a.name in kept or a.kind == "own"]
            try_change(drop)
        for change in ("threads", "condition", "chunk", "nowait", "schedule"):
            for number in range(len(list(shares(p)))):
                def clear(q):
                    share = list(shares(q))[number]
                    if not getattr(share, change):
                        return False
                    setattr(share, change, None)
                again |= try_change(clear)
    p.settle()
    return p


def shares(node, seen=None):
    for nodes in lists(node):
        for x in nodes:
            if isinstance(x, Share):
                yield x
