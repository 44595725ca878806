# SPDX-License-Identifier: MIT
"""The git surface on real repositories, hostile ones included."""

import os

from stile import (Box, check, code_of, equal, poll, test, value_of)


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


# ---- writing ----

ASKS = {'elicitation': {}}
YES = {'action': 'accept', 'content': {'confirm': True}}
WRITES = (('git_add', {'paths': ['a.txt', 'b.txt']}),
          ('git_commit', {'message': 'second\n\nbody\n'}),
          ('git_tag_create', {'name': 'v1', 'message': 'the first'}),
          ('git_branch_create', {'name': 'side'}), ('git_switch', {'branch': 'side'}),
          ('git_stash_push', {'message': 'aside', 'untracked': True}))


class Written:
    """A repository with changes to record, a person's configuration, hooks that leave a mark."""

    def __init__(self, box):
        self.box = box
        self.repo = box.repository()
        self.mark = os.path.join(box.dir, 'mark')
        with open(os.path.join(box.dir, '.gitconfig'), 'w', encoding='utf-8') as f:
            f.write('[user]\n\tname = Grace\n\temail = grace@example.org\n')
        for hook in ('pre-commit', 'commit-msg', 'post-commit', 'post-checkout',
                     'reference-transaction'):
            box.write(f'repo/.git/hooks/{hook}', f'#!/bin/sh\necho x >> {self.mark}\n', 0o755)
        box.write('repo/a.txt', 'two\n')
        box.write('repo/b.txt', 'new\n')

    def git(self, *words):
        return self.box.git(*words, cwd=self.repo).decode().strip()

    def state(self):
        """All that a write could change."""
        return (self.git('for-each-ref'), self.git('symbolic-ref', 'HEAD'),
                self.git('-c', 'core.hooksPath=/dev/null', 'status', '--porcelain'))

    def serve(self, *args):
        server = self.box.serve(*args, surfaces=['git'], env=self.box.env(HOME=self.box.dir))
        server.shake('2025-11-25', ASKS)
        return server

    def call(self, server, tool, arguments, answer):
        """Calls it and gives the person's answer."""
        asked = len(server.notes('elicitation/create'))
        call = server.start(tool, {'path': self.repo, **arguments})
        notes = poll(lambda: server.notes('elicitation/create')[asked:], 10, f'{tool} asks')
        server.send({'jsonrpc': '2.0', 'id': notes[0]['id'], 'result': answer})
        return server.answer(call)['result']


@test('git: no tool that writes runs without the option and without a yes, and nothing changes')
def writes_refused():
    with Box() as box:
        written = Written(box)
        before = written.state()
        server = written.serve()
        for tool, arguments in WRITES:
            result = server.call(tool, {'path': written.repo, **arguments})
            equal(code_of(result), 'WRITE_DISABLED', tool)
        server = written.serve('--allow-write', 'git')
        for tool, arguments in WRITES:
            result = written.call(server, tool, arguments, {'action': 'decline'})
            equal(code_of(result), 'WRITE_DECLINED', tool)
        equal(written.state(), before)
        check(not os.path.exists(written.mark), 'a hook ran')
        refusals = [(r['tool'], r['code']) for r in box.ledger() if r['kind'] == 'refusal']
        equal(refusals, [(tool, code) for code in ('WRITE_DISABLED', 'WRITE_DECLINED')
                         for tool, _ in WRITES])
        equal([r for r in box.ledger() if r['kind'] == 'intent'], [])


@test('git: each tool that writes does its one thing after a yes, with the identity of the user')
def writes():
    with Box() as box:
        written = Written(box)
        server = written.serve('--allow-write', 'git')

        def yes(number):
            tool, arguments = WRITES[number]
            result = written.call(server, tool, arguments, YES)
            check(not result.get('isError'), tool, result)
            return result['structuredContent']

        equal(yes(0), {'status': 'ok', 'staged': ['a.txt', 'b.txt']})
        equal(written.git('diff', '--cached', '--name-only'), 'a.txt\nb.txt')
        check('second' in yes(1)['summary'], 'the summary')
        equal(written.git('log', '-1', '--format=%an %ae %cn %s/%b'),
              'Grace grace@example.org Grace second/body')
        yes(2)
        equal(written.git('cat-file', '-t', 'v1'), 'tag')
        equal(written.git('rev-parse', 'v1^{commit}'), written.git('rev-parse', 'HEAD'))
        yes(3)
        equal(written.git('rev-parse', 'side'), written.git('rev-parse', 'HEAD'))
        equal(written.git('symbolic-ref', '--short', 'HEAD'), 'main', 'not switched')
        yes(4)
        equal(written.git('symbolic-ref', '--short', 'HEAD'), 'side')
        box.write('repo/a.txt', 'three\n')
        box.write('repo/c.txt', 'untracked\n')
        yes(5)
        equal(written.git('status', '--porcelain'), '')
        check('aside' in written.git('stash', 'list'), 'the stash')
        check(not os.path.exists(written.mark), 'a hook ran')
        tools = [tool for tool, _ in WRITES]
        for kind in ('intent', 'outcome'):
            equal([r['tool'] for r in box.ledger() if r['kind'] == kind], tools, kind)
        consents = [r['detail'] for r in box.ledger() if r['kind'] == 'consent']
        equal(consents, ['asked', 'accepted'] * len(tools))


@test('git: without an identity, and with nothing to commit, a commit says so')
def no_identity():
    with Box() as box:
        written = Written(box)
        server = written.serve('--allow-write', 'git')
        equal(code_of(written.call(server, 'git_commit', {'message': 'm'}, YES)),
              'NOTHING_TO_COMMIT')
        os.remove(os.path.join(box.dir, '.gitconfig'))
        written.call(server, 'git_add', {'paths': ['a.txt']}, YES)
        box.git('config', 'user.useConfigOnly', 'true', cwd=written.repo)
        equal(code_of(written.call(server, 'git_commit', {'message': 'm'}, YES)),
              'IDENTITY_UNKNOWN')
        equal(written.git('rev-list', '--count', 'HEAD'), '1')
