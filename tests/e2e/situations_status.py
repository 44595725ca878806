# SPDX-License-Identifier: MIT
"""`builtin: status`: two programs at once and a verdict over both; and the environment that launch
options have. Numbers in brackets are those of behaviours pinned for Proton Pass."""

import os
import signal
import sqlite3

from stile import Box, check, children, code_of, equal, poll, test, text_of

SURFACE = '''stile: 1
surface: state
program:
  run: fake
  override: STATE_PROGRAM
  env: [FAKE_LOG]
  version: {{ args: [say, {version}], at: '(\\d+\\.\\d+\\.\\d+)', baseline: 2.2.1 }}
  probe: {{ args: [say, {probe}] }}
limits: {{ children: {children}, timeout: {timeout} }}
errors:
- {{ stderr: not logged in, code: AUTH_REQUIRED, retryable: true, hint: Log in yourself., add: {{ auth_managed_by_user: true }} }}
- {{ stderr: no network, code: NETWORK_ERROR, retryable: true }}
tools:
- {{ name: state_status, description: Is it there?, effect: read, builtin: status, output: auto }}
- {{ name: state_args, description: Its arguments., effect: read, argv: [args] }}
'''


def surface(box, version="'--out=tool 2.2.1'", probe="'--out=All is well.'", children=8,
            timeout='30s'):
    return box.own_surface(SURFACE.format(version=version, probe=probe, children=children,
                                          timeout=timeout))


def served(box, *args, env=None, **programs):
    server = box.serve(*args, surfaces=[surface(box, **programs)], env=env)
    server.shake()
    return server


def verdict(result):
    value = result['structuredContent']
    check(result.get('isError', False) == (value['connectivity']['status'] == 'error'), result)
    equal(len(text_of(result).split('\n')), 6, 'lines of the summary')
    return value


def two(box):
    return poll(lambda: len(box.fakes()) == 2 and box.fakes(), 10, 'two programs at once')


def gone(box):
    poll(lambda: not box.fakes(), 5, 'the end of both programs')


def rows(box, count=1):
    def found():
        some = [r for r in box.ledger() if r['tool'] == 'state_status']
        return len(some) >= count and some
    return poll(found, 5, 'rows of the ledger')


# ---- the verdict ----

@test('status [48] [96]: exactly two programs, all well')
def all_well():
    with Box() as box:
        server = served(box)
        value = verdict(server.call('state_status'))
        equal(value, {
            'overall_status': 'ok',
            'connectivity': {'status': 'ok', 'message': 'All is well.'},
            'version': {'baselineVersion': '2.2.1', 'detectedVersion': '2.2.1',
                        'detectedRaw': 'tool 2.2.1', 'compatibilityStatus': 'equal',
                        'reason': 'the version is the baseline', 'allowVersionDrift': False}})
        equal(sorted(box.started()), [['say', '--out=All is well.'], ['say', '--out=tool 2.2.1']])
        row, = rows(box)
        equal((row['kind'], row['code'], row['exit_status']), ('call', None, 0))


@test('status: clients see the shape of the verdict, and no input')
def shape():
    with Box() as box:
        server = served(box)
        tool = next(t for t in server.result('tools/list')['tools']
                    if t['name'] == 'state_status')
        equal(tool['inputSchema'].get('properties', {}), {})
        equal(tool['outputSchema']['required'], ['overall_status', 'connectivity', 'version'])
        equal(tool['annotations']['readOnlyHint'], True)
        equal(code_of(server.call('state_status', {'x': 1})), 'INVALID_ARGUMENT')
        equal(box.started(), [])


@test('status [49] [50]: another version, or none that can be read, is a warning and no error')
def versions():
    cases = [("'--out=tool 1.6.1'", '1.6.1', 'possibly_incompatible', 'warn'),
             ("'--out=tool 2.3.0'", '2.3.0', 'compatible', 'ok'),
             ("'--err=tool 2.2.9'", '2.2.9', 'compatible', 'ok'),
             ("'--out=tool two'", None, 'possibly_incompatible', 'warn'),
             ("'--out=9007199254740992.0.0'", None, 'possibly_incompatible', 'warn'),
             ("'--out=tool 2.2.1', '--exit=1'", None, 'possibly_incompatible', 'warn'),
             ("'--out=tool 2.2.1', '--signal=9'", None, 'possibly_incompatible', 'warn')]
    for version, detected, compatibility, overall in cases:
        with Box() as box:
            value = verdict(served(box, version=version).call('state_status'))
            equal((value['version']['detectedVersion'], value['version']['compatibilityStatus'],
                   value['overall_status']), (detected, compatibility, overall), version)


@test('status [51]: --allow-version-drift SURFACE makes another version compatible')
def drift():
    with Box() as box:
        server = served(box, '--allow-version-drift', 'state', version="'--out=tool 1.6.1'")
        value = verdict(server.call('state_status'))
        equal(value['overall_status'], 'ok')
        equal(value['version']['compatibilityStatus'], 'compatible')
        check('drift' in value['version']['reason'], value)
        equal(value['version']['allowVersionDrift'], True)
        server.end()
        other = box.serve('--allow-version-drift', 'git', surfaces=[box.root + '/own.yaml', 'git'])
        other.shake()
        equal(verdict(other.call('state_status'))['overall_status'], 'warn')
        status, out, err = box.command('call', 'state_status', '--surface',
                                       box.root + '/own.yaml', '--allow-version-drift', 'state')
        equal(status, 0, err.decode())
        check(b'Version drift allowed: yes' in out, out)


@test('status [52] [92]: not signed in, in both eras')
def not_signed_in():
    with Box() as box:
        server = served(box, probe="'--err=Error: not logged in', '--exit=1'")
        for modern in (None, {}):
            result = server.call('state_status', modern=modern)
            value = verdict(result)
            equal(value['overall_status'], 'error')
            equal({k: v for k, v in value['connectivity'].items() if k != 'message'}, {
                'status': 'error', 'authErrorCode': 'AUTH_REQUIRED', 'retryable': True,
                'userAction': 'Log in yourself.', 'authManagedByUser': True})
            equal((value['error_code'], value['retryable'], value['user_action'],
                   value['auth_managed_by_user']),
                  ('AUTH_REQUIRED', True, 'Log in yourself.', True))
            check('[AUTH_REQUIRED]' in text_of(result), text_of(result))
        equal([r['code'] for r in rows(box, 2)], ['AUTH_REQUIRED'] * 2)


@test('status [53]: another failure has a message and no more')
def another_failure():
    for probe, code in (("'--err=no network', '--exit=1'", 'NETWORK_ERROR'),
                        ("'--out=not logged in', '--exit=2'", 'PROGRAM_FAILED'),
                        ("'--signal=9'", 'PROGRAM_FAILED')):
        with Box() as box:
            server = served(box, probe=probe)
            value = verdict(server.call('state_status'))
            equal(sorted(value), ['connectivity', 'overall_status', 'version'])
            equal(sorted(value['connectivity']), ['message', 'status'])
            check(f'[{code}]' in value['connectivity']['message'], value)
            equal(value['version']['compatibilityStatus'], 'equal')
            equal(rows(box)[0]['code'], code)


@test('status: secrets that the programs print leave neither in part nor whole')
def secrets():
    token = 'ghp_' + 'a1B2' * 9
    long = "'--out=" + 'x' * 490 + ' ' + token + "'"    # would be cut amid the token
    with Box() as box:
        server = served(box, version=long, probe=long)
        result = server.call('state_status')
        check('ghp_a1' not in str(result), result)
        check('[masked:' in str(result), result)


# ---- two programs that do not end by themselves ----

SLOW = "'--sleep=60000'"


@test('status: both programs run at the same time, and a cancelled call ends both')
def cancelled():
    with Box() as box:
        server = served(box, version=SLOW, probe=SLOW)
        identity = server.start('state_status')
        two(box)
        server.cancel(identity)
        gone(box)
        poll(lambda: not children(server.pid), 3, 'nothing left to reap')
        equal(rows(box)[0]['code'], 'CANCELLED')
        check(not server.has_answer(identity), 'an answer to a cancelled call')
        check('args' in text_of(server.call('state_args')), 'the next call')


@test('status: a call cancelled while one of its programs has ended ends the other')
def cancelled_half():
    for programs in ({'version': SLOW}, {'probe': SLOW}):
        with Box() as box:
            server = served(box, **programs)
            identity = server.start('state_status')
            poll(lambda: len(box.started()) == 2 and len(box.fakes()) == 1, 10, 'one that runs')
            server.cancel(identity)
            gone(box)
            equal(rows(box)[0]['code'], 'CANCELLED')
            check(not server.has_answer(identity), 'an answer to a cancelled call')


@test('status: at the deadline both programs end, and the verdict says so')
def deadline():
    with Box() as box:
        server = served(box, version=SLOW, probe=SLOW, timeout='1s')
        value = verdict(server.call('state_status'))
        gone(box)
        equal(value['overall_status'], 'error')
        check('[TIMEOUT]' in value['connectivity']['message'], value)
        equal(value['version']['detectedVersion'], None)
        equal(rows(box)[0]['code'], 'TIMEOUT')


@test('status: a version that is never told does not hold the verdict beyond its limit')
def slow_version():
    with Box() as box:
        value = verdict(served(box, version=SLOW, timeout='1s').call('state_status'))
        gone(box)
        equal((value['overall_status'], value['version']['detectedVersion']), ('warn', None))


@test('status: the end of input and SIGTERM end both programs')
def server_ends():
    for end in ('input', 'signal', 'kill'):
        with Box() as box:
            server = served(box, version=SLOW, probe=SLOW)
            server.start('state_status')
            two(box)
            if end == 'input':
                server.end()
            elif end == 'signal':
                os.kill(server.pid, signal.SIGTERM)
            else:
                server.was_killed = True
                os.kill(server.pid, signal.SIGKILL)
            gone(box)


@test('override: absolute or nothing; what it cannot name ends the start of a file that a person wrote')
def override():
    with Box() as box:
        program = box.own_program()
        path = surface(box)
        call = ('call', 'state_status', '--surface', path)
        for value in ('fake', './fake', '../bin/fake', '/nowhere/fake', box.root):
            status, out, err = box.command(*call, env=box.env(STATE_PROGRAM=value))
            check(status != 0 and not out, value, out)
            equal(box.started(), [], value)
        for value in ('', program):
            status, out, err = box.command(*call, env=box.env(STATE_PROGRAM=value))
            equal(status, 0, err.decode())
        equal(len(box.started()), 4)


@test('status: both programs have a place among the children of the surface')
def places():
    with Box() as box:
        server = served(box, version=SLOW, probe=SLOW, children=3)
        calls = [server.start('state_status') for _ in range(2)]
        poll(lambda: len(box.started()) == 2, 10, 'the first pair')
        server.result('ping')
        server.result('tools/list')
        equal(len(box.started()), 2, 'programs in three places')
        server.cancel(calls[0])
        poll(lambda: len(box.started()) == 4, 10, 'the second pair')
        two(box)
        server.cancel(calls[1])
        gone(box)
    with Box() as box:
        server = served(box, version=SLOW, probe=SLOW, children=4)
        calls = [server.start('state_status') for _ in range(3)]
        poll(lambda: len(box.started()) == 4, 10, 'two pairs in four places')
        server.result('ping')
        equal(len(box.started()), 4)
        for call in calls:
            server.cancel(call)
        gone(box)


@test('status: nothing starts while the record cannot be written')
def ledger_outage():
    with Box() as box:
        server = served(box)
        verdict(server.call('state_status'))
        before = len(box.started())
        with sqlite3.connect(os.path.join(box.data, 'ledger.db'), isolation_level=None) as db:
            db.execute('BEGIN EXCLUSIVE')
            equal(code_of(server.call('state_status')), 'LEDGER_UNAVAILABLE')
            equal(len(box.started()), before, 'started')
            db.execute('ROLLBACK')
        equal(verdict(server.call('state_status'))['overall_status'], 'ok')


# ---- launch options by the environment ----

@test('STILE_ALLOW_WRITE and STILE_ALLOW_NONINTERACTIVE_WRITE do what the options do')
def environment_options():
    cases = [({}, 'WRITE_DISABLED'),
             ({'STILE_ALLOW_WRITE': ''}, 'WRITE_DISABLED'),
             ({'STILE_ALLOW_WRITE': '1'}, 'WRITE_DISABLED'),
             ({'STILE_ALLOW_WRITE': 'fak,akef,FAKE,fake2'}, 'WRITE_DISABLED'),
             ({'STILE_ALLOW_NONINTERACTIVE_WRITE': 'fake'}, 'WRITE_DISABLED'),
             ({'STILE_ALLOW_WRITE': 'fake'}, 'WRITE_CONFIRMATION_UNAVAILABLE'),
             ({'STILE_ALLOW_WRITE': 'git,fake', 'STILE_ALLOW_NONINTERACTIVE_WRITE': 'git'},
              'WRITE_CONFIRMATION_UNAVAILABLE'),
             ({'STILE_ALLOW_WRITE': ',git, fake,', 'STILE_ALLOW_NONINTERACTIVE_WRITE': 'fake ,x'},
              None)]
    for more, code in cases:
        with Box() as box:
            server = box.serve(env=box.env(**more))
            server.shake()
            result = server.call('fake_write', {'note': 'n'})
            equal(code_of(result) if result.get('isError') else None, code, more)
            equal(len(box.started()), 0 if code else 1, more)


@test('STILE_ALLOW_WRITE beside --allow-write: both count, and the person is asked')
def environment_and_option():
    with Box() as box:
        server = box.serve('--surface', 'git', '--allow-write', 'git',
                           env=box.env(STILE_ALLOW_WRITE='fake'))
        server.shake('2025-11-25', {'elicitation': {}})
        call = server.start('fake_write', {'note': 'n'})
        asked = poll(lambda: server.notes('elicitation/create'), 10, 'a question')[0]
        equal(box.started(), [])
        server.send({'jsonrpc': '2.0', 'id': asked['id'], 'result': {'action': 'decline'}})
        equal(code_of(server.answer(call)['result']), 'WRITE_DECLINED')
        equal(box.started(), [])
