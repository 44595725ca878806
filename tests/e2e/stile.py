# SPDX-License-Identifier: MIT
"""What a test of the real binary needs, in one import.

A Box is one test's own world: data directory, root, program folder. A Server (server.py) is one
`stile mcp serve` in it. At the end of a Box no process may be left and no server may have broken
the protocol. Nothing sleeps for a fixed time: each wait polls for its event until a deadline.

Also a command, for tests in other languages:
    stile.py trust --binary STILE --data DIR FILE     trusts a surface through a terminal
    stile.py approve --binary STILE --data DIR PLAN   approves a plan through a terminal
    stile.py place                                    prints a new folder fit for programs
"""

import argparse
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

from base import (SANITIZER, Failure, Setup, at_terminal, check, children, comm, environment, equal,
                  exe, is_alive, is_safe, kill, last_four, last_of_id, memory_kib, place, poll,
                  processes, test, trust)
from server import (META, MODERN, Server, code_of, request, strict, text_of, value_of)

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'data')

__all__ = ['META', 'MODERN', 'Box', 'Failure', 'Server', 'Setup', 'at_terminal', 'check',
           'children', 'code_of', 'environment', 'equal', 'is_alive', 'is_safe', 'kill', 'last_four',
           'memory_kib', 'place', 'poll', 'processes', 'request', 'strict', 'test', 'text_of',
           'trust', 'value_of']


class Box:
    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix='t', dir=Setup.base)
        self.data = os.path.join(self.dir, 'data')
        self.root = os.path.join(self.dir, 'root')
        self.bin = os.path.join(self.dir, 'bin')
        self.log = os.path.join(self.dir, 'started')
        self.servers = []
        os.mkdir(self.data, 0o700)
        os.mkdir(self.root)
        trusted = os.path.join(Setup.template, 'trust.yaml')
        if os.path.exists(trusted):
            shutil.copy2(trusted, self.data)

    def env(self, **more):
        return environment(**{
            'PATH': f'{self.bin}:{os.path.dirname(Setup.fake)}:/usr/local/bin:/usr/bin:/bin',
            'STILE_DATA_DIR': self.data, 'FAKE_LOG': self.log, **more})

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        os.chmod(path, mode)
        return path

    def own_surface(self, text=None, name='own.yaml'):
        """A copy of the fake surface, or another text, that a test may change; trusted."""
        with open(Setup.surface, encoding='utf-8') as f:
            path = self.write(name, text or f.read())
        self.trust(path)
        return path

    def own_program(self):
        """A copy of the fake program that a test may remove; found before the common one."""
        os.makedirs(self.bin, mode=0o755, exist_ok=True)
        return shutil.copy2(Setup.fake, os.path.join(self.bin, 'fake'))

    def trust(self, path):
        trust(Setup.binary, self.data, path, {'PATH': self.env()['PATH']})

    def git(self, *args, cwd=None):
        env = environment(
            HOME=self.dir, GIT_CONFIG_NOSYSTEM='1', GIT_AUTHOR_NAME='Ada', GIT_AUTHOR_EMAIL='a@x',
            GIT_COMMITTER_NAME='Ada', GIT_COMMITTER_EMAIL='a@x',
            GIT_AUTHOR_DATE='2026-01-02T03:04:05Z', GIT_COMMITTER_DATE='2026-01-02T03:04:05Z')
        return subprocess.run(['git', *args], cwd=cwd or self.root, env=env, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout

    def repository(self, name='repo'):
        path = os.path.join(self.root, name)
        os.mkdir(path)
        self.git('init', '-q', '-b', 'main', cwd=path)
        self.write(f'{name}/a.txt', 'one\n')
        self.git('add', '.', cwd=path)
        self.git('commit', '-q', '-m', 'first', cwd=path)
        return path

    def serve(self, *args, **options):
        server = Server(self, *args, **options)
        self.servers.append(server)
        return server

    def command(self, *args, env=None, stdin=b'', seconds=30):
        """Another command of the program: (exit status, stdout, stderr)."""
        done = subprocess.run([Setup.binary, *args], env=env or self.env(), input=stdin,
                              cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=seconds * Setup.patience)
        check(not SANITIZER.search(done.stderr), done.stderr.decode('utf-8', 'replace'))
        return done.returncode, done.stdout, done.stderr

    def started(self):
        """Argument lists of the fake program's runs, in order of their start."""
        try:
            with open(self.log, encoding='utf-8', errors='surrogateescape') as f:
                return [json.loads(line) for line in f]
        except FileNotFoundError:
            return []

    def ledger(self):
        """Rows of the ledger as dictionaries, oldest first."""
        path = os.path.join(self.data, 'ledger.db')
        if not os.path.exists(path):
            return []
        with sqlite3.connect(path, timeout=10) as db:
            db.row_factory = sqlite3.Row
            return [dict(row) for row in db.execute('SELECT * FROM record ORDER BY sequence')]

    def fakes(self):
        """Pids of running fake programs of this box."""
        return [pid for pid in processes(self.dir) if os.path.basename(exe(pid)) == 'fake']

    def close(self):
        """Ends what still runs and says what was wrong with any server, or was left behind."""
        faults = []
        for server in self.servers:
            faults += server.finish()
        try:
            poll(lambda: not processes(self.dir), 3, 'no process left')
        except Failure:
            left = [(pid, exe(pid)) for pid in processes(self.dir)]
            faults.append(f'processes left behind: {left}')
            for pid, _ in left:
                kill(pid, signal.SIGKILL)
        if not faults:
            shutil.rmtree(self.dir, ignore_errors=True)
        return faults

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        faults = self.close()
        if faults and not isinstance(value, Failure):
            raise Failure('; '.join(faults) + (f', after {value!r}' if value else ''))
        if faults:
            value.args = (str(value) + '\n  also: ' + '; '.join(faults),)
        return False


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest='command', required=True)
    for name in ('trust', 'approve'):
        one = commands.add_parser(name)
        one.add_argument('--binary', required=True)
        one.add_argument('--data', required=True)
        one.add_argument('--path')
        one.add_argument('what')
    commands.add_parser('place')
    options = parser.parse_args()
    if options.command == 'place':
        print(place())
        return 0
    try:
        if options.command == 'approve':
            status, text = at_terminal([options.binary, 'authz', 'approve', options.what],
                                       environment(STILE_DATA_DIR=options.data), last_of_id)
            check(status == 0, text)
        else:
            trust(options.binary, options.data, options.what, {'PATH': options.path})
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
