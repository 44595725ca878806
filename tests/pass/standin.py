#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of tests/data/pass-cli, the stand-in for Proton's program; prints TAP.

The e2e tests of the pass surface are worth what the stand-in is worth: what the real program
refuses, it must refuse as well. So its parser is tested here rule by rule, then its memory, its
output and its ways to fail.
"""

import concurrent.futures
import importlib.machinery
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'data')
PROGRAM = os.path.join(DATA, 'pass-cli')
PATH = '/usr/local/bin:/usr/bin:/bin'
FAST = os.path.join(tempfile.mkdtemp(prefix='pass-cli-'), 'pass-cli')   # compiled by main()
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader('pass_cli', PROGRAM)
standin = importlib.util.module_from_spec(importlib.util.spec_from_loader('pass_cli', loader))
loader.exec_module(standin)

TESTS = []
SEED = standin.seed()
WORK, HOME, DASH, GARDEN = SEED['vaults']
SHOP = SEED['items'][0]
DASHED = next(i for i in SEED['items'] if i['content']['title'] == '-dashed')
WIFI = ('item', 'create', 'wifi', '--title=t', '--ssid=s')
LOGIN = ('item', 'create', 'login', '--vault-name=Work')
FROM = ('--from-template', '-')


def test(title):
    def mark(function):
        TESTS.append((title, function))
        return function
    return mark


def equal(got, wanted, what=''):
    if got != wanted:
        raise AssertionError(f'{what}: got {got!r}, wanted {wanted!r}')


def check(condition, *what):
    if not condition:
        raise AssertionError(' '.join(map(str, what)))


class World:
    """One session folder."""

    def __enter__(self):
        self.dir = tempfile.mkdtemp(prefix='pass-')
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.dir)

    def control(self, **wanted):
        with open(os.path.join(self.dir, 'control.json'), 'w', encoding='utf-8') as f:
            json.dump(wanted, f)

    def raw(self, *words, stdin=None, **env):
        source = {'stdin': subprocess.DEVNULL} if stdin is None else {'input': stdin.encode()}
        env = {'PATH': PATH, 'PROTON_PASS_SESSION_DIR': self.dir, **env}
        return subprocess.run([FAST, *words], env=env, capture_output=True, check=False,
                              timeout=60, **source)

    def run(self, *words, **more):
        """What it prints, of a run that succeeds."""
        done = self.raw(*words, **more)
        equal(done.returncode, 0, f'{words}: {done.stderr.decode("utf-8", "replace")}')
        return done.stdout.decode()

    def json(self, *words, **more):
        return json.loads(self.run(*words, '--output=json', **more))

    def refused(self, *words, says='', **more):
        """A run that the argument parser refuses."""
        done = self.raw(*words, **more)
        equal(done.returncode, 2, f'{words}: {done.stderr.decode()}')
        check(done.stderr.startswith(b'error: ') and says.encode() in done.stderr, words,
              done.stderr.decode(), 'lacks', says)
        equal(done.stdout, b'', words)

    def failed(self, *words, says='', **more):
        done = self.raw(*words, **more)
        equal(done.returncode, 1, f'{words}: {done.stdout} {done.stderr}')
        check(done.stderr.startswith(b'Error: ') and says.encode() in done.stderr, words,
              done.stderr.decode(), 'lacks', says)

    def view(self, title, vault='Work'):
        return self.json('item', 'view', f'--vault-name={vault}', f'--item-title={title}')['item']

    def inner(self, title):
        return next(iter(self.view(title)['content']['content'].values()))

    def started(self):
        with open(os.path.join(self.dir, 'started'), encoding='utf-8') as f:
            return [json.loads(line) for line in f]


# ---- the parser ----

REFUSED = (     # title, words, what stderr echoes
    ('an unknown subcommand', ('vault', 'shrink'), "'shrink'"),
    ('an unknown command', ('valut', 'list'), "'valut'"),
    ('an unknown option', ('share', 'list', '--items'), "'--items'"),
    ('another unknown option', ('invite', 'accept', '--invite-token', 'T'), "'--invite-token'"),
    ('an abbreviated option', ('vault', 'list', '--out=json'), "'--out'"),
    ('an unknown short option', ('vault', 'list', '-x'), "'-x'"),
    ('a value that begins with a dash', ('vault', 'create', '--name', '-a secret'), "'-a'"),
    ('a value that looks like an option', ('vault', 'create', '--name', '--a-secret'),
     "'--a-secret'"),
    ('an id that begins with a dash, as a word of its own',
     ('item', 'list', '--share-id', DASH['share_id']), DASH['share_id'][:2]),
    ('a positional that begins with a dash', ('item', 'list', '-dash'), "'-d'"),
    ('an option without its value', ('vault', 'create', '--name'), 'a value is required'),
    ('an option where a value belongs', ('vault', 'update', '--name', '--share-id', 'x'),
     'a value is required'),
    ('a single-valued option twice', ('vault', 'create', '--name=a', '--name=b'),
     'cannot be used multiple times'),
    ('a flag twice', ('inject', '--in-file=x', '--force', '--force'), 'multiple times'),
    ('a value for a flag', ('inject', '--in-file=x', '--force=true'), "'true'"),
    ('a required option left out', ('vault', 'create'), '--name <NAME>'),
    ('a scope left out', ('vault', 'member', 'list'), '--share-id'),
    ('two scopes', ('vault', 'member', 'list', '--share-id=a', '--vault-name=b'),
     'cannot be used with'),
    ('two items', ('item', 'trash', '--item-id=a', '--item-title=b'), 'cannot be used with'),
    ('a vault name and a share id', ('item', 'list', '--share-id=a', 'Work'),
     'cannot be used with'),
    ('--vault-name of item list', ('item', 'list', '--vault-name=Work'), "'--vault-name'"),
    ('a boolean without a value', ('share', 'list', '--only-items'), 'a value is required'),
    ('a boolean that is neither', ('password', 'generate', 'random', '--symbols=yes'), "'yes'"),
    ('an integer that is none', ('password', 'generate', 'random', '--length=x1'), "'x1'"),
    ('an enumeration in capitals', ('vault', 'share', '--vault-name=Work', '--role=Editor', 'a@b'),
     "'Editor'"),
    ('an unknown filter', ('item', 'list', 'Work', '--filter-type=cards'), "'cards'"),
    ('a format that is none', ('vault', 'list', '--output=yaml'), "'yaml'"),
    ('a surplus positional', ('vault', 'list', 'more'), "'more'"),
    ('a missing positional', ('invite', 'accept'), 'INVITE_TOKEN'),
    ('run without a command', ('run', '--no-masking'), 'required'),
    ('a command of run that is not after --', ('run', 'env'), "'env'"),
    ('Wi-Fi by flags and vault name', (*WIFI, '--vault-name=Work'), '--share-id'),
    ('Wi-Fi by flags and default vault', WIFI, '--share-id'),
    ('a template beside flags', (*LOGIN, *FROM, '--title=t'), 'cannot be used with'),
    ('a title left out', LOGIN, '--title'),
    ('custom items by flags', ('item', 'create', 'custom', '--title=t'), "'--title'"),
    ('identities without a template', ('item', 'create', 'identity'), '--from-template'),
    ('an update without fields', ('item', 'update', '--item-title=Shop'), '--field'),
    ('a token selector left out', ('pat', 'access', 'revoke', '--share-id=x'), 'personal'),
    ('an option before the subcommand', ('--output=json', 'vault', 'list'), "'--output'"),
)
NO_FORMAT = (   # commands that know no --output
    'test', 'settings view', 'settings set default-vault --vault-name=Work', 'inject --in-file=x',
    'settings unset default-vault', 'invite accept T', 'invite reject T', 'vault create --name=a',
    'vault update --vault-name=Work --name=a', 'vault delete --vault-name=Work',
    'vault share --vault-name=Work a@b', 'vault transfer --vault-name=Work m',
    'vault member update --vault-name=Work --member-share-id=m --role=viewer',
    'vault member remove --vault-name=Work --member-share-id=m', 'item create note --title=a',
    'item share --share-id=s --item-id=i a@b', 'item trash --item-title=a',
    'item untrash --item-title=a', 'item delete --share-id=s --item-id=i',
    'item update --item-title=a --field=a=b', 'pat access revoke --pat-name=a --share-id=s',
    'item move --item-id=i --from-share-id=s --to-share-id=t', 'pat access grant --pat-name=a '
    '--share-id=s', 'item member update --share-id=s --member-share-id=m --role=viewer',
    'item member remove --share-id=s --member-share-id=m', 'pat delete --pat-id=x',
    'agent access grant helper --share-id=s', 'agent access revoke helper --share-id=s')


def alone(words, says):
    with World() as world:
        world.refused(*words, says=says)
        equal(len(world.started()), 1, 'its record')
        check(not os.path.exists(os.path.join(world.dir, 'state.json')), 'it got further')


for title_, words_, says_ in REFUSED:
    test(f'parser: {title_} is refused')(lambda w=words_, s=says_: alone(w, s))


@test('parser: --output is refused where the real program knows none')
def no_format():
    with World() as world:
        for command in NO_FORMAT:
            world.refused(*command.split(), '--output=json', says="'--output'")


@test('parser: joined values may begin with a dash, be empty, hold = and line ends')
def joined():
    with World() as world:
        for value in ('-a', '--output', '', 'a=b', 'a\nb', '-', 'ü 🍸'):
            identity = world.run(*LOGIN, '--title=t', f'--username={value}').strip()
            shown = world.json('item', 'view', '--vault-name=Work', f'--item-id={identity}')
            equal(shown['item']['content']['content']['Login']['username'], value)


@test('parser: split values work; a lone dash is a value')
def split():
    with World() as world:
        world.run('vault', 'create', '--name', '-')
        world.run('vault', 'create', '--name', 'two words')
        names = [v['name'] for v in world.json('vault', 'list')['vaults']]
        check({'-', 'two words'} <= set(names), names)


@test('parser: after -- everything is a positional')
def positionals():
    with World() as world:
        items = json.loads(world.run('item', 'list', '--output=json', '--', '-dash'))['items']
        equal([i['title'] for i in items], ['In dash'])
        world.refused('item', 'list', '--', 'Work', '--output=json', says='--output')
        world.run('invite', 'reject', '--', '-S3cret-invite-item')


@test('parser: options that repeat are collected in order')
def repeated():
    with World() as world:
        world.run(*LOGIN, '--title=t', '--url=a', '--url', 'b', '--url=-c')
        equal(world.inner('t')['urls'], ['a', 'b', '-c'])


@test('parser: the value of --generate-password is optional and only joined')
def optional_value():
    with World() as world:
        world.run(*LOGIN, '--title=a', '--generate-password', '--password=mine')
        equal(len(world.inner('a')['password']), 16)
        world.run(*LOGIN, '--title=b', '--generate-password=24,uppercase')
        equal(len(world.inner('b')['password']), 24)
        world.refused(*LOGIN, '--title=c', '--generate-password', '20', says="'20'")
        for wrong in ('length=20', '16,true,true', ''):
            world.failed(*LOGIN, '--title=c', f'--generate-password={wrong}', says='settings')
        world.run(*LOGIN, '--title=d', '--generate-passphrase=3')
        equal(len(world.inner('d')['password'].split('-')), 3)


@test('parser: filters and sorts take other cases, aliases of options and commands work')
def cases():
    with World() as world:
        found = world.json('item', 'list', 'Work', '--filter-type=Credit-Card',
                           '--filter-state=ACTIVE', '--sort-by=Alphabetic-Asc')
        equal([i['title'] for i in found['items']], ['card'])
        world.json('password', 'generate', 'passphrase', '--capitalise=false')
        for selector in ('--pat-name=ci-bot', '--personal-access-token-name=ci-bot',
                         f'--pat-id={SEED["tokens"][0]["pat_id"]}',
                         f'--personal-access-token-name={SEED["tokens"][0]["pat_id"]}'):
            equal(len(world.json('personal-access-token', 'access', 'list-access', selector)), 2)


@test('parser: bytes that are no UTF-8 are refused')
def no_text():
    with World() as world:
        world.refused('vault', 'create', b'--name=\xff', says='UTF-8')


@test('parser: help on every level, and the list of commands is current')
def command_tree():
    with World() as world:
        check('item' in world.run('--help') and 'totp' in world.run('item', '--help'), 'help')
        check('--sort-by' in world.run('item', 'list', '--help'), 'help of a command')
        equal(world.raw('vault').returncode, 2)
        with open(os.path.join(DATA, 'pass', 'commands.txt'), encoding='utf-8') as f:
            equal(f.read(), world.run('--commands'), 'tests/data/pass/commands.txt')


# ---- templates ----

@test('templates: stdin is read; unknown keys and wrong types are refused')
def templates():
    with World() as world:
        body = {'title': 't', 'username': None, 'password': '-p', 'urls': ['-u'], 'totp_uri': None}
        world.run(*LOGIN, *FROM, stdin=json.dumps(body))
        equal(world.inner('t')['password'], '-p')
        for wrong in ({'title': 'x', 'url': 'y'}, {'username': 'y'}, {'title': 1}, ['title'],
                      {'title': 'x', 'urls': 'y'}):
            world.failed(*LOGIN, *FROM, stdin=json.dumps(wrong), says='template')
        world.failed(*LOGIN, *FROM, stdin='{', says='template')
        row = [r for r in world.started() if r.get('body')][0]
        equal((row['stdin'], json.loads(row['body'])), ('pipe', body))


@test('templates: every type is made as it is later shown')
def all_types():
    fields = [{'field_name': 'a', 'field_type': 'HIDDEN', 'value': 'b'},
              {'field_name': 'w', 'field_type': 'timestamp', 'value': '1730000000'}]
    bodies = {'note': {'note': 'n'}, 'credit-card': {'number': '4000-0012', 'cvv': '1'},
              'wifi': {'ssid': 's', 'security': 'wpa3', 'password': ''}, 'identity': {'floor': '2'},
              'custom': {'note': None, 'sections': [{'section_name': 's', 'fields': fields}]}}
    with World() as world:
        for kind, body in bodies.items():
            world.run('item', 'create', kind, *FROM, '--vault-name=Work',
                      stdin=json.dumps({'title': kind, **body}))
        equal(world.view('note')['content']['note'], 'n')
        equal(world.inner('credit-card')['number'], '40000012')
        equal(world.inner('wifi')['security'], 'WPA3')
        equal(world.inner('identity')['floor'], '2')
        equal(world.inner('custom')['sections'][0]['section_fields'][1],
              {'name': 'w', 'content': {'Timestamp': 1730000000}})
        fields[0]['field_type'] = 'secret'
        world.failed('item', 'create', 'custom', *FROM, '--vault-name=Work', says='field type',
                     stdin=json.dumps({'title': 'x', **bodies['custom']}))
        world.failed('item', 'create', 'wifi', *FROM, '--vault-name=Work', says='SSID',
                     stdin='{"title":"x","ssid":""}')
        world.failed('item', 'create', 'credit-card', '--vault-name=Work', '--title=x',
                     '--expiration-date=2030-13', says='date')
        world.run(*WIFI, f'--share-id={WORK["share_id"]}', '--password=')


# ---- memory ----

@test('memory: what is created is listed, moved, trashed, restored and deleted')
def life():
    with World() as world:
        identity = world.run('item', 'create', 'note', '--vault-name=Work', '--title=N').strip()
        share = world.run('vault', 'create', '--name=New').strip()
        moved = world.run('item', 'move', f'--item-id={identity}', '--from-vault-name=Work',
                          f'--to-share-id={share}').strip()
        check(moved != identity and len(moved) == 88, moved)
        scope = (f'--share-id={share}', f'--item-id={moved}')
        world.run('item', 'trash', *scope)
        equal(world.json('item', 'list', 'New')['items'][0]['state'], 'Trashed')
        world.run('item', 'untrash', *scope)
        world.run('item', 'update', *scope, '--field=title=M', '--field=colour=red')
        equal(world.run('item', 'view', *scope, '--field=Colour'), 'red\n')
        check(moved in world.run('item', 'delete', *scope), 'the id')
        equal(world.json('item', 'list', 'New')['items'], [])
        world.run('vault', 'update', f'--share-id={share}', '--name=Newer')
        world.run('vault', 'delete', '--vault-name=Newer')
        world.failed('vault', 'delete', '--vault-name=Newer', says='Could not find vault')


@test('memory: members, invites, tokens, grants, agents and settings change')
def others():
    with World() as world:
        scope = '--vault-name=Work'
        equal(world.run('vault', 'share', scope, '--role=editor', '--', 'new@x'), '')
        members = world.json('vault', 'member', 'list', scope)
        one = f'--member-share-id={members[-1]["member_share_id"]}'
        world.run('vault', 'member', 'update', scope, one, '--role=manager')
        equal(world.json('vault', 'member', 'list', scope)[-1]['role'], 'Manager')
        world.run('vault', 'member', 'remove', scope, one)
        equal(len(world.json('vault', 'member', 'list', scope)), len(members) - 1)
        world.run('invite', 'accept', '--', 'S3cret-invite-vault')
        world.failed('invite', 'accept', '--', 'S3cret-invite-vault', says='Invite not found')
        check('Orchard' in str(world.json('share', 'list', '--only-vaults=true')), 'accepted')
        world.failed('pat', 'delete', '--pat-id=ci-bot', says='Invalid')
        world.run('pat', 'access', 'grant', '--pat-name=ci-bot', scope, '--item-title=Shop')
        world.run('pat', 'delete', f'--pat-id={SEED["tokens"][1]["pat_id"]}')
        equal(len(world.json('pat', 'list')), 2)
        world.run('agent', 'access', 'grant', 'helper', '--vault-name=Home')
        world.failed('agent', 'monitor', says='name')
        equal(len(world.json('agent', 'monitor', 'helper', '--limit=1')), 1)
        world.run('agent', 'delete', 'helper')
        equal(world.json('agent', 'list'), [])
        world.failed('item', 'trash', '--item-title=Shop', says='default vault')
        world.run('settings', 'set', 'default-vault', scope)
        world.run('item', 'trash', '--item-title=Shop')
        check(WORK['share_id'] in world.run('settings', 'view'), 'set')
        world.run('settings', 'unset', 'default-vault')
        check('default_share_id: (none) (default)' in world.run('settings', 'view'), 'unset')


@test('memory: permissions and plans are kept')
def permissions():
    with World() as world:
        world.failed('vault', 'delete', '--vault-name=Garden', says='only valid for owners')
        world.failed('item', 'trash', '--vault-name=Garden', '--item-title=Seeds', says='cannot')
        shared = SEED['item_shares'][0]['share_id']
        equal(len(json.loads(world.run('item', 'list', '--output=json', f'--share-id={shared}'))
                  ['items']), 1)
        world.failed('item', 'create', 'note', '--title=x', f'--share-id={shared}',
                     says='item share')
        world.control(plan='Free')
        world.failed('vault', 'create', '--name=x', says='Cannot create a new vault (')
        world.failed('item', 'create', 'custom', *FROM, says='plan does not include',
                     stdin='{"title":"x"}')


@test('memory: twenty runs at once lose nothing')
def at_once():
    with World() as world, concurrent.futures.ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda n: world.run('vault', 'create', f'--name=v{n}').strip(),
                             range(20)))
        listed = {v['share_id'] for v in world.json('vault', 'list')['vaults']}
        equal(len(set(made)), 20, 'ids')
        check(set(made) <= listed, 'lost')
        equal(len(world.started()), 21)


@test('memory: the session folder is below the home when nothing names it')
def default_folder():
    with World() as world:
        world.run('vault', 'list', PROTON_PASS_SESSION_DIR='', HOME=world.dir)
        check(os.path.exists(f'{world.dir}/.local/share/proton-pass-cli/.session/state.json'), '')


# ---- what it prints ----

@test('output: lists hold summaries; --show-secrets and older versions whole items')
def lists():
    with World() as world:
        listed = world.json('item', 'list', 'Work')
        check('S3cret' not in json.dumps(listed), 'a secret')
        equal(set(listed['items'][0]), {'id', 'share_id', 'vault_id', 'state', 'flags',
                                        'create_time', 'modify_time', 'title', 'item_type'})
        check('S3cret' in json.dumps(world.json('item', 'list', 'Work', '--show-secrets')), 'none')
        world.control(legacy=True)
        check('content' in world.json('item', 'list', 'Work')['items'][0], 'whole')
        world.control(items=5000)
        listed = world.json('item', 'list', '--sort-by=alphabetic-desc', 'Work')['items']
        equal((len(listed), listed[0]['title']), (5000, 'Item 05000'))


@test('output: fields are raw values, found by name, section and query')
def fields():
    cases = {'pin': standin.PIN, 'LONG': standin.LONG_NUMBER, 'username': 'ada',
             'urls': 'https://shop.example.invalid,https://www.example.invalid'}
    with World() as world:
        world.control(now=59)
        for name, value in cases.items():
            equal(world.run('item', 'view', f'pass://Work/Shop/{name}'), value + '\n')
            equal(world.run('item', 'view', '--vault-name=Work', '--item-title=Shop',
                            f'--field={name}', '--output=json'), value + '\n')
        equal(world.run('item', 'view', 'pass://Work/Box/Section%201.Code'), 'S3cret-custom\n')
        equal(world.run('item', 'view', f'pass://{DASHED["share_id"]}/{DASHED["id"]}/password'),
              '-S3cret-dashed\n')
        world.failed('item', 'view', f'pass://Work/{SHOP["id"]}', says='No item found with title')
        world.failed('item', 'view', 'pass://Work/Shop/', says='reference')
        world.failed('item', 'view', 'pass://Work/Shop/none', says='not found in item')
        world.failed('item', 'view', 'pass://None/Shop', says='Could not find vault')
        check(standin.SEEDS[1] in world.run('item', 'view',
                                            'pass://Work/Shop/Second%20factor?totp=uri'), 'seed')
        codes = world.json('item', 'totp', 'pass://Work/Shop')
        equal(sorted(codes), ['Second factor', 'totp', 'totp_uri'])
        world.failed('item', 'totp', 'pass://Work/Diary', says='No TOTP fields found')


@test('output: codes are those of RFC 6238')
def codes():
    seed = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'   # base32 of the RFC's 12345678901234567890
    with World() as world:
        for now, code in ((59, '94287082'), (1111111109, '07081804'), (20000000000, '65353130')):
            world.control(now=now)
            uri = f'otpauth://totp/x?secret={seed}&digits=8'
            equal(world.json('totp', 'generate', uri), {'token': code})
            equal(world.json('totp', 'generate', seed.lower()), {'token': code[2:]})
        world.failed('totp', 'generate', 'not base 32!', says='Invalid secret')


@test('output: shapes of the rest; the saved format counts only without --output')
def shapes():
    with World() as world:
        equal(world.run('--version'), 'Proton Pass CLI 2.2.1 (abc1234)\n')
        equal(world.run('test'), 'Connection successful\n')
        equal(set(json.loads(world.run('password', 'score', '--output=json', '--', '-x'))),
              {'numeric_score', 'password_score', 'penalties'})
        equal(len(world.json('password', 'generate', 'random', '--length=30')['password']), 30)
        made = json.loads(world.run('item', 'alias', 'create', '--vault-name=Work',
                                    '--prefix=shop', '--output=json'))
        equal(set(made), {'id', 'alias'})
        world.run('settings', 'set', 'default-format', 'json')
        json.loads(world.run('vault', 'list'))
        check(not world.run('vault', 'list', '--output=human').startswith('{'), 'human')
        target = os.path.join(world.dir, 'file')
        progress = world.run('item', 'attachment', 'download', f'--share-id={WORK["share_id"]}',
                             f'--item-id={SHOP["id"]}', f'--output={target}',
                             f'--attachment-id={SHOP["attachments"][0]["id"]}')
        equal(len(progress.splitlines()), 10)
        with open(target, encoding='utf-8') as f:
            equal(f.read(), 'S3cret-file')
        done = world.raw('item', 'update', '--vault-name=Work', '--item-title=Shop',
                         '--field=username=eve')
        check(b'username' in done.stdout and b'eve' not in done.stdout and done.stderr, done)


@test('inject: references become secrets, modes are octal only with a leading 0')
def inject():
    with World() as world:
        source, target = (os.path.join(world.dir, name) for name in ('in', 'out'))
        with open(source, 'w', encoding='utf-8') as f:
            f.write('a={{ pass://Work/Shop/password }} b={{pass://Work/Shop/pin}} pass://x')
        rendered = f'a=S3cret-login-password b={standin.PIN} pass://x'
        equal(world.run('inject', f'--in-file={source}'), rendered)
        words = ('inject', f'--in-file={source}', f'--out-file={target}')
        equal(world.run(*words), '')
        equal(os.stat(target).st_mode & 0o7777, 0o600)
        world.failed(*words, says='Output file already exists')
        world.run(*words, '--force', '--file-mode=600')
        equal(os.stat(target).st_mode & 0o7777, 0o1130)
        with open(target, encoding='utf-8') as f:
            equal(f.read(), rendered)


@test('run: references in env files, both streams on stdout, masks, its status')
def run_program():
    with World() as world:
        path = os.path.join(world.dir, 'env')
        with open(path, 'w', encoding='utf-8') as f:
            f.write('# c\nA=pass://Work/Shop/password\nB=pass://Work/Shop/pin\nC=x pass://y/z\n')
        words = ('sh', '-c', 'echo "$A $B $C" >&2; exit 3')
        done = world.raw('run', f'--env-file={path}', '--', *words)
        equal((done.returncode, done.stderr), (3, b''))
        equal(done.stdout.decode(), f'<concealed by Proton Pass> {standin.PIN} x pass://y/z\n')
        done = world.raw('run', f'--env-file={path}', '--no-masking', '--', *words)
        check(b'S3cret-login-password' in done.stdout, done)
        equal(world.raw('run', '--', 'sh', '-c', 'kill -9 $$').returncode, 255)
        equal(world.run('run', '--', 'echo', '--output', 'json'), '--output json\n')
        world.failed('run', '--', '/nonexistent/x', says='Error running command')


# ---- its ways to fail ----

@test('failures: each class, each text, in the shape of the real program')
def failures():
    with World() as world:
        for name, texts in standin.FAILURES.items():
            for number, (top, causes) in enumerate(texts):
                world.control(fail=f'{name}/{number}', on='vault')
                world.failed('vault', 'list', says=f'Error: {top}')
                done = world.raw('vault', 'list')
                check(all(c.encode() in done.stderr for c in causes), name, number)
        world.run('share', 'list')
        world.control(fail={'stdout': 'o', 'stderr': 'e', 'exit': 7})
        done = world.raw('test')
        equal((done.returncode, done.stdout, done.stderr), (7, b'o', b'e'))
        world.control(fail='NETWORK_ERROR', after=True)
        world.failed('vault', 'create', '--name=made all the same')
        world.control()
        check('made all the same' in world.run('vault', 'list'), 'not made')


@test('failures: sessions of tokens and agents, and none')
def sessions():
    with World() as world:
        world.control(session='none')
        world.failed('vault', 'list', says='requires an authenticated client')
        world.json('password', 'generate', 'random')
        world.control(session='token')
        world.failed('pat', 'list', says='Cannot manage or act on')
        equal(world.json('info')['id'], 'N/A')
        world.control(session='agent')
        view = ('item', 'view', '--vault-name=Work', '--item-title=Shop')
        world.failed(*view, says='PROTON_PASS_AGENT_REASON')
        world.failed(*view, says='PROTON_PASS_AGENT_REASON', PROTON_PASS_AGENT_REASON='x' * 301)
        world.run(*view, PROTON_PASS_AGENT_REASON='why')
        equal(world.started()[-1]['reason'], 'why')
        equal(world.json('agent', 'monitor')[-1]['payload']['reason'], 'why')
        world.run('vault', 'list')
        world.failed('item', 'trash', '--vault-name=Work', '--item-title=Shop', says='REASON')
        equal(world.json('item', 'list', 'Work')['items'][0]['state'], 'Trashed', 'it acted first')


@test('failures: noise on stderr, floods, versions and other output on demand')
def noise():
    with World() as world:
        world.control(ansi=True, lock_hint=True, bytes=True)
        noise_ = world.raw('vault', 'list').stderr
        check(b'\x1b[31mERROR' in noise_ and b'\xff' in noise_ and b'locks' in noise_, noise_)
        check(b'\x1b' not in world.raw('vault', 'list', NO_COLOR='1').stderr, 'coloured')
        world.control(flood=1 << 20, version='1.6.1', print={'invite list': 'No invites\n'})
        check(len(world.run('vault', 'list')) > 1 << 20, 'no flood')
        equal(world.run('--version'), 'Proton Pass CLI 1.6.1 (abc1234)\n')
        check(world.run('invite', 'list').startswith('No invites\n'), 'print')


@test('failures: what asks on a terminal fails without one')
def terminals():
    with World() as world:
        for command in ('login', 'session unlock', 'ssh-agent start', 'update'):
            world.failed(*command.split(), says='terminal')


def attempt(function):
    """None, or what went wrong."""
    try:
        function()
    except Exception:   # a test that broke is a test that failed
        return traceback.format_exc()
    return None


def main():
    print(f'1..{len(TESTS)}', flush=True)
    failed = 0
    subprocess.run([PROGRAM, '--compile', FAST], env={'PATH': PATH}, check=True)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        faults = pool.map(attempt, [function for _, function in TESTS])
        for number, fault in enumerate(faults, 1):
            print(f'{"not ok" if fault else "ok"} {number} - stand-in: {TESTS[number - 1][0]}',
                  flush=True)
            for line in (fault or '').splitlines():
                print(f'# {line}')
            failed += fault is not None
    shutil.rmtree(os.path.dirname(FAST))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
