# SPDX-License-Identifier: MIT
"""stile plan create|apply: a call that stopped before it ran, and what lets it go on (plan-deploy.md
§2; A numbers are those of §9)."""

import fcntl
import hashlib
import json
import os
import re
import signal
import subprocess

from plans_world import approve, at_desk, canonical, database, digest, failure, policy, result
from shop_world import ALLOW_ALL, APPROVED, PROGRAM, Shop
from stile import Setup, check, equal, kill, poll, test

SECRET = 'hunter2'


def nothing_ran(shop, plan, status='created'):
    """No run, no intent, no outcome; the plan is as it was."""
    equal(shop.ran(), [])
    check('intent' not in shop.kinds() and 'outcome' not in shop.kinds(), shop.kinds())
    equal(result(shop, 'operation', 'list')['count'], 0)
    equal(shop.show(plan)['status'], status)


def start(shop, *args, env=None):
    """The command, not waited for."""
    return subprocess.Popen([Setup.binary, *args, '--json'], env=env or shop.env(), cwd=shop.root,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def answer_of(process):
    stdout, stderr = process.communicate(timeout=60)
    check(b'Sanitizer' not in stderr, stderr)
    return process.returncode, json.loads(stdout)


def lock_path(shop, target):
    """As docs/plans.md says where it is."""
    name = hashlib.blake2b(f'"shop""{target}"'.encode(), digest_size=32).hexdigest()
    return os.path.join(shop.data, 'locks', name)


def age(shop, plan):
    """Makes it older than it may be: its times are not in the hash."""
    with database(shop) as db:
        document, created, expires = db.execute(
            'SELECT document, created_us, expires_us FROM plan WHERE id = ?', (plan,)).fetchone()
        back = expires - created + 1
        db.execute('UPDATE plan SET document = ?, created_us = ?, expires_us = ? WHERE id = ?',
                   (document.replace(str(created), str(created - back))
                    .replace(str(expires), str(expires - back)), created - back,
                    expires - back, plan))
    db.close()


# ---- making one ----

@test('A69 plan create: keeps what would run, runs nothing but reads, and holds no secret')
def created():
    with Shop() as shop:
        script = shop.write('one.sql', 'drop table x')
        plan = shop.create('{"to": 2, "app": "web", "from": "one.sql"}', '--label',
                           f'for Ada, password={SECRET}{SECRET}')
        facts = plan['facts']
        equal(plan['status'], 'created')
        equal(plan['applicability']['state'], 'applicable')
        equal(facts['argv'], [shop.program, 'migrate', 'web', '2', f'--from={script}'])
        equal(facts['arguments'], {'app': 'web', 'from': script, 'to': 2})
        equal((facts['cwd'], facts['program'], facts['target']), (shop.root, shop.program, 'web'))
        equal(facts['program_digest'], digest(PROGRAM.encode()))
        equal(list(facts['environment']), ['LANG', 'PATH', 'SHOP_STATE', 'STILE_CALLER'])
        equal(facts['pinned'][script]['kind'], 'file')
        equal([(p['tool'], p['pointer'], p['value']) for p in facts['preconditions']],
              [('shop_status', '/version', 'v1')])
        equal(plan['plan_hash'], digest(b'stile-plan-v1;' + canonical(facts).encode()))
        check('set web to 2' in plan['preview'] and 'masked' in plan['preview'], plan['preview'])
        check('masked' in facts['label'], facts['label'])
        check(SECRET not in json.dumps(plan) and shop.state not in json.dumps(facts), plan)
        nothing_ran(shop, plan['plan_id'])
        row = [row for row in shop.ledger() if row['tool'] == 'shop_migrate'][0]
        equal((row['kind'], row['detail']), ('call', 'plan ' + plan['plan_id']))


@test('A plan create: a person reads what was planned, and how it is applied')
def created_for_people():
    with Shop() as shop:
        status, out, err = shop.command('plan', 'create', 'shop_migrate', '{"app": "web", "to": 2}',
                                        '--surface', shop.surface)
        equal((status, err), (0, b''))
        check(re.search(rb'\n\nNothing was run. To apply it: stile plan apply pln_[0-9a-f]{16}\n$', out), out)


@test('A plan create: what cannot be called, read or previewed makes no plan')
def not_created():
    with Shop() as shop:
        def refused(tool, arguments, code, wanted, *more):
            equal(failure(shop, 'plan', 'create', tool, arguments, '--surface', shop.surface, *more,
                          wanted=wanted)['code'], code)
        refused('shop_nothing', '{}', 'TOOL_NOT_FOUND', 12)
        refused('shop_status', '{"app": "web"}', 'INVALID_ARGUMENT', 2)
        refused('shop_migrate', '{"app": "web"}', 'INVALID_ARGUMENT', 2)
        refused('shop_migrate', '{"app": "WEB", "to": 2}', 'INVALID_ARGUMENT', 2)
        refused('shop_migrate', '[]', 'USAGE', 2)
        refused('shop_migrate', '{"app": "web", "to": 2, "confirm": false}', 'WRITE_DECLINED', 11)
        refused('shop_migrate', '{"app": "web", "to": 2, "from": "/etc/passwd"}',
                'INVALID_ARGUMENT', 2)
        shop.write('a.txt', 'one')
        refused('shop_migrate', '{"app": "web", "to": 2, "near": "a.txt"}', 'INVALID_ARGUMENT', 2)
        refused('shop_migrate', '{"app": "web", "to": 2}', 'INVALID_ARGUMENT', 2, '--label',
                'x' * 201)
        shop.set('broken')
        refused('shop_migrate', '{"app": "web", "to": 2}', 'NOT_FOUND', 12)
        os.unlink(os.path.join(shop.state, 'broken'))
        shop.install(PROGRAM.replace('preview)', 'preview) exit 5;;\nold)'))
        shop.trust(shop.surface)
        refused('shop_migrate', '{"app": "web", "to": 2}', 'PROGRAM_FAILED', 1)
        with open(shop.surface, 'a', encoding='utf-8') as f:
            f.write('# another\n')
        refused('shop_migrate', '{"app": "web", "to": 2}', 'SURFACE_UNTRUSTED', 11)
        shop.trust(shop.surface)
        equal(result(shop, 'plan', 'list')['count'], 0)
        equal(shop.ran(), [])
        for tool in ('shop_migrate', 'shop_nothing'):
            status, stdout, _ = shop.command('call', tool, '{"app": "web", "to": 2}', '--surface',
                                             shop.surface, '--json')
            check(status != 0 and b'no such tool' in stdout, stdout)
        equal(shop.ran(), [])


@test('A2 plan create: the same wish, typed otherwise, has the same hash')
def same_hash():
    with Shop() as shop:
        plans = [shop.create(text) for text in ('{"app": "web", "to": 2}', '{"to":2.0,"app":"web"}')]
        other = shop.create('{"app": "web", "to": 3}')
        equal(plans[0]['plan_hash'], plans[1]['plan_hash'])
        check(other['plan_hash'] != plans[0]['plan_hash'] and
              plans[0]['plan_id'] != plans[1]['plan_id'], plans)
        check(shop.create('{"app": "web", "to": 2}', '--label', 'x')['plan_hash'] !=
              plans[0]['plan_hash'], 'the label is part of it')


@test('A plan create: private files and standard input are in it by digest, and called alike each time')
def contents():
    with Shop() as shop:
        def create(text):
            return result(shop, 'plan', 'create', 'shop_load', json.dumps({'app': 'web', 'text': text}),
                          '--surface', shop.surface)
        plan = create('one')
        facts = plan['facts']
        equal(facts['argv'][1:], ['migrate', 'web', '7', '--text=[private]/0'])
        equal(list(facts['files']), ['[private]/0'])
        check(len(facts['stdin']) == 64 and facts['effect'] == 'destroy', facts)
        check(create('one')['plan_hash'] == plan['plan_hash'] != create('two')['plan_hash'], plan)
        equal(shop.show(plan['plan_id'])['applicability']['state'], 'applicable')
        equal(shop.apply(plan['plan_id'])['status'], 'succeeded')
        check(shop.ran()[0].startswith(f'migrate web 7 --text={shop.data}/'), shop.ran())


@test('A plan create: a folder with what has no lasting content cannot be held')
def not_held():
    with Shop() as shop:
        shop.write('tree/a', 'one')
        equal(shop.create('{"app": "web", "to": 2, "from": "tree"}')['status'], 'created')
        os.mkfifo(os.path.join(shop.root, 'tree', 'pipe'))
        error = failure(shop, 'plan', 'create', 'shop_migrate',
                        '{"app": "web", "to": 2, "from": "tree"}', '--surface', shop.surface,
                        wanted=2)
        check(error['code'] == 'INVALID_ARGUMENT' and 'tree/pipe' in error['message'], error)


# ---- the six cases ----

@test('A16 A17 A29 plan apply: runs once; each later time it says what came of it, whatever the policy')
def once():
    with Shop() as shop:
        plan = shop.create()['plan_id']
        first = shop.apply(plan)
        equal(shop.ran(), ['migrate web 2'])
        done = first['result']
        equal((done['already_applied'], done['target'], done['status']), (False, 'web', 'succeeded'))
        equal(done['result']['version'], '2')
        check(SECRET not in json.dumps(first) and 'masked' in done['result']['note'], first)
        equal(first['operation_id'], done['operation_id'])
        policy(shop, "schema_version: '1'\nmode: enforced\n")
        with open(shop.surface, 'a', encoding='utf-8') as f:
            f.write('# untrusted now\n')
        for env in (None, shop.agent()):
            again = shop.apply(plan, env=env)
            equal(again['result'], {**done, 'already_applied': True})
            equal(again['operation_id'], done['operation_id'])
        equal(shop.ran(), ['migrate web 2'])
        equal(shop.kinds(), ['call', 'decision', 'intent', 'outcome'])
        stored = result(shop, 'operation', 'status', done['operation_id'])
        equal((stored['status'], stored['plan_id'], stored['plan_hash'], stored['result']),
              ('succeeded', plan, done['plan_hash'], done['result']))
        shown = shop.show(plan)
        equal((shown['status'], shown['operation_id']), ('applied', done['operation_id']))
        check('applicability' not in shown, shown)
        equal(shop.command('audit', 'verify')[0], 0)


@test('A18 A47 plan apply: processes that apply one plan at the same time run it once')
def at_once():
    with Shop() as shop:
        policy(shop, ALLOW_ALL)
        plan = shop.create()['plan_id']
        shop.hold()
        running = [start(shop, 'plan', 'apply', plan) for _ in range(4)]
        shop.until_it_runs()
        shop.let_go()
        answers = [answer_of(process) for process in running]
        equal([status for status, _ in answers], [0] * 4, answers)
        equal(sorted(a['result']['already_applied'] for _, a in answers), [False] + [True] * 3)
        equal(len({a['operation_id'] for _, a in answers}), 1)
        equal(shop.ran(), ['migrate web 2'])
        equal(shop.kinds().count('decision'), 1)


@test('A plan apply: a failure is stored, and answered again with its exit status')
def failed():
    with Shop() as shop:
        plan = shop.create()['plan_id']
        shop.set('fails')
        first = shop.apply(plan, wanted=1)
        equal((first['error']['code'], first['error']['retryable']), ('SHOP_BROKEN', False))
        os.unlink(os.path.join(shop.state, 'fails'))
        again = shop.apply(plan, wanted=1)
        equal(again['error'], first['error'])
        equal(again['operation_id'], first['operation_id'])
        equal(shop.ran(), ['migrate web 2'])
        equal(shop.show(plan)['status'], 'failed')
        equal(shop.apply(shop.create()['plan_id'])['status'], 'succeeded')


@test('A19 A31 plan apply: a process that dies takes its program along; the plan is never run again')
def interrupted():
    with Shop() as shop:
        plan = shop.create()['plan_id']
        shop.hold()
        front = start(shop, 'plan', 'apply', plan)
        shop.until_it_runs()
        worker = poll(shop.workers, 10, 'a worker')
        kill(worker[0], signal.SIGKILL)
        status, answer = answer_of(front)
        equal((status, answer['error']['code'], answer['error']['retryable']),
              (1, 'UNAVAILABLE', False))
        check('not known' in answer['error']['message'], answer)
        os.unlink(os.path.join(shop.state, 'go.web'))
        again = shop.apply(plan, wanted=1)
        equal(again['error'], answer['error'])
        equal(again['operation_id'], answer['operation_id'])
        equal(shop.ran(), ['migrate web 2'])
        equal(shop.show(plan)['status'], 'indeterminate')
        stored = result(shop, 'operation', 'status', again['operation_id'])
        equal((stored['status'], stored['internal_status']), ('failed', 'interrupted'))
        equal(shop.apply(shop.create()['plan_id'])['status'], 'succeeded')


# ---- the world moved ----

@test('A15 A28 plan apply: what is another than planned is named, and nothing runs, approved or not')
def stale():
    with Shop() as shop:
        policy(shop, APPROVED)
        plan = shop.create()['plan_id']
        approve(shop, plan)
        shop.set('version', 'v7')
        error = shop.apply(plan, wanted=3)['error']
        equal(error['code'], 'PLAN_STALE')
        wanted = [{'pointer': '/preconditions/0/value', 'expected': 'v1', 'actual': 'v7'}]
        equal((error['details']['plan_id'], error['details']['failed']), (plan, wanted))
        check('expected "v1", actual "v7"' in error['message'], error)
        equal(shop.show(plan)['applicability']['failed'], wanted)
        equal(shop.show(plan)['applicability']['state'], 'stale')
        nothing_ran(shop, plan)
        check('decision' not in shop.kinds(), 'the policy was not asked', shop.kinds())
        shop.set('broken')
        failed_now = shop.show(plan)['applicability']['failed']
        check(failed_now[0]['actual'].startswith('unreadable: '), failed_now)
        equal(shop.apply(plan, wanted=3)['error']['code'], 'PLAN_STALE')
        os.unlink(os.path.join(shop.state, 'broken'))
        shop.set('version', 'v1')
        equal(shop.show(plan)['applicability']['state'], 'applicable')
        equal(shop.apply(plan)['status'], 'succeeded')


@test('A4 plan apply: a held file or folder, the program, the environment or the surface that changed')
def changed():
    with Shop() as shop:
        def stale_at(plan, *pointers, env=None):
            error = shop.apply(plan, '--surface', shop.surface, env=env, wanted=3)['error']
            equal((error['code'], [f['pointer'] for f in error['details']['failed']]),
                  ('PLAN_STALE', list(pointers)), error)
        script = shop.write('one.sql', 'drop table x')
        held = shop.create('{"app": "web", "to": 2, "from": "one.sql"}')['plan_id']
        repository = shop.repository()
        tree = shop.create('{"app": "web", "to": 2, "from": "repo"}')['plan_id']
        shop.write('one.sql', 'drop table y')
        stale_at(held, '/pinned/' + script.replace('/', '~1') + '/digest')
        shop.write('repo/a.txt', 'not committed\n')
        stale_at(tree, '/pinned/' + repository.replace('/', '~1') + '/digest')
        shop.write('repo/a.txt', 'one\n')
        equal(shop.show(tree)['applicability']['state'], 'applicable')
        other = os.path.join(shop.dir, 'other')
        os.mkdir(other)
        with open(os.path.join(other, 'version'), 'w', encoding='utf-8') as f:
            f.write('v1\n')
        elsewhere = {**shop.env(), 'SHOP_STATE': other}
        stale_at(tree, '/environment/SHOP_STATE', env=elsewhere)
        shop.install(PROGRAM + '# another\n')
        shop.trust(shop.surface)    # a program that only root can replace needs no new trust
        stale_at(tree, '/program_digest')
        shop.install(PROGRAM)
        with open(shop.surface, 'a', encoding='utf-8') as f:
            f.write('# another\n')
        equal(shop.apply(tree, wanted=11)['error']['code'], 'SURFACE_UNTRUSTED')
        found = shop.show(tree)['applicability']
        equal((found['state'], found['code']), ('unknown', 'SURFACE_UNTRUSTED'))
        shop.trust(shop.surface)
        stale_at(tree, '/surface_digest')
        equal(shop.ran(), [])
        equal(os.path.exists(os.path.join(other, 'ran')), False)


# ---- the policy ----

@test('A22 A70 plan apply: each no of the policy is recorded once, and nothing runs')
def refused():
    cases = ((None, 'AUTHZ_DENIED'), ("schema_version: '1'\nmode: enforced\n", 'AUTHZ_DENIED'),
             (ALLOW_ALL + "- {actor: {type: mcp, authenticated: false}, surface: shop, action: '*',"
              " target: web, effect: deny}\n", 'AUTHZ_DENIED'),
             (APPROVED, 'APPROVAL_REQUIRED'), ('rules: [', 'AUTHZ_INVALID'))
    with Shop() as shop:
        plan = shop.create(env=shop.agent())['plan_id']
        for text, code in cases:
            if text is not None:
                policy(shop, text)
            error = shop.apply(plan, env=shop.agent(), wanted=11)['error']
            equal(error['code'], code, error)
        nothing_ran(shop, plan)
        rows = [row for row in shop.ledger() if row['kind'] == 'decision']
        equal([row['code'] for row in rows], [code for _, code in cases])
        equal([row['caller'] for row in rows], ['mcp'] * len(cases))
        check('refusal' not in shop.kinds(), shop.kinds())
        equal(shop.show(plan)['created_by'], 'mcp')


@test('A23 A25 A71 A72 plan apply: an approval lets its plan run, and no other')
def approved():
    with Shop() as shop:
        policy(shop, APPROVED)
        plan = shop.create(env=shop.agent())['plan_id']
        other = shop.create(env=shop.agent())['plan_id']
        error = shop.apply(plan, env=shop.agent(), wanted=11)['error']
        equal(error['details'], {'plan_id': plan, 'approve_command': f'stile authz approve {plan}'})
        check(f'stile authz approve {plan}' in error['message'], error)
        approve(shop, plan)
        equal(shop.apply(other, env=shop.agent(), wanted=11)['error']['code'], 'APPROVAL_REQUIRED')
        at_desk(shop, 'authz', 'revoke', plan)
        equal(shop.apply(plan, env=shop.agent(), wanted=11)['error']['code'], 'APPROVAL_REQUIRED')
        approve(shop, plan)
        done = shop.apply(plan, env=shop.agent())
        equal(shop.ran(), ['migrate web 2'])
        stored = result(shop, 'operation', 'status', done['operation_id'])
        check(stored['approval_id'].startswith('apr_') and
              stored['authz_decision_id'].startswith('azd_'), stored)
        equal((stored['actor']['type'], stored['actor']['authenticated']), ('mcp', False))


@test('A plan apply --tool: the newest plan of just that is used until it is applied')
def by_tool():
    with Shop(writes='policy') as shop:
        policy(shop, APPROVED)

        def apply(arguments, wanted=0):
            status, stdout, stderr = shop.command(
                'plan', 'apply', '--tool', 'shop_migrate', '-', '--surface', shop.surface, '--json',
                stdin=arguments.encode(), env=shop.agent())
            equal(status, wanted, stdout + stderr)
            return json.loads(stdout)
        first = apply('{"app": "web", "to": 2}', 11)['error']
        again = apply('{"to": 2, "app": "web"}', 11)['error']
        other = apply('{"app": "web", "to": 3}', 11)['error']
        plan = first['details']['plan_id']
        equal((first['code'], again['details']['plan_id']), ('APPROVAL_REQUIRED', plan))
        check(other['details']['plan_id'] != plan, other)
        equal(shop.ran(), [])
        approve(shop, plan)
        equal(apply('{"app": "web", "to": 2}')['result']['plan_id'], plan)
        equal(shop.ran(), ['migrate web 2'])
        check(apply('{"app": "web", "to": 2}', 11)['error']['details']['plan_id'] != plan, 'a new one')


# ---- the target's lock ----

@test('A plan apply: the lock of another waits no longer than the plan does, and uses nothing up')
def locked():
    with Shop(wait='1s') as shop:
        plan = shop.create()['plan_id']
        os.mkdir(os.path.join(shop.data, 'locks'), 0o700)
        with open(lock_path(shop, 'web'), 'w', encoding='utf-8') as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            error = shop.apply(plan, wanted=1)['error']
            equal((error['code'], error['retryable']), ('UNAVAILABLE', True), error)
            nothing_ran(shop, plan)
            mail = shop.create('{"app": "mail", "to": 2}')['plan_id']
            equal(shop.apply(mail)['status'], 'succeeded')
            shop.set('version', 'v1')
        equal(shop.apply(plan)['status'], 'succeeded')


@test('A plan create: what looks like a secret is in no plan, for a plan is kept and shown as it is')
def no_secret():
    with Shop() as shop:
        for note in ('ghp_' + 'Q' * 36, f'password={SECRET}{SECRET}'):
            error = failure(shop, 'plan', 'create', 'shop_migrate', json.dumps(
                {'app': 'web', 'to': 2, 'note': note}), '--surface', shop.surface, wanted=2)
            equal(error['code'], 'INVALID_ARGUMENT')
            check(error['message'].startswith('/note: ') and note not in str(error), error)
        equal(result(shop, 'plan', 'list')['count'], 0)
        for name in os.listdir(shop.data):
            if name.startswith('ledger.db'):
                with open(os.path.join(shop.data, name), 'rb') as f:
                    data = f.read()
                check(b'QQQQQQQQ' not in data and SECRET.encode() not in data, name)


@test('A plan apply: what is applied to one target goes one after another, and is compared then')
def queued():
    with Shop() as shop:
        one = shop.create()['plan_id']
        two = shop.create('{"app": "web", "to": 3}')['plan_id']
        shop.hold()
        first = start(shop, 'plan', 'apply', one)
        shop.until_it_runs()
        second = start(shop, 'plan', 'apply', two)
        equal(shop.show(two)['applicability']['state'], 'applicable')
        poll(lambda: len(shop.workers()) == 2, 10, 'both are under way')
        shop.let_go()
        equal(answer_of(first)[0], 0)
        status, answer = answer_of(second)
        equal((status, answer['error']['code']), (3, 'PLAN_STALE'))
        equal(shop.ran(), ['migrate web 2'])


@test('A plan apply: the lock ends with the last process that the program left behind')
def lock_is_inherited():
    with Shop(wait='1s') as shop:
        shop.hold('stay')
        equal(shop.apply(shop.create()['plan_id'])['status'], 'succeeded')
        shop.set('version', 'v1')
        plan = shop.create()['plan_id']
        equal(shop.apply(plan, wanted=1)['error']['code'], 'UNAVAILABLE')
        shop.let_go('stay')
        equal(shop.apply(plan)['status'], 'succeeded')


@test('A plan apply: of exclusive tools one is applied at a time, whatever its target; others beside it')
def exclusive():
    with Shop(wait='1s') as shop:
        with open(shop.surface, encoding='utf-8') as f:
            text = f.read()
        shop.write('shop.yaml', text.replace('  effect: write\n', '  effect: write\n  exclusive: true\n'))
        shop.trust(shop.surface)
        web, mail = shop.create()['plan_id'], shop.create('{"app": "mail", "to": 2}')['plan_id']
        load = result(shop, 'plan', 'create', 'shop_load', '{"app": "webx", "text": "x"}',
                      '--surface', shop.surface)['plan_id']
        shop.hold()
        first = start(shop, 'plan', 'apply', web)
        shop.until_it_runs()
        error = shop.apply(mail, wanted=1)['error']
        equal((error['code'], error['retryable']), ('UNAVAILABLE', True), error)
        check('exclusive' in error['message'], error)
        equal(shop.apply(load)['status'], 'succeeded')
        equal([line.split()[1] for line in shop.ran()], ['web', 'webx'])
        shop.let_go()
        equal(answer_of(first)[0], 0)
        shop.until_applied(web)
        shop.set('version', 'v1')
        equal(shop.apply(mail)['status'], 'succeeded')


@test('A plan apply, show: what was read or held is gone, or is no file any more: PLAN_STALE')
def gone():
    with Shop() as shop:
        script = shop.write('one.sql', 'drop table x')
        plan = shop.create('{"app": "web", "to": 2, "from": "one.sql"}')['plan_id']
        os.unlink(script)
        for make in (lambda: None, lambda: os.mkfifo(script), lambda: os.mkdir(script)):
            make()
            error = shop.apply(plan, wanted=3)['error']
            equal(error['code'], 'PLAN_STALE', error)
            check('make a new one' in error['message'], error)
            if os.path.lexists(script):
                os.rmdir(script) if os.path.isdir(script) else os.unlink(script)
        nothing_ran(shop, plan)


# ---- what takes long ----

@test('A plan apply: what reads too long before it begins is not waited for, and still runs once')
def slow_to_begin():
    with Shop(wait='1s') as shop:
        shop.install(PROGRAM.replace(
            'status) ', 'status) [ -p "$SHOP_STATE/ask" ] && read -r word < "$SHOP_STATE/ask"; '))
        plan = shop.create()['plan_id']
        shop.hold('ask')
        error = shop.apply(plan, wanted=1)['error']
        equal((error['code'], error['retryable']), ('UNAVAILABLE', True))
        check('apply it again' in error['message'], error)
        equal(shop.ran(), [])
        shop.let_go('ask')
        shop.until_applied(plan)
        equal(shop.apply(plan)['result']['already_applied'], True)
        equal(shop.ran(), ['migrate web 2'])


@test('A plan apply: past its wait it answers that it is running; status tells the rest')
def running():
    with Shop(wait='1s') as shop:
        plan = shop.create()['plan_id']
        shop.hold()
        shop.set('says', f'step 1\nstep 2 with password={SECRET}{SECRET}')
        answer = shop.apply(plan)
        told = answer['result']
        operation = answer['operation_id']
        equal((told['status'], told['plan_id'], told['operation_id'], told['already_applied']),
              ('running', plan, operation, False))
        equal(told['next'], f'stile operation status {operation}')
        under_way = poll(lambda: [s for s in [result(shop, 'operation', 'status', operation)]
                                  if s.get('progress')], 10, 'progress')[0]
        equal(under_way['status'], 'running')
        check('step 2' in str(under_way['progress']) and SECRET not in str(under_way), under_way)
        error = shop.apply(plan, wanted=1)
        equal((error['error']['code'], error['operation_id']), ('UNAVAILABLE', operation))
        check(f'is being applied, as {operation}' in error['error']['message'], error)
        shop.let_go()
        poll(lambda: result(shop, 'operation', 'status', operation)['status'] == 'succeeded', 10,
             'its end')
        equal(shop.apply(plan)['result']['already_applied'], True)
        equal(shop.ran(), ['migrate web 2'])


@test('A plan apply: a signal to the command ends the command, not what it began')
def front_ends():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
        with Shop() as shop:
            plan = shop.create()['plan_id']
            shop.hold()
            front = start(shop, 'plan', 'apply', plan)
            shop.until_it_runs()
            front.send_signal(number)
            equal(front.wait(timeout=20), -number)
            shop.let_go()
            shop.until_applied(plan)
            equal(shop.ran(), ['migrate web 2'])
            front.stdout.close()
            front.stderr.close()


# ---- the order ----

@test('A plan apply: its gates stand in one order, each before the next is looked at')
def order():
    with Shop(wait='1s') as shop:
        equal(shop.apply('pln_X', wanted=2)['error']['code'], 'INVALID_ARGUMENT')
        equal(shop.apply('pln_0123456789abcdef', wanted=12)['error']['code'], 'NOT_FOUND')
        plan = shop.create()['plan_id']
        edited = shop.create()['plan_id']
        with database(shop) as db:
            db.execute("UPDATE plan SET document = replace(document, '\"web\"', '\"api\"')"
                       ' WHERE id = ?', (edited,))
        db.close()
        policy(shop, "schema_version: '1'\nmode: enforced\n")   # denies all
        shop.set('version', 'v7')                               # stale
        os.mkdir(os.path.join(shop.data, 'locks'), 0o700)
        age(shop, plan)                                         # expired
        with open(lock_path(shop, 'web'), 'w', encoding='utf-8') as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            equal(shop.apply(edited, wanted=3)['error']['code'], 'PLAN_HASH_MISMATCH')
            equal(shop.apply(plan, wanted=1)['error']['code'], 'UNAVAILABLE')
        error = shop.apply(plan, wanted=3)['error']
        check(error['code'] == 'PLAN_STALE' and 'expired' in error['message'], error)
        shop.set('version', 'v1')
        plan = shop.create()['plan_id']
        shop.set('version', 'v7')
        equal(shop.apply(plan, wanted=3)['error']['code'], 'PLAN_STALE')
        shop.set('version', 'v1')
        equal(shop.apply(plan, wanted=11)['error']['code'], 'AUTHZ_DENIED')
        nothing_ran(shop, plan)


@test('A plan show: where its surface is not known, whether it can be applied is not known')
def unknown():
    with Shop() as shop:
        plan = shop.create()['plan_id']
        os.unlink(os.path.join(shop.data, 'trust.yaml'))
        found = shop.show(plan)['applicability']
        equal((found['state'], found['code']), ('unknown', 'NOT_FOUND'))
        check('--surface' in found['reason'], found)
        equal(shop.apply(plan, wanted=12)['error']['code'], 'NOT_FOUND')
        _, stdout, _ = shop.command('plan', 'show', plan)
        check(b'applicable   unknown' in stdout, stdout)
