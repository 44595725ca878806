# SPDX-License-Identifier: MIT
"""A surface with planned tools as a client sees it: the tools that are made for it, and what they run."""

import json
import os

from plans_world import approve, policy
from shop_world import APPROVED, Shop
from situations_surfaces import lint
from stile import Box, check, code_of, equal, poll, test, value_of

SHOP = '''stile: 1
surface: my-shop
program: { run: fake, env: [FAKE_LOG], output: json }
tools:
- { name: shop_version, description: Its version., effect: read, hidden: true, argv: [say, '--out={{"version":1}'] }
- name: shop_restart
  title: Restart an app
  description: Restarts it.
  effect: write
  writes: plan
  input: { properties: { app: { type: string, pattern: '^[a-z]+$', description: Which. } }, required: [app] }
  argv: [args, '{app}']
  plan: { target: 'app/{app}', preconditions: [{ tool: shop_version, at: /version }] }
- name: shop_push
  description: Pushes.
  effect: destroy
  writes: policy
  input: { properties: { app: { type: string, pattern: '^[a-z]+$', description: Which. } }, required: [app] }
  argv: [args, push, '{app}']
  plan: { target: 'app/{app}' }
'''

MADE = ['plan_create', 'plan_apply', 'plan_show', 'plan_list', 'operation_status',
        'session_create', 'session_show', 'session_list', 'session_checkpoint',
        'session_complete', 'session_fail']
READS = {'plan_show', 'plan_list', 'operation_status', 'session_show', 'session_list'}


def serve(box, *args, text=SHOP):
    server = box.serve(*args, surfaces=[box.own_surface(text)])
    server.shake()
    return server


def ids(**more):
    return {'plan_id': 'pln_0123456789abcdef', 'operation_id': 'op_0123456789abcdef',
            'session_id': 'ses_0123456789abcdef', **more}


@test('S70 tools for plans, operations and sessions stand behind those of a planned surface')
def listed():
    with Box() as box:
        tools = serve(box).result('tools/list')['tools']
        equal([tool['name'] for tool in tools],
              ['shop_push'] + ['my_shop_' + name for name in MADE])
        lint(tools)
        by_name = {tool['name'].removeprefix('my_shop_'): tool for tool in tools}
        for name in MADE:
            hints = by_name[name]['annotations']
            equal(hints['readOnlyHint'], name in READS, name)
            equal(hints['destructiveHint'], name == 'plan_apply', name)
            if name not in READS:
                equal(hints['idempotentHint'], name == 'plan_apply', name)
            equal(hints['openWorldHint'], False, name)
            check('outputSchema' not in by_name[name], name)
        create = by_name['plan_create']['inputSchema']
        equal(create['properties']['tool']['enum'], ['shop_restart'])
        equal(create['required'], ['tool', 'arguments'])
        # An agent sees the planned tools nowhere else.
        check('"pattern":"^[a-z]+$"' in create['properties']['arguments']['description'], create)
        check('APPROVAL_REQUIRED' in by_name['shop_push']['description'], 'it is told what to do')


@test('S71 a tool that wants a plan answers as one that is not there, byte for byte')
def absent():
    with Box() as box:
        server = serve(box, '--allow-write', 'my-shop')
        answers = [server.error('tools/call', {'name': name, 'arguments': {'app': 'a'}})
                   for name in ('shop_restart', 'shop_nothing', 'shop_version')]
        equal(answers[0], answers[1])
        equal(answers[2], answers[1])
        surface = box.root + '/own.yaml'
        said = [box.command('call', '--surface', surface, name, '{"app":"a"}')
                for name in ('shop_restart', 'shop_nothing')]
        equal(said[0], said[1])
        equal(box.started(), [])


@test('S72 who calls cannot say who it is, what it may, or that a person agreed')
def no_identity():
    with Box() as box:
        server = serve(box)
        fields = ('actor', 'approved', 'approval', 'role', 'authenticated', 'token', 'confirm')
        for tool, needed in (('plan_apply', 'plan_id'), ('session_complete', 'session_id'),
                             ('operation_status', 'operation_id')):
            for field in fields:
                arguments = {needed: ids()[needed], field: True}
                found = server.call('my_shop_' + tool, arguments)
                equal(code_of(found), 'INVALID_ARGUMENT', f'{tool} {field}')
                equal(found['structuredContent']['errors'][0]['pointer'], '/' + field)
        for bad in ('', '--all', 'pln_', 'pln_0123456789ABCDEF', '../x'):
            found = server.call('my_shop_plan_show', {'plan_id': bad})
            equal(code_of(found), 'INVALID_ARGUMENT', bad)


@test('S73 a session is begun, noted and ended by tools; it is the agent\'s')
def session():
    with Box() as box:
        server = serve(box)
        begun = server.call('my_shop_session_create', {'title': '--help', 'app': ''})
        envelope = value_of(begun)
        equal(envelope['status'], 'succeeded')
        equal(json.loads(begun['content'][0]['text']), envelope)
        session = envelope['result']
        equal((session['title'], session['actor']['type']), ('--help', 'mcp'))
        check('app' not in session, session)
        known = {'session_id': session['session_id']}
        noted = server.call('my_shop_session_checkpoint', {**known, 'note': 'half', 'step': ''})
        equal(value_of(noted)['result']['rev'], 2)
        refused = server.call('my_shop_session_checkpoint', known)
        equal((refused['isError'], refused['structuredContent']['error']['code']),
              (True, 'INVALID_ARGUMENT'))
        done = server.call('my_shop_session_complete', {**known, 'result': 'it runs'})
        equal(value_of(done)['result']['status'], 'completed')
        found = value_of(server.call('my_shop_session_list', {'status': 'completed', 'limit': 0}))
        equal(found['result']['count'], 1)
        shown = value_of(server.call('my_shop_session_show', {**known, 'no_resolve': True}))
        equal([e['type'] for e in shown['result']['events']],
              ['created', 'checkpoint', 'completed'])
        again = server.call('my_shop_session_fail', {**known, 'reason': 'no'})
        equal(again['structuredContent']['error']['code'], 'SESSION_INVALID_TRANSITION')
        equal(box.started(), [])


@test('S74 what a tool of stile\'s ran is recorded under the surface, as a program of this host')
def recorded():
    with Box() as box:
        server = serve(box)
        server.call('my_shop_session_create', {'title': 'x'})
        server.end()
        rows = [row for row in box.ledger() if row['tool'] == 'my_shop_session_create']
        equal([row['kind'] for row in rows], ['intent', 'outcome'])
        equal({row['surface'] for row in rows}, {'my-shop'})
        check(rows[1]['program'].endswith('/stile'), rows[1]['program'])


# ---- the whole way ----

def shop_server(shop, *args):
    server = shop.serve(*args, surfaces=[shop.surface])
    server.shake()
    return server


def error_of(result):
    check(result['isError'], result)
    return result['structuredContent']['error']


@test('S75 an agent makes a plan, a person approves it, the agent applies it: once')
def planned_by_tools():
    with Shop() as shop:
        policy(shop, APPROVED)
        server = shop_server(shop)
        os.mkdir(os.path.join(shop.root, 'sub'))
        script = shop.write('sub/one.sql', 'drop table x')
        made = value_of(server.call('shop_plan_create', {
            'tool': 'shop_migrate', 'label': '--json',
            'arguments': {'app': 'web', 'to': 2, 'from': 'sub/one.sql'}}))['result']
        # The roots and the surface are the server's.
        facts = made['facts']
        equal((facts['target'], facts['label'], made['created_by']), ('web', '--json', 'mcp'))
        equal(facts['argv'][-1], f'--from={script}')
        check('would' in str(made['preview']), made['preview'])
        equal(shop.ran(), [])
        plan = {'plan_id': made['plan_id']}
        error = error_of(server.call('shop_plan_apply', plan))
        equal(error['code'], 'APPROVAL_REQUIRED')
        check(f'stile authz approve {made["plan_id"]}' in error['message'], error)
        shown = value_of(server.call('shop_plan_show', plan))['result']
        equal(shown['applicability']['state'], 'applicable')
        approve(shop, made['plan_id'])
        done = value_of(server.call('shop_plan_apply', plan))['result']
        equal((done['already_applied'], done['result']['version']), (False, '2'))
        again = value_of(server.call('shop_plan_apply', plan))['result']
        equal((again['already_applied'], again['operation_id']), (True, done['operation_id']))
        equal(len(shop.ran()), 1)
        operation = value_of(server.call(
            'shop_operation_status', {'operation_id': done['operation_id']}))['result']
        equal(operation['status'], 'succeeded')
        listed = value_of(server.call('shop_plan_list'))['result']
        equal([p['status'] for p in listed['plans']], ['applied'])


@test('S76 arguments that do not fit the planned tool are named; what is no planned tool is refused')
def refused_plans():
    with Shop() as shop:
        server = shop_server(shop)
        error = error_of(server.call('shop_plan_create', {
            'tool': 'shop_migrate', 'arguments': {'app': 'web', 'to': 0, 'actor': 'root'}}))
        equal(error['code'], 'INVALID_ARGUMENT')
        equal({e['pointer'] for e in error['details']['errors']}, {'/to', '/actor'})
        for tool in ('shop_status', 'shop_preview', '--help', ''):
            found = server.call('shop_plan_create', {'tool': tool, 'arguments': {'app': 'web'}})
            equal(code_of(found), 'INVALID_ARGUMENT', tool)
            equal(found['structuredContent']['errors'][0]['pointer'], '/tool')
        outside = error_of(server.call('shop_plan_create', {
            'tool': 'shop_migrate', 'arguments': {'app': 'web', 'to': 2, 'from': '/etc/passwd'}}))
        equal(outside['code'], 'INVALID_ARGUMENT')
        equal(outside['details']['errors'][0]['pointer'], '/from')
        equal(shop.ran(), [])


@test('S77 a tool by policy asks the policy, whatever the launch allows; after the yes the same call runs')
def by_policy():
    with Shop(writes='policy') as shop:
        policy(shop, APPROVED)
        server = shop_server(shop, '--allow-write', 'shop', '--allow-noninteractive-write', 'shop')
        names = [tool['name'] for tool in server.result('tools/list')['tools']]
        check('shop_migrate' in names and 'shop_plan_create' not in names
              and 'shop_plan_apply' not in names and 'shop_plan_show' in names, names)
        arguments = {'app': 'web', 'to': 2}
        vetoed = server.call('shop_migrate', {**arguments, 'confirm': False})
        equal(code_of(vetoed), 'WRITE_DECLINED')
        error = error_of(server.call('shop_migrate', arguments))
        equal(error['code'], 'APPROVAL_REQUIRED')
        plan = error['details']['plan_id']
        equal(error_of(server.call('shop_migrate', arguments))['details']['plan_id'], plan)
        equal(shop.ran(), [])
        approve(shop, plan)
        done = value_of(server.call('shop_migrate', arguments))
        equal((done['result']['plan_id'], done['result']['already_applied']), (plan, False))
        equal(len(shop.ran()), 1)
        status, out, err = shop.command('call', 'shop_migrate', json.dumps({**arguments, 'to': 3}),
                                        '--surface', shop.surface, '--json')
        check(status != 0 and b'APPROVAL_REQUIRED' in out + err, status, out, err)


@test('S78 the end of the server ends the wait for an apply, not the apply')
def outlives():
    with Shop(writes='policy') as shop:
        policy(shop, APPROVED.replace(', require_approval: true', ''))
        shop.hold()
        server = shop_server(shop)
        server.start('shop_migrate', {'app': 'web', 'to': 2})
        shop.until_it_runs()
        server.end(seconds=10)
        shop.let_go()
        found = poll(lambda: [o for o in json.loads(shop.command(
            'operation', 'list', '--json')[1])['result']['operations']
            if o['status'] == 'succeeded'], 20, 'the operation ends')
        equal(len(found), 1)
        equal(len(shop.ran()), 1)


RUNNER = '''stile: 1
surface: runner
program: { run: fake, env: [FAKE_LOG], output: json }
tools:
- name: runner_run
  description: Runs a command.
  effect: write
  writes: plan
  executes: any
  input: { properties: { command: { type: array, items: { type: string }, description: It. } }, required: [command] }
  argv: [args, --, { each: command, words: '{}' }]
  plan: { target: host }
'''


@test('S79 a tool that runs what the caller names is planned only where the launch allows it')
def executes():
    wanted = {'tool': 'runner_run', 'arguments': {'command': ['ls', '-l']}}
    with Box() as box:
        equal(error_of(serve(box, text=RUNNER).call('runner_plan_create', wanted))['code'],
              'TOOL_NOT_FOUND')
        server = box.serve('--allow-exec', 'runner', surfaces=[os.path.join(box.root, 'own.yaml')])
        server.shake()
        made = value_of(server.call('runner_plan_create', wanted))['result']
        equal(made['facts']['argv'][1:], ['args', '--', 'ls', '-l'])
        equal(box.started(), [])
