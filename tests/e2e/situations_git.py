# SPDX-License-Identifier: MIT
"""The git surface on real repositories, hostile ones included."""

import os

from stile import (Box, check, code_of, equal, test, value_of)


def git_server(box):
    server = box.serve(surfaces=['git'])
    server.shake()
    return server


@test('git: each tool answers on a small repository')
def each_tool():
    with Box() as box:
        repo = box.repository()
        box.git('tag', 'v1', cwd=repo)
        box.write('repo/a.txt', 'two\n')
        server = git_server(box)
        for tool, arguments in (
                ('git_status', {}), ('git_log', {}), ('git_show', {}), ('git_diff', {}),
                ('git_blame', {'file': 'a.txt'}), ('git_branches', {}), ('git_tags', {}),
                ('git_file', {'file': 'a.txt'}), ('git_grep', {'pattern': 'one'}),
                ('git_ls_files', {}), ('git_merge_base', {'a': 'HEAD', 'b': 'HEAD'}),
                ('git_shortlog', {}), ('git_stash_list', {})):
            known = {t['name']: t for t in server.result('tools/list')['tools']}[tool]
            check(set(arguments) <= set(known['inputSchema']['properties']), tool,
                  'takes', list(known['inputSchema']['properties']))
            result = server.call(tool, {'path': repo, **arguments})
            check(not result.get('isError'), tool, result)


@test('git: the log tells commits exactly, with every kind of text in them')
def exact_log():
    with Box() as box:
        repo = box.repository()
        message = 'zweite "Zeile" 🍸\n\nbody\nmore'
        box.git('commit', '-q', '--allow-empty', '-m', message, cwd=repo)
        log = value_of(git_server(box).call('git_log', {'path': repo}))
        first = log['items'][0]
        equal(first['subject'], 'zweite "Zeile" 🍸')
        equal(first['commit'], box.git('rev-parse', 'HEAD', cwd=repo).decode().strip())


@test('git: file names that are no ordinary text survive')
def odd_file_names():
    with Box() as box:
        repo = box.repository()
        names = ['ünï cödé.txt', '-dash', 'new\nline', 'tab\t"quote"', '漢字']
        for name in names:
            box.write(f'repo/{name}', 'x')
        status = value_of(git_server(box).call('git_status', {'path': repo}))
        equal(sorted(e['path'] for e in status['untracked']), sorted(names))


@test('Q39 git: a revision, a path and a pattern cannot become options')
def no_options():
    with Box() as box:
        repo = box.repository()
        target = os.path.join(box.dir, 'written')
        pager = f'--open-files-in-pager=touch {target}'
        server = git_server(box)
        for tool, arguments in (('git_log', {'rev': f'--output={target}'}),
                                ('git_show', {'rev': f'--output={target}'}),
                                ('git_log', {'rev': '-n1'}),
                                ('git_grep', {'pattern': 'x', 'rev': pager})):
            equal(code_of(server.call(tool, {'path': repo, **arguments})), 'INVALID_ARGUMENT', tool)
        result = server.call('git_grep', {'path': repo, 'pattern': '--force'})
        check(not result.get('isError'), result)
        check(not os.path.exists(target), 'an option was smuggled in')


@test('git: a repository whose own configuration names programs is refused until trusted')
def hostile_configuration():
    with Box() as box:
        repo = box.repository()
        mark = os.path.join(box.dir, 'mark')
        box.git('config', 'core.sshCommand', f'touch {mark}; false', cwd=repo)
        server = git_server(box)
        equal(code_of(server.call('git_status', {'path': repo})), 'REPOSITORY_UNTRUSTED')
        box.git('config', '--unset', 'core.sshCommand', cwd=repo)
        box.write('repo/.gitattributes', '*.txt diff=evil\n')
        box.git('config', 'diff.evil.textconv', f'touch {mark}; cat', cwd=repo)
        equal(code_of(server.call('git_diff', {'path': repo})), 'REPOSITORY_UNTRUSTED')
        check(not os.path.exists(mark), 'a program of the repository ran')


@test('git: a folder that is no repository is a classified error')
def no_repository():
    with Box() as box:
        os.mkdir(os.path.join(box.root, 'plain'))
        equal(code_of(git_server(box).call('git_status', {'path': 'plain'})), 'NOT_A_REPOSITORY')


@test('Q44 git: a repository outside the roots is refused')
def outside_roots():
    with Box() as box:
        repo = box.repository()
        os.mkdir(os.path.join(box.root, 'in'))
        server = box.serve('--root', os.path.join(box.root, 'in'), surfaces=['git'], roots=False)
        server.shake()
        equal(code_of(server.call('git_status', {'path': repo})), 'INVALID_ARGUMENT')
