# SPDX-License-Identifier: MIT
"""Local copies of vault folders with the real binary: what is refused, then what is done."""

import fcntl
import hashlib
import json
import multiprocessing
import os
import random
import signal
import socket
import stat
import subprocess
import time

from situations_vault import Vault
from stile import Box, Setup, check, children, equal, poll, test

CANARY = b'the canary of what is outside\n'


class Copy:
    """A workspace with some files, and a checkout of it that may be there or not."""

    def __init__(self, box, files=None, checkout=True):
        self.box = box
        self.vault = Vault(box)
        self.vault.value('folder', 'create', '/t')
        self.vault.value('template', 'create', '/t', '--name', 'plain')
        self.vault.value('template', 'publish', 'plain')
        self.id = self.vault.value('workspace', 'instantiate', 'plain', '/w')['id']
        self.dir = os.path.join(box.root, 'copy')
        self.outside = os.path.join(box.dir, 'outside')
        os.mkdir(self.outside)
        with open(os.path.join(self.outside, 'canary'), 'wb') as f:
            f.write(CANARY)
        for name, content in (files or {'a': b'a\n', 'sub/b': b'b\n', 'sub/deep/c': b'c\n'}).items():
            self.store(name, content)
        if checkout:
            self.checkout()

    def store(self, name, content):
        folder = os.path.dirname(name)
        if folder:
            self.vault.value('folder', 'create', f'/w/{folder}', '--parents')
        return self.vault.put(f'/w/{name}', content)

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, content):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), 'wb') as f:
            f.write(content)

    def read(self, name):
        with open(self.path(name), 'rb') as f:
            return f.read()

    def checkout(self, *args, **options):
        return self.vault.value('workspace', 'checkout', '/w', self.dir, *args, **options)

    def status(self, **options):
        return self.vault.value('workspace', 'status', self.dir, **options)

    def commit(self, *args, **options):
        return self.vault.value('workspace', 'commit', self.dir, '--message', 'm', *args, **options)

    def discard(self, *args):
        return self.vault.value('workspace', 'discard', self.dir, *args)

    def refused(self, code, verb, *args, **options):
        """The error of a refusal with that code."""
        words = ['/w', self.dir] if verb == 'checkout' else [self.dir]
        envelope = self.vault.envelope('workspace', verb, *words, *args, **options)
        check(envelope['status'] == 'failed', verb, 'was not refused:', envelope)
        equal(envelope['error']['code'], code, envelope['error']['message'])
        return envelope['error']

    def numbers(self):
        """Path below the workspace → number of the latest version."""
        tree = self.vault.value('folder', 'tree', '/w')
        return {e['path'][len('/w/'):]: e['version'] for e in tree['entries'] if e['kind'] == 'file'}

    def record(self):
        with open(self.path('.stile/checkout.json'), encoding='utf-8') as f:
            return json.load(f)

    def write_record(self, record):
        with open(self.path('.stile/checkout.json'), 'w', encoding='utf-8') as f:
            f.write(record if isinstance(record, str) else json.dumps(record))

    def outside_is_untouched(self):
        equal(sorted(os.listdir(self.outside)), ['canary'])
        with open(os.path.join(self.outside, 'canary'), 'rb') as f:
            equal(f.read(), CANARY)


def paths(items):
    return [item['path'] for item in items]


def refused_paths(error):
    return sorted(paths(error['details']['refused']))


def files(folder):
    """Path → content of all files, .stile left out."""
    found = {}
    for at, folders, names in os.walk(folder):
        if at == folder and '.stile' in folders:
            folders.remove('.stile')
        for name in names:
            path = os.path.join(at, name)
            with open(path, 'rb') as f:
                found[os.path.relpath(path, folder)] = f.read()
    return found


# ---- what a checkout refuses ----

def left_out(result):
    equal(result['left_out_count'], len(result['left_out']))
    return paths(result['left_out'])


@test('checkout and export: names that may not be here are left out with what is in them, and told')
def hostile_names():
    with Box() as box:
        copy = Copy(box, {'a': b'a', 'sub/b': b'b'})
        out = os.path.join(box.root, 'out')
        hostile = ['.git', '.GIT', '.g\u200cit', 'git~1', '.git.', '.git ', '.git:x', '.stile',
                   'STILE~1', 'x\\.git', 'sub/.git/hooks/post-checkout', '.Git']
        for name in hostile:
            copy.store(name, b'#!/bin/sh\n')
        told = sorted(n.removesuffix('/hooks/post-checkout') for n in hostile)
        for result, where in ((copy.checkout(), copy.dir), (copy.checkout('--force'), copy.dir),
                              (copy.vault.value('export', out, '/w'), os.path.join(out, 'files'))):
            equal(sorted(left_out(result)), told)
            equal(result['files'], 2)
            equal(files(where), {'a': b'a', 'sub/b': b'b'})
            equal(sorted(os.listdir(os.path.join(where, 'sub'))), ['b'], 'not even a folder')
            check(not os.path.exists(os.path.join(where, '.git')))
        with open(os.path.join(out, 'manifest.json'), encoding='utf-8') as f:
            equal(sorted(left_out(json.load(f))), told, 'who leaves is told what stays')
        equal(sorted(left_out(copy.status())), told)
        shown = copy.vault.raw('workspace', 'checkout', '/w', copy.dir)[1].decode()
        check('NOT all of it: 12 left out' in shown, shown)
        check('left out   sub/.git  (git would take it for its own, and obey it)\n' in shown, shown)
        copy.write('new', b'n')
        equal(copy.commit()['stored'][0]['path'], 'new', 'work goes on')


@test('checkout: of names that some file system takes for one, the older one is written')
def twins():
    with Box() as box:
        copy = Copy(box, {'plan': b'1', 'CONTEXT.md': b'2', 'd/\u00dc': b'3'})
        for name in ('Plan', 'context.md', 'd/\u00fc', 'D/x'):
            copy.store(name, b'x')
        result = copy.checkout()
        equal(sorted(left_out(result)), sorted(['D', 'Plan', 'context.md', 'd/\u00fc']))
        check(any('takes it for CONTEXT.md' in i['reason'] for i in result['left_out']), result)
        equal(files(copy.dir), {'plan': b'1', 'CONTEXT.md': b'2', 'd/\u00dc': b'3'})
        copy.write('plan', b'4')
        equal(paths(copy.commit()['stored']), ['plan'], 'a stranger\'s twin stops nobody')
        copy.write('PLAN', b'5')
        equal(refused_paths(copy.refused('INVALID_ARGUMENT', 'commit', '--message', 'm')), ['plan'])


@test('checkout: a name that the store itself should never hold is not written all the same')
def impossible_names():
    with Box() as box:
        copy = Copy(box, {'a': b'a', 'f/b': b'b'}, checkout=False)
        entry = copy.vault.value('file', 'info', '/w/f/b')['id']
        out = os.path.join(box.root, 'out')
        for name in ('..', '.', '../escape', 'x/../../escape', '/etc/escape', 'a\nb'):
            with copy.vault.database() as db:
                db.execute('UPDATE entry SET name = ? WHERE id = ?', (name, entry))
            db.close()
            for result in (copy.checkout(), copy.vault.value('export', out, '/w', '--force')):
                equal(left_out(result), [f'f/{name}'])
            equal(files(copy.dir), {'a': b'a'})
            equal(files(out).keys(), {'files/a', 'manifest.json'})
            check(not os.path.exists(os.path.join(box.root, 'escape')), name)
        copy.outside_is_untouched()


@test('checkout and login: a record or a credential that is a link is told as one, and not followed')
def linked_records():
    with Box() as box:
        copy = Copy(box)
        for path in (copy.path('.stile/checkout.json'), copy.vault.credential):
            os.rename(path, path + '.moved')
            os.symlink(path + '.moved', path)
        check('credentials.json is a symbolic link, which is not followed' in
              copy.vault.refused('PERMISSION_DENIED', 'whoami'))
        os.replace(copy.vault.credential + '.moved', copy.vault.credential)
        check('its record is a symbolic link' in copy.refused('CONFIGURATION_ERROR', 'status')['message'])
        copy.checkout('--force')
        check(copy.status()['is_clean'])


@test('vault: audit rows of one commit have one correlation id, and say what they are part of')
def rows_of_a_commit():
    with Box() as box:
        copy = Copy(box)
        copy.write('a', b'2')
        copy.write('sub/new', b'n')
        id = copy.vault.envelope('workspace', 'commit', copy.dir, '--message', 'm')['correlation_id']
        events = copy.vault.value('audit', 'list', '--correlation', id)['events']
        equal(sorted(e['operation'] for e in events if e['detail'] == 'part of workspace commit'),
              ['file put', 'file put', 'folder ensure'])
        shown = copy.vault.raw('audit', 'list', '--operation', 'file put')[1].decode()
        equal(shown.count(id), 2, shown)


@test('checkout: links and special files in the way are refused, and nothing outside is written')
def odd_places():
    with Box() as box:
        copy = Copy(box, checkout=False)

        def refused(place, make, code='CONFLICT'):
            os.makedirs(copy.path(os.path.dirname(place)), exist_ok=True)
            make(copy.path(place))
            before = files(copy.outside)
            error = copy.refused(code, 'checkout', '--force')
            check(place in refused_paths(error), error)
            check(place in error['message'], error)
            equal(files(copy.outside), before)
            if os.path.isdir(copy.path(place)) and not os.path.islink(copy.path(place)):
                for name in os.listdir(copy.path(place)):
                    os.unlink(os.path.join(copy.path(place), name))
                os.rmdir(copy.path(place))
            else:
                os.unlink(copy.path(place))
            if '/' in place:
                os.rmdir(copy.path(os.path.dirname(place)))

        def bind(path):
            os.chdir(os.path.dirname(path))     # a socket's path must be short
            socket.socket(socket.AF_UNIX).bind(os.path.basename(path))
            os.chdir('/')

        def folder(path):
            os.mkdir(path)
            with open(os.path.join(path, 'mine'), 'wb'):
                pass

        for make in (lambda path: os.symlink(copy.outside, path),
                     lambda path: os.symlink(os.path.join(copy.outside, 'canary'), path),
                     lambda path: os.symlink('nowhere', path), os.mkfifo, bind):
            for place in ('a', 'sub', 'sub/b', 'sub/deep'):
                refused(place, make)
        refused('sub/b', folder)
        refused('sub', lambda path: open(path, 'wb').close())
        # .stile itself, and the folder
        os.symlink(copy.outside, copy.path('.stile'))
        copy.refused('PERMISSION_DENIED', 'checkout', '--force')
        os.unlink(copy.path('.stile'))
        os.rmdir(copy.dir)
        os.symlink(copy.outside, copy.dir)
        copy.refused('INVALID_ARGUMENT', 'checkout', '--force')
        os.unlink(copy.dir)
        with open(copy.dir, 'wb'):
            pass
        copy.refused('INVALID_ARGUMENT', 'checkout', '--force')
        copy.outside_is_untouched()


@test('checkout: a folder that is not empty, other files, another workspace are refused')
def other_files():
    with Box() as box:
        copy = Copy(box, checkout=False)
        copy.write('a', b'mine')
        copy.refused('ALREADY_EXISTS', 'checkout')
        equal(files(copy.dir), {'a': b'mine'})
        equal(os.listdir(copy.dir), ['a'], 'no .stile either')
        copy.checkout('--force')
        equal(copy.read('a'), b'a\n')
        # what was changed here, gone there
        copy.write('a', b'mine')
        os.unlink(copy.path('sub/b'))
        copy.store('a', b'theirs')
        copy.store('x/new', b'new')
        copy.write('x/new', b'mine as well')
        copy.vault.value('file', 'trash', '/w/sub/deep/c')
        copy.write('sub/deep/c', b'changed')
        error = copy.refused('CONFLICT', 'checkout')
        equal(refused_paths(error), ['a', 'sub/deep/c', 'x/new'])
        equal(copy.read('a'), b'mine')
        check(not os.path.exists(copy.path('sub/b')), 'nothing was written')
        copy.checkout('--force')
        equal(files(copy.dir), {'a': b'theirs', 'sub/b': b'b\n', 'x/new': b'new',
                                'sub/deep/c': b'changed'}, 'what the vault has not is left')
        other = copy.vault.value('workspace', 'instantiate', 'plain', '/other')['id']
        envelope = copy.vault.envelope('workspace', 'checkout', other, copy.dir, '--force')
        equal(envelope['error']['code'], 'CONFLICT')
        check('take another folder' in envelope['error']['message'], envelope)
        # no workspace
        for ref, code in (('/t', 'INVALID_ARGUMENT'), ('/w/a', 'INVALID_ARGUMENT'),
                          ('/w/sub', 'INVALID_ARGUMENT'), ('/none', 'NOT_FOUND')):
            copy.vault.refused(code, 'workspace', 'checkout', ref, os.path.join(box.root, 'x'))
        copy.vault.refused('NOT_FOUND', 'workspace', 'checkout', '/w', os.path.join(box.root, 'x'),
                           '--stage', '01-none')
        check(not os.path.exists(os.path.join(box.root, 'x')), 'nothing was made')


@test('checkout: with --root nothing outside of it is read or written')
def roots():
    with Box() as box:
        copy = Copy(box)
        root = f'--root={copy.dir}'
        os.symlink(copy.outside, copy.path('up'))
        for where in (copy.outside, os.path.join(copy.outside, 'new'), copy.path('../outside2'),
                      copy.path('up/new'), '..'):
            for args in (['workspace', 'checkout', '/w', where], ['workspace', 'status', where],
                         ['workspace', 'commit', where, '--message', 'm'], ['export', where],
                         ['workspace', 'discard', where, '--all']):
                copy.vault.refused('PERMISSION_DENIED', root, *args)
        copy.outside_is_untouched()
        equal(copy.vault.value(root, 'workspace', 'status', copy.dir)['counts']['unchanged'], 3)
        copy.vault.value(root, 'workspace', 'checkout', '/w', copy.path('inner'))


@test('checkout: what may not be read is not there, and a limit holds')
def who_may():
    with Box() as box:
        copy = Copy(box)
        nobody = copy.vault.token('nobody')
        reader = copy.vault.token('reader', 'read', '/w')
        for verb, args in (('checkout', []), ('status', []), ('discard', ['--all']),
                           ('commit', ['--message', 'm'])):
            copy.refused('NOT_FOUND', verb, *args, STILE_TOKEN_FILE=nobody)
        copy.status(STILE_TOKEN_FILE=reader)
        copy.write('a', b'changed')
        copy.write('n/new', b'new')
        for _ in range(2):
            error = copy.refused('PERMISSION_DENIED', 'commit', '--message', 'm',
                                 STILE_TOKEN_FILE=reader)
            check(error['message'].startswith('a: '), error)
            os.rename(copy.path('a'), copy.path('b'))
            copy.vault.value('workspace', 'discard', copy.dir, 'a')
            os.rename(copy.path('b'), copy.path('a'))
        equal(copy.numbers(), {'a': 1, 'sub/b': 1, 'sub/deep/c': 1})
        other = copy.vault.value('folder', 'create', '/other')['id']
        envelope = copy.vault.envelope(f'--within={other}', 'workspace', 'status', copy.dir)
        equal(envelope['error']['code'], 'NOT_FOUND')
        equal(copy.vault.value('--within=/w', 'workspace', 'status', copy.dir)['counts']['changed'], 1)
        writer = copy.vault.token('writer', 'write', '/w')
        equal(paths(copy.commit(STILE_TOKEN_FILE=writer)['stored']), ['a', 'n/new'])
        os.unlink(copy.path('a'))
        error = copy.refused('PERMISSION_DENIED', 'commit', '--message', 'm', '--deletions',
                             STILE_TOKEN_FILE=writer)
        check(error['message'].startswith('a: '), error)
        equal(copy.numbers()['a'], 2)


@test('checkout: a contract is committed by who may manage alone, and never from within')
def contracts():
    with Box() as box:
        copy = Copy(box, {'stages/01-draft/CONTEXT.md': b'# draft\n', 'notes': b'n\n'})
        writer = copy.vault.token('writer', 'write', '/w')
        contract = 'stages/01-draft/CONTEXT.md'
        for change in (lambda: copy.write(contract, b'# mine\n'),
                       lambda: copy.write('stages/02-new/CONTEXT.md', b'# mine\n')):
            copy.write('notes', os.urandom(8).hex().encode())
            change()
            for leading, env in (((), {'STILE_TOKEN_FILE': writer}), (('--within=/w',), {})):
                envelope = copy.vault.envelope(*leading, 'workspace', 'commit', copy.dir,
                                               '--message', 'm', **env)
                equal(envelope['error']['code'], 'PERMISSION_DENIED')
                check('CONTEXT.md: ' in envelope['error']['message'], envelope)
                equal(copy.numbers(), {contract: 1, 'notes': 1}, 'refused as a whole')
            copy.discard(contract)
        copy.write('stages/02-new/CONTEXT.md', b'# mine\n')
        equal(paths(copy.commit()['stored']), ['notes', 'stages/02-new/CONTEXT.md'])


# ---- what status and commit refuse ----

@test('checkout status: links, special files and odd names are refused, a .git is left alone, none is stored')
def odd_files():
    with Box() as box:
        copy = Copy(box)
        os.symlink(copy.outside, copy.path('link'))
        os.symlink(os.path.join(copy.outside, 'canary'), copy.path('sub/link'))
        os.mkfifo(copy.path('fifo'))
        copy.write('u\u0308', b'decomposed')
        copy.write('bad\nname', b'x')
        copy.write('.git/config', b'[core]\n')
        copy.write('sub/.GIT/config', b'[core]\n')
        os.unlink(copy.path('a'))
        os.symlink('sub/b', copy.path('a'))
        with open(os.path.join(copy.dir.encode(), b'\xff'), 'wb'):
            pass
        status = copy.status()
        equal(sorted(p for p in paths(status['refused']) if '\ufffd' not in p),
              ['a', 'bad\nname', 'fifo', 'link', 'sub/link', 'u\u0308'])
        equal(status['counts']['refused'], 7)
        equal(paths(status['ignored']), ['.git', 'sub/.GIT'])
        equal((status['new'], status['changed'], status['deleted']), ([], [], []))
        done = copy.commit('--deletions')
        equal(done['counts'], {'stored': 0, 'trashed': 0, 'conflicts': 0, 'refused': 7})
        equal((len(done['refused']), done['is_partial']), (7, True))
        copy.write('more', b'm')
        _, out, _ = copy.vault.raw('workspace', 'commit', copy.dir, '--message', 'm')
        check(b'committed: 1 stored' in out and b'\nNOT stored: 7 refused' in out, out)
        copy.vault.value('file', 'trash', '/w/more')
        os.unlink(copy.path('more'))
        equal(copy.numbers(), {'a': 1, 'sub/b': 1, 'sub/deep/c': 1})
        error = copy.refused('CONFLICT', 'discard', '--all')
        equal(refused_paths(error), ['a'])
        _, out, _ = copy.vault.raw('workspace', 'status', copy.dir)
        check(b'a symbolic link is not followed' in out and b'\n\n' not in out, out)


@test('checkout commit: what changed on both sides is a conflict with the whole list, and nothing is stored')
def conflicts():
    with Box() as box:
        names = {f'f{i}': b'0' for i in range(30)}
        copy = Copy(box, {**names, 'gone': b'g', 'same': b's', 'mine': b'm'})
        for name in names:
            copy.write(name, b'mine')
        for i in range(25):
            copy.store(f'f{i}', b'theirs')
        copy.write('gone', b'changed')
        copy.vault.value('file', 'trash', '/w/gone')
        copy.write('both', b'here')
        copy.store('both', b'there')
        copy.write('same', b'same change')
        copy.store('same', b'same change')
        wanted = sorted([f'f{i}' for i in range(25)] + ['gone', 'both'])
        status = copy.status()
        equal(paths(status['conflicts']), wanted)
        before = copy.numbers()
        error = copy.refused('CONFLICT', 'commit', '--message', 'm')
        equal(paths(error['details']['conflicts']), wanted)
        row = next(r for r in error['details']['conflicts'] if r['path'] == 'f0')
        equal((row['version'], row['head_version']), (1, 2))
        check('--onto-latest' in error['message'] and 'f0' in error['message'], error)
        equal(copy.numbers(), before)
        done = copy.commit('--onto-latest')
        equal(paths(done['stored']), sorted(f'f{i}' for i in range(25, 30)))
        equal(paths(done['conflicts']), wanted)
        equal(copy.vault.get('/w/f0'), b'theirs')
        equal(copy.vault.get('/w/f29'), b'mine')
        equal(copy.vault.get('/w/both'), b'there')
        # the way out: put back, bring up to date, change again
        equal(paths(copy.status()['conflicts']), wanted)
        copy.discard('f0')
        equal(copy.read('f0'), b'0')
        os.unlink(copy.path('f1'))
        copy.refused('CONFLICT', 'commit', '--message', 'm', '--deletions')
        equal(paths(copy.commit('--onto-latest')['stored']), [])


@test('checkout commit: a deletion is one only with --deletions, and goes to the trash')
def deletions():
    with Box() as box:
        copy = Copy(box)
        os.unlink(copy.path('a'))
        os.unlink(copy.path('sub/deep/c'))
        os.rmdir(copy.path('sub/deep'))
        equal(paths(copy.status()['deleted']), ['a', 'sub/deep/c'])
        equal(copy.commit()['counts'], {'stored': 0, 'trashed': 0, 'conflicts': 0, 'refused': 0})
        equal(len(copy.numbers()), 3)
        done = copy.commit('--deletions')
        equal(paths(done['trashed']), ['a', 'sub/deep/c'])
        equal(copy.numbers(), {'sub/b': 1})
        equal(copy.status()['is_clean'], True)
        copy.vault.value('file', 'restore', '/w/a')
        equal(paths(copy.status()['moved_on']), ['a'])
        # a file that became a folder
        copy.checkout()
        os.unlink(copy.path('a'))
        copy.write('a/inner', b'i')
        check('a' in copy.refused('INVALID_ARGUMENT', 'commit', '--message', 'm')['message'])
        equal(copy.commit('--deletions')['counts'],
              {'stored': 1, 'trashed': 1, 'conflicts': 0, 'refused': 0})
        equal(copy.vault.get('/w/a/inner'), b'i')
        equal(copy.status()['is_clean'], True)


@test('checkout commit: without a message, with names that collide, in two at once: refused')
def commit_refusals():
    with Box() as box:
        copy = Copy(box)
        copy.vault.refused('USAGE', 'workspace', 'commit', copy.dir)
        copy.vault.refused('USAGE', 'workspace', 'commit', copy.dir, '--message', '')
        copy.vault.refused('USAGE', 'workspace', 'discard', copy.dir)
        copy.vault.refused('USAGE', 'workspace', 'discard', copy.dir, 'a', '--all')
        copy.write('A', b'x')
        copy.write('new', b'x')
        equal(refused_paths(copy.refused('INVALID_ARGUMENT', 'commit', '--message', 'm')), ['a'])
        equal(len(copy.numbers()), 3)
        os.rename(copy.path('a'), copy.path('A'))
        equal(refused_paths(copy.refused('INVALID_ARGUMENT', 'commit', '--message', 'm')), ['a'])
        os.rename(copy.path('A'), copy.path('a'))
        fd = os.open(copy.path('.stile'), os.O_RDONLY)
        fcntl.flock(fd, fcntl.LOCK_EX)
        for verb, args in (('checkout', []), ('status', []), ('discard', ['--all']),
                           ('commit', ['--message', 'm'])):
            words = ['/w', copy.dir] if verb == 'checkout' else [copy.dir]
            error = copy.vault.envelope('workspace', verb, *words, *args)['error']
            equal((error['code'], error['retryable']), ('UNAVAILABLE', True))
        # By name: a child that another test is just starting may hold a copy of the descriptor.
        fcntl.flock(fd, fcntl.LOCK_UN)
        os.close(fd)
        equal(paths(copy.commit()['stored']), ['new'])
        os.rename(copy.path('a'), copy.path('A'))
        done = copy.commit('--deletions')
        equal((paths(done['stored']), paths(done['trashed'])), (['A'], ['a']))
        os.mkdir(os.path.join(box.root, 'plain'))
        for verb, args in (('status', []), ('discard', ['--all']), ('commit', ['--message', 'm'])):
            message = copy.vault.refused('NOT_FOUND', 'workspace', verb,
                                         os.path.join(box.root, 'plain'), *args)
            check('stile vault workspace checkout' in message, message)


def has_open(pid, path):
    try:
        return any(os.readlink(f'/proc/{pid}/fd/{fd}') == path
                   for fd in os.listdir(f'/proc/{pid}/fd'))
    except OSError:
        return False


def commit_interrupted(copy, act, *args):
    """The envelope of a commit during which, while it reads the file `big`, act() is done."""
    child = subprocess.Popen([Setup.binary, 'vault', 'workspace', 'commit', copy.dir, '--message',
                              'm', '--json', *args], env=copy.vault.env(), cwd=copy.box.root,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    poll(lambda: has_open(child.pid, copy.path('big')) or child.poll() is not None, 20, 'open')
    child.send_signal(signal.SIGSTOP)
    act()
    child.send_signal(signal.SIGCONT)
    out, _ = child.communicate(timeout=120 * Setup.patience)
    return json.loads(out)


@test('checkout commit: a file that somebody writes to meanwhile is refused, never stored in halves')
def torn():
    def write():
        with open(copy.path('big'), 'r+b') as f:
            f.write(b'B')

    with Box() as box:
        copy = Copy(box, {'a': b'a'})
        copy.write('big', b'begin')
        os.truncate(copy.path('big'), 256 << 20)
        error = commit_interrupted(copy, write)['error']
        equal(error['code'], 'CONFLICT')
        check('big: the file changed while it was read' in error['message'], error)
        equal(copy.numbers(), {'a': 1})
        os.truncate(copy.path('big'), 5)
        equal(paths(copy.commit()['stored']), ['big'])
        equal(copy.vault.get('/w/big'), b'Begin')


@test('checkout commit: what moves on while files are read is a conflict as well')
def overtaken():
    with Box() as box:
        copy = Copy(box, {'a': b'a', 'b': b'b', 'c': b'c'})
        for name in 'abc':
            copy.write(name, b'mine')
        copy.write('big', b'begin')
        os.truncate(copy.path('big'), 128 << 20)
        envelope = commit_interrupted(copy, lambda: copy.store('b', b'theirs'))
        equal(envelope['error']['code'], 'CONFLICT')
        equal(paths(envelope['error']['details']['conflicts']), ['b'])
        equal(copy.numbers(), {'a': 1, 'b': 2, 'c': 1})
        os.utime(copy.path('big'))
        envelope = commit_interrupted(copy, lambda: copy.store('c', b'theirs'), '--onto-latest')
        equal(paths(envelope['result']['stored']), ['a', 'big'])
        equal(paths(envelope['result']['conflicts']), ['b', 'c'])
        equal(copy.numbers(), {'a': 2, 'b': 2, 'c': 2, 'big': 1})


# ---- a hostile record, a hostile folder ----

@test('checkout record: tampered with in many ways it is refused, or the vault decides')
def tampered():
    with Box() as box:
        copy = Copy(box)
        secret = copy.vault.put('/secret', b'not in the workspace')
        good = copy.record()

        def refused(change, code='CONFIGURATION_ERROR'):
            record = json.loads(json.dumps(good))
            copy.write_record(change(record) or record)
            for verb, args in (('status', []), ('discard', ['--all']), ('checkout', []),
                               ('commit', ['--message', 'm'])):
                words = ['/w', copy.dir] if verb == 'checkout' else [copy.dir]
                error = copy.vault.envelope('workspace', verb, *words, *args)['error']
                equal(error['code'], code, f'{verb} {error["message"]}')

        def path_of(path):
            def change(record):
                record['files'][0]['path'] = path
            return change

        for path in ('../../outside/canary', '/etc/passwd', '.git/config', '.stile/x', 'a/../../x'):
            refused(path_of(path))
        refused(lambda record: json.dumps(record)[:-20])
        refused(lambda record: '{"stile_checkout":1,' + json.dumps(record)[1:])
        refused(lambda record: record.update(workspace='../..'))
        refused(lambda record: record['files'].append(record['files'][0]))
        refused(lambda record: record['files'][0].update(size=-1))
        refused(lambda record: record.update(extra=1))
        refused(lambda record: '[' * 100000)
        os.unlink(copy.path('.stile/checkout.json'))
        os.symlink(os.path.join(copy.outside, 'canary'), copy.path('.stile/checkout.json'))
        for verb, args in (('status', []), ('commit', ['--message', 'm'])):
            equal(copy.vault.envelope('workspace', verb, copy.dir, *args)['status'], 'failed')
        os.unlink(copy.path('.stile/checkout.json'))
        # ids that are well formed but of something else: the vault compares and decides
        record = json.loads(json.dumps(good))
        record['files'][0].update(file=secret['file_id'], version=secret['id'])
        copy.write_record(record)
        os.unlink(copy.path('a'))
        error = copy.vault.envelope('workspace', 'discard', copy.dir, '--all')['error']
        equal(error['code'], 'NOT_FOUND')
        check(error['message'].startswith('a: '), error)
        check(not os.path.exists(copy.path('a')), 'the secret was not handed out')
        copy.write('a', b'changed')
        error = copy.refused('CONFLICT', 'commit', '--message', 'm')
        equal(paths(error['details']['conflicts']), ['a'])
        equal(copy.vault.get('/secret'), b'not in the workspace')
        record = json.loads(json.dumps(good))
        record['workspace'] = 'wsp_' + '0' * 26
        copy.write_record(record)
        equal(copy.vault.envelope('workspace', 'status', copy.dir)['error']['code'], 'NOT_FOUND')
        # the way back
        copy.write_record('garbage')
        copy.refused('CONFIGURATION_ERROR', 'checkout')
        copy.checkout('--force')
        equal(copy.status()['is_clean'], True)
        copy.outside_is_untouched()


def swap(folder, outside, names, stop):
    """Makes each of these folders now a folder and now a link that leads outside, without end."""
    while not stop.is_set():
        for name in names:
            at, aside = os.path.join(folder, name), os.path.join(folder, f'.{name}.aside')
            try:
                os.rename(at, aside)
                os.symlink(outside, at)
                os.unlink(at)
            except OSError:
                pass    # the other side made it anew in between
            try:
                if os.path.islink(at):
                    os.unlink(at)
                os.rename(aside, at)
            except OSError:
                subprocess.run(['rm', '-rf', aside], check=True)


class Swapping:
    def __init__(self, copy, names):
        self.stop = multiprocessing.Event()
        self.process = multiprocessing.Process(target=swap, args=(copy.dir, copy.outside, names,
                                                                  self.stop))

    def __enter__(self):
        self.process.start()

    def __exit__(self, kind, value, trace):
        self.stop.set()
        self.process.join()


def is_held(pid):
    """Is the process that strace runs held up for a while, at a call that it delays?"""
    until = time.monotonic() + 0.1
    while time.monotonic() < until:
        try:
            with open(f'/proc/{children(pid)[0]}/stat', 'rb') as f:
                if f.read().rsplit(b')', 1)[1].split()[0] != b't':
                    return False
        except (OSError, IndexError):
            return False
        time.sleep(0.005)
    return True


@test('checkout commit: a folder that is a link when it is opened, and was none just before, is not read')
def swapped_once():
    with Box() as box:
        copy = Copy(box, {'sub/canary': b'tame\n', 'sub/other': b'o'})
        sub, aside = copy.path('sub'), copy.path('aside')
        # the first opening of `sub` is that of the walk, which has seen a folder there
        child = subprocess.Popen(
            ['strace', '-f', '-o', '/dev/null', '-P', 'sub', '-e', 'trace=openat', '-e',
             'inject=openat:delay_enter=1000000', Setup.binary, 'vault', 'workspace', 'commit',
             copy.dir, '--message', 'm', '--json'], cwd=box.root, stdout=subprocess.PIPE,
            env=copy.vault.env(ASAN_OPTIONS='detect_leaks=0'))
        poll(lambda: is_held(child.pid) or child.poll() is not None, 30, 'it is about to open sub')
        os.rename(sub, aside)
        os.symlink(copy.outside, sub)
        result = json.loads(child.communicate(timeout=120)[0])['result']
        equal(result['refused'], [{'path': 'sub', 'reason': 'it changed meanwhile'}])
        equal(result['counts']['stored'], 0)
        equal(copy.numbers(), {'sub/canary': 1, 'sub/other': 1})
        copy.outside_is_untouched()


@test('checkout status and commit: a folder that turns into a link meanwhile leads nowhere')
def swapped_reading():
    with Box() as box:
        copy = Copy(box, {'sub/canary': b'tame\n', 'sub/other': b'o', 'a': b'a'})
        with Swapping(copy, ['sub']):
            for i in range(15):
                copy.write('a', b'round %d' % i)
                copy.vault.envelope('workspace', 'status', copy.dir)
                copy.vault.envelope('workspace', 'commit', copy.dir, '--message', 'm',
                                    '--onto-latest')
        digest = hashlib.blake2b(CANARY, digest_size=32).digest()
        with copy.vault.database() as db:
            equal(db.execute('SELECT count(*) FROM content WHERE hash = ?', (digest,)).fetchone(),
                  (0,), 'the canary is not in the vault')
        db.close()
        copy.outside_is_untouched()
        copy.vault.is_sound()


def remove_some(folder):
    """Files of `sub`, whatever it is called at the moment; nothing behind a link."""
    for name in ('sub', '.sub.aside'):
        try:
            fd = os.open(os.path.join(folder, name), os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue
        for i in range(0, 40, 3):
            try:
                os.unlink(str(i), dir_fd=fd)
            except OSError:
                pass
        os.close(fd)


@test('checkout and discard: a folder that turns into a link meanwhile is not written through')
def swapped_writing():
    with Box() as box:
        copy = Copy(box, checkout=False)
        for i in range(40):
            box.write(f'in/sub/{i}', b'%d' % i)
        copy.vault.value('file', 'upload', '--recursive', 'in/.', '/w')
        copy.checkout()
        with Swapping(copy, ['sub']):
            for _ in range(25):
                remove_some(copy.dir)
                copy.vault.envelope('workspace', 'checkout', '/w', copy.dir, '--force')
                copy.vault.envelope('workspace', 'discard', copy.dir, '--all')
                copy.outside_is_untouched()
        copy.outside_is_untouched()
        copy.vault.is_sound()


# ---- killed ----

def run_and_kill(copy, seconds, *args):
    """True when the command was killed before it ended."""
    child = subprocess.Popen([Setup.binary, 'vault', *args], env=copy.vault.env(), cwd=copy.box.root,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        child.wait(timeout=seconds)
        return False
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGKILL)
        child.wait()
        return True


@test('checkout: killed at random moments it can be run again, and no half file stands there')
def killed_checkout():
    with Box() as box:
        wanted = {f'd{i % 7}/f{i}': random.Random(i).randbytes(20000) for i in range(60)}
        copy = Copy(box, {'a': b'a'}, checkout=False)
        for name, content in wanted.items():
            box.write('in/' + name, content)
        copy.vault.value('file', 'upload', '--recursive', 'in/.', '/w')
        wanted['a'] = b'a'
        began = time.monotonic()
        copy.checkout()
        usual = time.monotonic() - began
        dice = random.Random(20261130)
        killed = 0
        for i in range(30):
            if i % 3 == 0:
                subprocess.run(['rm', '-rf', copy.dir], check=True)
            else:
                changed = f'd{i % 7}/f{i % 7 + 7}'
                wanted[changed] = dice.randbytes(30000)
                copy.store(changed, wanted[changed])
            began = time.monotonic()
            if run_and_kill(copy, dice.uniform(0, usual), 'workspace', 'checkout', '/w', copy.dir):
                killed += 1
            else:
                usual = time.monotonic() - began
            for name, content in (files(copy.dir) if os.path.isdir(copy.dir) else {}).items():
                check(name in wanted and len(content) in (1, 20000, 30000), 'half a file:', name)
            if i % 5 == 4:
                copy.checkout()
                equal(files(copy.dir) == wanted, True, 'as in the vault')
                equal(copy.status()['is_clean'], True)
        check(killed > 2, f'only {killed} were killed in time')
        equal(sorted(os.listdir(copy.path('.stile'))), ['checkout.json'])


@test('checkout: interrupted, then changed in the vault: what it wrote is replaced, not what others did')
def interrupted():
    with Box() as box:
        copy = Copy(box, {'a': b'1', 'b': b'1', 'c': b'1'})
        for name in 'abc':
            copy.store(name, b'2')
            copy.write(name, b'2')
        copy.write('c', b'mine')
        record = copy.record()
        record['under_way'] = True      # killed when a and b were written
        copy.write_record(record)
        equal(copy.status()['is_interrupted'], True)
        copy.store('a', b'3')
        equal(refused_paths(copy.refused('CONFLICT', 'checkout')), ['c'])
        os.unlink(copy.path('c'))
        copy.checkout()
        equal(files(copy.dir), {'a': b'3', 'b': b'2', 'c': b'2'})
        equal((copy.status()['is_interrupted'], copy.status()['is_clean']), (False, True))
        # without that, an older version here is somebody's change
        copy.write('a', b'2')
        equal(refused_paths(copy.refused('CONFLICT', 'checkout')), ['a'])


@test('checkout commit: killed at random moments all or nothing is stored, and the next one understands')
def killed_commit():
    with Box() as box:
        copy = Copy(box, {f'f{i}': b'0' for i in range(20)})
        began = time.monotonic()
        copy.write('f0', b'first')
        copy.commit()
        usual = time.monotonic() - began
        dice = random.Random(20261201)
        for i in range(30):
            text = b'round %d' % i
            before = copy.numbers()
            for j in range(20):
                copy.write(f'f{j}', text)
            copy.write(f'new{i}', text)
            run_and_kill(copy, dice.uniform(0, usual * 1.3), 'workspace', 'commit', copy.dir,
                         '--message', 'm')
            after = copy.numbers()
            moved = [name for name in after if after[name] != before.get(name)]
            check(len(moved) in (0, 21), f'{len(moved)} of 21 were stored')
            status = copy.status()
            equal(status['counts']['conflicts'], 0, 'the same bytes are no conflict')
            equal(status['counts']['moved_on'], 0)
            equal(status['is_clean'], len(moved) == 21)
            equal(copy.commit()['counts']['stored'], 21 - len(moved))
            equal(copy.commit()['counts']['stored'], 0)
        copy.vault.is_sound()


@test('checkout commit: stored but not on record, as after a kill in between, is no conflict')
def record_of_yesterday():
    with Box() as box:
        copy = Copy(box)
        with open(copy.path('.stile/checkout.json'), 'rb') as f:
            before = f.read()
        copy.write('a', b'changed')
        copy.write('new/file', b'new')
        os.unlink(copy.path('sub/b'))
        copy.commit('--deletions')
        copy.write('.stile/checkout.json', before)
        copy.write('.stile/part', b'half')
        equal(copy.status()['is_clean'], True)
        equal(copy.commit('--deletions')['counts'], {'stored': 0, 'trashed': 0, 'conflicts': 0, 'refused': 0})
        check(copy.record()['files'] != json.loads(before)['files'], 'the record is right again')
        copy.write('a', b'again')
        equal(paths(copy.commit()['stored']), ['a'])
        equal(copy.numbers(), {'a': 3, 'new/file': 1, 'sub/deep/c': 1})


# ---- the ordinary way ----

@test('checkout, change, status, commit, and the same elsewhere')
def round_trip():
    with Box() as box:
        copy = Copy(box, {'a': b'a\n', 'sub/b': b'b\n', 'big': random.Random(3).randbytes(3 << 20)})
        copy.vault.value('folder', 'create', '/w/output')
        done = copy.checkout()
        equal((done['files'], done['written'], done['unchanged']), (3, 0, 3))
        check(os.path.isdir(copy.path('output')), 'empty folders come along')
        equal(stat.S_IMODE(os.stat(copy.path('.stile/checkout.json')).st_mode), 0o600)
        for name in ('a', 'sub/b', 'big'):
            equal(stat.S_IMODE(os.stat(copy.path(name)).st_mode) & 0o177 & ~0o044, 0, name)
        record = copy.record()
        equal(record['workspace'], copy.id)
        equal([f['path'] for f in record['files']], ['a', 'big', 'sub/b'])
        equal(record['files'][0]['hash'], hashlib.blake2b(b'a\n', digest_size=32).hexdigest())
        with open(copy.vault.credential, 'rb') as f:
            token = f.read()
        check(json.loads(token) and b'stv_' not in json.dumps(record).encode(), 'no secret in it')
        equal(copy.status()['is_clean'], True)
        copy.write('a', b'a2\n')
        copy.write('new/n', b'n\n')
        copy.write('output/o', b'o\n')
        status = copy.status()
        equal((paths(status['changed']), paths(status['new'])), (['a'], ['new/n', 'output/o']))
        done = copy.commit()
        equal([(s['path'], s['version']) for s in done['stored']],
              [('a', 2), ('new/n', 1), ('output/o', 1)])
        versions = copy.vault.value('file', 'versions', '/w/a')['versions']
        equal(versions[0]['message'], 'm')
        equal(copy.status()['is_clean'], True)
        rows = len(copy.vault.events('--operation', 'file put'))
        equal(copy.commit()['counts']['stored'], 0)
        equal(len(copy.vault.events('--operation', 'file put')), rows, 'no version')
        # a second copy, brought up to date
        other = os.path.join(box.root, 'other')
        copy.vault.value('workspace', 'checkout', copy.id, other)
        equal(files(other), files(copy.dir))
        copy.store('sub/b', b'b2\n')
        copy.vault.value('file', 'trash', '/w/new/n')
        copy.vault.value('folder', 'trash', '/w/new')
        copy.store('later', b'l\n')
        status = copy.status()
        equal(paths(status['moved_on']), ['later', 'new/n', 'sub/b'])
        equal(status['is_clean'], False)
        done = copy.checkout()
        equal((done['written'], done['removed']), (2, 1))
        equal(copy.read('sub/b'), b'b2\n')
        check(not os.path.exists(copy.path('new')), 'an empty folder goes')
        copy.write('mine', b'm\n')
        copy.checkout()
        equal(copy.read('mine'), b'm\n', 'a new file is left')
        copy.vault.is_sound()


@test('checkout: a stage alone, by name and by id')
def stage():
    with Box() as box:
        copy = Copy(box, {'stages/01-draft/CONTEXT.md': b'# d\n', 'stages/01-draft/output/o': b'o',
                          'CLAUDE.md': b'c'}, checkout=False)
        done = copy.checkout('--stage', '01-draft')
        equal(done['stage']['name'], '01-draft')
        equal(files(copy.dir), {'CONTEXT.md': b'# d\n', 'output/o': b'o'})
        copy.checkout('--stage', done['stage']['id'])
        copy.refused('CONFLICT', 'checkout')
        copy.write('output/p', b'p')
        equal(copy.status()['stage']['id'], done['stage']['id'])
        copy.commit()
        equal(copy.vault.get('/w/stages/01-draft/output/p'), b'p')


@test('checkout discard: puts back what is named, or all, and leaves what is new')
def discards():
    with Box() as box:
        copy = Copy(box)
        copy.write('a', b'changed')
        copy.write('sub/b', b'changed')
        copy.write('sub/new', b'new')
        os.unlink(copy.path('sub/deep/c'))
        os.rmdir(copy.path('sub/deep'))
        for path in ('none', 'su', '../copy/a', 'sub/new'):
            error = copy.refused('CONFLICT', 'discard', 'a', path)
            equal(refused_paths(error), [path])
        equal(copy.read('a'), b'changed', 'nothing was put back')
        copy.store('a', b'newer')
        done = copy.discard('./sub/')
        equal((paths(done['put_back']), paths(done['left'])), (['sub/b', 'sub/deep/c'], ['sub/new']))
        equal(copy.read('sub/b'), b'b\n')
        equal(copy.read('a'), b'changed')
        done = copy.discard('--all')
        equal(paths(done['put_back']), ['a'])
        equal(copy.read('a'), b'a\n', 'as it was checked out, not the latest')
        equal(copy.discard('--all')['put_back'], [])
        equal(paths(copy.status()['moved_on']), ['a'])


@test('checkout status: bytes tell where times do not: touched, and changed with the same size and time')
def racy():
    with Box() as box:
        copy = Copy(box, {f'f{i}': b'aaaa' for i in range(50)})
        for i in range(50):
            before = os.stat(copy.path(f'f{i}'))
            with open(copy.path(f'f{i}'), 'r+b') as f:
                f.write(b'bbbb')
            os.utime(copy.path(f'f{i}'), ns=(before.st_atime_ns, before.st_mtime_ns))
        equal(copy.status()['counts']['changed'], 50)
        copy.discard('--all')
        for i in range(50):
            os.utime(copy.path(f'f{i}'))
        equal(copy.status()['is_clean'], True)
        equal(copy.commit()['counts']['stored'], 0)
        record = copy.record()
        for file in record['files']:
            equal(file['mtime_ns'], os.stat(copy.path(file['path'])).st_mtime_ns, 'refreshed')


@test('checkout status: where the times tell, no file is opened')
def no_hashing():
    with Box() as box:
        copy = Copy(box, {f'f{i}': b'aaaa' for i in range(50)})
        equal(copy.commit()['counts']['stored'], 0)
        trace = os.path.join(box.dir, 'trace')
        subprocess.run(['strace', '-o', trace, '-e', 'trace=openat,open', Setup.binary, 'vault',
                        'workspace', 'status', copy.dir], check=True, stdout=subprocess.DEVNULL,
                       env=copy.vault.env(ASAN_OPTIONS='detect_leaks=0'), cwd=box.root)
        with open(trace, encoding='utf-8', errors='replace') as f:
            opened = [line for line in f if '"f' in line]
        equal(opened, [])
        rows = copy.vault.events('--operation', 'folder tree')
        equal(len([r for r in rows if r['correlation_id'] == rows[0]['correlation_id']]), 1)


@test('vault export: all that may be read, as plain files with a manifest; not over others')
def export():
    with Box() as box:
        copy = Copy(box, checkout=False)
        copy.vault.value('tag', 'add', '/w/a', 'good')
        copy.vault.value('file', 'metadata', '/w/a', '--set', 'due="x"')
        copy.vault.value('folder', 'create', '/w/empty')
        out = os.path.join(box.root, 'out')
        done = copy.vault.value('export', out, '/w')
        equal((done['files'], done['folder']['path']), (3, '/w'))
        equal(sorted(os.listdir(out)), ['files', 'manifest.json'])
        equal(files(os.path.join(out, 'files')), {'a': b'a\n', 'sub/b': b'b\n', 'sub/deep/c': b'c\n'})
        check(os.path.isdir(os.path.join(out, 'files/empty')), 'empty folders too')
        with open(os.path.join(out, 'manifest.json'), encoding='utf-8') as f:
            manifest = json.load(f)
        first = manifest['files'][0]
        equal((first['path'], first['tags'], first['metadata'], first['version']),
              ('a', ['good'], {'due': '"x"'}, 1))
        equal(first['hash'], hashlib.blake2b(b'a\n', digest_size=32).hexdigest())
        equal(paths(manifest['folders']), ['empty', 'sub', 'sub/deep'])
        copy.vault.refused('ALREADY_EXISTS', 'export', out, '/w')
        copy.store('a', b'newer\n')
        copy.vault.value('export', out, '/w', '--force')
        equal(files(os.path.join(out, 'files'))['a'], b'newer\n')
        os.unlink(os.path.join(out, 'files/a'))
        os.symlink(os.path.join(copy.outside, 'canary'), os.path.join(out, 'files/a'))
        copy.vault.refused('CONFLICT', 'export', out, '/w', '--force')
        os.unlink(os.path.join(out, 'files/a'))
        os.rename(os.path.join(out, 'files/sub'), os.path.join(out, 'files/real'))
        os.symlink(copy.outside, os.path.join(out, 'files/sub'))
        copy.vault.refused('CONFLICT', 'export', out, '/w', '--force')
        copy.outside_is_untouched()
        reader = copy.vault.token('reader', 'read', '/w/sub')
        copy.vault.refused('NOT_FOUND', 'export', out + '2', STILE_TOKEN_FILE=reader)
        copy.vault.refused('NOT_FOUND', 'export', out + '2', '/w', STILE_TOKEN_FILE=reader)
        folder = copy.vault.value('folder', 'info', '/w/sub')['id']
        done = copy.vault.value('export', out + '2', folder, STILE_TOKEN_FILE=reader)
        equal(done['files'], 2)
        done = copy.vault.value('export', out + '3')
        equal(sorted(files(os.path.join(out + '3', 'files'))), ['w/a', 'w/sub/b', 'w/sub/deep/c'])


@test('checkout: what is damaged in the vault is told, and not written')
def damaged():
    with Box() as box:
        copy = Copy(box, {'a': b'a\n', 'big': random.Random(7).randbytes(600000)}, checkout=False)
        with copy.vault.database() as db:
            for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'"
                                      " AND tbl_name = 'chunk'").fetchall():
                db.execute(f'DROP TRIGGER {name}')
            number, data = db.execute('SELECT rowid, data FROM chunk ORDER BY length(data) DESC'
                                      ' LIMIT 1').fetchone()
            db.execute('UPDATE chunk SET data = ? WHERE rowid = ?',
                       (data[:9] + bytes([data[9] ^ 1]) + data[10:], number))
        db.close()
        error = copy.refused('CONTENT_CORRUPT', 'checkout')
        check(error['message'].startswith('big: '), error)
        check(not os.path.exists(copy.path('big')), 'no half file')
        equal(copy.read('a'), b'a\n')


@test('checkout: long work tells how far it is')
def progress():
    with Box() as box:
        copy = Copy(box, {'a': b'a' * 100000}, checkout=False)
        for args in (['workspace', 'checkout', '/w', copy.dir],
                     ['export', os.path.join(box.root, 'out'), '/w']):
            status, _, err = copy.vault.raw(*args, '--progress', 'json', '--json')
            equal(status, 0)
            last = json.loads(err.decode().splitlines()[-1])
            equal((last['done'], last['all']), (100000, 100000))
        copy.write('a', b'b' * 50000)
        _, _, err = copy.vault.raw('workspace', 'commit', copy.dir, '--message', 'm', '--progress',
                                   'json', '--json')
        equal(json.loads(err.decode().splitlines()[-1])['done'], 50000)
        equal(copy.vault.raw('workspace', 'status', copy.dir, '--progress', 'loud')[0], 2)
