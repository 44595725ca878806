# SPDX-License-Identifier: MIT
"""The phelix surface: thirteen tools over MCP, each one command line (plan-deploy.md §6; M numbers are
those of §9)."""

import json
import os

from phelix_world import SESSIONS, Phelix, envelope_of, plan
from stile import Failure, check, code_of, equal, test, text_of

READS = {'phelix_context', 'phelix_inspect', 'phelix_plan_show', 'phelix_plan_list',
         'phelix_operation_status', 'phelix_session_show', 'phelix_session_list'}
ALL = READS | {'phelix_plan_create', 'phelix_plan_apply', *SESSIONS}
PLAN = 'pln_0123456789abcdef'
SESSION = 'ses_0123456789abcdef'
APPS = ('app', 'deployment', 'versions', 'health')


@test('M62 phelix: thirteen tools and no other, with the hints that tell clients what they do')
def thirteen():
    with Phelix() as box:
        tools = {t['name']: t for t in box.server().result('tools/list')['tools']}
        equal(set(tools), ALL)
        for name, tool in tools.items():
            hints = tool['annotations']
            is_apply = name == 'phelix_plan_apply'
            equal((hints['readOnlyHint'], hints['destructiveHint'], hints['openWorldHint']),
                  (name in READS, is_apply, False), name)
            if name not in READS:
                equal(hints['idempotentHint'], is_apply, name)
        equal(box.runs(), [], 'started to list')


@test('M74 phelix: no input says who asks; one that does is refused by its name, and nothing runs')
def no_identity():
    forbidden = {'actor', 'role', 'authenticated', 'approval', 'authorization', 'identity',
                 'principal', 'token', 'credential', 'if_rev', 'source_dir', 'build_args'}
    with Phelix() as box:
        server = box.server()
        for tool in server.result('tools/list')['tools']:
            names = set(tool['inputSchema']['properties'])
            check(not names & forbidden, tool['name'], names)
            equal(tool['inputSchema']['additionalProperties'], False, tool['name'])
        for tool, arguments in (('phelix_plan_apply', {'plan_id': PLAN}),
                                ('phelix_plan_create', {'action': 'rebuild', 'app': 'shop'}),
                                ('phelix_session_complete', {'session_id': SESSION})):
            for name in ('actor', 'authenticated', 'approval'):
                result = server.call(tool, {**arguments, name: 'cli'})
                equal(code_of(result), 'INVALID_ARGUMENT')
                check(f'/{name}' in text_of(result), text_of(result))
        equal(box.runs(), [])


@test('M63 phelix: reading tools are the command lines of a person, their envelope comes whole')
def reads():
    with Phelix() as box:
        server = box.server()
        cases = [
            ('context', {}, 'context --versions=20 --operations=20 --log-lines=100 --json'),
            ('context', {'app': 'shop', 'versions': 0, 'operations': 3, 'log_lines': 1},
             'context --versions=20 --operations=3 --log-lines=1 --json -- shop'),
            ('inspect', {'resource': 'operations', 'app': 'shop', 'limit': 5},
             'inspect operations --app=shop --limit=5 --json'),
            ('inspect', {'resource': 'versions', 'app': 'shop', 'limit': 0},
             'inspect versions --limit=20 --json -- shop'),
            ('inspect', {'resource': 'project', 'app': 'shop', 'limit': 7}, 'inspect project --json'),
            ('plan_list', {'app': '', 'limit': 0}, 'plan list --limit=20 --json'),
            ('plan_list', {'app': 'shop'}, 'plan list --app=shop --limit=20 --json'),
            ('session_list', {'status': '', 'app': '', 'limit': 100},
             'session list --limit=100 --json'),
            ('session_list', {'status': 'active', 'app': 'shop'},
             'session list --status=active --app=shop --limit=20 --json'),
            *[('inspect', {'resource': r}, f'inspect {r} --json')
              for r in ('runtime', 'config', 'capabilities')],
            *[('inspect', {'resource': r, 'app': 'shop'}, f'inspect {r} --json -- shop')
              for r in ('app', 'deployment', 'health')]]
        for tool, arguments, argv in cases:
            document = envelope_of(server.call('phelix_' + tool, arguments))
            check('operation_id' not in document, document)
            equal(box.runs()[-1], argv.split(), tool)
        equal(len(box.runs()), len(cases), 'one command line each')
        project = envelope_of(server.call('phelix_inspect', {'resource': 'project'}))
        equal(project['result']['root'], os.path.realpath(box.root), 'the folder of the server')
        for line in box.lines('started'):
            run = json.loads(line)
            equal((run['stdin'], run['tty']), ('/dev/null', False))
            equal(sorted(set(run['environment']) - {'HOME', 'USER', 'LOGNAME'}),
                  ['LANG', 'NO_COLOR', 'PATH', 'PHELIX_DATA_DIR', 'STILE_CALLER'])


@test('M64 M67 phelix: what the schema forbids is refused with its place, and nothing runs')
def refused():
    with Phelix() as box:
        server = box.server()
        cases = [
            *[('phelix_' + tool, {'plan_id': bad}, '/plan_id') for tool in ('plan_show', 'plan_apply')
              for bad in ('', 'pln_', 'pln_ZZZ', PLAN.upper(), PLAN + '0', '../' + PLAN, PLAN + '/x',
                          SESSION, 7)],
            *[('phelix_operation_status', {'operation_id': bad}, '/operation_id')
              for bad in ('', 'op_1', PLAN, 'zz_1', 'dep-', 'dep-XY', 'op_0123456789abcdef/..')],
            *[('phelix_session_' + tool, {'session_id': bad}, '/session_id')
              for tool in ('show', 'checkpoint', 'complete', 'fail') for bad in ('ses_1', PLAN, '-x')],
            ('phelix_plan_show', {}, 'plan_id'),
            ('phelix_plan_list', {'limit': 101}, '/limit'),
            ('phelix_plan_list', {'limit': -1}, '/limit'),
            ('phelix_session_list', {'limit': 101}, '/limit'),
            ('phelix_session_list', {'status': 'open'}, '/status'),
            ('phelix_context', {'log_lines': 1001}, '/log_lines'),
            ('phelix_context', {'versions': 101}, '/versions'),
            ('phelix_context', {'app': 'x' * 129}, '/app'),
            ('phelix_inspect', {'resource': 'secrets'}, '/resource'),
            ('phelix_inspect', {}, 'resource'),
            *[('phelix_inspect', {'resource': r, 'app': ''}, 'app') for r in APPS],
            ('phelix_plan_create', {'action': 'deploy', 'app': 'shop'}, '/action'),
            ('phelix_plan_create', {'action': 'rebuild', 'app': ''}, '/app'),
            ('phelix_plan_create', {'action': 'rebuild'}, 'app'),
            *[('phelix_plan_create', {'action': 'rebuild', 'app': 'shop', name: value}, '/' + name)
              for name, value in (('port', 65536), ('replicas', 65), ('canary', 100),
                                  ('strategy', 'big-bang'), ('tag', 'x' * 129))],
            *[('phelix_plan_create', {'action': 'rebuild', 'app': 'shop', name: value}, name)
              for name, value in (('to', 'v1'), ('verify', '30s'), ('reason', 'x'))],
            *[('phelix_plan_create', {'action': 'rollback', 'app': 'shop', name: value}, name)
              for name, value in (('port', 80), ('blue_green', True), ('no_upload', True))],
            ('phelix_plan_create', {'action': 'rollback', 'app': 'shop', 'verify': '30'}, '/verify'),
            ('phelix_session_create', {'title': 'x' * 201}, '/title'),
            ('phelix_session_checkpoint', {'session_id': SESSION}, 'note'),
            ('phelix_session_checkpoint', {'session_id': SESSION, 'note': 'x' * 501}, '/note'),
            ('phelix_session_checkpoint', {'session_id': SESSION, 'plans': [PLAN] * 51}, '/plans'),
            ('phelix_session_complete', {'session_id': SESSION, 'plans': [PLAN, 'x']}, '/plans/1'),
            ('phelix_session_fail', {'session_id': SESSION, 'deployments': ['dep-x']},
             '/deployments/0')]
        asked = [(server.start(tool, arguments), tool, arguments, place)
                 for tool, arguments, place in cases]
        for identity, tool, arguments, place in asked:
            result = server.answer(identity)['result']
            try:
                equal(code_of(result), 'INVALID_ARGUMENT')
                check(place in text_of(result), f'no {place} in', text_of(result))
            except Failure as failure:
                raise Failure(f'{tool} {arguments}: {failure}') from None
        equal(box.runs(), [])
        check('error' in server.answer(server.ask('tools/call', {
            'name': 'phelix_rollback', 'arguments': {}})), 'an unknown tool is an error of protocol')


@test('M69 phelix: plan_create stores one plan in either shape and executes nothing')
def created():
    with Phelix() as box:
        server = box.server()
        cases = [
            ({'action': 'rebuild', 'app': 'shop', 'port': 0, 'strategy': '', 'blue_green': False,
              'replicas': 0, 'canary': 0, 'tag': '', 'auto_rollback': False, 'no_upload': False,
              'to': '', 'verify': '', 'reason': ''}, 'plan create rebuild --json -- shop'),
            ({'action': 'rebuild', 'app': 'shop', 'port': 80, 'strategy': 'rolling', 'replicas': 2,
              'blue_green': True, 'canary': 5, 'tag': '--tag=x', 'auto_rollback': True,
              'no_upload': True},
             'plan create rebuild --port=80 --strategy=rolling --blue-green --replicas=2 --canary=5 '
             '--tag=--tag=x --auto-rollback --no-upload --json -- shop'),
            ({'action': 'rollback', 'app': 'shop', 'to': 'v1', 'verify': '1m30s', 'reason': '-x'},
             'plan create rollback --to=v1 --verify=1m30s --reason=-x --json -- shop')]
        for arguments, argv in cases:
            made = envelope_of(server.call('phelix_plan_create', arguments))['result']
            equal(box.runs()[-1], argv.split())
            equal((made['status'], made['applicability']['state']), ('created', 'applicable'))
            shown = envelope_of(server.call('phelix_plan_show', {'plan_id': made['plan_id']}))
            equal(shown['result']['plan_hash'], made['plan_hash'])
            equal(box.runs()[-1], ['plan', 'show', made['plan_id'], '--json'])
        listed = envelope_of(server.call('phelix_plan_list', {'app': 'shop'}))['result']
        equal(listed['count'], len(cases))
        equal(box.lines('executed'), [])


@test('phelix: the name of an application that begins like an option stays a name')
def dashes():
    with Phelix() as box:
        server = box.server()
        for tool, arguments, argv in (
                ('phelix_inspect', {'resource': 'app', 'app': '-dash'},
                 ['inspect', 'app', '--json', '--', '-dash']),
                ('phelix_context', {'app': '--json=false'},
                 ['context', '--versions=20', '--operations=20', '--log-lines=100', '--json', '--',
                  '--json=false']),
                ('phelix_plan_list', {'app': '--limit=0'},
                 ['plan', 'list', '--app=--limit=0', '--limit=20', '--json']),
                ('phelix_plan_create', {'action': 'rebuild', 'app': '--port=1'},
                 ['plan', 'create', 'rebuild', '--json', '--', '--port=1'])):
            result = server.call(tool, arguments)
            equal(box.runs()[-1], argv)
            if arguments['app'] in ('--json=false', '--port=1'):
                equal(code_of(result), 'NOT_FOUND')
        equal(plan(server, '-dash'), envelope_of(server.call('phelix_plan_list', {'app': '-dash'}))
              ['result']['plans'][0]['plan_id'])


@test('M63 M67 phelix: a failed envelope is a result that is an error, with its code, whole')
def failed():
    with Phelix() as box:
        server = box.server()
        result = server.call('phelix_plan_show', {'plan_id': PLAN})
        equal(code_of(result), 'NOT_FOUND')
        document = result['structuredContent']
        equal((document['status'], document['error']['exit_code'], document['error']['retryable']),
              ('failed', 12, False))
        check(text_of(result).startswith('[NOT_FOUND] '), text_of(result))
        for arguments in ({'operation_id': 'wh_1'}, {'operation_id': 'mx_20260101_0abc'},
                          {'operation_id': 'dep-0a'}, {'operation_id': 'op_0123456789abcdef'}):
            equal(code_of(server.call('phelix_operation_status', arguments)), 'NOT_FOUND')
            equal(box.runs()[-1], ['operation', 'status', '--json', '--', arguments['operation_id']])


@test('M65 phelix: a secret in what phelix says is masked')
def masked():
    token = 'ghp_' + '0123456789abcdefghijABCDEFGHIJ012345'
    with Phelix() as box:
        server = box.server()
        server.call('phelix_session_create', {'title': token})
        server.call('phelix_plan_create', {'action': 'rebuild', 'app': token})
        server.call('phelix_session_list')
        check(all(token.encode() not in line for line in server.raw()), server.raw())
        check(any(token in argv[-1] for argv in box.runs()), 'phelix got it as it was given')


@test('phelix: a program that refuses the command line without an envelope is told as that')
def old_program():
    with Phelix() as box:
        box.control(plain=True)
        result = box.server().call('phelix_plan_list')
        equal(code_of(result), 'PHELIX_USAGE')
        check('unknown flag' in text_of(result) and 'update it' in text_of(result), text_of(result))


@test('M75 phelix: a session is made, noted in, shown, listed and ended; lists of ids are options')
def sessions():
    with Phelix() as box:
        server = box.server()
        made = envelope_of(server.call('phelix_session_create', {
            'title': '--title', 'app': 'shop', 'project': ''}))['result']
        equal(box.runs()[-1], ['session', 'create', '--title=--title', '--app=shop', '--json'])
        session, plans = made['session_id'], [plan(server), plan(server, '-dash')]
        noted = envelope_of(server.call('phelix_session_checkpoint', {
            'session_id': session, 'note': 'so far', 'step': '', 'plans': plans,
            'deployments': ['dep-0a']}))['result']
        equal(noted['plan_ids'], plans)
        equal(box.runs()[-1], ['session', 'checkpoint', session, '--note=so far',
                               *[f'--plan={p}' for p in plans], '--deployment=dep-0a', '--json'])
        shown = envelope_of(server.call('phelix_session_show', {'session_id': session}))['result']
        equal([p['present'] for p in shown['resolved']['plans']], [True, True])
        server.call('phelix_session_show', {'session_id': session, 'no_resolve': True})
        equal(box.runs()[-1], ['session', 'show', session, '--no-resolve', '--json'])
        done = envelope_of(server.call('phelix_session_complete', {
            'session_id': session, 'result': 'done'}))['result']
        equal((done['status'], done['final_result']), ('completed', 'done'))
        late = server.call('phelix_session_fail', {'session_id': session, 'reason': 'no'})
        equal(code_of(late), 'SESSION_INVALID_TRANSITION')
        listed = envelope_of(server.call('phelix_session_list', {'status': 'completed'}))['result']
        equal([s['session_id'] for s in listed['sessions']], [session])


@test('phelix: what only describes or keeps track still wants writing allowed and a yes')
def gate():
    calls = [('phelix_plan_create', {'action': 'rebuild', 'app': 'shop'}),
             ('phelix_session_create', {}),
             ('phelix_session_checkpoint', {'session_id': SESSION, 'note': 'x'}),
             ('phelix_session_complete', {'session_id': SESSION}),
             ('phelix_session_fail', {'session_id': SESSION})]
    with Phelix() as box:
        for args, code in (((), 'WRITE_DISABLED'),
                           (('--allow-write', 'phelix'), 'WRITE_CONFIRMATION_UNAVAILABLE')):
            server = box.serve(*args, surfaces=['phelix'])
            server.shake()
            for tool, arguments in calls:
                equal(code_of(server.call(tool, arguments)), code, tool)
        equal(box.runs(), [])
