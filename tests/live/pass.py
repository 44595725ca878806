#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pass surface against a pass-cli that is really installed: pass.py --binary STILE [--account]

The program is PASS_CLI_BIN, else pass-cli of PATH. Without --account nobody is logged in and nothing
of the user's is touched: a scratch home, no session. Its version, its command tree, and whether its
parser understands every command line that surfaces/pass.yaml gives as an example.

With --account the session that is there is used: a vault is made, items are put into it, found,
read, changed and deleted, and the vault goes again. tests/live/pass.md says which account to take.

Prints TAP. pass.py --available says in one line when the program is not there, and exits 1.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import uuid

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SURFACE = os.path.join(ROOT, 'surfaces', 'pass.yaml')


def find_program():
    return shutil.which(os.environ.get('PASS_CLI_BIN') or 'pass-cli')


def check(condition, message):
    if not condition:
        raise AssertionError(message)


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def case(self, name, function, *args):
        self.count += 1
        try:
            function(*args)
            print(f'ok {self.count} - {name}', flush=True)
        except Exception as error:  # a test that broke is a test that failed
            self.failed += 1
            print(f'not ok {self.count} - {name}\n# {error!r}', flush=True)

    def end(self):
        print(f'1..{self.count}')
        return 1 if self.failed else 0


# ---- without an account ----

class Program:
    """pass-cli in a home of its own, without a session."""

    def __init__(self, path, home):
        self.path = path
        self.env = {
            'PATH': '/usr/local/bin:/usr/bin:/bin', 'LANG': 'C.UTF-8', 'HOME': home,
            'PROTON_PASS_SESSION_DIR': os.path.join(home, 'session'),
            'PROTON_PASS_KEY_PROVIDER': 'fs', 'PROTON_PASS_DISABLE_TELEMETRY': '1',
            'PROTON_PASS_NO_UPDATE_CHECK': '1', 'NO_COLOR': '1'}
        os.makedirs(self.env['PROTON_PASS_SESSION_DIR'], mode=0o700, exist_ok=True)

    def run(self, *words):
        return subprocess.run([self.path, *words], env=self.env, cwd=self.env['HOME'],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors='replace', timeout=60, check=False)

    def commands(self, path=()):
        """The commands below path that have none below themselves, by what --help lists."""
        text = self.run(*path, '--help').stdout
        section = re.search(r'^Commands:\n((?: .*\n|\n)*)', text + '\n', re.M)
        names = re.findall(r'^  ([a-z][a-z0-9-]*)', section[1], re.M) if section else []
        if not names:
            return [' '.join(path)]
        return [one for name in names if name != 'help' for one in self.commands((*path, name))]


def version_is_readable(program):
    run = program.run('--version')
    check(re.search(r'\d+\.\d+\.\d+', run.stdout + run.stderr), f'{run.stdout!r} {run.stderr!r}')
    print(f'# {run.stdout.strip()}')


def tree_is_covered(binary, program):
    tree = [re.sub('^personal-access-token', 'pat', one) for one in program.commands()]
    check(len(tree) > 20, f'--help lists {tree}')
    file = os.path.join(program.env['HOME'], 'tree')
    with open(file, 'w', encoding='utf-8') as f:
        f.write('\n'.join(tree) + '\n')
    run = subprocess.run([binary, 'surface', 'coverage', 'pass', '--tree', file, '--json'],
                         env=program.env, capture_output=True, text=True, check=False)
    table = json.loads(run.stdout)['result']
    gone = [row['command'] for row in table['commands']
            if 'tool' in row and row['command'] not in tree]
    check(not table['missing'], f'neither a tool nor left out: {table["missing"]}')
    check(not gone, f'tools of commands that are gone: {gone}')


SCALAR = re.compile(r"""\s*(?:'((?:[^']|'')*)'|"((?:[^"\\]|\\.)*)"|([^,\]]*))\s*([,\]])""")


def flow_list(text):
    """The words of a YAML list on one line; text begins behind its bracket."""
    words = []
    at = 0
    while True:
        found = SCALAR.match(text, at)
        single, double, plain, end = found.groups()
        if single is not None:
            words.append(single.replace("''", "'"))
        elif double is not None:
            words.append(json.loads(f'"{double}"'))
        elif plain.strip():
            words.append(plain.strip())
        if end == ']':
            return words
        at = found.end()


def examples():
    """(tool, command line) of each example of the surface."""
    tool, inside = None, False
    with open(SURFACE, encoding='utf-8') as f:
        for line in f:
            name = re.match(r'  - name: (\w+)', line)
            if name:
                tool, inside = name[1], False
            inside |= line.strip() == 'examples:'
            if tool and inside and 'argv: [' in line:
                yield tool, flow_list(line.split('argv: [', 1)[1])


def is_understood(program, words):
    run = program.run(*words)
    check(run.returncode != 2 or 'error:' not in run.stderr, f'{words}: {run.stderr[:400]}')


def without_account(tap, binary, path):
    with tempfile.TemporaryDirectory() as home:
        program = Program(path, home)
        tap.case('its version is readable', version_is_readable, program)
        tap.case('each of its commands is a tool or left out', tree_is_covered, binary, program)
        for tool, words in examples():
            tap.case(f'{tool}: its parser takes {" ".join(words)!r}', is_understood, program, words)


# ---- with an account ----

class Server:
    """`stile mcp serve` with a client that says yes to each question."""

    def __init__(self, binary, path, folder):
        env = {**os.environ, 'PASS_CLI_BIN': path, 'STILE_DATA_DIR': os.path.join(folder, 'data')}
        self.root = os.path.join(folder, 'root')
        os.makedirs(self.root)
        self.process = subprocess.Popen(
            [binary, 'mcp', 'serve', '--surface', 'pass', '--root', self.root,
             '--allow-write', 'pass', '--allow-exec', 'pass'],
            env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.sent = 0
        self.ask('initialize', {
            'protocolVersion': '2025-06-18', 'capabilities': {'elicitation': {}},
            'clientInfo': {'name': 'live', 'version': '1'}})
        self.write({'method': 'notifications/initialized'})

    def write(self, message):
        self.process.stdin.write(json.dumps({'jsonrpc': '2.0', **message}) + '\n')
        self.process.stdin.flush()

    def ask(self, method, params):
        self.sent += 1
        self.write({'id': self.sent, 'method': method, 'params': params})
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get('method') == 'elicitation/create':
                self.write({'id': message['id'],
                            'result': {'action': 'accept', 'content': {'confirm': True}}})
            elif message.get('id') == self.sent:
                return message

    def call(self, tool, may_fail=(), **arguments):
        result = self.ask('tools/call', {'name': tool, 'arguments': arguments})['result']
        given = result['structuredContent']
        check(not result.get('isError') or given.get('error_code') in may_fail, f'{tool}: {given}')
        return given

    def file(self, name, text):
        with open(os.path.join(self.root, name), 'w', encoding='utf-8') as f:
            f.write(text)
        return name

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)


def is_ready(server):
    status = server.call('check_status')
    check(status['overall_status'] == 'ok', status)
    for tool in ('view_session_info', 'view_user_info', 'view_settings', 'list_shares',
                 'list_invites'):
        server.call(tool)


SECRET = '-live "pass\\word" ü'
NOTE = '- a list\n- of two'
CARD = {'title': 'card', 'number': '4111111111111111', 'cvv': '123', 'expirationDate': '2031-05'}
CUSTOM = {'title': 'custom', 'note': None, 'sections': [{'section_name': 'S', 'fields': [
    {'field_name': 'f', 'field_type': 'hidden', 'value': SECRET}]}]}


def items_are_made(server, share):
    made = {'login': server.call('create_login_item', shareId=share, title='login', username='ada',
                                 password=SECRET, url='https://example.invalid')['item_id']}
    server.call('create_login_item', shareId=share, title='made', generatePassword='20,uppercase')
    server.call('create_login_item', shareId=share, title='-words', generatePassphrase='true',
                urls=['https://a.invalid', 'https://b.invalid'])
    server.call('create_note_item', shareId=share, title='note', note=NOTE)
    paid = ['PLAN_LIMIT', 'PERMISSION_DENIED']
    server.call('create_credit_card_item', paid, shareId=share, **CARD)
    server.call('create_wifi_item', paid, shareId=share, title='wifi', ssid='x', password=SECRET)
    server.call('create_custom_item', paid, shareId=share, template=CUSTOM)
    server.call('create_identity_item', paid, shareId=share,
                template={'title': 'me', 'full_name': 'Ada Example', 'city': None})
    return made['login']


def items_are_found_without_secrets(server, share, login):
    page = server.call('list_items', shareId=share, pageSize=2)
    check(page['returned'] == 2 and page['total'] >= 4 and page['nextCursor'] == '2', page)
    found = server.call('search_items', shareId=share, query='LOGIN', match='exact')
    check([item['id'] for item in found['items']] == [login], found)
    check(found['items'][0]['type'] == 'login', found)
    check('live' not in json.dumps([page, found]), 'a list holds a secret')


def items_are_read_exactly(server, share, login):
    got = server.call('view_item', shareId=share, itemId=login, field='password')
    check(got == {'value': SECRET}, got)
    got = server.call('view_item', uri=f'pass://{share}/{login}/username')
    check(got == {'value': 'ada'}, got)
    got = server.call('view_item', shareId=share, itemTitle='note', field='note')
    check(got == {'value': NOTE}, got)
    got = server.call('view_item', uri=f'pass://{share}/{login}')
    check(got['item']['content']['content']['Login']['password'] == SECRET, 'another password')


def secrets_go_to_files_and_programs(server, share, login):
    reference = f'pass://{share}/{login}/username'
    server.call('inject', inFile=server.file('in', f'user={{{{ {reference} }}}}\n'),
                outFile='out', fileMode='600')
    with open(os.path.join(server.root, 'out'), encoding='utf-8') as f:
        check(f.read() == 'user=ada\n', 'another text')
    got = server.call('run', command=['/bin/sh', '-c', 'echo "$LIVE"'], noMasking=True,
                      envFiles=[server.file('env', f'LIVE={reference}\n')])
    check(got['exit_code'] == 0 and got['stdout'].strip() == 'ada', got)


def items_change(server, share, login):
    server.call('update_item', shareId=share, itemId=login, fields=['username=-bo'])
    got = server.call('view_item', shareId=share, itemId=login, field='username')
    check(got == {'value': '-bo'}, got)
    server.call('trash_item', shareId=share, itemId=login)
    server.call('untrash_item', shareId=share, itemId=login)
    server.call('delete_item', shareId=share, itemId=login)
    gone = server.call('view_item', ['NOT_FOUND'], shareId=share, itemId=login)
    check(gone.get('error_code') == 'NOT_FOUND', 'it is still there')


def with_account(tap, binary, path):
    name = f'-stile-live-{uuid.uuid4().hex[:8]}'
    with tempfile.TemporaryDirectory(dir=os.path.expanduser('~')) as folder:
        server = Server(binary, path, folder)
        tap.case('the session is ready', is_ready, server)
        share = server.call('create_vault', name=name)['share_id']
        try:
            login = items_are_made(server, share)
            for case in (items_are_found_without_secrets, items_are_read_exactly,
                         secrets_go_to_files_and_programs, items_change):
                tap.case(case.__name__.replace('_', ' '), case, server, share, login)
        finally:
            tap.case('the vault goes again',
                     lambda: server.call('delete_vault', shareId=share))
            server.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--binary')
    parser.add_argument('--account', action='store_true')
    parser.add_argument('--available', action='store_true')
    options = parser.parse_args()
    path = find_program()
    if path is None:
        print('pass-cli is not installed: nothing was compared with the real program')
        return 1
    if options.available:
        return 0
    tap = Tap()
    binary = os.path.abspath(options.binary or 'build/stile')
    if options.account:
        with_account(tap, binary, path)
    else:
        without_account(tap, binary, path)
    return tap.end()


if __name__ == '__main__':
    sys.exit(main())
