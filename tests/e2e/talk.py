# SPDX-License-Identifier: MIT
"""Conversations as data: reads NAME.talk files and holds them with the real binary.

A file holds cases, each from its title to the next. Lines of a case:

    # Q07 NaN is a parse error       title; begins the case. Any further `#` line is a comment
    $ --surface git                  words added to `stile mcp serve` (default: the fake surface)
    $ file NAME TEXT                 a file below the root, escapes as below
    era 2025-06-18                   performs the handshake of that revision (legacy), or makes
    era 2026-07-28                   >> add the _meta of every modern request. Without: nothing

    > BYTES                          one raw line, LF added. Escapes: \\xNN \\r \\n \\t \\0 \\\\
    >- BYTES                         the same without LF
    >> ID METHOD [PARAMS]            a request; ID and PARAMS are JSON
    >> METHOD [PARAMS]               a notification
    >call ID TOOL [ARGUMENTS]        a request tools/call

    < PATTERN                        the next line of the server, compared by value
    << ID PATTERN                    … a response with this id and result
    <! ID CODE [~REGEX]              … an error; ID `-`: none, `*`: any or none; REGEX: of its message
    <call ID PATTERN                 … a tool result that is no error, its structured content
    <fail ID CODE [~REGEX]           … a tool result with isError and this code; REGEX: of its text
    <~ … <<~ … <!~ … <call~ …        neighbours with ~ may come in any order
    end                              end of input; whatever comes from here on is still compared

    ! {"kind": "refusal", …}         the ledger has a row with these columns
    ! none                           the ledger has no row of a call or refusal
    runs N                           the fake program was started exactly N times

A PATTERN is JSON. In it "*" stands for any value, "~REGEX" for a string (or the JSON of another
value) in which the regex is found, and a member "..." (whatever its value) or an item "..." at the
end of a list allows any more. `{root}` and `{repo}` in any line stand for the case's folders;
`{repo}` makes a git repository with one commit.

After the last line of a case: end of input, exit status 0, not one line more on standard output,
no process left.
"""

import json
import re

from stile import (MODERN, Box, Failure, Setup, check, code_of, equal, poll, request, text_of,
                   value_of)


class Case:
    def __init__(self, title, place):
        self.title = title
        self.place = place
        self.lines = []


def read(path):
    cases = []
    with open(path, encoding='utf-8') as f:
        fresh = True
        for number, line in enumerate(f, 1):
            line = line.rstrip('\n')
            if line.startswith('# ') and fresh:
                cases.append(Case(line[2:], f'{path}:{number}'))
            elif line and not line.startswith('#') and cases:
                cases[-1].lines.append((number, line))
            fresh = not line or (fresh and line.startswith('#') and not cases)
    return cases


def escaped(text):
    def one(match):
        code = match.group(1)
        if code[0] == 'x':
            return bytes([int(code[1:], 16)])
        return {b'r': b'\r', b'n': b'\n', b't': b'\t', b'0': b'\0', b'\\': b'\\'}[code.encode()]
    parts = re.split(r'(\\(?:x[0-9a-fA-F]{2}|[rnt0\\]))', text)
    return b''.join(one(re.match(r'\\(.*)', part)) if i % 2 else part.encode()
                    for i, part in enumerate(parts))


def matches(pattern, value):
    if isinstance(pattern, str) and pattern == '*':
        return True
    if isinstance(pattern, str) and pattern.startswith('~'):
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return re.search(pattern[1:], text) is not None
    if isinstance(pattern, dict) and isinstance(value, dict):
        names = set(pattern) - {'...'}
        return (names <= set(value) and ('...' in pattern or names == set(value))
                and all(matches(pattern[n], value[n]) for n in names))
    if isinstance(pattern, list) and isinstance(value, list):
        is_open = pattern[-1:] == ['...']
        items = pattern[:-1] if is_open else pattern
        return (len(items) <= len(value) if is_open else len(items) == len(value)) \
            and all(matches(p, v) for p, v in zip(items, value))
    return type(pattern) is type(value) and pattern == value


def first_json(text):
    """(value, rest) of a text that begins with JSON."""
    decoder = json.JSONDecoder()
    value, end = decoder.raw_decode(text)
    return value, text[end:].strip()


class Conversation:
    def __init__(self, box, server_of):
        self.box = box
        self.server_of = server_of
        self.server = None
        self.words = []
        self.era = None
        self.is_over = False
        self.unordered = []
        self.ids = {}

    def open(self):
        if self.server is None:
            self.server = self.server_of(self.words)
        return self.server

    def fill(self, text):
        if '{repo}' in text:
            if not hasattr(self, 'repo'):
                self.repo = self.box.repository()
            text = text.replace('{repo}', self.repo)
        return text.replace('{root}', self.box.root)

    # -- lines that speak

    def say_words(self, rest):
        if rest.startswith('file '):
            _, name, text = rest.split(' ', 2)
            self.box.write(name, escaped(text))
        else:
            check(self.server is None, 'the server has already started')
            self.words += rest.split()

    def say_era(self, rest):
        self.era = rest
        self.open().is_batching = rest == '2025-03-26'
        if rest != MODERN:
            self.open().shake(rest)
            equal(self.open().ordered().get('id'), 1, 'answer to initialize')

    def say_request(self, rest):
        if rest[0] in '"-0123456789':
            identity, rest = first_json(rest)
        else:
            identity = None
        method, _, params = rest.partition(' ')
        self.send(identity, method, json.loads(params) if params else None)

    def say_call(self, rest):
        identity, rest = first_json(rest)
        tool, _, arguments = rest.partition(' ')
        self.send(identity, 'tools/call',
                  {'name': tool, 'arguments': json.loads(arguments) if arguments else {}})

    def send(self, identity, method, params):
        message = request(identity, method, params, {} if self.era == MODERN else None)
        if identity is None:
            del message['id']
        self.open().send(message)

    # -- lines that listen: each is a test of one message

    def hear_line(self, rest):
        pattern = json.loads(rest)
        return lambda m: check(matches(pattern, m), f'got {json.dumps(m)[:1500]}\nwanted {rest}')

    def hear_result(self, rest):
        identity, rest = first_json(rest)
        pattern = {'jsonrpc': '2.0', 'id': identity, 'result': json.loads(rest)}
        return lambda m: check(matches(pattern, m), f'got {json.dumps(m)[:1500]}\nwanted {rest}')

    def hear_error(self, rest):
        has_id = rest[0] not in '-*' or rest[1] != ' '
        is_any = rest.startswith('* ')
        identity, rest = first_json(rest) if has_id else (None, rest[2:])
        code, _, regex = rest.partition(' ~')

        def test(message):
            said = f'got {json.dumps(message)[:1500]}\nwanted error {rest} to {identity!r}'
            check(message.get('error', {}).get('code') == int(code), said)
            check(is_any or ('id' in message) == has_id and matches(identity, message.get('id')),
                  said)
            check(not regex or re.search(regex, message['error']['message']), said)
        return test

    def hear_value(self, rest):
        identity, rest = first_json(rest)
        pattern = json.loads(rest)

        def test(message):
            check('result' in message and matches(identity, message['id']),
                  f'got {json.dumps(message)[:1500]}\nwanted a result to {identity!r}')
            value = value_of(message['result'])
            check(matches(pattern, value), f'got {json.dumps(value)[:1500]}\nwanted {rest}')
        return test

    def hear_failure(self, rest):
        identity, rest = first_json(rest)
        code, _, regex = rest.partition(' ~')

        def test(message):
            said = f'got {json.dumps(message)[:1500]}\nwanted {rest}'
            check('result' in message and matches(identity, message['id']), said)
            equal(code_of(message['result']), code, 'error code')
            check(not regex or re.search(regex, text_of(message['result'])), said)
        return test

    def settle(self):
        """Compares what was collected under ~: any order, each message once."""
        tests, self.unordered = self.unordered, []
        for _ in range(len(tests)):
            message = self.server.ordered()
            for test in tests:
                if is_met(test, message):
                    tests.remove(test)
                    break
            else:
                check(False, f'unexpected {json.dumps(message)[:1500]}')

    def listen(self, test, is_unordered):
        self.open()
        if is_unordered:
            self.unordered.append(test)
            return
        self.settle()
        test(self.server.ordered())

    # -- what must be true afterwards

    def finish(self):
        self.settle()
        if self.server and not self.is_over:
            self.server.end()
        if self.server:
            poll(lambda: self.server.is_eof, 5, 'end of standard output')
            rest = self.server.lines[self.server.taken:]
            check(not rest, 'more came:', [line[:300] for _, line in rest])
        self.is_over = True

    def ledger(self, rest):
        self.finish()
        rows = [r for r in self.box.ledger() if r['kind'] in ('call', 'refusal', 'intent')]
        if rest == 'none':
            check(not rows, 'ledger has', rows)
            return
        wanted = json.loads(rest)
        check(any(matches({**wanted, '...': 0}, row) for row in self.box.ledger()),
              f'no ledger row {rest} in', self.box.ledger())

    def run(self, line):
        word, _, rest = line.partition(' ')
        speak = {'$': self.say_words, 'era': self.say_era, '>>': self.say_request,
                 '>call': self.say_call, '>': lambda t: self.open().send_raw(escaped(t) + b'\n'),
                 '>-': lambda t: self.open().send_raw(escaped(t))}
        hear = {'<': self.hear_line, '<<': self.hear_result, '<!': self.hear_error,
                '<call': self.hear_value, '<fail': self.hear_failure}
        if word in speak:
            if self.unordered:
                self.settle()
            speak[word](rest)
        elif word.rstrip('~') in hear:
            self.listen(hear[word.rstrip('~')](rest), word.endswith('~'))
        elif word == 'end':
            self.settle()
            self.open().close_input()
        elif word == '!':
            self.ledger(rest)
        elif word == 'runs':
            self.finish()
            started = [words for words in self.box.started() if words[:1] != ['--version']]
            equal(len(started), int(rest), 'runs of the fake program')
        else:
            check(False, f'no such line: {line}')


def is_met(test, message):
    try:
        test(message)
    except Failure:
        return False
    return True


def hold(case):
    """Runs one case; raises Failure, with the line at fault, when the product differs."""
    with Box() as box:
        def server_of(words):
            surfaces = [] if '--surface' in words else [Setup.surface]
            return box.serve(*words, surfaces=surfaces)
        talk = Conversation(box, server_of)
        for number, line in case.lines:
            try:
                talk.run(talk.fill(line))
            except Failure as failure:
                raise Failure(f'line {number}: {line}\n{failure}') from None
        talk.finish()
