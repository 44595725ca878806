# SPDX-License-Identifier: MIT
"""The vault's commands with the real binary: what they refuse, then what they do."""

import base64
import hashlib
import json
import os
import random
import re
import signal
import socket
import sqlite3
import stat
import subprocess
import time

from stile import Box, Setup, at_terminal, check, equal, poll, test

TOKEN = re.compile(rb'stv_[A-Za-z0-9_-]{43}')
EXIT = {'NOT_FOUND': 12, 'UNAUTHENTICATED': 10, 'PERMISSION_DENIED': 11, 'USAGE': 2, 'CONFLICT': 1,
        'INVALID_ARGUMENT': 2, 'ALREADY_EXISTS': 1, 'CONTENT_CORRUPT': 1, 'LIMIT_EXCEEDED': 1,
        'CHECK_FAILED': 3, 'CONFIGURATION_ERROR': 40}


class Vault:
    """A vault of one box, and the home of whoever uses it."""

    def __init__(self, box, init=True):
        self.box = box
        self.home = os.path.join(box.dir, 'home')
        self.credential = os.path.join(self.home, '.config', 'stile', 'credentials.json')
        os.mkdir(self.home, 0o700)
        if init:
            self.value('init', '--org', 'acme', '--owner', 'ada')

    def env(self, **more):
        return self.box.env(HOME=self.home, **more)

    def raw(self, *args, stdin=b'', seconds=60, **env):
        status, out, err = self.box.command('vault', *args, env=self.env(**env), stdin=stdin,
                                            seconds=seconds)
        check(not TOKEN.search(out + err), 'a token was printed:', args)
        return status, out, err

    def envelope(self, *args, **options):
        at = args.index('--') if '--' in args else len(args)
        status, out, _ = self.raw(*args[:at], '--json', *args[at:], **options)
        equal(out.count(b'\n'), 1, 'one line')
        envelope = json.loads(out)
        equal(envelope['schema_version'], '1')
        equal(status, envelope.get('error', {}).get('exit_code', 0), 'exit status')
        equal(envelope['status'], 'succeeded' if status == 0 else 'failed')
        return envelope

    def value(self, *args, **options):
        envelope = self.envelope(*args, **options)
        check(envelope['status'] == 'succeeded', args, envelope.get('error'))
        return envelope['result']

    def refused(self, code, *args, **options):
        """The message of a refusal with that code."""
        envelope = self.envelope(*args, **options)
        check(envelope['status'] == 'failed', args, 'was not refused:', envelope)
        equal(envelope['error']['code'], code, f'{args}: {envelope["error"]["message"]}')
        equal(envelope['error']['exit_code'], EXIT[code], 'exit code')
        return envelope['error']['message']

    def put(self, ref, content, *args, **options):
        return self.value('file', 'put', ref, *args, stdin=content, **options)

    def get(self, ref, *args, **options):
        status, out, err = self.raw('file', 'get', ref, *args, **options)
        equal(status, 0, err.decode())
        return out

    def token(self, name, rank=None, folder='/', *args):
        """A principal of that name with a grant; the path of its token's file."""
        path = os.path.join(self.box.root, f'{name}.token')
        self.value('principal', 'add', name, '--kind', 'agent')
        if rank:
            self.value('grant', 'set', folder, name, rank)
        self.value('token', 'issue', name, '--out', path, *args)
        return path

    def events(self, *args):
        return self.value('audit', 'list', '--limit', '1000000', *args)['events']

    def database(self):
        return sqlite3.connect(os.path.join(self.box.data, 'vault.db'), timeout=10)

    def is_sound(self):
        """fsck and audit verify are content."""
        equal(self.value('fsck', seconds=120)['faults'], [])
        return self.value('audit', 'verify')


# ---- who may ----

@test('vault: an unknown command is answered with one line: what is meant, and where all are listed')
def unknown_commands():
    with Box() as box:
        vault = Vault(box, init=False)
        for words, wanted in ((['x'], b'stile: no command "vault x"; see stile vault --help\n'),
                              (['file', 'inof'], b'stile: no command "vault file inof"; did you mean '
                               b'stile vault file info? see stile vault file --help\n')):
            equal(vault.raw(*words), (2, b'', wanted))


@test('vault: without a vault, and without a credential, each command says what to do')
def nothing_there():
    with Box() as box:
        vault = Vault(box, init=False)
        for args in (['whoami'], ['file', 'info', '/a'], ['fsck'], ['login']):
            check('stile vault init' in vault.refused('NOT_FOUND', *args), args)
        check(not os.path.exists(os.path.join(box.data, 'vault.db')), 'nothing was made')
        vault.value('init')
        equal(vault.value('logout', '--force'), {'was_logged_in': True})
        equal(vault.value('logout'), {'was_logged_in': False})
        check('stile vault login' in vault.refused('UNAUTHENTICATED', 'whoami'))


@test('vault: where its owner\'s token could not be kept, no organization is made')
def no_place_for_the_token():
    with Box() as box:
        vault = Vault(box, init=False)
        # Just too long for a file to be written beside the credential and renamed: root meets that too.
        place = box.dir
        while len(place) < 4064:
            place = os.path.join(place, 'x' * min(200, 4063 - len(place)))
        os.makedirs(place)
        message = vault.envelope('init', '--org', 'acme', XDG_CONFIG_HOME=place)['error']['message']
        check('credentials.json' in message, message)
        check(not os.path.exists(os.path.join(box.data, 'vault.db')), 'no store was made')
        vault.value('init', '--org', 'acme')


@test('vault: a credential that others can read, a link and a foreign form are refused')
def open_credential():
    with Box() as box:
        vault = Vault(box)
        for mode in (0o640, 0o604, 0o660):
            os.chmod(vault.credential, mode)
            vault.refused('PERMISSION_DENIED', 'whoami')
        os.chmod(vault.credential, 0o600)
        vault.value('whoami')
        os.rename(vault.credential, vault.credential + '.real')
        os.symlink(vault.credential + '.real', vault.credential)
        equal(vault.envelope('whoami')['status'], 'failed', 'through a link')
        token = box.write('token', b'stv_short\n', 0o600)
        equal(vault.envelope('whoami', STILE_TOKEN_FILE=token)['status'], 'failed', 'short')


@test('vault: a variable for the token that is empty, or names no file, is never the owner')
def token_file_that_is_not():
    with Box() as box:
        vault = Vault(box)
        absent = os.path.join(box.root, 'absent.token')
        for name, code, words in (('', 'CONFIGURATION_ERROR', 'STILE_TOKEN_FILE is empty'),
                                  (absent, 'UNAUTHENTICATED', absent)):
            for verb in (('whoami',), ('folder', 'create', '/x'), ('audit', 'list')):
                message = vault.refused(code, *verb, STILE_TOKEN_FILE=name)
                check(words in message, 'it does not say why:', message)
        vault.refused('NOT_FOUND', 'folder', 'info', '/x')


@test('vault: unknown, expired, revoked and disabled are one answer')
def one_answer():
    with Box() as box:
        vault = Vault(box)
        wrong = box.write('wrong', 'stv_' + 'A' * 43 + '\n', 0o600)
        revoked = vault.token('revoked', 'read')
        disabled = vault.token('disabled', 'read')
        expired = vault.token('expired', 'read', '/', '--expires-in', '1500ms')
        for path in (revoked, disabled):
            vault.value('whoami', STILE_TOKEN_FILE=path)
        tokens = vault.value('token', 'list', 'revoked')['tokens']
        vault.value('token', 'revoke', tokens[0]['id'])
        vault.value('principal', 'disable', 'disabled')
        poll(lambda: vault.envelope('whoami', STILE_TOKEN_FILE=expired)['status'] == 'failed', 10,
             'it expires')
        answers = {vault.refused('UNAUTHENTICATED', 'whoami', STILE_TOKEN_FILE=path)
                   for path in (wrong, revoked, disabled, expired)}
        equal(len(answers), 1, f'answers {answers}')
        vault.refused('UNAUTHENTICATED', 'login', stdin=b'stv_' + b'B' * 43)
        vault.refused('INVALID_ARGUMENT', 'login', stdin=b'my password\n')
        vault.refused('USAGE', 'login', stdin=b'')
        equal(vault.value('whoami')['principal'], 'ada', 'a login that fails changes nothing')


@test('vault: nobody is locked out by login, logout, revoke or grant')
def locked_out():
    with Box() as box:
        vault = Vault(box)
        owner = vault.value('whoami')
        helper = vault.token('helper', 'write')
        with open(helper, 'rb') as f:
            text = f.read()
        with open(vault.credential, 'rb') as f:
            kept = f.read()
        for _ in range(2):      # a token that is no use to a manager changes nothing
            check('logged in as somebody else' in vault.refused('ALREADY_EXISTS', 'login', stdin=text))
            check('token issue --out' in vault.refused('CONFLICT', 'logout'))
            vault.refused('CONFLICT', 'token', 'revoke', owner['token_id'])
            vault.value('grant', 'set', '/', 'helper', 'manage')
            vault.value('grant', 'set', '/', 'helper', 'read')
        with open(vault.credential, 'rb') as f:
            equal(f.read(), kept, 'the credential')
        equal(vault.value('whoami')['token_id'], owner['token_id'])
        # a manager without a valid token is none
        vault.value('grant', 'set', '/', 'helper', 'manage')
        vault.value('token', 'revoke', vault.value('token', 'list', 'helper')['tokens'][0]['id'])
        for args in (['grant', 'remove', '/', 'ada'], ['grant', 'set', '/', 'ada', 'write']):
            check('valid token' in vault.refused('CONFLICT', *args))
        vault.refused('CONFLICT', 'token', 'revoke', owner['token_id'])
        # with a spare everything goes
        spare = os.path.join(box.root, 'spare')
        vault.value('token', 'issue', '--out', spare)
        vault.value('logout')
        check(not os.path.exists(vault.credential))
        vault.refused('UNAUTHENTICATED', 'whoami')
        vault.value('token', 'revoke', owner['token_id'], STILE_TOKEN_FILE=spare)
        with open(spare, 'rb') as f:
            vault.value('login', stdin=f.read())
        vault.refused('CONFLICT', 'logout')
        # the vault does not accept what is kept: then it is no loss
        vault.value('logout', '--force')
        with open(vault.credential, 'wb') as f:
            f.write(kept)
        os.chmod(vault.credential, 0o600)
        with open(spare, 'rb') as f:
            vault.value('login', stdin=f.read())
        equal(vault.value('whoami')['principal'], 'ada')
        vault.value('logout', '--force')
        equal(vault.value('logout')['was_logged_in'], False)


@test('vault: what is foreign or not granted answers byte for byte as what is absent')
def foreign():
    with Box() as box:
        vault = Vault(box)
        vault.value('folder', 'create', '/secret')
        vault.put('/secret/plan', b'x\n')
        secret = vault.value('file', 'info', '/secret/plan')
        folder = vault.value('folder', 'info', '/secret')
        vault.value('folder', 'create', '/open')
        reader = vault.token('reader', 'manage', '/open')
        other = os.path.join(box.root, 'other.token')
        vault.value('init', '--org', 'other', '--out', other)
        for who in (reader, other):
            for verb in (['file', 'info'], ['file', 'get'], ['file', 'versions'],
                         ['file', 'trash'], ['folder', 'list'], ['folder', 'tree'],
                         ['tag', 'list'], ['grant', 'list'], ['file', 'diff']):
                for there, absent in ((secret['id'], 'fil_' + '0' * 26),
                                      (folder['id'], 'fol_' + '0' * 26),
                                      ('/secret/plan', '/secrex/plan'), ('/secret', '/secrex')):
                    answers = []
                    for ref in (there, absent):
                        status, out, err = vault.raw(*verb, ref, STILE_TOKEN_FILE=who)
                        answers.append((status, out, err.replace(ref.encode(), b'REF')))
                    equal(answers[0], answers[1], f'{verb} {there}')
                    equal(answers[0][0], 12, 'NOT_FOUND')
            version = secret['version_id']
            answers = [vault.refused('NOT_FOUND', 'version', 'show', v, STILE_TOKEN_FILE=who)
                       .replace(v, 'V') for v in (version, 'ver_' + '0' * 26)]
            equal(answers[0], answers[1], 'versions')
        # what may be read but not changed is told apart, and changes nothing
        writer = vault.token('only-reader', 'read', '/secret')
        vault.refused('PERMISSION_DENIED', 'file', 'put', '/secret/plan', stdin=b'y',
                      STILE_TOKEN_FILE=writer)
        vault.refused('PERMISSION_DENIED', 'file', 'trash', '/secret/plan',
                      STILE_TOKEN_FILE=writer)
        equal(vault.get('/secret/plan'), b'x\n')
        equal(vault.value('folder', 'list', '/', STILE_TOKEN_FILE=other)['entries'], [])


@test('vault: what the boundary started makes, changes and reveals no identity')
def behind_the_boundary():
    with Box() as box:
        vault = Vault(box)
        before = len(vault.events())
        token = vault.value('token', 'list')['tokens'][0]['id']
        for args in (['init', '--org', 'mine'], ['login'], ['logout'], ['principal', 'add', 'eve'],
                     ['principal', 'disable', 'ada'],
                     ['token', 'issue', '--out', os.path.join(box.root, 'stolen')],
                     ['token', 'revoke', token], ['backup', os.path.join(box.root, 'copy')]):
            for marker in ('mcp', 'anything', ''):
                vault.refused('PERMISSION_DENIED', *args, STILE_CALLER=marker)
        equal(os.listdir(box.root), [], 'no file was made')
        equal(len(vault.events()), before + 2, 'none of it reached the store')
        vault.value('whoami', STILE_CALLER='mcp')
        equal([e['caller'] for e in vault.events('--operation', 'whoami')][0], 'mcp')


@test('vault: a token is in no output, argument, message or file but those that are for it')
def token_is_nowhere():
    with Box() as box:
        vault = Vault(box)      # Vault.raw looks at all output
        path = os.path.join(box.root, 't')
        vault.refused('USAGE', 'token', 'issue')
        equal(vault.raw('token', 'issue')[0], 2, 'a pipe is no terminal')
        vault.value('token', 'issue', '--out', path)
        equal(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        vault.refused('ALREADY_EXISTS', 'token', 'issue', '--out', path)
        equal(len(vault.value('token', 'list')['tokens']), 2, 'none is issued that nobody gets')
        with open(path, 'rb') as f:
            token = f.read()
        check(TOKEN.fullmatch(token.strip()), 'the form of a token')
        vault.value('login', stdin=token)
        equal(stat.S_IMODE(os.stat(vault.credential).st_mode), 0o600)
        value = token.decode().strip()
        for args in (['login', value], ['login', '--token', value], ['login', f'--token={value}'],
                     ['file', 'info', '/' + value], [value], [f'--within={value}', 'whoami'],
                     ['file', 'put', '/a', '--message', f'my token is {value}']):
            for form in ([], ['--json']):
                equal(vault.raw(*args, *form)[0], 2, 'a token is no argument')
        vault.value('whoami', STILE_TOKEN_FILE=path)
        for folder, _, names in os.walk(box.dir):
            for name in names:
                file = os.path.join(folder, name)
                with open(file, 'rb') as f:
                    has = token.strip() in f.read()
                equal(has, file in (path, vault.credential), file)


@test('vault: on a terminal a token is shown once, and typed without being shown')
def terminal():
    with Box() as box:
        vault = Vault(box)
        argv = [Setup.binary, 'vault']
        status, text = at_terminal([*argv, 'token', 'issue'], vault.env(), lambda text: None)
        equal(status, 0, text)
        token = TOKEN.search(text.encode()).group().decode()
        vault.value('logout')
        status, text = at_terminal([*argv, 'login'], vault.env(),
                                   lambda text: token if 'Token: ' in text else None)
        equal(status, 0, text)
        check(token not in text and 'ada' in text, text)
        vault.value('logout', '--force')
        status, text = at_terminal([*argv, 'login'], vault.env(),
                                   lambda text: '\x03' if 'Token: ' in text else None)
        equal(status, 1, text)
        check('nothing was typed' in text, text)


@test('vault: nothing but the vault command opens the credential')
def strace():
    with Box() as box:
        vault = Vault(box)
        token = os.path.join(box.root, 'owner.token')
        vault.value('token', 'issue', '--out', token)
        box.repository()
        # a program that is traced cannot be looked through for leaks
        env = {'HOME': vault.home, 'STILE_TOKEN_FILE': token, 'ASAN_OPTIONS': 'detect_leaks=0'}

        def opens(*args):
            trace = os.path.join(box.dir, 'trace')
            done = subprocess.run(['strace', '-f', '-o', trace, '-e', 'trace=%file', Setup.binary,
                                   *args], env=box.env(**env), cwd=box.root, check=False,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=120)
            with open(trace, encoding='utf-8', errors='replace') as f:
                text = f.read()
            return done.returncode, [line for line in text.splitlines()
                                     if token in line or 'credentials.json' in line]

        status, lines = opens('vault', 'whoami')
        equal(status, 0)
        check(lines, 'strace sees it where it is opened')
        for args in (['call', 'git_log', json.dumps({'path': os.path.join(box.root, 'repo')}),
                      '--surface', 'git'], ['audit', 'list'], ['surface', 'list'],
                     ['vault', '--help'], ['vault', 'file', 'put', '--help'],
                     ['completion', 'bash'], ['mcp', 'serve', '--surface', 'git']):
            status, lines = opens(*args)
            equal(status, 0, f'{args}')
            equal(lines, [], f'{args}')


# ---- what is refused ----

@test('vault: names with slashes, dots, controls, of wrong bytes, too long or too deep are refused')
def names():
    with Box() as box:
        vault = Vault(box)
        vault.value('folder', 'create', '/f')
        vault.put('/f/a', b'a')
        for name in ('..', '.', '', 'a/b', 'a\nb', 'a\x01b', 'x' * 256, 'ä' * 128):
            vault.refused('INVALID_ARGUMENT', 'file', 'rename', '/f/a', name)
        for ref in ('/f/..', '/f/.', '/f/' + 'x' * 256, '/f/a\nb'):
            envelope = vault.envelope('file', 'put', ref, stdin=b'x')
            equal(envelope['status'], 'failed', ref)
        status, out, _ = vault.raw('file', 'rename', '/f/a', b'\xff\xfe', '--json')
        equal((status, json.loads(out)['error']['code']), (2, 'INVALID_ARGUMENT'))
        deep = '/' + '/'.join('d' for _ in range(64))
        vault.value('folder', 'create', deep, '--parents')
        vault.refused('INVALID_ARGUMENT', 'folder', 'create', deep + '/d')
        vault.refused('INVALID_ARGUMENT', 'folder', 'move', '/d', '/d/d/d')
        vault.value('file', 'rename', '/f/a', 'x' * 255)
        vault.value('file', 'rename', '/f/' + 'x' * 255, '--', '--leading-dash')
        equal(vault.get('/f/--leading-dash'), b'a')
        vault.put('/f/u\u0308', b'composed')
        equal(vault.get('/f/\u00fc'), b'composed')


@test('vault: a version that is not the one expected is a conflict, and nothing is stored')
def conflict():
    with Box() as box:
        vault = Vault(box)
        vault.refused('CONFLICT', 'file', 'put', '/a', '--expect', '1', stdin=b'1')
        vault.refused('NOT_FOUND', 'file', 'info', '/a')
        first = vault.put('/a', b'1', '--expect', '0')
        second = vault.put('/a', b'2', '--expect', first['id'])
        vault.refused('CONFLICT', 'file', 'put', '/a', '--expect', '1', stdin=b'3')
        vault.refused('CONFLICT', 'file', 'put', '/a', '--expect', '0', stdin=b'3')
        vault.refused('ALREADY_EXISTS', 'file', 'put', '/a', '--new', stdin=b'3')
        local = box.write('local', b'3')
        vault.refused('CONFLICT', 'file', 'upload', local, '/a', '--expect', first['id'])
        equal(vault.get('/a'), b'2')
        equal(vault.value('file', 'info', '/a')['version_id'], second['id'])
        equal(vault.put('/a', b'2').get('unchanged'), True, 'the same bytes')
        equal(len(vault.value('file', 'versions', '/a')['versions']), 2)


@test('vault: a damaged chunk is found by get and by fsck, and none of it is handed out')
def corrupt():
    with Box() as box:
        vault = Vault(box)
        content = random.Random(7).randbytes(600000)
        vault.put('/big', content)
        vault.put('/small', b'sound')
        with vault.database() as db:
            for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'"
                                      " AND tbl_name = 'chunk'").fetchall():
                db.execute(f'DROP TRIGGER {name}')
            number, data = db.execute('SELECT rowid, data FROM chunk ORDER BY length(data) DESC'
                                      ' LIMIT 1').fetchone()
            middle = len(data) // 2
            data = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1:]
            db.execute('UPDATE chunk SET data = ? WHERE rowid = ?', (data, number))
        db.close()
        status, out, _ = vault.raw('file', 'get', '/big')
        equal(status, 1)
        check(len(out) < len(content) and content.startswith(out), 'only what was verified')
        vault.refused('CONTENT_CORRUPT', 'file', 'get', '/big', '--max-size', '1MiB')
        out = os.path.join(box.root, 'out')
        vault.refused('CONTENT_CORRUPT', 'file', 'get', '/big', '--out', out)
        equal(os.listdir(box.root), [], 'no half file is left')
        envelope = vault.envelope('fsck')
        equal(envelope['error']['code'], 'CHECK_FAILED')
        check(envelope['result']['fault_count'] >= 1, envelope)
        check('/big' in str(envelope['result']['faults']) or envelope['result']['faults'],
              envelope)
        equal(vault.get('/small'), b'sound')


@test('vault: links, special files and paths outside of --root are refused, and nothing is stored')
def local_files():
    with Box() as box:
        vault = Vault(box)
        outside = os.path.join(box.dir, 'outside')
        with open(outside, 'wb') as f:
            f.write(b'outside')
        box.write('tree/a', b'a')
        box.write('tree/sub/b', b'b')
        tree = os.path.join(box.root, 'tree')
        root = f'--root={box.root}'

        def refused(*args, code='INVALID_ARGUMENT'):
            vault.refused(code, *args)
            vault.refused('NOT_FOUND', 'folder', 'info', '/t')

        for make in (lambda path: os.symlink('a', path), lambda path: os.symlink(outside, path),
                     lambda path: os.symlink('/etc', path), os.mkfifo,
                     lambda path: socket.socket(socket.AF_UNIX).bind(path)):
            odd = os.path.join(tree, 'sub', 'odd')
            os.chdir(tree)      # a socket's path must be short
            make('sub/odd')
            os.chdir('/')
            refused('file', 'upload', '--recursive', tree, '/t')
            refused('file', 'upload', odd, '/t')
            refused(root, 'file', 'upload', '--recursive', tree, '/t')
            os.unlink(odd)
        refused('file', 'upload', '/dev/zero', '/t')
        refused('file', 'upload', tree, '/t', code='USAGE')
        os.symlink(box.dir, os.path.join(tree, 'up'))
        for path in (outside, os.path.join(tree, '../../outside'), '../outside',
                     os.path.join(tree, 'up/outside')):
            refused(root, 'file', 'upload', path, '/t', code='PERMISSION_DENIED')
        vault.put('/x', b'x')
        for path in (os.path.join(box.dir, 'new'), '../new', os.path.join(tree, 'up/new')):
            vault.refused('PERMISSION_DENIED', root, 'file', 'get', '/x', '--out', path)
        check(not os.path.exists(os.path.join(box.dir, 'new')), 'nothing was written')
        os.unlink(os.path.join(tree, 'up'))
        vault.value(root, 'file', 'upload', '--recursive', 'tree', '/t')
        equal(vault.get('/t/tree/sub/b'), b'b')
        vault.refused('USAGE', root, 'backup', os.path.join(box.root, 'copy'))
        vault.refused('ALREADY_EXISTS', 'file', 'get', '/x', '--out', outside)
        vault.value('file', 'get', '/x', '--out', outside, '--force')
        with open(outside, 'rb') as f:
            equal(f.read(), b'x')


@test('vault: --within leaves one folder, and no contract can be changed there')
def within():
    with Box() as box:
        vault = Vault(box)
        vault.value('folder', 'create', '/w/01-draft', '--parents')
        vault.put('/w/a', b'a')
        vault.put('/w/01-draft/CONTEXT.md', b'# draft\n')
        vault.put('/out', b'out')
        out = vault.value('file', 'info', '/out')['id']
        folder = vault.value('folder', 'info', '/w')['id']
        limit = f'--within={folder}'
        for ref in ('/w/a', 'a', f'{folder}/a'):
            equal(vault.value(limit, 'file', 'info', ref)['path'], f'{folder}/a')
        vault.refused('INVALID_ARGUMENT', 'file', 'info', 'a')
        vault.refused('NOT_FOUND', limit, 'file', 'info', 'out')
        upload = box.write('upload', 'u')
        vault.value(limit, 'folder', 'create', 'in')
        vault.value(limit, 'file', 'upload', upload, 'in/')
        vault.value(limit, 'file', 'upload', upload, 'b')
        equal([e['path'] for e in vault.value('folder', 'tree', '/w')['entries']],
              ['/w/01-draft', '/w/01-draft/CONTEXT.md', '/w/a', '/w/b', '/w/in', '/w/in/upload'])
        for ref in ('/out', out, '/'):
            vault.refused('NOT_FOUND', limit, 'file', 'info', ref)
        vault.refused('NOT_FOUND', limit, 'file', 'move', '/w/a', '/')
        vault.refused('PERMISSION_DENIED', limit, 'file', 'put', '/w/01-draft/CONTEXT.md',
                      stdin=b'tools: all')
        for args in (['audit', 'list'], ['fsck'], ['gc'], ['principal', 'list']):
            vault.refused('PERMISSION_DENIED', limit, *args)
        for args in (['principal', 'add', 'eve'], ['token', 'issue', '--out', '/tmp/never']):
            vault.refused('USAGE', limit, *args)
        equal(vault.get('/w/01-draft/CONTEXT.md'), b'# draft\n')
        # the options lead the command or are none
        equal(vault.raw('file', 'info', limit, '/w/a')[0], 2)
        equal(vault.raw('--within', folder, limit, 'file', 'info', '/w/a')[0], 2)


# ---- the worst moment ----

@test('vault: killed at 200 random moments it is sound, with every acknowledged version present')
def killed():
    with Box() as box:
        vault = Vault(box)
        rounds = 40 if Setup.is_sanitized else 200
        dice = random.Random(20261130)
        argv = [Setup.binary, 'vault', 'file', 'put', '--json']
        acknowledged = {}

        def put(name, content, pause):
            """Starts a put, and kills it after a pause unless it was quicker."""
            with open(box.write('content', content), 'rb') as stdin:
                child = subprocess.Popen([*argv, name], env=vault.env(), stdin=stdin,
                                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            if pause is not None:
                time.sleep(pause)
                child.send_signal(signal.SIGKILL)
            out, _ = child.communicate()
            if out.endswith(b'\n'):
                version = json.loads(out)['result']
                acknowledged[version['id']] = content
            return bool(out)

        began = time.monotonic()
        for i in range(3):
            put(f'/warm{i}', dice.randbytes(300000), None)
        usual = (time.monotonic() - began) / 3
        killed_at = 0
        for i in range(rounds):
            content = dice.randbytes(dice.choice((10, 5000, 300000)))
            was_killed = not put(f'/f{i % 7}', content, dice.uniform(0, usual * 1.2))
            killed_at += was_killed
            usual *= 1.1 if was_killed else 1 / 1.1     # what others do to the machine changes
        check(killed_at > rounds // 4, f'only {killed_at} were killed in time')
        check(len(acknowledged) > rounds // 20, f'only {len(acknowledged)} were acknowledged')
        vault.is_sound()
        for version, content in acknowledged.items():
            status, out, err = vault.raw('version', 'get', version)
            equal((status, err), (0, b''), version)
            equal(out == content, True, version)
        vault.value('gc')
        vault.is_sound()


@test('vault: eight writers at once, each change is a version and a row')
def many():
    with Box() as box:
        vault = Vault(box)
        children = [subprocess.Popen([Setup.binary, 'vault', 'file', 'put', '/shared', '--json'],
                                     env=vault.env(), stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                    for _ in range(8)]
        numbers = set()
        for i, child in enumerate(children):
            out, err = child.communicate(b'%d\n' % i, timeout=60 * Setup.patience)
            equal(child.returncode, 0, (out + err).decode())
            numbers.add(json.loads(out)['result']['version'])
        equal(numbers, set(range(1, 9)))
        equal(len(vault.events('--operation', 'file put')), 8)
        vault.is_sound()


# ---- the ordinary way ----

@test('vault: content comes back as it went in, inline, by file and by pipe')
def content():
    with Box() as box:
        vault = Vault(box)
        big = random.Random(1).randbytes(3 << 20)
        for name, data in (('empty', b''), ('text', 'hällo\n'.encode()), ('nul', b'a\0b'),
                           ('binary', b'\xff\x00' * 500), ('big', big)):
            version = vault.put('/' + name, data)
            equal(version['size'], len(data))
            equal(vault.get('/' + name), data, name)
            out = os.path.join(box.root, name)
            vault.value('file', 'get', '/' + name, '--out', out)
            with open(out, 'rb') as f:
                equal(f.read() == data, True, name)
            equal(stat.S_IMODE(os.stat(out).st_mode), 0o600)
            if len(data) < 100000:
                inline = vault.value('file', 'get', '/' + name)
                got = inline['content'].encode() if inline['encoding'] == 'utf-8' else \
                    base64.b64decode(inline['content'])
                equal(got, data, name)
        check('--out' in vault.refused('LIMIT_EXCEEDED', 'file', 'get', '/big'))
        vault.refused('LIMIT_EXCEEDED', 'file', 'get', '/text', '--max-size', '3B')


@test('vault: versions are listed, shown, compared and brought back')
def versions():
    with Box() as box:
        vault = Vault(box)
        for i in range(5):
            vault.put('/a', b'line\n' * i + b'end\n', '--message', f'number {i}')
        rows = vault.value('file', 'versions', '/a', '--limit', '2')
        equal([v['version'] for v in rows['versions']], [5, 4])
        rows = vault.value('version', 'list', '/a', '--limit', '3', '--after', rows['next'])
        equal([v['version'] for v in rows['versions']], [3, 2, 1])
        equal(rows['next'], None)
        first = vault.value('version', 'show', '/a', '1')
        equal(first['message'], 'number 0')
        equal(vault.value('version', 'show', first['id']), first)
        equal(vault.raw('version', 'get', first['id'])[1], b'end\n')
        diff = vault.value('file', 'diff', '/a', '1', '3')
        equal((diff['added'], diff['removed'], diff['is_binary']), (2, 0, False))
        equal(vault.value('file', 'revert', '/a', '1')['version'], 6)
        equal(vault.get('/a'), b'end\n')
        again = vault.value('file', 'revert', '/a', '1')
        equal((again['version'], again['unchanged']), (6, True))
        equal(vault.get('/a', '--version', '2'), b'line\nend\n')
        vault.put('/a', b'line\n' * 300000)
        diff = vault.value('file', 'diff', '/a')
        equal((diff['is_too_large'], diff['is_binary'], diff['diff']), (True, False, ''))
        check(b'more than 1 MiB' in vault.raw('file', 'diff', '/a')[1], 'and says so')
        vault.put('/a', b'\0')
        equal(vault.value('file', 'diff', '/a', '6')['is_binary'], True)


@test('vault: folders and files are moved, renamed, copied, trashed, restored and purged')
def life():
    with Box() as box:
        vault = Vault(box)
        vault.value('folder', 'create', '/a/b', '--parents')
        vault.refused('ALREADY_EXISTS', 'folder', 'create', '/a')
        vault.refused('NOT_FOUND', 'folder', 'create', '/x/y')
        vault.put('/a/f', b'f')
        equal(vault.value('file', 'move', '/a/f', '/a/b')['path'], '/a/b/f')
        equal(vault.value('file', 'rename', '/a/b/f', 'g')['path'], '/a/b/g')
        vault.value('tag', 'add', '/a/b/g', 'good')
        vault.value('file', 'metadata', '/a/b/g', '--set', 'k=v', '--set', 'e=')
        equal(vault.value('file', 'copy', '/a/b/g', '/copy')['path'], '/copy')
        equal(vault.value('file', 'metadata', '/copy', '--unset', 'e')['metadata'], {'k': 'v'})
        found = vault.value('tag', 'find', '/', 'good')['entries']
        equal([e['path'] for e in found], ['/a/b/g', '/copy'])
        equal(vault.value('tag', 'list', '/')['tags'], [{'tag': 'good', 'files': 2}])
        vault.value('tag', 'remove', '/copy', 'good')
        equal(vault.value('folder', 'move', '/a/b', '/')['path'], '/b')
        equal([e['path'] for e in vault.value('folder', 'tree', '/')['entries']],
              ['/a', '/b', '/b/g', '/copy'])
        equal([e['name'] for e in vault.value('file', 'list', '/')['entries']], ['copy'])
        page = vault.value('folder', 'list', '/', '--limit', '2')
        equal(page['next'], 'b')
        page = vault.value('folder', 'list', '/', '--limit', '2', '--after', 'b')
        equal(([e['name'] for e in page['entries']], page['next']), (['copy'], None))
        for verb in ('purge', 'restore'):
            check('is not in the trash' in vault.refused('CONFLICT', 'folder', verb, '/b'), verb)
            vault.refused('NOT_FOUND', 'folder', verb, '/none')
        vault.value('folder', 'trash', '/b')
        vault.refused('NOT_FOUND', 'file', 'info', '/b/g')
        vault.value('folder', 'restore', '/b')
        equal(vault.get('/b/g'), b'f')
        vault.value('folder', 'trash', '/b')
        equal(vault.value('folder', 'purge', '/b'), {'folders': 1, 'files': 1, 'versions': 1})
        vault.is_sound()


@test('vault: a backup that is killed leaves nothing under its name, and the next is whole')
def killed_backup():
    with Box() as box:
        vault = Vault(box)
        vault.put('/big', random.Random(4).randbytes(30 << 20))
        copy = os.path.join(box.root, 'copy.db')
        for _ in range(20):
            child = subprocess.Popen([Setup.binary, 'vault', 'backup', copy], env=vault.env(),
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            poll(lambda: os.path.exists(copy + '.part') or child.poll() is not None, 10, 'it writes')
            child.kill()
            if child.wait() != 0:
                break
            os.unlink(copy)     # it was too quick for us
        check(not os.path.exists(copy), 'half a backup')
        equal(os.listdir(box.root), ['copy.db.part'])
        vault.value('backup', copy)
        equal(os.listdir(box.root), ['copy.db'])
        for name in os.listdir(box.data):
            if name.startswith('vault.db'):
                os.unlink(os.path.join(box.data, name))
        os.rename(copy, os.path.join(box.data, 'vault.db'))
        vault.is_sound()


@test('vault: a backup made while others write is a vault, and gc takes only what nobody uses')
def care():
    with Box() as box:
        vault = Vault(box)
        vault.put('/keep', b'keep' * 1000)
        vault.put('/drop', random.Random(3).randbytes(200000))
        copy = os.path.join(box.root, 'copy.db')
        vault.value('backup', copy)
        equal(vault.envelope('backup', copy)['status'], 'failed', 'nothing is replaced')
        vault.value('file', 'trash', '/drop')
        vault.value('file', 'purge', '/drop')
        full = os.path.getsize(os.path.join(box.data, 'vault.db'))
        done = vault.value('gc')
        check(done['bytes'] >= 200000 and done['given_back_bytes'] >= 200000, done)
        check(os.path.getsize(os.path.join(box.data, 'vault.db')) <= full - 200000, 'the file is shorter')
        equal(vault.value('gc')['bytes'], 0)
        equal(vault.get('/keep'), b'keep' * 1000)
        for name in os.listdir(box.data):
            if name.startswith('vault.db'):
                os.unlink(os.path.join(box.data, name))
        os.rename(copy, os.path.join(box.data, 'vault.db'))
        vault.is_sound()
        equal(len(vault.get('/drop')), 200000, 'as it was then')


def resident_mib(child):
    """What the process had resident at most, so far."""
    with open(f'/proc/{child.pid}/status', encoding='utf-8') as file:
        return int(re.search(r'VmHWM:\s*(\d+)', file.read())[1]) / 1024


@test('vault: a file larger than the memory it may take goes in and out through pipes')
def memory():
    with Box() as box:
        vault = Vault(box)
        block = random.Random(20261130).randbytes(2**20)
        whole = [hashlib.blake2b(digest_size=32), hashlib.blake2b(digest_size=32)]
        # Else what was freed stays with the sanitizer for a while.
        options = os.environ.get('ASAN_OPTIONS', '') + ':quarantine_size_mb=1'
        env = vault.env(ASAN_OPTIONS=options)
        with subprocess.Popen([Setup.binary, 'vault', 'file', 'put', '/large'], env=env,
                              stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as child:
            for i in range(128):
                part = i.to_bytes(4, 'big') + block
                whole[0].update(part)
                child.stdin.write(part)
            child.stdin.flush()
            put = resident_mib(child)
        equal(child.returncode, 0)
        with subprocess.Popen([Setup.binary, 'vault', 'file', 'get', '/large'], env=env,
                              stdout=subprocess.PIPE) as child:
            for _ in range(127): # the rest is more than a pipe takes: the process is there
                whole[1].update(child.stdout.read(2**20))
            get = resident_mib(child)
            whole[1].update(child.stdout.read())
        equal(child.returncode, 0)
        equal(whole[0].digest(), whole[1].digest())
        check(max(put, get) <= 64, f'{put:.0f} MiB resident while storing, {get:.0f} while reading')


@test('vault: progress is JSON lines on standard error when asked for')
def progress():
    with Box() as box:
        vault = Vault(box)
        for i in range(5):
            box.write(f'in/{i}', bytes([i]) * 100000)
        for args in (['file', 'upload', '--recursive', 'in/.', '/in'], ['fsck'], ['gc'],
                     ['backup', os.path.join(box.root, 'copy')]):
            status, out, err = vault.raw(*args, '--progress', 'json', '--json')
            equal(status, 0, out.decode())
            lines = [json.loads(line) for line in err.decode().splitlines()]
            check(lines and all(set(line) == {'progress', 'done', 'all'} for line in lines), err)
            last = lines[-1]
            equal(last['done'], last['all'] or last['done'], f'{args}')
            equal(vault.raw(*args, '--progress', 'loud')[0], 2)
        equal(vault.value('fsck')['entries'] >= 6, True)


@test('vault: each command has a help with an example, and all commands are in the overview')
def helps():
    with Box() as box:
        vault = Vault(box)
        status, out, _ = vault.raw('--help')
        equal(status, 0)
        commands = re.findall(r'^  vault (\w+(?: \w+)?)  ', out.decode(), re.M)
        check(len(commands) > 45, commands)
        for command in commands:
            status, out, _ = vault.raw(*command.split(), '--help')
            equal(status, 0)
            check(f'\n  stile vault {command}' in out.decode() or f'| stile vault {command}' in
                  out.decode(), f'{command}: an example of itself')
        for group in ('file', 'folder', 'token'):
            status, out, _ = vault.raw(group, '--help')
            equal(status, 0)
            check(f'vault {group} ' in out.decode() and 'vault whoami' not in out.decode(), group)
        equal(vault.raw('file', 'nosuch')[0], 2)


@test('vault: a correlation id of an envelope finds the rows that the command left')
def correlation():
    with Box() as box:
        vault = Vault(box)
        envelope = vault.envelope('file', 'info', '/nothing')
        rows = vault.events('--correlation', envelope['correlation_id'])
        equal([(r['operation'], r['target'], r['result']) for r in rows],
              [('file info', '/nothing', 'NOT_FOUND')])
        vault.put('/a', b'1')
        rows = vault.events('--object', '/a', '--result', 'OK')
        check('file put' in [r['operation'] for r in rows], rows)
