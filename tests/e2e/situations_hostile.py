# SPDX-License-Identifier: MIT
"""Hostile repositories: whatever one tries, from every tool, nothing of it is executed.

Each trap is armed twice: in a repository that nobody trusts, where naming a program is refused, and
(where the trap lies in what fixed arguments switch off) in a folder that the host trusts, where
it must still not fire. A trap that fires leaves a mark. Where plain git can spring a trap without
a terminal, it does so first, so that no test passes because its trap is dead.
"""

import hashlib
import os
import shutil
import stat
import subprocess

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

# What fixed arguments and variables switch off, so that it may stand in a configuration; and the
# command by which plain git springs the trap, if there is one.
TOLERATED = {
    'fsmonitor': (['core.fsmonitor=EVIL'], ['status']),
    'hooks path': (['core.hooksPath=HOOKS'], ['commit', '--allow-empty', '-m', 'x']),
    'pager': (['core.pager=EVIL', 'pager.log=EVIL', 'pager.diff=true'], None),
    'editor': (['core.editor=EVIL', 'sequence.editor=EVIL'], ['commit', '--allow-empty']),
    'alias': (['alias.log=!EVIL', 'alias.status=!EVIL', 'alias.x=!EVIL'], ['x']),
}

# What fixed arguments switch off in a trusted folder too, where a configuration may say it.
SWITCHED_OFF = {
    'external diff': (['diff.external=EVIL'], ['diff']),
    'diff driver': (['diff.evil.command=EVIL'], ['diff']),
    'textconv': (['diff.evil.textconv=EVIL'], ['diff']),
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

    def spring(self, command, cwd=None):
        """Plain git must fire the trap, or the test would prove nothing."""
        env = self.box.env(HOME=self.box.dir, GIT_CONFIG_NOSYSTEM='1')
        subprocess.run(['git', *command], cwd=cwd or self.repo, env=env, check=False,
                       stdin=subprocess.DEVNULL, capture_output=True)
        check(self.fired(), 'plain git does not fire it:', command)
        os.remove(self.mark)

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
            else:
                check('REPOSITORY_UNTRUSTED' not in str(result), tool, 'was refused:', result)
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


def harmless(name, settings, command, folders):
    where = 'in a trusted folder either' if False in folders else 'in a trusted folder'

    @test(f'hostile git: {name} never runs, {where}')
    def case():
        for trusted in folders:
            with Box() as box:
                trap = Trap(box, settings)
                if command:
                    trap.spring(command)
                trap.try_all(trap.serve(trusted), None)
    return case


globals().update({f'refused_{name}': refused(name, settings)
                  for name, settings in CONFIGURED.items()})
globals().update({f'harmless_{name}': harmless(name, *trap, (False, True))
                  for name, trap in TOLERATED.items()})
globals().update({f'off_{name}': harmless(name, *trap, (True,))
                  for name, trap in SWITCHED_OFF.items()})


@test('hostile git: what is missing is not fetched by a program, in a trusted folder either')
def lazy_fetch():
    for trusted in (False, True):
        with Box() as box:
            trap = Trap(box, ['core.repositoryFormatVersion=1', 'extensions.partialClone=origin',
                              'remote.origin.promisor=true', 'remote.origin.url=ext::EVIL',
                              'protocol.ext.allow=always', 'protocol.allow=always'])
            blob = box.git('rev-parse', 'HEAD:a.txt', cwd=trap.repo).decode().strip()
            os.remove(os.path.join(trap.repo, '.git', 'objects', blob[:2], blob[2:]))
            trap.spring(['cat-file', 'blob', 'HEAD:a.txt'])
            server = trap.serve(trusted)
            result = server.call('git_file', {'path': trap.repo, 'file': 'a.txt'})
            check(result.get('isError'), 'a file that is not there', result)
            trap.try_all(server, None)


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


@test('hostile git: a difference of submodules that no index names starts nothing in them')
def submodule_in_history():
    for trusted in (False, True):
        with Box() as box:
            trap = Trap(box, ['diff.submodule=diff', 'status.submoduleSummary=true'])
            inner = box.repository('repo/sub')
            box.git('add', 'sub', cwd=trap.repo)
            box.git('commit', '-q', '-m', 'submodule', cwd=trap.repo)
            box.write('repo/sub/a.txt', 'changed\n')
            box.git('commit', '-q', '-a', '-m', 'changed', cwd=inner)
            box.git('add', 'sub', cwd=trap.repo)
            box.git('commit', '-q', '-m', 'submodule again', cwd=trap.repo)
            box.git('rm', '-q', '--cached', 'sub', cwd=trap.repo)
            box.git('config', 'diff.external', trap.evil, cwd=inner)
            trap.spring(['show'])
            server = trap.serve(trusted)
            for tool, arguments in (('git_show', {}), ('git_diff', {'from': 'HEAD~1', 'to': 'HEAD'}),
                                    ('git_log', {'changes': 'one'})):
                result = server.call(tool, {'path': trap.repo, **arguments})
                check(not result.get('isError'), tool, result)
                check(not trap.fired(), tool, 'ran', trap.fired())
            trap.try_all(server, None)


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


def read_elsewhere(box, repo, secret):
    """Tools that read the work tree are refused, and show nothing of the secret."""
    server = box.serve(surfaces=['git'])
    server.shake()
    for tool, arguments in READS:
        arguments = {k: 'hunter2' if k == 'pattern' else v for k, v in arguments.items()}
        result = server.call(tool, {'path': repo, **arguments})
        check(secret not in str(result), tool, result)
        equal(code_of(result), 'REPOSITORY_UNTRUSTED', tool)


@test('hostile git: a folder of tracked files that is now a link outside is refused')
def folder_is_link():
    with Box() as box:
        private = os.path.join(box.dir, 'private')
        os.mkdir(private)
        with open(os.path.join(private, 'key'), 'w', encoding='utf-8') as f:
            f.write('hunter2-hunter2\n')
        repo = box.repository()
        box.write('repo/deep/link/key', 'x\n')
        box.write('repo/inside/key', 'y\n')
        box.git('add', '.', cwd=repo)
        box.git('commit', '-q', '-m', 'folders', cwd=repo)
        shutil.rmtree(os.path.join(repo, 'inside'))
        os.symlink('deep', os.path.join(repo, 'inside'))
        server = box.serve(surfaces=['git'])
        server.shake()
        result = server.call('git_status', {'path': repo})
        check(not result.get('isError'), 'a link that stays inside is no obstacle', result)
        shutil.rmtree(os.path.join(repo, 'deep', 'link'))
        os.symlink(private, os.path.join(repo, 'deep', 'link'))
        check(b'hunter2' in box.git('grep', 'hunter2', cwd=repo), 'plain git reads it')
        read_elsewhere(box, repo, 'hunter2-hunter2')


def rename_in_index(repo, old, new, format_name='sha1'):
    """Writes another name of the same length into the index, as git itself never would."""
    path = os.path.join(repo, '.git', 'index')
    with open(path, 'rb') as f:
        data = f.read()
    digest = hashlib.new(format_name)
    data = data[:-digest.digest_size].replace(old.encode(), new.encode())
    digest.update(data)
    with open(path, 'wb') as f:
        f.write(data + digest.digest())


@test('hostile git: an index that names places outside the work tree is refused')
def index_names_outside():
    for format_name in ('sha1', 'sha256'):
        for kind in ('absolute', 'dots'):
            with Box() as box:
                secret = os.path.join(box.dir, 'secret')
                with open(secret, 'w', encoding='utf-8') as f:
                    f.write('hunter2-hunter2\n')
                name = secret if kind == 'absolute' else '../../secret'
                repo = os.path.join(box.root, 'repo')
                box.git('init', '-q', '-b', 'main', f'--object-format={format_name}', repo)
                box.write('repo/a.txt', 'one\n')
                box.git('add', '.', cwd=repo)
                box.git('commit', '-q', '-m', 'first', cwd=repo)
                server = box.serve(surfaces=['git'])
                server.shake()
                result = server.call('git_status', {'path': repo})
                check(not result.get('isError'), 'an ordinary index', format_name, result)
                box.git('rm', '-q', '--cached', 'a.txt', cwd=repo)
                stand_in = 'z' * len(name)
                box.write(f'repo/{stand_in}', 'x\n')
                box.git('add', stand_in, cwd=repo)
                rename_in_index(repo, stand_in, name, format_name)
                check(b'hunter2' in box.git('diff', cwd=repo), 'plain git reads it')
                read_elsewhere(box, repo, 'hunter2-hunter2')
