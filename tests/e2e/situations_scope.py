# SPDX-License-Identifier: MIT
"""Scope in the server, both eras: what a stage's contract does not name is not there. First the
contract of a plain folder (--stage-dir), then that of a stage in the vault."""

import json
import os
import shutil
import signal
import subprocess
import time

from situations_vault import Vault
from stile import (META, Box, Failure, Setup, check, children, code_of, equal, is_alive, kill, poll, request, test,
                   value_of)

ASKS = {'elicitation': {}}
YES = {'action': 'accept', 'content': {'confirm': True}}
WORKSPACE = 'wsp_' + '0' * 26
MODERN = {}     # client capabilities of a modern request

# Tools of each rank, one that tells where it is, and one child at a time.
OWN = '''
stile: 1
surface: own
program: { run: fake, env: [FAKE_LOG], output: json }
limits: { children: 1 }
tools:
- { name: own_read, description: Reads., effect: read, argv: [args, read] }
- { name: own_write, description: Writes., effect: write, argv: [args, write] }
- { name: own_manage, description: Manages., effect: read, rank: manage, argv: [args, manage] }
- { name: own_sleep, description: Sleeps., effect: read, argv: [sleep, '60000'] }
- { name: own_context, description: Where am I., effect: read, builtin: context }
'''
SCOPED = OWN.replace('surface: own', 'surface: two\nscoped: true').replace('own_', 'two_').replace(
    'name: two_read,', 'name: two_read, discovery: true,')


def contract(*tools):
    return '---\nmcp:\n  tools: [' + ', '.join(tools) + ']\n---\n# Stage\n'


def names(server, modern=None):
    return [tool['name'] for tool in server.result('tools/list', modern=modern)['tools']]


def uris(server, modern=None):
    return [r['uri'] for r in server.result('resources/list', modern=modern)['resources']]


def rows(box, *kinds):
    return [row for row in box.ledger() if row['kind'] in kinds]


def is_absent(server, tool, modern=None):
    """A call of a tool that may not be seen is answered as one of a tool that is not there."""
    hidden, absent = (server.start(name, {'a': 1}, modern, identity=identity)
                      for name, identity in ((tool, 'x1'), ('no_such_tool', 'x2')))
    equal(server.answer(hidden)['error'], server.answer(absent)['error'], tool)
    lines = [line for line in server.raw() if b'"id":"x1"' in line or b'"id":"x2"' in line][-2:]
    equal(lines[0].replace(b'x1', b''), lines[1].replace(b'x2', b''), 'bytes of both answers')


class Folder:
    """A stage of a plain folder."""

    def __init__(self, box, *tools):
        self.box = box
        self.dir = os.path.join(box.dir, '02-draft')
        self.file = os.path.join(self.dir, 'CONTEXT.md')
        os.mkdir(self.dir)
        self.grant(*tools)

    def write(self, text, mode=0o644):
        """In one step, as an editor does: the server never sees half a contract."""
        with open(self.file + '.new', 'wb') as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        os.chmod(self.file + '.new', mode)
        os.replace(self.file + '.new', self.file)

    def grant(self, *tools):
        self.write(contract(*tools))

    def serve(self, *args, **options):
        ttl = [] if '--scope-ttl' in args else ['--scope-ttl', '0']
        return self.box.serve('--stage-dir', self.dir, *ttl, *args, **options)


# ---- the launch ----

@test('scope: --workspace and --stage come together, --stage-dir in their place, and odd words end the start')
def launch():
    with Box() as box:
        folder = Folder(box)
        for words, part in (
                (['--workspace', WORKSPACE], '--workspace and --stage come together'),
                (['--stage', 'a'], '--workspace and --stage come together'),
                (['--workspace', WORKSPACE, '--stage', 'a', '--stage-dir', folder.dir], 'one or the other'),
                (['--stage', 'a', '--stage-dir', folder.dir], 'come together'),
                (['--workspace', 'wsp_short', '--stage', 'a'], 'no id of a workspace'),
                (['--workspace', 'fol_' + '0' * 26, '--stage', 'a'], 'no id of a workspace'),
                (['--workspace', 'wsp_' + 'U' * 26, '--stage', 'a'], 'no id of a workspace'),
                (['--workspace', WORKSPACE, '--stage', ''], 'neither an id nor a name'),
                (['--workspace', WORKSPACE, '--stage', 'a/b'], 'neither an id nor a name'),
                (['--workspace', WORKSPACE, '--stage', '..'], 'neither an id nor a name'),
                (['--scope-ttl', '-1'], '--scope-ttl'), (['--scope-ttl', '301'], '--scope-ttl'),
                (['--scope-ttl', '5s'], '--scope-ttl'), (['--scope-ttl', ''], '--scope-ttl')):
            for command in (['mcp', 'serve'], ['call', 'git_log']):
                status, out, err = box.command(*command, '--surface', 'git', *words)
                equal((status, out), (2, b''), words)
                check(part in err.decode(), words, err)
        equal(box.ledger(), [])


@test('scope: a folder with a contract is refused inside a root, however it is named, and when it is none')
def folder_inside_root():
    with Box() as box:
        inside = os.path.join(box.root, 'stage')
        os.mkdir(inside)
        box.write('stage/CONTEXT.md', contract('fake_args'))
        link = os.path.join(box.dir, 'link')
        os.symlink(inside, link)
        for path in (inside, box.root, link, os.path.join(link, '.'), f'{box.dir}/data/../root/stage'):
            status, _, err = box.command('mcp', 'serve', '--surface', 'git', '--root', box.root,
                                         '--stage-dir', path)
            equal(status, 2, path)
            check('lies inside the root' in err.decode(), path, err)
        for path in (os.path.join(box.dir, 'none'), os.path.join(inside, 'CONTEXT.md')):
            status, _, err = box.command('mcp', 'serve', '--surface', 'git', '--root', box.dir + '/data',
                                         '--stage-dir', path)
            check(status != 0 and b'--stage-dir' in err, path, err)


# ---- what is not there ----

NOTHING_GRANTED = 'scope: nothing is granted: '  # then why, to the operator alone
BROKEN = {
    'missing': None,
    'empty': '',
    'no front matter': '# Stage\n',
    'no mcp': '---\ntitle: x\n---\n',
    'not closed': '---\nmcp: { tools: [fake_args] }\n',
    'no UTF-8': b'---\nmcp: { tools: [fake_args] }\n---\n\xff\xfe\n',
    'unknown name': contract('fake_args', 'fake_nothing'),
    'a name twice': contract('fake_args', 'fake_args'),
    'no list': '---\nmcp: { tools: fake_args }\n---\n',
    'a number': '---\nmcp: { tools: [fake_args, 7] }\n---\n',
    'mcp twice': '---\nmcp: { tools: [fake_args] }\nmcp: { tools: [fake_say] }\n---\n',
    'an alias': '---\na: &a fake_args\nmcp: { tools: [*a] }\n---\n',
    'too large': contract('fake_args') + 'x' * (2 << 20),
    'too many values': contract(*['fake_args'] * 600),
    'a folder': 'folder', 'a link': 'link', 'a pipe': 'pipe', 'writable by others': 'mode',
}


def make(folder, kind):
    if os.path.isdir(folder.file):
        os.rmdir(folder.file)
    elif os.path.lexists(folder.file):
        os.unlink(folder.file)
    if kind == 'folder':
        os.mkdir(folder.file)
    elif kind == 'link':
        real = os.path.join(folder.box.dir, 'real.md')
        with open(real, 'w', encoding='utf-8') as f:
            f.write(contract('fake_args'))
        os.symlink(real, folder.file)
    elif kind == 'pipe':
        os.mkfifo(folder.file)
    elif kind == 'mode':
        folder.write(contract('fake_args'), 0o666)
    elif kind is not None:
        folder.write(kind)


@test('scope: a contract that is missing or broken in any way grants nothing, and its row says why')
def broken_contract():
    with Box() as box:
        folder = Folder(box, 'fake_args')
        server = folder.serve()
        server.shake()
        for modern in (None, MODERN):
            equal(names(server, modern), ['fake_args'])
            for what, kind in BROKEN.items():
                make(folder, kind)
                equal(names(server, modern), [], what)
                is_absent(server, 'fake_args', modern)
                last = rows(box, 'scope')[-1]
                check(last['detail'].startswith('denied, '), what, last)
                check('visible:' in last['detail'] and 'fake_' not in last['detail'].split('visible:')[1],
                      what, last)
                make(folder, contract('fake_args'))
                equal(names(server, modern), ['fake_args'], 'after ' + what)
        equal(box.started(), [])


@test('scope: when the folder is replaced by a link, or moved into a root, its contract counts no more')
def folder_replaced():
    with Box() as box:
        folder = Folder(box, 'fake_args')
        server = folder.serve()
        server.shake()
        equal(names(server), ['fake_args'])
        moved = os.path.join(box.root, 'moved')
        os.rename(folder.dir, moved)
        equal(names(server), [], 'gone')
        os.symlink(moved, folder.dir)
        equal(names(server), [], 'a link into the root')
        is_absent(server, 'fake_args')
        os.unlink(folder.dir)
        os.rename(moved, folder.dir)
        equal(names(server), ['fake_args'])


@test('scope: what a contract does not name is not there: tools, resources, templates')
def hidden_is_absent():
    with Box() as box:
        folder = Folder(box, 'fake_all_items', 'git_status')
        server = folder.serve(surfaces=[Setup.surface, 'git'])
        server.shake()
        for modern in (None, MODERN):
            equal(names(server, modern), ['fake_all_items', 'git_status'])
            check('fake://items' in uris(server, modern) and 'fake://failure' not in uris(server, modern))
            equal(server.result('resources/templates/list', modern=modern)['resourceTemplates'], [])
            for tool in ('fake_args', 'fake_hidden', 'git_log', 'fake_exec_read'):
                is_absent(server, tool, modern)
            hidden, absent = (server.error('resources/read', {'uri': uri}, modern=modern)
                              for uri in ('fake://failure', 'fake://nothing'))
            absent['data']['uri'] = 'fake://failure'
            equal(hidden, absent)
        equal(box.started(), [])
        details = [(row['tool'], row['detail'].split(', ')[0]) for row in rows(box, 'refusal')
                   if row['tool']]
        check(('fake_args', 'scope') in details and ('no_such_tool', 'resolve') in details, details)


@test('scope: a tool above the rank of the folder, and what only a launch option allows, stay hidden')
def above_the_rank():
    with Box() as box:
        own = box.own_surface(OWN)
        folder = Folder(box, 'own_read', 'own_write', 'own_manage', 'fake_exec_read')
        server = folder.serve(surfaces=[own, Setup.surface])
        server.shake()
        equal(names(server), ['own_read', 'own_write'])
        is_absent(server, 'own_manage')
        is_absent(server, 'fake_exec_read')
        server = folder.serve('--allow-exec', 'fake', surfaces=[own, Setup.surface])
        server.shake()
        equal(names(server), ['own_read', 'own_write', 'fake_exec_read'])
        equal(box.started(), [])


@test('scope: a folder has no workspace, so that of a scoped surface it grants only discovery')
def scoped_surface():
    with Box() as box:
        two = box.own_surface(SCOPED, 'two.yaml')
        folder = Folder(box, 'two_read', 'two_write', 'two_context')
        server = folder.serve(surfaces=[two])
        server.shake()
        equal(names(server), ['two_read'])
        is_absent(server, 'two_write')
        folder.grant('two_write')
        equal(names(server), [])


@test('scope: the contract names tools of any surface that the host knows, served or not')
def known_names():
    with Box() as box:
        own = box.own_surface(OWN)
        folder = Folder(box, 'own_read', 'git_log', 'update_item')
        for surfaces, visible in (([own], ['own_read']), (['git'], ['git_log']),
                                  (['git', own], ['git_log', 'own_read'])):
            server = folder.serve(surfaces=surfaces)
            server.shake()
            equal(names(server), visible)


# ---- the record ----

@test('scope: nothing is decided before somebody asks what there is')
def not_at_start():
    with Box() as box:
        folder = Folder(box, 'fake_args')
        server = folder.serve('--scope-ttl', '1')
        server.shake()
        server.result('ping')
        server.result('server/discover', modern=MODERN)
        check(not os.path.exists(os.path.join(box.data, 'ledger.db')), 'a ledger was made')
        server.end()
        equal(box.ledger(), [])


@test('scope: each decision about a folder has one row, before the answer, and rows of calls cite it')
def one_row_a_decision():
    with Box() as box:
        folder = Folder(box, 'fake_args')
        server = folder.serve()
        server.shake()
        equal(names(server), ['fake_args'])
        first, = rows(box, 'scope')
        check(first['detail'].startswith('initial, rank write, CONTEXT.md '), first)
        check(first['detail'].endswith(' visible: fake_args'), first)
        equal((first['stage'], first['workspace']), (folder.dir, None))
        for _ in range(3):
            names(server)
            server.call('fake_args')
        equal(len(rows(box, 'scope')), 1, 'rows of an unchanged decision')
        folder.grant('fake_say', 'fake_args')
        value_of(server.call('fake_say', {'out': '1'}))
        second = rows(box, 'scope')[1]
        check(second['detail'].startswith('changed, ') and
              second['detail'].endswith(' visible: fake_args fake_say'), second)
        equal([row['detail'] for row in rows(box, 'call')],
              [f'scope row {first["sequence"]}'] * 3 + [f'scope row {second["sequence"]}'])
        equal(box.command('audit', 'verify')[0], 0)


@test('scope: a decision that cannot be recorded counts for nothing, and is made again when it can')
def unrecorded():
    with Box() as box:
        folder = Folder(box, 'fake_args')
        os.mkdir(os.path.join(box.data, 'ledger.db'))
        server = folder.serve()
        server.shake()
        for modern in (None, MODERN):
            equal(names(server, modern), [])
            check(server.call('fake_args', modern=modern).get('isError'), 'a call')
            check('could not be recorded' in server.stderr(), server.stderr())
        equal(box.started(), [])
        os.rmdir(os.path.join(box.data, 'ledger.db'))
        equal(names(server), ['fake_args'])
        value_of(server.call('fake_args'))


# ---- changes ----

@test('scope: a changed contract is told in both eras, of what has changed and to those who asked')
def told_of_changes():
    with Box() as box:
        folder = Folder(box, 'fake_args')
        server = folder.serve('--scope-ttl', '1')
        server.shake()
        for identity, wanted in (('both', ['tools', 'resources']), ('tools', ['tools']),
                                 ('resources', ['resources'])):
            server.ask('subscriptions/listen', {'notifications': {f'{w}ListChanged': True for w in wanted}},
                       identity, MODERN)
        equal(names(server), ['fake_args'])
        equal(server.notes('notifications/tools/list_changed'), [], 'nothing has changed yet')

        def told(what):
            key = META + 'subscriptionId'
            return sorted(note.get('params', {}).get('_meta', {}).get(key, 'session')
                          for note in server.notes(f'notifications/{what}/list_changed'))
        folder.grant('fake_args', 'fake_say')
        poll(lambda: told('tools') == ['both', 'session', 'tools'], 5, 'tools are told')
        check('fake_say' in names(server, MODERN))
        # It brought the resources that are made of it.
        poll(lambda: told('resources') == ['both', 'resources', 'session'], 5, 'resources are told')
        folder.grant('fake_say', 'fake_flood')
        poll(lambda: len(told('tools')) == 6, 5, 'tools are told again')
        equal(names(server), ['fake_say', 'fake_flood'])
        equal(len(told('resources')), 3, 'no resource came or went')


@test('scope: a decision counts as long as the launch says, and no longer')
def time_to_live():
    with Box() as box:
        folder = Folder(box, 'fake_args')
        server = folder.serve('--scope-ttl', '300')
        server.shake()
        equal(names(server), ['fake_args'])
        folder.grant('fake_say')
        equal(names(server), ['fake_args'])
        value_of(server.call('fake_args'))
        equal(len(rows(box, 'scope')), 1)
        server = folder.serve('--scope-ttl', '1')
        server.shake()
        equal(names(server), ['fake_say'])
        folder.grant('fake_args')
        poll(lambda: names(server) == ['fake_args'], 5, 'within its time to live')
        is_absent(server, 'fake_say')


# ---- after a wait ----

@test('scope: a tool that left the scope while its person was asked does not run')
def left_while_asked():
    with Box() as box:
        folder = Folder(box, 'fake_write')
        server = folder.serve('--allow-write', 'fake')
        server.shake(capabilities=ASKS)
        call = server.start('fake_write', {'note': 'n'})
        server.note('elicitation/create')
        folder.grant('fake_args')
        asked, = server.notes('elicitation/create')
        server.send({'jsonrpc': '2.0', 'id': asked['id'], 'result': YES})
        legacy = server.answer(call)['error']
        folder.grant('fake_write')
        params = {'name': 'fake_write', 'arguments': {'note': 'n'}}
        asked = server.result('tools/call', params, modern=ASKS)
        folder.grant('fake_args')
        params.update(requestState=asked['requestState'], inputResponses={'confirm': YES})
        equal(server.error('tools/call', params, modern=ASKS), legacy)
        equal(server.error('tools/call', {'name': 'no_such_tool'}), legacy)
        equal(box.started(), [])


@test('scope: a tool that left the scope while its call waited for a place does not run')
def left_while_queued():
    with Box() as box:
        own = box.own_surface(OWN)
        folder = Folder(box, 'own_sleep', 'own_read')
        server = folder.serve(surfaces=[own])
        server.shake()
        first = server.start('own_sleep')
        poll(lambda: len(box.started()) == 1, 5, 'the first runs')
        second = server.start('own_read')
        server.result('ping')
        folder.grant('own_sleep')
        server.cancel(first)
        check('error' in server.answer(second), 'the second was answered')
        equal(len(box.started()), 1, 'programs started')


# ---- where am I, and the command line ----

@test('scope: the context tool says where it is and how much is hidden, never what')
def context():
    with Box() as box:
        own = box.own_surface(OWN)
        folder = Folder(box, 'own_context', 'own_read')
        server = folder.serve(surfaces=[own])
        server.shake()
        names(server)
        value = value_of(server.call('own_context'))
        event, = rows(box, 'scope')
        digest = value['contract'].pop('version')
        check(digest in event['detail'], value)
        equal(value, {'server_version': value['server_version'], 'surfaces': ['own'], 'workspace': None,
                      'stage': {'name': '02-draft'}, 'rank': 'write', 'contract': {'file': 'CONTEXT.md'},
                      'tools': ['own_read', 'own_context'], 'hidden': 3,
                      'scope_event': f'row {event["sequence"]}'})
        server = box.serve(surfaces=[own])
        server.shake()
        value = value_of(server.call('own_context'))
        equal((value['rank'], value['stage'], value['hidden'], value['scope_event']), (None, None, 0, None))


@test('scope: `stile call` passes the same gate')
def from_the_command_line():
    with Box() as box:
        folder = Folder(box, 'fake_args')
        words = ['--surface', Setup.surface, '--stage-dir', folder.dir, '--root', box.root, '--json']
        status, out, _ = box.command('call', 'fake_say', *words)
        hidden = (status, out.split(b'"error"')[1])
        status, out, _ = box.command('call', 'no_such_tool', *words)
        equal((status, out.split(b'"error"')[1]), hidden)
        equal(box.started(), [])
        equal(box.command('call', 'fake_args', *words)[0], 0)
        equal(len(box.started()), 1)
        equal([row['caller'] for row in rows(box, 'scope')], ['cli'] * 3)


# ---- the stage of a workspace in the vault ----

class Stage:
    """A workspace with one stage, an agent that may write there, and servers in its name."""

    def __init__(self, box, *tools, rank='write'):
        self.box = box
        self.vault = vault = Vault(box)
        tree = os.path.join(box.dir, 'tree')
        for stage in ('01-read', '02-draft'):
            os.makedirs(os.path.join(tree, 'stages', stage))
            with open(os.path.join(tree, 'stages', stage, 'CONTEXT.md'), 'w', encoding='utf-8') as f:
                f.write(contract(*tools))
        vault.value('file', 'upload', '--recursive', tree + '/.', '/tree')
        vault.value('template', 'create', '/tree')
        vault.value('template', 'publish', '/tree')
        vault.value('template', 'instantiate', '/tree', '/work')
        self.id = vault.value('workspace', 'info', '/work')['id']
        self.stage = vault.value('folder', 'info', '/work/stages/02-draft')['id']
        self.file = '/work/stages/02-draft/CONTEXT.md'
        self.token = vault.token('bot', rank, '/work')

    def write(self, text):
        self.vault.put(self.file, text.encode() if isinstance(text, str) else text)

    def grant(self, *tools):
        self.write(contract(*tools))

    def env(self, **more):
        return self.vault.env(STILE_TOKEN_FILE=self.token, **more)

    def serve(self, *args, stage='02-draft', surfaces=None, shaken=True, **options):
        words = ['--workspace', self.id, '--stage', stage, *args]
        if '--scope-ttl' not in args:
            words += ['--scope-ttl', '0']
        server = self.box.serve(*words, surfaces=surfaces, env=self.env(), **options)
        if shaken:
            server.shake(capabilities=ASKS)
        return server

    def decisions(self):
        """Rows of mcp_scope_audit_events, oldest first, by their result."""
        events = self.vault.value('audit', 'list', '--scope', '--limit', '1000000')['events']
        return sorted(events, key=lambda event: event['sequence'])


@test('scope: a contract in the vault that is missing or broken in any way grants nothing')
def broken_in_the_vault():
    with Box() as box:
        stage = Stage(box, 'fake_args')
        server = stage.serve()
        texts = {what: kind for what, kind in BROKEN.items()
                 if kind not in ('folder', 'link', 'pipe', 'mode')}
        # One decision serves both eras: few show that.
        few = {what: texts[what] for what in ('missing', 'not closed', 'unknown name')}
        for modern, kinds in ((None, texts), (MODERN, few)):
            equal(names(server, modern), ['fake_args'])
            for what, kind in kinds.items():
                if kind is None:
                    stage.vault.value('file', 'trash', stage.file)
                else:
                    stage.write(kind)
                told = server.stderr().count(NOTHING_GRANTED)
                equal(names(server, modern), [], what)
                is_absent(server, 'fake_args', modern)
                equal(stage.decisions()[-1]['result'], 'denied', what)
                equal(server.stderr().count(NOTHING_GRANTED), told + 1, 'the reason, once: ' + what)
                if kind is None:
                    stage.vault.put(stage.file, contract('fake_args').encode())
                else:
                    stage.grant('fake_args')
                equal(names(server, modern), ['fake_args'], 'after ' + what)
        equal(box.started(), [])


@test('scope: what may not be seen is a denial: another workspace, another stage, no grant')
def not_to_be_seen():
    with Box() as box:
        stage = Stage(box, 'fake_args')
        for words in (['--stage', 'none'], ['--stage', 'stg_' + '0' * 26]):
            server = stage.serve(stage=words[1])
            equal(names(server), [])
            is_absent(server, 'fake_args')
            equal(stage.decisions()[-1]['result'], 'denied')
            check(f'{NOTHING_GRANTED}{words[1]}: ' in server.stderr(), server.stderr())
        server = stage.serve(stage=stage.stage)
        equal(names(server), ['fake_args'])
        stage.vault.value('grant', 'remove', '/work', 'bot')
        equal(names(server), [])
        is_absent(server, 'fake_args')
        equal(stage.decisions()[-1]['result'], 'denied')
        equal(box.started(), [])


def unreachable(server, box, modern):
    """Nothing is listed, and every call is refused alike: of what is there and of what is not."""
    equal(names(server, modern), [])
    results = [server.call(tool, modern=modern) for tool in ('fake_args', 'no_such_tool')]
    equal([code_of(result) for result in results], ['SCOPE_UNAVAILABLE'] * 2)
    equal(results[0], results[1])
    check(results[0]['structuredContent']['retryable'] is True, results[0])
    check('error' in server.answer(server.ask('resources/read', {'uri': 'fake://text'}, modern=modern)))
    equal(uris(server, modern), [])
    last = rows(box, 'refusal')[-1]
    equal((last['code'], last['detail'].split(',')[0]), ('SCOPE_UNAVAILABLE', 'scope'))


@test('scope: while the vault cannot be asked nothing is visible and nothing runs; then it is as before')
def vault_unreachable():
    with Box() as box:
        stage = Stage(box, 'fake_args', 'fake_all_items')
        database = os.path.join(box.data, 'vault.db')
        server = stage.serve()

        def swap(path, text=None):
            os.rename(path, path + '.aside')
            if text is not None:
                with open(path, 'wb') as f:
                    f.write(text)
                os.chmod(path, 0o600)

        def back(path):
            if os.path.isdir(path):
                os.rmdir(path)
            elif os.path.exists(path):
                os.unlink(path)
            os.rename(path + '.aside', path)

        def no_vault():
            for name in ('vault.db', 'vault.db-wal', 'vault.db-shm'):
                if os.path.exists(os.path.join(box.data, name)):
                    os.rename(os.path.join(box.data, name), os.path.join(box.data, name) + '.aside')
        cases = (
            ('no credential', lambda: swap(stage.token), lambda: back(stage.token)),
            ('a wrong one', lambda: swap(stage.token, b'stv_' + b'A' * 43 + b'\n'),
             lambda: back(stage.token)),
            ('one that others can read', lambda: os.chmod(stage.token, 0o644),
             lambda: os.chmod(stage.token, 0o600)),
            ('garbage for a vault', lambda: (no_vault(), open(database, 'wb').write(b'x' * 8192)),
             lambda: restore(box)),
            ('a folder for a vault', lambda: (no_vault(), os.mkdir(database)), lambda: restore(box)),
            ('no vault', no_vault, lambda: restore(box)))
        for modern in (None, MODERN):
            for what, break_it, mend_it in cases:
                value_of(server.call('fake_args', modern=modern))
                equal(names(server, modern), ['fake_args', 'fake_all_items'], 'before ' + what)
                started = len(box.started())
                break_it()
                unreachable(server, box, modern)
                equal(len(box.started()), started, what)
                mend_it()
        equal(names(server), ['fake_args', 'fake_all_items'])
        check('stv_' not in server.stderr(), 'a token on stderr')


def restore(box):
    path = os.path.join(box.data, 'vault.db')
    for name in (path, path + '-wal', path + '-shm'):
        if os.path.isdir(name):
            os.rmdir(name)
        elif os.path.exists(name):
            os.unlink(name)
        if os.path.exists(name + '.aside'):
            os.rename(name + '.aside', name)


def asker(server):
    """The child that asks the vault, once it is more than a fork of the server; or None."""
    for pid in children(server.pid):
        with open(f'/proc/{pid}/cmdline', 'rb') as f:
            if b'\0scope\0' in f.read():
                return pid
    return None


def is_stopped(pid):
    try:
        with open(f'/proc/{pid}/stat', 'rb') as f:
            return f.read().rsplit(b')', 1)[1].split()[0] == b'T'
    except OSError:
        return False


def catch(server, *begin):
    """Begins requests that ask the vault, and stops the child before it has ended: (ids, child). It may
    be too quick for us: then once more."""
    for _ in range(50):
        asked = [each() for each in begin]
        child = poll(lambda: server.has_answer(asked[0]) or asker(server), 10, 'the vault is asked')
        if child is not True:
            kill(child, signal.SIGSTOP)
            if poll(lambda: is_stopped(child) or not is_alive(child), 5, 'stopped') and is_stopped(child):
                return asked, child
        for identity in asked:
            server.answer(identity)
    raise Failure('the child could not be stopped in time')


@test('scope: the child that asks the vault is killed, or the vault is held: unreachable, then again')
def child_killed():
    with Box() as box:
        stage = Stage(box, 'fake_args')
        server = stage.serve()
        for begin in (lambda: server.start('fake_args'), lambda: server.ask('tools/list')):
            (asked,), child = catch(server, begin)
            kill(child, signal.SIGKILL)
            result = server.answer(asked)['result']
            check(result['tools'] == [] if 'tools' in result else code_of(result) == 'SCOPE_UNAVAILABLE', result)
        equal(names(server), ['fake_args'])
        (listing,), child = catch(server, lambda: server.ask('tools/list'))
        started = time.monotonic()
        equal(server.answer(listing, 20)['result']['tools'], [])
        check(time.monotonic() - started < 15 * Setup.patience, 'the limit of the child')
        check('at its limit' in server.stderr(), server.stderr())
        check(not is_alive(child), 'the child is left behind')
        value_of(server.call('fake_args'))


@test('scope: fifty calls and lists at once rest on one decision, in the order in which they came')
def fifty_at_once():
    with Box() as box:
        stage = Stage(box, 'fake_args')
        server = stage.serve('--scope-ttl', '300', shaken=False)
        server.shake()
        server.send(*[request(i, 'tools/list') if i % 2 else
                      request(i, 'tools/call', {'name': 'no_such_tool' if i % 4 else 'fake_args'})
                      for i in range(100, 150)])
        for i in range(100, 150):
            response = server.answer(i)
            check(('error' in response) == (i % 4 == 2), response)
            if i % 2:
                equal([tool['name'] for tool in response['result']['tools']], ['fake_args'])
        lists = [m['id'] for m, _ in server.lines if m.get('id', 0) in range(101, 150, 2)]
        equal(lists, sorted(lists))
        event, = stage.decisions()
        equal(event['result'], 'initial')
        details = {row['detail'].split(', ')[-1] for row in rows(box, 'call', 'refusal')}
        equal(details, {f'scope {event["id"]}'})


@test('scope: what waits for the decision is cancelled, and ends with its client')
def cancelled_while_waiting():
    with Box() as box:
        stage = Stage(box, 'fake_args')
        server = stage.serve()
        (call, listing, other), child = catch(server, lambda: server.start('fake_args'),
                                              lambda: server.ask('tools/list'), lambda: server.ask('tools/list'))
        started = len(box.started())
        server.cancel(call)
        server.cancel(listing)
        server.result('ping')
        kill(child, signal.SIGCONT)
        equal([tool['name'] for tool in server.answer(other)['result']['tools']], ['fake_args'])
        check(not server.has_answer(call) and not server.has_answer(listing), 'a cancelled one was answered')
        equal(len(box.started()), started)
        equal([row['code'] for row in rows(box, 'refusal')], ['CANCELLED'])
        (call, listing), child = catch(server, lambda: server.start('fake_args'),
                                       lambda: server.ask('tools/list'))
        started = len(box.started())
        server.end(3)
        equal(code_of(server.answer(call)['result']), 'CANCELLED')
        equal(server.answer(listing)['result']['tools'], [])
        check(not is_alive(child), 'the child is left behind')
        equal(len(box.started()), started)


@test('scope: a changed contract and a changed grant are told in both eras, without being asked')
def vault_changes_are_told():
    with Box() as box:
        own = box.own_surface(OWN)
        stage = Stage(box, 'own_read', 'own_write', 'own_manage')
        server = stage.serve('--scope-ttl', '1', surfaces=[own])
        server.ask('subscriptions/listen', {'notifications': {'toolsListChanged': True}}, 's', MODERN)
        equal(names(server), ['own_read', 'own_write'])

        def told():
            return len(server.notes('notifications/tools/list_changed'))
        for times, (change, visible) in enumerate((
                (lambda: stage.grant('own_read', 'own_manage'), ['own_read']),
                (lambda: stage.vault.value('grant', 'set', '/work', 'bot', 'manage'), ['own_read', 'own_manage']),
                (lambda: stage.vault.value('grant', 'set', '/work', 'bot', 'read'), ['own_read']),
                (lambda: stage.vault.value('grant', 'remove', '/work', 'bot'), [])), 1):
            change()
            poll(lambda n=2 * times: told() == n, 10, f'change {times} is told')
            equal(names(server, MODERN), visible)
            equal(names(server), visible)
        equal([event['result'] for event in stage.decisions()],
              ['initial', 'changed', 'changed', 'changed', 'denied'])


@test('scope: tools of the vault reach their workspace only, and the stage by its id')
def kept_to_the_workspace():
    with Box() as box:
        stage = Stage(box, 'vault_file_list', 'vault_file_info', 'vault_mcp_context')
        stage.vault.put('/work/a.txt', b'a')
        stage.vault.put('/b.txt', b'b')
        stage.vault.value('grant', 'set', '/', 'bot', 'manage')
        server = stage.serve(surfaces=['vault'])
        other = stage.vault.value('file', 'info', '/b.txt')['id']
        inside = stage.vault.value('file', 'info', '/work/a.txt')['id']
        equal(sorted(names(server)), ['vault_file_info', 'vault_file_list', 'vault_mcp_context'])
        check(not server.call('vault_file_info', {'file': inside}).get('isError'), 'inside')
        outside, none = (server.call('vault_file_info', {'file': file})['structuredContent']['error']
                         for file in (other, 'fil_' + '0' * 26))
        equal(outside['code'], 'NOT_FOUND')
        equal(outside['message'].replace(other, 'fil_' + '0' * 26), none['message'])
        value = value_of(server.call('vault_mcp_context'))
        event, = stage.decisions()
        equal(value['workspace'], {'id': stage.id, 'name': 'work'})
        equal(value['stage'], {'id': stage.stage, 'name': '02-draft'})
        equal((value['rank'], value['contract']['number'], value['scope_event']), ('manage', 1, event['id']))
        check(value['hidden'] > 40 and len(value['tools']) == 3, value)
        check({(row['workspace'], row['stage']) for row in rows(box, 'call')} == {(stage.id, stage.stage)})
        equal(stage.decisions(), [event])


@test('scope: a server for a stage shows the git tools that its contract names, and no others')
def git_in_a_stage():
    with Box() as box:
        stage = Stage(box, 'git_log', 'git_status')
        box.repository()
        server = stage.serve(surfaces=['git', 'vault'])
        equal(sorted(names(server)), ['git_log', 'git_status'])
        value_of(server.call('git_log', {'path': os.path.join(box.root, 'repo')}))
        is_absent(server, 'git_show')
        is_absent(server, 'vault_whoami')


@test('scope: without a stage the vault shows discovery only')
def unscoped_vault():
    with Box() as box:
        stage = Stage(box, 'vault_file_list')
        server = box.serve(surfaces=['vault'], env=stage.env())
        server.shake()
        equal(names(server), ['vault_whoami', 'vault_mcp_context', 'vault_workspace_list',
                              'vault_template_list', 'vault_template_show', 'vault_stage_list'])
        is_absent(server, 'vault_file_list')
        equal(stage.decisions(), [])


@test('scope: a program where others could replace it is not asked; that is said, and not retryable')
def replaceable_program():
    with Box() as box:
        stage = Stage(box, 'fake_args')
        place = os.path.join(box.dir, 'open')
        os.mkdir(place)
        os.chmod(place, 0o777)
        binary = shutil.copy(Setup.binary, place)
        done = subprocess.run([binary, 'call', 'fake_args', '--surface', Setup.surface, '--workspace', stage.id,
                               '--stage', '02-draft', '--root', box.root, '--json'], env=stage.env(),
                              cwd=box.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        error = json.loads(done.stdout)['error']
        equal((error['code'], error['retryable']), ('SCOPE_UNAVAILABLE', False), error)
        check('may not be trusted there' in error['message'], error)
        check(b'writable by everyone' in done.stderr, done.stderr)
        equal((box.started(), stage.decisions()), ([], []))


@test('scope: `stile call` asks the vault as the server does')
def vault_from_the_command_line():
    with Box() as box:
        stage = Stage(box, 'fake_args')
        words = ['--surface', Setup.surface, '--workspace', stage.id, '--stage', '02-draft', '--root', box.root,
                 '--json']
        equal(box.command('call', 'fake_say', *words, env=stage.env())[0], 12)
        equal(box.started(), [])
        equal(box.command('call', 'fake_args', *words, env=stage.env())[0], 0)
        equal(len(box.started()), 1)
        os.unlink(stage.token)
        status, out, _ = box.command('call', 'fake_args', *words, env=stage.env())
        equal((status, b'SCOPE_UNAVAILABLE' in out), (11, True))
        equal(len(box.started()), 1)
        equal([event['caller'] for event in stage.decisions()], ['mcp'] * 2)
