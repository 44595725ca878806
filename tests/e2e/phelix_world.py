# SPDX-License-Identifier: MIT
"""What the tests of the phelix surface share: a box with the stand-in for phelix."""

import importlib.machinery
import importlib.util
import json
import os
import shutil
import sys
import threading

from stile import DATA, Box, Setup, check, equal, value_of

sys.dont_write_bytecode = True
_loader = importlib.machinery.SourceFileLoader('phelix', os.path.join(DATA, 'phelix'))
standin = importlib.util.module_from_spec(importlib.util.spec_from_loader('phelix', _loader))
_loader.exec_module(standin)

SESSIONS = ('phelix_session_create', 'phelix_session_checkpoint', 'phelix_session_complete',
            'phelix_session_fail')
WRITES = ('phelix_plan_create', *SESSIONS)
_copying = threading.Lock()


def program():
    """The stand-in, where the product would run a program from."""
    path = os.path.join(os.path.dirname(Setup.fake), 'phelix')
    with _copying:
        if not os.path.exists(path):
            shutil.copy2(os.path.join(DATA, 'phelix'), path)
    return path


class Phelix(Box):
    """A box with a data directory of the stand-in."""

    def __init__(self):
        super().__init__()
        program()
        self.phelix = os.path.join(self.dir, 'phelix')
        os.mkdir(self.phelix)

    def env(self, **more):
        return super().env(**{'PHELIX_DATA_DIR': self.phelix, **more})

    def control(self, **wanted):
        path = os.path.join(self.phelix, 'control.json')
        with open(path + '.new', 'w', encoding='utf-8') as f:
            json.dump(wanted, f)
        os.rename(path + '.new', path)

    def waive(self, *tools):
        """Lets the host waive the question, so that tests need not answer it."""
        path = os.path.join(self.data, 'config.yaml')
        with open(path, 'w', encoding='utf-8') as f:
            os.fchmod(f.fileno(), 0o600)
            f.write(f'surfaces: {{phelix: {{waive: [{", ".join(tools)}]}}}}\n')

    def server(self, *args):
        """A server for an agent whose plans and sessions need no question."""
        self.waive(*WRITES)
        server = self.serve(*args, '--allow-write', 'phelix', surfaces=['phelix'])
        server.shake()
        return server

    def lines(self, name):
        try:
            with open(os.path.join(self.phelix, name), encoding='utf-8') as f:
                return f.read().splitlines()
        except FileNotFoundError:
            return []

    def runs(self):
        """Command lines with which the stand-in was started, in order."""
        return [json.loads(line)['argv'] for line in self.lines('started')]

    def state(self):
        with open(os.path.join(self.phelix, 'state.json'), encoding='utf-8') as f:
            return json.load(f)

    def edit(self, change):
        """Changes the stand-in's state behind everybody's back."""
        state = self.state()
        change(state)
        with open(os.path.join(self.phelix, 'state.json'), 'w', encoding='utf-8') as f:
            json.dump(state, f)

    def phelix_plan(self, plan_id):
        return self.state()['plans'][plan_id]

    def rewrite(self, plan_id, **inputs):
        """Edits a plan and its hash with it, as who can write phelix's folder could."""
        def change(state):
            edited = state['plans'][plan_id]
            edited['inputs'].update(inputs)
            edited['plan_hash'] = standin.plan_hash(edited)
        self.edit(change)


def envelope_of(result, **wanted):
    """The envelope that a tool gave; members of it are compared."""
    document = value_of(result)
    equal((document['schema_version'], document['status']), ('1', 'succeeded'))
    for name, value in wanted.items():
        equal(document[name], value, name)
    return document


def plan(server, app='shop', **more):
    """A new plan of phelix, as an agent makes one."""
    made = envelope_of(server.call('phelix_plan_create', {'action': 'rebuild', 'app': app, **more}))
    check('operation_id' not in made, 'nothing was run')
    return made['result']['plan_id']
