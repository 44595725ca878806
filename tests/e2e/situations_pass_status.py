# SPDX-License-Identifier: MIT
"""The pass surface: check_status, and whether all of pass-cli is accounted for. Numbers are those
of section 6 of the pass specification."""

import json
import os

from pass_world import EXEC, WRITE, Pass
from stile import DATA, Box, check, code_of, equal, test, text_of

# What --version prints -> what was found, and what it is beside the baseline 2.2.1.
VERSIONS = (
    ('Proton Pass CLI 2.2.1 (abc1234)', '2.2.1', 'equal'),
    ('Proton Pass CLI 2.2.7 (x)', '2.2.7', 'compatible'),
    ('Proton Pass CLI 2.2.0 (x)', '2.2.0', 'compatible'),
    ('2.3.0', '2.3.0', 'compatible'), ('2.10.0', '2.10.0', 'compatible'),
    ('2.1.9', '2.1.9', 'possibly_incompatible'), ('1.6.1', '1.6.1', 'possibly_incompatible'),
    ('3.0.0', '3.0.0', 'possibly_incompatible'), ('10.2.1', '10.2.1', 'possibly_incompatible'),
    ('unknown', None, 'possibly_incompatible'), ('2.2', None, 'possibly_incompatible'),
    ('2.2.99999999999999999', None, 'possibly_incompatible'), ('', None, 'possibly_incompatible'),
)


def status(box, **env):
    result = box.legacy(env=box.env(**env)).call('check_status')
    return result, result['structuredContent']


@test('pass 48 check_status runs two commands; all well is ok, equal and no error')
def all_well():
    with Pass() as box:
        result, value = status(box)
        check(not result.get('isError'), result)
        equal(value['overall_status'], 'ok')
        equal(value['connectivity'], {'status': 'ok', 'message': 'Connection successful'})
        version = value['version']
        equal((version['baselineVersion'], version['detectedVersion'],
               version['compatibilityStatus'], version['allowVersionDrift']),
              ('2.2.1', '2.2.1', 'equal', False))
        check('2.2.1' in version['detectedRaw'] and version['reason'], version)
        equal(len(text_of(result).splitlines()), 6, 'lines of the summary')
        equal(sorted(r['argv'] for r in box.runs()), [['--version'], ['test']])
        equal([r['kind'] for r in box.rows('call', 'refusal')], ['call'])


@test('pass 49 pass 50 pass 54 versions beside the baseline; another version warns, no more')
def versions():
    with Pass() as box:
        server = box.legacy()
        for printed, detected, wanted in VERSIONS:
            box.control(print={'--version': printed + '\n'})
            result = server.call('check_status')
            value = result['structuredContent']
            equal((value['version']['detectedVersion'], value['version']['compatibilityStatus']),
                  (detected, wanted), printed)
            equal(value['overall_status'], 'warn' if wanted.startswith('poss') else 'ok', printed)
            check(not result.get('isError'), printed, result)


@test('pass 50 a --version that fails warns, and fails nothing')
def no_version():
    with Pass(fail='CLI_FAILED', on='--version') as box:
        result, value = status(box)
        check(not result.get('isError'), result)
        equal((value['overall_status'], value['version']['detectedVersion']), ('warn', None))


@test('pass 51 pass 56 with drift allowed another version is compatible, and the reason says so')
def drift():
    for word, wanted in (('true', 'ok'), ('1', 'ok'), (' YES ', 'ok'), ('on', 'ok'),
                         ('false', 'warn'), ('0', 'warn'), ('No', 'warn'), ('off', 'warn')):
        with Pass(version='1.6.1') as box:
            _, value = status(box, PASS_CLI_ALLOW_VERSION_DRIFT=word)
            equal(value['overall_status'], wanted, word)
            equal(value['version']['allowVersionDrift'], wanted == 'ok', word)
            equal(value['version']['compatibilityStatus'],
                  'compatible' if wanted == 'ok' else 'possibly_incompatible', word)


@test('pass 55 pass 57 the start option allows drift, and wins over the variable')
def drift_option():
    with Pass(version='3.0.0') as box:
        server = box.legacy('--allow-version-drift', 'pass',
                            env=box.env(PASS_CLI_ALLOW_VERSION_DRIFT='off'))
        value = server.call('check_status')['structuredContent']
        equal((value['overall_status'], value['version']['compatibilityStatus'],
               value['version']['allowVersionDrift']), ('ok', 'compatible', True))


@test('pass 56 another word in the variable ends the start with an error')
def drift_word():
    with Pass() as box:
        done, _, err = box.command('mcp', 'serve', '--surface', 'pass', '--root', box.root,
                                   env=box.env(PASS_CLI_ALLOW_VERSION_DRIFT='maybe'))
        check(done != 0 and b'PASS_CLI_ALLOW_VERSION_DRIFT' in err, done, err)


@test('pass 52 a failed login in test is an error with all its facts, in both places')
def auth():
    for name in ('AUTH_REQUIRED', 'AUTH_EXPIRED'):
        with Pass(fail=name, on='test') as box:
            result, value = status(box)
            equal(code_of(result), name)
            equal((value['overall_status'], value['retryable'], value['auth_managed_by_user']),
                  ('error', True, True))
            check('pass-cli login' in value['user_action'], value)
            found = value['connectivity']
            equal((found['status'], found['authErrorCode'], found['retryable'],
                   found['authManagedByUser']), ('error', name, True, True))
            equal(value['version']['compatibilityStatus'], 'equal')


@test('pass 53 another failure of test has a message and no facts of a login')
def no_network():
    with Pass(fail='NETWORK_ERROR', on='test') as box:
        result, value = status(box)
        check(result.get('isError') and value['overall_status'] == 'error', result)
        check(not {'authErrorCode', 'authManagedByUser'} & set(value['connectivity']), value)
        check(not {'auth_managed_by_user'} & set(value), value)
        check(value['connectivity']['message'], value)


@test('pass 53 a pass-cli that is not there is an error of the connection, and warns of no version')
def no_program():
    with Pass() as box:
        result, value = status(box, PASS_CLI_BIN=os.path.join(box.dir, 'none'))
        check(result.get('isError') and value['overall_status'] == 'error', result)
        equal((value['connectivity']['status'], value['version']['detectedVersion']),
              ('error', None))


@test('pass the command tree is covered: each command is a tool or left out for a reason')
def coverage():
    with Box() as box:
        done, out, err = box.command('surface', 'coverage', 'pass', '--tree',
                                     os.path.join(DATA, 'pass', 'commands.txt'), '--json')
        equal((done, json.loads(out)['result'].get('missing')), (0, []), err.decode())


@test('pass the parity table: each tool and all that is left out, with a tree and without')
def parity():
    with Pass() as box:
        tools = [t['name'] for t in box.legacy(*WRITE, *EXEC).result('tools/list')['tools']]
        tree = ('--tree', os.path.join(DATA, 'pass', 'commands.txt'))
        for more in ((), tree):
            done, out, err = box.command('surface', 'coverage', 'pass', *more)
            equal(done, 0, err.decode())
            words = out.decode().split()
            equal([name for name in tools if name not in words], [], 'not in the table')
            for left_out in ('login', 'pat create', 'ssh-agent start', 'item list --show-secrets'):
                row = [r for r in out.decode().splitlines() if r.startswith(left_out + ' ')]
                check(len(row) == 1 and row[0].rstrip().endswith('.'), left_out, row)


@test('pass a command that is neither a tool nor left out fails the coverage, and is named')
def not_covered():
    with Box() as box:
        with open(os.path.join(DATA, 'pass', 'commands.txt'), encoding='utf-8') as f:
            tree = box.write('tree', f.read().rstrip('\n') + '\nvault explode\nitem list\nlogin\n')
        done, out, err = box.command('surface', 'coverage', 'pass', '--tree', tree)
        equal(done, 3)
        equal([r.split() for r in out.decode().splitlines() if 'MISSING' in r],
              [['vault', 'explode', '-', 'MISSING']])
        check(b'neither a tool nor left out' in err, err)
        done, out, _ = box.command('surface', 'coverage', 'pass', '--tree', tree, '--json')
        envelope = json.loads(out)
        equal((done, envelope['result']['missing'], envelope['error']['code']),
              (3, ['vault explode'], 'CHECK_FAILED'))
