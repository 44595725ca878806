#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of tests/data/phelix, the stand-in for Phelix; prints TAP.

The e2e tests of the phelix surface are worth what the stand-in is worth: what the real command line
refuses it must refuse too, and a plan must be executed once.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'data')
PROGRAM = os.path.join(DATA, 'phelix')
TESTS = []


def test(title):
    def mark(function):
        TESTS.append((title, function))
        return function
    return mark


def equal(got, wanted, what=''):
    if got != wanted:
        raise AssertionError(f'{what}: got {got!r}, wanted {wanted!r}')


class World:
    def __enter__(self):
        self.dir = tempfile.mkdtemp(prefix='phelix-')
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.dir)

    def control(self, **wanted):
        with open(os.path.join(self.dir, 'control.json'), 'w', encoding='utf-8') as f:
            json.dump(wanted, f)

    def raw(self, *words):
        return subprocess.run([PROGRAM, *words], check=False, stdin=subprocess.DEVNULL, timeout=60,
                              capture_output=True,
                              env={'PATH': '/usr/local/bin:/usr/bin:/bin',
                                   'PHELIX_DATA_DIR': self.dir})

    def run(self, *words, status=0):
        """The envelope, of a run with this exit status."""
        at = words.index('--') if '--' in words else len(words)
        done = self.raw(*words[:at], '--json', *words[at:])
        equal(done.returncode, status, f'{words}: {done.stderr.decode()}')
        document = json.loads(done.stdout)
        equal(document['schema_version'], '1')
        equal(document['status'], 'failed' if status else 'succeeded')
        if status:
            equal(document['error']['exit_code'], status)
        return document

    def result(self, *words):
        return self.run(*words)['result']

    def code(self, *words, status):
        return self.run(*words, status=status)['error']['code']

    def lines(self, name):
        try:
            with open(os.path.join(self.dir, name), encoding='utf-8') as f:
                return f.read().splitlines()
        except FileNotFoundError:
            return []


@test('unknown commands, options and missing words end with status 2 and no document')
def usage():
    with World() as world:
        for words in (('deploy',), ('plan', 'show'), ('plan', 'show', 'a', 'b'), ('context', '-x'),
                      ('plan', 'list', '--limit=x'), ('plan', 'list', '--limit'),
                      ('session', 'create', '--actor=root'), ('plan', 'apply', '-dash'),
                      ('inspect', 'secrets'), ('inspect', 'health', '--limit=1', '--', 'shop')):
            done = world.raw(*words)
            equal((done.returncode, done.stdout), (2, b''), words)
            equal(done.stderr.startswith(b'Error: '), True, words)


@test('what stands behind -- is no option')
def end_word():
    with World() as world:
        equal(world.result('inspect', 'app', '--', '-dash')['name'], '-dash')
        equal(world.raw('inspect', 'app', '-dash').returncode, 2)


@test('ids of another form and bounds are INVALID_ARGUMENT, what is not there NOT_FOUND')
def ids():
    with World() as world:
        equal(world.code('plan', 'show', 'pln_1', status=2), 'INVALID_ARGUMENT')
        equal(world.code('operation', 'status', 'zz_1', status=2), 'INVALID_ARGUMENT')
        equal(world.code('plan', 'show', 'pln_0123456789abcdef', status=12), 'NOT_FOUND')
        equal(world.code('operation', 'status', 'dep-0a', status=12), 'NOT_FOUND')
        equal(world.code('inspect', 'app', status=2), 'INVALID_ARGUMENT')
        equal(world.code('session', 'create', '--title=' + 'x' * 201, status=2), 'INVALID_ARGUMENT')


@test('a plan describes; applied, it is executed once, however often it is applied again')
def once():
    with World() as world:
        plan = world.result('plan', 'create', 'rebuild', '--strategy=rolling', '--', 'shop')
        equal((plan['status'], plan['inputs']), ('created', {'strategy': 'rolling'}))
        equal(world.lines('executed'), [])
        first = world.run('plan', 'apply', plan['plan_id'])
        equal(first['result']['version'], 'v3')
        for _ in range(2):
            again = world.run('plan', 'apply', plan['plan_id'])
            equal((again['result']['already_applied'], again['operation_id']),
                  (True, first['operation_id']))
        equal(world.lines('executed'), [f'rebuild shop {plan["plan_id"]}'])
        shown = world.result('plan', 'show', plan['plan_id'])
        equal((shown['status'], shown['plan_hash']), ('applied', plan['plan_hash']))
        operation = world.run('operation', 'status', first['operation_id'])
        equal(operation['result']['plan_id'], plan['plan_id'])
        equal(operation['operation_id'], first['operation_id'])


@test('a plan is stale once the version has moved; one that was edited is not even shown')
def stale():
    with World() as world:
        a, b = (world.result('plan', 'create', 'rebuild', '--', 'shop') for _ in range(2))
        equal(a['plan_hash'], b['plan_hash'], 'what means the same hashes the same')
        world.run('plan', 'apply', a['plan_id'])
        equal(world.result('plan', 'show', b['plan_id'])['applicability']['state'], 'stale')
        equal(world.code('plan', 'apply', b['plan_id'], status=3), 'PLAN_STALE')
        path = os.path.join(world.dir, 'state.json')
        with open(path, encoding='utf-8') as f:
            state = json.load(f)
        state['plans'][b['plan_id']]['inputs']['port'] = 1
        with open(path, 'w', encoding='utf-8') as f:
            json.dump(state, f)
        for verb in ('show', 'apply'):
            equal(world.code('plan', verb, b['plan_id'], status=3), 'PLAN_HASH_MISMATCH')
        equal(len(world.lines('executed')), 1)


@test('a failure is stored and comes back; it is not executed again')
def failed():
    with World() as world:
        plan = world.result('plan', 'create', 'rollback', '--to=v1', '--', 'shop')['plan_id']
        world.control(fail='BUILD_FAILED', say='compiling')
        first = world.run('plan', 'apply', plan, status=20)
        world.control()
        equal(world.run('plan', 'apply', plan, status=20), first)
        equal(len(world.lines('executed')), 1)
        equal(world.code('plan', 'create', 'rollback', '--to=v9', '--', 'shop', status=12),
              'VERSION_NOT_FOUND')


@test('a session links what there is, and does not change after its end')
def sessions():
    with World() as world:
        session = world.result('session', 'create', '--title=Work')['session_id']
        plan = world.result('plan', 'create', 'rebuild', '--', 'shop')['plan_id']
        noted = world.result('session', 'checkpoint', session, f'--plan={plan}', f'--plan={plan}')
        equal((noted['rev'], noted['plan_ids']), (2, [plan]))
        missing = '--plan=pln_0123456789abcdef'
        equal(world.code('session', 'checkpoint', session, missing, status=2), 'INVALID_ARGUMENT')
        equal(world.code('session', 'checkpoint', session, status=2), 'INVALID_ARGUMENT')
        equal(world.code('session', 'fail', session, '--if-rev=1', status=1), 'SESSION_CONFLICT')
        equal(world.result('session', 'complete', session, '--result=done')['status'], 'completed')
        equal(world.code('session', 'fail', session, status=3), 'SESSION_INVALID_TRANSITION')
        equal(world.result('session', 'list', '--status=completed')['count'], 1)
        equal(world.result('session', 'show', session)['resolved']['plans'][0]['present'], True)


def main():
    print(f'1..{len(TESTS)}')
    count = 0
    for number, (title, function) in enumerate(TESTS, 1):
        try:
            function()
            print(f'ok {number} - {title}', flush=True)
        except Exception:   # whatever it is, it fails this test
            count += 1
            print(f'not ok {number} - {title}')
            print('# ' + traceback.format_exc().replace('\n', '\n# '), flush=True)
    sys.exit(count > 0)


if __name__ == '__main__':
    main()
