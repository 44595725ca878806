# SPDX-License-Identifier: MIT
"""The pass surface, writing: what each tool starts, and the gate before all of them. Numbers are
those of section 6 of the pass specification."""

import json
import os
import stat

from pass_world import (ALONE, ASKS, ATTACHMENT, BO, BO_ITEM, DASH, DASHED, DASHED_TOKEN, DESTROYS,
                        EXEC, GRANT, HOME, ITEMS, SHOP, TOKEN, WORK, WRITE, WRITES, Case, Pass,
                        add_cases, hold_modern, standin)
from situations_consent import YES, question, respond
from stile import check, code_of, equal, test, text_of

BAD = 'INVALID_ARGUMENT'
OK = {'status': 'ok', 'message': 'OK'}


def is_id(text):
    return standin.is_id(text)


def item(state, title, vault='Work'):
    """The content of the newest item of that title."""
    vaults = {v['vault_id']: v['name'] for v in state['vaults']}
    return [i for i in state['items']
            if i['content']['title'] == title and vaults[i['vault_id']] == vault][-1]


def inner(state, title, vault='Work'):
    return next(iter(item(state, title, vault)['content']['content'].values()))


def vault(state, name):
    return next((v for v in state['vaults'] if v['name'] == name), None)


def by_id(state, identity):
    return next((i for i in state['items'] if i['id'] == identity), None)


NEW_ID = {'status': 'ok', 'item_id': is_id, 'message': is_id}
SECTIONS = [{'section_name': 'S', 'fields': [
    {'field_name': 'F', 'field_type': 'hidden', 'value': '-S3cret-value'}]}]
LOGIN = {'title': '-T', 'username': None, 'password': '-S3cret-p', 'urls': ['-u']}
TO_FILE = {'in.tpl': 'key={{ pass://Work/Shop/password }}\n'}

CASES = [
    # ---- vaults ----
    Case('pass 63 create_vault: refused when confirm is false', 'create_vault',
         {'name': 'N', 'confirm': False}, code='WRITE_DECLINED'),
    Case('pass 63 create_vault', 'create_vault', {'name': '-New vault', 'confirm': True},
         ['vault', 'create', '--name=-New vault'],
         {'status': 'ok', 'share_id': is_id}, text=is_id,
         after=lambda s: vault(s, '-New vault')),
    Case('pass 63 create_vault: silence is OK', 'create_vault', {'name': 'N'},
         'vault create --name=N', OK, text='OK', control={'print': {'vault create': ''}}),
    Case('pass 64 update_vault: one scope, not two', 'update_vault',
         {'shareId': WORK, 'vaultName': 'Work', 'newName': 'N'}, code=BAD),
    Case('pass 64 update_vault: one scope, not none', 'update_vault', {'newName': 'N'}, code=BAD),
    Case('pass 64 update_vault by id', 'update_vault', {'shareId': DASH, 'newName': '-N'},
         f'vault update --share-id={DASH} --name=-N',
         {'status': 'ok', 'message': 'Updated vault'}, text='Updated vault',
         after=lambda s: vault(s, '-N')),
    Case('pass 64 update_vault by name', 'update_vault', {'vaultName': '-dash', 'newName': 'N'},
         'vault update --vault-name=-dash --name=N', after=lambda s: vault(s, 'N')),
    Case('pass 65 delete_vault: one scope', 'delete_vault', {}, code=BAD),
    Case('pass 65 delete_vault by id', 'delete_vault', {'shareId': DASH},
         f'vault delete --share-id={DASH}', {'status': 'ok', 'message': 'Vault deleted'},
         after=lambda s: not vault(s, '-dash')),
    Case('pass 65 delete_vault by name', 'delete_vault', {'vaultName': '-dash'},
         'vault delete --vault-name=-dash', after=lambda s: not vault(s, '-dash')),
    Case('pass 66 share_vault: one scope', 'share_vault', {'email': 'a@b.invalid'}, code=BAD),
    Case('pass 66 share_vault with a role', 'share_vault',
         {'vaultName': 'Work', 'email': '-new@x.invalid', 'role': 'editor'},
         'vault share --vault-name=Work --role=editor -- -new@x.invalid', OK, text='OK',
         after=lambda s: vault(s, 'Work')['members'][-1]['role'] == 'Editor'),
    Case('pass 66 share_vault without a role', 'share_vault',
         {'shareId': WORK, 'email': 'new@x.invalid'},
         f'vault share --share-id={WORK} -- new@x.invalid', OK),
    Case('pass 66 share_vault with what is no address', 'share_vault',
         {'shareId': WORK, 'email': 'new'}, code=BAD),
    Case('pass 67 transfer_vault', 'transfer_vault', {'vaultName': 'Work', 'memberShareId': BO},
         f'vault transfer --vault-name=Work -- {BO}', OK,
         after=lambda s: vault(s, 'Work')['members'][1]['role'] == 'Owner'),
    Case('pass 68 update_vault_member', 'update_vault_member',
         {'vaultName': 'Work', 'memberShareId': BO, 'role': 'manager'},
         f'vault member update --vault-name=Work --member-share-id={BO} --role=manager',
         {'status': 'ok'}, after=lambda s: vault(s, 'Work')['members'][1]['role'] == 'Manager'),
    Case('pass 68 update_vault_member needs a role', 'update_vault_member',
         {'vaultName': 'Work', 'memberShareId': BO}, code=BAD),
    Case('pass 68 remove_vault_member', 'remove_vault_member',
         {'shareId': WORK, 'memberShareId': BO},
         f'vault member remove --share-id={WORK} --member-share-id={BO}', {'status': 'ok'},
         after=lambda s: len(vault(s, 'Work')['members']) == 3),

    # ---- creating items ----
    Case('pass 69 create_login_item: both scopes refused', 'create_login_item',
         {'title': 't', 'shareId': WORK, 'vaultName': 'Work'}, code=BAD),
    Case('pass 69 create_login_item: a generated password', 'create_login_item',
         {'title': '-T', 'username': 'u', 'email': 'e', 'url': '-a', 'vaultName': 'Work',
          'generatePassword': 'true'},
         'item create login --vault-name=Work --title=-T --username=u --email=e --url=-a '
         '--generate-password', NEW_ID, text=is_id,
         after=lambda s: len(inner(s, '-T')['password']) == 16),
    Case('pass 69 pass defect 12 create_login_item: settings of a generated password',
         'create_login_item', {'title': 'T', 'vaultName': 'Work', 'generatePassword': '30,symbols'},
         'item create login --vault-name=Work --title=T --generate-password=30,symbols', NEW_ID,
         after=lambda s: len(inner(s, 'T')['password']) == 30),
    Case('pass 69 create_login_item: several addresses and a passphrase', 'create_login_item',
         {'title': 'T', 'vaultName': 'Work', 'urls': ['a', '-b'], 'generatePassphrase': '3'},
         'item create login --vault-name=Work --title=T --url=a --url=-b --generate-passphrase=3',
         NEW_ID, after=lambda s: inner(s, 'T')['urls'] == ['a', '-b']),
    Case('pass 69 create_login_item: the generated password wins', 'create_login_item',
         {'title': 'T', 'vaultName': 'Work', 'password': 'S3cret', 'generatePassword': '20'},
         'item create login --vault-name=Work --title=T --generate-password=20', NEW_ID,
         after=lambda s: len(inner(s, 'T')['password']) == 20),
    Case('pass 69 pass 110 create_login_item: a given password goes in on stdin',
         'create_login_item', {'title': '-T', 'username': 'u', 'email': '', 'url': 'a',
                               'password': '-S3cret-p', 'shareId': WORK},
         f'item create login --share-id={WORK} --from-template=-', NEW_ID,
         stdin={'title': '-T', 'username': 'u', 'password': '-S3cret-p', 'urls': ['a']},
         after=lambda s: inner(s, '-T')['password'] == '-S3cret-p'),
    Case('pass 69 create_login_item: empty texts are left out', 'create_login_item',
         {'title': '', 'username': '', 'password': '', 'url': '', 'email': '', 'shareId': WORK},
         f'item create login --share-id={WORK} --title=', NEW_ID),
    Case('pass 70 create_login_item_from_template: both scopes refused',
         'create_login_item_from_template',
         {'template': LOGIN, 'shareId': WORK, 'vaultName': 'Work'}, code=BAD),
    Case('pass 70 pass defect 1 create_login_item_from_template: as given, on stdin',
         'create_login_item_from_template', {'template': LOGIN, 'vaultName': 'Work'},
         'item create login --from-template=- --vault-name=Work', NEW_ID, stdin=LOGIN,
         after=lambda s: inner(s, '-T')['urls'] == ['-u']),
    Case('pass 71 create_note_item', 'create_note_item', {'title': '-T', 'vaultName': 'Work'},
         'item create note --vault-name=Work --title=-T', NEW_ID),
    Case('pass 71 pass 101 pass 110 create_note_item: a list of dashes, on stdin',
         'create_note_item', {'title': 'T', 'note': '- S3cret\n- b', 'shareId': WORK},
         f'item create note --share-id={WORK} --from-template=-', NEW_ID,
         stdin={'title': 'T', 'note': '- S3cret\n- b'},
         after=lambda s: item(s, 'T')['content']['note'] == '- S3cret\n- b'),
    Case('pass 72 pass 110 create_credit_card_item', 'create_credit_card_item',
         {'title': 'T', 'cardholderName': '-A', 'number': '4000 0012', 'cvv': '123', 'pin': '-0',
          'expirationDate': '2030-12', 'note': '', 'vaultName': 'Work'},
         'item create credit-card --vault-name=Work --from-template=-', NEW_ID,
         stdin={'title': 'T', 'cardholder_name': '-A', 'number': '4000 0012', 'cvv': '123',
                'expiration_date': '2030-12', 'pin': '-0', 'note': ''},
         after=lambda s: inner(s, 'T')['number'] == '40000012'),
    Case('pass 72 create_credit_card_item: a date of another form', 'create_credit_card_item',
         {'title': 'T', 'expirationDate': '12/2030'}, code=BAD),
    Case('pass 73 pass 110 create_wifi_item: an empty password is kept', 'create_wifi_item',
         {'title': 'T', 'ssid': '-S', 'password': '', 'security': 'wpa3', 'shareId': WORK},
         f'item create wifi --share-id={WORK} --from-template=-', NEW_ID,
         stdin={'title': 'T', 'ssid': '-S', 'password': '', 'security': 'wpa3'},
         after=lambda s: inner(s, 'T')['security'] == 'WPA3'),
    Case('pass 73 pass defect 3 create_wifi_item by vault name', 'create_wifi_item',
         {'title': 'T', 'ssid': 's', 'vaultName': 'Home'},
         'item create wifi --vault-name=Home --from-template=-', NEW_ID,
         stdin={'title': 'T', 'ssid': 's'}, after=lambda s: inner(s, 'T', 'Home')['ssid'] == 's'),
    Case('pass 74 pass defect 1 create_custom_item: nulls kept, on stdin', 'create_custom_item',
         {'template': {'title': 'T', 'note': None, 'sections': SECTIONS}, 'vaultName': 'Work'},
         'item create custom --from-template=- --vault-name=Work', NEW_ID,
         stdin={'title': 'T', 'note': None, 'sections': SECTIONS},
         after=lambda s: 'S3cret-value' in json.dumps(inner(s, 'T'))),
    Case('pass 74 create_custom_item: unknown keys are refused, at any level',
         'create_custom_item', {'template': {'title': 'T', 'sections': [
             {**SECTIONS[0], 'colour': 'red'}]}}, code=BAD),
    Case('pass 74 pass defect 1 create_identity_item: nulls kept, on stdin', 'create_identity_item',
         {'template': {'title': 'T', 'full_name': '-A', 'passport_number': None},
          'shareId': WORK}, f'item create identity --from-template=- --share-id={WORK}', NEW_ID,
         stdin={'title': 'T', 'full_name': '-A', 'passport_number': None},
         after=lambda s: inner(s, 'T')['full_name'] == '-A'),
    Case('pass 74 create_identity_item: unknown keys are refused', 'create_identity_item',
         {'template': {'title': 'T', 'nickname': 'x'}}, code=BAD),
    Case('pass 84 create_item_alias: both scopes refused', 'create_item_alias',
         {'prefix': 'p', 'shareId': WORK, 'vaultName': 'Work'}, code=BAD),
    Case('pass 84 create_item_alias', 'create_item_alias', {'prefix': 'p', 'vaultName': 'Work'},
         'item alias create --vault-name=Work --prefix=p --output=json',
         {'item_id': is_id, 'alias': lambda text: text.startswith('p.'), 'status': 'ok'}),

    # ---- the life of items ----
    Case('pass 75 move_item: one source', 'move_item', {'itemId': SHOP, 'toShareId': HOME},
         code=BAD),
    Case('pass 75 move_item: one destination', 'move_item',
         {'itemId': SHOP, 'fromShareId': WORK, 'toShareId': HOME, 'toVaultName': 'Home'}, code=BAD),
    Case('pass 75 move_item: one item', 'move_item',
         {'fromShareId': WORK, 'toShareId': HOME}, code=BAD),
    Case('pass 75 move_item', 'move_item',
         {'itemId': DASHED, 'fromShareId': WORK, 'toVaultName': '-dash'},
         f'item move --from-share-id={WORK} --item-id={DASHED} --to-vault-name=-dash', NEW_ID,
         after=lambda s: item(s, '-dashed', '-dash')['id'] != DASHED),
    Case('pass 76 trash_item', 'trash_item', {'shareId': WORK, 'itemId': SHOP},
         f'item trash --share-id={WORK} --item-id={SHOP}',
         {'status': 'ok', 'message': 'Item moved to trash'},
         after=lambda s: by_id(s, SHOP)['state'] == 'Trashed'),
    Case('pass 77 untrash_item', 'untrash_item', {'vaultName': 'Work', 'itemTitle': 'Old shop'},
         ['item', 'untrash', '--vault-name=Work', '--item-title=Old shop'], {'status': 'ok'},
         after=lambda s: item(s, 'Old shop')['state'] == 'Active'),
    Case('pass 78 update_item: one field each, in order; the summary of stderr is there',
         'update_item', {'shareId': WORK, 'itemId': SHOP, 'fields': ['username=-a=b', 'note=']},
         f'item update --share-id={WORK} --item-id={SHOP} --field=username=-a=b --field=note=',
         {'status': 'ok', 'message': 'Updated field username\nUpdated field note\n'
          'Item updated successfully'}, after=lambda s: inner(s, 'Shop')['username'] == '-a=b'),
    Case('pass 78 update_item: silence on stdout', 'update_item',
         {'vaultName': 'Work', 'itemTitle': 'Shop', 'fields': ['a=b']},
         'item update --vault-name=Work --item-title=Shop --field=a=b', {'status': 'ok'},
         text=lambda text: bool(text), control={'print': {'item update': ''}}),
    Case('pass 79 update_item: two scopes', 'update_item',
         {'shareId': WORK, 'vaultName': 'Work', 'itemId': SHOP, 'fields': ['a=b']}, code=BAD),
    Case('pass 79 update_item: two items', 'update_item',
         {'shareId': WORK, 'itemId': SHOP, 'itemTitle': 'Shop', 'fields': ['a=b']}, code=BAD),
    Case('pass 79 update_item: no item', 'update_item', {'shareId': WORK, 'fields': ['a=b']},
         code=BAD),
    Case('pass 79 update_item: no field', 'update_item',
         {'shareId': WORK, 'itemId': SHOP, 'fields': []}, code=BAD),
    Case('pass 80 delete_item', 'delete_item', {'shareId': WORK, 'itemId': DASHED},
         f'item delete --share-id={WORK} --item-id={DASHED}',
         {'status': 'ok', 'message': lambda text: DASHED in text},
         after=lambda s: not by_id(s, DASHED)),
    Case('pass 80 delete_item: silence is OK', 'delete_item', {'shareId': WORK, 'itemId': SHOP},
         f'item delete --share-id={WORK} --item-id={SHOP}', OK, text='OK',
         control={'print': {'item delete': ''}}),
    Case('pass 81 download_item_attachment: its output is a path', 'download_item_attachment',
         {'shareId': WORK, 'itemId': SHOP, 'attachmentId': ATTACHMENT, 'outputPath': '-codes'},
         ['item', 'attachment', 'download', f'--share-id={WORK}', f'--item-id={SHOP}',
          f'--attachment-id={ATTACHMENT}', '--output={root}/-codes'],
         {'status': 'ok', 'message': lambda text: len(text.splitlines()) == 10}),
    Case('pass 81 download_item_attachment: not outside the roots', 'download_item_attachment',
         {'shareId': WORK, 'itemId': SHOP, 'attachmentId': ATTACHMENT, 'outputPath': '/etc/x'},
         code=BAD),
    Case('pass 82 update_item_member', 'update_item_member',
         {'shareId': WORK, 'memberShareId': BO_ITEM, 'role': 'viewer'},
         f'item member update --share-id={WORK} --member-share-id={BO_ITEM} --role=viewer',
         {'status': 'ok'}, after=lambda s: by_id(s, SHOP)['members'][0]['role'] == 'Viewer'),
    Case('pass 82 remove_item_member', 'remove_item_member',
         {'shareId': WORK, 'memberShareId': BO_ITEM},
         f'item member remove --share-id={WORK} --member-share-id={BO_ITEM}', {'status': 'ok'},
         after=lambda s: not by_id(s, SHOP)['members']),
    Case('pass 83 share_item with a role', 'share_item',
         {'shareId': WORK, 'itemId': SHOP, 'email': 'n@x.invalid', 'role': 'manager'},
         f'item share --share-id={WORK} --item-id={SHOP} --role=manager -- n@x.invalid', OK),
    Case('pass 83 share_item without a role', 'share_item',
         {'shareId': WORK, 'itemId': SHOP, 'email': 'n@x.invalid'},
         f'item share --share-id={WORK} --item-id={SHOP} -- n@x.invalid', OK,
         after=lambda s: by_id(s, SHOP)['members'][-1]['role'] == 'Viewer'),

    # ---- files, programs, invites, settings ----
    Case('pass 85 inject: the secrets are the result', 'inject', {'inFile': 'in.tpl'},
         ['inject', '--in-file={root}/in.tpl'],
         {'message': 'key=S3cret-login-password'}, text='key=S3cret-login-password', files=TO_FILE),
    Case('pass 85 pass defect 13 inject into a file, with all options', 'inject',
         {'inFile': 'in.tpl', 'outFile': 'out', 'fileMode': '640', 'force': True},
         ['inject', '--in-file={root}/in.tpl', '--out-file={root}/out', '--file-mode=0640',
          '--force'], {'status': 'ok', 'message': lambda text: 'injected' in text},
         files={**TO_FILE, 'out': 'old'}),
    Case('pass 85 inject: a file that exists is a conflict', 'inject',
         {'inFile': 'in.tpl', 'outFile': 'out'},
         ['inject', '--in-file={root}/in.tpl', '--out-file={root}/out'], code='CONFLICT',
         files={**TO_FILE, 'out': 'old'}),
    Case('pass 85 inject: a mode that is none', 'inject', {'inFile': 'in.tpl', 'fileMode': '8'},
         code=BAD, files=TO_FILE),
    Case('pass 86 pass defect 6 run: the words behind -- are not touched', 'run',
         {'command': ['printf', '%s,', '--output', 'json', '--', '-x', 'a b'],
          'envFiles': ['a.env', 'b.env'], 'noMasking': True},
         ['run', '--env-file={root}/a.env', '--env-file={root}/b.env', '--no-masking', '--',
          'printf', '%s,', '--output', 'json', '--', '-x', 'a b'],
         {'exit_code': 0, 'stdout': '--output,json,--,-x,a b,', 'stderr': ''},
         files={'a.env': 'A=1\n', 'b.env': 'A=2\n'}),
    Case('pass 87 pass defect 2 accept_invite', 'accept_invite',
         {'inviteToken': 'S3cret-invite-vault'}, 'invite accept -- S3cret-invite-vault', OK,
         after=lambda s: vault(s, 'Orchard')),
    Case('pass 87 pass defect 2 reject_invite', 'reject_invite',
         {'inviteToken': '-S3cret-invite-item'}, 'invite reject -- -S3cret-invite-item', OK,
         after=lambda s: len(s['invites']) == 1),
    Case('pass 88 set_default_vault: one scope', 'set_default_vault', {}, code=BAD),
    Case('pass 88 set_default_vault by name', 'set_default_vault', {'vaultName': '-dash'},
         'settings set default-vault --vault-name=-dash', {'status': 'ok'},
         after=lambda s: s['settings']['default_share_id'] == DASH),
    Case('pass 88 set_default_vault by id', 'set_default_vault', {'shareId': DASH},
         f'settings set default-vault --share-id={DASH}', {'status': 'ok'},
         after=lambda s: s['settings']['default_share_id'] == DASH),
    Case('pass 88 unset_default_vault', 'unset_default_vault', {},
         'settings unset default-vault', {'status': 'ok'}),

    # ---- tokens and agents ----
    Case('pass 111 delete_personal_access_token', 'delete_personal_access_token',
         {'personalAccessTokenId': DASHED_TOKEN},
         f'pat delete --personal-access-token-id={DASHED_TOKEN}', {'status': 'ok'},
         after=lambda s: len(s['tokens']) == 2),
    Case('pass 111 grant_personal_access_token_access', 'grant_personal_access_token_access',
         {'personalAccessTokenId': TOKEN, 'shareId': WORK, 'itemTitle': 'Shop', 'role': 'editor'},
         f'pat access grant --personal-access-token-id={TOKEN} --share-id={WORK} --item-title=Shop '
         '--role=editor', {'status': 'ok'},
         after=lambda s: s['tokens'][0]['grants'][-1]['item_title'] == 'Shop'),
    Case('pass 111 grant_personal_access_token_access: one vault',
         'grant_personal_access_token_access', {'personalAccessTokenId': TOKEN}, code=BAD),
    Case('pass 111 grant_personal_access_token_access: at most one item',
         'grant_personal_access_token_access', {'personalAccessTokenId': TOKEN, 'shareId': WORK,
                                                'itemId': 'a', 'itemTitle': 'b'}, code=BAD),
    Case('pass 111 revoke_personal_access_token_access', 'revoke_personal_access_token_access',
         {'personalAccessTokenName': 'ci-bot', 'shareId': GRANT},
         f'pat access revoke --personal-access-token-name=ci-bot --share-id={GRANT}',
         {'status': 'ok'}, after=lambda s: len(s['tokens'][0]['grants']) == 1),
    Case('pass agents: grant', 'grant_agent_access', {'name': 'helper', 'vaultName': 'Home'},
         'agent access grant --vault-name=Home -- helper', {'status': 'ok'},
         after=lambda s: s['tokens'][2]['grants'][0]['vault_name'] == 'Home'),
    Case('pass agents: revoke what is not there', 'revoke_agent_access',
         {'name': 'helper', 'shareId': 'g'}, 'agent access revoke --share-id=g -- helper',
         code='NOT_FOUND'),
    Case('pass agents: delete', 'delete_agent', {'name': 'helper'}, 'agent delete -- helper',
         {'status': 'ok'}, after=lambda s: len(s['tokens']) == 2),
    Case('pass agents: trash happens, then the missing reason is an error', 'trash_item',
         {'shareId': WORK, 'itemId': SHOP}, f'item trash --share-id={WORK} --item-id={SHOP}',
         code='AGENT_REASON_REQUIRED', control={'session': 'agent'},
         after=lambda s: by_id(s, SHOP)['state'] == 'Trashed'),
    Case('pass agents: the reason of a write', 'delete_item',
         {'shareId': WORK, 'itemId': SHOP, 'reason': 'stale'},
         f'item delete --share-id={WORK} --item-id={SHOP}', {'status': 'ok'}, reason='stale',
         control={'session': 'agent'}),
]
add_cases(globals(), CASES)


@test('pass 63 to 88, 110, 111: writing in the stateless era')
def modern():
    hold_modern(CASES)


# ---- the gate ----

# One accepted call a tool.
EXAMPLES = {c.tool: c for c in reversed(CASES) if c.code is None and not c.control}
MISSING = set(WRITES + DESTROYS) - set(EXAMPLES) - {'revoke_agent_access', 'delete_agent'}
HARMLESS = {'name': 'helper', 'shareId': 'g'}


def example(tool):
    if tool in EXAMPLES:
        return EXAMPLES[tool].arguments
    return {k: HARMLESS[k] for k in ('name', 'shareId')[:2 if tool.startswith('revoke') else 1]}


def prepare(box):
    for name, text in {**TO_FILE, 'a.env': '', 'b.env': ''}.items():
        box.write(name, text)


@test('pass 61 without --allow-write every tool that changes something is refused')
def writes_off():
    with Pass() as box:
        prepare(box)
        box.waive(*WRITES, *DESTROYS)
        server = box.legacy(*EXEC, '--allow-noninteractive-write', 'pass', capabilities=ASKS)
        for tool in WRITES + DESTROYS:
            for confirm in ({}, {'confirm': True}):
                result = server.call(tool, {**example(tool), **confirm})
                equal(code_of(result), 'WRITE_DISABLED', tool)
        equal(box.runs(), [], 'started')
        equal({r['code'] for r in box.rows('refusal')}, {'WRITE_DISABLED'})
        equal(server.notes('elicitation/create'), [], 'questions')


@test('pass 61 writing is off until ALLOW_WRITE is exactly 1')
def allow_write_variable():
    for value, code in (('1', 'WRITE_CONFIRMATION_UNAVAILABLE'), ('true', 'WRITE_DISABLED'),
                        ('0', 'WRITE_DISABLED'), ('', 'WRITE_DISABLED')):
        with Pass() as box:
            server = box.legacy(env=box.env(ALLOW_WRITE=value))
            equal(code_of(server.call('create_vault', {'name': 'N'})), code, value)
            equal(box.runs(), [], value)


@test('pass 62 ALLOW_NONINTERACTIVE_WRITE runs what only writes, and nothing that destroys')
def noninteractive_variable():
    with Pass() as box:
        server = box.legacy(env=box.env(ALLOW_WRITE='1', ALLOW_NONINTERACTIVE_WRITE='1'))
        check(not server.call('create_vault', {'name': 'N'}).get('isError'), 'runs')
        equal(code_of(server.call('delete_vault', {'vaultName': 'N'})),
              'WRITE_CONFIRMATION_UNAVAILABLE')
        equal(len(box.runs()), 1)
    with Pass() as box:
        server = box.legacy(env=box.env(ALLOW_NONINTERACTIVE_WRITE='1'))
        equal(code_of(server.call('create_vault', {'name': 'N'})), 'WRITE_DISABLED')


@test('pass 62 the matrix: every writing tool, a client that cannot be asked')
def cannot_ask():
    with Pass() as box:
        prepare(box)
        server = box.legacy(*WRITE, *EXEC)
        for tool in WRITES + DESTROYS:
            equal(code_of(server.call(tool, {**example(tool), 'confirm': True})),
                  'WRITE_CONFIRMATION_UNAVAILABLE', tool)
        equal(box.runs(), [], 'started')
        equal(len(box.rows('refusal')), len(WRITES + DESTROYS))
        equal(box.rows('intent'), [])


@test('pass 62 the matrix: every writing tool, a person who says no, a veto of the model')
def declined():
    with Pass() as box:
        prepare(box)
        server = box.legacy(*ALONE, *EXEC, capabilities=ASKS)
        for number, tool in enumerate(WRITES + DESTROYS, 1):
            call = server.start(tool, example(tool))
            respond(server, question(server, number), result={'action': 'decline'})
            equal(code_of(server.answer(call)['result']), 'WRITE_DECLINED', tool)
            vetoed = server.call(tool, {**example(tool), 'confirm': False})
            equal(code_of(vetoed), 'WRITE_DECLINED', tool)
        equal(box.runs(), [], 'started')
        equal(len(server.notes('elicitation/create')), len(WRITES + DESTROYS), 'questions')


@test('pass 62 the matrix: a person says yes, in both eras, and it runs once')
def accepted():
    with Pass() as box:
        server = box.legacy(*WRITE, capabilities=ASKS)
        call = server.start('trash_item', {'shareId': WORK, 'itemId': SHOP})
        asked = question(server, 1)
        equal(box.runs(), [], 'started before the answer')
        check('trash' in asked['params']['message'], asked)
        respond(server, asked, result=YES)
        check(not server.answer(call)['result'].get('isError'), 'the yes')
        params = {'name': 'delete_item', 'arguments': {'shareId': WORK, 'itemId': SHOP}}
        first = server.result('tools/call', params, modern=ASKS)
        equal(len(box.runs()), 1)
        done = server.result('tools/call', {**params, 'requestState': first['requestState'],
                                            'inputResponses': {'confirm': YES}}, modern=ASKS)
        check(not done.get('isError'), done)
        equal([r['argv'][1] for r in box.runs()], ['trash', 'delete'])
        error = server.error('tools/call', params, modern={})
        equal(error['data']['error_code'], 'WRITE_CONFIRMATION_UNAVAILABLE')


@test('pass questions tell the tool and the target, and no secret')
def questions():
    secret = {'create_login_item': {'title': 'New one', 'password': 'S3cret-p', 'shareId': WORK},
              'create_note_item': {'title': 'New one', 'note': 'S3cret-n'},
              'create_credit_card_item': {'title': 'New one', 'number': 'S3cret', 'cvv': 'S3cret',
                                          'pin': 'S3cret', 'note': 'S3cret'},
              'create_wifi_item': {'title': 'New one', 'ssid': 's', 'password': 'S3cret'},
              'create_login_item_from_template': {'template': {**LOGIN, 'title': 'New one'}},
              'create_custom_item': {'template': {'title': 'New one', 'note': 'S3cret-note',
                                                  'sections': SECTIONS}},
              'create_identity_item': {'template': {'title': 'New one', 'full_name': 'S3cret'}},
              'update_item': {'itemTitle': 'New one', 'fields': ['password=S3cret-f']},
              'accept_invite': {'inviteToken': 'S3cret-i'},
              'reject_invite': {'inviteToken': 'S3cret-i'},
              'share_vault': {'vaultName': 'New one', 'email': 'bo@x.invalid', 'role': 'manager'}}
    with Pass() as box:
        server = box.legacy(*WRITE, capabilities=ASKS)
        for number, (tool, arguments) in enumerate(secret.items(), 1):
            call = server.start(tool, arguments)
            asked = question(server, number)
            respond(server, asked, result={'action': 'decline'})
            server.answer(call)
            message = asked['params']['message']
            check('S3cret' not in json.dumps(asked), tool, message)
            check(tool in message, tool, message)
            if 'template' not in arguments and not tool.endswith('invite'):
                check('New one' in message, tool, message)
        check('manager' in message and 'bo@x.invalid' in message, message)
        equal(box.runs(), [], 'started')


@test('pass 86 run is hidden without --allow-exec')
def run_needs_exec():
    with Pass() as box:
        box.waive('run')
        server = box.legacy(*WRITE)
        check('run' not in [t['name'] for t in server.result('tools/list')['tools']], 'run')
        error = server.error('tools/call', {'name': 'run', 'arguments': {'command': ['true']}})
        equal(error['code'], -32602)
        equal(box.runs(), [], 'started')


@test('pass 86 run: secrets are masked by pass-cli, a status is data')
def run_command():
    with Pass() as box:
        box.write('a.env', 'A=pass://Work/Shop/password\nB=x pass://none/none\n')
        server = box.open()
        arguments = {'command': ['sh', '-c', 'echo "$A $B" >&2; cat; exit 3'],
                     'envFile': ['a.env']}
        result = server.call('run', arguments)
        check(result.get('isError'), result)
        equal(result['structuredContent'],
              {'exit_code': 3, 'stdout': '<concealed by Proton Pass> x pass://none/none',
               'stderr': ''})
        shown = server.call('run', {**arguments, 'noMasking': True})
        check('S3cret-login-password' in shown['structuredContent']['stdout'], shown)
        equal([r['stdin'] for r in box.runs()], ['null', 'null'])


@test('pass 85 pass defect 13 inject: the file has the mode that was asked for')
def mode():
    with Pass() as box:
        prepare(box)
        server = box.open()
        for mode_, wanted in ((None, 0o600), ('640', 0o640), ('0600', 0o600), ('1644', 0o1644)):
            arguments = {'inFile': 'in.tpl', 'outFile': 'out', 'force': True}
            result = server.call('inject', {**arguments, **({'fileMode': mode_} if mode_ else {})})
            check(not result.get('isError') and 'S3cret' not in json.dumps(result), result)
            found = os.stat(os.path.join(box.root, 'out'))
            equal(stat.S_IMODE(found.st_mode), wanted, mode_)
            os.unlink(os.path.join(box.root, 'out'))


@test('pass 97 limits of what is written')
def limits():
    cases = [('create_vault', {'name': 'x' * 256}), ('create_login_item', {'title': 'x' * 256}),
             ('create_login_item', {'title': 't', 'password': 'x' * 1025}),
             ('create_note_item', {'title': 't', 'note': 'x' * 10001}),
             ('create_wifi_item', {'title': 't', 'ssid': ''}),
             ('create_wifi_item', {'title': 't', 'ssid': 's', 'security': 'WPA2'}),
             ('share_vault', {'vaultName': 'W', 'email': 'a@b', 'role': 'owner'}),
             ('update_item', {'itemId': 'i', 'fields': ['x' * 1025]}),
             ('run', {'command': []}), ('run', {'command': ['']}),
             ('accept_invite', {'inviteToken': ''}), ('trash_item', {}),
             ('create_login_item', {'title': 't', 'colour': 'red'}),
             ('create_login_item', {'title': 't', 'confirm': 'true'})]
    with Pass() as box:
        server = box.open()
        for tool, arguments in cases:
            equal(code_of(server.call(tool, arguments)), BAD, (tool, str(arguments)[:60]))
        equal(box.runs(), [], 'started')


@test('pass what is created is later listed, moved, trashed and deleted')
def life():
    with Pass() as box:
        server = box.open()

        def call(tool, **arguments):
            result = server.call(tool, arguments)
            check(not result.get('isError'), tool, text_of(result))
            return result['structuredContent']
        share = call('create_vault', name='-V')['share_id']
        made = call('create_login_item', title='-L', shareId=share, password='-S3cret')['item_id']
        equal([i['id'] for i in call('list_items', vaultName='-V')['items']], [made])
        moved = call('move_item', fromVaultName='-V', itemTitle='-L', toShareId=HOME)['item_id']
        call('trash_item', shareId=HOME, itemId=moved)
        found = call('search_items', query='-l', match='prefix', shareId=HOME)['items']
        equal([(i['id'], i['state']) for i in found], [(moved, 'Trashed')])
        equal(call('view_item', uri=f'pass://{HOME}/{moved}/password'), {'value': '-S3cret'})
        call('delete_item', shareId=HOME, itemId=moved)
        equal(code_of(server.call('view_item', {'shareId': HOME, 'itemId': moved})), 'NOT_FOUND')
        equal(len(ITEMS), 13)


@test('pass every writing tool has a case here')
def complete():
    equal(MISSING, set(), 'tools without a case')
