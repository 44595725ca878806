# SPDX-License-Identifier: MIT
"""Secrets in what programs print: masked in every way out, and never written back."""

import json
import os
import re

from base import check, equal, poll, test
from stile import Box, code_of, text_of, value_of

# Made up, and put together here so that scanners of source code do not take them for real.
GITHUB = 'ghp' + '_' + 'a8F3kd92Lm4xQ7' * 3
KEY = ('-----BEGIN ' + 'PRIVATE KEY-----\n' + 'MIIEvQIBADANBgkqhkiG9w0BAQEF\n' * 2
       + '-----END ' + 'PRIVATE KEY-----\n')
MASK = re.compile(r'\[masked:[a-z0-9-]+:[0-9a-f]{24}\]')


def say(server, tool='fake_say', **said):
    return server.result('tools/call', {'name': tool, 'arguments': said})


@test('Q73 a token leaves neither in a value under a harmless name nor in text, and is counted')
def in_results():
    with Box() as box:
        server = box.serve()
        server.shake()
        value = value_of(say(server, out=json.dumps({'note': f'use {GITHUB} now', 'n': 1})))
        equal(MASK.sub('M', value['note']), 'use M now')
        text = text_of(say(server, 'fake_text', out=f'key:\n{KEY}end'))
        check('MIIE' not in text and 'end' in text, text)
        rows = poll(lambda: [r for r in box.ledger() if r['tool'] == 'fake_text'], 5, 'a record')
        check(rows[-1]['masks'] > 0, 'not counted')


@test('Q73 a token on stderr or stdout of a program that fails leaves masked, also where it is cut')
def in_errors():
    with Box() as box:
        server = box.serve()
        server.shake()
        for pad in range(440, 500, 6):
            for stream in ('err', 'out'):
                result = say(server, exit=1, **{stream: 'x' * pad + ' ' + GITHUB})
                equal(code_of(result), 'PROGRAM_FAILED')
                check('a8F3' not in json.dumps(result) and GITHUB[:5] not in json.dumps(result),
                      pad, stream, result)


@test('Q73 Q32 a token and what nobody sees leave no error of ours either')
def in_our_errors():
    with Box() as box:
        server = box.serve()
        server.shake()
        for arguments in ({'limit': 1, 'mode': GITHUB}, {'limit': 1, GITHUB: 1},
                          {'limit': 1, 'mode': 'a\u202eb'}, {'limit': 1, 'a\u202eb': 1}):
            result = say(server, 'fake_typed', **arguments)
            equal(code_of(result), 'INVALID_ARGUMENT')
            answer = json.dumps(result, ensure_ascii=False)
            check('a8F3' not in answer and '\u202e' not in answer, answer)
        rows = [row for row in box.ledger() if row['kind'] == 'refusal']
        equal([row['detail'] for row in rows], ['validate'] * 4, 'the stage that refused')
        check(rows[0]['masks'] > 0 and rows[1]['masks'] > 0 and rows[3]['escaped'] > 0, rows)


@test('Q74 values are masked by the names of members; harmless names, UUIDs and hashes pass')
def by_name():
    clean = {'token': 'word', 'id': '550e8400-e29b-41d4-a716-446655440000', 'n': 2.0,
             'sha': 'c6e69ce8a1f4b0d3a5b7c9e1f3a5b7c9e1f3a5b7', 'nextPageToken': 'a8F3kd92Lm4xQ7'}
    secret = {'GITHUB_PERSONAL_ACCESS_TOKEN': 'abcdefgh', 'apiKey': 'abcdefgh', 'db_pwd': 'x y'}
    with Box() as box:
        server = box.serve()
        server.shake()
        value = value_of(say(server, out=json.dumps({**clean, **secret})))
        for name, plain in clean.items():
            equal(value[name], plain, name)
        for name in secret:
            check(MASK.fullmatch(value[name]), name, value[name])


@test('vault 4 stderr shows neither the home nor the data directory nor temporary paths')
def paths():
    with Box() as box:
        home = os.path.join(box.dir, 'home')
        server = box.serve(env=box.env(HOME=home, TMPDIR='/var/tmp/of-mine'))
        server.shake()
        text = text_of(say(server, exit=1, err=f'{home}/a {box.data}/vault.db /var/tmp/of-mine/b'))
        check('~/a [data]/vault.db [tmp]/b' in text, text)


@test('vault 4 what was masked cannot be written back: MASKED_CONTENT, and nothing runs')
def masked_content():
    with Box() as box:
        server = box.serve('--allow-write', 'fake', '--allow-noninteractive-write', 'fake')
        server.shake()
        mask = MASK.search(text_of(say(server, 'fake_text', out=GITHUB))).group()
        before = len(box.started())
        for tool, arguments, pointer in (
                ('fake_stdin_given', {'content': f'a {mask} b'}, '/content'),
                ('fake_write', {'note': mask[-25:-1]}, '/note'),
                ('fake_args', {'values': ['x', mask]}, '/values/1')):
            result = server.result('tools/call', {'name': tool, 'arguments': arguments})
            equal(code_of(result), 'MASKED_CONTENT')
            check(pointer in text_of(result), text_of(result))
        equal(len(box.started()), before, 'started')
        equal([r['code'] for r in box.ledger() if r['kind'] == 'refusal'], ['MASKED_CONTENT'] * 3)
        other = box.serve()
        other.shake()
        equal(code_of(other.call('fake_stdin_given', {'content': mask})), 'MASKED_CONTENT',
              'another process of the host')


@test('Q73 a token in a surface file does not reach the log when its tools are withdrawn')
def in_the_log():
    with Box() as box:
        own = box.own_surface()
        server = box.serve(surfaces=[own])
        server.shake()
        with open(own, 'a', encoding='utf-8') as f:
            f.write(f'{GITHUB}: 1\n')
        server.result('tools/list')
        log = poll(lambda: 'withdrawn' in server.stderr() and server.stderr(), 5, 'a line')
        check(MASK.search(log) and 'a8F3' not in log, log)


@test('vault 4 a question shows no token that stands in an ordinary argument')
def in_questions():
    with Box() as box:
        server = box.serve('--allow-write', 'fake')
        server.shake('2025-11-25', {'elicitation': {}})
        server.start('fake_write', {'note': GITHUB})
        notes = poll(lambda: server.notes('elicitation/create'), 10, 'the question')
        check('a8F3' not in json.dumps(notes), notes)


@test('vault 4 a question shows no beginning of a token where a long value is cut')
def cut_in_questions():
    with Box() as box:
        server = box.serve('--allow-write', 'fake')
        server.shake('2025-11-25', {'elicitation': {}})
        for pad in range(80, 121, 8):
            server.start('fake_write', {'note': 'x' * pad + ' ' + GITHUB})
        notes = poll(lambda: (lambda n: n if len(n) == 6 else None)(
            server.notes('elicitation/create')), 10, 'the questions')
        check('ghp' not in json.dumps(notes), notes)
        asked = [r for r in box.ledger() if r['detail'] == 'asked']
        check(len(asked) == 6 and all(r['masks'] > 0 for r in asked), asked)


@test('Q74 the answer says how many values were masked, in both eras, and nothing where none was')
def counted_in_answers():
    with Box() as box:
        server = box.serve()
        server.shake()
        two = json.dumps({'a': GITHUB, 'b': f'x {GITHUB}', 'c': 'harmless'})
        for modern in (None, {}):
            for tool, out, masks in (('fake_say', two, 2), ('fake_text', GITHUB, 1),
                                     ('fake_say', '{"a":1}', None)):
                result = server.call(tool, {'out': out}, modern=modern)
                equal(result.get('_meta', {}).get('stile/masked'), masks, out)
                equal('_meta' in result, masks is not None or modern is not None, 'an empty _meta')
            failed = server.call('fake_say', {'err': GITHUB, 'exit': 1}, modern=modern)
            equal(failed['_meta']['stile/masked'], 1, 'an error')


@test('Q73 a token as the name of a tool or of a client is not in the ledger; names there are short')
def names_in_the_ledger():
    stile_token = 'stv' + '_' + ('a8F3kd92Lm4xQ7Wb' * 3)[:43]
    with Box() as box:
        for name in (stile_token, 'x' * 190 + ' ' + GITHUB, 'n' * 5000):
            server = box.serve()
            server.result('initialize', {'protocolVersion': '2025-11-25', 'capabilities': {},
                                         'clientInfo': {'name': name, 'version': '1'}})
            server.notify('notifications/initialized')
            server.answer(server.start(name))
            server.call('fake_args')
            server.end()
        rows = box.ledger()
        equal([r['kind'] for r in rows if r['kind'] != 'checkpoint'], ['refusal', 'call'] * 3)
        for row in rows:
            for column in ('tool', 'client'):
                text = row[column] or ''
                check(len(text.encode()) <= 203, column, text)
                check('a8F3' not in text and 'ghp' not in text, column, text)
        check(MASK.fullmatch(rows[0]['tool']), rows[0]['tool'])


@test('Q73 what a program was given in secret leaves masked: a variable, a number, however written')
def given_in_secret():
    with Box() as box:
        server = box.serve(env=box.env(FAKE_TOKEN='staple-horse-staple'))
        server.shake()
        value = value_of(say(server, out='{"said": "it is staple-horse-staple", "n": 1}'))
        equal(MASK.sub('M', value['said']), 'it is M')
        text = text_of(say(server, exit=1, err='bad staple-horse-staple'))
        check('staple' not in text and MASK.search(text), text)


# A surface that knows a secret format of its own.
TICKETS = '''
stile: 1
surface: tickets
program: { run: fake, env: [FAKE_LOG], output: json }
secrets: [{ name: ticket, match: 'TCK-[0-9]{6}' }]
tools:
- name: tickets_say
  description: Says it.
  effect: read
  input:
    properties:
      out: { type: string, description: What it prints. }
      err: { type: string, description: What it prints on standard error. }
      exit: { type: integer, minimum: 0, maximum: 255, description: Its exit status. }
  argv: [say, '--err={err}', '--out={out}', '--exit={exit}']
- name: tickets_write
  description: Keeps a note.
  effect: write
  input:
    properties:
      note: { type: string, description: The note. }
      pin: { type: string, x-secret: argv, description: A secret. }
  argv: [args, '--note={note}', '--pin={pin}']
'''


@test("Q73 a surface's own secrets and a secret argument leave no way out unmasked")
def own_secrets():
    with Box() as box:
        own = box.own_surface(TICKETS)
        server = box.serve('--allow-write', 'tickets', surfaces=[own])
        server.shake('2025-11-25', {'elicitation': {}})
        value = value_of(say(server, 'tickets_say', out='{"a":"see TCK-\\\\u0031\\\\u00323456"}'))
        check(MASK.search(value['a']) and '3456' not in value['a'], value)
        text = text_of(say(server, 'tickets_say', exit=1, err='no TCK-123456 here'))
        check(MASK.search(text) and '123456' not in text, text)
        call = server.start('tickets_write', {'note': 'TCK-123456', 'pin': 'correct horse'})
        asked = poll(lambda: server.notes('elicitation/create'), 10, 'the question')[0]
        check('123456' not in json.dumps(asked) and 'horse' not in json.dumps(asked), asked)
        server.send({'jsonrpc': '2.0', 'id': asked['id'],
                     'result': {'action': 'accept', 'content': {'confirm': True}}})
        result = server.answer(call)['result']
        equal(box.started()[-1], ['args', '--note=TCK-123456', '--pin=correct horse'],
              'the program gets what was meant for it')
        answer = json.dumps(result)
        check('123456' not in answer and 'horse' not in answer, answer)
        equal(result['_meta']['stile/masked'], 2)
        with open(os.path.join(box.data, 'ledger.db'), 'rb') as f:
            kept = f.read()
        wal = os.path.join(box.data, 'ledger.db-wal')
        if os.path.exists(wal):
            with open(wal, 'rb') as f:
                kept += f.read()
        check(b'123456' not in kept and b'horse' not in kept, 'in the ledger')
