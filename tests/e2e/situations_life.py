# SPDX-License-Identifier: MIT
"""Situations of start and end: parents that die, signals, many instances, what is left behind."""

import os
import signal
import stat
import subprocess
import sys
import threading
import time

from stile import (Box, Setup, check, code_of, comm, equal, is_alive, kill, memory_kib, poll,
                   processes, request, test, value_of)

# A client in a process of its own, so that it can die: it starts a server and a long call.
CLIENT = '''
import json, os, subprocess, sys
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
if sys.argv[1] == "hold":   # another process keeps the write end of the server's input
    subprocess.Popen(["sleep", "60"], stdout=server.stdin, stdin=subprocess.DEVNULL)
for message in (
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "c", "version": "1"}}},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "fake_tree", "arguments": {"ignoreTerm": True}}}):
    server.stdin.write(json.dumps(message).encode() + b"\\n")
server.stdin.flush()
server.stdout.read()
'''


def killed_client(mode):
    with Box() as box:
        for _ in range(3 if Setup.is_sanitized else 10):
            client = subprocess.Popen(
                [sys.executable, '-c', CLIENT, mode, Setup.binary, 'mcp', 'serve', '--surface',
                 Setup.surface, '--root', box.root], env=box.env(), cwd=box.root)
            poll(lambda: len(box.fakes()) == 3, 10, 'a running tree')
            client.kill()
            client.wait()
            poll(lambda: not [p for p in processes(box.dir) if not is_sleeper(p)], 5,
                 'the end of everything')
            for pid in filter(is_sleeper, processes(box.dir)):
                kill(pid, signal.SIGKILL)


def is_sleeper(pid):
    return comm(pid) == 'sleep'


@test('Q17 P176 a killed client leaves no process behind, ten times over')
def parent_dies():
    killed_client('plain')


@test('Q17 a dead client is noticed although another process holds our input open')
def parent_dies_input_held():
    killed_client('hold')


@test('Q17 a server started by a thread that ends lives on')
def starting_thread_ends():
    with Box() as box:
        thread = threading.Thread(target=box.serve)
        thread.start()
        thread.join()
        server = box.servers[0]
        server.shake()
        value_of(server.call('fake_args'))
        check(server.process.poll() is None, 'it ended with the thread')


@test('Q18 P172 SIGTERM with sixteen stubborn children')
def stubborn_children():
    with Box() as box:
        server = box.serve()
        server.shake()
        for _ in range(16):
            server.start('fake_sleep', {'ignoreTerm': True})
        poll(lambda: len(box.fakes()) == 16, 10, 'sixteen children')
        started = time.monotonic()
        os.kill(server.pid, signal.SIGTERM)
        equal(server.wait(2), 0, 'exit status')
        took = time.monotonic() - started
        check(took < 1.2 * Setup.patience, f'took {took}')
        equal(box.fakes(), [], 'children left')


def ends_by(number):
    with Box() as box:
        server = box.serve()
        server.shake()
        server.start('fake_sleep')
        poll(box.fakes, 10, 'a child')
        os.kill(server.pid, number)
        equal(server.wait(2), 0, 'exit status')


@test('P172 SIGTERM ends the server and its children')
def sigterm():
    ends_by(signal.SIGTERM)


@test('P173 SIGINT ends the server and its children')
def sigint():
    ends_by(signal.SIGINT)


@test('P172 SIGHUP ends the server and its children')
def sighup():
    ends_by(signal.SIGHUP)


@test('P176 SIGKILL leaves no child')
def sigkill():
    with Box() as box:
        server = box.serve()
        server.shake()
        server.start('fake_sleep', {'ignoreTerm': True})
        pids = poll(box.fakes, 10, 'a child')
        server.kill()
        poll(lambda: not any(map(is_alive, pids)), 3, 'the end of the child')


@test('P170 the end of input ends the server in time')
def end_of_input():
    with Box() as box:
        server = box.serve()
        server.shake()
        check(server.end() < 1 * Setup.patience, 'too slow')
        server = box.serve()
        check(server.end() < 1 * Setup.patience, 'too slow without a message')


@test('P171 P176 the end of input ends it in time with a call in flight')
def end_of_input_in_flight():
    with Box() as box:
        server = box.serve()
        server.shake()
        server.start('fake_tree', {'ignoreTerm': True})
        poll(lambda: len(box.fakes()) == 3, 10, 'a tree')
        check(server.end() < 2 * Setup.patience, 'too slow')
        equal(box.fakes(), [], 'children left')


@test('P147 SIGTERM closes listen streams gracefully')
def graceful_streams():
    with Box() as box:
        server = box.serve()
        server.ask('subscriptions/listen', {'notifications': {'toolsListChanged': True}}, 's', {})
        server.note('notifications/subscriptions/acknowledged')
        os.kill(server.pid, signal.SIGTERM)
        equal(server.answer('s')['result']['resultType'], 'complete')
        equal(server.wait(2), 0, 'exit status')


@test('Q23 P178 twenty servers on one data directory, all calling at once')
def many_instances():
    with Box() as box:
        # A sanitizer build writes so slowly that twenty wait longer than the ledger's two seconds.
        count = 3 if Setup.is_sanitized else 20
        servers = [box.serve() for _ in range(count)]
        for server in servers:
            server.shake()
        ids = [(s, s.start('fake_args', {'values': [str(i)]})) for s in servers for i in range(5)]
        for server, identity in ids:
            value_of(server.answer(identity, 30)['result'])
        if not Setup.is_sanitized:
            used = [memory_kib(s.pid, 'RssAnon') for s in servers]
            check(max(used) < 8 * 1024, 'memory:', used)
        for server in servers:
            server.end()
        rows = box.ledger()
        equal(len([r for r in rows if r['kind'] == 'call']), len(ids), 'records')
        equal([r['sequence'] for r in rows], list(range(1, len(rows) + 1)), 'sequence')
        for before, after in zip(rows, rows[1:]):
            check(after['previous'] == before['hash'], 'the chain breaks at', after['sequence'])


@test('Q24 P179 killed while it reads, a new process goes on without a handshake')
def killed_and_restarted():
    with Box() as box:
        server = box.serve()
        server.shake()
        server.start('fake_sleep')
        poll(box.fakes, 10, 'a child')
        server.kill()
        again = box.serve()
        value_of(again.call('fake_args', modern={}))
        legacy = box.serve()
        legacy.shake()
        value_of(legacy.call('fake_args'))


@test('P179 killed right after the first answer, again and again')
def killed_early():
    with Box() as box:
        for _ in range(5):
            server = box.serve()
            server.result('server/discover', modern={})
            server.kill()
        server = box.serve()
        value_of(server.call('fake_args', modern={}))


@test('P02 P179 a probe process that gets no message leaves nothing in the data directory')
def probe_leaves_nothing():
    with Box() as box:
        server = box.serve()
        server.result('server/discover', modern={})
        server.result('tools/list', modern={})
        server.end()
        equal(sorted(os.listdir(box.data)), ['trust.yaml'], 'data directory')


def private_files(box):
    return [os.path.join(top, name) for top, _, names in os.walk(box.data) for name in names
            if top != box.data and 'keys' not in os.path.relpath(top, box.data)]


@test('Q51 a secret handed on by file is private and gone after the call')
def private_file():
    with Box() as box:
        server = box.serve()
        server.shake()
        identity = server.start('fake_secret', {'password': 'hunter2hunter2', 'ms': 60000})
        program = poll(box.fakes, 5, 'the program')[0]   # the file is whole now, not before
        path = private_files(box)[0]
        equal(stat.S_IMODE(os.stat(path).st_mode), 0o600, 'mode of the file')
        equal(stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode), 0o700, 'mode of the folder')
        with open(path) as f:
            equal(f.read(), 'hunter2hunter2', 'content')
        equal(poll(box.started, 5, 'its words')[0][2], f'--file={path}', 'what the program was told')
        kill(program, signal.SIGTERM)
        equal(code_of(server.answer(identity)['result']), 'PROGRAM_FAILED')
        equal(private_files(box), [], 'files left')
        value_of(server.call('fake_secret', {'password': 'hunter2hunter2'}))
        equal(private_files(box), [], 'files left by a program that went well')


@test('Q51 what a killed server left behind is removed by the next one')
def leftover_file():
    with Box() as box:
        server = box.serve()
        server.shake()
        server.start('fake_secret', {'password': 'hunter2hunter2', 'ms': 60000})
        left = poll(lambda: private_files(box), 5, 'a private file')
        poll(box.fakes, 5, 'the program')
        server.kill()
        check(os.path.exists(left[0]), 'nothing to test')
        again = box.serve()
        again.shake()
        value_of(again.call('fake_secret', {'password': 'another-secret'}))
        poll(lambda: not private_files(box), 5, 'an end to what the dead one left')


@test('P59 messages before the answer to initialize, and the end right behind them')
def pipelined_and_closed():
    with Box() as box:
        server = box.serve()
        server.send(
            request(0, 'initialize', {'protocolVersion': '2025-06-18', 'capabilities': {},
                                      'clientInfo': {'name': 'c', 'version': '1'}}),
            {'jsonrpc': '2.0', 'method': 'notifications/initialized'},
            request(1, 'tools/call', {'name': 'fake_args', 'arguments': {}}))
        server.close_input()
        equal(server.answer(0)['result']['protocolVersion'], '2025-06-18')
        # A call has 250 ms after the end of input: on a busy machine it may be cancelled, not lost.
        result = server.answer(1)['result']
        if result.get('isError'):
            equal(code_of(result), 'CANCELLED')
        else:
            equal(value_of(result), {'args': ['--']})
        equal(server.wait(3), 0, 'exit status')
