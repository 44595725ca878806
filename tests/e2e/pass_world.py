# SPDX-License-Identifier: MIT
"""What the tests of the pass surface share: a box with the stand-in for pass-cli, and its cases.

A case is one call in a world of its own: what is asked, which command line the stand-in must have
been started with (by meaning; None: nothing may start), what comes back, and what the ledger says.
"""

import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import threading

from stile import (DATA, Box, Failure, Setup, check, code_of, environment, equal, poll, test,
                   text_of)

sys.dont_write_bytecode = True
_loader = importlib.machinery.SourceFileLoader('pass_cli', os.path.join(DATA, 'pass-cli'))
standin = importlib.util.module_from_spec(importlib.util.spec_from_loader('pass_cli', _loader))
_loader.exec_module(standin)

# Ids of the seeded state. Those of DASH begin with a dash, as one real id in 64 does.
SEED = standin.seed()
WORK, HOME, DASH, GARDEN = (vault['share_id'] for vault in SEED['vaults'])
ITEMS = {item['content']['title']: item['id'] for item in reversed(SEED['items'])}
SHOP, DASHED = ITEMS['Shop'], ITEMS['-dashed']
MEMBERS = [m['member_share_id'] for m in SEED['vaults'][0]['members']]
BO = MEMBERS[1]                                         # begins with a dash
BO_ITEM = SEED['items'][0]['members'][0]['member_share_id']
ATTACHMENT = SEED['items'][0]['attachments'][0]['id']
TOKEN, DASHED_TOKEN = (token['pat_id'] for token in SEED['tokens'][:2])
GRANT = SEED['tokens'][0]['grants'][0]['share_id']
SECRETS = (b'S3cret', standin.CARD_NUMBER.encode(), *(s.encode() for s in standin.SEEDS))

READS = '''view_session_info view_user_info list_vaults list_vault_members list_items search_items
view_item generate_item_totp list_item_members list_shares list_invites generate_random_password
generate_passphrase score_password generate_totp view_settings list_personal_access_tokens
list_personal_access_token_access list_agents view_agent_activity'''.split()
WRITES = '''inject create_vault update_vault share_vault update_vault_member update_item move_item
share_item trash_item untrash_item create_login_item create_login_item_from_template
create_note_item create_credit_card_item create_wifi_item create_custom_item create_identity_item
create_item_alias download_item_attachment update_item_member accept_invite set_default_vault
unset_default_vault grant_personal_access_token_access grant_agent_access'''.split()
DESTROYS = '''run delete_vault transfer_vault remove_vault_member delete_item remove_item_member
reject_invite delete_personal_access_token revoke_personal_access_token_access revoke_agent_access
delete_agent'''.split()

ASKS = {'elicitation': {}}
WRITE = ('--allow-write', 'pass')
ALONE = (*WRITE, '--allow-noninteractive-write', 'pass')
EXEC = ('--allow-exec', 'pass')
_copying = threading.Lock()


def program():
    """The stand-in, where the product would run a program from."""
    path = os.path.join(os.path.dirname(Setup.fake), 'pass-cli')
    with _copying:
        if not os.path.exists(path):
            subprocess.run([os.path.join(DATA, 'pass-cli'), '--compile', path], env=environment(),
                           check=True)
    return path


class Pass(Box):
    """A box with a session folder of the stand-in; `control` is what the stand-in shall do."""

    def __init__(self, **control):
        super().__init__()
        self.session = os.path.join(self.dir, 'session')
        os.mkdir(self.session)
        self.control(**control)

    def control(self, **wanted):
        path = os.path.join(self.session, 'control.json')
        with open(path + '.new', 'w', encoding='utf-8') as f:
            json.dump(wanted, f)
        os.rename(path + '.new', path)

    def env(self, **more):
        return super().env(**{'PASS_CLI_BIN': program(), 'PROTON_PASS_SESSION_DIR': self.session,
                              'HOME': self.dir, **more})

    def waive(self, *tools):
        """Lets the host waive the question, as a throw-away account would."""
        path = os.path.join(self.data, 'config.yaml')
        with open(path, 'w', encoding='utf-8') as f:
            os.fchmod(f.fileno(), 0o600)
            f.write(f'surfaces: {{pass: {{waive: [{", ".join(tools)}]}}}}\n')

    def legacy(self, *args, capabilities=None, env=None):
        server = self.serve(*args, surfaces=['pass'], env=env)
        server.shake(capabilities=capabilities or {})
        return server

    def open(self):
        """A server on which each tool runs without a question."""
        self.waive(*WRITES, *DESTROYS)
        return self.legacy(*WRITE, *EXEC)

    def runs(self):
        """The rows of the stand-in's log."""
        try:
            with open(os.path.join(self.session, 'started'), encoding='utf-8') as f:
                return [json.loads(line) for line in f]
        except FileNotFoundError:
            return []

    def begin_anew(self, control):
        for name in ('started', 'state.json'):
            if os.path.exists(os.path.join(self.session, name)):
                os.unlink(os.path.join(self.session, name))
        self.control(**control)

    def state(self):
        with open(os.path.join(self.session, 'state.json'), encoding='utf-8') as f:
            return json.load(f)

    def rows(self, *kinds):
        return [r for r in self.ledger() if r['kind'] in kinds]


def meaning(argv):
    """What a command line means: its words, its options in any order, what stands after `--`."""
    argv = list(argv)
    rest = argv[argv.index('--') + 1:] if '--' in argv else []
    argv = argv[:argv.index('--')] if '--' in argv else argv
    words = [w for w in argv if not w.startswith('--')]
    options = [w for w in argv if w.startswith('--')]
    many = [o for o in options if o.startswith(('--field=', '--env-file=', '--url='))]
    return words, sorted(o for o in options if o not in many), many, rest


def holds(got, wanted, where='result'):
    """Each member of wanted is there: a value, a shape, or a question to ask of it."""
    if callable(wanted):
        check(wanted(got), where, 'is', got)
    elif isinstance(wanted, dict):
        check(isinstance(got, dict), where, 'is', got)
        for key, value in wanted.items():
            check(key in got, where, 'lacks', key, got)
            holds(got[key], value, f'{where}/{key}')
    elif isinstance(wanted, list):
        check(isinstance(got, list) and len(got) == len(wanted), where, 'is', got)
        for place, value in enumerate(wanted):
            holds(got[place], value, f'{where}/{place}')
    else:
        equal(got, wanted, where)


class Case:
    """argv: a text of words, or a list. code: of the error. stdin: the template. env: more."""

    def __init__(self, title, tool, arguments, argv=None, gives=None, *, text=None, code=None,
                 stdin=None, control=None, reason=None, files=None, after=None):
        self.title = title
        self.tool = tool
        self.arguments = arguments
        self.argv = argv.split() if isinstance(argv, str) else argv
        self.gives = gives
        self.text = text
        self.code = code
        self.stdin = stdin
        self.control = control or {}
        self.reason = reason
        self.files = files or {}
        self.after = after      # asked of the stand-in's state afterwards

    def hold(self):
        """The case by itself, in the legacy era."""
        with Pass(**self.control) as box:
            self.judge(box, lambda *call: box.open().call(*call))
            self.check_ledger(box)

    def judge(self, box, call):
        for name, text in self.files.items():
            box.write(name, text)
        result = call(self.tool, resolved(self.arguments, box))
        self.check_run(box)
        if self.code:
            equal(code_of(result), self.code)
        elif self.gives is not None or self.text is not None:
            check(not result.get('isError'), 'an error:', text_of(result))
        if self.gives is not None:
            holds(result['structuredContent'], self.gives)
        if callable(self.text):
            check(self.text(text_of(result)), 'the text is', text_of(result))
        elif self.text is not None:
            equal(text_of(result), self.text, 'text')
        if self.after:
            check(self.after(box.state()), 'the state of pass-cli is not as it should be')

    def check_run(self, box):
        runs = box.runs()
        if self.argv is None:
            equal(runs, [], 'started')
            return
        equal(len(runs), 1, 'runs')
        equal(meaning(runs[0]['argv']), meaning(resolved(self.argv, box)), 'command line')
        equal(json.loads(runs[0]['body']) if 'body' in runs[0] else None, self.stdin, 'stdin')
        check((runs[0]['stdin'] == 'null') == (self.stdin is None), 'stdin is', runs[0]['stdin'])
        equal(runs[0]['reason'], self.reason, 'reason')

    def check_ledger(self, box):
        kinds = ('call', 'refusal', 'intent', 'outcome', 'consent')
        rows = poll(lambda: box.rows(*kinds), 5, 'a record')
        found = [(r['kind'], r['code']) for r in rows]
        if self.argv is None:
            equal(found, [('refusal', self.code)], 'ledger')
        elif self.tool in READS:
            equal(found, [('call', self.code)], 'ledger')
        else:
            equal([k for k, _ in found], ['intent', 'outcome'], 'ledger')
            equal(found[1][1], self.code, 'outcome')


def resolved(value, box):
    """The value with `{root}` in texts replaced by the box's root."""
    if isinstance(value, str):
        return value.replace('{root}', box.root)
    if isinstance(value, list):
        return [resolved(v, box) for v in value]
    if isinstance(value, dict):
        return {k: resolved(v, box) for k, v in value.items()}
    return value


def hold_modern(cases):
    """All cases on one server of the stateless era; each begins with the seeded state."""
    with Pass() as box:
        box.waive(*WRITES, *DESTROYS)
        server = box.serve(*WRITE, *EXEC, surfaces=['pass'])
        for case in cases:
            box.begin_anew(case.control)
            try:
                case.judge(box, lambda *call: server.call(*call, modern={}))
            except Failure as failure:
                raise Failure(f'{case.title}: {failure}') from None


def add_cases(namespace, cases):
    """Makes each case a test of the module."""
    for number, case in enumerate(cases):
        namespace[f'case_{number}'] = test(case.title)(lambda case=case: case.hold())
