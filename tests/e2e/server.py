# SPDX-License-Identifier: MIT
"""One `stile mcp serve` under test, and what its messages mean.

Whatever the server writes is checked as it comes: whole lines of one JSON-RPC object each, strict
JSON, one answer a request. Faults are kept and raised when the test ends.
"""

import collections
import json
import os
import re
import subprocess
import threading
import time

from base import SANITIZER, Failure, Setup, check, deadline, equal

MODERN = '2026-07-28'
META = 'io.modelcontextprotocol/'


def strict(text):
    def pairs(items):
        keys = [key for key, _ in items]
        check(len(set(keys)) == len(keys), 'duplicate key in an answer')
        return dict(items)

    def constant(name):
        raise Failure(f'{name} in an answer')
    return json.loads(text, object_pairs_hook=pairs, parse_constant=constant)


def message_fault(line):
    """(message, None) for a line that keeps the protocol, else (None, what is wrong)."""
    try:
        message = strict(line.decode('utf-8'))
    except (ValueError, Failure) as error:
        return None, f'stdout line is no JSON ({error}): {line[:200]!r}'
    if not isinstance(message, dict) or message.get('jsonrpc') != '2.0':
        return None, f'stdout line is no JSON-RPC object: {line[:200]!r}'
    allowed = {'jsonrpc', 'id', 'method', 'params', 'result', 'error'}
    if set(message) - allowed:
        return None, f'stray members on stdout: {line[:200]!r}'
    if 'method' not in message:
        if ('result' in message) == ('error' in message):
            return None, f'neither one of result and error: {line[:200]!r}'
        if 'error' in message and not (type(message['error'].get('code')) is int
                                       and isinstance(message['error'].get('message'), str)):
            return None, f'malformed error: {line[:200]!r}'
    if line.startswith(b' ') or line.endswith((b' ', b'\r')) or len(line) > 10 * 1024 * 1024:
        return None, f'stray space, or too long: {line[:60]!r}'
    return message, None


def key_of(identity):
    return (type(identity).__name__, identity)


class Server:
    """One `stile mcp serve`. Arguments are added to its command line; `surfaces` are files or
    names, the trusted fake surface by default."""

    def __init__(self, box, *args, surfaces=None, env=None, cwd=None, reading=True, stderr=None,
                 stdin=subprocess.PIPE, wrapper=(), roots=True, close_fds=True):
        self.box = box
        self.faults = []
        self.lines = []         # everything that came, as (message, raw line), in order
        self.taken = 0          # of ordered()
        self.answers = {}
        self.tail = b''
        self.changed = threading.Condition()
        self.is_eof = False
        self.is_batching = False
        self.asked = collections.Counter()
        self.answered = collections.Counter()
        self.sent = 0
        self.was_killed = False
        self.stderr_path = os.path.join(box.dir, f'stderr{len(box.servers)}')
        command = [*wrapper, Setup.binary, 'mcp', 'serve']
        for surface in [Setup.surface] if surfaces is None else surfaces:
            command += ['--surface', surface]
        if roots:
            command += ['--root', box.root]
        with open(self.stderr_path, 'wb') as err:
            self.process = subprocess.Popen(
                [*command, *args], env=env or box.env(), cwd=cwd or box.root, stdin=stdin,
                stdout=subprocess.PIPE, stderr=err if stderr is None else stderr, bufsize=0,
                close_fds=close_fds)
        self.pid = self.process.pid
        self.reader = None
        if reading:
            self.start_reading()

    # -- what it says

    def start_reading(self):
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        fd = self.process.stdout.fileno()
        while True:
            try:
                data = os.read(fd, 1 << 18)
            except OSError:
                data = b''
            with self.changed:
                if not data:
                    if self.tail:
                        self.faults.append(f'stdout ends within a line: {self.tail[:200]!r}')
                    self.is_eof = True
                    self.changed.notify_all()
                    return
                if b'\n' in data:
                    *lines, self.tail = (self.tail + data).split(b'\n')
                    for line in lines:
                        self._take(line)
                    self.changed.notify_all()
                else:
                    self.tail += data

    def _take(self, line):
        if self.is_batching and line.startswith(b'['):
            for item in strict(line.decode()):
                message, fault = message_fault(json.dumps(item).encode())
                if fault:
                    self.faults.append(fault)
            self.lines.append((strict(line.decode()), line))
            return
        message, fault = message_fault(line)
        if fault:
            self.faults.append(fault)
            return
        self.lines.append((message, line))
        if 'method' not in message and 'id' in message:
            self.answered[key_of(message['id'])] += 1
            self.answers.setdefault(key_of(message['id']), []).append(message)

    def _wait(self, question, seconds, what):
        end = deadline(seconds)
        with self.changed:
            while True:
                answer = question()
                if answer is not None:
                    return answer
                left = end - time.monotonic()
                if self.is_eof or left <= 0:
                    raise Failure(f'{what}: {"the server ended" if self.is_eof else "not"} within '
                                  f'{seconds} s; stderr: {self.stderr()[-600:]}')
                self.changed.wait(left)

    def answer(self, identity, seconds=10):
        """Waits for the answer to a request and returns the whole response."""
        key = key_of(identity)
        return self._wait(lambda: self.answers[key].pop(0) if self.answers.get(key) else None,
                          seconds, f'no answer to {identity!r}')

    def has_answer(self, identity):
        with self.changed:
            return bool(self.answers.get(key_of(identity)))

    def note(self, method, seconds=10, where=lambda params: True):
        """Waits for a notification (or a request of the server's) and returns its params."""
        def find():
            for message, _ in self.lines:
                if isinstance(message, dict) and message.get('method') == method \
                        and where(message.get('params', {})):
                    return message
            return None
        return self._wait(find, seconds, f'no {method}')

    def notes(self, method=None):
        with self.changed:
            return [m for m, _ in self.lines if isinstance(m, dict) and 'method' in m
                    and method in (None, m['method'])]

    def ordered(self, seconds=10):
        """The next message in the order of arrival."""
        def next_line():
            if self.taken < len(self.lines):
                self.taken += 1
                return self.lines[self.taken - 1][0]
            return None
        return self._wait(next_line, seconds, 'no further message')

    def raw(self):
        with self.changed:
            return [line for _, line in self.lines]

    def stderr(self):
        with open(self.stderr_path, 'rb') as f:
            return f.read().decode('utf-8', 'replace')

    # -- what it is told

    def send_raw(self, data):
        view = memoryview(data)
        while view:
            view = view[os.write(self.process.stdin.fileno(), view):]

    def send(self, *messages):
        self.send_raw(b''.join(json.dumps(m, ensure_ascii=False).encode() + b'\n'
                               for m in messages))

    def next_id(self):
        self.sent += 1
        return self.sent

    def ask(self, method, params=None, identity=None, modern=None):
        """Sends a request and returns its id. modern: client capabilities."""
        identity = self.next_id() if identity is None else identity
        self.asked[key_of(identity)] += 1
        self.send(request(identity, method, params, modern))
        return identity

    def result(self, method, params=None, modern=None, seconds=10):
        response = self.answer(self.ask(method, params, modern=modern), seconds)
        check('result' in response, f'{method}: {response}')
        return response['result']

    def error(self, method, params=None, modern=None, seconds=10):
        response = self.answer(self.ask(method, params, modern=modern), seconds)
        check('error' in response, f'{method} was answered: {str(response)[:300]}')
        return response['error']

    def call(self, tool, arguments=None, modern=None, seconds=20, **meta):
        """Calls a tool and returns its result, `isError` or not."""
        return self.answer(self.start(tool, arguments, modern, **meta), seconds)['result']

    def start(self, tool, arguments=None, modern=None, token=None, identity=None):
        params = {'name': tool, 'arguments': arguments or {}}
        if token is not None:
            params['_meta'] = {'progressToken': token}
        return self.ask('tools/call', params, identity, modern)

    def notify(self, method, params=None):
        self.send({'jsonrpc': '2.0', 'method': method, 'params': params or {}})

    def cancel(self, identity):
        self.notify('notifications/cancelled', {'requestId': identity})

    def shake(self, version='2025-11-25', capabilities=None):
        """The legacy handshake; returns the result of initialize."""
        response = self.result('initialize', {
            'protocolVersion': version, 'capabilities': capabilities or {},
            'clientInfo': {'name': 'e2e', 'version': '1'}})
        equal(response['protocolVersion'], version, 'negotiated version')
        self.notify('notifications/initialized')
        return response

    # -- its end

    def close_input(self):
        if self.process.stdin and not self.process.stdin.closed:
            try:
                self.process.stdin.close()
            except OSError:
                pass

    def wait(self, seconds=5, what='exit'):
        try:
            return self.process.wait(timeout=seconds * Setup.patience)
        except subprocess.TimeoutExpired:
            raise Failure(f'no {what} within {seconds} s') from None

    def end(self, seconds=5, status=0):
        """End of input; the server must go, in time and with this status."""
        started = time.monotonic()
        self.close_input()
        equal(self.wait(seconds, 'exit at end of input'), status, 'exit status')
        return time.monotonic() - started

    def kill(self):
        self.was_killed = True
        self.process.kill()
        self.process.wait()

    def finish(self):
        """For the box: ends the server if the test did not; returns the faults."""
        self.close_input()
        try:
            self.wait(12)
        except Failure as fault:
            self.faults.append(str(fault))
            self.process.kill()
            self.process.wait()
        if self.reader:
            self.reader.join(10)
        elif not self.process.stdout.closed:
            self.process.stdout.close()
        if self.process.returncode < 0 and not self.was_killed:
            self.faults.append(f'ended by signal {-self.process.returncode}: '
                               f'{self.stderr()[-800:]}')
        if SANITIZER.search(self.stderr().encode()):
            self.faults.append(self.stderr()[-4000:])
        for key, times in self.asked.items():
            if self.answered[key] > times:
                self.faults.append(f'{self.answered[key]} answers to {times} requests {key}')
        return self.faults


def request(identity, method, params=None, modern=None):
    """A request; with modern (client capabilities) one of the stateless era."""
    message = {'jsonrpc': '2.0', 'id': identity, 'method': method}
    if modern is not None:
        params = dict(params or {})
        params['_meta'] = {META + 'protocolVersion': MODERN, META + 'clientCapabilities': modern,
                           META + 'clientInfo': {'name': 'e2e', 'version': '1'},
                           **params.get('_meta', {})}
    if params is not None:
        message['params'] = params
    return message


def text_of(result):
    """The text of a tool result, all parts together."""
    return '\n'.join(part['text'] for part in result['content'] if part['type'] == 'text')


def code_of(result):
    """The error code of a tool result that is an error."""
    check(result.get('isError') is True, f'not an error: {str(result)[:300]}')
    structured = result.get('structuredContent') or {}
    code = structured.get('error_code')
    if code is None:
        match = re.match(r'\[(\w+)\]', text_of(result))
        code = match.group(1) if match else None
    check(code, f'no code in {str(result)[:300]}')
    return code


def value_of(result):
    """The structured content of a successful result; the text part must say the same."""
    check(not result.get('isError'), f'an error: {text_of(result)[:600]}')
    if 'structuredContent' not in result:
        return json.loads(text_of(result))
    equal(json.loads(text_of(result)), result['structuredContent'], 'text part')
    return result['structuredContent']
