# SPDX-License-Identifier: MIT
"""stile plan apply, killed at each step of its way. Nothing in the program helps: strace counts the
system calls of the front or of the worker, and sends KILL at one of them. Whatever was killed when, the
program runs at most once, and the answer is never better than what the records can prove."""

import json
import os
import re
import sqlite3
import subprocess

from plans_world import result
from shop_world import PROGRAM, Shop
from stile import Setup, check, equal, poll, test

CALLS = 'clone,setsid,flock,fdatasync,vfork,poll,write'

# The steps of the worker: a system call, and which of them. Of the fdatasync, which make rows durable,
# SQLite decides how many there are: they are counted in a run that nobody disturbs, from the
# message that the operation has begun (BEGUN) and from the end (LAST).
WORKER = (
    ('it has just been forked', 'setsid', 1),
    ('it is about to lock the target', 'flock', 1),
    ('it is about to read a precondition', 'vfork', 1),
    ('it records that it read it', 'fdatasync', 1),
    ('it records decision, operation and intent', 'fdatasync', 'BEGUN-2'),
    ('it records that the operation runs', 'fdatasync', 'BEGUN'),
    ('it is about to start the program', 'vfork', 2),
    ('it records how the program ended', 'fdatasync', 'BEGUN+1'),
    ('it is about to answer', 'fdatasync', 'LAST'),
)
FRONT = (
    ('it is about to fork', 'clone', 1),
    ('it waits', 'poll', 2),
    ('it is about to say the answer', 'write', 1),
)


def apply(shop, plan, *words):
    """`plan apply` under strace: (exit status, the envelope or None)."""
    done = subprocess.run(['strace', '-o', os.path.join(shop.dir, 'trace'), '-e', f'trace={CALLS}',
                           *words, Setup.binary, 'plan', 'apply', plan, '--json'],
                          env=shop.env(ASAN_OPTIONS='detect_leaks=0'), cwd=shop.root,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    check(b'Sanitizer' not in done.stderr, done.stderr)
    return done.returncode, json.loads(done.stdout) if done.stdout else None


def status_of(shop, plan):
    """As it stands in the records, with nobody looked after."""
    with sqlite3.connect(os.path.join(shop.data, 'ledger.db'), timeout=10) as db:
        return db.execute('SELECT status FROM plan WHERE id = ?', (plan,)).fetchone()[0]


def count_syncs(shop):
    """How often the worker makes rows durable until the operation has begun, and in all."""
    plan = shop.create()['plan_id']
    equal(apply(shop, plan, '-f')[0], 0)
    with open(os.path.join(shop.dir, 'trace'), encoding='utf-8', errors='replace') as f:
        lines = f.readlines()
    worker = re.match(r'(\d+) +setsid', next(line for line in lines if ' setsid(' in line)).group(1)
    own = [line for line in lines if line.startswith(worker + ' ')]
    begun = next(i for i, line in enumerate(own) if re.search(r'write\(\d+, "b', line))
    return (sum('fdatasync(' in line for line in own[:begun]),
            sum('fdatasync(' in line for line in own))


def number_of(which, counts):
    if isinstance(which, int):
        return which
    return eval(which, {}, {'BEGUN': counts[0], 'LAST': counts[1]})  # pylint: disable=eval-used


def judge(shop, plan, step, before):
    """What is left after a kill: untouched and applicable, over for good, or done. Applied again, the
    program has run once at most. Returns the status that was found."""
    ran = len(shop.ran()) - before
    shown = shop.show(plan)
    status = shown['status']
    check(status in ('created', 'indeterminate', 'applied'), step, shown)
    if status == 'created':
        equal((ran, shown['applicability']['state']), (0, 'applicable'), step)
        equal(shop.apply(plan)['result']['already_applied'], False, step)
        equal(len(shop.ran()) - before, 1, step)
    elif status == 'indeterminate':
        for _ in range(2):
            error = shop.apply(plan, wanted=1)['error']
            equal((error['code'], error['retryable']), ('UNAVAILABLE', False), step)
        stored = result(shop, 'operation', 'status', shown['operation_id'])
        equal((stored['status'], stored['internal_status']), ('failed', 'interrupted'), step)
        equal(len(shop.ran()) - before, ran, step)
    else:
        equal(ran, 1, step)
        equal(shop.apply(plan)['result']['already_applied'], True, step)
        equal(len(shop.ran()) - before, 1, step)
    check(ran <= 1, step)
    return status


@test('A31 killed: a worker, at each step: untouched, or over for good; never a second run')
def worker():
    with Shop() as shop:
        counts = count_syncs(shop)
        found = {}
        for step, call, which in WORKER:
            shop.set('version', 'v1')
            plan = shop.create()['plan_id']
            before = len(shop.ran())
            number = number_of(which, counts)
            status, answer = apply(shop, plan, '-f', '-e',
                                   f'inject={call}:signal=KILL:when={number}')
            # Marking what a dead worker left is made durable, too: where the front came to the same
            # number of these, it was killed as well.
            if call != 'fdatasync' or status != -9:
                equal((status, answer['error']['code']), (1, 'UNAVAILABLE'), step)
            shop.set('version', 'v1')
            found[step] = judge(shop, plan, step, before)
        equal([found[step] for step, _, _ in WORKER[:4]], ['created'] * 4, 'nothing had begun')
        equal(found[WORKER[6][0]], 'indeterminate')
        equal(found[WORKER[8][0]], 'applied')
        equal(shop.command('audit', 'verify')[0], 0)


@test('A31 killed: a front, at each step: its worker goes on to the end, and runs the program once')
def front():
    with Shop() as shop:
        for step, call, number in FRONT:
            shop.set('version', 'v1')
            plan = shop.create()['plan_id']
            before = len(shop.ran())
            status, answer = apply(shop, plan, '-e', f'inject={call}:signal=KILL:when={number}')
            equal((status, answer), (-9, None), step)
            if call != 'clone':
                poll(lambda p=plan: shop.show(p)['status'] == 'applied', 20, step)
            judge(shop, plan, step, before)


@test('A killed: a program that is replaced after it was compared and before it is started is not')
def replaced():
    with Shop() as shop:
        begun, _ = count_syncs(shop)
        shop.set('version', 'v1')
        plan = shop.create()['plan_id']
        held = subprocess.Popen(
            ['strace', '-f', '-o', '/dev/null', '-e', 'trace=fdatasync', '-e',
             f'inject=fdatasync:delay_enter=2000000:when={begun}', Setup.binary, 'plan', 'apply',
             plan, '--json'], env=shop.env(ASAN_OPTIONS='detect_leaks=0'), cwd=shop.root,
            stdout=subprocess.PIPE)
        poll(lambda: status_of(shop, plan) == 'applying', 20, 'it begins')
        shop.install(PROGRAM + '# another\n')
        answer = json.loads(held.communicate(timeout=60)[0])
        equal((held.returncode, answer['error']['code']), (3, 'PLAN_STALE'), answer)
        check('not started' in answer['error']['message'], answer)
        equal(shop.ran(), ['migrate web 2'], 'the one that was counted')
        equal(shop.show(plan)['status'], 'failed')
