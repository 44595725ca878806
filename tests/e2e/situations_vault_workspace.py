# SPDX-License-Identifier: MIT
"""Templates, workspaces and stages with the real binary."""

import concurrent.futures
import os

from situations_vault import Vault
from stile import Box, check, equal, test

FILES = {
    'template.yaml': 'description: Notes about one thing.\n'
                     'parameters:\n'
                     '  topic: { description: What it is about }\n'
                     "  slug: { pattern: '[a-z-]+', default: thing }\n",
    'CLAUDE.md': '# {{topic}}\n',
    'stages/01-read/CONTEXT.md': '---\nmcp:\n  tools: [vault_file_get]\n---\n',
    'stages/02-write/CONTEXT.md': '---\nmcp:\n  tools: [vault_file_put]\n---\n{{{{as it is}}\n',
    'notes/{{slug}}.md': 'about {{topic}}\n',
}


def article(vault, folder='/article'):
    """A template of these files, published; its id."""
    for name, text in FILES.items():
        path = os.path.join(vault.box.root, 'article', name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as f:
            f.write(text)
    vault.value('file', 'upload', '--recursive', os.path.join(vault.box.root, 'article', '.'),
                folder)
    template = vault.value('template', 'create', folder)
    equal(template['version'], 0)
    vault.value('template', 'publish', template['id'], '--message', 'first')
    return template['id']


def paths(vault, folder):
    return [entry['path'] for entry in vault.value('folder', 'tree', folder)['entries']]


# ---- refusals ----

@test('workspace: what cannot be made whole is refused, named, and leaves nothing')
def refused():
    with Box() as box:
        vault = Vault(box)
        article(vault)
        before = paths(vault, '/')
        make = ('workspace', 'instantiate', 'article', '/work')
        check('topic is missing: What it is about' in vault.refused('INVALID_ARGUMENT', *make))
        for values, name in ((['topic=x', 'topci=x'], 'topci'), (['topic=x', 'topic=y'], 'topic'),
                             (['topic=x', 'slug=UP'], 'slug'), (['topic=x', 'slug='], 'slug')):
            options = [f'--set={value}' for value in values]
            check(f'parameter {name}' in vault.refused('INVALID_ARGUMENT', *make, *options), name)
        vault.refused('USAGE', *make, '--set', 'topic')
        vault.refused('USAGE', *make, '--version', '0', '--set=topic=x')
        vault.refused('NOT_FOUND', *make, '--version', '2', '--set=topic=x')
        vault.refused('ALREADY_EXISTS', *make[:3], '/article', '--set=topic=x')
        vault.refused('NOT_FOUND', *make[:3], '/none/work', '--set=topic=x')
        vault.refused('INVALID_ARGUMENT', 'workspace', 'derive', '/article', '/work')
        vault.put('/article/notes/wrong.md', b'{{nobody}}\n')
        check('notes/wrong.md: {{nobody}}' in
              vault.refused('INVALID_ARGUMENT', 'template', 'publish', 'article'))
        vault.put('/article/template.yaml', b'parameters:\n  topic:\n    type: text\n')
        check('template.yaml, line 3: type' in
              vault.refused('INVALID_ARGUMENT', 'template', 'publish', 'article'))
        equal(set(paths(vault, '/')) - set(before), {'/article/notes/wrong.md'}, 'nothing else')
        equal(vault.value('template', 'list')['templates'][0]['version'], 1)
        equal(vault.value('workspace', 'list')['workspaces'], [])
        vault.is_sound()


@test('workspace: what is foreign or not granted answers byte for byte as what is absent')
def foreign():
    with Box() as box:
        vault = Vault(box)
        vault.value('folder', 'create', '/secret')
        template = article(vault, '/secret/article')
        vault.value('template', 'instantiate', template, '/secret/work', '--set', 'topic=x')
        work = vault.value('workspace', 'info', '/secret/work')['id']
        vault.value('folder', 'create', '/open')
        reader = vault.token('reader', 'manage', '/open')
        other = os.path.join(box.root, 'other.token')
        vault.value('init', '--org', 'other', '--out', other)
        verbs = [(['template', 'show'], []), (['template', 'publish'], []),
                 (['template', 'instantiate'], ['/open/w', '--set=topic=x']),
                 (['template', 'create'], []), (['workspace', 'derive'], ['/open/w']),
                 (['workspace', 'info'], []), (['workspace', 'lineage'], []),
                 (['stage', 'list'], []), (['stage', 'show'], ['01-read'])]
        for who in (reader, other):
            for verb, more in verbs:
                for there, absent in ((template, 'tpl_' + '0' * 26), ('article', 'articel'),
                                      (work, 'wsp_' + '0' * 26), ('/secret/work', '/secrex/work')):
                    answers = []
                    for ref in (there, absent):
                        status, out, err = vault.raw(*verb, ref, *more, STILE_TOKEN_FILE=who)
                        check(status != 0, verb, ref)
                        answers.append((status, out, err.replace(ref.encode(), b'REF')))
                    equal(answers[0], answers[1], f'{verb} {there}')
            equal(vault.value('template', 'list', STILE_TOKEN_FILE=who)['templates'], [])
            equal(vault.value('workspace', 'list', STILE_TOKEN_FILE=who)['workspaces'], [])


@test('workspace: from within one, no contract is made and nothing else exists')
def within():
    with Box() as box:
        vault = Vault(box)
        article(vault)
        work = vault.value('template', 'instantiate', 'article', '/work', '--set=topic=x')['id']
        limit = f'--within={work}'
        vault.value('folder', 'create', '/work/more')
        vault.refused('NOT_FOUND', limit, 'template', 'instantiate', 'article', 'more/w',
                      '--set=topic=x')
        vault.refused('PERMISSION_DENIED', limit, 'workspace', 'derive', work, 'more/w')
        vault.refused('NOT_FOUND', limit, 'workspace', 'derive', work, '/out')
        equal(vault.value(limit, 'template', 'list')['templates'], [])
        equal([w['id'] for w in vault.value(limit, 'workspace', 'list')['workspaces']], [work])
        equal([s['name'] for s in vault.value(limit, 'stage', 'list', work)['stages']],
              ['01-read', '02-write'])
        equal(paths(vault, '/work/more'), [])


# ---- what works ----

@test('workspace: a template becomes a workspace, that becomes another, and both say where from')
def life():
    with Box() as box:
        vault = Vault(box)
        template = article(vault)
        shown = vault.value('template', 'show', 'article')
        equal([(p['name'], p['required'], p['default'], p['pattern'])
               for p in shown['version']['parameters']],
              [('topic', True, None, None), ('slug', False, 'thing', '[a-z-]+')])
        equal([i['path'] for i in shown['items'] if i.get('has_holes')],
              ['CLAUDE.md', 'notes/{{slug}}.md', 'stages/02-write/CONTEXT.md'])
        made = vault.value('template', 'instantiate', '/article', '/work', '--set=topic=Owls = birds',
                           '--set', 'slug=owls')
        check(made['id'].startswith('wsp_') and made['kind'] == 'workspace', made)
        equal((made['template_id'], made['template'], made['template_version'], made['derived']),
              (template, 'article', 1, False))
        equal(made['parameters'], {'topic': 'Owls = birds', 'slug': 'owls'})
        equal(vault.get('/work/CLAUDE.md'), b'# Owls = birds\n')
        equal(vault.get('/work/notes/owls.md'), b'about Owls = birds\n')
        check(vault.get('/work/stages/02-write/CONTEXT.md').endswith(b'{{as it is}}\n'))
        check('/work/template.yaml' not in paths(vault, '/work'), 'the declaration stays behind')
        stage = vault.value('stage', 'show', made['id'], '02-write')
        check(stage['id'].startswith('stg_'), stage)
        equal((stage['position'], stage['contract_version'], stage['rank']), (2, 1, 'manage'))

        vault.put('/work/notes/owls.md', b'more about them\n')
        vault.value('tag', 'add', '/work/notes/owls.md', 'for-review')
        vault.value('file', 'metadata', '/work/notes/owls.md', '--set', 'status=open')
        vault.value('workspace', 'derive', '/work', '/next')
        equal(vault.get('/next/notes/owls.md'), b'more about them\n')
        equal(vault.value('file', 'metadata', '/next/notes/owls.md')['metadata'],
              {'status': 'open'})
        equal([e['path'] for e in vault.value('tag', 'find', '/next', 'for-review')['entries']],
              ['/next/notes/owls.md'])
        vault.put('/article/CLAUDE.md', b'another text\n')
        vault.value('template', 'publish', 'article')
        for verb in ('trash', 'purge'):
            vault.value('folder', verb, '/work')
        vault.value('gc')
        lineage = vault.value('workspace', 'lineage', '/next')['lineage']
        equal([(w['name'], w['path'], w['template_version'], w['derived_from']) for w in lineage],
              [('next', '/next', 1, 'work'), ('work', None, 1, None)])
        equal(lineage[1]['parameters'], {'topic': 'Owls = birds', 'slug': 'owls'})
        reader = vault.token('reader', 'read', '/next')
        lineage = vault.value('workspace', 'lineage', '/next', STILE_TOKEN_FILE=reader)['lineage']
        equal(lineage[1:], [{'visible': False}])
        equal((lineage[0]['template'], lineage[0]['derived_from']), (None, None))
        check(b'not visible' in vault.raw('workspace', 'lineage', '/next',
                                          STILE_TOKEN_FILE=reader)[1])
        vault.value('template', 'instantiate', 'article', '/old', '--version', '1',
                    '--set=topic=x')
        equal(vault.get('/old/CLAUDE.md'), b'# x\n')
        vault.is_sound()


@test('workspace: of those who make the same one at the same time, one does')
def race():
    with Box() as box:
        vault = Vault(box)
        article(vault)
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            ends = list(pool.map(lambda _: vault.raw('template', 'instantiate', 'article', '/work',
                                                     '--set=topic=x')[0], range(6)))
        equal(sorted(ends), [0, 1, 1, 1, 1, 1])
        equal(len(vault.value('workspace', 'list')['workspaces']), 1)
        vault.is_sound()


@test('workspace: the demo is whole, its contracts are valid and nothing in it is left open')
def demo():
    with Box() as box:
        vault = Vault(box, init=False)
        status, out, _ = vault.raw('init', '--demo')
        equal(status, 0)
        check(b'stile vault stage list /demo' in out, 'what to look at next')
        stages = vault.value('stage', 'list', '/demo')['stages']
        equal([s['name'] for s in stages], ['01-research', '02-draft', '03-review'])
        for stage in stages:
            equal(stage['folders'], ['output', 'references'])
            scope = vault.value('scope', '--workspace=/demo', f'--stage={stage["name"]}')
            equal(scope['reason'], None)
            check('vault_file_get' in scope['tools'], scope)
            equal(sorted(scope['visible']), sorted(scope['tools']))
        for entry in vault.value('folder', 'tree', '/demo')['entries']:
            if entry['kind'] == 'file':
                text = vault.get(entry['path']).decode()
                check('{{' not in text, entry['path'])
                check(all(len(line) <= 110 for line in text.split('\n')), entry['path'])
        check('/demo/template.yaml' not in paths(vault, '/demo'))
        equal(vault.value('template', 'show', 'article')['version']['version'], 1)
        vault.value('template', 'instantiate', 'article', '/owls', '--set', 'topic=Owls')
        check(vault.get('/owls/CLAUDE.md').startswith(b'# Owls\n'))
        vault.is_sound()
