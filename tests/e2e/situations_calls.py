# SPDX-License-Identifier: MIT
"""Situations around calls in flight: order, cancellation, progress, children that misbehave."""

import os
import re
import signal
import time

from stile import (Box, Setup, check, children, code_of, equal, is_alive, poll, request, test,
                   text_of, value_of)


def running(box, count=1):
    """Waits until so many fake programs run; returns their pids."""
    return poll(lambda: len(box.fakes()) >= count and box.fakes(), 10, f'{count} running')


def gone(box, seconds=5):
    poll(lambda: not box.fakes(), seconds, 'the end of all programs')


def outcome(box, tool):
    """Codes of the ledger's rows about a tool, waited for."""
    return poll(lambda: [r['code'] for r in box.ledger() if r['tool'] == tool], 5, 'a record')


@test('Q12 P47 a slow call holds up neither ping nor lists nor fast calls')
def slow_call():
    with Box() as box:
        server = box.serve()
        server.shake()
        slow = server.start('fake_sleep', {'ms': 30000})
        running(box)
        started = time.monotonic()
        server.result('ping')
        server.result('tools/list')
        value_of(server.call('fake_args'))
        check(time.monotonic() - started < 1 * Setup.patience, 'held up')
        check(not server.has_answer(slow), 'the slow call has ended')


@test('P47 100 calls at once, results may overtake each other')
def hundred_at_once():
    with Box() as box:
        server = box.serve()
        server.shake()
        ids = {server.start('fake_sleep' if i % 10 == 0 else 'fake_args',
                            {'ms': 200} if i % 10 == 0 else {'values': [str(i)]}): i
               for i in range(100)}
        for identity, i in ids.items():
            value = value_of(server.answer(identity, 20)['result'])
            equal(value, {'slept': True} if i % 10 == 0 else {'args': ['--', str(i)]})


@test('Q09 P38 the second use of an id in flight is refused and the first is not disturbed')
def duplicate_id():
    with Box() as box:
        server = box.serve()
        server.shake()
        server.start('fake_sleep', {'ms': 1500}, identity='x')
        running(box)
        server.start('fake_args', {}, identity='x')
        equal(server.answer('x')['error']['code'], -32600)
        equal(value_of(server.answer('x')['result']), {'slept': True})
        equal(len(box.started()), 1, 'runs')
        server.start('fake_args', {}, identity='x')     # finished, so free again
        value_of(server.answer('x')['result'])


@test('Q13 P62 nobody is asked for roots just because it declared them')
def silent_client():
    with Box() as box:
        server = box.serve()
        server.shake(capabilities={'roots': {'listChanged': True}, 'elicitation': {},
                                   'sampling': {}})
        server.result('tools/list')
        value_of(server.call('fake_args'))
        server.notify('notifications/roots/list_changed')
        server.result('ping')
        equal(server.notes(), [], 'what the server asked')


@test('Q16 a slow version check delays neither the handshake nor lists nor other tools')
def slow_version():
    with Box() as box:
        server = box.serve(env=box.env(FAKE_SLOW='60000'))
        started = time.monotonic()
        server.shake()
        server.result('tools/list')
        slow = server.start('fake_versioned')
        running(box)
        value_of(server.call('fake_args'))
        check(time.monotonic() - started < 2 * Setup.patience, 'held up')
        check(code_of(server.answer(slow, 20)['result']), 'no code')


@test('Q19 a call ends with its program, not with the daemon that holds its output')
def daemon():
    with Box() as box:
        server = box.serve()
        server.shake()
        started = time.monotonic()
        equal(value_of(server.call('fake_daemon')), {'daemon': True})
        check(time.monotonic() - started < 3 * Setup.patience, 'waited for the pipe')
        gone(box)


@test('Q19 P176 a daemon with a session of its own does not outlive the server')
def escaped_daemon():
    with Box() as box:
        server = box.serve()
        server.shake()
        equal(value_of(server.call('fake_daemon', {'setsid': True, 'ignoreTerm': True})),
              {'daemon': True})
        server.end()
        gone(box)


@test('Q21 P90 a cancelled call ends with its whole tree, and the tool works again at once')
def cancelled_tree():
    with Box() as box:
        server = box.serve()
        server.shake()
        identity = server.start('fake_tree', {'ignoreTerm': True})
        pids = running(box, 3)
        server.cancel(identity)
        poll(lambda: not any(map(is_alive, pids)), 3, 'the end of the tree')
        equal(value_of(server.call('fake_tree', {'ms': 1})), {'slept': True})
        check(not server.has_answer(identity), 'an answer to a cancelled call')
        poll(lambda: not children(server.pid), 3, 'nothing left to reap')
        check('CANCELLED' in outcome(box, 'fake_tree'), box.ledger())


@test('P90 a modern call is cancelled the same way')
def cancelled_modern():
    with Box() as box:
        server = box.serve()
        identity = server.start('fake_sleep', modern={}, identity='long')
        running(box)
        server.cancel(identity)
        gone(box)
        server.result('server/discover', modern={})
        check(not server.has_answer(identity), 'an answer to a cancelled call')


@test('Q22 P92 P93 cancellations of something else are ignored')
def odd_cancellations():
    with Box() as box:
        server = box.serve()
        server.shake()
        identity = server.start('fake_sleep', {'ms': 1500}, identity=7)
        pids = running(box)
        for other in ('7', 1, 999, 'nosuch', None, 7.5, {}, -7):
            server.cancel(other)
        server.notify('notifications/cancelled')
        server.send({'jsonrpc': '2.0', 'method': 'notifications/cancelled', 'params': {'id': 7}})
        server.result('ping')
        check(is_alive(pids[0]), 'the wrong call was cancelled')
        equal(value_of(server.answer(identity)['result']), {'slept': True})
        server.cancel(identity)
        server.cancel(identity)
        server.result('ping')


@test('P94 a cancellation that shares a write with its request')
def same_write():
    with Box() as box:
        server = box.serve()
        server.shake()
        for i in range(100, 110):
            server.send(request(i, 'tools/call', {'name': 'fake_sleep', 'arguments': {}}),
                        {'jsonrpc': '2.0', 'method': 'notifications/cancelled',
                         'params': {'requestId': i}})
        server.result('ping')
        gone(box)
        server.result('ping')
        equal([i for i in range(100, 110) if server.has_answer(i)], [], 'answers')


@test('P95 a call with id 0 is cancellable')
def cancelled_zero():
    with Box() as box:
        server = box.serve()
        server.shake()
        server.start('fake_sleep', identity=0)
        running(box)
        server.cancel(0)
        gone(box)
        server.result('ping')
        check(not server.has_answer(0), 'an answer to a cancelled call')


@test('P90 a call that waits for its turn is cancelled before it starts')
def cancelled_waiting():
    with Box() as box:
        server = box.serve()
        server.shake()
        ids = [server.start('fake_sleep') for _ in range(40)]
        poll(lambda: len(box.started()) >= 32, 20, '32 starts')
        server.cancel(ids[-1])
        server.result('ping')
        equal(len(box.started()), 32, 'starts')
        for identity in ids[:-1]:
            server.cancel(identity)
        gone(box)
        server.result('ping')
        check(not any(map(server.has_answer, ids)), 'an answer to a cancelled call')


@test('Q75 P96 P97 progress for a call with a token, rising, before its answer; none without')
def progress():
    with Box() as box:
        server = box.serve()
        server.shake()
        with_zero = server.start('fake_sleep', {'ms': 16500}, token=0)
        with_text = server.start('fake_sleep', {'ms': 16500}, token='t')
        without = server.start('fake_sleep', {'ms': 16500})
        for identity in (with_zero, with_text, without):
            value_of(server.answer(identity, 40)['result'])
        server.result('ping')
        notes = [m['params'] for m in server.notes('notifications/progress')]
        for token, identity in ((0, with_zero), ('t', with_text)):
            values = [n['progress'] for n in notes if n['progressToken'] == token
                      and type(n['progressToken']) is type(token)]
            check(values, f'no progress for {token!r}')
            check(all(a < b for a, b in zip(values, values[1:])), f'not rising: {values}')
            order = [(m.get('id'), m.get('params', {}).get('progressToken'))
                     for m, _ in server.lines if isinstance(m, dict)]
            last = max(i for i, (_, t) in enumerate(order) if t == token and t is not None)
            answered = next(i for i, (n, _) in enumerate(order) if n == identity)
            check(last < answered, 'progress after the answer')
        equal({n['progressToken'] for n in notes}, {0, 't'})


@test('Q76 P176 a program that never ends is ended at its limit')
def endless_program():
    with Box() as box:
        server = box.serve()
        server.shake()
        started = time.monotonic()
        result = server.call('fake_sleep_short', {'ignoreTerm': True, 'partial': True})
        took = time.monotonic() - started
        equal(code_of(result), 'TIMEOUT')
        check(re.search(r'\b1 ?s|1000 ?ms', text_of(result)), 'no limit in', text_of(result))
        check(isinstance(result['structuredContent']['retryable'], bool), result)
        check(0.9 < took < 4 * Setup.patience, f'took {took}')
        gone(box, 1)
        equal(outcome(box, 'fake_sleep_short'), ['TIMEOUT'])


@test('Q27 a stopped child still meets its limit')
def stopped_child():
    with Box() as box:
        server = box.serve()
        server.shake()
        equal(code_of(server.call('fake_sleep_short', {'stop': True})), 'TIMEOUT')
        gone(box, 1)


@test('Q27 a child has its own session, no terminal, and descriptors 0, 1 and 2 only')
def inherited():
    with Box() as box:
        with open('/dev/null') as extra:
            os.set_inheritable(extra.fileno(), True)
            server = box.serve(close_fds=False)
            server.shake()
            equal(value_of(server.call('fake_process')), {
                'fds': [0, 1, 2], 'ignored': 0, 'masked': 0, 'leads': True, 'core': 0,
                'cwd': box.root})


@test('Q49 a child gets the listed variables and a UTF-8 locale, whatever ours is')
def child_environment():
    with Box() as box:
        env = box.env(LANG='C', LC_ALL='POSIX', FAKE_SLOW='1', SECRET_KEY='s',
                      STILE_CALLER='cli')
        server = box.serve(env=env)
        server.shake()
        seen = value_of(server.call('fake_env'))
        equal(seen.pop('STILE_CALLER'), 'mcp')
        equal(seen.pop('LANG'), 'C.UTF-8')
        check(seen.pop('PATH').startswith('/'), 'PATH')
        equal(seen.pop('FAKE_LOG'), box.log)
        equal(seen.pop('FAKE_SLOW'), '1')
        seen.pop('HOME', None)
        equal(seen, {}, 'more variables')


@test('Q50 an error tells which listed variable is not set, when the program speaks of it')
def missing_variable():
    with Box() as box:
        for env, is_named in ((box.env(), True), (box.env(FAKE_TOKEN=''), True),
                              (box.env(FAKE_TOKEN='t0'), False)):
            server = box.serve(env=env)
            server.shake()
            said = {'err': 'FAKE_TOKEN and MY_FAKE_SLOW are wanted', 'exit': 1}
            failed = server.result('tools/call', {'name': 'fake_say', 'arguments': said})
            equal(code_of(failed), 'PROGRAM_FAILED')
            equal('FAKE_TOKEN is not set for this server' in text_of(failed), is_named)
            check('FAKE_SLOW is not' not in text_of(failed), 'a variable nobody spoke of')


@test('P82 a program that cannot be executed is an error that says so, not a status')
def no_executable():
    with Box() as box:
        with open(box.own_program(), 'w') as f:
            f.write('#!/nonexistent/interpreter\n')
        server = box.serve(surfaces=[box.own_surface()])
        server.shake()
        answer = server.answer(server.start('fake_args'))
        check('error' in answer or code_of(answer['result']) != 'PROGRAM_FAILED', answer)


@test('P82 a child that somebody else kills is a failure that names the signal')
def killed_child():
    with Box() as box:
        server = box.serve()
        server.shake()
        identity = server.start('fake_sleep')
        os.kill(running(box)[0], signal.SIGKILL)
        result = server.answer(identity)['result']
        equal(code_of(result), 'PROGRAM_FAILED')
        check(re.search(r'(?i)signal 9|SIGKILL|signal KILL', text_of(result)), text_of(result))
