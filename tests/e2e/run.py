#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the end-to-end tests against a real binary and prints TAP.

    tests/e2e/run.py --binary BUILD/stile --fake BUILD/tests/data/fake [--jobs N] [--except REGEX] [WORD…]

A WORD selects the tests whose name holds it. Tests are the cases of *.talk (see talk.py for the
format) and the functions marked @test in situations_*.py (see stile.py for their helpers). Q and P
numbers in names are those of clients.md (situations) and protocol.md (testable statements).
"""

import argparse
import concurrent.futures
import glob
import importlib
import os
import re
import shutil
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import stile  # noqa: E402
import talk   # noqa: E402


def collect():
    """All tests as (name, function), in a stable order."""
    found = []
    for path in sorted(glob.glob(os.path.join(HERE, '*.talk'))):
        found += [(case.title, lambda c=case: talk.hold(c)) for case in talk.read(path)]
    for path in sorted(glob.glob(os.path.join(HERE, 'situations_*.py'))):
        module = importlib.import_module(os.path.basename(path)[:-3])
        found += [(f.title, f) for f in vars(module).values()
                  if isinstance(getattr(f, 'title', None), str)]
    return sorted(found, key=lambda test: test[0])


def attempt(function):
    """None, or what went wrong."""
    try:
        function()
    except stile.Failure as failure:
        return str(failure)
    except Exception:   # a fault of the test, or a pipe that broke: shown whole
        return traceback.format_exc()
    return None


def prepare(options):
    """Trusts the fake surface once; each box starts with a copy of that trust."""
    setup = stile.Setup
    setup.binary = os.path.abspath(options.binary)
    with open(setup.binary, 'rb') as f:
        setup.is_sanitized = b'__asan_init' in f.read()
    setup.patience = 4.0 if setup.is_sanitized else 1.0
    setup.base = stile.place()
    setup.fake = os.path.join(setup.base, 'programs', 'fake')
    os.mkdir(os.path.dirname(setup.fake), 0o755)
    # The vault's surface starts this program again, and from a place that others can write to none is.
    if not stile.is_safe(os.path.dirname(setup.binary)):
        setup.binary = shutil.copy2(setup.binary, os.path.dirname(setup.fake))
    shutil.copy2(options.fake, setup.fake)
    os.chmod(setup.fake, 0o755)
    setup.template = os.path.join(setup.base, 'template')
    os.mkdir(setup.template, 0o700)
    setup.surface = os.path.join(setup.base, 'fake.yaml')
    shutil.copy2(os.path.join(stile.DATA, 'surfaces', 'fake.yaml'), setup.surface)
    os.chmod(setup.surface, 0o644)
    stile.trust(setup.binary, setup.template, setup.surface,
                {'PATH': f'{os.path.dirname(setup.fake)}:/usr/bin:/bin'})


def report(number, name, fault):
    name = name.replace('#', '\\#')
    print(f'{"not ok" if fault else "ok"} {number} - {name}', flush=True)
    for line in (fault or '').splitlines():
        print(f'# {line}', flush=True)


def main():
    parser = argparse.ArgumentParser(description='end-to-end tests')
    parser.add_argument('--binary', required=True)
    parser.add_argument('--fake', required=True)
    parser.add_argument('--jobs', type=int, default=3 * os.cpu_count(),
                        help='most tests wait most of the time')
    parser.add_argument('--except', dest='left_out', help='leave out names that begin so')
    parser.add_argument('words', nargs='*')
    options = parser.parse_args()
    tests = [t for t in collect() if all(w in t[0] for w in options.words)
             and not (options.left_out and re.match(options.left_out, t[0]))]
    print(f'1..{len(tests)}', flush=True)
    prepare(options)
    failed = 0
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for number, fault in enumerate(pool.map(attempt, [f for _, f in tests]), 1):
                report(number, tests[number - 1][0], fault)
                failed += fault is not None
    finally:
        if failed:
            print(f'# {failed} failed; their folders stay below {stile.Setup.base}')
        else:
            shutil.rmtree(stile.Setup.base, ignore_errors=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
