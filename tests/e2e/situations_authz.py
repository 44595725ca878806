# SPDX-License-Identifier: MIT
"""stile plan|authz|operation: what is stored, who may, what was run (plan-deploy.md §§2-4; A numbers
are those of §9). Plans come from plans_world.py."""

import os
import subprocess

from plans_world import (add_operation, add_plan, approve, at_desk, database, envelope, failure,
                         policy, result)
from stile import Box, Setup, check, equal, test

APPROVED = '''
schema_version: '1'
mode: enforced
rules:
- actor: {type: mcp, authenticated: false}
  surface: shop
  action: shop_rebuild
  target: shop
  effect: allow
  require_approval: true
- {actor: {type: cli, authenticated: false}, surface: '*', action: '*', target: '*', effect: allow}
'''


def agent(box):
    return box.env(STILE_CALLER='mcp')


def check_of(box, plan, env=None):
    answer = result(box, 'authz', 'check', plan, env=env)
    return answer['decision'], answer['code']


def decisions(box):
    db = database(box)
    count = db.execute('SELECT count(*) FROM decision').fetchone()[0]
    db.close()
    return count


@test('A9 a plan that was edited, misfiled or replaced is not shown; each way has its code')
def tampered():
    edits = (
        ("document = replace(document, '8080', '80')", 'PLAN_HASH_MISMATCH'),
        ("document = 'garbage'", 'PLAN_CORRUPT'),
        ("document = replace(document, id, 'pln_0123456789abcdef')", 'PLAN_INVALID'),
        ("status = 'applied'", 'PLAN_INVALID'),
        ("status = 'done'", 'PLAN_INVALID'),
        ('expires_us = expires_us + 1', 'PLAN_INVALID'),
    )
    for edit, code in edits:
        with Box() as box:
            plan, _ = add_plan(box)
            with database(box) as db:
                db.execute(f'UPDATE plan SET {edit}')
            db.close()
            for command in (('plan', 'show', plan), ('authz', 'check', plan),
                            ('authz', 'approve', plan), ('plan', 'diff', plan, plan)):
                equal(failure(box, *command, wanted=3)['code'], code)
            found = result(box, 'plan', 'list')
            equal((found['count'], found['skipped']), (0, 1))


@test('A7 ids of another form and plans that are not there')
def ids():
    with Box() as box:
        for command in (('plan', 'show'), ('authz', 'check'), ('authz', 'revoke'),
                        ('operation', 'status')):
            for bad in ('', 'pln_', 'pln_XYZ', '../plan', 'wh_1'):
                equal(failure(box, *command, bad, wanted=2)['code'], 'INVALID_ARGUMENT')
        equal(failure(box, 'plan', 'show', 'pln_0123456789abcdef', wanted=12)['code'], 'NOT_FOUND')
        equal(failure(box, 'operation', 'status', 'op_0123456789abcdef', wanted=12)['code'],
              'NOT_FOUND')


@test('A6 a plan is shown as it was hashed by another program, and listed newest first')
def shown():
    with Box() as box:
        first, plan_hash = add_plan(box, preview='would restart 2 instances')
        second, _ = add_plan(box, target='other')
        plan = result(box, 'plan', 'show', first)
        equal((plan['plan_hash'], plan['status'], plan['expired']), (plan_hash, 'created', False))
        equal(plan['facts']['argv'], ['shop', 'rebuild', 'shop'])
        equal(plan['preview'], 'would restart 2 instances')
        check('operation_id' not in envelope(box, 'plan', 'show', first), 'nothing was run')
        found = result(box, 'plan', 'list')
        equal([p['plan_id'] for p in found['plans']], [second, first])
        equal(result(box, 'plan', 'list', '--limit', '1')['truncated'], True)
        equal(result(box, 'plan', 'list', '--surface', 'none')['count'], 0)
        _, stdout, _ = box.command('plan', 'show', first)
        for text in ('shop rebuild shop', plan_hash, 'would restart', '"port": 8080',
                     'shop_status {} at /version is "v1"', 'held         dir /srv/shop'):
            check(text.encode() in stdout, text, stdout)


@test('A two plans are compared place by place')
def compared():
    with Box() as box:
        a, _ = add_plan(box)
        b, _ = add_plan(box, argv=['shop', 'rebuild', '--force'], cwd='/tmp')
        same, _ = add_plan(box)
        found = result(box, 'plan', 'diff', a, b)
        equal(found['equal'], False)
        equal([(d['pointer'], d.get('before'), d.get('after')) for d in found['differences']],
              [('/argv/2', 'shop', '--force'), ('/cwd', '/srv', '/tmp')])
        equal(result(box, 'plan', 'diff', a, same)['equal'], True)
        _, stdout, _ = box.command('plan', 'diff', a, b)
        check(b'/argv/2' in stdout and b'+ "--force"' in stdout, stdout)


@test('A38 without a policy who sits here may, and an agent may not')
def unconfigured():
    with Box() as box:
        plan, _ = add_plan(box)
        status = result(box, 'authz', 'status')
        equal((status['mode'], status['enforced'], status['policy_loaded']),
              ('legacy_local', False, False))
        actor = status['actor']
        equal((actor['type'], actor['id'], actor['authenticated']), ('cli', None, False))
        equal(check_of(box, plan), ('allow', 'AUTHZ_ALLOWED'))
        equal(check_of(box, plan, agent(box)), ('deny', 'AUTHZ_DENIED'))
        equal(check_of(box, plan, box.env(STILE_CALLER='cli')), ('deny', 'AUTHZ_DENIED'))


@test('A38 approve, revoke and a changed policy are each seen by the very next check')
def at_once():
    with Box() as box:
        plan, _ = add_plan(box)
        other, _ = add_plan(box)
        policy(box, APPROVED)
        equal(check_of(box, plan, agent(box)), ('approval_required', 'APPROVAL_REQUIRED'))
        equal(check_of(box, plan), ('allow', 'AUTHZ_ALLOWED'))
        approve(box, plan)
        answer = result(box, 'authz', 'check', plan, env=agent(box))
        equal((answer['decision'], answer['rule_index']), ('allow', 0))
        equal(answer['approval']['approval_id'], answer['approval_id'])
        equal(answer['approval']['approver_authenticated'], False)
        equal(check_of(box, other, agent(box))[1], 'APPROVAL_REQUIRED')
        status, text = at_desk(box, 'authz', 'approve', plan)
        check(status == 1 and 'approved already' in text, status, text)
        status, text = at_desk(box, 'authz', 'revoke', plan)
        equal(status, 0, text)
        equal(check_of(box, plan, agent(box))[1], 'APPROVAL_REQUIRED')
        equal(failure(box, 'authz', 'revoke', plan, wanted=12)['code'], 'NOT_FOUND')
        approve(box, plan)
        policy(box, "schema_version: '1'\nmode: enforced\n")
        equal(check_of(box, plan, agent(box)), ('deny', 'AUTHZ_DENIED'))
        equal(check_of(box, plan), ('deny', 'AUTHZ_DENIED'))
        equal(decisions(box), 0, 'a check records nothing')
        equal([r['kind'] for r in box.ledger() if r['kind'] != 'checkpoint'], ['consent'] * 3)
        equal(box.command('audit', 'verify')[0], 0)


@test('A22 a policy that cannot be believed allows nothing; its status still says why')
def broken():
    with Box() as box:
        plan, _ = add_plan(box)
        path = policy(box, 'mode: enforced')
        cases = [('rules: [', 0o600, 'AUTHZ_INVALID'), (APPROVED, 0o622, 'AUTHZ_INVALID'),
                 (APPROVED.replace(', authenticated: false', '', 1), 0o600, 'AUTHZ_INVALID'),
                 ('#' * 70000, 0o600, 'AUTHZ_INVALID')]
        for text, mode, code in cases:
            policy(box, text, mode)
            equal(check_of(box, plan), ('deny', code))
            equal(result(box, 'authz', 'check', plan)['mode'], 'unknown')
            status = result(box, 'authz', 'status')
            equal((status['mode'], status['enforced']), ('unknown', True))
            equal(status['policy_error']['code'], code)
        os.unlink(path)
        os.symlink(box.write('policy', APPROVED), path)
        equal(check_of(box, plan), ('deny', 'AUTHZ_INVALID'))
        os.unlink(path)
        os.mkdir(path)
        equal(check_of(box, plan), ('deny', 'AUTHZ_INVALID'))


@test('A25 an approval that was edited, moved, or is for something else does not count')
def forged():
    edits = (("target = '*'", 'APPROVAL_INVALID'), ('hash = zeroblob(32)', 'APPROVAL_INVALID'),
             ('expires_us = expires_us + 1', 'APPROVAL_INVALID'))
    for edit, code in edits:
        with Box() as box:
            plan, _ = add_plan(box)
            policy(box, APPROVED)
            approve(box, plan)
            with database(box) as db:
                db.execute(f'UPDATE approval SET {edit}')
            db.close()
            equal(check_of(box, plan, agent(box)), ('deny', code))
    with Box() as box:
        a, _ = add_plan(box)
        b, _ = add_plan(box)
        policy(box, APPROVED)
        approve(box, a)
        with database(box) as db:
            db.execute('UPDATE approval SET plan_id = ?', (b,))
        db.close()
        equal(check_of(box, b, agent(box)), ('deny', 'APPROVAL_INVALID'))
        equal(check_of(box, a, agent(box))[1], 'APPROVAL_REQUIRED')


@test('A approving shows all of the plan on the terminal, and only the right answer consents')
def asked():
    with Box() as box:
        plan, plan_hash = add_plan(box, argv=['shop', 'x\x1b]0;y\x07'], label='one\u202etwo',
                                   preview='line 1\nline 2')
        seen = []

        def decline(text):
            if not text.rstrip(' ').endswith(':'):
                return None
            seen.append(text)
            return 'yes'
        status, text = at_desk(box, 'authz', 'approve', plan, answer=decline)
        equal(status, 11, text)
        check('declined' in text, text)
        for part in (plan, plan_hash, 'shop_rebuild', 'destroy', '/usr/bin/shop', '/srv', 'line 2',
                     'HOME', 'u{202E}', 'last four'):
            check(part in seen[0], part, seen[0])
        check('\x1b' not in seen[0] and '\x07' not in seen[0] and '\u202e' not in seen[0], seen[0])
        equal(failure(box, 'authz', 'revoke', plan, wanted=12)['code'], 'NOT_FOUND')
        equal([(r['kind'], r['code'], r['tool']) for r in box.ledger()
               if r['kind'] != 'checkpoint'], [('refusal', 'WRITE_DECLINED', 'shop_rebuild')])


@test('A approve and revoke want a terminal, a person, and no word that says yes in advance')
def only_people():
    with Box() as box:
        plan, plan_hash = add_plan(box)
        for command in ('approve', 'revoke'):
            equal(failure(box, 'authz', command, plan, env=agent(box), wanted=11)['code'],
                  'PERMISSION_DENIED')
            equal(box.command('authz', command, plan, '--yes')[0], 2)
        detached = ['setsid', '-w', Setup.binary, 'authz', 'approve', plan, '--json']
        done = subprocess.run(detached, env=box.env(), input=b'', stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        equal(done.returncode, 11)
        check(b'WRITE_CONFIRMATION_UNAVAILABLE' in done.stdout, done.stdout)
        for wrong in ('0' * 64, 'x', plan_hash[:-1]):
            equal(failure(box, 'authz', 'approve', plan, '--expect-hash', wrong, wanted=11)['code'],
                  'APPROVAL_INVALID')
        approve(box, plan, '--expect-hash', plan_hash)


@test('A what has expired or has run cannot be approved any more')
def too_late():
    with Box() as box:
        late, _ = add_plan(box, made_before_ms=3601 * 1000)
        equal(failure(box, 'authz', 'approve', late, wanted=3)['code'], 'PLAN_STALE')
        equal(result(box, 'plan', 'show', late)['expired'], True)
        ran, _ = add_plan(box)
        add_operation(box, plan_id=ran)
        equal(failure(box, 'authz', 'approve', ran, wanted=1)['code'], 'CONFLICT')
        equal(result(box, 'plan', 'show', ran)['status'], 'applied')


@test('A39 each authz command prints one envelope on stdout; its diagnosis is on stderr alone')
def streams():
    with Box() as box:
        plan, _ = add_plan(box)
        for args in (('authz', 'status'), ('authz', 'check', plan)):
            envelope(box, *args)
        status, stdout, stderr = box.command('authz', 'check', 'nope')
        equal((status, stdout), (2, b''))
        check(b'is no id' in stderr, stderr)
        status, stdout, stderr = box.command('authz', 'check', plan, env=agent(box))
        equal(status, 0)
        check(stdout.startswith(b'deny: ') and stderr == b'', stdout, stderr)


@test('A40 operations: by id, by deployment, newest first; the envelope names the one asked for')
def operations():
    with Box() as box:
        first = add_operation(box, deployment_id='dep-0a', result='{"version":3}')
        second = add_operation(box, status='failed', deployment_id='dep-0b', error_code='BUILD_FAILED',
                               error_message='no', error_exit=20)
        done = envelope(box, 'operation', 'status', first)
        equal(done['operation_id'], first)
        equal(done['result']['result'], {'version': 3})
        equal(result(box, 'operation', 'status', 'dep-0a')['operation_id'], first)
        failed = result(box, 'operation', 'status', second)
        equal((failed['status'], failed['error']['code'], failed['error']['exit_code']),
              ('failed', 'BUILD_FAILED', 20))
        found = result(box, 'operation', 'list')
        equal([o['operation_id'] for o in found['operations']], [second, first])
        equal(result(box, 'operation', 'list', '--limit', '1')['truncated'], True)
        _, stdout, _ = box.command('operation', 'status', second)
        check(b'BUILD_FAILED: no' in stdout, stdout)


@test('A45 an operation whose process is gone is failed for good, and its plan indeterminate')
def interrupted():
    with Box() as box:
        plan, _ = add_plan(box)
        alive, _ = add_plan(box)
        operation = add_operation(box, status='running', plan_id=plan, owner_boot='another')
        running = add_operation(box, status='running', plan_id=alive, pid=os.getpid())
        found = result(box, 'operation', 'status', operation)
        equal((found['status'], found['internal_status'], found['error']['code']),
              ('failed', 'interrupted', 'UNAVAILABLE'))
        equal(result(box, 'plan', 'show', plan)['status'], 'indeterminate')
        equal(result(box, 'operation', 'status', running)['status'], 'running')
        equal(result(box, 'plan', 'show', alive)['status'], 'applying')
        outcomes = [r for r in box.ledger() if r['kind'] == 'outcome']
        equal([r['code'] for r in outcomes], ['UNAVAILABLE'])
        equal(box.command('audit', 'verify')[0], 0)


@test('A help of each command has an example')
def helped():
    with Box() as box:
        for group in ('plan', 'authz', 'operation', 'session'):
            status, stdout, _ = box.command(group, '--help')
            equal(status, 0)
            for line in stdout.decode().splitlines():
                if line.startswith(f'  {group} '):
                    words = line.split()[:2]
                    status, text, _ = box.command(*words, '--help')
                    equal(status, 0)
                    check(f'  stile {" ".join(words)}'.encode() in text, text)
