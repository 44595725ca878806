# SPDX-License-Identifier: MIT
"""Situations on the two pipes: sizes, speed, slow and missing readers."""

import fcntl
import json
import os
import random
import struct
import subprocess
import termios
import time

from stile import (Box, Setup, check, equal, memory_kib, poll, request, test, value_of)

MIB = 1024 * 1024


def line(message):
    return json.dumps(message).encode() + b'\n'


def waiting_bytes(fd):
    """Bytes that lie in a pipe."""
    return struct.unpack('i', fcntl.ioctl(fd, termios.FIONREAD, b'\0' * 4))[0]


@test('Q10 P06 a request sent one byte at a time')
def one_byte_at_a_time():
    with Box() as box:
        server = box.serve()
        for byte in line(request(1, 'ping')):
            server.send_raw(bytes([byte]))
        equal(server.answer(1)['result'], {})


@test('Q10 P06 P10c a request of a megabyte across many reads')
def one_large_request():
    with Box() as box:
        server = box.serve()
        server.shake()
        text = 'ä' * (MIB // 2 - 1024)      # what the program prints must stay below its bound
        value = value_of(server.call('fake_stdin_given', {'content': text}))
        equal(value['bytes'], MIB - 2048)
        check(value['stdin'] == text, 'the text differs')


@test('Q10 P06 500 requests in one write')
def many_in_one_write():
    with Box() as box:
        server = box.serve()
        server.send_raw(b''.join(line(request(i, 'ping')) for i in range(500)))
        for i in range(500):
            equal(server.answer(i)['result'], {})


@test('Q10 P175 requests read before the end of input are answered')
def pipe_use():
    with Box() as box:
        server = box.serve()
        server.shake()
        server.send(*[request(i, 'tools/call', {'name': 'fake_args', 'arguments': {}})
                      for i in range(100, 105)], request(200, 'ping'))
        server.end()
        server.reader.join()
        check(server.has_answer(200), 'ping was not answered')
        for i in range(100, 105):
            check(server.has_answer(i), f'call {i} was not answered')


@test('P10 a frame of 64 MiB is refused in bounded memory and the next one is served')
def huge_frame():
    with Box() as box:
        server = box.serve()
        equal(server.result('ping'), {})
        server.send_raw(b'{"jsonrpc":"2.0","id":7,"method":"')
        block = b'x' * MIB
        for _ in range(64):
            server.send_raw(block)
        server.send_raw(b'"}\n' + line(request(8, 'ping')))
        equal(server.answer(8, 30)['result'], {})
        refused = [m for m, _ in server.lines if 'error' in m]
        equal([m['error']['code'] for m in refused], [-32600])
        check('id' not in refused[0], 'an id that cannot be known')
        if not Setup.is_sanitized:
            check(memory_kib(server.pid) < 48 * 1024, 'memory:', memory_kib(server.pid))


@test('P10 a frame just below the bound is served, one just above refused')
def frame_at_the_bound():
    with Box() as box:
        server = box.serve()
        for total, is_served in ((16 * MIB - 2, True), (16 * MIB + 2, False)):
            head = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"'
            server.send_raw(head + b'y' * (total - len(head) - 3) + b'"}}\n')
            answer = server.ordered(30)
            equal('result' in answer, is_served, f'a frame of {total} bytes is served')


@test('P11 100 000 levels of nesting are a parse error')
def deep_nesting():
    with Box() as box:
        server = box.serve()
        for opening in (b'[', b'{"a":'):
            server.send_raw(opening * 100000 + b'\n')
            equal(server.ordered()['error']['code'], -32700)
        deep = b'[' * 100000 + b']' * 100000
        server.send_raw(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":' + deep + b'}}\n')
        equal(server.ordered()['error']['code'], -32700)
        equal(server.result('ping'), {})


@test('Q07 a number of 5 000 digits is bounded, not slow')
def long_number():
    with Box() as box:
        server = box.serve()
        server.shake()
        started = time.monotonic()
        server.send_raw(b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":'
                        b'"fake_typed","arguments":{"limit":' + b'9' * 5000 + b'}}}\n')
        answer = server.answer(7)
        check('error' in answer or answer['result']['isError'], answer)
        check(time.monotonic() - started < 1 * Setup.patience, 'too slow')
        equal(box.started(), [])


@test('P07 P34 3 000 lines of rubbish, each survived')
def rubbish():
    chance = random.Random(7)
    seed = line(request('r', 'tools/call', {'name': 'fake_none', 'arguments': {'a': [1, 'é']}}))
    with Box() as box:
        server = box.serve()
        server.shake()
        for i in range(300):
            lines = []
            for _ in range(10):
                text = bytearray(seed)
                for _ in range(chance.randint(1, 6)):
                    at = chance.randrange(len(text) - 1)
                    text[at:at + chance.randint(0, 3)] = chance.choice(
                        [b'', b'"', b'{', b']', b'\\', b'\xff', b'\0', b',', b'9', b'e', b'\\ud8'])
                lines.append(bytes(text).replace(b'\n', b' ') + b'\n')
            server.send_raw(b''.join(lines))
            server.ask('ping', identity=f'p{i}')
            equal(server.answer(f'p{i}')['result'], {})
        equal(box.started(), [])


@test('P46 10 000 requests written before the first answer is read')
def ten_thousand():
    with Box() as box:
        server = box.serve(reading=False)
        server.send_raw(b''.join(line(request(i, 'ping')) for i in range(10000)))
        server.start_reading()
        for i in range(10000):
            equal(server.answer(i, 30)['result'], {})


@test('P46 2 000 calls written at once are all answered')
def thousands_of_calls():
    with Box() as box:
        server = box.serve(reading=False)
        count = 200 if Setup.is_sanitized else 2000
        server.send(request('i', 'initialize', {'protocolVersion': '2025-11-25', 'capabilities': {},
                                                'clientInfo': {'name': 'c', 'version': '1'}}))
        server.send(*[request(i, 'tools/call',
                              {'name': 'fake_args', 'arguments': {'values': [str(i)]}})
                      for i in range(count)])
        server.start_reading()
        for i in range(count):
            equal(value_of(server.answer(i, 60)['result'])['args'], ['--', str(i)])


@test('Q14 a thousand calls one after the other take no longer in the end')
def synchronous_client():
    with Box() as box:
        server = box.serve()
        server.shake()
        times = []
        for i in range(200 if Setup.is_sanitized else 1000):
            if i == 150:
                time.sleep(0.5)     # the situation: a client that pauses now and then
            started = time.monotonic()
            server.call('fake_args', {'values': [str(i)]})
            times.append(time.monotonic() - started)
        first, last = sorted(times[:100])[50], sorted(times[-100:])[50]
        check(last < 5 * first + 0.01, f'median of the first calls {first}, of the last {last}')


@test('Q20 a slow reader gets every queued answer whole after the end of input')
def slow_reader():
    with Box() as box:
        server = box.serve(reading=False)
        count = 40
        server.send(request('i', 'initialize', {'protocolVersion': '2025-11-25', 'capabilities': {},
                                                'clientInfo': {'name': 'c', 'version': '1'}}))
        server.send(*[request(i, 'tools/list') for i in range(count)])
        server.close_input()
        fd = server.process.stdout.fileno()
        poll(lambda: waiting_bytes(fd) >= 65536, 5, 'a full pipe')
        check(server.process.poll() is None, 'it did not wait for its reader')
        server.start_reading()
        equal(server.wait(10), 0, 'exit status')
        server.reader.join()
        for i in range(count):
            check(server.has_answer(i), f'no answer to {i}')


@test('Q20 while too much waits for the reader no further call is started')
def full_queue():
    with Box() as box:
        with open(Setup.surface, encoding='utf-8') as f:
            surface = box.own_surface(f.read().replace('children: 32', 'children: 2'))
        server = box.serve(surfaces=[surface], reading=False)
        server.send(request('i', 'initialize', {'protocolVersion': '2025-11-25', 'capabilities': {},
                                                'clientInfo': {'name': 'c', 'version': '1'}}))
        # Quotes are two bytes each in an answer, and the text part holds them escaped once more.
        count = 25
        server.send(*[request(i, 'tools/call', {'name': 'fake_flood',
                                                'arguments': {'out': 500000, 'text': '"'}})
                      for i in range(count)])
        seen = [0, time.monotonic()]

        def has_settled():
            now = len(box.started())
            if now != seen[0]:
                seen[:] = [now, time.monotonic()]
            return now and time.monotonic() - seen[1] > 0.7 * Setup.patience
        poll(has_settled, 60, 'starts to cease')
        check(seen[0] < count, f'all {count} were started')
        server.start_reading()
        for i in range(count):
            check(not server.answer(i, 60)['result'].get('isError'), f'call {i} failed')
        equal(len(box.started()), count)


@test('P16 no answer passes 10 MiB, whatever a program prints')
def largest_answer():
    with Box() as box:
        server = box.serve()
        server.shake()
        # The worst case of escapes, as large as a result may be.
        result = server.call('fake_flood', {'out': 1000000, 'text': '"\\x5c'})
        check(result['isError'] or len(max(server.raw(), key=len)) < 10 * MIB, 'too long')
        equal(server.result('ping'), {})


@test('P174 standard output that is closed ends the server')
def closed_stdout():
    with Box() as box:
        server = box.serve(reading=False)
        server.process.stdout.close()
        server.send(request(1, 'ping'), request(2, 'ping'))
        server.wait(3, 'exit without a reader')
        server.was_killed = True    # the status is its own affair


@test('P177 a closed standard error is harmless')
def closed_stderr():
    with Box() as box:
        server = box.serve(wrapper=['sh', '-c', 'exec "$0" "$@" 2>&-'])
        server.shake()
        equal(value_of(server.call('fake_args'))['args'], ['--'])
        server.send_raw(b'nonsense\n')
        equal(server.result('ping'), {})


@test('P177 a standard error that nobody reads never blocks')
def full_stderr():
    with Box() as box:
        server = box.serve(stderr=subprocess.PIPE, env=box.env(STILE_LOG='debug'))
        server.shake()
        for _ in range(20):
            server.send_raw(b'nonsense\n' * 500)
        value_of(server.call('fake_args'))
        equal(server.result('ping'), {})
        server.process.stderr.close()


@test('Q15 only protocol on stdout: an empty data directory that is not there yet')
def first_run():
    with Box() as box:
        server = box.serve(surfaces=['git'],
                           env=box.env(STILE_DATA_DIR=os.path.join(box.dir, 'new', 'data')))
        server.shake()
        repo = box.repository()
        check(not server.call('git_status', {'path': repo}).get('isError'), 'failed')


@test('Q15 only protocol on stdout: command lines that are wrong')
def wrong_command_lines():
    with Box() as box:
        for words in (['mcp', 'serve', '--nosuch'], ['mcp', 'serve', '--surface', 'nosuch'],
                      ['mcp', 'serve', '--surface', os.path.join(box.dir, 'none.yaml')],
                      ['mcp', 'serve', '--surface', 'git', '--root', os.path.join(box.dir, 'no')],
                      ['mcp', 'nosuch'], ['mcp', 'serve', '--surface'],
                      ['mcp', 'serve', '--surface', 'git', '--surface', 'git']):
            status, out, err = box.command(*words)
            check(status != 0, words, 'was accepted')
            equal(out, b'', f'standard output of {words}')
            check(err.strip(), words, 'says nothing')


@test('Q15 only protocol on stdout: a data directory that cannot be used')
def unusable_data_directory():
    with Box() as box:
        path = box.write('file', 'x')
        server = box.serve(surfaces=['git'], env=box.env(STILE_DATA_DIR=path))
        repo = box.repository()
        try:
            server.shake()
            check(server.call('git_status', {'path': repo})['isError'], 'ran without a record')
        except (OSError, Exception) as error:
            if server.wait(5, 'exit') == 0:
                raise error
            server.was_killed = True    # it said so and went, which is as good
            check(server.stderr().strip(), 'went without a word')


@test('Q15 P177 only protocol on stdout: a program that is missing')
def missing_program():
    with Box() as box:
        program = box.own_program()
        surface = box.own_surface()
        os.unlink(program)
        server = box.serve(surfaces=[surface], env=box.env(PATH='/usr/bin:/bin'))
        server.shake()
        server.result('tools/list')
        answer = server.answer(server.start('fake_args'))
        check('error' in answer or answer['result']['isError'], answer)
