# SPDX-License-Identifier: MIT
"""What a stage's contract grants, the record of such decisions, and a walk through the stages."""

import concurrent.futures
import hashlib
import json
import os
import sqlite3

from situations_vault import EXIT, Vault
from stile import Box, Setup, check, equal, test

STAGE = '/w/stages/01-research'
CONTRACT = STAGE + '/CONTEXT.md'
READING = ['git_log', 'git_show']
ROW_TEXTS = ['id', 'time_us', 'principal', 'token', 'caller', 'asked_workspace', 'asked_stage',
             'workspace', 'stage', 'contract', 'contract_version', 'contract_number', 'rank',
             'visible', 'hidden', 'result', 'reason', 'correlation']


def contract(*tools, more=''):
    return ('---\nmcp:\n  tools:\n' + ''.join(f'    - {tool}\n' for tool in tools) + more +
            '---\n# Research\n').encode()


class Workspace(Vault):
    """A vault with a workspace /w that has one stage; its contract reads git's log."""

    def __init__(self, box, stages=('01-research',)):
        super().__init__(box)
        self.value('folder', 'create', '/t/stages', '--parents')
        for stage in stages:
            self.value('folder', 'create', f'/t/stages/{stage}')
        self.put(f'/t/stages/{stages[0]}/CONTEXT.md', contract(*READING))
        self.value('template', 'create', '/t', '--name', 'plain')
        self.value('template', 'publish', 'plain')
        self.id = self.value('workspace', 'instantiate', 'plain', '/w')['id']

    def scope(self, *args, stage='01-research', **options):
        return self.value('scope', '--workspace', '/w', '--stage', stage, *args, **options)

    def record(self, *args, since=None, **options):
        since = ['--since', since] if since else []
        return self.scope('--record', '--surface', 'git', *since, *args, **options)

    def decisions(self, *args):
        return self.value('audit', 'list', '--scope', *args)['events']

    def stamps(self):
        """What a server looks at: any write shows here."""
        return [(os.stat(path).st_size, os.stat(path).st_mtime_ns, os.stat(path).st_ino)
                for path in (os.path.join(self.box.data, name)
                             for name in ('vault.db', 'vault.db-wal'))]


# ---- contracts that grant nothing ----

BROKEN = [
    (b'# Research\n', 'there is no front matter: the first line is not ---'),
    (b'', 'there is no front matter: the first line is not ---'),
    (b'---\ntitle: x\n---\n', 'the front matter has no mcp'),
    (b'---\nmcp: {tools: [git_log]}\n', 'line 1: the front matter is not closed: no later line '
                                        'is ---'),
    (b'---\nmcp: {tools: [git_log]}\n---\ncaf\xe9\n', 'line 4: the file is not valid UTF-8'),
    (b'\xef\xbb\xbf---\nmcp: {tools: [git_log]}\n---\n',
     'line 1: the file begins with a byte order mark; save it without one'),
    (b'---\n# \xe2\x80\xa8mcp: {tools: [git_log]}\n---\n',
     'line 2: the front matter holds a line break or a direction mark that people do not see'),
    (b'---\nx: &a [git_log]\nmcp: {tools: *a}\n---\n', 'line 2, column 4: anchors are not supported'),
    (b'---\nmcp: {tools: *a}\n---\n', 'line 2, column 14: aliases are not supported'),
    (b'---\nmcp: {tools: !!seq [git_log]}\n---\n', 'line 2, column 14: tags are not supported'),
    (b'---\n<<: {mcp: {tools: [git_log]}}\n---\n',
     'line 2, column 1: merge keys are not supported'),
    (b'---\nmcp: {tools: []}\nmcp: {tools: [git_log]}\n---\n',
     'line 3, column 1: duplicate key "mcp"'),
    (b'---\nmcp: [git_log]\n---\n', 'line 2: mcp is no mapping'),
    (b'---\nmcp:\n---\n', 'line 2: mcp is no mapping'),
    (b'---\nmcp: {}\n---\n', 'line 2: mcp has no list of tools'),
    (b'---\nmcp: {tools: git_log}\n---\n', 'line 2: mcp.tools is no list'),
    (b'---\nmcp: {tools: [git_log, 7]}\n---\n',
     'line 2: mcp.tools holds what is no name of a tool'),
    (b'---\nmcp: {tools: [git_log], deny: [x]}\n---\n',
     'line 2: mcp has the key "deny", which this version does not know'),
    (contract('git_log', 'git_show', 'git_log'), 'line 6: mcp.tools names "git_log" twice'),
    (contract('git_log', 'git_nothing'),
     'line 5: mcp.tools names "git_nothing", and no known surface has such a tool'),
    (b'---\n#' + b'x' * 16384 + b'\n---\n',
     'line 2: the front matter is larger than 16384 bytes'),
    (b'---\nx: [' + b'y, ' * 512 + b']\n---\n',
     'line 2, column 1532: the file has too many values'),
    (b'---\nx: [[[[[[[[]]]]]]]]\n---\n', 'line 2, column 11: the file is nested too deep'),
    (contract('git_log') + b'x' * (1 << 20), 'the file is larger than 1048576 bytes'),
]


@test('scope: a broken contract grants nothing, for one reason, and that is on record')
def broken():
    with Box() as box:
        vault = Workspace(box)
        scopes = []
        for text, reason in BROKEN:
            vault.put(CONTRACT, text)
            status, out, err = vault.raw('scope', '--workspace', '/w', '--stage', '01-research',
                                         '--record', '--json')
            equal(status, 0, reason)
            scope = json.loads(out)['result']
            told = scope['reason'].removeprefix('CONTEXT.md: ')
            equal(told, reason)
            check(err.decode().count(reason) == 1, 'on stderr:', err)
            equal((scope['tools'], scope['visible'], scope['rank']), ([], [], 'manage'), reason)
            equal(scope['event']['result'], 'denied', reason)
            check(scope['contract']['version'], 'the version is named')
            scopes.append(scope)
        rows = sorted(vault.decisions(), key=lambda row: row['sequence'])
        equal([(row['result'], row['reason'], row['visible'], row['hidden'], row['sequence'])
               for row in rows],
              [('denied', scope['reason'], [], scope['hidden'], number + 1)
               for number, scope in enumerate(scopes)])
        vault.is_sound()


@test('scope: a stage without a contract grants nothing')
def missing():
    with Box() as box:
        vault = Workspace(box, ('01-research', '02-empty'))
        scope = vault.record(stage='02-empty')
        equal(scope['reason'], 'the stage has no CONTEXT.md')
        equal((scope['contract'], scope['tools'], scope['visible']), (None, [], []))
        equal(scope['event']['result'], 'denied')
        vault.value('file', 'trash', CONTRACT)
        equal(vault.record()['reason'], 'the stage has no CONTEXT.md')


# ---- who may not ----

@test('scope: what may not be seen is NOT_FOUND, and recorded a denied decision of one text')
def unseen():
    with Box() as box:
        vault = Workspace(box)
        stranger = {'STILE_TOKEN_FILE': vault.token('stranger')}
        rival = os.path.join(box.root, 'rival.token')
        vault.value('init', '--org', 'rival', '--out', rival)
        told = []
        for who in (stranger, {'STILE_TOKEN_FILE': rival}, {}):
            for workspace in ('/w', vault.id, 'wsp_' + 26 * '0', '/nothing'):
                if not who and workspace in ('/w', vault.id):
                    continue
                args = ['--workspace', workspace, '--stage', '01-research']
                text = vault.refused('NOT_FOUND', 'scope', *args, **who)
                scope = vault.value('scope', *args, '--record', **who)
                equal(scope['reason'], text)
                equal(scope['event']['result'], 'denied')
                event = scope.pop('event')
                told.append(json.dumps(scope).replace(workspace, 'W'))
                check(event['id'].startswith('sca_'), event)
        equal(len(set(told)), 1, 'answers')
        equal(json.loads(told[0])['workspace'], None)
        equal(json.loads(told[0])['rank'], 'none')
        for row in vault.decisions():
            equal((row['workspace_id'], row['stage_id'], row['contract_id']), (None, None, None))
        # A stage that is not there; what is no workspace.
        equal(vault.scope('--record', stage='09-no')['workspace'], None)
        vault.refused('NOT_FOUND', 'scope', '--workspace', '/w', '--stage', '09-no')
        vault.refused('INVALID_ARGUMENT', 'scope', '--workspace', '/w/stages')
        equal(vault.value('audit', 'verify')['scope_rows'], 7)
        equal(vault.value('audit', 'verify', STILE_TOKEN_FILE=rival)['scope_rows'], 4)


@test('scope: a token that is no longer good gets an error, and no row')
def no_credential():
    with Box() as box:
        vault = Workspace(box)
        agent = vault.token('agent', 'write', '/w')
        args = ['scope', '--workspace', '/w', '--stage', '01-research', '--record']
        env = {'STILE_TOKEN_FILE': agent}
        first = vault.value(*args, **env)['event']['id']
        token = vault.value('token', 'list', 'agent')['tokens'][0]['id']
        vault.value('token', 'revoke', token)
        text = vault.refused('UNAUTHENTICATED', *args, **env)
        equal(vault.refused('UNAUTHENTICATED', *args, '--since', first, **env), text)
        vault.token('other', 'write', '/w')
        vault.value('principal', 'disable', 'other')
        env = {'STILE_TOKEN_FILE': os.path.join(box.root, 'other.token')}
        equal(vault.refused('UNAUTHENTICATED', *args, **env), text)
        equal(len(vault.decisions()), 1)


@test('scope: options that do not go together are usage errors')
def usage():
    with Box() as box:
        vault = Workspace(box)
        vault.refused('USAGE', 'scope')
        vault.refused('USAGE', 'scope', '--workspace', '/w', '--since', 'sca_x')
        vault.refused('USAGE', 'audit', 'list', '--scope', '--operation', 'file put')
        vault.refused('NOT_FOUND', 'scope', '--workspace', '/w', '--surface', 'nothing')
        status, _, err = box.command('vault', '--within=/w', 'scope', '--workspace', '/w',
                                     '--record', env=vault.env())
        equal(status, EXIT['USAGE'], err)
        equal(vault.decisions(), [])


# ---- what is granted ----

@test('scope: a tool is visible when the contract names it and the rank reaches it')
def granted():
    with Box() as box:
        vault = Workspace(box)
        vault.put(CONTRACT, contract('git_show', 'git_commit', 'git_log', 'fake_exec'))
        agent = {'STILE_TOKEN_FILE': vault.token('agent', 'read', '/w')}
        scope = vault.scope('--surface', 'git', **agent)
        equal(scope['tools'], ['fake_exec', 'git_commit', 'git_log', 'git_show'])
        equal((scope['visible'], scope['rank']), (READING, 'read'))
        everything = len(json.loads(box.command('surface', 'show', 'git', '--json',
                                                env=vault.env())[1])['result']['tools'])
        equal(scope['hidden'], everything - 2)
        vault.value('grant', 'set', STAGE, 'agent', 'write')
        equal(vault.scope('--surface', 'git', **agent)['visible'], ['git_commit', *READING])
        vault.value('grant', 'set', STAGE, 'agent', 'manage')
        equal(vault.scope('--surface', 'git', '--surface', Setup.surface, **agent)['visible'],
              ['fake_exec', 'git_commit', *READING])
        equal(vault.scope(**agent)['visible'], ['fake_exec', 'git_commit', *READING], 'all known')
        equal(vault.scope('--surface', 'pass', **agent)['visible'], [])


@test('scope: names are checked against all that this host knows, trusted files among them')
def known():
    with Box() as box:
        vault = Workspace(box)
        vault.put(CONTRACT, contract('own_look'))
        text = ('stile: 1\nsurface: own\nprogram: {run: fake}\ntools:\n'
                '- {name: own_look, description: Looks., effect: read, argv: [args]}\n')
        path = box.own_surface(text)
        equal(vault.scope()['tools'], ['own_look'])
        equal(vault.scope('--surface', 'git')['tools'], ['own_look'], 'whatever is served')
        equal(vault.scope('--surface', path)['visible'], ['own_look'])
        box.write('own.yaml', text + '# changed\n')
        equal(vault.scope('--surface', path)['tools'], [], 'no longer trusted')
        os.unlink(path)
        check('own_look' in vault.scope('--surface', path)['reason'], 'gone')


# ---- the record ----

@test('scope: an unchanged decision leaves no row and does not touch the store')
def unchanged():
    with Box() as box:
        vault = Workspace(box)
        agent = {'STILE_TOKEN_FILE': vault.token('agent', 'read', '/w')}
        first = vault.record(**agent)
        equal(first['event']['result'], 'initial')
        with vault.database() as db:
            db.execute('UPDATE token SET last_used_us = 0')
        db.close()
        rows = vault.decisions()
        sequence = vault.events()[0]['sequence']
        stamps = vault.stamps()
        for _ in range(3):
            again = vault.record(since=first['event']['id'], **agent)
            equal(again.pop('event'), None)
            equal(again, {k: v for k, v in first.items() if k != 'event'})
        equal(vault.stamps(), stamps, 'files')
        equal(vault.events()[0]['sequence'], sequence + 1, 'the row of looking alone')
        equal(vault.decisions(), rows)
        # A denied one, too.
        vault.put(CONTRACT, b'nothing')
        denied = vault.record(since=first['event']['id'], **agent)
        equal(denied['event']['result'], 'denied')
        stamps = vault.stamps()
        equal(vault.record(since=denied['event']['id'], **agent)['event'], None)
        equal(vault.stamps(), stamps, 'files')


@test('scope: an edit of the contract, a grant and a tool that goes each change the decision')
def changed():
    with Box() as box:
        vault = Workspace(box)
        agent = {'STILE_TOKEN_FILE': vault.token('agent', 'write', '/w')}
        results = []
        since = None

        def decide(result, visible):
            nonlocal since
            scope = vault.record(since=since, **agent)
            equal((scope['event'] or {}).get('result'), result)
            equal(scope['visible'], visible)
            since = scope['event']['id']
            results.append(result)
            equal(vault.record(since=since, **agent)['event'], None)
            return scope

        decide('initial', READING)
        vault.put(CONTRACT, contract(*READING, 'git_commit'))
        scope = decide('changed', ['git_commit', *READING])
        equal(scope['contract']['number'], 2)
        vault.value('grant', 'set', '/w', 'agent', 'read')
        equal(decide('changed', READING)['rank'], 'read')
        vault.put(CONTRACT, contract(*READING, 'git_commit') + b'More words.\n')
        decide('changed', READING)
        vault.value('folder', 'rename', STAGE, '02-research')
        decide('denied', [])
        vault.value('folder', 'rename', '/w/stages/02-research', '01-research')
        decide('changed', READING)
        vault.value('grant', 'remove', '/w', 'agent')
        decide('denied', [])
        rows = vault.decisions()
        equal([row['result'] for row in rows][::-1], results)
        row = rows[-1]
        principal = vault.value('whoami', **agent)['principal_id']
        equal((row['principal_id'], row['caller'], row['workspace_id'], row['rank']),
              (principal, 'cli', vault.id, 'write'))
        equal((row['visible'], row['contract_version'], row['reason']), (READING, 1, None))
        check(row['stage_id'].startswith('stg_') and row['id'].startswith('sca_'), row)
        equal(len(vault.decisions('--result', 'denied')), 2)
        equal(len(vault.decisions('--object', row['stage_id'])), 5)
        equal(len(vault.decisions('--object', vault.id)), 5)
        equal(vault.decisions('--correlation', row['correlation_id']), [row])
        equal(vault.decisions('--principal', 'ada'), [])
        vault.refused('PERMISSION_DENIED', 'audit', 'list', '--scope', **agent)
        vault.refused('PERMISSION_DENIED', 'audit', 'verify', **agent)


def columns(row):
    """A row's columns in the order of the hash, as docs/vault.md has it."""
    data = b'stile-vault-scope-1;'
    for value in row:
        if value is None:
            data += b'\xff' * 8
            continue
        text = str(value).encode()
        data += len(text).to_bytes(8, 'big') + text
    return data


@test('scope: the chain of decisions is verified without stile, and any edit of it is found')
def chain():
    with Box() as box:
        vault = Workspace(box)
        vault.record()
        vault.put(CONTRACT, contract('git_log'))
        vault.record()
        vault.record(stage='09-no')
        report = vault.value('audit', 'verify')
        equal(report['scope_rows'], 3)
        with vault.database() as db:
            rows = db.execute(f'SELECT org, sequence, {", ".join(ROW_TEXTS)}, previous, hash'
                              ' FROM mcp_scope_audit_events ORDER BY sequence').fetchall()
        db.close()
        last = bytes(32)
        for row in rows:
            *texts, previous, digest = row
            equal(previous, last)
            last = hashlib.blake2b(columns(texts) + previous, digest_size=32).digest()
            equal(digest, last)
        equal(report['scope_hash'], last.hex())
        status, out, _ = vault.raw('audit', 'export', '--scope')
        equal([json.loads(line)['hash'] for line in out.splitlines()],
              [row[-1].hex() for row in rows])
        equal(status, 0)
        for statement, number in (
                ("UPDATE mcp_scope_audit_events SET rank = 'read' WHERE sequence = 2", 2),
                ("UPDATE mcp_scope_audit_events SET visible = visible || ' git_commit'"
                 ' WHERE sequence = 1', 1),
                ('DELETE FROM mcp_scope_audit_events WHERE sequence = 2', 3)):
            db = sqlite3.connect(os.path.join(box.data, 'vault.db'))
            kept = db.execute('SELECT * FROM mcp_scope_audit_events').fetchall()
            triggers = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
                                  " AND tbl_name = 'mcp_scope_audit_events'").fetchall()
            for name, _ in triggers:
                db.execute(f'DROP TRIGGER {name}')
            db.execute(statement)
            db.commit()
            text = vault.refused('CHECK_FAILED', 'audit', 'verify')
            check(text.startswith(f'scope audit row {number} '), text)
            db.execute('DELETE FROM mcp_scope_audit_events')
            db.executemany(f'INSERT INTO mcp_scope_audit_events VALUES'
                           f' ({", ".join("?" * len(kept[0]))})', kept)
            for _, sql in triggers:
                db.execute(sql)
            db.commit()
            db.close()
        equal(vault.value('audit', 'verify')['scope_hash'], report['scope_hash'])


@test('scope: many servers that decide at once leave one chain')
def race():
    with Box() as box:
        vault = Workspace(box)
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            results = list(pool.map(lambda _: vault.record()['event']['result'], range(12)))
        equal(results, ['initial'] * 12)
        equal(vault.value('audit', 'verify')['scope_rows'], 12)


# ---- walking through the stages ----

def stage_text(tools=(), inputs=(), outputs=()):
    front = contract(*tools).decode() if tools else '# Stage\n'
    lines = [front, '## Inputs', *[f'- `{path}`: read it' for path in inputs],
             '## Outputs', *[f'- `{path}`' for path in outputs]]
    return ('\n'.join(lines) + '\n').encode()


@test('walk-test: what would stop an agent is named, stage by stage')
def walk_faults():
    with Box() as box:
        vault = Workspace(box, ('01-research', '02-draft', '03-review', '04-end'))
        vault.put(CONTRACT, stage_text(['git_log', 'git_nothing', 'x_y'],
                                       ['../02-draft/output/text.md', '../../../secret', '/w'],
                                       ['output/brief.md']))
        vault.put('/w/stages/02-draft/CONTEXT.md', b'---\nmcp: {tools: x}\n---\n' +
                  stage_text([], ['../01-research/output/brief.md'], ['../../../x']))
        vault.put('/w/stages/03-review/CONTEXT.md', b'# Review\n')
        envelope = vault.envelope('workspace', 'walk-test', '/w')
        equal(envelope['error']['code'], 'CHECK_FAILED')
        equal(envelope['error']['exit_code'], 3)
        stages = envelope['result']['stages']
        equal([stage['name'] for stage in stages],
              ['01-research', '02-draft', '03-review', '04-end'])
        equal(stages[0]['unknown_tools'], ['git_nothing', 'x_y'])
        equal(stages[0]['faults'], [
            'CONTEXT.md names tools that no known surface has, so it grants nothing: '
            'git_nothing, x_y',
            'the input ../02-draft/output/text.md is not there, and no earlier stage makes it',
            'the input ../../../secret leads out of the workspace',
            'the input /w is not there, and no earlier stage makes it'])
        equal(stages[1]['faults'], ['CONTEXT.md: line 2: mcp.tools is no list',
                                    'the output ../../../x leads out of the workspace'])
        equal(stages[1]['inputs'][0]['made_by'], '01-research')
        equal(stages[2]['faults'], ['CONTEXT.md declares no outputs'])
        equal(stages[2]['reason'], 'there is no front matter: the first line is not ---')
        equal(stages[3]['faults'], ['there is no CONTEXT.md'])
        equal(envelope['result']['fault_count'], 8)
        vault.value('folder', 'trash', '/w/stages')
        envelope = vault.envelope('workspace', 'walk-test', '/w')
        equal(envelope['result']['faults'], ['the workspace has no stages'])
        vault.refused('INVALID_ARGUMENT', 'workspace', 'walk-test', '/t')
        stranger = {'STILE_TOKEN_FILE': vault.token('stranger')}
        vault.refused('NOT_FOUND', 'workspace', 'walk-test', '/w', **stranger)


@test('walk-test: a chain that holds, with what each stage loads')
def walk_holds():
    with Box() as box:
        vault = Workspace(box, ('01-research', '02-draft'))
        vault.put('/w/CLAUDE.md', b'x' * 400)
        vault.put('/w/CONTEXT.md', b'y' * 200)
        vault.value('folder', 'create', '/w/shared')
        vault.put('/w/shared/a.md', b'z' * 40)
        vault.put('/w/shared/b.md', b'z' * 41)
        first = stage_text(['git_log'], ['../../shared/'], ['output/brief.md'])
        second = stage_text([], ['/stages/01-research/output/', '../../shared/a.md'],
                            ['output/text.md'])
        vault.put(CONTRACT, first)
        vault.put('/w/stages/02-draft/CONTEXT.md', second)
        agent = {'STILE_TOKEN_FILE': vault.token('agent', 'read', '/w')}
        result = vault.value('workspace', 'walk-test', vault.id, **agent)
        equal(result['fault_count'], 0)
        equal([stage['estimated_tokens'] for stage in result['stages']],
              [(600 + len(first) + 81 + 3) // 4, (600 + len(second) + 40 + 3) // 4])
        equal(result['stages'][0]['tools'], ['git_log'])
        equal(result['stages'][1]['inputs'],
              [{'path': '/stages/01-research/output/', 'exists': False, 'made_by': '01-research'},
               {'path': '../../shared/a.md', 'exists': True, 'made_by': None}])
        status, out, _ = vault.raw('workspace', 'walk-test', '/w')
        equal(status, 0)
        check(b'no fault in 2 stages' in out and b'a token is about four bytes' in out, out)


@test('walk-test: the workspace of --demo holds, and its contracts grant what they name')
def walk_demo():
    with Box() as box:
        vault = Vault(box, init=False)
        vault.value('init', '--demo')
        result = vault.value('workspace', 'walk-test', '/demo')
        equal(result['fault_count'], 0)
        equal(len(result['stages']), 3)
        for stage in result['stages']:
            scope = vault.value('scope', '--workspace', '/demo', '--stage', stage['name'])
            equal((scope['visible'], scope['reason']), (stage['tools'], None))
            check(scope['visible'] and stage['estimated_tokens'] < 2000, stage)
