# SPDX-License-Identifier: MIT
"""The pass surface, reading: numbers are those of section 6 of the pass specification."""

import json

from pass_world import (BO, DASH, DASHED, DASHED_TOKEN, GARDEN, HOME, ITEMS, MEMBERS, SECRETS, SHOP,
                        TOKEN, WORK, Case, Pass, add_cases, hold_modern, standin)
from stile import check, code_of, equal, test, text_of, value_of

KEYS = {'id', 'share_id', 'vault_id', 'type', 'title', 'display_title', 'state', 'create_time',
        'modify_time', 'uri'}
INVITE_KEYS = {'id', 'type', 'target_name', 'inviter', 'role', 'state', 'create_time'}
MEMBER_KEYS = {'id', 'username', 'email', 'role', 'state', 'create_time'}
BAD = 'INVALID_ARGUMENT'
LIST = 'item list --output=json'
HOME_LIST = f'item list --share-id={HOME} --output=json'


def printed(command, value):
    """Makes the stand-in print this in place of its own output."""
    return {'print': {command: value if isinstance(value, str) else json.dumps(value)}}


def listed(*entries):
    return printed('item list', {'items': list(entries)})


def titles(*wanted):
    return {'items': lambda items: [i['title'] for i in items] == list(wanted)}


def all_keys(keys):
    return lambda items: items and all(set(i) == keys for i in items)


def legacy_item(kind, title='t', **more):
    return {'id': 'i', 'share_id': 's', 'content': {'title': title, 'note': 'S3cret', 'content': {
        kind: {'password': 'S3cret'}}}, **more}


def no_secret(text):
    return not any(secret in text.encode() for secret in SECRETS)


CASES = [
    # ---- list ----
    Case('pass 1 list_items with both selectors is refused', 'list_items',
         {'shareId': WORK, 'vaultName': 'Work'}, code=BAD),
    Case('pass 2 list_items without a selector is refused', 'list_items', {}, code=BAD),
    Case('pass 2 an empty selector is no selector', 'list_items', {'shareId': '', 'vaultName': ''},
         code=BAD),
    Case('pass 3 list_items by share id, with filters and sort', 'list_items',
         {'shareId': WORK, 'filterType': 'login', 'filterState': 'active',
          'sortBy': 'alphabetic-desc'},
         f'item list --share-id={WORK} --filter-type=login --filter-state=active '
         '--sort-by=alphabetic-desc --output=json', titles('Shop', '-dashed', None)),
    Case('pass 4 list_items by vault name: the name alone stands behind --', 'list_items',
         {'vaultName': 'Work'}, f'{LIST} -- Work', {'total': 11}),
    Case('pass 5 130 entries come in pages of 100', 'list_items', {'vaultName': 'Work'},
         f'{LIST} -- Work', {'pageSize': 100, 'cursor': '0', 'returned': 100, 'total': 130,
                             'nextCursor': '100'}, control={'items': 130}),
    Case('pass 6 pass 100 whole items of old versions become ten keys', 'list_items',
         {'vaultName': 'Work'}, f'{LIST} -- Work',
         {'items': all_keys(KEYS), 'total': 11}, text=no_secret, control={'legacy': True}),
    Case('pass 7 the third page of twenty, with addresses from the entry\'s share', 'list_items',
         {'shareId': HOME, 'pageSize': 20, 'cursor': '40'},
         HOME_LIST,
         {'cursor': '40', 'nextCursor': '60', 'returned': 20, 'total': 75, 'items': lambda items:
          items[0]['title'] == 'Item 00041' and items[-1]['title'] == 'Item 00060'
          and all(i['uri'] == f'pass://{HOME}/{i["id"]}' for i in items)}, control={'items': 75}),
    Case('pass 8 nested ids are read; without a title the label says so', 'list_items',
         {'shareId': HOME}, HOME_LIST,
         {'items': [{'id': 'item-long-id', 'share_id': 's1', 'vault_id': 'v1', 'title': None,
                     'display_title': '[untitled:item-lon]', 'uri': 'pass://s1/item-long-id'},
                    {'id': 'short', 'share_id': 's2', 'vault_id': 'v2',
                     'display_title': '[untitled:short]'}]},
         control=listed({'item_id': 'item-long-id', 'share': {'id': 's1'}, 'vault': {'id': 'v1'}},
                        {'id': 'short', 'share': {'share_id': 's2'}, 'vault': {'vault_id': 'v2'},
                         'title': '  '})),
    Case('pass 9 the type is the single key below content', 'list_items', {'shareId': HOME},
         HOME_LIST,
         {'items': lambda items: [i['type'] for i in items]
          == ['login', 'credit-card', 'ssh-key', 'wifi']}, text=no_secret,
         control=listed(*map(legacy_item, ('Login', 'CreditCard', 'SSHKey', 'Wifi')))),
    Case('pass 10 camelCase keys are not read; no share, no address', 'list_items',
         {'shareId': HOME}, HOME_LIST,
         {'items': [dict.fromkeys(KEYS - {'id', 'display_title'}) | {'id': 'i'}]},
         control=listed({'id': 'i', 'shareId': 's', 'vaultId': 'v', 'createTime': 't',
                         'modifyTime': 't', 'itemType': 'login'})),
    Case('pass 11 unknown types become kebab-case', 'list_items', {'shareId': HOME},
         HOME_LIST,
         {'items': [{'type': 'my-custom-type'}, {'type': 'other-type'}]},
         control=listed(legacy_item('MyCustomType'), {'id': 'j', 'item_type': 'other_type'})),
    Case('pass 11 types in any spelling are one of the eight', 'list_items', {'shareId': HOME},
         HOME_LIST, {'items': lambda items: [i['type'] for i in items] == [
             'ssh-key', 'credit-card', 'credit-card', 'ssh-key', 'wifi', 'wifi', 'alias']},
         control=listed(*({'id': 'i', 'item_type': kind} for kind in (
             'sshkey', 'creditcard', 'CREDIT_CARD', 'Ssh Key', 'WIFI', 'Wifi', 'ALIAS')))),
    Case('pass 8 a list on the top level', 'list_items', {'shareId': HOME}, HOME_LIST,
         {'items': [{'id': 'a'}], 'total': 1}, control=printed('item list', [{'id': 'a'}])),
    Case('pass 8 a list under the only member that holds one', 'list_items', {'shareId': HOME},
         HOME_LIST, {'items': [{'id': 'a'}]},
         control=printed('item list', {'count': 1, 'entries': [{'id': 'a'}]})),
    Case('pass 12 a cursor that is not digits is refused before anything runs', 'list_items',
         {'vaultName': 'Work', 'cursor': '1x'}, code=BAD),
    Case('pass 13 human output is accepted and ignored, also with pages', 'list_items',
         {'vaultName': 'Work', 'output': 'human', 'pageSize': 1}, f'{LIST} -- Work',
         {'returned': 1, 'items': all_keys(KEYS)}, text=no_secret),
    Case('pass 14 search ignores case, counts matches, pages them, skips untitled', 'search_items',
         {'query': 'sho', 'vaultName': 'Work', 'pageSize': 1, 'cursor': '1'}, f'{LIST} -- Work',
         {**titles('Old shop'), 'total': 2, 'nextCursor': None,
          'queryMeta': {'field': 'title', 'match': 'contains', 'caseSensitive': False}}),
    Case('pass 15 search exactly and by case, with filters, sort and vault name', 'search_items',
         {'query': 'Shop', 'match': 'exact', 'caseSensitive': True, 'vaultName': 'Work',
          'filterType': 'login', 'filterState': 'active', 'sortBy': 'created-asc'},
         'item list --filter-type=login --filter-state=active --sort-by=created-asc --output=json '
         '-- Work', {**titles('Shop'), 'queryMeta': {'match': 'exact', 'caseSensitive': True}}),
    Case('pass 15 search is by the whole of Unicode, and the query is not trimmed', 'search_items',
         {'query': 'ÄPFEL ', 'shareId': HOME}, HOME_LIST,
         titles('rote äpfel und'),
         control=listed({'id': 'a', 'title': 'rote äpfel und'}, {'id': 'b', 'title': ' äpfel '},
                        {'id': 'c', 'title': 'apfel '})),
    Case('pass 16 search with both selectors is refused', 'search_items',
         {'query': 'x', 'shareId': WORK, 'vaultName': 'Work'}, code=BAD),
    Case('pass 17 pass 18 invites are seven keys; the token is nowhere', 'list_invites',
         {'pageSize': 1, 'cursor': '1'}, 'invite list --output=json',
         {'items': [{'id': 'invite-2', 'type': 'item', 'inviter': 'cy@example.invalid',
                     'target_name': None, 'role': None, 'state': None, 'create_time': None}],
          'total': 2, 'nextCursor': None}, text=no_secret),
    Case('pass 17 invites: every name that a key may come from', 'list_invites', {},
         'invite list --output=json',
         {'items': [{'id': 'i', 'type': 'vault', 'target_name': 't', 'inviter': 'e',
                     'role': 'Editor', 'state': 'pending', 'create_time': 'now'}]},
         control=printed('invite list', {'invitations': [
             {'invite_id': 'i', 'share_type': 'vault', 'resource_name': 't', 'inviter_email': 'e',
              'share_role': 'Editor', 'status': 'pending', 'invite_time': 'now'}]})),
    Case('pass 19 an invite with a token alone gets its place as id', 'list_invites', {},
         'invite list --output=json', {'items': [dict.fromkeys(INVITE_KEYS) | {'id': 'invite-1'}]},
         text=no_secret, control=printed('invite list', [{'token': 'S3cret'}])),
    Case('pass 20 a bad cursor of invites is refused', 'list_invites', {'cursor': '-1'}, code=BAD),
    Case('pass 21 invites that are no JSON come back as text', 'list_invites', {},
         'invite list --output=json', text='No pending invites',
         control=printed('invite list', 'No pending invites\n')),
    Case('pass 22 members of a vault: both selectors refused', 'list_vault_members',
         {'shareId': WORK, 'vaultName': 'Work'}, code=BAD),
    Case('pass 23 members of a vault: keys, page, scope, roles of their own', 'list_vault_members',
         {'vaultName': 'Work', 'pageSize': 3, 'cursor': '1'},
         'vault member list --vault-name=Work --output=json',
         {'items': [{'id': BO, 'username': 'Bo', 'email': 'bo@example.invalid', 'role': 'Viewer',
                     'state': None, 'create_time': None}, {'id': MEMBERS[2]}, {'role': 'Custom'}],
          'total': 4, 'nextCursor': None, 'scope': {'vaultName': 'Work'}}),
    Case('pass 23 members of a vault by share id', 'list_vault_members', {'shareId': DASH},
         f'vault member list --share-id={DASH} --output=json',
         {'items': all_keys(MEMBER_KEYS), 'scope': {'shareId': DASH}}),
    Case('pass 23 members under another name', 'list_vault_members', {'vaultName': 'Work'},
         'vault member list --vault-name=Work --output=json',
         {'items': [{'id': 'm', 'username': 'n', 'email': 'e', 'role': 'Editor', 'state': 'x',
                     'create_time': 't'}]},
         control=printed('vault member list', {'vault_members': [
             {'member_id': 'm', 'display_name': 'n', 'user_email': 'e', 'share_role': 'Editor',
              'status': 'x', 'created_at': 't'}]})),
    Case('pass 24 members that are no JSON come back as text', 'list_vault_members',
         {'vaultName': 'Work'}, 'vault member list --vault-name=Work --output=json',
         text='Nobody here', control=printed('vault member list', 'Nobody here\n\n')),
    Case('pass 25 pass defect 2 list_shares of items', 'list_shares', {'onlyItems': True},
         'share list --only-items=true --output=json',
         {'shares': [{'name': 'Seeds', 'share_type': 'Item'}]}),
    Case('pass 25 pass defect 2 list_shares of vaults', 'list_shares',
         {'onlyVaults': True, 'onlyItems': False}, 'share list --only-vaults=true --output=json',
         {'shares': lambda shares: {x['share_type'] for x in shares} == {'Vault'}}),
    Case('pass 26 both filters of shares are refused', 'list_shares',
         {'onlyItems': True, 'onlyVaults': True}, code=BAD),
    Case('pass 27 vaults', 'list_vaults', {}, 'vault list --output=json',
         {'vaults': lambda vaults: [v['name'] for v in vaults]
          == ['Work', 'Home', '-dash', 'Garden']}),
    Case('pass 28 members of an item', 'list_item_members', {'shareId': WORK, 'itemId': SHOP},
         f'item member list --share-id={WORK} --item-id={SHOP} --output=json',
         {'members': [{'name': 'Bo', 'role': 'Editor'}]}),

    # ---- read ----
    Case('pass 29 session info', 'view_session_info', {'output': 'human'}, 'info --output=json',
         {'release_track': 'stable', 'username': 'ada'}),
    Case('pass 29 session info of an agent', 'view_session_info', {}, 'info --output=json',
         {'id': 'N/A', 'personal_access_token_name': '[Agent] helper'},
         control={'session': 'agent'}),
    Case('pass 30 user info', 'view_user_info', {}, 'user info --output=json',
         {'plan': 'Pass Plus', 'vault_limit': None, 'storage_quota': 10737418240,
          'session_lock_after_seconds': 300}),
    Case('pass 31 settings that are JSON', 'view_settings', {}, 'settings view',
         {'settings': {'default_format': 'json'}},
         control=printed('settings view', {'default_format': 'json'})),
    Case('pass 32 pass 33 pass defect 16 settings in lines: unset is null', 'view_settings', {},
         'settings view', {'settings': {'default_share_id': None, 'default_format': 'human'},
                           'rawText': lambda text: text.startswith('Settings:')}),
    Case('pass 32 settings: bullets, names, words for nothing', 'view_settings', {},
         'settings view', {'settings': {'other_key': None, 'a_b': 'c: d', 'x': None, 'y': None}},
         control=printed('settings view', 'Head:\n - Other Key: NONE\n * a-b:  c: d \nx: null\n'
                         'y: (none)\nnothing:\n')),
    Case('pass 34 view_item without selectors is refused', 'view_item', {}, code=BAD),
    Case('pass 35 view_item with an address and a selector is refused', 'view_item',
         {'uri': 'pass://Work/Shop', 'itemId': SHOP}, code=BAD),
    Case('pass 36 view_item with two shares is refused', 'view_item',
         {'shareId': WORK, 'vaultName': 'Work', 'itemId': SHOP}, code=BAD),
    Case('pass 36 view_item with two items is refused', 'view_item',
         {'shareId': WORK, 'itemId': SHOP, 'itemTitle': 'Shop'}, code=BAD),
    Case('pass 37 view_item by address: all of it, without keys of files', 'view_item',
         {'uri': 'pass://Work/Shop'}, 'item view --output=json -- pass://Work/Shop',
         {'item': {'content': {'content': {'Login': {'password': 'S3cret-login-password'}}}},
          'attachments': lambda files: set(files[0])
          == {'id', 'size', 'encryption_version', 'content'}}),
    Case('pass 38 view_item by selectors, one field', 'view_item',
         {'vaultName': 'Work', 'itemTitle': 'Shop', 'field': 'password'},
         'item view --vault-name=Work --item-title=Shop --field=password --output=json',
         {'value': 'S3cret-login-password'}, text='S3cret-login-password'),
    Case('pass 39 generate_item_totp without selectors is refused', 'generate_item_totp', {},
         code=BAD),
    Case('pass 39 generate_item_totp with an address and a selector is refused',
         'generate_item_totp', {'uri': 'pass://Work/Shop', 'vaultName': 'Work'}, code=BAD),
    Case('pass 39 generate_item_totp with two items is refused', 'generate_item_totp',
         {'vaultName': 'Work', 'itemId': SHOP, 'itemTitle': 'Shop'}, code=BAD),
    Case('pass 40 generate_item_totp by address: all codes, the login\'s own once',
         'generate_item_totp', {'uri': 'pass://Work/Shop'},
         'item totp --output=json -- pass://Work/Shop',
         lambda codes: sorted(codes) == ['Second factor', 'totp'], control={'now': 59}),
    Case('pass 41 generate_item_totp by selectors', 'generate_item_totp',
         {'shareId': WORK, 'itemId': SHOP, 'field': 'Second factor'},
         ['item', 'totp', f'--share-id={WORK}', f'--item-id={SHOP}', '--field=Second factor',
          '--output=json'],
         {'value': standin.totp_code(standin.SEEDS[1], 59)}, control={'now': 59}),
    Case('pass 42 random password: booleans are words', 'generate_random_password',
         {'length': 40, 'numbers': False, 'uppercase': True, 'symbols': False},
         'password generate random --length=40 --numbers=false --uppercase=true --symbols=false '
         '--output=json', {'password': lambda text: len(text) == 40 and text.isalpha()}),
    Case('pass 43 passphrase', 'generate_passphrase',
         {'count': 3, 'separator': 'underscores', 'capitalize': False, 'numbers': False},
         'password generate passphrase --count=3 --separator=underscores --capitalize=false '
         '--numbers=false --output=json',
         {'password': lambda text: len(text.split('_')) == 3 and text.islower()}),
    Case('pass 44 score', 'score_password', {'password': '-abc'},
         'password score --output=json -- -abc', {'password_score': 'Vulnerable'}),
    Case('pass 45 a generated value', 'generate_random_password', {},
         'password generate random --output=json', {'password': lambda text: len(text) == 16},
         text=lambda text: len(json.loads(text)['password']) == 16),
    Case('pass 46 a code of a seed', 'generate_totp', {'secretOrUri': standin.SEEDS[0]},
         f'totp generate --output=json -- {standin.SEEDS[0]}',
         {'token': standin.totp_code(standin.SEEDS[0], 59)}, control={'now': 59}),

    # ---- what no upstream test pins ----
    Case('pass 98 a malformed entry keeps its place', 'list_items', {'shareId': HOME},
         HOME_LIST,
         {'items': [{'id': 'a'}, dict.fromkeys(KEYS - {'id', 'display_title'}) | {
             'id': 'item-2', 'display_title': '[untitled:item-2]'}, {'id': 'c'}]},
         control=listed({'id': 'a'}, 'no object', {'id': 'c'})),
    Case('pass 99 pass defect 4 types of summaries', 'list_items', {'vaultName': 'Work'},
         f'{LIST} -- Work', {'items': lambda items: {i['type'] for i in items} == {
             'login', 'note', 'credit-card', 'identity', 'ssh-key', 'wifi', 'alias', 'custom'}}),
    Case('pass 101 pass defect 5 a share id that begins with a dash', 'list_items',
         {'shareId': DASH}, f'item list --share-id={DASH} --output=json', titles('In dash')),
    Case('pass 101 pass defect 5 a vault name that begins with a dash', 'list_items',
         {'vaultName': '-dash'}, f'{LIST} -- -dash', titles('In dash')),
    Case('pass 101 pass defect 5 an item id that begins with a dash', 'view_item',
         {'shareId': WORK, 'itemId': DASHED, 'field': 'password'},
         f'item view --share-id={WORK} --item-id={DASHED} --field=password --output=json',
         {'value': '-S3cret-dashed'}),
    Case('pass 102 search without a scope is left to pass-cli', 'search_items', {'query': 'x'},
         LIST, code='CLI_FAILED'),
    Case('pass 103 pass defect 10 a PIN of 1.0 stays 1.0', 'view_item',
         {'uri': 'pass://Work/Shop/pin'}, 'item view --output=json -- pass://Work/Shop/pin',
         {'value': standin.PIN}, text=standin.PIN),
    Case('pass 103 pass defect 10 twenty digits stay twenty digits', 'view_item',
         {'vaultName': 'Work', 'itemTitle': 'Shop', 'field': 'long'},
         'item view --vault-name=Work --item-title=Shop --field=long --output=json',
         {'value': standin.LONG_NUMBER}, text=standin.LONG_NUMBER),
    Case('pass 103 a value loses one line end, no more', 'view_item',
         {'uri': 'pass://Work/Shop/pin'}, 'item view --output=json -- pass://Work/Shop/pin',
         {'value': ' {"a": 1} \n'}, control=printed('item view', ' {"a": 1} \n\n')),
    Case('pass 104 pass defect 11 an address and a field are refused', 'view_item',
         {'uri': 'pass://Work/Shop', 'field': 'password'}, code=BAD),
    Case('pass 111 tokens', 'list_personal_access_tokens', {}, 'pat list --output=json',
         {'tokens': [{'id': TOKEN, 'name': 'ci-bot', 'expire_time': 1798761600, 'is_agent': False},
                     {'id': DASHED_TOKEN, 'expire_time': None}, {'is_agent': True}]}),
    Case('pass 111 what a token reaches', 'list_personal_access_token_access',
         {'personalAccessTokenName': 'ci-bot'},
         'pat access list-access --personal-access-token-name=ci-bot --output=json',
         {'grants': [{'type': 'vault', 'vault_name': 'Work'},
                     {'type': 'item', 'item_title': 'Shop', 'item_id': SHOP}]}),
    Case('pass 111 what a token reaches, by id', 'list_personal_access_token_access',
         {'personalAccessTokenId': DASHED_TOKEN},
         f'pat access list-access --personal-access-token-id={DASHED_TOKEN} --output=json',
         {'grants': []}),
    Case('pass 111 a token must be named once', 'list_personal_access_token_access',
         {'personalAccessTokenId': TOKEN, 'personalAccessTokenName': 'ci-bot'}, code=BAD),
    Case('pass 111 a session of a token may not list tokens', 'list_personal_access_tokens', {},
         'pat list --output=json', code='PERMISSION_DENIED', control={'session': 'token'}),
    Case('pass agents', 'list_agents', {}, 'agent list --output=json',
         {'agents': [{'name': 'helper', 'expire_time': 1798761600}]}),
    Case('pass agents: what one did', 'view_agent_activity', {'name': 'helper', 'limit': 1},
         'agent monitor --limit=1 --output=json -- helper',
         {'records': [{'action': 'VaultUpdate', 'object_id': None, 'payload': None}]}),
    Case('pass agents: a reason reaches pass-cli', 'view_item',
         {'uri': 'pass://Work/Shop/pin', 'reason': 'nightly backup'},
         'item view --output=json -- pass://Work/Shop/pin', {'value': standin.PIN},
         reason='nightly backup', control={'session': 'agent'}),
    Case('pass agents: without a reason the refusal says so', 'view_item',
         {'uri': 'pass://Work/Shop/pin'}, 'item view --output=json -- pass://Work/Shop/pin',
         code='AGENT_REASON_REQUIRED', control={'session': 'agent'}),
    Case('pass defect 15 missing or empty arguments are none', 'list_vaults', {},
         'vault list --output=json', {'vaults': lambda vaults: len(vaults) == 4}),
    Case('pass one item share', 'list_items', {'shareId': standin.seed()['item_shares'][0]
                                               ['share_id']},
         f'item list --share-id={standin.seed()["item_shares"][0]["share_id"]} --output=json',
         {'items': [{'title': 'Seeds', 'share_id': GARDEN, 'id': ITEMS['Seeds']}]}),
]
add_cases(globals(), CASES)


@test('pass 12 cursors: digits only, leading zeros vanish, past the end is an empty page')
def cursors():
    with Pass() as box:
        server = box.legacy()
        for cursor, wanted in (('007', '7'), ('', '0'), ('11', '11'), ('99999999', '99999999')):
            page = value_of(server.call('list_items', {'vaultName': 'Work', 'cursor': cursor}))
            equal((page['cursor'], page['total'], page['nextCursor']), (wanted, 11, None), cursor)
        equal(code_of(server.call('list_items', {'vaultName': 'Work', 'cursor': '9' * 20})), BAD)
        started = len(box.runs())
        for wrong in ('+1', ' 1', '1.0', '9' * 21, 0, None):
            equal(code_of(server.call('list_items', {'vaultName': 'Work', 'cursor': wrong})), BAD,
                  wrong)
        for wrong in (0, 251, '20', 1.5, -1):
            equal(code_of(server.call('list_items', {'vaultName': 'Work', 'pageSize': wrong})),
                  BAD, wrong)
        equal(len(box.runs()), started, 'started')


@test('pass 47 text and structure say the same, on one line; values as they are')
def texts():
    with Pass() as box:
        server = box.legacy()
        for tool in ('list_vaults', 'list_shares', 'view_user_info', 'list_invites'):
            result = server.call(tool)
            value_of(result)
            check('\n' not in text_of(result), 'more than one line', text_of(result))


@test('pass 97 limits of the inputs')
def limits():
    long = {'shareId': 'x' * 101, 'vaultName': 'x' * 256}
    cases = [('list_items', {name: value}) for name, value in long.items()]
    cases += [('view_item', {'uri': 'pass://' + 'x' * 1018}),
              ('view_item', {'vaultName': 'W', 'itemTitle': 't', 'field': 'x' * 101}),
              ('search_items', {'query': ''}), ('search_items', {'query': 'x' * 256}),
              ('search_items', {'query': 'x', 'field': 'note'}),
              ('search_items', {'query': 'x', 'match': 'fuzzy'}),
              ('generate_random_password', {'length': 0}),
              ('generate_random_password', {'length': 1025}),
              ('generate_passphrase', {'separator': 'x'}), ('score_password', {'password': ''}),
              ('generate_totp', {'secretOrUri': 'x' * 4097}),
              ('list_items', {'vaultName': 'W', 'filterType': 'Login'}),
              ('list_items', {'vaultName': 'W', 'unknown': 1})]
    with Pass() as box:
        server = box.legacy()
        for tool, arguments in cases:
            equal(code_of(server.call(tool, arguments)), BAD, (tool, str(arguments)[:60]))
        equal(box.runs(), [], 'started')


@test('pass 21 a list of items that is no JSON is an error: raw output may hold secrets')
def no_json():
    with Pass(print={'item list': 'S3cret: all of it\n'}) as box:
        server = box.legacy()
        for tool, arguments in (('list_items', {}), ('search_items', {'query': 'x'})):
            result = server.call(tool, {'vaultName': 'Work', **arguments})
            equal(code_of(result), 'BAD_OUTPUT', tool)
            check('S3cret' not in json.dumps(result), 'raw output in the error')


@test('pass 1 to 46, 98 to 111: reading in the stateless era')
def modern():
    hold_modern(CASES)


@test('pass 13 pass defect 9 human output of 5000 whole items shows no secret')
def no_bypass():
    with Pass(items=5000, legacy=True) as box:
        server = box.legacy()
        result = server.call('list_items', {'vaultName': 'Work', 'output': 'human',
                                            'pageSize': 250, 'cursor': '4900'})
        equal((value_of(result)['returned'], value_of(result)['total']), (100, 5000))
        check(no_secret(json.dumps(result)), 'a secret')
