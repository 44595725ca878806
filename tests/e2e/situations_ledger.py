# SPDX-License-Identifier: MIT
"""When the ledger cannot be written nothing runs, nothing is answered without its record, and
service resumes by itself."""

import json
import os
import sqlite3

from stile import Box, Failure, Setup, check, code_of, equal, poll, test, text_of, value_of

# Takes from root what makes modes count for nothing.
IS_ROOT = os.geteuid() == 0
POWERLESS = ('setpriv', '--inh-caps=-all', '--bounding-set=-all') if IS_ROOT else ()

SLOW = '''
stile: 1
surface: slow
program: { run: fake, env: [FAKE_LOG], output: json }
tools:
- name: slow_write
  description: Takes its time.
  effect: write
  input: { properties: { ms: { type: integer, minimum: 0, description: How long. } }, required: [ms] }
  argv: [sleep, '{ms}']
'''


def locked(box):
    db = sqlite3.connect(os.path.join(box.data, 'ledger.db'), isolation_level=None)
    db.execute('BEGIN IMMEDIATE')
    return db


@test('Q70 a ledger locked for long refuses calls, runs nothing, and resumes by itself')
def held_lock():
    with Box() as box:
        server = box.serve('--allow-write', 'fake', '--allow-noninteractive-write', 'fake')
        server.shake()
        value_of(server.call('fake_args'))
        started = len(box.started())
        db = locked(box)
        calls = [server.start(tool) for tool in ('fake_args', 'fake_write', 'fake_args')]
        server.result('ping')
        server.result('tools/list')
        for call in calls:
            result = server.answer(call)['result']
            equal(code_of(result), 'LEDGER_UNAVAILABLE')
            equal(result['structuredContent']['retryable'], True)
        equal(len(box.started()), started, 'nothing was started')
        db.rollback()
        db.close()
        value_of(server.call('fake_args'))
        outage = [r for r in box.ledger() if r['code'] == 'LEDGER_UNAVAILABLE']
        equal([r['count'] for r in outage], [3], 'the outage is on record')
        equal(box.command('audit', 'verify')[0], 0)


@test('Q70 a ledger that cannot be made refuses every call; lists still answer')
def ruined():
    for ruin in ('corrupt', 'folder'):
        with Box() as box:
            path = os.path.join(box.data, 'ledger.db')
            if ruin == 'folder':
                os.mkdir(path)
            else:
                with open(path, 'wb') as f:
                    os.fchmod(f.fileno(), 0o600)
                    f.write(b'this is no database' * 400)
            server = box.serve()
            server.shake()
            server.result('tools/list')
            equal(code_of(server.call('fake_args')), 'LEDGER_UNAVAILABLE', ruin)
            equal(box.started(), [], ruin)


@test('Q70 in a folder that may not be written nothing runs, and service resumes by itself')
def read_only():
    for made_before in (False, True):
        with Box() as box:
            if made_before:
                first = box.serve()
                first.shake()
                value_of(first.call('fake_args'))
                first.end()
            before = len(box.started())
            writing = ('--allow-write', 'fake', '--allow-noninteractive-write', 'fake')
            server = box.serve(*writing, wrapper=POWERLESS)
            server.shake()
            files = [box.data, *(os.path.join(box.data, name) for name in os.listdir(box.data))]
            modes = {path: os.stat(path).st_mode for path in files}
            for path, mode in modes.items():
                os.chmod(path, mode & 0o577)
            server.result('ping')
            server.result('tools/list')
            for tool in ('fake_args', 'fake_write'):
                result = server.call(tool)
                equal(code_of(result), 'LEDGER_UNAVAILABLE', made_before)
                equal(result['structuredContent']['retryable'], True)
            equal(len(box.started()), before, 'started')
            for path, mode in modes.items():
                os.chmod(path, mode)
            value_of(server.call('fake_args'))
            equal(len(box.started()), before + 1)
            equal(box.command('audit', 'verify')[0], 0)


@test('an outcome that cannot be recorded is said, with its intent, and is an intent still open')
def unrecorded():
    with Box() as box:
        own = box.own_surface(SLOW)
        server = box.serve('--allow-write', 'slow', '--allow-noninteractive-write', 'slow',
                           surfaces=[own])
        server.shake()
        call = server.start('slow_write', {'ms': 2500})
        poll(box.started, 10, 'its start')
        db = locked(box)
        result = server.answer(call)['result']
        equal(code_of(result), 'OUTCOME_UNRECORDED')
        equal(result['structuredContent']['retryable'], False)
        check('slept' not in json.dumps(result), 'what it printed left without a record')
        db.rollback()
        db.close()
        intents = [r['sequence'] for r in box.ledger() if r['kind'] == 'intent']
        equal(len(intents), 1)
        check(f'row {intents[0]} ' in text_of(result), text_of(result))
        equal(len(box.started()), 1, 'done once')
        status, out, _ = box.command('audit', 'list', '--open', '--json')
        equal([r['sequence'] for r in json.loads(out)['result']['records']], intents)
        equal(box.command('audit', 'verify')[0], 0)


@test('Q70 on a full disk no answer leaves without its record')
def full_disk():
    with Box() as box:
        server = box.serve(wrapper=('sh', '-c', 'ulimit -f 400; exec "$0" "$@"'))
        server.shake()
        codes = []
        while len(codes) < 600 and (len(codes) < 3 or codes[-3:].count(None) == 3):
            result = server.call('fake_args', {'values': ['n']})
            codes.append(code_of(result) if result.get('isError') else None)
        equal(set(codes), {None, 'LEDGER_UNAVAILABLE'})
        server.result('ping')
        for _ in range(5):
            result = server.call('fake_args', {'values': ['n']})
            codes.append(code_of(result) if result.get('isError') else None)
        server.end()
        rows = [r for r in box.ledger() if r['kind'] == 'call' and r['code'] is None]
        equal(len(rows), codes.count(None), 'answers and their records')


@test('P2 protocol faults become one row a second, not one each')
def faults():
    with Box() as box:
        server = box.serve()
        server.send_raw(b'{\n' * 500)
        poll(lambda: len(server.raw()) >= 500, 10, '500 refusals')
        server.end()
        rows = [r for r in box.ledger() if r['kind'] == 'protocol']
        check(1 <= len(rows) <= 3, rows)
        equal(sum(r['count'] for r in rows), 500)


@test('Q23 twenty servers on one data directory make one chain')
def many():
    with Box() as box:
        count = 6 if Setup.is_sanitized else 20   # patience is 2 s, however slow a build is
        servers = [box.serve() for _ in range(count)]
        for server in servers:
            server.shake()
        calls = [(server, server.start('fake_args')) for server in servers for _ in range(5)]
        for server, call in calls:
            value_of(server.answer(call, 30)['result'])
        for server in servers:
            server.end(12)
        equal(len([r for r in box.ledger() if r['kind'] == 'call']), 5 * count)
        equal(box.command('audit', 'verify')[0], 0)


@test('Q72 an export verifies alone, and an edited, removed or swapped row is named')
def exports():
    with Box() as box:
        server = box.serve()
        server.shake()
        for _ in range(5):
            value_of(server.call('fake_args'))
        server.end()
        status, lines, err = box.command('audit', 'export', '--tool', 'fake_args')
        equal(status, 0, err.decode())
        rows = lines.decode().splitlines()
        bare = {k: v for k, v in box.env().items() if k != 'STILE_DATA_DIR'}
        bare['HOME'] = box.root

        def verify(some):
            path = box.write('export.jsonl', '\n'.join(some) + '\n')
            return box.command('audit', 'verify', path, '--json', env=bare)

        equal(verify(rows)[0], 0)
        edited = list(rows)
        row = json.loads(edited[2])
        row['tool'] = 'fake_argz'
        edited[2] = json.dumps(row)
        for name, some in (('edited', edited), ('removed', rows[:1] + rows[2:]),
                           ('swapped', [rows[0], rows[2], rows[1], *rows[3:]])):
            status, out, _ = verify(some)
            equal(status, 3, name)
            check('sequence' in json.loads(out)['error']['details'], name, out)


@test('Q72 a row that was edited in the file itself is named, with exit status 3')
def edited_file():
    with Box() as box:
        server = box.serve()
        server.shake()
        for _ in range(3):
            value_of(server.call('fake_args'))
        server.end()
        equal(box.command('audit', 'verify')[0], 0)
        with sqlite3.connect(os.path.join(box.data, 'ledger.db')) as db:
            try:
                db.execute("UPDATE record SET tool = 'x' WHERE sequence = 2")
                raise Failure('no trigger refused the edit')
            except sqlite3.IntegrityError:
                pass
            triggers = db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
            for (name,) in triggers.fetchall():
                db.execute(f'DROP TRIGGER {name}')
            db.execute("UPDATE record SET tool = 'x' WHERE sequence = 2")
        status, out, _ = box.command('audit', 'verify', '--json')
        equal(status, 3)
        equal(json.loads(out)['error']['details'], {'sequence': 2, 'fault': 'changed'})


@test('audit: rows can be listed by filter, as a table and as JSON')
def listing():
    with Box() as box:
        server = box.serve()
        server.shake()
        value_of(server.call('fake_args'))
        server.call('fake_write')
        server.end()
        status, out, _ = box.command('audit', 'list', '--kind', 'refusal', '--json')
        records = json.loads(out)['result']['records']
        equal([r['code'] for r in records], ['WRITE_DISABLED'])
        status, out, _ = box.command('audit', 'list')
        check(b'fake_args' in out and b'WRITE_DISABLED' in out, out)
        status, _, err = box.command('audit', 'list', '--kindd', 'x')
        equal(status, 2)
        check(b'--kind' in err, err)
