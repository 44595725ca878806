# SPDX-License-Identifier: MIT
"""The vault's search, and its audit as another program reads it."""

import datetime
import hashlib
import json

from situations_vault import Vault
from stile import Box, check, equal, test


def paths(result):
    return [entry['path'] for entry in result['entries']]


def fill(vault):
    vault.value('folder', 'create', '/team')
    vault.put('/team/plan.md', b'the quick\nbrown fox')
    vault.put('/team/list.csv', b'fox,fox,fox')
    vault.put('/other.txt', b'nothing of the kind')
    vault.put('/picture.png', b'\x89PNG\0fox')
    vault.value('tag', 'add', '/team/plan.md', 'for-review')
    vault.value('file', 'metadata', '/team/plan.md', '--set', 'status=open')


@test('vault: find refuses what it cannot read, and finds nothing that the caller may not read')
def refusals():
    with Box() as box:
        vault = Vault(box)
        fill(vault)
        status, out, err = vault.raw('file', 'find', '--since', 'yesterday')
        equal(status, 2)
        check(b'--since wants a day' in err, err)
        vault.refused('INVALID_ARGUMENT', 'file', 'find', '--text', ' ')
        token = vault.token('agent')
        agent = {'STILE_TOKEN_FILE': token}
        equal(vault.value('file', 'find', **agent), {'entries': [], 'more': False})
        equal(vault.value('file', 'find', '--text', 'fox', '--limit', '1', **agent),
              {'entries': [], 'more': False})
        vault.refused('NOT_FOUND', 'file', 'find', '/team', **agent)
        vault.value('grant', 'set', '/team', 'agent', 'read')
        team = vault.value('folder', 'info', '/team')['id']
        equal(paths(vault.value('file', 'find', **agent)), [f'{team}/list.csv', f'{team}/plan.md'])


@test('vault: files are found by name, tag, metadata, type, date and words')
def criteria():
    with Box() as box:
        vault = Vault(box)
        fill(vault)
        today = datetime.datetime.now(datetime.timezone.utc)
        tomorrow = (today + datetime.timedelta(days=1)).strftime('%Y-%m-%d')
        yesterday = (today - datetime.timedelta(days=1)).strftime('%Y-%m-%dT00:00:00Z')
        everything = ['/other.txt', '/picture.png', '/team/list.csv', '/team/plan.md']
        for wanted, args in (
                (everything, []),
                (everything[2:], ['/team']),
                (['/team/plan.md'], ['--name', 'pl*.md']),
                (['/team/plan.md'], ['--tag', 'for-review', '--metadata', 'status']),
                ([], ['--metadata', 'status=done']),
                (['/picture.png'], ['--media-type', 'image/*']),
                (everything, ['--since', yesterday, '--until', tomorrow]),
                ([], ['--since', tomorrow]),
                (['/team/list.csv', '/team/plan.md'], ['--text', 'FOX']),
                (['/team/plan.md'], ['--text', 'bro* quick']),
                ([], ['--text', 'kind', '/team'])):
            equal(paths(vault.value('file', 'find', *args)), wanted, args)
        found = vault.value('file', 'find', '--text', 'fox', '--limit', '1')
        equal(found['more'], True)
        equal(found['entries'][0]['snippet'], '[fox],[fox],[fox]')
        found = vault.value('file', 'find', '--text', 'brown')
        equal(found['entries'][0]['snippet'], 'the quick [brown] fox')
        vault.put('/team/plan.md', b'slow')
        equal(paths(vault.value('file', 'find', '--text', 'brown')), [])
        vault.value('fsck', '--repair-index')
        equal(paths(vault.value('file', 'find', '--text', 'slow')), ['/team/plan.md'])


def row_hash(org, row):
    """As docs/vault.md says."""
    time = datetime.datetime.strptime(row['time'], '%Y-%m-%dT%H:%M:%S.%fZ')
    time_us = (time - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1)
    columns = [org, str(row['sequence']), str(time_us)]
    columns += [row[name] for name in (
        'principal_id', 'token_id', 'caller', 'operation', 'target', 'object_id', 'before',
        'after', 'detail', 'correlation_id', 'result')]
    text = b'stile-vault-operation-1;'
    for column in columns:
        if column is None:
            text += (2 ** 64 - 1).to_bytes(8, 'big')
        else:
            data = column.encode()
            text += len(data).to_bytes(8, 'big') + data
    text += bytes.fromhex(row['previous'])
    return hashlib.blake2b(text, digest_size=32).hexdigest()


@test('vault: an export of the audit is verified without stile')
def export():
    with Box() as box:
        vault = Vault(box)
        fill(vault)
        vault.refused('INVALID_ARGUMENT', 'file', 'info', '/caf\u00e9\n')
        org = vault.value('whoami')['organization_id']
        verified = vault.value('audit', 'verify')
        status, out, err = vault.raw('audit', 'export')
        equal((status, err), (0, b''))
        previous = '00' * 32
        for number, line in enumerate(out.splitlines(), 1):
            row = json.loads(line)
            equal(row['sequence'], number)
            equal(row['previous'], previous, number)
            equal(row['hash'], row_hash(org, row), number)
            previous = row['hash']
            if number == verified['rows']:
                equal(row['hash'], verified['hash'])
        check(number > verified['rows'], 'the rows of verify and export are there too')
        status, out, _ = vault.raw('audit', 'export', '--after', str(number - 1))
        equal(json.loads(out.splitlines()[0])['sequence'], number)
        equal(vault.raw('audit', 'export', '--json')[0], 2)
        token = vault.token('agent', 'write')
        equal(vault.raw('audit', 'export', STILE_TOKEN_FILE=token)[0], 11)


@test('vault: a search goes on where --limit ended, and each file is told once')
def skipping():
    with Box() as box:
        vault = Vault(box)
        fill(vault)
        for args in ([], ['--text', 'fox'], ['--name', '*.*'], ['/team']):
            everything = paths(vault.value('file', 'find', *args))
            seen = []
            while True:
                found = vault.value('file', 'find', *args, '--limit', '1', '--skip', str(len(seen)))
                seen += paths(found)
                if not found['more']:
                    break
            equal(sorted(seen), sorted(everything), args)
        equal(vault.value('file', 'find', '--skip', '9'), {'entries': [], 'more': False})
        for skip in ('-1', 'x', '1.5'):
            equal(vault.raw('file', 'find', '--skip', skip)[0], 2, skip)


@test('vault: file info tells tags and metadata; get --text gives no bytes that are no text')
def info_and_text():
    with Box() as box:
        vault = Vault(box)
        fill(vault)
        info = vault.value('file', 'info', '/team/plan.md')
        equal((info['tags'], info['metadata']), (['for-review'], {'status': 'open'}))
        _, out, _ = vault.raw('file', 'info', '/team/plan.md')
        check(b'for-review' in out and b'status=open' in out, out)
        info = vault.value('file', 'info', '/other.txt')
        equal((info['tags'], info['metadata']), ([], {}))
        equal(len(vault.events('--operation', 'file info')), 3, 'one row each')
        check('no text' in vault.refused('INVALID_ARGUMENT', 'file', 'get', '--text', '/picture.png'))
        status, out, _ = vault.raw('file', 'get', '--text', '/picture.png')
        equal((status, out), (2, b''))
        equal(vault.value('file', 'get', '/picture.png')['encoding'], 'base64')
        equal(vault.get('/other.txt', '--text'), b'nothing of the kind')
        vault.refused('USAGE', 'file', 'get', '--text', '/other.txt', '--out', '/tmp/never')
