# SPDX-License-Identifier: MIT
"""The write gate and consent, both eras: each way to a refusal starts nothing and is recorded."""

import json
import os
import random
import signal
import time

from base import at_terminal
from stile import Box, Setup, check, code_of, equal, kill, poll, request, test, value_of

YES = {'action': 'accept', 'content': {'confirm': True}}
WRITE = ('--allow-write', 'fake')
ALONE = (*WRITE, '--allow-noninteractive-write', 'fake')
ASKS = {'elicitation': {}}


# A surface with an error of its own that a second try may mend, and a write with a default.
ODD = '''
stile: 1
surface: odd
program: { run: fake, env: [FAKE_LOG] }
errors: [{ exit: 5, code: ODD_BUSY, retryable: true }]
tools:
- name: odd_say
  description: Fails.
  effect: read
  input: { properties: { exit: { type: integer, description: Its exit status. } } }
  argv: [say, '--exit={exit}']
- name: odd_write
  description: Writes.
  effect: write
  input:
    properties:
      mode: { enum: [fast, slow], default: fast, description: How. }
      depth: { type: integer, minimum: 0, default: 3, description: How deep. }
      key: { type: string, x-secret: argv, description: A secret. }
  argv: [args, '--mode={mode}', '--depth={depth}', '--key={key}']
'''


def legacy(box, *args, capabilities=None, version='2025-11-25'):
    server = box.serve(*args)
    server.shake(version, ASKS if capabilities is None else capabilities)
    return server


def question(server, number):
    """The number-th question of a legacy server."""
    name = 'elicitation/create'
    return poll(lambda: len(server.notes(name)) >= number and server.notes(name)[number - 1],
                10, f'question {number}')


def respond(server, asked, **answer):
    server.send({'jsonrpc': '2.0', 'id': asked['id'], **answer})


def rows(box, *kinds):
    return [r for r in box.ledger() if r['kind'] in kinds]


def nothing_ran(box, code):
    equal(box.started(), [], 'started')
    refusals = rows(box, 'refusal')
    check(refusals and refusals[-1]['code'] == code, 'the ledger says', refusals, 'not', code)
    equal(rows(box, 'intent'), [], 'intents')


@test('Q61 Q64 Q71 legacy: only an explicit yes runs, and every other answer is its own refusal')
def legacy_answers():
    cases = [({'result': {'action': 'decline'}}, 'WRITE_DECLINED'),
             ({'result': {'action': 'decline', 'content': {'confirm': True}}}, 'WRITE_DECLINED'),
             ({'result': {'action': 'cancel'}}, 'WRITE_CANCELLED'),
             ({'result': {'action': 'accept'}}, 'WRITE_DECLINED'),
             ({'result': {'action': 'accept', 'content': {}}}, 'WRITE_DECLINED'),
             ({'result': {'action': 'accept', 'content': {'confirm': 'true'}}}, 'WRITE_DECLINED'),
             ({'result': {'action': 'yes'}}, 'WRITE_CONFIRMATION_UNAVAILABLE'),
             ({'error': {'code': -32603, 'message': 'x'}}, 'WRITE_CONFIRMATION_UNAVAILABLE')]
    with Box() as box:
        server = legacy(box, *WRITE)
        for number, (answer, code) in enumerate(cases, 1):
            call = server.start('fake_write', {'note': 'n'})
            respond(server, question(server, number), **answer)
            equal(code_of(server.answer(call)['result']), code, answer)
            nothing_ran(box, code)
        call = server.start('fake_write', {'note': 'n'})
        respond(server, question(server, len(cases) + 1), result=YES)
        check(not server.answer(call)['result'].get('isError'), 'the yes')
        equal(len(box.started()), 1)
        kinds = [r['kind'] for r in box.ledger() if r['kind'] != 'checkpoint'][-4:]
        equal(kinds, ['consent', 'consent', 'intent', 'outcome'])


@test('R10 the question is complete, flat, and its deciding field a required boolean')
def shape_of_question():
    with Box() as box:
        server = legacy(box, *WRITE)
        server.start('fake_destroy', {'note': 'a\u202e"b', 'key': 'hunter2-hunter2'})
        params = question(server, 1)['params']
        equal(params['mode'], 'form')
        equal(params['requestedSchema']['required'], ['confirm'])
        equal(params['requestedSchema']['properties']['confirm']['type'], 'boolean')
        check('fake_destroy' in params['message'], params['message'])
        check('\u202e' not in params['message'], 'a bidi character in the question')
        check('hunter2' not in json.dumps(params), 'a secret in the question')


@test('Q62 a client that declared no elicitation, or only another mode, is never asked')
def not_asked():
    for version, capabilities in (('2025-11-25', {}), ('2025-03-26', ASKS),
                                  ('2025-11-25', {'elicitation': {'url': {}}})):
        with Box() as box:
            server = legacy(box, *WRITE, capabilities=capabilities, version=version)
            equal(code_of(server.call('fake_write')), 'WRITE_CONFIRMATION_UNAVAILABLE')
            equal(server.notes('elicitation/create'), [])
            nothing_ran(box, 'WRITE_CONFIRMATION_UNAVAILABLE')


@test('P135 Q62 modern: elicitation not declared gets -32021; nothing is remembered from before')
def modern_not_declared():
    with Box() as box:
        server = legacy(box, *WRITE)   # a legacy session that could be asked
        error = server.error('tools/call', {'name': 'fake_write', 'arguments': {}}, modern={})
        equal(error['code'], -32021)
        equal(error['data'], {'requiredCapabilities': {'elicitation': {}},
                              'error_code': 'WRITE_CONFIRMATION_UNAVAILABLE'})
        nothing_ran(box, 'WRITE_CONFIRMATION_UNAVAILABLE')


def first_round(server, arguments=None, tool='fake_write'):
    result = server.result('tools/call', {'name': tool, 'arguments': arguments or {}}, modern=ASKS)
    equal(result['resultType'], 'input_required')
    equal(result['inputRequests']['confirm']['method'], 'elicitation/create')
    check('content' not in result and 'ttlMs' not in result, result)
    return result['requestState']


def second_round(server, state, answer=YES, arguments=None, tool='fake_write', **more):
    params = {'name': tool, 'arguments': arguments or {}, 'requestState': state, **more}
    if answer is not None:
        params['inputResponses'] = {'confirm': answer}
    return server.answer(server.ask('tools/call', params, modern=ASKS))


@test('P130 P133 modern: a yes in the second round runs once, whatever else is answered')
def modern_yes():
    with Box() as box:
        server = box.serve(*WRITE)
        state = first_round(server, {'note': 'n'})
        equal(box.started(), [])
        params = {'name': 'fake_write', 'arguments': {'note': 'n'}, 'requestState': state,
                  'inputResponses': {'confirm': YES, 'other': {'action': 'accept'}}}
        result = server.result('tools/call', params, modern=ASKS)
        equal(result['resultType'], 'complete')
        equal(len(box.started()), 1)


@test('P138 Q61 modern: decline, cancel and an empty accept are refusals of their own')
def modern_no():
    for answer, code in (({'action': 'decline'}, 'WRITE_DECLINED'),
                         ({'action': 'cancel'}, 'WRITE_CANCELLED'),
                         ({'action': 'accept'}, 'WRITE_DECLINED'),
                         ({'action': 'accept', 'content': {'confirm': 1}}, 'WRITE_DECLINED')):
        with Box() as box:
            server = box.serve(*WRITE)
            response = second_round(server, first_round(server), answer)
            equal(code_of(response['result']), code, answer)
            nothing_ran(box, code)


@test('P136 modern: a state that was edited, moved, replayed or made by another process is refused')
def modern_states():
    with Box() as box:
        server = box.serve(*WRITE)
        other = box.serve(*WRITE)

        def refused(response, code):
            equal(response['error']['code'], -32602, response)
            equal(response['error']['data'], {'error_code': code})
            nothing_ran(box, code)

        state = first_round(server, {'note': 'a'})
        edited = state[:-1] + ('A' if state[-1] != 'A' else 'B')
        refused(second_round(server, edited, arguments={'note': 'a'}), 'REQUEST_STATE_INVALID')
        refused(second_round(server, state, arguments={'note': 'b'}), 'REQUEST_STATE_INVALID')
        refused(second_round(server, state, arguments={'note': 'a'}, tool='fake_destroy'),
                'REQUEST_STATE_INVALID')
        refused(second_round(other, state, arguments={'note': 'a'}), 'REQUEST_STATE_INVALID')
        refused(second_round(server, 'x', arguments={'note': 'a'}), 'REQUEST_STATE_INVALID')
        declined = second_round(server, state, {'action': 'decline'}, {'note': 'a'})
        equal(code_of(declined['result']), 'WRITE_DECLINED')
        refused(second_round(server, state, arguments={'note': 'a'}), 'REQUEST_STATE_SPENT')


@test('P132 P134 modern: a missing answer is asked for again, a malformed one is an error')
def modern_missing():
    with Box() as box:
        server = box.serve(*WRITE)
        again = second_round(server, first_round(server), None)['result']
        equal(again['resultType'], 'input_required')
        for answer in ('yes', {'action': 'maybe'}, {'method': 'x', 'result': YES}):
            response = second_round(server, again['requestState'], answer)
            equal(response['error']['code'], -32602, answer)
        response = second_round(server, again['requestState'], None, inputResponses=[])
        equal(response['error']['code'], -32602)
        response = second_round(server, again['requestState'], {'error': {'code': -32603}})
        equal(response['error']['code'], -32602, 'an error in place of an answer')
        response = second_round(server, 7, YES)
        equal(response['error']['code'], -32602)
        equal(box.started(), [])
        faults = poll(lambda: rows(box, 'protocol'), 5, 'a row about the malformed answers')
        equal({row['code'] for row in faults}, {'INVALID_PARAMS'})
        done = second_round(server, again['requestState'])
        equal(done['result']['resultType'], 'complete')
        equal(len(box.started()), 1)
        kinds = [(r['kind'], r['detail']) for r in rows(box, 'consent', 'intent', 'outcome')]
        equal(kinds, [('consent', 'asked'), ('consent', 'asked'), ('consent', 'accepted'),
                      ('intent', None), ('outcome', None)])


@test('modern: when 1,024 answers of five minutes are remembered, further ones are refused')
def modern_memory_is_full():
    with Box() as box:
        server = box.serve(*WRITE)
        no = {'action': 'decline'}

        def decline(count):
            asked = [server.ask('tools/call', {'name': 'fake_write', 'arguments': {}}, modern=ASKS)
                     for _ in range(count)]
            states = [server.answer(call, 30)['result']['requestState'] for call in asked]
            answered = [server.ask('tools/call', {
                'name': 'fake_write', 'arguments': {}, 'requestState': state,
                'inputResponses': {'confirm': no}}, modern=ASKS) for state in states]
            return [code_of(server.answer(call, 30)['result']) for call in answered]

        codes = [code for _ in range(16) for code in decline(64)]
        equal(set(codes), {'WRITE_DECLINED'})
        late = second_round(server, first_round(server))
        equal(code_of(late['result']), 'UNAVAILABLE')
        equal(late['result']['structuredContent']['retryable'], True)
        nothing_ran(box, 'UNAVAILABLE')


@test('modern: a surface that changed between the question and the answer runs nothing')
def modern_changed_between():
    with Box() as box:
        own = box.own_surface()
        server = box.serve(*WRITE, surfaces=[own])
        state = first_round(server)
        with open(own, 'a', encoding='utf-8') as f:
            f.write('# changed\n')
        equal(second_round(server, state)['error']['code'], -32602)
        nothing_ran(box, 'TOOL_NOT_FOUND')
        box.trust(own)
        equal(second_round(server, state)['error']['data'], {'error_code': 'REQUEST_STATE_INVALID'})
        nothing_ran(box, 'REQUEST_STATE_INVALID')
        trust = [(r['surface'], r['code'], r['detail']) for r in rows(box, 'trust')]
        equal(trust, [('fake', None, 'trusted'), ('fake', 'SURFACE_UNTRUSTED', 'withdrawn'),
                      ('fake', None, 'trusted'), ('fake', None, 'served')])


@test('modern: a yes in another launch scope is a yes to something else')
def modern_other_roots():
    with Box() as box:
        state = first_round(box.serve(*WRITE))
        other = box.serve(*WRITE, '--root', box.dir)
        equal(second_round(other, state)['error']['data'], {'error_code': 'REQUEST_STATE_INVALID'})
        nothing_ran(box, 'REQUEST_STATE_INVALID')


@test('Q66 consent binds to meaning: key order and defaults written out do not matter')
def canonical_arguments():
    with Box() as box:
        own = box.own_surface(ODD)
        server = box.serve('--allow-write', 'odd', surfaces=[own])

        def again(first, second):
            state = first_round(server, first, 'odd_write')
            return second_round(server, state, arguments=second, tool='odd_write')

        for other in ({'key': 'k2k2k2'}, {'key': 'k1k1k1', 'mode': 'slow'}, {},
                      {'key': 'k1k1k1', 'depth': 4}):
            refused = again({'key': 'k1k1k1'}, other)
            equal(refused['error']['data'], {'error_code': 'REQUEST_STATE_INVALID'}, other)
            nothing_ran(box, 'REQUEST_STATE_INVALID')
        done = again({'key': 'k1k1k1', 'mode': 'fast'},
                     {'depth': 3, 'mode': 'fast', 'key': 'k1k1k1'})
        equal(done['result']['resultType'], 'complete')
        done = again({}, {'depth': 3})
        equal(done['result']['resultType'], 'complete')
        equal(len(box.started()), 2)


@test('Q65 the model says confirm after a person said no: the person is asked again')
def confirm_is_nothing():
    with Box() as box:
        server = legacy(box, *WRITE)
        call = server.start('fake_write')
        respond(server, question(server, 1), result={'action': 'decline'})
        equal(code_of(server.answer(call)['result']), 'WRITE_DECLINED')
        call = server.start('fake_write', {'confirm': True})
        respond(server, question(server, 2), result={'action': 'decline'})
        equal(code_of(server.answer(call)['result']), 'WRITE_DECLINED')
        equal(code_of(server.call('fake_write', {'confirm': False})), 'WRITE_DECLINED')
        equal(len(server.notes('elicitation/create')), 2, 'a veto asks nobody')
        nothing_ran(box, 'WRITE_DECLINED')


@test('Q63 a question that is never answered holds up nothing else and can be cancelled')
def never_answered():
    with Box() as box:
        server = legacy(box, *WRITE)
        call = server.start('fake_write')
        asked = question(server, 1)
        value_of(server.call('fake_args'))
        server.result('ping')
        server.cancel(call)
        server.note('notifications/cancelled',
                    where=lambda params: params.get('requestId') == asked['id'])
        respond(server, asked, result=YES)   # late
        server.result('ping')
        check(not server.has_answer(call), 'a cancelled call was answered')
        poll(lambda: rows(box, 'refusal'), 5, 'its record')
        equal([r['code'] for r in rows(box, 'refusal')], ['CANCELLED'])
        equal([words[0] for words in box.started()], ['args'], 'fake_args alone')
        equal(rows(box, 'intent'), [])


@test('Q64 the pipe breaks while a person is asked: nothing runs, and the ledger says so')
def pipe_breaks_while_asking():
    with Box() as box:
        server = box.serve(*WRITE, reading=False)
        server.send(request(1, 'initialize', {
            'protocolVersion': '2025-11-25', 'capabilities': ASKS,
            'clientInfo': {'name': 'e2e', 'version': '1'}}))
        server.notify('notifications/initialized')
        server.send(request(2, 'tools/call', {'name': 'fake_write', 'arguments': {}}))
        said = b''
        while b'elicitation/create' not in said:
            said += os.read(server.process.stdout.fileno(), 65536)
        server.process.stdout.close()
        server.send(request(3, 'ping'))   # its answer finds nobody
        server.close_input()
        server.wait(12)
        nothing_ran(box, 'CANCELLED')


@test('Q13 P171 the end of input ends a call that waits for a person; nothing runs')
def end_while_asking():
    with Box() as box:
        server = legacy(box, *WRITE)
        call = server.start('fake_write')
        question(server, 1)
        server.end()
        equal(code_of(server.answer(call)['result']), 'CANCELLED')
        nothing_ran(box, 'CANCELLED')


@test('consent: a surface that changed while a person was asked runs nothing')
def changed_while_asking():
    with Box() as box:
        own = box.own_surface()
        server = box.serve(*WRITE, surfaces=[own])
        server.shake(capabilities=ASKS)
        call = server.start('fake_write')
        asked = question(server, 1)
        with open(own, 'a', encoding='utf-8') as f:
            f.write('# changed\n')
        respond(server, asked, result=YES)
        response = server.answer(call)
        check(response.get('error', {}).get('code') == -32602, response)
        nothing_ran(box, 'TOOL_NOT_FOUND')
        call = server.ask('tools/call', {'name': 'fake_write', 'arguments': {}})
        equal(server.answer(call)['error']['code'], -32602, 'withdrawn')
        box.trust(own)
        call = server.start('fake_write')
        asked = question(server, 2)
        with open(own, 'a', encoding='utf-8') as f:
            f.write('# and again\n')
        box.trust(own)
        respond(server, asked, result=YES)
        equal(code_of(server.answer(call)['result']), 'SURFACE_UNTRUSTED')
        nothing_ran(box, 'SURFACE_UNTRUSTED')


@test('write gate: without --allow-write everything that writes is refused, asked or not')
def disabled():
    with Box() as box:
        server = legacy(box, '--allow-noninteractive-write', 'fake')
        for tool in ('fake_write', 'fake_destroy'):
            equal(code_of(server.call(tool, {'confirm': True})), 'WRITE_DISABLED')
        nothing_ran(box, 'WRITE_DISABLED')
        equal(server.notes('elicitation/create'), [])


@test('write gate: without elicitation only --allow-noninteractive-write runs, and never destroys')
def noninteractive():
    with Box() as box:
        server = legacy(box, *ALONE, capabilities={})
        equal(code_of(server.call('fake_destroy')), 'WRITE_CONFIRMATION_UNAVAILABLE')
        nothing_ran(box, 'WRITE_CONFIRMATION_UNAVAILABLE')
        check(not server.call('fake_write', {'note': 'n'}).get('isError'), 'runs')
        equal(len(box.started()), 1)


@test('write gate: the host alone waives a question, for that tool alone')
def waiver():
    with Box() as box:
        with open(os.path.join(box.data, 'config.yaml'), 'w', encoding='utf-8') as f:
            os.fchmod(f.fileno(), 0o600)
            f.write('surfaces: {fake: {waive: [fake_destroy]}}\n')
        server = legacy(box, *WRITE, capabilities={})
        check(not server.call('fake_destroy', {'note': 'n'}).get('isError'), 'waived')
        equal(code_of(server.call('fake_write')), 'WRITE_CONFIRMATION_UNAVAILABLE')
        equal(len(box.started()), 1)


@test('write gate: no launch option and no variable waives what destroys')
def destroy_is_never_waived():
    with Box() as box:
        env = box.env(STILE_ALLOW_WRITE='fake', STILE_ALLOW_NONINTERACTIVE_WRITE='fake')
        server = box.serve(*ALONE, env=env)
        server.shake()
        for arguments in ({}, {'confirm': True}):
            equal(code_of(server.call('fake_destroy', arguments)), 'WRITE_CONFIRMATION_UNAVAILABLE')
            nothing_ran(box, 'WRITE_CONFIRMATION_UNAVAILABLE')
        words = ['call', 'fake_destroy', '{"confirm":true}', '--surface', Setup.surface, *WRITE]
        equal(box.command(*words, env=env)[0], 11, 'without a terminal')
        nothing_ran(box, 'WRITE_CONFIRMATION_UNAVAILABLE')


@test('stile call asks on the terminal; without one, or with another word, nothing runs')
def typed_call():
    with Box() as box:
        words = ['call', 'fake_destroy', '{"note":"n"}', '--surface', Setup.surface, *WRITE]
        status, out, _ = box.command(*words, '--json')
        equal(status, 11)
        equal(json.loads(out)['error']['code'], 'WRITE_CONFIRMATION_UNAVAILABLE')
        nothing_ran(box, 'WRITE_CONFIRMATION_UNAVAILABLE')
        for typed in ('no', 'y', 'YES', ' yes', ''):
            status, text = at_terminal(
                [Setup.binary, *words], box.env(),
                lambda seen, word=typed: word if 'Type yes' in seen else None)
            equal(status, 11, text)
            check('fake_destroy' in text, text)
            nothing_ran(box, 'WRITE_DECLINED')
        before = len(box.ledger())
        status, text = at_terminal([Setup.binary, *words], box.env(),
                                   lambda seen: 'yes' if 'Type yes' in seen else None)
        equal(status, 0, text)
        equal(box.started(), [['args', 'destroy', '--note=n']])
        after = [r for r in box.ledger()[before:] if r['kind'] != 'checkpoint']
        equal([(r['kind'], r['detail'], r['caller']) for r in after],
              [('consent', 'asked', 'cli'), ('consent', 'accepted', 'cli'),
               ('intent', None, 'cli'), ('outcome', None, 'cli')])


@test("stile call says a surface's own code, and exits as for a program that failed")
def own_code():
    with Box() as box:
        status, out, _ = box.command('call', 'fake_say', '{"exit":4,"err":"session expired"}',
                                     '--surface', Setup.surface, '--json')
        equal(status, 1)
        envelope = json.loads(out)
        equal(envelope['status'], 'failed')
        equal(envelope['result']['error_code'], 'SIGNED_OUT')
        error = envelope['error']
        equal((error['code'], error['exit_code'], error['retryable']), ('SIGNED_OUT', 1, False))
        check('Sign in again' in error['message'], error)
        own = box.own_surface(ODD)
        status, out, _ = box.command('call', 'odd_say', '{"exit":5}', '--surface', own, '--json')
        error = json.loads(out)['error']
        equal((status, error['code'], error['retryable']), (1, 'ODD_BUSY', True))
        status, out, err = box.command('call', 'odd_say', '{"exit":5}', '--surface', own)
        equal((status, out), (1, b''))
        check(b'[ODD_BUSY]' in err, err)
        equal({r['code'] for r in box.ledger() if r['tool'] == 'odd_say'}, {'ODD_BUSY'})


@test('Q69 Q71 200 kills of server or child during writes: the chain holds, nothing is done twice')
def kills():
    random.seed(7)
    with Box() as box:
        rounds = 200
        for number in range(rounds):
            server = box.serve(*ALONE)
            server.ask('tools/call', {'name': 'fake_write', 'arguments': {'note': f'n{number}'}},
                       modern={})
            time.sleep(random.random() * 0.03)
            if number % 2:
                for pid in box.fakes():
                    kill(pid, signal.SIGKILL)
                server.close_input()
                server.wait(10)
            server.kill() if number % 2 == 0 else None
            server.finish()
            box.servers.remove(server)
        notes = [word for words in box.started() for word in words if word.startswith('--note=')]
        equal(len(notes), len(set(notes)), 'something was done twice')
        intents, outcomes = rows(box, 'intent'), rows(box, 'outcome')
        check(len(intents) >= len(notes), len(intents), 'intents for', len(notes), 'runs')
        equal(len({r['intent'] for r in outcomes}), len(outcomes), 'outcomes')
        status, out, err = box.command('audit', 'verify', '--json')
        equal(status, 0, err.decode())
        status, out, _ = box.command('audit', 'list', '--open', '--json')
        equal(len(json.loads(out)['result']['records']), len(intents) - len(outcomes), 'open')
