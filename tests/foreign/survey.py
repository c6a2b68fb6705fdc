#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles OpenMP sources that others wrote, with and without the plugin, and compares.

    tests/foreign/survey.py --plugin build/pluss.so [options] FOLDER...

Each FOLDER is a package: an unpacked source tree, or a folder with some sources. Every C, C++ and
Fortran source in it that has an OpenMP directive is compiled at each level of optimisation, once
as it is and once with the plugin. Sources that do not compile by themselves are skipped and
counted. What is compared: the exit status, the diagnostics (the plugin's notes apart), and the
object file without the plugin's two sections, byte for byte. What is counted: parallel loops, by
the compiler's own dump (`#pragma omp for`, wherever it stands: macros, templates, Fortran), and
how many of them the nests in the object describe in full, in part (an `unknown` in the loop) or
not at all, with the reasons.

Headers that are not found are looked for in the package, the nearest one first; a header that a
configure script would make is made of its template, with all features off; Fortran modules that
are missing are compiled from the package first. Nothing is written into the packages.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

LANGUAGE = {'.c': 'c', '.cc': 'c++', '.cpp': 'c++', '.cxx': 'c++', '.C': 'c++', '.c++': 'c++',
            '.f': 'fortran', '.for': 'fortran', '.f90': 'fortran', '.f95': 'fortran',
            '.f03': 'fortran', '.f08': 'fortran', '.F': 'fortran', '.F90': 'fortran',
            '.F95': 'fortran', '.F03': 'fortran', '.F08': 'fortran'}
DRIVER = {'c': 'gcc', 'c++': 'g++', 'fortran': 'gfortran'}
DIRECTIVE = {'c': re.compile(rb'^\s*#\s*pragma\s+omp\s|_Pragma\s*\(\s*"omp\s', re.M),
             'fortran': re.compile(rb'^\s*[!cC*]\$omp\s', re.M | re.I)}
DIRECTIVE['c++'] = re.compile(DIRECTIVE['c'].pattern + rb'|\[\[\s*omp\s*::', re.M)
ENVIRONMENT = dict(os.environ, LC_ALL='C')
# Lines that frame diagnostics: they come once a function, before the first one, note or not.
FRAME = re.compile(r"^(In |\s+from |.*: In |.*: At |\s*inlined from )")
NOTE = re.compile(r': note: pluss: ')
MACRO = re.compile(r': note: in (expansion|definition) of macro ')


def run(command, timeout, cwd):
    """Exit status (None: time was up) and standard error."""
    for _ in range(4):
        status, text = run_once(command, timeout, cwd)
        # Another source with a module of the same name was compiled at the same time.
        if not re.search(r"Cannot (rename|delete) module file|Can't delete module file", text):
            break
    return status, text


def run_once(command, timeout, cwd):
    done = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd=cwd,
                            stderr=subprocess.PIPE, env=ENVIRONMENT, start_new_session=True)
    try:
        text = done.communicate(timeout=timeout)[1]
    except subprocess.TimeoutExpired:
        os.killpg(done.pid, signal.SIGKILL)  # the driver and the compiler that it runs
        done.communicate()
        return None, ''
    return done.returncode, text.decode('utf-8', 'replace')


def diagnostics(text):
    """The diagnostics without the plugin's notes and the macros that those stand in."""
    lines, noted = [], False
    for line in text.splitlines():
        if FRAME.match(line):
            continue
        noted = bool(NOTE.search(line)) or (noted and MACRO.search(line) is not None)
        if not noted:
            lines.append(line)
    return lines


def crash(status, text, spent):
    """What was wrong with a compilation with the plugin; None: nothing."""
    if status is None:
        return 'takes too long (%.1f s without the plugin)' % spent
    if 'internal compiler error' in text:
        return 'crash: ' + re.search(r'internal compiler error.*', text).group(0)
    if 'its analysis failed' in text or 'its analysis takes too long' in text:
        return 'crash: of the analysis'
    return 'fails: ' + ' | '.join(text.splitlines()[-3:]) if status else None


class Package:
    """One folder: its sources, and where its headers and modules are."""

    def __init__(self, folder, work):
        self.folder = os.path.abspath(folder)
        self.name = os.path.basename(self.folder)
        described = [re.match(r'.*_(.*)\.dsc$', n) for n in sorted(os.listdir(self.folder))]
        self.version = ([d.group(1) for d in described if d] + [''])[0]
        self.work = os.path.join(work, hashlib.sha1(self.folder.encode()).hexdigest()[:12])
        os.makedirs(os.path.join(self.work, 'mod'), exist_ok=True)
        os.makedirs(os.path.join(self.work, 'made'), exist_ok=True)
        self.sources, self.files, self.modules = [], collections.defaultdict(list), {}
        self.learned = collections.defaultdict(list)  # folder of a source -> include folders
        self.lock = threading.RLock()
        self.module_tried = set()
        for at, folders, names in os.walk(self.folder):
            folders[:] = sorted(f for f in folders if f not in ('.git', '.pc'))
            for name in sorted(names):
                path = os.path.join(at, name)
                self.files[name].append(path)
                language = LANGUAGE.get(os.path.splitext(name)[1])
                if not language or not os.path.isfile(path):
                    continue
                with open(path, 'rb') as f:
                    text = f.read()
                if DIRECTIVE[language].search(text):
                    self.sources.append(path)
                if language == 'fortran':
                    for module in re.findall(rb'^\s*module\s+(\w+)\s*(?:!.*)?$', text, re.M | re.I):
                        self.modules.setdefault(module.decode().lower(), path)

    def find_header(self, header, source):
        """The folder to search for `header`, the one nearest to the source, or None."""
        found = [p[:-len(header) - 1] for p in self.files.get(os.path.basename(header), [])
                 if p.endswith('/' + header)]
        if found:
            def distance(folder):
                return len(os.path.relpath(folder, os.path.dirname(source)).split(os.sep)), folder
            return min(found, key=distance)
        return self.make_header(header)

    def make_header(self, header):
        for suffix in ('.in', '.cmake', '.cmake.in', '.cmakein', '.h.in', '.in.h'):
            name = os.path.basename(header)
            name = name[:-2] + suffix if suffix.endswith('.h') or suffix == '.h.in' else name + suffix
            templates = self.files.get(name) or self.files.get(re.sub(r'\.h\.in$', '.in', name))
            if not templates:
                continue
            with open(templates[0], encoding='utf-8', errors='replace') as f:
                text = f.read()
            text = re.sub(r'^\s*#\s*(cmakedefine(01)?|undef)\b.*$', '', text, flags=re.M)
            text = re.sub(r'@\w+@|\$\{\w+\}', '0', text)
            made = os.path.join(self.work, 'made', header)
            os.makedirs(os.path.dirname(made), exist_ok=True)
            with open(made, 'w', encoding='utf-8') as f:
                f.write(text)
            return os.path.join(self.work, 'made')
        return None


class Survey:
    def __init__(self, options):
        self.options = options

    def driver(self, language):
        name = DRIVER[language] + self.options.suffix
        if language == 'fortran' and not self.options.suffix:
            name = self.options.fortran
        return os.path.join(self.options.bin, name) if self.options.bin else name

    def prepare(self, package, source, language, depth=0):
        """The command that compiles the source, or the reason why nothing does."""
        folder = os.path.dirname(source)
        base = [self.driver(language), '-fopenmp', '-fno-diagnostics-show-caret', '-frandom-seed=1',
                '-Wno-error', '-I' + folder]
        if language == 'fortran':
            base += ['-cpp', '-ffree-line-length-none', '-ffixed-line-length-none']
            base += ['-J' + os.path.join(package.work, 'mod')]
        with package.lock:
            includes = list(package.learned[folder])
        extra, tried_dg = [], False
        for _ in range(60):
            command = base + extra + ['-I' + i for i in includes]
            status, text = run(command + ['-w', '-O0', '-fsyntax-only', source],
                               self.options.timeout, package.work)
            if status == 0:
                with package.lock:
                    package.learned[folder] = includes
                return command, None
            if status is None:
                return None, 'takes too long'
            header = re.search(r'fatal error: (\S+): No such file or directory', text) or \
                re.search(r"(?:Can't open included file|Cannot open included file) '([^']+)'", text, re.I)
            module = re.search(r"Cannot open module file '(\w+)\.mod'", text, re.I)
            if header:
                where = package.find_header(header.group(1), source)
                if where and where not in includes:
                    includes.append(where)
                    continue
                return None, 'a header is missing'
            if module:
                name = module.group(1).lower()
                if depth < 20 and self.make_module(package, name, depth):
                    continue
                return None, 'a Fortran module is missing'
            if not tried_dg:  # GCC's tests say how they want to be compiled
                tried_dg = True
                with open(source, encoding='utf-8', errors='replace') as f:
                    wanted = re.findall(r'dg-(?:additional-)?options\s+"([^"]*)"', f.read())
                extra = [o for w in wanted for o in w.split() if re.match(r'-(std|f|D|m)', o)]
                if extra:
                    continue
            return None, 'errors in the source'
        return None, 'too many headers are missing'

    def make_module(self, package, name, depth):
        with package.lock:
            path = package.modules.get(name)
            if not path or name in package.module_tried:
                return os.path.exists(os.path.join(package.work, 'mod', name + '.mod'))
            package.module_tried.add(name)
            self.prepare(package, path, 'fortran', depth + 1)
            return os.path.exists(os.path.join(package.work, 'mod', name + '.mod'))

    def compile(self, command, package, source, target, plugin, mode=None):
        extra = ['-fplugin=' + self.options.plugin] if plugin else []
        extra += ['-fplugin-arg-%s-mode=%s' % (os.path.basename(self.options.plugin).split('.')[0], mode)] if mode else []
        start = time.monotonic()
        status, text = run(command[:1] + extra + command[1:] + ['-c', source, '-o', target],
                           self.options.timeout * (2 if plugin else 1), package.work)
        return status, text, time.monotonic() - start

    def one(self, package, source):
        result = {'package': package.name, 'version': package.version, 'source': os.path.relpath(source, package.folder),
                  'faults': [], 'loops': [], 'skipped': None, 'levels': []}
        language = LANGUAGE[os.path.splitext(source)[1]]
        result['language'] = language
        command, why = self.prepare(package, source, language)
        if not command:
            result['skipped'] = why
            return result
        with tempfile.TemporaryDirectory(dir=package.work) as at:
            checking = '-fchecking=2'
            for number, level in enumerate(self.options.levels):
                flags = level.split() + ['-Wall']
                without, plugged = os.path.join(at, 'without.o'), os.path.join(at, 'with.o')
                dump = ['-fdump-tree-gimple-lineno=' + os.path.join(at, 'dump')] if number == 0 else []
                status, text, spent = self.compile(command + flags + [checking] + dump, package,
                                                   source, without, False)
                while status != 0 and checking:
                    checking = '-fchecking=1' if checking == '-fchecking=2' else ''
                    status, text, spent = self.compile(
                        command + flags + ([checking] if checking else []) + dump, package, source,
                        without, False)
                if status != 0:
                    if number == 0:
                        result['skipped'] = 'takes too long' if status is None else \
                            'errors in the source'
                        return result
                    continue
                result['levels'].append(level)
                flags += [checking] if checking else []
                fault = lambda what: result['faults'].append(level + ': ' + what)
                status, noted, longer = self.compile(command + flags, package, source, plugged, True)
                result['seconds'] = result.get('seconds', 0) + spent
                result['seconds_with'] = result.get('seconds_with', 0) + longer
                wrong = crash(status, noted, spent)
                if wrong:
                    fault(wrong)
                    continue
                for mode in self.options.modes:
                    other = self.compile(command + flags, package, source, os.path.join(at, 'recording.o'), True, mode)
                    result['recording'] = result.get('recording', 0) + 1
                    wrong = crash(other[0], other[1], spent)
                    if wrong:
                        fault('mode=' + mode + ': ' + wrong)
                if diagnostics(noted) != diagnostics(text):
                    old, new = diagnostics(text), diagnostics(noted)
                    odd = [l for l in new if l not in old] + [l for l in old if l not in new]
                    fault('other diagnostics: ' + ' | '.join((odd or ['their order'])[:2]))
                nests = self.nests(plugged)
                if not self.same(without, plugged):
                    fault('another object')
                if number == 0:
                    result['notes'] = [l for l in noted.splitlines() if NOTE.search(l)]
                    result['loops'], result['others'] = account(os.path.join(at, 'dump'), nests)
                    first = sorted(nests)
                elif sorted(nests) != first:
                    result['unlike'] = result.get('unlike', []) + [level]
                    if self.options.keep:
                        base = os.path.join(self.options.keep, os.path.basename(source))
                        for name, body in ((base + '.first', first), (base + '.other', sorted(nests))):
                            with open(name, 'w', encoding='utf-8') as f:
                                f.write('\n'.join(body))
        return result

    @staticmethod
    def nests(path):
        subprocess.run(['objcopy', '-O', 'binary', '--only-section=.pluss.nests', '--set-section-flags',
                        '.pluss.nests=alloc', path, path + '.nests'], stderr=subprocess.DEVNULL)
        try:
            with open(path + '.nests', encoding='utf-8', errors='replace') as f:
                return [t for t in f.read().split('\0') if t]
        except FileNotFoundError:
            return []

    @staticmethod
    def same(without, plugged):
        texts = []
        for path in (without, plugged):
            subprocess.run(['objcopy', '-w', '-R', '.pluss.nests', '-R', '.pluss.symbols',
                            '-R', '.gnu.offload_lto_*', path], check=True)
            with open(path, 'rb') as f:
                texts.append(f.read())
        if texts[0] == texts[1]:
            return True
        # The layout of the file may differ; contents, relocations and symbols of the sections not.
        dumps = []
        for path in (without, plugged):
            dump = subprocess.run(['objdump', '-srt', path], stdout=subprocess.PIPE, check=True).stdout
            dumps.append(dump.split(b'\n', 3)[-1])
        return dumps[0] == dumps[1]


PLACE = re.compile(r'^(\s*)(?:\[([^\]]*):(\d+):(\d+)(?: discrim \d+)?\] )?#pragma omp (.*)')


def dumped_loops(path):
    """Worksharing loops of a GIMPLE dump: {(file, line): lines that may name it, kind}, and how
    many constructs of other kinds there are."""
    loops, others, stack = {}, collections.Counter(), []
    if not os.path.exists(path):  # a source without functions
        return loops, others
    with open(path, encoding='utf-8', errors='replace') as f:
        for text in f:
            m = PLACE.match(text)
            indent = len(text) - len(text.lstrip(' '))
            if not text.strip():
                continue
            while stack and indent <= stack[-1][0] and not text.strip().startswith('{'):
                stack.pop()
            if not m:
                continue
            file, line, what = m.group(2) or '', int(m.group(3) or 0), m.group(5)
            kind = re.match(r'(target|teams|distribute|taskloop|task|for|parallel|simd|sections|scan)?',
                            what).group(1)
            around = {s[1] for s in stack}
            if kind == 'for':
                lines = {line} | {s[3] for s in stack[-1:] if s[1] == 'parallel'}
                left = sorted(around & {'target', 'teams', 'distribute', 'task', 'taskloop'})
                if left:
                    others['omp for in omp ' + left[0]] += 1
                else:
                    old = loops.get((file, line))
                    loops[(file, line)] = lines | (old or set())
            elif kind in ('taskloop', 'sections', 'distribute') and kind not in around:
                others['omp ' + kind] += 1
            stack.append((indent, kind, file, line))
    return loops, others


LOOP = re.compile(r'^(\s*)(parallel for|workshare for) ')
UNKNOWN = re.compile(r'^\s*unknown (\w+)(?: of (`[^`]*`|\S+))? "((?:[^"\\]|\\.)*)"')
AT = re.compile(r' @(?:"((?:[^"\\]|\\.)*)":)?(\d+)(?::\d+)?(?: \{)?$')


def nest_loops(nest):
    """[(file, line, [reasons])] of the parallel loops, and the unknowns outside of any."""
    file, open_loops, done, outside = '', [], [], []
    for text in nest.splitlines():
        region = re.match(r'^region (?:`[^`]*`|\S+)(?: "((?:[^"\\]|\\.)*)")?', text)
        if region:
            file = region.group(1) or ''
            continue
        indent = len(text) - len(text.lstrip(' '))
        if text.strip() in ('}', '} else {'):
            while open_loops and text.strip() == '}' and open_loops[-1][0] >= indent:
                done.append(open_loops.pop()[1])
            continue
        at = AT.search(text)
        place = (at.group(1) or file, int(at.group(2))) if at else (file, 0)
        unknown = UNKNOWN.match(text)
        if unknown:
            reason = unknown.group(1) + ': ' + unknown.group(3)
            if open_loops:
                for _, loop in open_loops:
                    loop[2].append(reason)
            else:
                outside.append((place[0], place[1], reason))
        elif LOOP.match(text):
            loop = (place[0], place[1], [])
            if text.endswith('{'):
                open_loops.append((indent, loop))
            else:
                done.append(loop)
    return done + [l for _, l in open_loops], outside


def account(dump, nests):
    """For each parallel loop of the dump: full, part or not, and the reasons."""
    found, others = dumped_loops(dump)
    described, outside = collections.defaultdict(list), []
    for nest in nests:
        loops, rest = nest_loops(nest)
        for file, line, reasons in loops:
            described[(os.path.basename(file), line)].append(reasons)
        outside += rest
    result = []
    for (file, line), lines in sorted(found.items()):
        entries = [e for n in lines for e in described.get((os.path.basename(file), n), [])]
        if entries:
            reasons = sorted({r for e in entries for r in e})
            result.append({'file': file, 'line': line, 'state': 'part' if reasons else 'full',
                           'reasons': reasons})
        else:
            near = [r for f, n, r in outside if os.path.basename(f) == os.path.basename(file) and n in lines]
            if not near:
                near = ['in ' + r for f, n, r in outside
                        if os.path.basename(f) == os.path.basename(file) and n < max(lines)][-1:]
            result.append({'file': file, 'line': line, 'state': 'not',
                           'reasons': sorted(set(near)) or ['no nest speaks of it']})
    return result, dict(others)


# Affine: bounds, subscripts and the conditions around accesses are sums of constant multiples of loop
# variables and of values that are invariant in the region, products of invariants among them. Why a
# loop is not (README.md has it in words): the first cause that one of its reasons matches.
# Everything else that the plugin refuses counts as affine, wanting though its reason may be.
ELEMENT = r"`(?:[^']*\[[^']*|\*[^']*)'"  # what is loaded is an element of an array, or a pointer's
NOT_AFFINE = [
    ('a call of a function that is not at hand', re.compile(
        r"^(in )?call: |the result of a call|may be changed by the call")),
    ('another construct (task, target, distribute, scan, copies, reductions)', re.compile(
        r'^(in )?construct: |holds a construct that is not copied')),
    ('a branch on data', re.compile(
        r'a condition on data in memory|a condition on values that are not integers|'
        r'^control: a truth value that is not described')),
    ('numbers loaded from an array that the loop may store to', re.compile(
        ELEMENT + r' may be changed by the store to ')),
    ('a branch on what earlier iterations decided', re.compile(
        r"^(in )?control: (.*changes from one iteration to the next in a way|"
        r"(a value that|`[^']*') depends on (itself|which iterations its thread executes))")),
    ('lists, whose next place is loaded from the one before', re.compile(r'is loaded from where it led to before')),
    ('counts of the iterations that a thread executes', re.compile(r'depends on which iterations its thread executes')),
    ('floating-point numbers as bounds or subscripts', re.compile(r'computed by fix_trunc_expr')),
    ('bit operations', re.compile(r'computed by (bit_\w+|[lr](shift|rotate)_expr)')),
    ('products and quotients of two variables', re.compile(
        r'it multiplies two values that vary, or divides by one')),
    ('comparisons of the places of arrays', re.compile(r'a comparison of the places of two arrays')),
    ('loops that are left early', re.compile(
        r'more than one exit|exit of the loop depends on several conditions|'
        r'a loop that is left in several ways|depends on where a loop is left')),
    ('volatile variables', re.compile(r'a volatile value')),
    ('a body that does not end', re.compile(
        r"no way leads from it to the function's end|its body is not reached, or does not end")),
]


def not_affine(reasons):
    """The first of the causes above, or None: the loop counts as affine."""
    for cause, pattern in NOT_AFFINE:
        if any(pattern.search(r) for r in reasons):
            return cause
    return None


def general(reason):
    """A reason without the names in it."""
    reason = re.sub(r"`[^`']*'", '`...\'', reason)
    return re.sub(r'the combination of the threads\' .*', 'the combination of the threads\' ...', reason)


def totals(results):
    t = collections.Counter()
    for r in results:
        t['sources'] += 1
        if r['skipped']:
            t['skipped'] += 1
            continue
        t['compiled'] += 1
        t['compilations'] += len(r['levels'])
        t['unlike'] += 'unlike' in r
        t['faults'] += len(r['faults'])
        t['crashes'] += sum('crash' in f for f in r['faults'])
        t['objects'] += sum('another object' in f for f in r['faults'])
        for loop in r['loops']:
            t['loops'] += 1
            t[loop['state']] += 1
            if not not_affine(loop['reasons']):
                t['affine'] += 1
    return t


def write_report(path, results, options):
    packages = collections.defaultdict(list)
    for r in results:
        packages[r['package']].append(r)
    versions = {r['package']: r['version'] for r in results}
    out = ['# Foreign code: what the plugin makes of it', '',
           'Written by `tests/foreign/survey.py` (`make foreign`) on %s.' % time.strftime('%Y-%m-%d', time.gmtime()),
           'Compiler: %s. Levels: %s, each with and without the plugin, `-fchecking=2` wherever the'
           % (options.compiler, ', '.join('`%s`' % l for l in options.levels)),
           'source passes that without the plugin.', '',
           '| package | version | sources | compiled | skipped | compilations | crashes | other objects | '
           'other faults | nests that differ between levels | parallel loops | described in full | in part | not |',
           '| --- | --- |' + ' ---: |' * 12]
    for name, group in sorted(packages.items()) + [('**together**', results)]:
        t = totals(group)
        out.append('| %s | %s | ' % (name, versions.get(name, '')) + ' | '.join(str(x) for x in (
            t['sources'], t['compiled'], t['skipped'], t['compilations'], t['crashes'], t['objects'],
            t['faults'] - t['crashes'] - t['objects'], t['unlike'], t['loops'], t['full'], t['part'], t['not'])) + ' |')
    causes, refused = collections.Counter(), collections.Counter()
    for r in results:
        for loop in r['loops']:
            cause = not_affine(loop['reasons'])
            if cause:
                causes[cause] += 1
            elif loop['state'] != 'full':
                refused['; '.join(sorted({general(x) for x in loop['reasons']}))] += 1
    t = totals(results)
    out += ['', '## Affine loops', '',
            'By a rule, not by hand (README.md, NOT_AFFINE in survey.py): affine are bounds, subscripts and conditions that are',
            'sums of constant multiples of loop variables and of values invariant in the region. A loop that is not described',
            "in full is not affine where one of the plugin's reasons says so (the first table); all others count as affine.", '',
            '**%d of %d affine parallel loops (%.1f %%) are described in full.**'
            % (t['full'], t['affine'], 100 * t['full'] / max(t['affine'], 1))]
    for title, counter in (('not affine', causes), ('affine, not described in full', refused)):
        out += ['', '| loops | %s |' % title, '| ---: | --- |']
        out += ['| %d | %s |' % (n, what.replace('|', '\\|')) for what, n in
                sorted(counter.items(), key=lambda x: (-x[1], x[0]))]
    unlike = [(r['package'], r['source'].split(os.sep, 1)[-1], r['unlike']) for r in results if 'unlike' in r]
    out += ['', '## Nests that differ between levels', '']
    out += ['- %s %s: %s' % (p, s, ', '.join(levels)) for p, s, levels in sorted(unlike)] or ['None.']
    skipped = collections.Counter(r['skipped'] for r in results if r['skipped'])
    reasons = collections.Counter()
    for r in results:
        for loop in r['loops']:
            for reason in {general(x) for x in loop['reasons']}:
                reasons[reason] += 1
    others = collections.Counter()
    for r in results:
        others.update(r.get('others') or {})
    for title, counter, unit in (('Skipped', skipped, 'sources'),
                                 ('Why loops are not described in full', reasons, 'loops'),
                                 ('Left alone, not counted as parallel loops', others, 'constructs')):
        out += ['', '## ' + title, '', '| %s | |' % unit, '| ---: | --- |']
        out += ['| %d | %s |' % (n, what.replace('|', '\\|')) for what, n in
                sorted(counter.items(), key=lambda x: (-x[1], x[0]))]
    faults = [(r, f) for r in results for f in r['faults']]
    out += ['', '## Faults', '']
    out += ['- %s %s: %s' % (r['package'], r['source'], f) for r, f in faults] or ['None.']
    with open(path, 'w', encoding='utf-8') as f:
        f.write('\n'.join(out) + '\n')


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    p.add_argument('--plugin', required=True)
    p.add_argument('--suffix', default='', help="of the compilers' names: -11")
    p.add_argument('--fortran', default=shutil.which('gfortran') or 'gfortran-12', help='the Fortran compiler, if there is no suffix')
    p.add_argument('--bin', default='', help='the folder of the compilers')
    p.add_argument('--levels', default='-O0;-O2;-O3 -g', help='separated by semicolons')
    p.add_argument('--modes', default='', help='that record, compiled too; separated by semicolons')
    p.add_argument('--jobs', type=int, default=2)
    p.add_argument('--timeout', type=float, default=60, help='seconds for a compilation')
    p.add_argument('--most', type=int, default=0, help='so many sources of a package at most, evenly taken')
    p.add_argument('--only', default='', help='sources whose path has this expression in it')
    p.add_argument('--report', help='write a table (Markdown)')
    p.add_argument('--json', help='write everything, a line a source')
    p.add_argument('--work', help='a folder for what is made on the way')
    p.add_argument('--keep', help='a folder for nests that differ between levels')
    p.add_argument('--from', dest='earlier', action='append', default=[], metavar='FILE',
                   help='take these results of --json instead of compiling')
    p.add_argument('folders', nargs='*')
    options = p.parse_args()
    options.plugin = os.path.abspath(options.plugin)
    options.levels = options.levels.split(';')
    options.modes = [m for m in options.modes.split(';') if m]
    work = tempfile.TemporaryDirectory() if not options.work else None
    at = options.work or work.name
    survey, jobs = Survey(options), []
    options.compiler = subprocess.run([survey.driver('c'), '--version'], stdout=subprocess.PIPE,
                                      check=True, text=True).stdout.splitlines()[0]
    if not os.path.exists(options.plugin):
        p.error('no plugin ' + options.plugin)
    if not options.folders and not options.earlier:
        p.error('no folder')
    for folder in [] if options.earlier else options.folders:
        if not os.path.isdir(folder):
            p.error('no folder ' + folder)
        package = Package(folder, os.path.abspath(at))
        sources = [s for s in package.sources if re.search(options.only, s)]
        if options.most and len(sources) > options.most:
            sources = [sources[k * len(sources) // options.most] for k in range(options.most)]
        jobs += [(package, s) for s in sources]
    results = []
    for path in options.earlier:
        with open(path, encoding='utf-8') as f:
            results += [json.loads(line) for line in f]
    lines = open(options.json, 'w', encoding='utf-8') if options.json and not options.earlier else None
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for r in pool.map(lambda j: survey.one(*j), jobs):
            results.append(r)
            if lines:
                print(json.dumps(r), file=lines, flush=True)
            for fault in r['faults']:
                print('%s %s: %s' % (r['package'], r['source'], fault), flush=True)
    if options.report:
        write_report(options.report, results, options)
    t = totals(results)
    print('%d sources, %d compiled, %d skipped, %d compilations; %d crashes, %d other objects, %d other faults; '
          '%d parallel loops: %d described in full, %d in part, %d not' %
          (t['sources'], t['compiled'], t['skipped'], t['compilations'], t['crashes'], t['objects'],
           t['faults'] - t['crashes'] - t['objects'], t['loops'], t['full'], t['part'], t['not']))
    sys.exit(1 if t['faults'] else 0)


if __name__ == '__main__':
    main()
