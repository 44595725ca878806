# SPDX-License-Identifier: MIT
"""stile plan apply on records that somebody edited, and on policies that changed in between
(plan-deploy.md §3.9). The triggers that refuse edits are dropped first (plans_world.database)."""

from plans_world import approve, at_desk, database, policy, result
from shop_world import ALLOW_ALL, APPROVED, Shop
from stile import check, equal, test


def edit(shop, statement, *values):
    with database(shop) as db:
        db.execute(statement, values)
    db.close()


def untouched(shop, plan):
    """Nothing ran, and nothing says that it did."""
    equal(shop.ran(), [])
    check('intent' not in shop.kinds() and 'outcome' not in shop.kinds(), shop.kinds())
    equal(result(shop, 'operation', 'list')['count'], 0)
    equal(shop.command('audit', 'verify')[0], 0, plan)


@test('A72 tampering: a plan that was edited, replaced or misfiled does not run, approved or not')
def plan_edited():
    edits = (
        ("document = replace(document, 'migrate', 'destroy')", 'PLAN_HASH_MISMATCH'),
        ("document = replace(document, '\"to\":2', '\"to\":3')", 'PLAN_HASH_MISMATCH'),
        ('hash = zeroblob(32)', 'PLAN_HASH_MISMATCH'),
        ("document = 'garbage'", 'PLAN_CORRUPT'),
        ("document = replace(document, id, 'pln_0123456789abcdef')", 'PLAN_INVALID'),
        ("status = 'applied'", 'PLAN_INVALID'),
        ("status = 'applied', operation_id = 'op_0123456789abcdef'", 'PLAN_INVALID'),
        ('expires_us = expires_us + 3600000000', 'PLAN_INVALID'),
    )
    with Shop() as shop:
        policy(shop, APPROVED)
        for change, code in edits:
            plan = shop.create()['plan_id']
            approve(shop, plan)
            edit(shop, f'UPDATE plan SET {change} WHERE id = ?', plan)
            equal(shop.apply(plan, wanted=3)['error']['code'], code, change)
        untouched(shop, plan)


@test('A72 tampering: a plan edited together with its hash has lost its approval')
def plan_forged():
    with Shop() as shop:
        policy(shop, APPROVED)
        plan = shop.create()['plan_id']
        other = shop.create('{"app": "web", "to": 3}')['plan_id']
        approve(shop, plan)
        with database(shop) as db:
            document, stored_hash = db.execute('SELECT document, hash FROM plan WHERE id = ?',
                                               (other,)).fetchone()
            created, expires = db.execute('SELECT created_us, expires_us FROM plan WHERE id = ?',
                                          (other,)).fetchone()
            db.execute('UPDATE plan SET document = ?, hash = ?, created_us = ?, expires_us = ?'
                       ' WHERE id = ?',
                       (document.replace(other, plan), stored_hash, created, expires, plan))
        db.close()
        equal(shop.apply(plan, wanted=11)['error']['code'], 'APPROVAL_STALE')
        untouched(shop, plan)


@test('A25 tampering: an approval that was edited, or moved to another plan, does not count')
def approval_edited():
    with Shop() as shop:
        policy(shop, APPROVED)
        plan = shop.create()['plan_id']
        other = shop.create('{"app": "web", "to": 3}')['plan_id']
        approve(shop, plan)
        for change in ("target = '*'", 'hash = zeroblob(32)', 'expires_us = expires_us + 1'):
            with database(shop) as db:
                before = db.execute('SELECT * FROM approval').fetchone()
                names = [c[0] for c in db.execute('SELECT * FROM approval').description]
                db.execute(f'UPDATE approval SET {change}')
            db.close()
            equal(shop.apply(plan, wanted=11)['error']['code'], 'APPROVAL_INVALID', change)
            edit(shop, 'UPDATE approval SET ' + ', '.join(f'{n} = ?' for n in names), *before)
        edit(shop, 'UPDATE approval SET plan_id = ?', other)
        equal(shop.apply(other, wanted=11)['error']['code'], 'APPROVAL_INVALID')
        equal(shop.apply(plan, wanted=11)['error']['code'], 'APPROVAL_REQUIRED')
        untouched(shop, plan)
        edit(shop, 'UPDATE approval SET plan_id = ?', plan)
        equal(shop.apply(plan)['status'], 'succeeded')


@test('A26 A33 tampering: a policy that changed after the approval is the one that counts')
def policy_edited():
    with Shop() as shop:
        policy(shop, APPROVED)
        plan = shop.create()['plan_id']
        approve(shop, plan)
        for text, code in (("schema_version: '1'\nmode: enforced\n", 'AUTHZ_DENIED'),
                           ('mode: enforced', 'AUTHZ_INVALID'),
                           (APPROVED + "- {actor: {type: '*', authenticated: false}, surface: shop,"
                            " action: shop_migrate, target: web, effect: deny}\n", 'AUTHZ_DENIED')):
            policy(shop, text)
            equal(shop.apply(plan, wanted=11)['error']['code'], code)
        policy(shop, APPROVED)
        equal(at_desk(shop, 'authz', 'revoke', plan)[0], 0)
        equal(shop.apply(plan, wanted=11)['error']['code'], 'APPROVAL_REQUIRED')
        untouched(shop, plan)
        policy(shop, ALLOW_ALL)
        equal(shop.apply(plan)['status'], 'succeeded')


@test('A36 tampering: what cannot be recorded does not happen; what happened unrecorded is said to be')
def unrecorded():
    def stop(shop, name, event):
        edit(shop, f"CREATE TRIGGER {name} BEFORE {event} BEGIN SELECT RAISE(ABORT, 'full'); END")
    with Shop() as shop:
        plan = shop.create()['plan_id']
        stop(shop, 'no_decision', 'INSERT ON decision')
        error = shop.apply(plan, wanted=3)['error']
        check('AUTHZ' not in error['code'] and 'nothing was run' in error['message'], error)
        policy(shop, "schema_version: '1'\nmode: enforced\n")
        error = shop.apply(plan, wanted=3)['error']
        check('AUTHZ' not in error['code'], 'a no that is not recorded is no answer', error)
        untouched(shop, plan)
        policy(shop, ALLOW_ALL)
        edit(shop, 'DROP TRIGGER IF EXISTS no_decision')
        stop(shop, 'no_intent', "INSERT ON operation")
        shop.apply(plan, wanted=3)
        untouched(shop, plan)
        edit(shop, 'DROP TRIGGER IF EXISTS no_intent')
        stop(shop, 'no_end', "UPDATE ON operation WHEN NEW.status = 'succeeded'")
        answer = shop.apply(plan, wanted=1)
        equal(answer['error']['code'], 'OUTCOME_UNRECORDED')
        intent = [row for row in shop.ledger() if row['kind'] == 'intent'][0]
        check(f"row {intent['sequence']} " in answer['error']['message'], answer)
        equal(shop.ran(), ['migrate web 2'])
        edit(shop, 'DROP TRIGGER IF EXISTS no_end')
        again = shop.apply(plan, wanted=1)
        equal((again['error']['code'], again['operation_id']),
              ('UNAVAILABLE', answer['operation_id']))
        equal(shop.show(plan)['status'], 'indeterminate')
        equal(shop.ran(), ['migrate web 2'])
