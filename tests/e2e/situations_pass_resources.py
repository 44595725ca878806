# SPDX-License-Identifier: MIT
"""The resources of the pass surface. Numbers are those of section 6 of the pass specification."""

import json

from pass_world import DASH, HOME, SECRETS, WORK, Pass, standin
from stile import check, equal, test, text_of

TYPES = ['credit-card', 'custom', 'identity', 'login', 'note', 'wifi']
CATALOGUE = 'pass://templates/item-create'

def read(server, uri):
    contents = server.result('resources/read', {'uri': uri})['contents']
    equal(len(contents), 1)
    equal((contents[0]['uri'], contents[0]['mimeType']), (uri, 'application/json'))
    return json.loads(contents[0]['text'])


@test('pass 58 seven captured examples are listed, the catalogue first; nothing runs')
def listed():
    with Pass() as box:
        server = box.legacy()
        found = [r for r in server.result('resources/list')['resources']
                 if r['uri'].startswith(CATALOGUE)]
        equal([r['uri'] for r in found], [CATALOGUE, *(f'{CATALOGUE}/{t}' for t in TYPES)])
        equal([r['name'] for r in found], ['item_create_templates', *(
            f'item_create_template_{t.replace("-", "_")}' for t in TYPES)])
        check(all(r['mimeType'] == 'application/json' and r['title'] and r['description']
                  for r in found), found)
        for resource in found:
            read(server, resource['uri'])
        equal(box.runs(), [], 'started')


@test('pass 59 the catalogue lists six types and the version they are of')
def catalogue():
    with Pass() as box:
        value = read(box.legacy(), CATALOGUE)
        equal((value['kind'], value['template_types'], value['pass_cli_version']),
              ('item-create-template-catalog', TYPES, '2.2.1'))
        equal(value['resources'], [f'{CATALOGUE}/{t}' for t in TYPES])


@test('pass 60 each example has the keys that pass-cli takes')
def examples():
    with Pass() as box:
        server = box.legacy()
        for kind in TYPES:
            value = read(server, f'{CATALOGUE}/{kind}')
            equal((value['kind'], value['type']), ('item-create-template', kind))
            equal(list(value['template']), standin.TEMPLATES[kind], kind)
        equal(read(server, f'{CATALOGUE}/login')['template'],
              {'title': '', 'username': None, 'email': None, 'password': None, 'totp_uri': None,
               'urls': []})


@test('pass 60 the examples that can be created as they stand are accepted by pass-cli')
def examples_work():
    with Pass() as box:
        server = box.open()
        for kind in TYPES:
            template = read(server, f'{CATALOGUE}/{kind}')['template']
            tool = 'create_login_item_from_template' if kind == 'login' else f'create_{kind}_item'
            template.pop('totp_uri', None)
            if kind in ('login', 'custom', 'identity'):
                result = server.call(tool, {'template': template, 'shareId': WORK})
                check(not result.get('isError'), kind, text_of(result))


@test('pass 112 vaults and the items of a share are resources, without what items hold')
def dynamic():
    with Pass(legacy=True) as box:
        server = box.legacy()
        equal(read(server, 'pass://vaults')['vaults'][1],
              {'name': 'Home', 'vault_id': standin.seed()['vaults'][1]['vault_id'],
               'share_id': HOME})
        uris = [t['uriTemplate'] for t in
                server.result('resources/templates/list')['resourceTemplates']]
        equal(uris, ['pass://share/{shareId}/items'])
        value = read(server, f'pass://share/{WORK}/items')
        equal((value['total'], len(value['items'])), (11, 11))
        check(all(set(i) == {'id', 'share_id', 'vault_id', 'type', 'title', 'display_title',
                             'state', 'create_time', 'modify_time', 'uri'}
                  for i in value['items']), value['items'][0])
        check(not any(s.decode() in json.dumps(value) for s in SECRETS), 'a secret')
        equal([r['argv'][:2] for r in box.runs()], [['vault', 'list'], ['item', 'list']])
        equal([r['kind'] for r in box.rows('call')], ['call', 'call'])


@test('pass 112 a resource that is not there, or named amiss, is an error and runs nothing')
def not_there():
    with Pass() as box:
        server = box.legacy()
        for uri in ('pass://nothing', f'{CATALOGUE}/alias', 'pass://share//items',
                    'pass://share/a%2Fb/items', 'pass://share/../items', 'pass://share/%00/items',
                    f'pass://share/{"x" * 101}/items', f'pass://share/{WORK}/items/',
                    'pass://Vaults', 'pass://share/..%2f/items', 'pass://share/%2E%2e/items',
                    'pass://share/a%5Cb/items', 'pass://share/%FF/items', 'pass://share/%s/items',
                    'pass://share/%ED%A0%80/items', 'pass://share/a/items?x',
                    'pass://share/a/items#x', 'pass:///vaults', 'pass://vaults/'):
            legacy = server.error('resources/read', {'uri': uri})['code']
            check(legacy in (-32002, -32602), uri, legacy)
            equal(server.error('resources/read', {'uri': uri}, modern={})['code'], -32602, uri)
        equal(box.runs(), [], 'started')


@test('pass 101 pass 112 a share id that begins with a dash, plain and percent-encoded, both eras')
def dashed():
    with Pass() as box:
        server = box.legacy()
        for name in (DASH, DASH.replace('=', '%3D')):
            value = read(server, f'pass://share/{name}/items')
            equal([i['title'] for i in value['items']], ['In dash'])
        uri = f'pass://share/{DASH}/items'
        contents = server.result('resources/read', {'uri': uri}, modern={})['contents']
        equal(json.loads(contents[0]['text'])['total'], 1)
        equal({tuple(r['argv']) for r in box.runs()},
              {('item', 'list', f'--share-id={DASH}', '--output=json')})


@test('pass 106 pass 112 a resource that pass-cli fails on is an error of the same class')
def failing():
    with Pass(fail='AUTH_EXPIRED') as box:
        error = box.legacy().error('resources/read', {'uri': 'pass://vaults'})
        equal((error['data']['error_code'], error['data']['retryable']), ('AUTH_EXPIRED', True))
        equal([r['code'] for r in box.rows('call')], ['AUTH_EXPIRED'])
