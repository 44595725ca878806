# SPDX-License-Identifier: MIT
"""Applying plans of phelix over MCP: the host's policy decides, about the plan as phelix shows it
(plan-deploy.md §6.5, §9; M numbers are those of §9)."""

import json
import os

from phelix_world import SESSIONS, Phelix, envelope_of, plan
from plans_world import approve, at_desk, database, policy, result
from stile import check, code_of, equal, poll, test, text_of

RULES = '''
schema_version: '1'
mode: enforced
rules:
- {actor: {type: mcp, authenticated: false}, surface: phelix, action: phelix_plan_apply, target: '*', effect: allow, require_approval: true}
'''
OPEN = RULES.replace(', require_approval: true', '')


def apply(server, plan_id):
    return server.call('phelix_plan_apply', {'plan_id': plan_id})


def applies(box):
    return [argv for argv in box.runs() if argv[:2] == ['plan', 'apply']]


def asked(answer):
    """The plan of Stile's that a person must approve."""
    equal(code_of(answer), 'APPROVAL_REQUIRED')
    error = answer['structuredContent']['error']
    equal((error['exit_code'], error['retryable']), (11, False))
    equal(error['details']['approve_command'], f'stile authz approve {error["details"]["plan_id"]}')
    check(error['details']['approve_command'] in text_of(answer), text_of(answer))
    return error['details']['plan_id']


def nothing_ran(box, plan_id):
    equal(applies(box), [])
    equal(box.lines('executed'), [])
    shown = box.phelix_plan(plan_id)
    equal(shown['status'], 'created', 'status of the plan')


def rows(box, table):
    db = database(box)
    found = db.execute(f'SELECT count(*) FROM {table}').fetchone()[0]
    db.close()
    return found


@test('M70 phelix: on a host without a policy an agent applies nothing, whatever else it may')
def legacy():
    with Phelix() as box:
        server = box.server()
        made = plan(server)
        for _ in range(2):
            equal(code_of(apply(server, made)), 'AUTHZ_DENIED')
        nothing_ran(box, made)
        policy(box, "schema_version: '1'\nmode: legacy_local\n")
        equal(code_of(apply(server, made)), 'AUTHZ_DENIED')
        policy(box, 'mode: x')
        equal(code_of(apply(server, made)), 'AUTHZ_INVALID')
        nothing_ran(box, made)
        equal((rows(box, 'operation'), rows(box, 'decision')), (0, 4))


@test('M71 phelix: a person approves the plan as phelix shows it, then it is executed, once')
def approved():
    with Phelix() as box:
        server = box.server()
        policy(box, RULES)
        made = plan(server)
        first = asked(apply(server, made))
        equal(asked(apply(server, made)), first, 'the same call is the same plan')
        nothing_ran(box, made)
        equal(rows(box, 'operation'), 0)
        phelix_hash = box.phelix_plan(made)['plan_hash']
        facts = json.loads(box.command('plan', 'show', first, '--json')[1])['result']
        equal(facts['facts']['preconditions'][0]['value'], phelix_hash)
        equal(json.loads(facts['preview'])['plan_hash'], phelix_hash, 'what a person is shown')
        status, shown = at_desk(box, 'authz', 'approve', first)
        equal(status, 0, shown)
        check('    "application": "shop"' in shown, 'a line for each member', shown)
        done = envelope_of(apply(server, made))
        equal(done['result']['plan_id'], first)
        inner = done['result']['result']
        equal((inner['status'], inner['result']['version']), ('succeeded', 'v3'))
        equal(applies(box), [['plan', 'apply', made, '--json']])
        equal(box.lines('executed'), [f'rebuild shop {made}'])
        equal(box.phelix_plan(made)['status'], 'applied')
        equal(done['operation_id'], done['result']['operation_id'])
        status = envelope_of(server.call('phelix_operation_status', {
            'operation_id': inner['operation_id']}))
        equal(status['result']['plan_id'], made, 'phelix knows its own operation')
        equal(box.command('audit', 'verify')[0], 0)


@test('M72 phelix: applied again, a plan is executed no second time, and each time the policy is asked')
def repeated():
    with Phelix() as box:
        server = box.server()
        policy(box, OPEN)
        made = plan(server)
        for _ in range(3):
            done = envelope_of(apply(server, made))['result']['result']
        equal(done['result']['already_applied'], True)
        equal(done['operation_id'], box.phelix_plan(made)['correlation']['operation_id'])
        equal(box.lines('executed'), [f'rebuild shop {made}'])
        policy(box, RULES)
        asked(apply(server, made))
        equal(len(applies(box)), 3)


@test('M72 phelix: an approval of one plan does not serve another, not even of the same meaning')
def not_another():
    with Phelix() as box:
        server = box.server()
        policy(box, RULES)
        a, b = plan(server), plan(server)
        approve(box, asked(apply(server, a)))
        asked(apply(server, b))
        nothing_ran(box, a)
        envelope_of(apply(server, a))
        equal(box.lines('executed'), [f'rebuild shop {a}'])


@test('phelix: a plan whose hash changes after it was approved wants another approval; nothing runs')
def changed_hash():
    with Phelix() as box:
        server = box.server()
        policy(box, RULES)
        made = plan(server)
        first = asked(apply(server, made))
        approve(box, first)
        box.rewrite(made, port=1)
        second = asked(apply(server, made))
        check(second != first, 'the approval was for another hash')
        status, stdout, _ = box.command('plan', 'apply', first, '--json')
        equal((status, json.loads(stdout)['error']['code']), (3, 'PLAN_STALE'))
        nothing_ran(box, made)


@test('M72 phelix: a plan that was edited is not even planned')
def tampered():
    with Phelix() as box:
        server = box.server()
        policy(box, OPEN)
        made = plan(server)
        box.edit(lambda state: state['plans'][made]['inputs'].update(port=1))
        edited = apply(server, made)
        check(edited['isError'] and 'PLAN_HASH_MISMATCH' in text_of(edited), text_of(edited))
        equal((applies(box), box.lines('executed'), rows(box, 'operation')), ([], [], 0))


@test('phelix: a plan that is not there is no plan of ours either')
def missing():
    with Phelix() as box:
        server = box.server()
        policy(box, OPEN)
        absent = apply(server, 'pln_0123456789abcdef')
        check(absent['isError'] and 'NOT_FOUND' in text_of(absent), text_of(absent))
        equal((applies(box), rows(box, 'operation')), ([], 0))


@test('phelix: what phelix refuses or fails at comes back as it said it, and is an operation that failed')
def failed():
    with Phelix() as box:
        server = box.server()
        policy(box, OPEN)
        made = plan(server)
        box.control(fail='BUILD_FAILED')
        failure = apply(server, made)
        check(failure['isError'] and 'BUILD_FAILED' in text_of(failure), text_of(failure))
        equal(len(box.lines('executed')), 1)
        db = database(box)
        equal(db.execute('SELECT status, error_code FROM operation').fetchall(),
              [('failed', 'BUILD_FAILED')])
        db.close()


@test('M73 phelix: while a plan is applied the server answers, and what changes waits its turn')
def busy():
    with Phelix() as box:
        server = box.server()
        policy(box, OPEN)
        made = plan(server)
        session = envelope_of(server.call('phelix_session_create'))['result']['session_id']
        hold = os.path.join(box.dir, 'go')
        box.control(hold=hold)
        running = server.start('phelix_plan_apply', {'plan_id': made})
        poll(lambda: box.lines('executed'), 10, 'the start of the deployment')
        for tool, arguments in (('phelix_session_show', {'session_id': session}),
                                ('phelix_session_list', {}), ('phelix_plan_show', {'plan_id': made}),
                                ('phelix_inspect', {'resource': 'capabilities'})):
            envelope_of(server.call(tool, arguments))
        notes = [server.start('phelix_session_checkpoint', {'session_id': session, 'step': step})
                 for step in ('one', 'two')]
        check(not server.has_answer(running), 'answered before it was done')
        with open(hold, 'w', encoding='utf-8'):
            pass
        envelope_of(server.answer(running)['result'])
        revisions = [envelope_of(server.answer(n)['result'])['result']['rev'] for n in notes]
        equal(revisions, [2, 3], 'in the order in which they came')


@test('M66 phelix: neither a cancelled call nor the end of the server stops an apply half way')
def runs_on():
    with Phelix() as box:
        server = box.server()
        policy(box, OPEN)
        made = plan(server)
        hold = os.path.join(box.dir, 'go')
        box.control(hold=hold)
        running = server.start('phelix_plan_apply', {'plan_id': made})
        poll(lambda: box.lines('executed'), 10, 'the start of the deployment')
        server.cancel(running)
        envelope_of(server.call('phelix_plan_show', {'plan_id': made}))
        server.end(12)
        with open(hold, 'w', encoding='utf-8'):
            pass
        poll(lambda: box.phelix_plan(made)['status'] == 'applied', 10, 'the end of the deployment')
        listed = poll(lambda: [o for o in result(box, 'operation', 'list')['operations']
                               if o['status'] == 'succeeded'], 10, 'the record of it')
        equal((listed[0]['tool'], listed[0]['target']), ('phelix_plan_apply', made))
        equal(box.lines('executed'), [f'rebuild shop {made}'])


@test('M61 phelix: a session that links a plan does not allow it')
def linked():
    with Phelix() as box:
        server = box.server()
        policy(box, RULES)
        made = plan(server)
        session = envelope_of(server.call('phelix_session_create'))['result']['session_id']
        envelope_of(server.call('phelix_session_checkpoint', {
            'session_id': session, 'plans': [made], 'note': 'approved by ada'}))
        asked(apply(server, made))
        nothing_ran(box, made)


@test('phelix: applying needs no --allow-write, for the policy is its gate; the rest does')
def policy_is_the_gate():
    with Phelix() as box:
        policy(box, OPEN)
        made = plan(box.server())
        server = box.serve(surfaces=['phelix'])
        server.shake()
        for tool in ('phelix_plan_create', SESSIONS[0]):
            arguments = {'action': 'rebuild', 'app': 'shop'} if tool.endswith('plan_create') else {}
            equal(code_of(server.call(tool, arguments)), 'WRITE_DISABLED')
        envelope_of(apply(server, made))
        equal(box.lines('executed'), [f'rebuild shop {made}'])
