# SPDX-License-Identifier: MIT
"""Hostile repositories: whatever one tries, from every tool, nothing of it is executed.

Each trap is armed twice: in a repository that nobody trusts, where naming a program is refused, and
(where the trap lies in what fixed arguments switch off) in a folder that the host trusts, where
it must still not fire. A trap that fires leaves a mark.
"""

import os
import stat

from stile import Box, check, code_of, equal, test

READS = (('git_status', {}), ('git_status', {'untracked': 'no', 'ignored': True}), ('git_log', {}),
         ('git_log', {'changes': 'one'}), ('git_log', {'all': True}), ('git_show', {}),
         ('git_show', {'show': 'stat'}), ('git_diff', {}), ('git_diff', {'staged': True}),
         ('git_diff', {'from': 'HEAD', 'show': 'stat'}), ('git_blame', {'file': 'a.txt'}),
         ('git_branches', {'remote': True}), ('git_tags', {}), ('git_file', {'file': 'a.txt'}),
         ('git_grep', {'pattern': 'two'}), ('git_grep', {'pattern': 'one', 'rev': 'HEAD'}),
         ('git_ls_files', {}), ('git_ls_files', {'which': 'modified'}),
         ('git_ls_files', {'which': 'untracked'}), ('git_merge_base', {'a': 'HEAD', 'b': 'HEAD'}),
         ('git_shortlog', {}), ('git_stash_list', {}))
WRITES = (('git_add', {'paths': ['a.txt']}), ('git_commit', {'message': 'm', 'all': True}),
          ('git_tag_create', {'name': 't1', 'message': 'm'}), ('git_branch_create', {'name': 'b1'}),
          ('git_switch', {'branch': 'b1'}), ('git_stash_push', {}))

# What a repository's configuration can say to have a program run; EVIL is its path.
CONFIGURED = {
    'ssh': ['core.sshCommand=EVIL'],
    'git proxy': ['core.gitProxy=EVIL'],
    'ask pass': ['core.askPass=EVIL'],
    'filter': ['filter.evil.clean=EVIL', 'filter.evil.smudge=EVIL', 'filter.evil.required=true'],
    'filter process': ['filter.evil.process=EVIL'],
    'external diff': ['diff.external=EVIL'],
    'diff driver': ['diff.evil.command=EVIL'],
    'textconv': ['diff.evil.textconv=EVIL'],
    'merge driver': ['merge.evil.driver=EVIL'],
    'signature program': ['gpg.program=EVIL', 'log.showSignature=true', 'commit.gpgSign=true'],
    'ssh signature program': ['gpg.ssh.program=EVIL', 'gpg.format=ssh', 'tag.gpgSign=true'],
    'credential helper': ['credential.helper=!EVIL'],
    'alternate refs': ['core.alternateRefsCommand=EVIL'],
    'pack objects hook': ['uploadpack.packObjectsHook=EVIL'],
    'upload pack': ['remote.origin.uploadpack=EVIL', 'remote.origin.url=.'],
    'ext transport': ['remote.origin.vcs=ext'],
    'trailer': ['trailer.x.command=EVIL'],
    'diff filter': ['interactive.diffFilter=EVIL'],
    'submodule update': ['submodule.x.update=!EVIL'],
    'include': ['include.path=EVIL.config'],
    'configured hook': ['hook.evil.command=EVIL', 'hook.evil.event=post-commit'],
    'conditional include': ['includeIf.gitdir:/.path=EVIL.config'],
}

# What fixed arguments and variables switch off, so that it may stand in a configuration.
TOLERATED = {
    'fsmonitor': ['core.fsmonitor=EVIL'],
    'hooks path': ['core.hooksPath=HOOKS'],
    'pager': ['core.pager=EVIL', 'pager.log=EVIL', 'pager.diff=true'],
    'editor': ['core.editor=EVIL', 'sequence.editor=EVIL'],
    'alias': ['alias.log=!EVIL', 'alias.status=!EVIL'],
    'lazy fetch': ['extensions.partialClone=origin', 'remote.origin.promisor=true',
                   'remote.origin.url=ext::EVIL'],
}

HOOKS = ('pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'post-checkout',
         'post-index-change', 'reference-transaction', 'pre-auto-gc', 'fsmonitor-watchman')


class Trap:
    """A repository with one trap in it, and the mark it leaves when it fires."""

    def __init__(self, box, settings=(), hooks=False):
        self.box = box
        self.mark = os.path.join(box.dir, 'mark')
        self.evil = os.path.join(box.dir, 'evil')
        self.repo = box.repository()
        self.script(self.evil)
        with open(self.evil + '.config', 'w', encoding='utf-8') as f:
            f.write(f'[core]\n\tfsmonitor = {self.evil}\n')
        self.folder = os.path.join(box.dir, 'hooks')
        os.mkdir(self.folder)
        for hook in HOOKS:
            self.script(os.path.join(self.folder, hook))
        box.write('repo/.gitattributes', '*.txt filter=evil diff=evil merge=evil\n')
        box.git('add', '.gitattributes', cwd=self.repo)
        box.git('commit', '-q', '-m', 'attributes', cwd=self.repo)
        box.git('config', 'user.name', 'Ada', cwd=self.repo)
        box.git('config', 'user.email', 'a@x', cwd=self.repo)
        for hook in HOOKS if hooks else ():
            self.script(os.path.join(self.repo, '.git', 'hooks', hook))
        box.write('repo/a.txt', 'one\ntwo\n')
        box.write('repo/new.txt', 'new\n')
        for setting in settings:
            name, value = setting.split('=', 1)
            value = value.replace('EVIL', self.evil).replace('HOOKS', self.folder)
            box.git('config', name, value, cwd=self.repo)
        if os.path.exists(self.mark):   # arming it may have fired it
            os.remove(self.mark)

    def script(self, path):
        with open(path, 'w', encoding='utf-8') as f:
            f.write(f'#!/bin/sh\necho "$0" >>{self.mark}\nexit 1\n')
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)

    def fired(self):
        if not os.path.exists(self.mark):
            return ''
        with open(self.mark, encoding='utf-8') as f:
            return f.read()

    def serve(self, trusted=False):
        if trusted:
            with open(os.path.join(self.box.data, 'config.yaml'), 'w', encoding='utf-8') as f:
                os.fchmod(f.fileno(), 0o600)
                f.write(f'trusted_folders: [{self.repo}]\n')
        server = self.box.serve('--allow-write', 'git', '--allow-noninteractive-write', 'git',
                                surfaces=['git'], env=self.box.env(HOME=self.box.dir))
        server.shake()
        return server

    def try_all(self, server, wanted):
        for tool, arguments in READS + WRITES:
            result = server.call(tool, {'path': self.repo, **arguments})
            if wanted:
                equal(code_of(result), wanted, tool)
            check(not self.fired(), tool, 'ran', self.fired())


def refused(name, settings):
    @test(f'hostile git: {name} in a configuration is refused by every tool')
    def case():
        with Box() as box:
            trap = Trap(box, settings)
            trap.try_all(trap.serve(), 'REPOSITORY_UNTRUSTED')
            rows = [row for row in box.ledger() if row['kind'] == 'refusal']
            equal(len(rows), len(READS + WRITES))
    return case


def harmless(name, settings):
    @test(f'hostile git: {name} never runs, in a trusted folder either')
    def case():
        for trusted in (False, True):
            with Box() as box:
                trap = Trap(box, settings)
                trap.try_all(trap.serve(trusted), None)
    return case


globals().update({f'refused_{name}': refused(name, settings)
                  for name, settings in CONFIGURED.items()})
globals().update({f'harmless_{name}': harmless(name, settings)
                  for name, settings in TOLERATED.items()})


@test('hostile git: hooks in the repository never run')
def hooks():
    with Box() as box:
        trap = Trap(box, hooks=True)
        server = trap.serve()
        trap.try_all(server, None)
        log = box.git('log', '--oneline', cwd=trap.repo).decode()
        equal(len(log.splitlines()), 3, 'the commit was made, without its hooks')


@test('hostile git: a worktree configuration is looked at too')
def worktree_configuration():
    with Box() as box:
        trap = Trap(box)
        box.git('config', 'extensions.worktreeConfig', 'true', cwd=trap.repo)
        box.git('config', '--worktree', 'core.sshCommand', trap.evil, cwd=trap.repo)
        trap.try_all(trap.serve(), 'REPOSITORY_UNTRUSTED')


@test('hostile git: a repository above the root is not reached from below')
def repository_above():
    with Box() as box:
        trap = Trap(box)
        inner = os.path.join(trap.repo, 'inner')
        os.mkdir(inner)
        server = box.serve('--root', inner, surfaces=['git'], roots=False)
        server.shake()
        equal(code_of(server.call('git_log', {'path': inner})), 'REPOSITORY_UNTRUSTED')


@test('hostile git: a git file, alternates and links that lead outside are refused')
def parts_outside():
    for kind in ('git file', 'alternates', 'objects link', 'head link', 'worktree'):
        with Box() as box:
            other = os.path.join(box.dir, 'private')
            os.mkdir(other)
            box.git('init', '-q', '-b', 'main', cwd=other)
            box.git('commit', '-q', '--allow-empty', '-m', 'secret', cwd=other)
            repo = box.repository()
            git = os.path.join(repo, '.git')
            if kind == 'git file':
                os.rename(git, os.path.join(box.dir, 'away'))
                box.write('repo/.git', f'gitdir: {other}/.git\n')
            elif kind == 'alternates':
                box.write('repo/.git/objects/info/alternates', f'{other}/.git/objects\n')
            elif kind == 'objects link':
                os.rename(os.path.join(git, 'objects'), os.path.join(box.dir, 'away'))
                os.symlink(os.path.join(other, '.git', 'objects'), os.path.join(git, 'objects'))
            elif kind == 'head link':
                os.remove(os.path.join(git, 'HEAD'))
                os.symlink(os.path.join(other, '.git', 'HEAD'), os.path.join(git, 'HEAD'))
            else:
                box.git('config', 'core.worktree', other, cwd=repo)
            server = box.serve(surfaces=['git'])
            server.shake()
            equal(code_of(server.call('git_log', {'path': repo})), 'REPOSITORY_UNTRUSTED', kind)


@test('hostile git: what only looks like a repository is refused, not passed by')
def unsound():
    with Box() as box:
        repo = box.repository()
        inner = os.path.join(repo, 'inner')
        os.makedirs(os.path.join(inner, '.git', 'objects'))
        server = box.serve(surfaces=['git'])
        server.shake()
        equal(code_of(server.call('git_log', {'path': inner})), 'REPOSITORY_UNTRUSTED')


def with_submodule(box, settings):
    """A trap's repository with a changed submodule whose own configuration holds the trap."""
    trap = Trap(box)
    inner = os.path.join(trap.repo, 'sub')
    box.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', trap.repo, 'sub',
            cwd=trap.repo)
    box.git('config', '-f', '.gitmodules', 'submodule.sub.ignore', 'none', cwd=trap.repo)
    box.git('add', '.', cwd=trap.repo)
    box.git('commit', '-q', '-m', 'submodule', cwd=trap.repo)
    for setting in settings:
        box.git('config', setting, trap.evil, cwd=inner)
    git_dir = box.git('rev-parse', '--absolute-git-dir', cwd=inner).decode().strip()
    os.makedirs(os.path.join(git_dir, 'info'), exist_ok=True)
    with open(os.path.join(git_dir, 'info', 'attributes'), 'w', encoding='utf-8') as f:
        f.write('* filter=evil\n')
    # The same size at another time: only a filtered comparison tells whether it has changed.
    name = os.path.join(inner, 'a.txt')
    size = os.path.getsize(name)
    with open(name, 'w', encoding='utf-8') as f:
        f.write('z' * (size - 1) + '\n')
    os.utime(name, (1, 1))
    if os.path.exists(trap.mark):
        os.remove(trap.mark)
    return trap, inner


@test('hostile git: a submodule whose configuration names programs is refused with its parent')
def submodule():
    for settings in (['filter.evil.clean'], ['core.sshCommand', 'filter.evil.process']):
        for version in ('2', '4'):
            with Box() as box:
                trap, inner = with_submodule(box, settings)
                box.git('update-index', '--index-version', version, cwd=trap.repo)
                server = trap.serve()
                trap.try_all(server, 'REPOSITORY_UNTRUSTED')
                equal(code_of(server.call('git_status', {'path': inner})), 'REPOSITORY_UNTRUSTED')


@test('hostile git: a submodule that names nothing is no obstacle, checked out or not')
def harmless_submodule():
    with Box() as box:
        trap, inner = with_submodule(box, ['core.fsmonitor'])
        server = trap.serve()
        trap.try_all(server, None)
        check(not server.call('git_status', {'path': trap.repo}).get('isError'), 'checked out')
        box.git('submodule', '--quiet', 'deinit', '-f', 'sub', cwd=trap.repo)
        check(not server.call('git_status', {'path': trap.repo}).get('isError'), 'not checked out')


@test('hostile git: a difference never reads a file outside the repository')
def no_index():
    with Box() as box:
        repo = box.repository()
        strange = box.repository('strange')
        box.git('config', 'core.repositoryFormatVersion', '99', cwd=strange)
        os.mkdir(os.path.join(box.root, 'plain'))
        secret = os.path.join(box.dir, 'secret.txt')
        with open(secret, 'w', encoding='utf-8') as f:
            f.write('hunter2-hunter2')
        server = box.serve(surfaces=['git'])
        server.shake()
        pairs = (['/dev/null', secret], [secret, '/dev/null'], ['a.txt', '../../secret.txt'],
                 ['-', secret])
        for path in (repo, strange, 'plain'):
            calls = [{'paths': pair} for pair in pairs]
            calls += [{'from': '/dev/null', 'to': secret}] if path != repo else []
            for show in ('patch', 'stat', 'names'):
                for call in calls:
                    result = server.call('git_diff', {'path': path, 'show': show, **call})
                    equal(code_of(result), 'OUTSIDE_REPOSITORY', f'{path} {call}')
                    check('hunter2' not in str(result), path, call, result)
