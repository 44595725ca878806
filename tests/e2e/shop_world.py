# SPDX-License-Identifier: MIT
"""A shop of the test's own: a program in sh, its surface with planned tools, and the commands that
plan and apply. State is a folder; what has run stands in its file `ran`, a line a run."""

import os

from plans_world import envelope, result
from stile import Box, comm, poll, processes

PROGRAM = '''#!/bin/sh
case $1 in
status) [ -e "$SHOP_STATE/broken" ] && { echo 'no answer' >&2; exit 4; }
        printf '{"version": "%s", "app": "%s"}\\n' "$(cat "$SHOP_STATE/version")" "$2"; exit;;
preview) printf '{"would": "set %s to %s", "with": "password=hunter2hunter2"}\\n' "$2" "$3"; exit;;
esac
echo "$$ $*" >> "$SHOP_STATE/ran"
[ -e "$SHOP_STATE/says" ] && cat "$SHOP_STATE/says" >&2
[ -p "$SHOP_STATE/go.$2" ] && read -r word < "$SHOP_STATE/go.$2"
if [ -p "$SHOP_STATE/stay" ]; then
    setsid sh -c ': > "$0.s"; read -r word < "$0"' "$SHOP_STATE/stay" </dev/null >/dev/null 2>&1 &
    until [ -e "$SHOP_STATE/stay.s" ]; do :; done
fi
[ -e "$SHOP_STATE/fails" ] && { echo 'it broke' >&2; exit 3; }
echo "$3" > "$SHOP_STATE/version"
printf '{"version": "%s", "note": "password=hunter2hunter2"}\\n' "$3"
'''

SURFACE = '''stile: 1
surface: shop
program: { run: shop, env: [SHOP_STATE], output: json }
errors: [{ exit: 3, code: SHOP_BROKEN }]
parts:
  app: { input: { properties: { app: { type: string, pattern: '^[a-z]+$', description: Which. } },
                  required: [app] } }
  to: { input: { properties: { to: { type: integer, minimum: 1, description: To. } },
                 required: [to] } }
tools:
- { name: shop_status, description: Which version runs., effect: read, use: [app],
    argv: [status, '{app}'] }
- { name: shop_preview, description: What would be done., effect: read, hidden: true, use: [app, to],
    argv: [preview, '{app}', '{to}'] }
- name: shop_migrate
  description: Change the version.
  effect: write
  files: read
  writes: WRITES
  use: [app, to]
  input: { properties: { from: { type: string, x-path: read, description: The script. },
                         near: { type: string, maxLength: 9, x-path: read, description: Near. },
                         note: { type: string, description: Any text. } } }
  argv: [migrate, '{app}', '{to}', '--from={from}', '--near={near}', '--note={note}']
  plan:
    target: '{app}'
    preconditions: [{ tool: shop_status, with: { app: '{app}' }, at: /version }]
    preview: { tool: shop_preview, with: { app: '{app}', to: '{to}' } }
    pin: [from]
    wait: WAIT
- name: shop_load
  description: Load a text.
  effect: destroy
  writes: WRITES
  use: [app]
  input: { properties: { text: { type: string, description: Which. } }, required: [text] }
  argv: [migrate, '{app}', '7', { file: '{text}', words: '--text={}' }, { stdin: '{text}' }]
  plan: { target: '{app}' }
'''

ALLOW_ALL = '''
schema_version: '1'
mode: enforced
rules:
- {actor: {type: '*', authenticated: false}, surface: '*', action: '*', target: '*', effect: allow}
'''
APPROVED = ALLOW_ALL.replace('effect: allow', 'effect: allow, require_approval: true')


class Shop(Box):
    def __init__(self, writes='plan', wait='45s'):
        super().__init__()
        self.state = os.path.join(self.dir, 'state')
        os.mkdir(self.state)
        os.makedirs(self.bin, exist_ok=True)
        self.program = os.path.join(self.bin, 'shop')
        self.set('version', 'v1')
        self.install(PROGRAM)
        self.surface = self.write(
            'shop.yaml', SURFACE.replace('WRITES', writes).replace('WAIT', wait))
        self.trust(self.surface)

    def install(self, text):
        """Another program in the place of this one."""
        with open(self.program + '.new', 'w', encoding='utf-8') as f:
            f.write(text)
        os.chmod(self.program + '.new', 0o755)
        os.rename(self.program + '.new', self.program)

    def env(self, **more):
        return super().env(SHOP_STATE=os.path.join(self.dir, 'state'), **more)

    def set(self, name, text=''):
        with open(os.path.join(self.state, name), 'w', encoding='utf-8') as f:
            f.write(text + '\n' if text else '')

    def hold(self, name='go.web'):
        """Runs for this app wait until they are let go."""
        os.mkfifo(os.path.join(self.state, name))

    def let_go(self, name='go.web'):
        path = os.path.join(self.state, name)
        with open(path, 'w', encoding='utf-8') as f:
            f.write('go\n')
        os.unlink(path)

    def ran(self):
        """Command lines of the program's runs that were to change something."""
        try:
            with open(os.path.join(self.state, 'ran'), encoding='utf-8') as f:
                return [line.split(' ', 1)[1].rstrip('\n') for line in f]
        except FileNotFoundError:
            return []

    def until_it_runs(self, count=1):
        poll(lambda: len(self.ran()) >= count, 20, 'the program runs')

    def until_applied(self, plan):
        poll(lambda: self.show(plan)['status'] == 'applied', 10, 'its end')

    def create(self, arguments='{"app": "web", "to": 2}', *more, env=None):
        """A new plan, as `plan create` answers."""
        return result(self, 'plan', 'create', 'shop_migrate', arguments, '--surface', self.surface,
                      *more, env=env)

    def apply(self, plan, *more, env=None, wanted=0):
        return envelope(self, 'plan', 'apply', plan, *more, env=env, wanted=wanted)

    def show(self, plan):
        return result(self, 'plan', 'show', plan)

    def agent(self):
        return self.env(STILE_CALLER='mcp')

    def kinds(self):
        """Kinds of the ledger's rows about the tool that changes something."""
        return [row['kind'] for row in self.ledger() if row['tool'] == 'shop_migrate']

    def workers(self):
        """Processes that apply a plan of this shop."""
        return [pid for pid in processes(self.dir) if comm(pid) == 'stile-apply']
