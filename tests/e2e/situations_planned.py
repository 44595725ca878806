# SPDX-License-Identifier: MIT
"""A surface with planned tools as a client sees it: the tools that are made for it, and what they run."""

import json

from situations_surfaces import lint
from stile import Box, check, code_of, equal, test, value_of

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
        lint([tool for tool in tools if tool['name'] != 'my_shop_plan_create'])
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
