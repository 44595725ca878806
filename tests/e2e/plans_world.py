# SPDX-License-Identifier: MIT
"""Plans and operations put into a box's records with nothing of the product's own code: what
docs/plans.md says of their form is all that is used."""

import hashlib
import json
import os
import secrets
import sqlite3
import time

from base import last_of_id
from stile import at_terminal, check, Setup

HOUR_MS = 3600 * 1000


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(',', ':'), ensure_ascii=False)


def digest(data):
    return hashlib.blake2b(data, digest_size=32).hexdigest()


def facts(target='shop', **changes):
    return {
        'schema_version': '1', 'surface': 'shop', 'surface_digest': digest(b'surface'),
        'tool': 'shop_rebuild', 'effect': 'destroy', 'arguments': {'app': target, 'port': 8080},
        'argv': ['shop', 'rebuild', target], 'cwd': '/srv', 'program': '/usr/bin/shop',
        'program_digest': digest(b'program'), 'environment': {'HOME': digest(b'home')},
        'files': {}, 'pinned': {'/srv/shop': {'kind': 'dir', 'digest': digest(b'tree')}},
        'preconditions': [{'tool': 'shop_status', 'arguments': {}, 'pointer': '/version',
                           'digest': digest(b'"v1"'), 'value': 'v1'}],
        'target': target, 'wait_ms': 45000, 'expires_ms': HOUR_MS, **changes}


def database(box):
    """The records, made if need be; with a hand that gets past the triggers."""
    status, _, stderr = box.command('plan', 'list')
    check(status == 0, stderr)
    db = sqlite3.connect(os.path.join(box.data, 'ledger.db'), timeout=10, isolation_level=None)
    for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'"
                              " AND tbl_name <> 'record'").fetchall():
        db.execute(f'DROP TRIGGER {name}')
    return db


def add_plan(box, made_before_ms=0, preview=None, **changes):
    """A new plan's id and hash."""
    plan_id = 'pln_' + secrets.token_hex(8)
    content = facts(**changes)
    text = canonical(content)
    plan_hash = digest(b'stile-plan-v1;' + text.encode())
    created = time.time_ns() // 1000 - made_before_ms * 1000
    expires = created + content['expires_ms'] * 1000
    head = {'plan_id': plan_id, 'created_by': 'mcp', 'created_at_us': created,
            'expires_at_us': expires}
    if preview is not None:
        head['preview'] = preview
    document = canonical(head)[:-1] + ',"facts":' + text + '}'
    with database(box) as db:
        db.execute('INSERT INTO plan VALUES (?, ?, ?, ?, ?, ?, ?, NULL)',
                   (plan_id, bytes.fromhex(plan_hash), document, content['surface'], created,
                    expires, 'created'))
    db.close()
    return plan_id, plan_hash


def add_operation(box, status='succeeded', plan_id=None, pid=1, **changes):
    """A new operation's id; of no plan unless one is named, whose status then fits."""
    now = time.time_ns() // 1000
    row = {
        'id': 'op_' + secrets.token_hex(8), 'kind': 'apply', 'surface': 'shop',
        'tool': 'shop_rebuild', 'target': 'shop', 'plan_id': plan_id, 'actor_type': 'mcp',
        'actor_authenticated': 0, 'owner_pid': pid, 'owner_start': 0, 'owner_boot': '',
        'status': status, 'created_us': now, 'started_us': now, 'updated_us': now,
        'finished_us': 0 if status in ('pending', 'running') else now, 'progress_us': 0,
        'error_exit': 0, 'error_retryable': 0, 'intent': 0, **changes}
    with database(box) as db:
        db.execute(f'INSERT INTO operation ({", ".join(row)}) VALUES '
                   f'({", ".join("?" * len(row))})', list(row.values()))
        if plan_id is not None:
            status = {'succeeded': 'applied', 'failed': 'failed'}.get(status, 'applying')
            db.execute('UPDATE plan SET status = ?, operation_id = ? WHERE id = ?',
                       (status, row['id'], plan_id))
    db.close()
    return row['id']


def policy(box, text, mode=0o600):
    path = os.path.join(box.data, 'policy.yaml')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    os.chmod(path, mode)
    return path


def envelope(box, *args, env=None, wanted=0):
    """The one document a command prints with --json; its exit status is in it on failure."""
    status, stdout, stderr = box.command(*args, '--json', env=env)
    check(status == wanted, args, status, stdout, stderr)
    document = json.loads(stdout)
    check(stdout.count(b'\n') == 1 and stdout.endswith(b'\n'), 'one document', stdout)
    check(document['status'] == ('succeeded' if status == 0 else 'failed'), document)
    if status != 0:
        check(document['error']['exit_code'] == status, document)
        check('retryable' in document['error'], document)
    return document


def result(box, *args, env=None):
    return envelope(box, *args, env=env)['result']


def failure(box, *args, env=None, wanted):
    return envelope(box, *args, env=env, wanted=wanted)['error']


def at_desk(box, *args, answer=last_of_id):
    """A person's command at a terminal: (exit status, all text)."""
    return at_terminal([Setup.binary, *args], box.env(), answer)


def approve(box, plan_id, *more):
    status, text = at_desk(box, 'authz', 'approve', plan_id, *more)
    check(status == 0, text)
