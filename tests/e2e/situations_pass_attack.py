# SPDX-License-Identifier: MIT
"""Hostile arguments to the pass surface: what a caller writes is never an option, a second word, a
file to read, or half a character. Numbers are those of section 6 of the pass specification."""

import json

from pass_world import READS, Pass, resolved, standin
from situations_pass_errors import calls
from stile import check, code_of, equal, request, test, value_of

WORD = '--output=human\n@/etc/passwd $(id)'
TOO_LONG = 'x' * 16385
UNBOUNDED = ('personalAccessTokenId', 'personalAccessTokenName')   # pass-cli sets no limit


def leaves(value, path=()):
    """The places of texts in a value."""
    if isinstance(value, str):
        return [path]
    inner = value.items() if isinstance(value, dict) else \
        enumerate(value) if isinstance(value, list) else ()
    return [place for key, below in inner for place in leaves(below, (*path, key))]


def put(value, path, text):
    """A copy of the value with a text at the place."""
    if not path:
        return text
    copy = json.loads(json.dumps(value))
    at = copy
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = text
    return copy


def places(box):
    """Each text input of each tool once, within arguments that are otherwise good."""
    seen = set()
    for case in calls():
        arguments = {k: v for k, v in resolved(case.arguments, box).items()
                     if k not in ('confirm', 'output')}
        for path in leaves(arguments):
            name = (case.tool, *(key for key in path if isinstance(key, str)))
            if name not in seen:
                seen.add(name)
                yield name, case.tool, arguments, path


def misplaced(argv, word):
    """The argument that holds the word where pass-cli would not take it for a value."""
    before = argv[:argv.index('--')] if '--' in argv else argv
    for part in before:
        name, _, value = part.partition('=')
        if word in part and not (name.startswith('--') and name[2:].replace('-', '').isalpha()
                                 and word in value):
            return part
    return None


def world():
    box = Pass(fail='CLI_FAILED')
    for name, text in {'in.tpl': '', 'a.env': '', 'b.env': '', 'out': ''}.items():
        box.write(name, text)
    return box


@test('pass 101 what looks like an option or a file, in every text of every tool, is a value')
def words():
    with world() as box:
        server = box.open()
        checked = 0
        for name, tool, arguments, path in places(box):
            box.begin_anew({'fail': 'CLI_FAILED'})
            result = server.call(tool, put(arguments, path, WORD))
            runs = box.runs()
            if not runs:
                equal(code_of(result), 'INVALID_ARGUMENT', name)
                continue
            check(len(runs) == 1 and result.get('isError'), name, result)
            equal(misplaced(runs[0]['argv'], WORD), None, name)
            checked += 1
        check(checked > 100, 'only', checked, 'were run')


@test('pass 97 pass 101 NUL, half a character and endless texts run nothing, in every text input')
def broken():
    with world() as box:
        server = box.open()
        for name, tool, arguments, path in places(box):
            for word in ('a\0b', 'a\ud800b', TOO_LONG):
                if word is TOO_LONG and name[-1] in UNBOUNDED:
                    continue
                identity = server.next_id()
                server.send_raw(json.dumps(request(identity, 'tools/call', {
                    'name': tool, 'arguments': put(arguments, path, word)})).encode() + b'\n')
                result = server.answer(identity)['result']
                equal(code_of(result), 'INVALID_ARGUMENT', (name, word[:9]))
        equal(box.runs(), [], 'started')


@test('pass 101 pass 111 a name of a token that no command line can hold is an error of its own')
def beyond_a_word():
    with world() as box:
        result = box.open().call('delete_personal_access_token', {
            'personalAccessTokenId': 'x' * (1 << 18)})
        check(result.get('isError') and 'xxxx' not in json.dumps(result), str(result)[:300])
        equal(code_of(result), 'INVALID_ARGUMENT')
        equal(box.runs(), [], 'started')


@test('pass 105 what a mask stands for is never written back, by no tool, wherever it stands')
def masked():
    seed = f'otpauth://totp/x?secret={standin.SEEDS[0]}'
    printed = json.dumps({'items': [{'id': 'a', 'uri': seed}]})
    with world() as box:
        server = box.open()
        box.control(print={'item list': printed})
        listed = value_of(server.call('list_items', {'vaultName': 'Work'}))
        mask = listed['items'][0]['uri']
        check(mask.startswith('[masked:totp-seed:'), mask)
        for name, tool, arguments, path in places(box):
            if tool not in READS:
                box.begin_anew({'fail': 'CLI_FAILED'})
                result = server.call(tool, put(arguments, path, f'x{mask}'))
                check(code_of(result) in ('MASKED_CONTENT', 'INVALID_ARGUMENT'), name, result)
                equal(box.runs(), [], name)
        result = server.call('create_note_item', {'title': 't', 'note': mask})
        equal(code_of(result), 'MASKED_CONTENT')
