# SPDX-License-Identifier: MIT
"""Who asks, when a tool runs other programs: what `env -u STILE_CALLER` gains and what it does not
(SECURITY.md, "A tool that runs other programs is your shell")."""

import json
import os

from plans_world import add_plan, policy, result
from stile import Box, Setup, check, equal, test, value_of

SHELL = '''stile: 1
surface: shell
program: { run: env, env: [STILE_DATA_DIR] }
tools:
- name: shell_run
  description: Runs what the caller names.
  effect: read
  executes: any
  exit: { data: any }
  input: { properties: { command: { type: array, minItems: 1, items: { type: string }, description: It. } }, required: [command] }
  argv: [--, { each: command, words: '{}' }]
  result: { parse: none, echo: { exit: '{$exit}', out: '{$stdout}', err: '{$stderr}' } }
- name: shell_word
  description: Prints one word.
  effect: read
  input: { properties: { word: { type: string, description: It. } }, required: [word] }
  argv: [--, printenv, '{word}']
  exit: { data: any }
  result: { parse: none, echo: { exit: '{$exit}', out: '{$stdout}' } }
'''
FILES = '''stile: 1
surface: files
program: { run: touch }
tools:
- name: files_make
  description: Makes an empty file.
  effect: write
  writes: plan
  input: { properties: { name: { type: string, description: Its name. } }, required: [name] }
  argv: [--, '{name}']
  plan: { target: '{name}' }
'''
POLICY = '''
schema_version: '1'
mode: enforced
rules:
- {actor: {type: '*', authenticated: false}, surface: '*', action: '*', target: '*', effect: allow, require_approval: true}
'''
FREE = ('env', '-u', 'STILE_CALLER')
# Approves as a person would, on a terminal that it makes for itself.
TYPIST = '''
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
text = b''
while True:
    try:
        data = os.read(terminal, 65536)
    except OSError:
        break
    text += data
    if text.endswith(b"id: "):
        os.write(terminal, sys.argv[-1][-4:].encode() + b'\\n')
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
'''


def agent(box, *args):
    server = box.serve(*args, surfaces=[box.own_surface(SHELL)])
    server.shake()
    return server


def run(server, *command):
    """A call of the tool: (exit status, the document that was printed)."""
    done = server.call('shell_run', {'command': list(command)})
    told = done['structuredContent']
    return told['exit'], json.loads(told['out']) if told['out'].startswith('{') else told['err']


def check_of(server, plan, *free):
    status, document = run(server, *free, Setup.binary, 'authz', 'check', plan, '--json')
    equal(status, 0, document)
    return document['result']['actor']['type'], document['result']['code']


@test('A without a tool that runs others, who asks cannot be changed')
def kept():
    with Box() as box:
        server = agent(box)
        equal([t['name'] for t in server.result('tools/list')['tools']], ['shell_word'])
        refused = server.error('tools/call', {'name': 'shell_run', 'arguments': {'command': ['id']}})
        equal(refused['code'], -32602)
        said = value_of(server.call('shell_word', {'word': 'STILE_CALLER'}))
        equal(said, {'exit': 0, 'out': 'mcp'})
        said = server.call('shell_word', {'word': '-u'})['structuredContent']
        equal(said['out'], '', 'an argument stays one')


@test('A env -u STILE_CALLER through a tool that runs others is the person at this host')
def gained():
    with Box() as box:
        plan, _ = add_plan(box)
        server = agent(box, '--allow-exec', 'shell')
        equal(check_of(server, plan), ('mcp', 'AUTHZ_DENIED'))
        equal(check_of(server, plan, *FREE), ('cli', 'AUTHZ_ALLOWED'))


@test('A what it gains is what its user may: an apply that nobody else was asked about')
def applied():
    with Box() as box:
        server = agent(box, '--allow-exec', 'shell')
        where = ('--root', box.root, '--surface', box.own_surface(FILES, 'files.yaml'))
        made = result(box, 'plan', 'create', 'files_make', '{"name":"one"}', *where)['plan_id']
        apply = (Setup.binary, 'plan', 'apply', made, '--json', *where)
        status, document = run(server, *apply)
        equal((status, document['error']['code']), (11, 'AUTHZ_DENIED'))
        policy(box, POLICY)
        status, document = run(server, *FREE, *apply)
        equal((status, document['error']['code']), (11, 'APPROVAL_REQUIRED'))
        check(not os.path.exists(os.path.join(box.root, 'one')), 'it ran')
        os.unlink(os.path.join(box.data, 'policy.yaml'))
        status, document = run(server, *FREE, *apply)
        equal((status, document['status']), (0, 'succeeded'))
        check(os.path.exists(os.path.join(box.root, 'one')), 'it did not run')


@test('A a policy that wants an approval of cli too holds against it, as far as terminals go')
def held():
    with Box() as box:
        plan, _ = add_plan(box)
        policy(box, POLICY)
        server = agent(box, '--allow-exec', 'shell')
        equal(check_of(server, plan, *FREE), ('cli', 'APPROVAL_REQUIRED'))
        for free in ((), FREE):
            status, document = run(server, *free, Setup.binary, 'authz', 'approve', plan, '--json')
            equal(status, 11)
            equal(document['error']['code'],
                  'WRITE_CONFIRMATION_UNAVAILABLE' if free else 'PERMISSION_DENIED')
        equal(check_of(server, plan, *FREE), ('cli', 'APPROVAL_REQUIRED'))
        # Behind a terminal of its own it is not told from a person. What is left is the record.
        status, said = run(server, *FREE, 'python3', '-c', TYPIST, Setup.binary, 'authz', 'approve', plan)
        equal(status, 0, said)
        equal(check_of(server, plan, *FREE), ('cli', 'AUTHZ_ALLOWED'))
        equal([r['kind'] for r in box.ledger() if r['tool'] == 'shop_rebuild'], ['consent'])
        equal([r['tool'] for r in box.ledger() if r['kind'] == 'call'], ['shell_run'] * 6)
        other, _ = add_plan(box, target='other')
        equal(check_of(server, other, *FREE), ('cli', 'APPROVAL_REQUIRED'))
