# SPDX-License-Identifier: MIT
"""The tools of the vault with the real binary, as an agent has them: in the scope of a stage. What
they refuse, then each of them once."""

import json
import os
import re

from situations_vault import Vault
from stile import Box, check, equal, test, text_of, value_of

DISCOVERY = ['vault_whoami', 'vault_mcp_context', 'vault_workspace_list', 'vault_template_list',
             'vault_template_show', 'vault_stage_list']
READ = ['vault_file_info', 'vault_file_list', 'vault_file_find', 'vault_file_get',
        'vault_file_versions', 'vault_file_diff', 'vault_version_get', 'vault_folder_info',
        'vault_folder_list', 'vault_folder_tree', 'vault_tag_list', 'vault_access_list',
        'vault_workspace_info', 'vault_workspace_status', 'vault_workspace_lineage',
        'vault_workspace_checkout', 'vault_workspace_walk_test', 'vault_stage_show']
WRITE = ['vault_file_upload', 'vault_file_put', 'vault_file_metadata_set', 'vault_tag_add',
         'vault_tag_remove', 'vault_workspace_commit']
MANAGE = ['vault_file_move', 'vault_file_rename', 'vault_file_copy', 'vault_file_trash',
          'vault_file_restore', 'vault_file_revert', 'vault_folder_create', 'vault_folder_move',
          'vault_folder_rename', 'vault_folder_trash', 'vault_folder_restore',
          'vault_template_create', 'vault_template_publish', 'vault_workspace_instantiate',
          'vault_workspace_derive', 'vault_access_grant', 'vault_access_revoke']
TOOLS = DISCOVERY + READ + WRITE + MANAGE
STAGE = 'stages/01-all'
CONTRACT = f'{STAGE}/CONTEXT.md'


def contract(tools):
    return '---\nmcp:\n  tools:\n' + ''.join(f'    - {name}\n' for name in tools) + '---\n# All\n'


class World:
    """A vault with two workspaces of one template, and an agent with a rank on the first."""

    def __init__(self, box, rank='manage', tools=None):
        self.box = box
        self.vault = vault = Vault(box)
        vault.value('folder', 'create', '/tpl/stages/01-all/output', '--parents')
        vault.put(f'/tpl/{CONTRACT}', contract(TOOLS if tools is None else tools).encode())
        vault.put('/tpl/plan.md', b'one\n')
        template = vault.value('template', 'create', '/tpl', '--name', 'all')
        self.template = template.get('id') or template['template']['id']
        vault.value('template', 'publish', self.template)
        for name in ('mine', 'other'):
            vault.value('workspace', 'instantiate', self.template, f'/{name}')
        self.workspace = vault.value('folder', 'info', '/mine')['id']
        self.other = vault.value('folder', 'info', '/other')['id']
        check(self.workspace.startswith('wsp_'), self.workspace)
        self.token = vault.token('agent', rank, '/mine')

    def serve(self, *args, scope=True, **options):
        words = ['--workspace', self.workspace, '--stage', '01-all'] if scope else []
        server = self.box.serve(*words, *args, surfaces=['vault'],
                                env=self.vault.env(STILE_TOKEN_FILE=self.token), **options)
        server.shake()
        return server

    def contract(self):
        return self.vault.get(f'/mine/{CONTRACT}')


def error_of(result):
    """Code and message of an error, which an agent reads in the text."""
    check(result.get('isError') is True, f'not an error: {str(result)[:300]}')
    match = re.match(r'\[(\w+)\] ([^\n]*)', text_of(result))
    check(match, text_of(result))
    return match.groups()


def refused(server, code, tool, arguments):
    got, message = error_of(server.call(tool, arguments))
    equal(got, code, f'{tool} {str(arguments)[:200]}: {message}')
    return message


def given(server, tool, arguments=None):
    result = server.call(tool, arguments or {})
    check(not result.get('isError'), tool, arguments, text_of(result))
    return value_of(result)


def names(server):
    return [tool['name'] for tool in server.result('tools/list')['tools']]


# ---- refusals ----

@test('vault tools: without a scope there are the discovery tools and no others')
def without_scope():
    with Box() as box:
        world = World(box)
        server = world.serve(scope=False)
        equal(names(server), DISCOVERY)
        answers = []
        for tool in ('vault_file_get', 'vault_no_such'):
            message = server.error('tools/call', {'name': tool, 'arguments': {'file': '/mine/plan.md'}})
            answers.append(json.dumps(message).replace(tool, 'TOOL'))
        equal(answers[0], answers[1])
        equal(given(server, 'vault_whoami')['principal'], 'agent')
        listed = given(server, 'vault_workspace_list')['items']
        equal([w['id'] for w in listed], [world.workspace], 'only what may be read')
        equal([s['name'] for s in given(server, 'vault_stage_list',
                                        {'workspace': world.workspace})['stages']], ['01-all'])
        for workspace in (world.other, 'wsp_' + '0' * 26):
            refused(server, 'NOT_FOUND', 'vault_stage_list', {'workspace': workspace})


@test('vault tools: with a scope there is what the contract names and the rank reaches')
def by_rank():
    for rank, tools in (('read', READ), ('write', READ + WRITE), ('manage', READ + WRITE + MANAGE)):
        with Box() as box:
            server = World(box, rank).serve()
            equal(sorted(names(server)), sorted(DISCOVERY + tools), rank)
    with Box() as box:
        server = World(box, 'manage', ['vault_file_get']).serve()
        equal(names(server), ['vault_file_get'])


@test('vault tools: in a scope an id of another workspace answers byte for byte as an absent one')
def other_workspace():
    with Box() as box:
        world = World(box)
        world.vault.value('grant', 'set', '/other', 'agent', 'manage')  # it may, but not here
        server = world.serve()
        file = world.vault.value('file', 'info', '/other/plan.md')
        pairs = {'file': (file['id'], 'fil_' + '0' * 26), 'folder': (world.other, 'wsp_' + '0' * 26),
                 'version': (file['version_id'], 'ver_' + '0' * 26)}
        for tool, key, more in (
                ('vault_file_info', 'file', {}), ('vault_file_get', 'file', {}),
                ('vault_file_versions', 'file', {}), ('vault_file_diff', 'file', {}),
                ('vault_version_get', 'version', {}), ('vault_folder_info', 'folder', {}),
                ('vault_folder_list', 'folder', {}), ('vault_folder_tree', 'folder', {}),
                ('vault_access_list', 'folder', {}), ('vault_file_trash', 'file', {}),
                ('vault_file_put', 'file', {'content': 'x'}), ('vault_folder_trash', 'folder', {}),
                ('vault_file_copy', 'file', {'to': 'c'}), ('vault_tag_add', 'file', {'tag': 'a'}),
                ('vault_access_grant', 'folder', {'principal': 'agent', 'rank': 'read'})):
            answers = []
            for ref in pairs[key]:
                result = server.call(tool, {key: ref, **more})
                equal(error_of(result)[0], 'NOT_FOUND', tool)
                answers.append(re.sub(r'cor_\w+', 'COR', json.dumps(result)).replace(ref, 'REF'))
            equal(answers[0], answers[1], tool)
        for ref in ('/other/plan.md', '/other', '/', '/tpl', '/none'):
            refused(server, 'NOT_FOUND', 'vault_folder_info', {'folder': ref})


@test('vault tools: no tool of a scope touches a contract, whatever the rank')
def contracts():
    with Box() as box:
        world = World(box)
        vault, server = world.vault, world.serve()
        vault.put(f'/mine/{CONTRACT}', world.contract() + b'more\n')
        vault.value('folder', 'create', '/mine/free')
        vault.put('/mine/free/CONTEXT.md', b'---\nmcp: {tools: []}\n---\n')
        vault.put('/mine/free/x.md', b'x\n')
        vault.value('folder', 'create', '/mine/stages/02-gone')
        vault.put('/mine/stages/02-gone/CONTEXT.md', b'x\n')
        gone = vault.value('folder', 'trash', '/mine/stages/02-gone')['id']
        vault.value('folder', 'create', '/mine/stages/03-file')
        vault.put('/mine/stages/03-file/CONTEXT.md', b'x\n')
        gone_file = vault.value('file', 'trash', '/mine/stages/03-file/CONTEXT.md')['id']
        mine = vault.value('file', 'info', f'/mine/{CONTRACT}')['id']
        before = vault.value('folder', 'tree', '/mine')
        box.write('up/CONTEXT.md', 'evil\n')
        for tool, arguments in (
                ('vault_file_put', {'file': CONTRACT, 'content': 'evil'}),
                ('vault_file_put', {'file': mine, 'content': 'evil'}),
                ('vault_file_put', {'file': 'stages/03-file/CONTEXT.md', 'content': 'evil'}),
                ('vault_file_upload', {'paths': ['up/CONTEXT.md'], 'to': STAGE}),
                ('vault_file_upload', {'paths': ['up/CONTEXT.md'], 'to': CONTRACT}),
                ('vault_file_move', {'file': CONTRACT, 'folder': 'free'}),
                ('vault_file_move', {'file': 'free/CONTEXT.md', 'folder': STAGE}),
                ('vault_file_rename', {'file': CONTRACT, 'name': 'old.md'}),
                ('vault_file_rename', {'file': f'{STAGE}/../x', 'name': 'CONTEXT.md'}),
                ('vault_file_copy', {'file': 'free/x.md', 'to': 'stages/03-file/CONTEXT.md'}),
                ('vault_file_trash', {'file': CONTRACT}),
                ('vault_file_restore', {'file': gone_file}),
                ('vault_file_revert', {'file': CONTRACT, 'version': '1'}),
                ('vault_folder_move', {'folder': STAGE, 'to': 'free'}),
                ('vault_folder_move', {'folder': 'stages', 'to': 'free'}),
                ('vault_folder_rename', {'folder': STAGE, 'name': '09-all'}),
                ('vault_folder_rename', {'folder': 'free', 'name': '09-free'}),
                ('vault_folder_trash', {'folder': STAGE}),
                ('vault_folder_trash', {'folder': 'stages'}),
                ('vault_folder_trash', {'folder': world.workspace}),
                ('vault_folder_restore', {'folder': gone})):
            code = error_of(server.call(tool, arguments))[0]
            check(code == 'PERMISSION_DENIED' or '..' in str(arguments) and
                  code == 'INVALID_ARGUMENT', tool, arguments, code)
        given(server, 'vault_workspace_checkout', {'dir': 'co'})
        box.write(f'co/{CONTRACT}', 'evil\n')
        box.write('co/plan.md', 'changed\n')
        commit = {'dir': 'co', 'message': 'm'}
        for more in ({}, {'onto_latest': True}):
            refused(server, 'PERMISSION_DENIED', 'vault_workspace_commit', {**commit, **more})
        os.unlink(os.path.join(box.root, 'co', CONTRACT))
        refused(server, 'PERMISSION_DENIED', 'vault_workspace_commit', {**commit, 'deletions': True})
        equal(vault.value('folder', 'tree', '/mine'), before, 'nothing changed')
        given(server, 'vault_file_put', {'file': f'{STAGE}/output/x.md', 'content': 'x'})


@test('vault tools: local paths outside of the roots, and those of Stile itself, are refused')
def paths():
    with Box() as box:
        world = World(box)
        server = world.serve()
        box.write('in', 'x')
        os.symlink('/etc', os.path.join(box.root, 'link'))
        for path in ('/etc/hostname', '../data/vault.db', 'link/hostname', box.data,
                     world.vault.credential, f'{box.root}/../home'):
            for tool, arguments in (('vault_file_upload', {'paths': ['in', path]}),
                                    ('vault_workspace_checkout', {'dir': path}),
                                    ('vault_workspace_status', {'dir': path}),
                                    ('vault_workspace_commit', {'dir': path, 'message': 'm'})):
                refused(server, 'INVALID_ARGUMENT', tool, arguments)
        equal(world.vault.value('file', 'list', '/mine')['entries'][0]['name'], 'plan.md')
        equal(len(world.vault.value('file', 'list', '/mine')['entries']), 1)


@test('vault tools: bytes of arguments arrive as data, NUL is refused, large content goes by stdin')
def data():
    with Box() as box:
        world = World(box)
        server = world.serve()
        for name in ('-rf', '--json', "$(id) `id` 'q' \"q\" *", '漢字 🍸', '--within=x', 'a b'):
            given(server, 'vault_file_put', {'file': name, 'content': f'-{name}\n', 'message': name})
            got = given(server, 'vault_file_get', {'file': name})
            equal((got['content'], got['version']['message']), (f'-{name}\n', name))
            given(server, 'vault_file_metadata_set', {'file': name, 'set': {'-k': name}})
            equal(given(server, 'vault_file_info', {'file': name})['metadata'], {'-k': name})
            given(server, 'vault_file_trash', {'file': name})
        large = 'ab\n' * 200000
        given(server, 'vault_file_put', {'file': 'large', 'content': large})
        equal(world.vault.get('/mine/large').decode(), large)
        refused(server, 'LIMIT_EXCEEDED', 'vault_file_get', {'file': 'large'})
        equal(given(server, 'vault_file_get', {'file': 'large', 'max_size': 1000000})['content'], large)
        for arguments in ({'file': 'a\0b', 'content': 'x'}, {'file': 'a', 'content': 'x\0'},
                          {'file': 'a', 'content': 'x', 'message': 'm' * 4001},
                          {'file': 'x' * 4097, 'content': 'x'}, {'file': '', 'content': 'x'},
                          {'file': 'a', 'content': 'x', 'expect': '-1'},
                          {'file': 'a', 'content': 'x', 'expect': '--new'},
                          {'file': 'a', 'content': 'x', 'odd': 1}, {'content': 'x'}):
            refused(server, 'INVALID_ARGUMENT', 'vault_file_put', arguments)
        refused(server, 'NOT_FOUND', 'vault_file_info', {'file': 'a'})


@test('vault tools: nobody else\'s version is written over')
def expected():
    with Box() as box:
        world = World(box)
        server = world.serve()
        read = given(server, 'vault_file_get', {'file': 'plan.md'})['version']
        world.vault.put('/mine/plan.md', b'two\n')
        for expect in (str(read['version']), read['id'], '0'):
            refused(server, 'CONFLICT', 'vault_file_put',
                    {'file': 'plan.md', 'content': 'three\n', 'expect': expect})
        refused(server, 'ALREADY_EXISTS', 'vault_file_put',
                {'file': 'plan.md', 'content': 'three\n', 'new': True})
        equal(world.vault.get('/mine/plan.md'), b'two\n')
        given(server, 'vault_file_put', {'file': 'plan.md', 'content': 'three\n', 'expect': '2'})
        given(server, 'vault_workspace_checkout', {'dir': 'co'})
        box.write('co/plan.md', 'four\n')
        box.write('co/new.md', 'new\n')
        world.vault.put('/mine/plan.md', b'five\n')
        result = server.call('vault_workspace_commit', {'dir': 'co', 'message': 'm'})
        equal(error_of(result)[0], 'CONFLICT')
        check('plan.md' in text_of(result) and 'new.md' not in text_of(result), text_of(result))
        equal(world.vault.get('/mine/plan.md'), b'five\n')
        equal([e['name'] for e in world.vault.value('file', 'list', '/mine')['entries']], ['plan.md'])


@test('vault tools: the vault refuses what a tool shows but the rank on the target does not allow')
def rank_of_target():
    with Box() as box:
        world = World(box, 'read')
        world.vault.value('grant', 'set', f'/mine/{STAGE}', 'agent', 'manage')
        server = world.serve()
        check('vault_file_trash' in names(server), 'the rank on the stage counts for the list')
        for tool, arguments in (('vault_file_put', {'file': 'plan.md', 'content': 'x'}),
                                ('vault_file_trash', {'file': 'plan.md'}),
                                ('vault_folder_create', {'folder': 'new'}),
                                ('vault_access_grant', {'folder': world.workspace,
                                                        'principal': 'agent', 'rank': 'manage'})):
            refused(server, 'PERMISSION_DENIED', tool, arguments)
        given(server, 'vault_file_put', {'file': f'{STAGE}/notes.md', 'content': 'x'})
        given(server, 'vault_file_trash', {'file': f'{STAGE}/notes.md'})


# ---- each tool ----

@test('vault tools: each tool answers, in one session, what the vault says')
def each_tool():
    with Box() as box:
        world = World(box)
        server = world.serve()
        called = set()

        def ok(tool, arguments=None):
            called.add(tool)
            return given(server, tool, arguments)

        equal(ok('vault_whoami')['kind'], 'agent')
        check(ok('vault_mcp_context')['surfaces'], 'surfaces')
        equal([w['id'] for w in ok('vault_workspace_list')['items']], [world.workspace])
        ok('vault_template_list')
        equal(ok('vault_stage_list')['stages'][0]['name'], '01-all')
        equal(ok('vault_stage_show', {'stage': '01-all'})['path'], f'{world.workspace}/{STAGE}')
        equal(ok('vault_workspace_info')['id'], world.workspace)
        check(world.workspace in json.dumps(ok('vault_workspace_lineage')), 'lineage')

        # files
        first = ok('vault_file_put', {'file': 'notes.md', 'content': 'owls\n', 'message': 'first'})
        equal((first['version'], first['unchanged']), (1, False))
        equal(given(server, 'vault_file_put', {'file': 'notes.md', 'content': 'owls\n'})['unchanged'], True)
        given(server, 'vault_file_put', {'file': 'notes.md', 'content': 'owls and stiles\n', 'expect': '1'})
        equal(ok('vault_file_get', {'file': 'notes.md'})['content'], 'owls and stiles\n')
        equal(ok('vault_version_get', {'version': first['id']})['content'], 'owls\n')
        equal([v['version'] for v in ok('vault_file_versions', {'file': 'notes.md'})['items']], [2, 1])
        diff = ok('vault_file_diff', {'file': 'notes.md', 'from': '1', 'to': '2'})
        equal((diff['added'], diff['removed']), (1, 1))
        ok('vault_tag_add', {'file': 'notes.md', 'tag': 'for-review'})
        equal(ok('vault_file_metadata_set', {'file': 'notes.md', 'set': {'a': '1', 'b': '2'}})['metadata'],
              {'a': '1', 'b': '2'})
        info = ok('vault_file_info', {'file': 'notes.md'})
        equal((info['path'], info['tags'], info['version']),
              (f'{world.workspace}/notes.md', ['for-review'], 2))
        equal(info['id'], given(server, 'vault_file_info', {'file': info['path']})['id'], 'a path is a ref')
        equal(ok('vault_tag_list')['items'], [{'tag': 'for-review', 'files': 1}])
        found = ok('vault_file_find', {'text': 'stil*', 'tags': ['for-review'], 'metadata': {'a': '1'}})
        equal([(f['id'], '[stiles]' in f['snippet']) for f in found['items']], [(info['id'], True)])
        ok('vault_tag_remove', {'file': 'notes.md', 'tag': 'for-review'})
        equal(ok('vault_file_list')['items'][0]['path'], f'{world.workspace}/notes.md')
        box.write('up/a.bin', b'\0\1')
        equal(ok('vault_file_upload', {'paths': ['up'], 'recursive': True})['files'], 1)

        # folders
        equal(ok('vault_folder_create', {'folder': 'new/deep', 'parents': True})['kind'], 'folder')
        equal(ok('vault_file_move', {'file': 'notes.md', 'folder': 'new'})['path'],
              f'{world.workspace}/new/notes.md')
        equal(ok('vault_file_rename', {'file': 'new/notes.md', 'name': 'n.md'})['name'], 'n.md')
        equal(ok('vault_file_copy', {'file': 'new/n.md', 'to': 'new/deep/c.md'})['version'], 1)
        equal(ok('vault_file_revert', {'file': 'new/n.md', 'version': '1', 'message': 'back'})['version'], 3)
        trashed = ok('vault_file_trash', {'file': 'new/n.md'})
        check(trashed['trashed_at'], trashed)
        equal([f['id'] for f in given(server, 'vault_file_list', {'folder': 'new', 'trash': True})['items']],
              [trashed['id']])
        equal(ok('vault_file_restore', {'file': trashed['id']})['trashed_at'], None)
        equal(ok('vault_folder_rename', {'folder': 'new/deep', 'name': 'far'})['name'], 'far')
        ok('vault_folder_move', {'folder': 'new/far', 'to': 'up'})
        ok('vault_folder_trash', {'folder': 'up/far'})
        ok('vault_folder_restore', {'folder': 'up/far'})
        equal(ok('vault_folder_info', {'folder': 'up/far'})['rank'], 'manage')
        equal([e['path'].split('/', 1)[1] for e in ok('vault_folder_list', {'folder': 'up'})['items']],
              ['up/a.bin', 'up/far'])
        tree = ok('vault_folder_tree', {'folder': 'up'})['items']
        equal([e['path'].split('/', 1)[1] for e in tree], ['up/a.bin', 'up/far', 'up/far/c.md'])

        # templates and workspaces within the workspace
        world.vault.value('principal', 'add', 'eve', '--kind', 'agent')
        ok('vault_access_grant', {'folder': 'up', 'principal': 'eve', 'rank': 'read'})
        grants = ok('vault_access_list', {'folder': 'up', 'inherited': True})['items']
        equal({(g['principal'], g['rank']) for g in grants},
              {('eve', 'read'), ('agent', 'manage'), ('ada', 'manage')})
        equal([g['folder'] for g in grants if g['principal'] == 'ada'], [None], 'from above')
        ok('vault_access_revoke', {'folder': 'up', 'principal': 'eve'})
        ok('vault_template_create', {'folder': 'up', 'name': 'pack'})
        ok('vault_template_publish', {'template': 'pack', 'message': 'v1'})
        equal(ok('vault_template_show', {'template': 'pack'})['version']['version'], 1)
        ok('vault_workspace_instantiate', {'template': 'pack', 'to': 'made'})
        ok('vault_workspace_derive', {'workspace': 'made', 'to': 'derived'})

        # a checkout
        ok('vault_workspace_checkout', {'dir': 'co'})
        with open(os.path.join(box.root, 'co/plan.md'), 'rb') as f:
            equal(f.read(), b'one\n')
        box.write('co/plan.md', 'one, two\n')
        check('plan.md' in json.dumps(ok('vault_workspace_status', {'dir': 'co'})), 'what changed')
        ok('vault_workspace_commit', {'dir': 'co', 'message': 'two'})
        equal(world.vault.get('/mine/plan.md'), b'one, two\n')
        called.add('vault_workspace_walk_test')
        walk = server.call('vault_workspace_walk_test')
        check('01-all' in text_of(walk), walk)
        equal(sorted(called), sorted(TOOLS), 'each was called')
        check(world.vault.is_sound(), 'sound')


@test('vault tools: lists go on page by page, each entry once')
def pages():
    with Box() as box:
        world = World(box)
        vault, server = world.vault, world.serve()
        for i in range(7):
            vault.put(f'/mine/n{i}.txt', f'word {i}\n'.encode())
            vault.put('/mine/plan.md', f'{i}\n'.encode())
        for tool, arguments, wanted in (
                ('vault_file_list', {}, 8), ('vault_folder_list', {}, 9), ('vault_folder_tree', {}, 12),
                ('vault_file_find', {'name': '*.txt'}, 7), ('vault_file_find', {'text': 'word'}, 7),
                ('vault_file_versions', {'file': 'plan.md'}, 8)):
            seen, cursor = [], None
            for _ in range(10):
                page = given(server, tool, {**arguments, 'limit': 3, **({'cursor': cursor} if cursor else {})})
                check(len(page['items']) <= 3, tool, page)
                seen += [item['id'] for item in page['items']]
                cursor = page['nextCursor']
                if cursor is None:
                    break
            equal((len(seen), len(set(seen))), (wanted, wanted), f'{tool} {arguments}')


@test('vault tools: resources are the same lists, in the same scope')
def resources():
    with Box() as box:
        world = World(box)
        server = world.serve()
        equal([r['uri'] for r in server.result('resources/list')['resources']],
              ['vault://workspaces', 'vault://templates'])
        read = server.result('resources/read', {'uri': 'vault://workspaces'})['contents'][0]['text']
        equal([w['id'] for w in json.loads(read)['items']], [world.workspace])
        uri = f'vault://workspaces/{world.workspace}/stages'
        read = server.result('resources/read', {'uri': uri})['contents'][0]['text']
        equal([s['name'] for s in json.loads(read)['stages']], ['01-all'])
        for workspace in (world.other, 'wsp_' + '0' * 26):
            server.error('resources/read', {'uri': f'vault://workspaces/{workspace}/stages'})


@test('vault tools: every command of stile vault is a tool, or left out with a reason')
def parity():
    with Box() as box:
        _, overview, _ = box.command('vault', '--help')
        commands = re.findall(r'(?m)^  vault ([a-z-]+(?: [a-z-]+)?) +[A-Z]', overview.decode())
        check(len(commands) > 50, commands)
        _, table, _ = box.command('surface', 'coverage', 'vault')
        covered = [re.split(r'  +', line)[0] for line in table.decode().splitlines()[1:]]
        equal(sorted(set(commands) - set(covered)), [], 'commands without a tool or a reason')
        equal(sorted(set(covered) - set(commands)), [], 'tools and reasons without a command')


@test('vault tools: docs/vault.md has a row for each tool, with its rank')
def documented():
    with Box() as box:
        _, out, _ = box.command('surface', 'show', 'vault', '--json')
        wanted = {t['name']: 'discovery' if t['name'] in DISCOVERY else t['rank']
                  for t in json.loads(out)['result']['tools']}
        page = os.path.join(os.path.dirname(__file__), '..', '..', 'docs', 'vault.md')
        with open(page, encoding='utf-8') as f:
            rows = re.findall(r'(?m)^\| `(vault_\w+)` \| (\w+) \|', f.read())
        equal(dict(rows), wanted)
        equal(len(rows), len(TOOLS))
        equal(wanted, {**dict.fromkeys(DISCOVERY, 'discovery'), **dict.fromkeys(READ, 'read'),
                       **dict.fromkeys(WRITE, 'write'), **dict.fromkeys(MANAGE, 'manage')})
