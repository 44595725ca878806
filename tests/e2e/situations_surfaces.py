# SPDX-License-Identifier: MIT
"""Situations around surfaces: what is listed, what the check refuses, trust, roots, links."""

import json
import os
import re
import subprocess

from stile import (Box, Setup, at_terminal, check, code_of, environment, equal, last_four, poll,
                   test, value_of)

BASE = '''stile: 1
surface: bad
program: { run: fake, output: json }
tools:
- name: NAME
  description: A tool.
  effect: read
  INPUT
  argv: ARGV
'''


def check_file(box, text):
    """`stile surface check` of a text: (is accepted, everything it said)."""
    path = box.write('bad.yaml', text)
    status, out, err = box.command('surface', 'check', path)
    return status == 0, (out + err).decode()


def refused(*places, name='bad_tool', input='', argv='[args]'):
    """The check refuses the file and says where: the line, and each of places."""
    with Box() as box:
        good, said = check_file(box, BASE.replace('NAME', 'good_tool').replace('  INPUT\n', '')
                                .replace('ARGV', '[args]'))
        check(good, 'the plain file is refused:', said)
        text = BASE.replace('NAME', name).replace('INPUT', input or 'files: none') \
            .replace('ARGV', argv)
        good, said = check_file(box, text)
        check(not good, 'accepted:', text)
        check(re.search(r'line \d+|:\d+:', said), 'no line in', said)
        for place in places:
            check(re.search(place, said, re.IGNORECASE), f'no {place} in', said)


# ---- what is listed ----

def lint(tools):
    """Rules R1, R2, R4 and R13 of everything we send."""
    folded = set()
    for tool in tools:
        name = tool['name']
        check(re.fullmatch(r'[a-z][a-z0-9_]{0,39}', name), 'name', name)
        check(name.replace('_', '') not in folded, 'names fall together:', name)
        folded.add(name.replace('_', ''))
        check(0 < len(tool['description'].encode()) < 1024, 'description of', name)
        check(not re.search(r'[\x00-\x08\x0b-\x1f\u200b-\u200f\u2028-\u202e]', tool['description']),
              'invisible characters in', name)
        schema = tool['inputSchema']
        equal(schema['type'], 'object', name)
        equal(schema['additionalProperties'], False, name)
        equal(sorted(set(schema) - {'type', 'properties', 'required', 'additionalProperties'}), [],
              f'keys at the root of {name}')
        check('$ref' not in json.dumps(tool) and '"x-' not in json.dumps(tool), 'marks in', name)
        lint_properties(name, schema['properties'])
        hints = tool['annotations']
        for hint in ('readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'):
            check(isinstance(hints[hint], bool), hint, 'of', name)
        if 'outputSchema' in tool:
            equal(tool['outputSchema']['type'], 'object', name)


def lint_properties(name, properties):
    for key, schema in properties.items():
        place = f'{name}.{key}'
        check('enum' in schema or isinstance(schema.get('type'), str), 'no type:', place)
        check(schema.get('description'), 'no description:', place)
        if schema.get('type') == 'array':
            check(isinstance(schema.get('items'), dict), 'no items:', place)
        lint_properties(place, schema.get('properties', {}))


@test('Q54 Q55 Q56 Q57 P70 P71 every listed tool keeps to what all clients accept')
def listed_tools():
    with Box() as box:
        server = box.serve(surfaces=[Setup.surface, 'git'])
        server.shake()
        result = server.result('tools/list')
        equal(sorted(result), ['tools'], 'members')
        names = [tool['name'] for tool in result['tools']]
        check(names.index('fake_args') < names.index('git_status'), 'not in launch order')
        check('fake_exec' not in names, 'a tool that runs anything is listed')
        lint(result['tools'])
        by_name = {tool['name']: tool for tool in result['tools']}
        equal(by_name['fake_args']['annotations']['readOnlyHint'], True)
        equal(by_name['fake_write']['annotations']['readOnlyHint'], False)
        equal(by_name['fake_env']['inputSchema']['properties'], {})


@test('P72 R11 the list is the same bytes in every process')
def same_bytes():
    with Box() as box:
        lists = set()
        for _ in range(3):
            server = box.serve(surfaces=['git', Setup.surface])
            server.ask('tools/list', identity='l', modern={})
            server.answer('l')
            lists.add(server.raw()[-1])
        equal(len(lists), 1, 'different lists')


@test('P119 P124 the list does not depend on who asks')
def same_for_everybody():
    with Box() as box:
        server = box.serve()
        asked = [server.result('tools/list', modern=c)['tools']
                 for c in ({}, {'elicitation': {}}, {'roots': {}, 'sampling': {}})]
        server.shake('2025-06-18')
        server.call('fake_args')
        asked.append(server.result('tools/list', modern={})['tools'])
        check(all(a == asked[0] for a in asked), 'the lists differ')


@test('P152 members of later revisions are not sent to earlier clients')
def members_by_revision():
    with Box() as box:
        for version, members in (
                ('2024-11-05', {'name', 'description', 'inputSchema'}),
                ('2025-03-26', {'name', 'description', 'inputSchema', 'annotations'}),
                ('2025-06-18', {'name', 'description', 'inputSchema', 'annotations', 'title',
                                'outputSchema'})):
            server = box.serve(surfaces=['git', Setup.surface])
            server.shake(version)
            for tool in server.result('tools/list')['tools']:
                check(set(tool) <= members, version, tool['name'], set(tool) - members)


@test('Q33 Q06 refs carry large integers as strings, because clients round numbers')
def large_ids():
    with Box() as box:
        with open(Setup.surface) as f:
            text = f.read().replace(
                "argv: [items, '{count}']\n  result: { as: item",
                "argv: [say, '--out=[{{\"id\":9007199254740993}]', '--sleep={count}']\n"
                "  result: { as: item", 1)
        server = box.serve(surfaces=[box.own_surface(text)])
        server.shake()
        item = value_of(server.call('fake_items', {'count': 0}))['items'][0]
        equal(item['id'], '9007199254740993')


# ---- what the check refuses ----

@test('Q54 combinators at the root of an input are refused with their place')
def root_combinator():
    for word in ('oneOf', 'anyOf', 'allOf', 'not'):
        refused(word, input='input: { properties: {}, %s: [] }' % word)


@test('Q55 references in a schema are refused with their place')
def references():
    for ref in ("'#/properties/a'", "'#'", "'https://example.com/s.json'", "'#/nosuch'"):
        refused(r'\$ref', argv="[args, --, '{a}']",
                input='input: { properties: { a: { $ref: %s, description: d } } }' % ref)


@test('Q56 an array without items, a property without type, an open object are refused')
def loose_schemas():
    for schema, place in (('{ type: array, description: d }', 'items'),
                          ('{ description: d }', 'type'),
                          ('{ type: [string, integer], description: d }', 'type'),
                          ('{ type: string }', 'description'),
                          ('{ type: string, description: d, format: email }', 'format')):
        refused(place, argv="[args, --, '{a}']",
                input='input: { properties: { a: %s } }' % schema)


@test('Q57 names that clients refuse are refused with the rule')
def odd_names():
    for name in ("'a b'", 'a.b', 'a/b', 'größe', '1st', 'x' * 65, 'A_b', "''"):
        refused('name', name=name)


@test('Q57 two names that fall together are refused')
def colliding_names():
    with Box() as box:
        text = BASE.replace('NAME', 'one').replace('  INPUT\n', '').replace('ARGV', '[args]')
        text += '- { name: one, description: d, effect: read, argv: [x] }\n'
        good, said = check_file(box, text)
        check(not good and 'one' in said, said)


@test('Q05 a duplicate key in a surface file is an error with its line')
def duplicate_key():
    with Box() as box:
        text = BASE.replace('  INPUT\n', '').replace('NAME', 'a').replace('ARGV', '[args]')
        good, said = check_file(box, text.replace('surface: bad', 'surface: bad\nsurface: good'))
        check(not good, 'accepted')
        check(re.search(r'^3:1: error: ', said, re.M), said)


@test('Q39 Q41 a surface that would let a value be an option is refused')
def unsafe_words():
    string = 'input: { properties: { a: { type: string, description: d } } }'
    for argv in ("[args, '{a}']", "['{a}']", "[args, '-n{a}']", "[args, '{a}=x']",
                 "[args, --flag, '{a}']", "[args, --, '{a}', --more]"):
        refused('argv', input=string, argv=argv)
    refused('argv', argv="[args, { each: a, words: '{}' }]",
            input='input: { properties: { a: { type: array, items: { type: string },'
                  ' description: d } } }')


@test('Q53 an unknown key in a surface file, and an unknown option of ours, are refused by name')
def unknown_words():
    refused('exampels', input='exampels: []')
    with Box() as box:
        status, out, err = box.command('mcp', 'serve', '--surface', 'git', '--read-only')
        check(status == 2 and b'--read-only' in err and out == b'', status, err)
        for words in (('surface', 'list', '--read-only', '--json'), ('surface', 'check', '--json'),
                      ('surface', 'list', '--json', 'extra'), ('call', 'x', '--json')):
            status, out, err = box.command(*words)
            envelope = json.loads(out)
            equal((status, envelope['status'], envelope['error']['code']), (2, 'failed', 'USAGE'))
        status, out, err = box.command('surface', 'lst')
        check(status == 2 and b'surface lst' in err and b'mean stile surface list?' in err, err)
        equal(out, b'')
        for words, known in ((('nope',), ''), 
                             (('surface', 'nope', '/x'), 'surface '), (('vault', 'file', 'gett'), 'vault file ')):
            status, out, err = box.command(*words, '--json')
            equal((status, json.loads(out)['error']['code']), (2, 'USAGE'))
            check(f'no command "{known}{words[len(known.split())]}"'.encode() in err, err)


@test('an answer that cannot be written is an error; a reader that is gone is none')
def lost_answer():
    with Box() as box:
        for words in (['surface', 'list'], ['surface', 'list', '--json'], ['surface', 'schema'], ['--help'],
                      ['surface', '--help'], ['surface', 'list', '--help'], ['--version']):
            with open('/dev/full', 'wb') as full:
                done = subprocess.run([Setup.binary, *words], env=box.env(), stdout=full,
                                      stderr=subprocess.PIPE, check=False)
            check(done.returncode == 1 and b'No space left' in done.stderr, words, done)
            reading, writing = os.pipe()
            os.close(reading)
            done = subprocess.run([Setup.binary, *words], env=box.env(), stdout=writing,
                                  stderr=subprocess.PIPE, check=False)
            os.close(writing)
            equal((done.returncode, done.stderr), (0, b''), words)


@test('Q53 a surface that no server serves cannot be allowed anything; the environment may name others')
def unknown_allowed():
    with Box() as box:
        for option in ('--allow-write', '--allow-noninteractive-write', '--allow-exec',
                       '--allow-version-drift'):
            status, out, err = box.command('mcp', 'serve', '--surface', 'git', option, 'gti')
            check(status == 2 and b'gti' in err and option.encode() in err and out == b'', err)
        status, out, err = box.command('call', 'git_log', '--surface', 'git', '--allow-write', 'x')
        check(status == 2 and out == b'' and not box.ledger(), status, err)
        server = box.serve(env=box.env(STILE_ALLOW_WRITE='pass, fake'))
        server.shake()
        equal(code_of(server.call('fake_write', {'note': 'x'})), 'WRITE_CONFIRMATION_UNAVAILABLE')


# ---- trust ----

@test('P83 a changed surface file withdraws its tools at once, and trust brings them back')
def list_changed_legacy():
    with Box() as box:
        path = box.own_surface()
        server = box.serve(surfaces=[path])
        server.shake()
        before = server.result('tools/list')['tools']
        with open(path, 'a') as f:
            f.write('- { name: fake_new, description: New., effect: read, argv: [args, new] }\n')
        server.note('notifications/tools/list_changed')
        equal(server.result('tools/list')['tools'], [], 'tools of an untrusted file')
        equal(server.error('tools/call', {'name': 'fake_args'})['code'], -32602)
        equal(box.started(), [], 'runs')
        box.trust(path)
        poll(lambda: len(server.notes('notifications/tools/list_changed')) == 2, 10,
             'a second note')
        after = [tool['name'] for tool in server.result('tools/list')['tools']]
        equal(after, [tool['name'] for tool in before] + ['fake_new'])
        equal(value_of(server.call('fake_new')), {'args': ['new']})


@test('surface list: what is trusted is shown wherever it lies, with what became of it')
def trusted_elsewhere():
    with Box() as box:
        def listed():
            status, out, err = box.command('surface', 'list', '--json')
            equal(status, 0, err)
            return [(row['name'], row['status']) for row in json.loads(out)['result']['surfaces']
                    if row['path'] == path]
        path = box.own_surface()
        inside = os.path.join(box.data, 'surfaces')
        check(not path.startswith(inside), path)
        equal(listed(), [('fake', 'trusted')])
        with open(path, 'a') as f:
            f.write('# more\n')
        equal(listed(), [('fake', 'not trusted')])
        with open(path, 'w') as f:
            f.write('}')
        equal(listed(), [('fake', 'malformed')])
        os.unlink(path)
        equal(listed(), [('fake', 'gone')])


@test('P143 P144 P146 changes go to the streams that asked, tagged, and to nobody else')
def list_changed_modern():
    with Box() as box:
        path = box.own_surface()
        server = box.serve(surfaces=[path])
        wanted = {'notifications': {'toolsListChanged': True}}
        server.ask('subscriptions/listen', wanted, 'one', {})
        server.ask('subscriptions/listen', wanted, 2, {})
        server.ask('subscriptions/listen', {'notifications': {'toolsListChanged': False}}, 'no', {})
        poll(lambda: len(server.notes('notifications/subscriptions/acknowledged')) == 3, 5, 'acks')
        os.utime(path)      # no change of content, so none of the list
        with open(path, 'a') as f:
            f.write('# more\n')
        poll(lambda: len(server.notes('notifications/tools/list_changed')) >= 2, 10, 'two notes')
        equal(server.result('tools/list', modern={})['tools'], [])
        tags = [m['params']['_meta']['io.modelcontextprotocol/subscriptionId']
                for m in server.notes('notifications/tools/list_changed')]
        equal(sorted(map(str, tags)), ['2', 'one'])
        check(2 in tags, 'the id lost its type')


@test('P83 P101 a changed surface file withdraws its resources at once, and trust brings them back')
def resources_changed():
    with Box() as box:
        path = box.own_surface()
        server = box.serve(surfaces=[path])
        server.shake()
        before = server.result('resources/list')['resources']
        read = {'uri': 'fake://constant'}
        check(server.result('resources/read', read)['contents'])
        with open(path, 'a') as f:
            f.write('# more\n')
        server.note('notifications/resources/list_changed')
        equal(server.result('resources/list'), {'resources': []}, 'resources of an untrusted file')
        equal(server.result('resources/templates/list'), {'resourceTemplates': []}, 'templates')
        equal(server.error('resources/read', read)['code'], -32002)
        equal(server.error('resources/read', {'uri': 'fake://items'})['code'], -32002)
        equal(box.started(), [], 'runs')
        box.trust(path)
        poll(lambda: len(server.notes('notifications/resources/list_changed')) == 2, 10,
             'a second note')
        equal(server.result('resources/list')['resources'], before)
        check(server.result('resources/read', read)['contents'])


@test('Q15 an untrusted surface has no resources, and no session is told of any')
def untrusted_resources():
    with Box() as box:
        with open(Setup.surface) as f:
            path = box.write('own.yaml', f.read())
        server = box.serve(surfaces=['git', path])
        server.shake()
        equal(server.error('resources/list')['code'], -32601)
        equal(server.error('resources/read', {'uri': 'fake://constant'})['code'], -32601)
        equal(server.error('resources/read', {'uri': 'fake://constant'}, modern={})['code'], -32601)
        equal(box.started(), [], 'runs')


@test('Q70 no resource is read without its record, static ones included')
def resources_without_ledger():
    with Box() as box:
        os.mkdir(os.path.join(box.data, 'ledger.db'))
        server = box.serve()
        server.shake()
        server.result('resources/list')
        for uri in ('fake://constant', 'fake://items'):
            error = server.error('resources/read', {'uri': uri})
            equal((error['code'], error['data']['error_code']), (-32603, 'LEDGER_UNAVAILABLE'), uri)
        equal(box.started(), [], 'runs')


@test('P144 two surfaces that name one resource are refused')
def resources_collide():
    with Box() as box:
        text = """stile: 1
surface: NAME
program: { run: fake, output: json }
tools:
- { name: NAME_args, description: Arguments., effect: read, argv: [args] }
resources:
- { uri: 'x://a b/{var}', name: a, tool: NAME_word, with: { word: '{var}' } }
""".replace('argv: [args] }', """argv: [args] }
- name: NAME_word
  description: A word.
  effect: read
  input: { properties: { word: { type: string, description: W. } }, required: [word] }
  argv: [args, --, '{word}']""")
        one = box.own_surface(text.replace('NAME', 'one'), 'one.yaml')
        two = box.own_surface(text.replace('NAME', 'two').replace('a b', 'a%20b'), 'two.yaml')
        status, out, err = box.command('mcp', 'serve', '--surface', one, '--surface', two)
        check(status != 0 and b'both have a resource' in err and out == b'', status, err)


@test('P144 nothing unsolicited without a stream, and nothing before initialized')
def no_unsolicited_notes():
    with Box() as box:
        path = box.own_surface()
        server = box.serve(surfaces=[path])
        server.result('tools/list', modern={})
        with open(path, 'a') as f:
            f.write('# more\n')
        poll(lambda: not server.result('tools/list', modern={})['tools'], 10, 'withdrawn tools')
        equal(server.notes(), [])


@test('Q15 a surface that nobody trusted is served without tools and says so on stderr')
def untrusted():
    with Box() as box:
        with open(Setup.surface) as f:
            path = box.write('stranger.yaml', f.read())
        server = box.serve(surfaces=[path])
        server.shake()
        equal(server.result('tools/list')['tools'], [])
        equal(server.error('tools/call', {'name': 'fake_args'})['code'], -32602)
        equal(box.started(), [])
        check('trust' in server.stderr(), 'not a word of it:', server.stderr())


@test('Q15 trust is not given without the right answer at a terminal')
def no_trust():
    with Box() as box:
        with open(Setup.surface) as f:
            path = box.write('stranger.yaml', f.read())
        env = environment(STILE_DATA_DIR=box.data, PATH=box.env()['PATH'])
        words = [Setup.binary, 'surface', 'trust', path]
        with open(os.path.join(box.data, 'trust.yaml')) as f:
            before = f.read()
        status, text = at_terminal(words, env, lambda t: 'yes' if last_four(t) else None)
        check(status != 0, 'trusted by the wrong word:', text)
        equal([(r['kind'], r['caller'], r['surface'], r['code'], r['detail']) for r in box.ledger()
               if r['kind'] != 'checkpoint'],
              [('trust', 'cli', 'fake', 'WRITE_DECLINED', 'declined')], 'ledger')
        status, out, err = box.command('surface', 'trust', path, stdin=b'yes\n')
        check(status != 0, 'trusted without a terminal')
        status, out, err = box.command('surface', 'trust', '--yes', path)
        check(status != 0, 'there is a --yes')
        with open(os.path.join(box.data, 'trust.yaml')) as f:
            equal(f.read(), before, 'trust.yaml')


@test('Q15 a yes is in the ledger before it counts, and one that cannot be recorded trusts nothing')
def recorded_trust():
    with Box() as box:
        with open(Setup.surface) as f:
            path = box.write('own.yaml', f.read())
        trust_path = os.path.join(box.data, 'trust.yaml')
        os.unlink(trust_path)
        os.mkdir(os.path.join(box.data, 'ledger.db'))
        status, text = at_terminal([Setup.binary, 'surface', 'trust', path], box.env(), last_four)
        check(status != 0 and 'fake is not trusted' in text, status, text)
        check(not os.path.exists(trust_path), 'trusted without a record')
        os.rmdir(os.path.join(box.data, 'ledger.db'))
        box.trust(path)
        rows = box.ledger()
        equal([(r['kind'], r['surface'], r['code'], r['detail']) for r in rows],
              [('trust', 'fake', None, 'trusted'), ('checkpoint', None, None, None)], 'ledger')
        with open(trust_path) as f:
            check(rows[0]['surface_digest'].hex() in f.read(), 'another digest was recorded')


# ---- roots and links ----

def file_call(box, path, **options):
    server = box.serve(**options)
    server.shake()
    return server.call('fake_file', {'path': path})


@test('Q44 a link out of the root is refused, a chain of links too, one that stays inside works')
def links():
    with Box() as box:
        outside = os.path.join(box.dir, 'secret')
        os.mkdir(outside)
        with open(os.path.join(outside, 'file'), 'w') as f:
            f.write('secret')
        box.write('in/file', 'inside')
        for name, target in (('out', outside), ('chain', 'out'), ('up', '..'),
                             ('direct', os.path.join(outside, 'file')), ('loop', 'loop'),
                             ('inner', 'in')):
            os.symlink(target, os.path.join(box.root, name))
        server = box.serve()
        server.shake()
        for path in ('out/file', 'chain/file', 'up/secret/file', 'direct', 'loop', 'loop/x'):
            equal(code_of(server.call('fake_file', {'path': path})), 'INVALID_ARGUMENT', path)
        equal(box.started(), [])
        equal(value_of(server.call('fake_file', {'path': 'inner/file'})),
              {'path': os.path.join(box.root, 'in', 'file'), 'content': 'inside'})


@test('Q45 a file that is not there yet below a link that leads out is refused')
def new_file_below_link():
    with Box() as box:
        os.symlink('/etc', os.path.join(box.root, 'link'))
        server = box.serve()
        server.shake()
        equal(code_of(server.call('fake_file', {'path': 'link/new.txt'})), 'INVALID_ARGUMENT')
        equal(code_of(server.call('fake_file', {'path': 'link/a/b/new.txt'})), 'INVALID_ARGUMENT')
        equal(box.started(), [])


@test('Q46 the data directory is refused even below a root')
def data_directory():
    with Box() as box:
        server = box.serve('--root', box.dir, roots=False)
        server.shake()
        for path in ('data/trust.yaml', 'data', os.path.join(box.data, 'ledger.db')):
            equal(code_of(server.call('fake_file', {'path': path})), 'INVALID_ARGUMENT', path)
        equal(box.started(), [])


@test('Q46 client configuration is refused even below a root, there or not')
def client_configuration():
    with Box() as box:
        box.write('.mcp.json', '{}')
        box.write('.claude/settings.json', '{}')
        os.symlink(os.path.join(box.root, '.mcp.json'), os.path.join(box.root, 'link'))
        server = box.serve()
        server.shake()
        for path in ('.mcp.json', '.claude/settings.json', '.claude', '.vscode/mcp.json', 'link'):
            equal(code_of(server.call('fake_file', {'path': path})), 'INVALID_ARGUMENT', path)
        equal(box.started(), [])


@test('Q46 processes and devices are no root, and below the root of all they are refused')
def kernel_folders():
    with Box() as box:
        for root in ('/proc', '/proc/self', '/sys', '/dev'):
            status, _, err = box.command('mcp', 'serve', '--surface', 'git', '--root', root)
            equal(status, 2, root)
            check(root.encode() in err, err)
        server = box.serve('--root', '/', roots=False)
        server.shake()
        for path in ('/proc/self/environ', '/proc', '/sys/kernel', '/dev/mem', '/dev/stdin'):
            equal(code_of(server.call('fake_file', {'path': path})), 'INVALID_ARGUMENT', path)
        equal(box.started(), [])
        path = box.write('a.txt', 'mine')
        equal(value_of(server.call('fake_file', {'path': path}))['content'], 'mine')


@test('Q46 several roots: each is a root, the gap between them is not')
def several_roots():
    with Box() as box:
        for name in ('a/f', 'b/f', 'c/f', 'ab/f'):
            box.write(name, name)
        server = box.serve('--root', os.path.join(box.root, 'a'), '--root',
                           os.path.join(box.root, 'b'), roots=False)
        server.shake()
        for name in ('a/f', 'b/f'):
            equal(value_of(server.call('fake_file', {'path': os.path.join(box.root, name)}))
                  ['content'], name)
        for name in ('c/f', 'ab/f'):
            equal(code_of(server.call('fake_file', {'path': os.path.join(box.root, name)})),
                  'INVALID_ARGUMENT', name)


# ---- the same from the command line ----

@test('a typed call and a tool call are the same event')
def typed_call():
    with Box() as box:
        status, out, err = box.command('call', 'fake_args', '{"values":["x"]}', '--surface',
                                       Setup.surface, '--root', box.root, '--json')
        equal(status, 0, err.decode())
        check({'args': ['--', 'x']} in json.loads(out).values(), out)
        status, out, err = box.command('call', 'fake_typed', '{"limit":"5"}', '--surface',
                                       Setup.surface, '--json')
        equal(status, 2, err.decode())
        equal(json.loads(out)['error']['code'], 'INVALID_ARGUMENT')
        rows = [(r['kind'], r['caller'], r['tool'], r['code']) for r in box.ledger()
                if r['kind'] != 'checkpoint']
        equal(rows, [('call', 'cli', 'fake_args', None),
                         ('refusal', 'cli', 'fake_typed', 'INVALID_ARGUMENT')])


@test('Q62 Q53 a write is refused and changes nothing, whatever its arguments say')
def refused_write():
    with Box() as box:
        server = box.serve()
        server.shake(capabilities={'elicitation': {}})
        for arguments in ({}, {'confirm': True}, {'note': 'x', 'confirm': True}):
            check(code_of(server.call('fake_write', arguments)).startswith('WRITE_'), arguments)
        equal(box.started(), [])
        equal({r['kind'] for r in box.ledger()}, {'refusal'})
