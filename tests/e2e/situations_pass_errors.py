# SPDX-License-Identifier: MIT
"""The pass surface when things go wrong, and what may never leave: numbers are those of section 6
of the pass specification, `defect` those of section 9."""

import glob
import json
import os
import re
import shutil

from pass_world import (ALONE, ASKS, DESTROYS, EXEC, HOME, READS, SECRETS, SHOP, WORK, WRITE,
                        WRITES, Pass, program, resolved, standin)
from situations_consent import question, respond
from situations_pass_read import CASES as READ_CASES
from situations_pass_write import CASES as WRITE_CASES
from stile import (DATA, check, code_of, equal, is_alive, poll, test, text_of, value_of)

VIEW = {'vaultName': 'Work', 'itemTitle': 'Shop'}
RETRY = {'SESSION_LOCKED', 'AUTH_EXPIRED', 'AUTH_REQUIRED', 'AGENT_REASON_REQUIRED',
         'RATE_LIMITED', 'NETWORK_ERROR'}
BY_USER = {'SESSION_LOCKED', 'AUTH_EXPIRED', 'AUTH_REQUIRED'}
REVEALS = {'view_item', 'generate_item_totp', 'generate_totp', 'generate_random_password',
           'generate_passphrase', 'inject', 'run'}
KNOW_NO_FORMAT = re.compile(
    r'settings |inject|run|invite (accept|reject)|'
    r'vault (create|update|delete|share|transfer|member (update|remove))|'
    r'item (create|share|move|update|trash|untrash|delete|member (update|remove)|'
    r'attachment)|pat (delete|access (grant|revoke))|agent (access|delete)')
ENVIRONMENT = '''HOME PATH XDG_DATA_HOME XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS TMPDIR LANG TZ
HTTP_PROXY HTTPS_PROXY SSL_CERT_FILE SSL_CERT_DIR PROTON_PASS_SESSION_DIR PROTON_PASS_KEY_PROVIDER
PROTON_PASS_ENCRYPTION_KEY PROTON_PASS_LINUX_KEYRING PROTON_PASS_AGENT_REASON
PROTON_PASS_ENVIRONMENT PROTON_PASS_DISABLE_TELEMETRY PROTON_PASS_NO_UPDATE_CHECK PASS_LOG_LEVEL
MUON_LOG_LEVEL NO_COLOR STILE_CALLER'''.split()


def calls():
    """Calls of all tools that pass-cli is started for, each with what it must look like."""
    return [c for c in READ_CASES + WRITE_CASES if c.argv is not None]


def one_class(name, texts):
    def hold():
        with Pass() as box:
            server = box.legacy()
            for number, (top, causes) in enumerate(texts):
                box.control(fail=f'{name}/{number}', ansi='always', bytes=True)
                result = server.call('list_vaults')
                equal(code_of(result), name, (top, causes))
                error = result['structuredContent']
                equal(error['retryable'], name in RETRY, (top, causes))
                check(text_of(result).startswith(f'[{name}]'), text_of(result))
                check('\x1b' not in text_of(result), 'colours in the text')
                equal(error.get('auth_managed_by_user', False), name in BY_USER, name)
                check(name not in BY_USER or 'pass-cli' in error['user_action'], error)
            equal({r['code'] for r in box.rows('call')}, {name})
    return hold


for name_, texts_ in standin.FAILURES.items():
    globals()[f'class_{name_}'] = test(
        f'pass 106 pass 108 {name_} from what stands on stderr, behind noise')(
            one_class(name_, texts_))


@test('pass 89 a failure tells exit status, stderr and stdout, cut')
def failure():
    with Pass(fail={'exit': 7, 'stderr': 'Error: odd' + 'y' * 2000, 'stdout': 'o' * 2000}) as box:
        result = box.legacy().call('list_vaults')
        equal(code_of(result), 'CLI_FAILED')
        equal(result['structuredContent']['exit_code'], 7)
        text = text_of(result)
        check('status 7' in text and 'Error: oddyyy' in text and 'oooo' in text, text)
        check('y' * 501 not in text and 'o' * 501 not in text, 'not cut')


@test('pass 100 pass 105 a list that fails half-way does not show what it printed')
def failed_list():
    half = json.dumps({'items': [{'title': 'a', 'content': {'note': 'S3cret-half'}}]})
    with Pass(fail={'exit': 1, 'stderr': 'Error: Error sending request\n', 'stdout': half}) as box:
        server = box.legacy()
        for tool, arguments in (('list_items', {'vaultName': 'Work'}), ('view_item', VIEW),
                                ('search_items', {'query': 'a'}), ('list_invites', {}),
                                ('list_vault_members', {'vaultName': 'Work'})):
            result = server.call(tool, arguments)
            equal(code_of(result), 'NETWORK_ERROR', tool)
            check('S3cret' not in json.dumps(result), tool, result)


@test('pass 90 a failure without a word is an error all the same')
def silent_failure():
    with Pass(fail={'exit': 1}) as box:
        result = box.legacy().call('list_vaults')
        equal(code_of(result), 'CLI_FAILED')
        check(text_of(result).startswith('[CLI_FAILED]'), text_of(result))


@test('pass 91 pass 92 an expired session has one shape for every tool')
def every_tool():
    with Pass(fail='AUTH_EXPIRED') as box:
        for name, text in {'in.tpl': '', 'a.env': '', 'b.env': '', 'out': ''}.items():
            box.write(name, text)
        server = box.open()
        seen = set()
        for case in calls():
            if case.tool in seen or case.tool == 'run':
                continue
            seen.add(case.tool)
            result = server.call(case.tool, resolved(case.arguments, box))
            equal(code_of(result), 'AUTH_EXPIRED', case.tool)
            error = result['structuredContent']
            check(error['retryable'] and error['auth_managed_by_user'], case.tool, error)
            check('pass-cli login' in error['user_action'], case.tool, error)
            check('pass-cli login' in text_of(result) and 'never' in text_of(result), case.tool)
        equal(seen, set(READS + WRITES + DESTROYS) - {'run'}, 'tools')


@test('pass 94 one --output=json before --, exactly where pass-cli knows it')
def output_flag():
    for case in calls():
        words = case.argv[:case.argv.index('--')] if '--' in case.argv else case.argv
        command = ' '.join(w for w in words if not w.startswith('--'))
        wanted = 0 if KNOW_NO_FORMAT.match(command) and not command.startswith('item alias') else 1
        equal(words.count('--output=json'), wanted, command)


@test('pass 95 standard output carries the protocol, the log no argument')
def log():
    with Pass(fail='CLI_FAILED') as box:
        server = box.legacy()
        server.call('search_items', {'query': 'S3cret-query', 'vaultName': 'S3cret-vault'})
        server.call('list_items', {'vaultName': 'S3cret-vault', 'cursor': 'S3cret'})
        server.end()
        check('S3cret' not in server.stderr(), server.stderr())


@test('pass 96 pass 109 the tools are these, and no other')
def tools():
    with Pass() as box:
        server = box.legacy(*WRITE, *EXEC)
        found = {t['name']: t for t in server.result('tools/list')['tools']}
        equal(set(READS + WRITES + DESTROYS) - set(found), set(), 'missing')
        equal(set(found) - set(READS + WRITES + DESTROYS), {'check_status'} & set(found), 'surplus')
        for name, tool in found.items():
            hints = tool['annotations']
            equal(hints['readOnlyHint'], name in READS or name == 'check_status', name)
            if not hints['readOnlyHint']:
                equal(hints['destructiveHint'], name in DESTROYS, name)
            check(not {'output', 'confirm', 'envFile'} & set(tool['inputSchema']['properties']),
                  name)
        for name in ('login', 'logout', 'update', 'support', 'create_personal_access_token',
                     'renew_personal_access_token', 'create_agent', 'renew_agent',
                     'ssh_agent_start', 'generate_ssh_key_item', 'import_ssh_key_item',
                     'set_default_format',
                     'unset_default_format', 'session_unlock', 'session_lock', 'test'):
            error = server.error('tools/call', {'name': name, 'arguments': {}})
            equal(error['code'], -32602, name)
        equal(box.runs(), [], 'started')


@test('pass defect 15 arguments may be missing; list_invites advertises its page')
def missing_arguments():
    with Pass() as box:
        server = box.legacy()
        value_of(server.result('tools/call', {'name': 'list_vaults'}))
        value_of(server.result('tools/call', {'name': 'list_invites'}))
        tool = {t['name']: t for t in server.result('tools/list')['tools']}['list_invites']
        equal(set(tool['inputSchema']['properties']), {'pageSize', 'cursor'})


@test('pass 107 pass defect 8 words of arguments and of stdout are not taken for a cause')
def never_classified():
    with Pass() as box:
        server = box.open()
        title = 'session expired, not logged in, forbidden, status code: 401'
        server.call('create_note_item', {'title': title, 'vaultName': 'Home'})
        box.control(fail='CLI_FAILED')
        result = server.call('view_item', {'vaultName': 'Home', 'itemTitle': title})
        equal(code_of(result), 'CLI_FAILED')
        box.control(fail={'stdout': 'session expired: token', 'stderr': 'Error: odd\n', 'exit': 1})
        equal(code_of(server.call('list_vaults')), 'CLI_FAILED')
        box.control(fail={'stderr': 'Error: x\n\nCaused by:\n    status code: 403 forbidden\n'})
        equal(code_of(server.call('list_vaults')), 'PERMISSION_DENIED')
        box.control()
        result = server.call('view_item', {'vaultName': 'None', 'itemTitle': 'please log in'})
        equal(code_of(result), 'NOT_FOUND')


@test('pass 106 wrong usage is its own class, whatever it echoes')
def usage():
    with Pass(fail={'exit': 2, 'stderr': "error: unexpected argument 'session expired' found\n"}
              ) as box:
        result = box.legacy().call('list_vaults')
        equal(code_of(result), 'CLI_USAGE')
        equal(result['structuredContent']['exit_code'], 2)


@test('pass 108 noise on stderr of what succeeds is in no result, and sticks to no id')
def noise():
    with Pass(ansi='always', lock_hint=True, bytes=True) as box:
        server = box.open()
        made = server.call('create_note_item', {'title': 'N', 'vaultName': 'Work'})
        check(standin.is_id(made['structuredContent']['item_id']), made)
        check(standin.is_id(text_of(made)), made)
        value_of(server.call('list_vaults'))
        updated = server.call('update_item', {**VIEW, 'fields': ['username=eve']})
        text = text_of(updated)
        check('Item updated successfully' in text and '\x1b' not in text, updated)
        equal(server.call('unset_default_vault')['structuredContent']['message'],
              'Default vault unset')


# ---- secrets ----

def secret_calls():
    """Calls with a secret S3cret-word in each place that takes one."""
    word = 'S3cret-' + 'word'
    section = [{'section_name': 's', 'fields': [
        {'field_name': 'f', 'field_type': 'hidden', 'value': word}]}]
    return word, [
        ('score_password', {'password': word}), ('generate_totp', {'secretOrUri': word}),
        ('create_login_item', {'title': 't', 'password': word}),
        ('create_login_item_from_template', {'template': {'title': 't', 'password': word}}),
        ('create_note_item', {'title': 't', 'note': word}),
        ('create_credit_card_item', {'title': 't', 'number': word}),
        ('create_credit_card_item', {'title': 't', 'cvv': word}),
        ('create_credit_card_item', {'title': 't', 'pin': word}),
        ('create_credit_card_item', {'title': 't', 'note': word}),
        ('create_wifi_item', {'title': 't', 'ssid': 's', 'password': word}),
        ('create_wifi_item', {'title': 't', 'ssid': 's', 'note': word}),
        ('create_custom_item', {'template': {'title': 't', 'note': word}}),
        ('create_custom_item', {'template': {'title': 't', 'sections': section}}),
        ('create_identity_item', {'template': {'title': 't', 'passport_number': word}}),
        ('update_item', {'itemTitle': 't', 'fields': [word]}),
        ('accept_invite', {'inviteToken': word}), ('reject_invite', {'inviteToken': word})]


@test('pass 105 pass defect 7 a program that repeats a secret argument: no error shows it')
def secrets_in_errors():
    word, asked = secret_calls()
    with Pass() as box:
        server = box.open()
        for exit_ in (1, 2):
            box.control(fail={'exit': exit_, 'stderr': f"error: invalid value '{word}' for x\n",
                              'stdout': f'{word}\n'})
            for tool, arguments in asked:
                result = server.call(tool, arguments)
                check(result.get('isError') and word not in json.dumps(result), tool, result)
        server.end()
        check(word not in server.stderr(), 'in the log')
        nothing_kept(box, [word.encode()])


@test('pass 110 secrets stand on no command line but where pass-cli takes them no other way')
def secrets_off_argv():
    word, asked = secret_calls()
    with Pass() as box:
        server = box.open()
        for tool, arguments in asked:
            server.call(tool, arguments)
            on_line = any(word in part for part in box.runs()[-1]['argv'])
            equal(on_line, tool in ('update_item', 'accept_invite', 'reject_invite',
                                    'score_password', 'generate_totp'), tool)
            check(word not in ''.join(box.runs()[-1]['env']), 'environment', tool)


def nothing_kept(box, secrets):
    """No secret in any file of the data directory."""
    for path in glob.glob(os.path.join(box.data, '**'), recursive=True):
        if os.path.isfile(path):
            with open(path, 'rb') as f:
                data = f.read()
            for secret in secrets:
                check(secret not in data, secret, 'in', path)


@test('pass 105 all tools on planted secrets: only what exists to show one does')
def planted():
    with Pass(legacy=True) as box:
        for name in ('in.tpl', 'a.env', 'b.env', 'out'):
            box.write(name, 'key={{ pass://Work/Shop/password }}\n')
        server = box.open()
        kept = []
        for case in calls():
            arguments = {k: v for k, v in resolved(case.arguments, box).items() if k != 'confirm'}
            result = server.call(case.tool, arguments)
            if case.tool not in REVEALS or result.get('isError'):
                # What a caller chose as a title or name is no secret.
                kept.append((case.tool, json.dumps(result, ensure_ascii=False).encode()))
        for tool, data in kept:
            for secret in SECRETS:
                check(secret not in data, tool, 'shows', secret, data[:400])
        check(len(kept) > 90, 'calls', len(kept))
        server.end()
        log_bytes = server.stderr().encode()
        for secret in SECRETS:
            check(secret not in log_bytes, secret, 'in the log')
        nothing_kept(box, SECRETS)
        equal({r['reveals'] for r in box.rows('call') if r['tool'] == 'view_item'}, {1})


@test('pass 105 questions and refusals on planted secrets keep none')
def planted_questions():
    word, asked = secret_calls()
    with Pass() as box:
        server = box.legacy(*WRITE, capabilities=ASKS)
        number = 0
        for tool, arguments in asked:
            if tool in READS:
                continue
            number += 1
            call = server.start(tool, arguments)
            shown = question(server, number)
            check(word not in json.dumps(shown), tool, shown)
            respond(server, shown, result={'action': 'cancel'})
            equal(code_of(server.answer(call)['result']), 'WRITE_CANCELLED', tool)
        refused = server.call('create_login_item', {'title': word * 100, 'password': word * 200})
        check(word not in json.dumps(refused), refused)
        server.end()
        check(word not in server.stderr(), 'in the log')
        nothing_kept(box, [word.encode()])


# ---- the program and its child ----

def started_by(box, variable, folders):
    """The code of a call when PASS_CLI_BIN and PATH are these, or None when it runs."""
    env = box.env(PASS_CLI_BIN=variable, PATH=':'.join([*folders, '/usr/bin', '/bin']))
    result = box.legacy(env=env).call('list_vaults')
    return code_of(result) if result.get('isError') else None


@test('pass 93 PASS_CLI_BIN: absolute, there, and nobody else\'s; empty means PATH')
def override():
    with Pass() as box:
        folder = os.path.dirname(program())
        loose = os.path.join(box.dir, 'loose')
        shutil.copy2(program(), loose)
        os.chmod(loose, 0o777)
        plain = box.write('plain', 'text')
        empty = os.path.join(box.dir, 'empty')
        os.mkdir(empty)
        for variable in ('pass-cli', './pass-cli', os.path.join(box.dir, 'none'), loose, plain):
            equal(started_by(box, variable, [folder]), 'PROGRAM_NOT_FOUND', variable)
        equal(started_by(box, '', [empty]), 'PROGRAM_NOT_FOUND')
        equal(started_by(box, None, [empty]), 'PROGRAM_NOT_FOUND')
        equal(box.runs(), [], 'started')
        equal(started_by(box, '', [folder]), None)
        equal(started_by(box, program(), [empty]), None)


@test('pass 93 a pass-cli that is replaced is found at the next call')
def replaced():
    with Pass() as box:
        own = os.path.join(box.dir, 'own-cli')
        server = box.legacy(env=box.env(PASS_CLI_BIN=own))
        equal(code_of(server.call('list_vaults')), 'PROGRAM_NOT_FOUND')
        shutil.copy2(program() + '.code', own + '.code')
        shutil.copy2(program(), own)
        value_of(server.call('list_vaults'))
        os.unlink(own)
        equal(code_of(server.call('list_vaults')), 'PROGRAM_NOT_FOUND')


@test('pass 93 ten mebibytes of output are taken, more are an error that shows nothing')
def large():
    for mebibytes, code in ((9, None), (11, 'OUTPUT_TOO_LARGE')):
        wanted = json.dumps({'items': [], 'x': 'S3cret' + 'x' * (mebibytes << 20)})
        with Pass(print={'item list': wanted}) as box:
            result = box.legacy().call('list_items', {'vaultName': 'Work'}, seconds=60)
            equal(code_of(result) if code else result.get('isError', False), code or False)
            check('S3cret' not in json.dumps(result), 'shown')


@test('pass 113 the child gets the allowed variables, and none that logs in')
def environment():
    secret = {f'PROTON_PASS_{name}': 'S3cret' for name in (
        'PASSWORD', 'PASSWORD_FILE', 'TOTP', 'TOTP_FILE', 'EXTRA_PASSWORD', 'EXTRA_PASSWORD_FILE',
        'PERSONAL_ACCESS_TOKEN', 'SSH_KEY_PASSWORD', 'SSH_KEY_PASSWORD_FILE')}
    given = {name: 'x' for name in ENVIRONMENT if name not in (
        'HOME', 'PATH', 'PROTON_PASS_SESSION_DIR', 'LANG', 'TMPDIR')}
    with Pass() as box:
        server = box.legacy(env=box.env(**given, **secret, TMPDIR=box.dir, LD_PRELOAD_X='x',
                                        SOMETHING='x', PASS_CLI_ALLOW_VERSION_DRIFT='0'))
        value_of(server.call('list_vaults'))
        row = box.runs()[0]
        equal(set(row['env']) - set(ENVIRONMENT), set(), 'too much')
        equal(set(ENVIRONMENT) - set(row['env']), set(), 'too little')
        equal(row['reason'], 'x', 'the reason of the server')
        equal(row['stdin'], 'null')


@test('pass defect 14 a call that is cancelled ends its pass-cli')
def cancelled():
    with Pass(sleep=60) as box:
        server = box.legacy()
        call = server.start('list_vaults')
        pid = poll(lambda: box.runs() and box.runs()[0]['pid'], 10, 'a start')
        server.cancel(call)
        poll(lambda: not is_alive(pid), 5, 'the end of pass-cli')
        server.result('ping')
        check(not server.has_answer(call), 'answered')


@test('pass defect 14 a pass-cli that hangs is ended at its deadline')
def deadline():
    with open(os.path.join(os.path.dirname(os.path.dirname(DATA)), 'surfaces', 'pass.yaml'),
              encoding='utf-8') as f:
        text = re.sub(r'\n  switches: .*', '', f.read()).replace('timeout: 60s', 'timeout: 1s', 1)
    with Pass(sleep=60) as box:
        own = box.own_surface(text.replace('surface: pass\n', 'surface: slow\n', 1), 'slow.yaml')
        server = box.serve(surfaces=[own])
        server.shake()
        result = server.call('list_vaults')
        equal(code_of(result), 'TIMEOUT')
        poll(lambda: not is_alive(box.runs()[0]['pid']), 5, 'the end of pass-cli')


@test('pass 96 calls run beside each other: thirty at once, each with its own answer')
def beside():
    with Pass() as box:
        server = box.legacy(*ALONE)
        waiting = [server.start('create_vault', {'name': f'V{n}'}) for n in range(10)]
        waiting += [server.start('list_items', {'shareId': HOME}) for _ in range(20)]
        answers = [server.answer(call, 60)['result'] for call in waiting]
        made = {a['structuredContent']['share_id'] for a in answers[:10]}
        equal(len(made), 10, 'vaults')
        equal([a['structuredContent']['total'] for a in answers[10:]], [1] * 20)
        listed = {v['share_id'] for v in value_of(server.call('list_vaults'))['vaults']}
        check(made <= listed, 'lost')


@test('pass 114 refusals of our own side have codes of their own')
def own_codes():
    with Pass() as box:
        server = box.legacy()
        equal(code_of(server.call('list_items', {})), 'INVALID_ARGUMENT')
        equal(code_of(server.call('trash_item', {'shareId': WORK, 'itemId': SHOP})),
              'WRITE_DISABLED')
        box.control(print={'vault list': 'no JSON S3cret'})
        result = server.call('list_vaults')
        equal(code_of(result), 'BAD_OUTPUT')
        check('S3cret' not in json.dumps(result), result)
        equal(server.error('tools/call', {'name': 'none', 'arguments': {}})['code'], -32602)
