# SPDX-License-Identifier: MIT
"""The nine promises of the vault's security review, each a test of that name. They are held with the
whole of it: an agent's server for one stage of a vault, its children, its credential."""

import glob
import json
import os
import random
import re
import signal
import time

from pass_world import Pass
from situations_redact import GITHUB, MASK
from situations_scope import Stage, contract, is_absent, names, rows
from situations_vault import TOKEN
from situations_vault_tools import error_of, given, refused
from stile import DATA, Box, Setup, check, children, code_of, equal, kill, poll, processes, test, text_of, value_of

REPOSITORY = os.path.dirname(os.path.dirname(DATA))
CHILD_NAMES = {'PATH', 'LANG', 'STILE_CALLER', 'HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'STILE_DATA_DIR',
               'STILE_TOKEN_FILE'}


class Traced:
    """A server under strace: what each process opened, and each command line and environment.

    A child that is sanitized cannot be traced (it looks for leaks): there only the server is."""

    def __init__(self, stage, **env):
        self.path = os.path.join(stage.box.dir, 'trace')
        words = ['strace', '-v', '-s', '200000', '-o', self.path, '-e', 'trace=%file,%process']
        if not Setup.is_sanitized:
            words.insert(1, '-f')
        self.server = stage.box.serve(
            '--workspace', stage.id, '--stage', '02-draft', '--scope-ttl', '0', surfaces=['vault', Setup.surface],
            env=stage.env(XDG_CONFIG_HOME=os.path.join(stage.vault.home, '.config'), XDG_DATA_HOME='/nowhere',
                          ASAN_OPTIONS='detect_leaks=0', **env), wrapper=words)
        self.server.shake()

    def events(self):
        """(process, system call, has this process become another program?), in order."""
        became, begun = set(), {}
        with open(self.path, encoding='utf-8', errors='replace') as f:
            for number, line in enumerate(f):
                match = re.match(r'(\d+) +(.*)', line)
                pid, call = match.groups() if match and not Setup.is_sanitized else ('server', line.rstrip())
                if call.endswith(' <unfinished ...>'):
                    begun[pid] = call.removesuffix(' <unfinished ...>')
                    continue
                if call.startswith('<... '):
                    call = begun.pop(pid, '') + call.partition('resumed>')[2]
                yield pid, call, pid in became
                # The first line is strace's own start of the server.
                if number > 0 and call.startswith('execve(') and call.endswith('= 0'):
                    became.add(pid)

    def starts(self):
        """(words, environment) of each program that was started."""
        found = []
        for _, call, _ in self.events():
            match = re.match(r'execve\("(?:[^"\\]|\\.)*", (\[.*\]), (\[.*\])\) += 0$', call)
            if match:
                found.append(tuple(re.findall(r'"((?:[^"\\]|\\.)*)"', part) for part in match.groups()))
        return found[1:]


def contents(folder):
    for where, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(where, name)
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, 'rb') as f:
                    yield path, f.read()


@test('promise 1: The boundary never reads the credential file; the token appears in no stdout, stderr, result, '
      'error, ledger row, temp file, argv or environment of any child.')
def token_is_nowhere():
    with Box() as box:
        stage = Stage(box, 'vault_file_get', 'vault_file_put', 'vault_file_info', 'fake_env')
        with open(stage.token, 'rb') as f:
            token = f.read().strip()
        check(TOKEN.fullmatch(token), 'the form of a token')
        with open(stage.vault.credential, 'rb') as f:
            owners = TOKEN.search(f.read()).group()
        stage.vault.put('/work/leak', b'a token is stv_' + b'x1Y' * 14 + b'z\n')
        traced = Traced(stage)
        server = traced.server
        given(server, 'vault_file_put', {'file': 'a', 'content': 'x'})
        text = given(server, 'vault_file_get', {'file': 'leak'})['content']
        check(MASK.search(text), 'a token in a file is masked', text)
        refused(server, 'NOT_FOUND', 'vault_file_info', {'file': 'none'})
        refused(server, 'MASKED_CONTENT', 'vault_file_put', {'file': 'leak', 'content': text})
        given(server, 'fake_env')
        server.end(20)
        opened = [(call, is_other) for _, call, is_other in traced.events() if not call.startswith('execve(')
                  and (stage.token in call or 'credentials.json' in call)]
        equal([call for call, is_other in opened if not is_other], [], 'the boundary opened it')
        check(Setup.is_sanitized or len(opened) >= 4, 'the vault opened it', opened)
        # Nor when the token itself is given as an argument.
        server = stage.serve(surfaces=['vault'])
        refused(server, 'USAGE', 'vault_file_info', {'file': token.decode()})
        server.end()
        for server in box.servers:
            check(not any(TOKEN.search(line) for line in server.raw()), 'in an answer')
        check(not TOKEN.search(json.dumps(box.ledger(), default=str).encode()), 'in the ledger')
        for secret, home in ((token, stage.token), (owners, stage.vault.credential)):
            # The trace has the command line and the environment of every child.
            equal([path for path, data in contents(box.dir) if secret in data and path != home], [], 'files')


@test('promise 2: A child\'s environment has exactly the allow-listed names. `LD_PRELOAD`, `STILE_*` of no use to it, '
      'cloud keys and the like never pass.')
def environment():
    evil = {'LD_PRELOAD': '/nonexistent/evil.so', 'LD_LIBRARY_PATH': '/nonexistent', 'STILE_TOKEN': 'x',
            'STILE_SECRET': 'x', 'STILE_CALLER': 'cli', 'AWS_ACCESS_KEY_ID': 'x', 'AWS_SECRET_ACCESS_KEY': 'x',
            'GOOGLE_APPLICATION_CREDENTIALS': 'x', 'GITHUB_TOKEN': 'x', 'SSH_AUTH_SOCK': 'x', 'BASH_ENV': 'x',
            'NODE_OPTIONS': 'x', 'PYTHONPATH': 'x', 'TMPDIR': '/var/tmp', 'LC_ALL': 'POSIX'}
    with Box() as box:
        stage = Stage(box, 'vault_file_info', 'fake_env')
        traced = Traced(stage, **evil)
        seen = given(traced.server, 'fake_env')
        given(traced.server, 'vault_file_info', {'file': 'stages/02-draft/CONTEXT.md'})
        traced.server.end(20)
        equal(set(seen), {'PATH', 'LANG', 'STILE_CALLER', 'HOME', 'FAKE_LOG'}, 'a program of another surface')
        equal((seen['STILE_CALLER'], seen['LANG']), ('mcp', 'C.UTF-8'))
        children_of = {'scope': [], 'file': []}
        for words, env in traced.starts():
            for what, found in children_of.items():
                if what in words:
                    found.append(dict(item.split('=', 1) for item in env))
        for what, found in children_of.items():
            check(Setup.is_sanitized or found, 'no child', what)
            for env in found:
                equal(set(env), CHILD_NAMES, what)
                equal((env['STILE_CALLER'], env['LANG'], env['STILE_DATA_DIR']), ('mcp', 'C.UTF-8', box.data))


@test('promise 3: Argument bytes reach the child as data: quotes, `$()`, newlines, leading dashes, globs included; NUL '
      'and values over 96 KiB are refused unless they travel on stdin or in a file.')
def data():
    odd = ["'q' \"q\"", '$(id) `id` $HOME', 'one\ntwo\n\n', '-rf', '--json', '--', '*?[a-z]', '; exit 1 | cat', '\\',
           '%s%n', '漢字 🍸', '']
    with Box() as box:
        stage = Stage(box, 'vault_file_put', 'vault_file_get', 'vault_file_upload', 'fake_args')
        server = stage.serve(surfaces=['vault', Setup.surface])
        equal(given(server, 'fake_args', {'values': odd})['args'], ['--', *odd])
        for word in odd[:-1]:
            given(server, 'vault_file_put', {'file': 'odd', 'content': word, 'message': word})
            got = given(server, 'vault_file_get', {'file': 'odd'})
            equal((got['content'], got['version']['message']), (word, word))
        started = len(box.started())
        limit = 96 * 1024
        for tool, arguments in (('fake_args', {'values': ['a\0b']}), ('fake_args', {'branch': 'a\0'}),
                                ('fake_args', {'values': ['x' * (limit + 1)]}),
                                ('vault_file_put', {'file': 'odd', 'content': 'x', 'message': 'a\0'}),
                                ('vault_file_put', {'file': 'odd', 'content': 'a\0b'})):
            refused(server, 'INVALID_ARGUMENT', tool, arguments)
        equal(len(box.started()), started, 'started')
        equal(given(server, 'fake_args', {'values': ['x' * limit]})['args'][1], 'x' * limit)
        large = 'line\n' * (limit // 2)
        given(server, 'vault_file_put', {'file': 'large', 'content': large})
        equal(stage.vault.get('/work/large').decode(), large, 'on stdin')
        box.write('binary', b'a\0b' * limit)
        given(server, 'vault_file_upload', {'paths': ['binary']})
        equal(stage.vault.get('/work/binary'), b'a\0b' * limit, 'in a file')


@test('promise 4: Anything token-shaped in child output or errors is redacted before a client sees it; stderr is '
      'stripped of home, data-directory and temp paths. A mask carries a per-host marker, and content or arguments '
      'that contain it are refused (`MASKED_CONTENT`), so that a masked file cannot be written back over the real one.')
def masked():
    with Box() as box:
        stage = Stage(box, 'vault_file_get', 'vault_file_put', 'vault_file_metadata_set', 'vault_file_diff',
                      'vault_file_find', 'vault_file_info', 'vault_file_versions', 'vault_version_get', 'fake_say')
        vault = stage.vault
        text = f'user = ada\ntoken = {GITHUB}\n'
        vault.put('/work/config', text.encode())
        server = stage.serve(surfaces=['vault', Setup.surface])
        got = server.call('vault_file_get', {'file': 'config'})
        content = value_of(got)['content']
        check(GITHUB not in json.dumps(got), 'the secret left')
        mask = MASK.search(content).group()
        equal(content.replace(mask, GITHUB), text, 'all but the secret stays')
        for arguments in ({'content': content}, {'content': mask}, {'content': 'x', 'message': content}):
            refused(server, 'MASKED_CONTENT', 'vault_file_put', {'file': 'config', **arguments})
        refused(server, 'MASKED_CONTENT', 'vault_file_metadata_set', {'file': 'config', 'set': {'k': content}})
        equal(vault.get('/work/config').decode(), text)
        equal(len(vault.value('file', 'versions', '/work/config')['versions']), 1)
        # Nor do diffs, snippets, metadata and messages give it away.
        vault.put('/work/config', (text + 'more\n').encode(), '--message', f'has {GITHUB}')
        vault.value('file', 'metadata', '/work/config', '--set', f'k={GITHUB}')
        for tool, arguments in (('vault_file_diff', {'file': 'config'}), ('vault_file_find', {'text': 'token'}),
                                ('vault_file_info', {'file': 'config'}), ('vault_file_versions', {'file': 'config'}),
                                ('vault_version_get', {'file': 'config', 'version': '1'})):
            check(GITHUB not in json.dumps(given(server, tool, arguments)), tool)
        # What is no text could hide it.
        vault.put('/work/binary', b'\0' + GITHUB.encode())
        check('no text' in refused(server, 'INVALID_ARGUMENT', 'vault_file_get', {'file': 'binary'}))
        # What programs complain of.
        failed = text_of(server.call('fake_say', {
            'exit': 1, 'err': f'{stage.vault.home}/a {box.data}/vault.db /tmp/b {GITHUB}'}))
        check('~/a [data]/vault.db [tmp]/b' in failed and MASK.search(failed), failed)
        os.rename(os.path.join(box.data, 'vault.db'), os.path.join(box.data, 'away.db'))
        with_no_vault = box.serve(surfaces=['vault'], env=stage.env())
        with_no_vault.shake()
        failed = with_no_vault.call('vault_whoami', {})
        check('there is no vault in [data]' in text_of(failed) and box.data not in json.dumps(failed), failed)


@test('promise 5: Output over the limit fails closed: an error, no truncated success; results are never cut, only '
      'diagnostics are.')
def output():
    with Box() as box:
        stage = Stage(box, 'vault_file_get', 'vault_file_put', 'fake_flood', 'fake_say')
        server = stage.serve(surfaces=['vault', Setup.surface])
        # A file below the limit of the argument, whose text is six times as long in JSON.
        stage.vault.put('/work/controls', b'\x01' * (1 << 20))
        result = server.call('vault_file_get', {'file': 'controls', 'max_size': 2 << 20})
        equal((code_of(result), len(json.dumps(result)) < 2000), ('OUTPUT_TOO_LARGE', True))
        stage.vault.put('/work/large', b'x' * 300000)
        refused(server, 'LIMIT_EXCEEDED', 'vault_file_get', {'file': 'large'})
        whole = given(server, 'vault_file_get', {'file': 'large', 'max_size': 300000})
        equal(whole['content'], 'x' * 300000, 'within the limit it is whole')
        for arguments in ({'out': -1}, {'out': 10000000, 'err': 10000000}):
            result = server.call('fake_flood', arguments)
            equal((code_of(result), 'xxxx' in json.dumps(result)), ('OUTPUT_TOO_LARGE', False))
        equal(given(server, 'fake_flood', {'out': 1000000, 'err': 10000000})['text'], 'x' * 1000000)
        result = server.call('fake_say', {'exit': 1, 'err': 'y' * 90000})
        check(0 < text_of(result).count('y') < 5000, 'a diagnosis is cut')


@test('promise 6: A tool that left the scope is refused without starting the tool\'s program; a tool still shown but '
      'no longer granted is refused by the vault.')
def left():
    with Box() as box:
        stage = Stage(box, 'vault_file_put', 'vault_file_info', 'fake_args')
        server = stage.serve(surfaces=['vault', Setup.surface])
        given(server, 'fake_args')
        given(server, 'vault_file_put', {'file': 'a', 'content': 'one\n'})
        stage.grant('vault_file_info')
        started = len(box.started())
        is_absent(server, 'fake_args')
        is_absent(server, 'vault_file_put')
        equal(len(box.started()), started, 'started')
        equal(stage.vault.get('/work/a'), b'one\n')
        # Decided once, and then the grant goes.
        stage.grant('vault_file_put', 'vault_file_info')
        server = stage.serve('--scope-ttl', '300', surfaces=['vault'])
        shown = names(server)
        for rank, code in (('read', 'PERMISSION_DENIED'), (None, 'NOT_FOUND')):
            if rank:
                stage.vault.value('grant', 'set', '/work', 'bot', rank)
            else:
                stage.vault.value('grant', 'remove', '/work', 'bot')
            equal(names(server), shown, 'still shown')
            refused(server, code, 'vault_file_put', {'file': 'a', 'content': 'two\n'})
            equal(stage.vault.get('/work/a'), b'one\n')


@test('promise 7: Hidden tools and other organizations\' ids cannot be told from absent ones: byte-identical answers; '
      'only the ledger, which callers cannot read, tells them apart.')
def apart():
    with Box() as box:
        stage = Stage(box, 'vault_file_info', 'vault_file_get', 'vault_file_versions', 'vault_version_get',
                      'vault_folder_info', 'vault_file_put')
        other = os.path.join(box.root, 'other.token')
        vault = stage.vault
        vault.value('init', '--org', 'other', '--out', other)
        vault.value('folder', 'create', '/theirs', STILE_TOKEN_FILE=other)
        theirs = json.loads(vault.raw('file', 'put', '/theirs/plan', '--json', stdin=b'x', STILE_TOKEN_FILE=other)[1])
        folder = vault.value('folder', 'info', '/theirs', STILE_TOKEN_FILE=other)['id']
        server = stage.serve(surfaces=['vault', Setup.surface])
        for modern in (None, {}):
            is_absent(server, 'vault_file_trash', modern)
            is_absent(server, 'fake_args', modern)
        details = {(row['tool'], row['detail'].split(', ')[0]) for row in rows(box, 'refusal') if row['tool']}
        check(details == {('vault_file_trash', 'scope'), ('fake_args', 'scope'), ('no_such_tool', 'resolve')}, details)
        found = theirs['result']
        for key, there in (('file', found['file_id']), ('version', found['id']), ('folder', folder)):
            absent = there[:4] + '0' * 26
            for tool, more in {'file': (('vault_file_info', {}), ('vault_file_get', {}), ('vault_file_versions', {}),
                                        ('vault_file_put', {'content': 'x'})),
                               'version': (('vault_version_get', {}),),
                               'folder': (('vault_folder_info', {}),)}[key]:
                lines = []
                for ref in (there, absent):
                    equal(error_of(server.call(tool, {key: ref, **more}))[0], 'NOT_FOUND', tool)
                    line = server.raw()[-1].replace(ref.encode(), b'REF')
                    lines.append(re.sub(rb'cor_[0-9a-z]{26}|"id":\d+', b'', line))
                equal(lines[0], lines[1], f'bytes of {tool}')
        # What an agent can see of its vault does not count the other organization.
        sequences = sorted(event['sequence'] for event in vault.events())
        equal(sequences, list(range(1, len(sequences) + 1)))


BUILT_IN = ['git', 'pass', 'phelix', 'vault']
WITH_RESOURCES = ('pass', 'vault')
SECRETS = (
    r'stv_[A-Za-z0-9_-]{43}', r'gh[pousr]_\w{20}', r'github_pat_', r'\bAKIA[0-9A-Z]{16}', r'\bxox[abpr]-', r'\bsk-\w{16}',
    r'\bpst_\w{16}', r'eyJ[\w-]{10,}\.eyJ', r'-----BEGIN [A-Z ]*PRIVATE KEY', r'://[^/\s:@]+:[^/\s@]+@',
    r'(?i)\bbearer [a-z0-9._-]{16,}')
SECRET_NAME = re.compile(r'(?i)^(?!.*(public|key_id|next|page)).*(passw|passphrase|secret|token|totp|otp|credential|'
                         r'private|api_?key|\bpin\b)')


def properties(node):
    """(name, schema) of every property in a schema."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == 'properties' and isinstance(value, dict):
                yield from value.items()
            yield from properties(value)
    elif isinstance(node, list):
        for value in node:
            yield from properties(value)


@test('promise 8: A registry grep finds no secret-bearing default, description or schema.')
def registry():
    with Pass() as box:
        files = sorted(glob.glob(os.path.join(REPOSITORY, 'surfaces', '*.yaml')))
        equal([os.path.basename(path) for path in files], [f'{name}.yaml' for name in sorted([*BUILT_IN, 'plan'])])
        for path in files:
            with open(path, encoding='utf-8') as f:
                text = f.read()
            for pattern in SECRETS:
                check(not re.search(pattern, text), path, pattern)
        fake = box.serve()
        fake.shake()
        served, secrets = 0, 0
        for surface in BUILT_IN:
            server = box.serve('--allow-write', surface, '--allow-exec', surface, surfaces=[surface])
            server.shake()
            tools = server.result('tools/list')['tools']
            served += len(tools)
            for tool in [*tools, *server.result('resources/list')['resources']] if surface in WITH_RESOURCES else tools:
                # Our own rules find nothing to mask.
                text = json.dumps(tool, ensure_ascii=False)
                equal(given(fake, 'fake_args', {'values': [text]})['args'][1], text, 'what is served')
                for name, schema in properties([tool.get('inputSchema'), tool.get('outputSchema')]):
                    if SECRET_NAME.search(name) and isinstance(schema, dict):
                        secrets += 1
                        check(not {'default', 'const', 'examples', 'enum'} & set(schema), tool['name'], name, schema)
        check(served > 60 and secrets > 5, served, secrets)


class Worst:
    """Servers that are killed, or whose children are, while they write."""

    def __init__(self, box, dice):
        self.stage = Stage(box, 'vault_file_put', 'vault_workspace_checkout', 'vault_workspace_commit')
        self.dice = dice
        self.box = box
        self.dir = os.path.join(box.root, 'out')
        self.flying = {}
        self.stored = {}    # name in the workspace: text
        self.number = 0
        self.counts = {'server': 0, 'child': 0}
        self.begin()
        given(self.server, 'vault_workspace_checkout', {'dir': self.dir})

    def begin(self):
        self.flying.clear()
        self.server = self.stage.serve('--scope-ttl', '300', surfaces=['vault'])

    def write(self):
        """One more write is on its way: mostly a put, sometimes a commit."""
        self.number += 1
        name, text = f'f{self.number}.txt', f'{self.number}\n' * self.dice.choice((1, 50, 3000))
        if self.number % 8:
            asked = self.server.start('vault_file_put', {'file': name, 'content': text})
        else:
            with open(os.path.join(self.dir, name), 'w', encoding='utf-8') as f:
                f.write(text)
            asked = self.server.start('vault_workspace_commit', {'dir': self.dir, 'message': name})
        self.flying[asked] = (name, text)

    def take(self, response):
        name, text = self.flying.pop(response['id'])
        if 'result' in response and not response['result'].get('isError'):
            self.stored[name] = text

    def settle(self, left):
        """Waits until so many are left in flight."""
        while len(self.flying) > left:
            response = self.server.ordered(20)
            if response.get('id') in self.flying:
                self.take(response)

    def victims(self):
        """The children that write; one time in ten whatever there is, with the one that asks for the scope."""
        alive = children(self.server.pid)
        return alive if self.dice.random() < 0.1 else [pid for pid in alive if not is_asker(pid)]

    def moment(self):
        """Kills a child, or one time in twenty the server, at a random moment of what is going on."""
        self.settle(2)
        while len(self.flying) < 6:
            self.write()
        poll(self.victims, 10, 'a child')
        time.sleep(self.dice.uniform(0, 0.012))
        if self.dice.random() < 0.05:
            self.server.kill()
            poll(lambda: self.server.is_eof, 10, 'the end of its output')
            for message, _ in self.server.lines:
                if message.get('id') in self.flying:
                    self.take(message)
            poll(lambda: not processes(self.box.dir), 10, 'no process left')
            self.counts['server'] += 1
            self.begin()
            return
        alive = self.victims()
        if alive:
            kill(self.dice.choice(alive), signal.SIGKILL)
            self.counts['child'] += 1


def is_asker(pid):
    try:
        with open(f'/proc/{pid}/cmdline', 'rb') as f:
            return b'\0scope\0' in f.read()
    except OSError:
        return True


@test('promise 9: Killing the server or a child at any moment (tested at 200 random moments) leaves a vault that '
      '`fsck` and `audit verify` accept, with every acknowledged write present.')
def killed():
    with Box() as box:
        worst = Worst(box, random.Random(20261130))
        wanted = 30 if Setup.is_sanitized else 200
        while sum(worst.counts.values()) < wanted:
            worst.moment()
        worst.settle(0)
        check(worst.counts['server'] > 0 and len(worst.stored) > wanted // 2, worst.counts, len(worst.stored))
        vault = worst.stage.vault
        vault.is_sound()
        out = os.path.join(box.dir, 'export')
        vault.value('export', out, '/work', seconds=120)
        for name, text in worst.stored.items():
            with open(os.path.join(out, 'files', name), encoding='utf-8') as f:
                equal(f.read() == text, True, name)
        # And it goes on.
        given(worst.server, 'vault_workspace_commit', {'dir': worst.dir, 'message': 'last', 'onto_latest': True})
