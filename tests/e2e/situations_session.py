# SPDX-License-Identifier: MIT
"""stile session …: what an agent says it is doing (plan-deploy.md §5; S numbers are those of §9)."""

from plans_world import (add_operation, add_plan, database, envelope, failure, result)
from stile import Box, check, equal, test

TOKEN = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'


@test('S50 a new session is active, at revision 1, with event 0, and its creator is the process')
def created():
    with Box() as box:
        session = result(box, 'session', 'create', '--title', 'Work', '--app', 'shop')
        equal((session['status'], session['rev']), ('active', 1))
        equal([(e['seq'], e['type']) for e in session['events']], [(0, 'created')])
        equal(session['actor'], {'type': 'cli', 'id': None, 'authenticated': False})
        child = result(box, 'session', 'create', env=box.env(STILE_CALLER='mcp'))
        equal(child['actor']['type'], 'mcp')
        check('operation_id' not in envelope(box, 'session', 'list'), 'no operation stands behind')


@test('S51 bad ids, missing and damaged sessions each have their code; lists leave damage out')
def damaged():
    with Box() as box:
        for bad in ('', 'ses_', 'ses_XYZ', '../x', 'pln_0123456789abcdef'):
            equal(failure(box, 'session', 'show', bad, wanted=2)['code'], 'INVALID_ARGUMENT')
        equal(failure(box, 'session', 'show', 'ses_0123456789abcdef', wanted=12)['code'],
              'NOT_FOUND')
        ids = [result(box, 'session', 'create')['session_id'] for _ in range(3)]
        with database(box) as db:
            db.execute('UPDATE session SET rev = 5 WHERE id = ?', ids[:1])
            db.execute("UPDATE session SET schema_version = '2' WHERE id = ?", ids[1:2])
        db.close()
        equal(failure(box, 'session', 'show', ids[0], wanted=3)['code'], 'SESSION_CORRUPT')
        equal(failure(box, 'session', 'show', ids[1], wanted=3)['code'], 'SESSION_INVALID')
        found = result(box, 'session', 'list')
        equal([s['session_id'] for s in found['sessions']], ids[2:])
        equal((found['count'], found['skipped']), (1, 2))


@test('S52 after its end a session does not change; each end is one event')
def ended():
    with Box() as box:
        for verb, option, status in (('complete', '--result', 'completed'),
                                     ('fail', '--reason', 'failed'),
                                     ('cancel', '--reason', 'cancelled')):
            session = result(box, 'session', 'create')['session_id']
            done = result(box, 'session', verb, session, option, 'so it is')
            equal((done['status'], done['rev'], done['final_result']), (status, 2, 'so it is'))
            equal(done['events'][1]['detail'], 'so it is')
            for again in ('complete', 'fail', 'cancel', 'checkpoint'):
                more = ('--note', 'x') if again == 'checkpoint' else ()
                equal(failure(box, 'session', again, session, *more, wanted=3)['code'],
                      'SESSION_INVALID_TRANSITION')
            equal(result(box, 'session', 'show', session)['rev'], 2)


@test('S53 too long is refused, never cut; an empty checkpoint too')
def bounds():
    with Box() as box:
        session = result(box, 'session', 'create')['session_id']
        for args in (('create', '--title', 'x' * 201), ('create', '--project', 'x' * 201),
                     ('create', '--app', 'x' * 129), ('checkpoint', session, '--step', 'x' * 121),
                     ('checkpoint', session, '--note', 'é' * 251), ('checkpoint', session),
                     ('checkpoint', session, '--note', ''),
                     ('complete', session, '--result', 'x' * 2001)):
            equal(failure(box, 'session', *args, wanted=2)['code'], 'INVALID_ARGUMENT')
        equal(result(box, 'session', 'show', session)['rev'], 1)
        equal(result(box, 'session', 'list')['count'], 1)


@test('S54 secrets in any text of a session are neither answered nor stored')
def secrets():
    with Box() as box:
        session = result(box, 'session', 'create', '--title', f'use {TOKEN}',
                         '--project', TOKEN, '--app', TOKEN)['session_id']
        box.command('session', 'checkpoint', session, '--step', TOKEN, '--note', f'got {TOKEN}')
        box.command('session', 'complete', session, '--result', f'done with {TOKEN}')
        shown = envelope(box, 'session', 'show', session)
        check(TOKEN not in str(shown) and 'masked' in str(shown['result']['title']), shown)
        equal(len(shown['result']['events']), 3)
        db = database(box)
        check(not any(TOKEN in line for line in db.iterdump()), 'stored')
        db.close()


@test('S55 a list is newest first, filtered, and says when it is cut')
def listed():
    with Box() as box:
        ids = [result(box, 'session', 'create', '--app', app)['session_id']
               for app in ('a', 'b', 'a')]
        box.command('session', 'cancel', ids[0])
        found = result(box, 'session', 'list')
        equal([s['session_id'] for s in found['sessions']], ids[::-1])
        equal(found['truncated'], False)
        equal(result(box, 'session', 'list', '--limit', '3')['truncated'], False)
        found = result(box, 'session', 'list', '--limit', '2')
        equal((found['count'], found['truncated']), (2, True))
        equal(result(box, 'session', 'list', '--app', 'a')['count'], 2)
        equal(result(box, 'session', 'list', '--status', 'cancelled')['count'], 1)
        equal(result(box, 'session', 'list', '--status', '')['count'], 3)
        equal(failure(box, 'session', 'list', '--status', 'asleep', wanted=2)['code'],
              'INVALID_ARGUMENT')


@test('S56 an expected revision that is not there any more is a conflict, and changes nothing')
def revisions():
    with Box() as box:
        session = result(box, 'session', 'create')['session_id']
        args = ('session', 'checkpoint', session, '--note', 'x', '--if-rev', '1')
        equal(result(box, *args)['rev'], 2)
        error = failure(box, *args, wanted=1)
        equal((error['code'], error['retryable']), ('SESSION_CONFLICT', True))
        equal(result(box, 'session', 'show', session)['rev'], 2)
        equal(result(box, 'session', 'cancel', f' {session}\n', '--if-rev', '-1')['rev'], 3)


@test('S60 what a session refers to is looked up, and one bad reference spoils nothing')
def resolved():
    with Box() as box:
        plans = [add_plan(box, target=t)[0] for t in ('ran', 'gone', 'edited')]
        operation = add_operation(box, deployment_id='dep-00ff')
        session = result(box, 'session', 'create')['session_id']
        words = [w for plan in plans for w in ('--plan', plan)]
        linked = result(box, 'session', 'checkpoint', session, *words, '--operation',
                        f' {operation} ', '--operation', operation, '--deployment', 'dep-00ff',
                        '--deployment', 'dep-0e')
        equal(linked['plan_ids'], plans)
        equal(linked['operation_ids'], [operation])
        equal(linked['events'][1]['detail'],
              'linked ' + ', '.join(plans + [operation, 'dep-00ff', 'dep-0e']))
        with database(box) as db:
            db.execute('DELETE FROM plan WHERE id = ?', plans[1:2])
            db.execute("UPDATE plan SET document = replace(document, '8080', '80')"
                       ' WHERE id = ?', plans[2:])
        db.close()
        found = result(box, 'session', 'show', session)['resolved']
        equal([(r['state'], r.get('status'), r.get('error_code')) for r in found['plans']],
              [('present', 'created', None), ('missing', None, None),
               ('unavailable', None, 'PLAN_HASH_MISMATCH')])
        equal([(r['state'], r['status']) for r in found['operations']],
              [('present', 'succeeded')])
        equal([(r['state'], r['present']) for r in found['deployments']],
              [('present', True), ('unknown', False)])
        equal(found['deployments'][0]['detail'], f'operation {operation}')
        check('resolved' not in result(box, 'session', 'show', session, '--no-resolve'),
              'not looked up')


@test('S60 a reference must lead somewhere when it is made')
def dangling():
    with Box() as box:
        session = result(box, 'session', 'create')['session_id']
        for option, value in (('--plan', 'pln_0123456789abcdef'), ('--plan', 'x'),
                              ('--operation', 'op_0123456789abcdef'),
                              ('--operation', 'dep-00'), ('--deployment', 'dep-xyz')):
            equal(failure(box, 'session', 'checkpoint', session, option, value, wanted=2)['code'],
                  'INVALID_ARGUMENT')
        equal(result(box, 'session', 'show', session)['rev'], 1)


@test('S a session for people: one line a change, all of it when shown')
def for_people():
    with Box() as box:
        status, stdout, _ = box.command('session', 'create', '--title', 'a\x1b[2Jb')
        equal(status, 0)
        session = stdout.decode().split()[1].rstrip(',')
        status, stdout, _ = box.command('session', 'show', session)
        equal(status, 0)
        check(b'\x1b' not in stdout and session.encode() in stdout, stdout)
        status, stdout, stderr = box.command('session', 'checkpoint', session)
        equal((status, stdout), (2, b''))
        check(b'a step, a note or a reference' in stderr, stderr)
