# SPDX-License-Identifier: MIT
"""Plans by tools/call: the whole way of an agent, and what of it outlives server and client."""

import json
import signal

from plans_world import approve, policy, result
from shop_world import ALLOW_ALL, APPROVED, Shop
from stile import check, code_of, equal, kill, poll, test

CALL = {'tool': 'shop_migrate', 'arguments': {'app': 'web', 'to': 2}}


def serve(shop):
    server = shop.serve(surfaces=[shop.surface])
    server.shake()
    return server


def envelope_of(found):
    """The one document of a tool's result; text and structure say the same."""
    document = found['structuredContent']
    equal(json.loads(found['content'][0]['text'].split('] ', 1)[-1])
          if found['content'][0]['text'].startswith('{') else document, document)
    equal(found.get('isError', False), document['status'] == 'failed')
    return document


def succeeded(server, tool, arguments):
    document = envelope_of(server.call('shop_' + tool, arguments))
    equal(document['status'], 'succeeded', document)
    return document['result']


def refused(server, tool, arguments):
    document = envelope_of(server.call('shop_' + tool, arguments))
    equal(document['status'], 'failed', document)
    return document['error']


@test('A69 A70 A71 A72 served: plan, no policy, approval wanted, approved, run once, told again')
def whole_way():
    with Shop() as shop:
        server = serve(shop)
        plan = succeeded(server, 'plan_create', CALL)
        known = {'plan_id': plan['plan_id']}
        equal((plan['created_by'], plan['facts']['target']), ('mcp', 'web'))
        equal(refused(server, 'plan_apply', known)['code'], 'AUTHZ_DENIED')
        policy(shop, APPROVED)
        error = refused(server, 'plan_apply', known)
        equal((error['code'], error['exit_code'], error['retryable']),
              ('APPROVAL_REQUIRED', 11, False))
        check(f'stile authz approve {plan["plan_id"]}' in error['message'], error)
        equal(shop.ran(), [])
        approve(shop, plan['plan_id'])
        done = succeeded(server, 'plan_apply', known)
        equal((done['already_applied'], done['result']['version']), (False, '2'))
        equal(succeeded(server, 'plan_apply', known), {**done, 'already_applied': True})
        told = succeeded(server, 'operation_status', {'operation_id': done['operation_id']})
        equal((told['status'], told['actor']['type']), ('succeeded', 'mcp'))
        equal(succeeded(server, 'plan_show', known)['status'], 'applied')
        equal(shop.ran(), ['migrate web 2'])


@test('A served: a tool of the policy is its own plan: called again when it is approved')
def by_policy():
    with Shop(writes='policy') as shop:
        policy(shop, APPROVED)
        server = serve(shop)
        error = refused(server, 'migrate', CALL['arguments'])
        equal(error['code'], 'APPROVAL_REQUIRED')
        approve(shop, error['details']['plan_id'])
        equal(succeeded(server, 'migrate', CALL['arguments'])['result']['version'], '2')
        equal(shop.ran(), ['migrate web 2'])


@test('A served: the plans and operations of another surface are not there')
def foreign():
    with Shop() as shop:
        with open(shop.surface, encoding='utf-8') as f:
            text = f.read()
        mart = shop.write('mart.yaml', text.replace('surface: shop', 'surface: mart')
                          .replace('shop_', 'mart_'))
        shop.trust(mart)
        policy(shop, ALLOW_ALL)
        made = result(shop, 'plan', 'create', 'mart_migrate', '{"app": "web", "to": 2}',
                      '--surface', mart)['plan_id']
        server = serve(shop)
        absent = {'plan_id': 'pln_0123456789abcdef'}
        for known in (made, made):
            for verb in ('plan_show', 'plan_apply'):
                equal({**refused(server, verb, {'plan_id': known}), 'message': ''},
                      {**refused(server, verb, absent), 'message': ''})
            if not shop.ran():
                operation = shop.apply(made)['operation_id']
        equal(refused(server, 'operation_status', {'operation_id': operation})['code'], 'NOT_FOUND')
        equal(succeeded(server, 'plan_list', {})['count'], 0)
        equal(shop.ran(), ['migrate web 2'])


@test('A64 A67 served: arguments that the tool does not take make no plan; ids that are none, no call')
def malformed():
    with Shop() as shop:
        server = serve(shop)
        error = refused(server, 'plan_create', {**CALL, 'arguments': {'app': 'web', 'to': 'two'}})
        equal(error['code'], 'INVALID_ARGUMENT')
        equal(code_of(server.call('shop_plan_apply', {'plan_id': 'pln_X'})), 'INVALID_ARGUMENT')
        equal(refused(server, 'plan_apply', {'plan_id': 'pln_0123456789abcdef'})['code'],
              'NOT_FOUND')
        equal(succeeded(server, 'plan_list', {})['count'], 0)


@test('A65 A73 served: the server answers while an apply runs; the wait is over, and status tells on')
def meanwhile():
    with Shop(wait='1s') as shop:
        policy(shop, ALLOW_ALL)
        server = serve(shop)
        known = {'plan_id': succeeded(server, 'plan_create', CALL)['plan_id']}
        shop.hold()
        asked = server.start('shop_plan_apply', known)
        shop.until_it_runs()
        equal(succeeded(server, 'session_list', {})['count'], 0)
        running = envelope_of(server.answer(asked, 20)['result'])['result']
        equal(running['status'], 'running')
        status = {'operation_id': running['operation_id']}
        equal(succeeded(server, 'operation_status', status)['status'], 'running')
        shop.let_go()
        poll(lambda: succeeded(server, 'operation_status', status)['status'] == 'succeeded', 10,
             'its end')
        equal(shop.ran(), ['migrate web 2'])


@test('A31 served: an apply goes on when its server is ended, killed, or left by its client')
def outlives():
    endings = (lambda server: server.close_input(), lambda server: server.process.terminate(),
               lambda server: server.kill())
    for end in endings:
        with Shop() as shop:
            policy(shop, ALLOW_ALL)
            server = serve(shop)
            plan = succeeded(server, 'plan_create', CALL)['plan_id']
            shop.hold()
            server.start('shop_plan_apply', {'plan_id': plan})
            shop.until_it_runs()
            end(server)
            server.wait(20)
            equal(result(shop, 'plan', 'show', plan)['status'], 'applying')
            shop.let_go()
            shop.until_applied(plan)
            equal(shop.ran(), ['migrate web 2'])


@test('Q24 served: after server and apply were killed a new server tells so, and nothing runs again')
def killed_in_mid_apply():
    with Shop() as shop:
        policy(shop, ALLOW_ALL)
        server = serve(shop)
        known = {'plan_id': succeeded(server, 'plan_create', CALL)['plan_id']}
        shop.hold()
        server.start('shop_plan_apply', known)
        shop.until_it_runs()
        server.kill()
        for pid in shop.workers():
            kill(pid, signal.SIGKILL)
        poll(lambda: not shop.workers(), 10, 'its end')
        server = serve(shop)
        error = refused(server, 'plan_apply', known)
        equal(error['code'], 'UNAVAILABLE', error)
        operation = result(shop, 'operation', 'list')['operations'][0]['operation_id']
        check(operation in error['message'], error)
        told = succeeded(server, 'operation_status', {'operation_id': operation})
        equal((told['status'], told['internal_status']), ('failed', 'interrupted'), told)
        equal(succeeded(server, 'plan_list', {})['count'], 1)
        equal(shop.ran(), ['migrate web 2'])


@test('Q67 Q68 served: who wants an approval is answered at once; one id in two sessions is two applies')
def ids_are_no_keys():
    with Shop() as shop:
        policy(shop, APPROVED)
        servers = [serve(shop), serve(shop)]
        calls = [{**CALL, 'arguments': {'app': app, 'to': 2}} for app in ('web', 'mail')]
        plans = [succeeded(server, 'plan_create', call)['plan_id']
                 for server, call in zip(servers, calls)]
        for server, plan in zip(servers, plans):
            server.start('shop_plan_apply', {'plan_id': plan}, identity=7)
        for server, plan in zip(servers, plans):
            error = envelope_of(server.answer(7, 20)['result'])['error']
            equal((error['code'], error['details']['plan_id']), ('APPROVAL_REQUIRED', plan))
        equal(shop.ran(), [])
        approve(shop, plans[0])
        equal(succeeded(servers[0], 'plan_apply', {'plan_id': plans[0]})['already_applied'], False)
        shop.set('version', 'v1')
        approve(shop, plans[1])
        for server, plan in zip(servers, plans):
            server.start('shop_plan_apply', {'plan_id': plan}, identity=8)
        answers = [envelope_of(server.answer(8, 20)['result']) for server in servers]
        equal([answer['result']['already_applied'] for answer in answers], [True, False])
        equal(sorted(shop.ran()), ['migrate mail 2', 'migrate web 2'])
