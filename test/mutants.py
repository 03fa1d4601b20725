#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes one operator of a header at random, and asks the header's tests whether they notice.

  test/mutants.py [--seed N] [--mutants N] [--jobs N] [--tests FILE...] HEADER... [-- FLAG...]

A HEADER is a path below include/mshadow, or a folder there, which stands for its headers. Each
mutant is a copy of include/ in which `<` is `<=`, `&&` is `||`, `+` is `-`, and so on, in one place.
The test of the same name, test/HEADER_test.cc, and those of --tests are compiled against it with
$CXX (clang++) and the FLAGS; the default finds reads out of bounds. A mutant is noticed if one of
them does not compile, fails, or does not end in time.

Prints a line for each mutant and at the end those that nobody noticed. Some of these change nothing
but speed or a text; the others are holes. Exits with 1 where there are any. A run takes as long as
its compilations, 5 to 40 s a mutant: it is no part of CI.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLAGS = ('-O0 -g1 -fopenmp -DMSHADOW_KERNEL_LEVEL=1 -DMSHADOW_TEST_FEW_DTYPES '
         '-fsanitize=address,undefined -fno-sanitize=null,object-size,pointer-overflow '
         '-fno-sanitize-recover=all').split()
COMPILE_SECONDS, RUN_SECONDS = 600, 60

# Operators with spaces around them, so that brackets of templates, references and signs are left
# alone, and what each may become.
CHANGES = {
    '<': ['<=', '>'], '<=': ['<', '>'], '>': ['>=', '<'], '>=': ['>', '<'],
    '==': ['!='], '!=': ['=='], '&&': ['||'], '||': ['&&'],
    '+': ['-'], '-': ['+'], '*': ['+'], '/': ['*'], '%': ['+'],
    '+=': ['-='], '-=': ['+='], '*=': ['+='], '<<': ['>>'], '>>': ['<<'],
    '++': ['--'], '--': ['++'],
}
PATTERN = re.compile(r'(?<= )(?:<=|>=|==|!=|&&|\|\||<<|>>|\+=|-=|\*=|[<>+\-*/%])(?= )'
                     r'|(?<![+\w])\+\+(?=\w)|(?<![-\w])--(?=\w)')


def places(text):
    """(offset, operator) of all that may change: code, no comments, directives, texts or templates."""
    found = []
    start = 0
    in_directive = False
    for line in text.splitlines(keepends=True):
        code = line.split('//')[0]
        in_directive = in_directive or code.lstrip().startswith('#')
        skipped = (in_directive or 'template <' in code or 'static_assert' in code
                   or 'operator' in code or 'enable_if' in code)
        in_directive = in_directive and code.rstrip().endswith('\\')
        if not skipped:
            blank = re.sub(r'"(?:[^"\\]|\\.)*"', lambda match: 'x' * len(match[0]), code)
            # Texts are joined by + and <<.
            is_text = '"' in code or 'CHECK' in code or 'Text(' in code
            found += [(start + match.start(), match[0]) for match in PATTERN.finditer(blank)
                      if not (is_text and match[0] in ('<<', '>>', '+', '+='))]
        start += len(line)
    return found


def headers_of(names):
    for name in names:
        path = ROOT / 'include/mshadow' / name
        if path.is_dir():
            yield from sorted(path.rglob('*.h'))
        elif path.is_file():
            yield path
        else:
            sys.exit(f'mutants.py: there is no {path}')


def tests_of(header, more):
    stem = header.relative_to(ROOT / 'include/mshadow').with_suffix('')
    folder = ROOT / 'test' / stem.parent
    own = [t for n in ('test', 'threads_test') for t in sorted((ROOT / 'test').rglob(f'{stem.name}_{n}.cc'))
           if t.parent == folder or stem.parts[0] in ('core', 'expr', 'extension')]
    return own + [ROOT / test for test in more]


def run(command, folder, seconds):
    """None, or why the command did not succeed. Its output goes to a file: it may be long."""
    environment = dict(os.environ, OMP_NUM_THREADS='2', ASAN_OPTIONS='strict_string_checks=1',
                       LSAN_OPTIONS=f'suppressions={ROOT / "test/leaks.supp"}:print_suppressions=0')
    with open(folder / 'output', 'w') as output:
        try:
            code = subprocess.run(command, stdout=output, stderr=output, stdin=subprocess.DEVNULL,
                                  env=environment, timeout=seconds).returncode
        except subprocess.TimeoutExpired:
            return 'does not end'
    return None if code == 0 else f'exit code {code}'


def notice(tests, include, folder, flags):
    """None, or what the tests say of the headers in include/."""
    for test in tests:
        program = folder / 'program'
        compile_command = [os.environ.get('CXX', 'clang++'), '-std=c++17', *flags, '-w', f'-I{include}',
                           f'-I{ROOT / "test"}', str(test), '-o', str(program),
                           '-lgtest', '-lgtest_main', '-lpthread', '-lz']
        if run(compile_command, folder, COMPILE_SECONDS):
            return f'{test.name}: does not compile'
        why = run([str(program)], folder, RUN_SECONDS)
        if why:
            return f'{test.name}: {why}'
    return None


def mutate(header, place, operator, replacement, more_tests, flags):
    """A line that says where and what, and what the tests say of it."""
    text = header.read_text()
    line = text.count('\n', 0, place) + 1
    name = header.relative_to(ROOT / 'include/mshadow')
    source = text.splitlines()[line - 1].strip()
    title = f'{name}:{line} {operator} -> {replacement}: {source}'
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        shutil.copytree(ROOT / 'include', folder / 'include')
        changed = folder / 'include/mshadow' / name
        changed.write_text(text[:place] + replacement + text[place + len(operator):])
        return title, notice(tests_of(header, more_tests), folder / 'include', folder, flags)


def main():
    arguments, flags = sys.argv[1:], FLAGS
    if '--' in arguments:
        flags = arguments[arguments.index('--') + 1:]
        arguments = arguments[:arguments.index('--')]
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('headers', nargs='+', metavar='HEADER')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--mutants', type=int, default=1, help='of each header')
    parser.add_argument('--jobs', type=int, default=1)
    parser.add_argument('--tests', nargs='*', default=[], help='further tests of each header')
    options = parser.parse_args(arguments)

    tasks = []
    for header in headers_of(options.headers):
        if not tests_of(header, options.tests):
            print(f'{header.relative_to(ROOT / "include/mshadow")}: no test of its name')
            continue
        found = places(header.read_text())
        generator = random.Random(f'{options.seed} {header.name}')
        for place, operator in generator.sample(found, min(options.mutants, len(found))):
            tasks.append((header, place, operator, generator.choice(CHANGES[operator])))

    unnoticed = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = [pool.submit(mutate, *task, options.tests, flags) for task in tasks]
        for done in concurrent.futures.as_completed(waiting):
            title, why = done.result()
            print(f'{why or "NOT NOTICED"}: {title}', flush=True)
            if not why:
                unnoticed.append(title)
    print(f'\n{len(tasks)} mutants, {len(unnoticed)} not noticed')
    for title in unnoticed:
        print(' ', title)
    return 1 if unnoticed else 0


if __name__ == '__main__':
    sys.exit(main())
