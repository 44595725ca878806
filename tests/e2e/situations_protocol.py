# SPDX-License-Identifier: MIT
"""Statements of the protocol about everything at once: each answer, each page, each stream."""

from stile import META, MODERN, Box, check, code_of, equal, poll, request, test, value_of

METHODS = ('initialize', 'ping', 'tools/list', 'tools/call', 'server/discover',
           'subscriptions/listen', 'resources/list', 'resources/templates/list', 'resources/read',
           'resources/subscribe', 'resources/unsubscribe', 'prompts/list', 'prompts/get',
           'completion/complete', 'logging/setLevel', 'tasks/get', 'tasks/list', 'tasks/result',
           'tasks/cancel', 'elicitation/create', 'sampling/createMessage', 'roots/list', '', 'x')
ODD = (None, {}, {'name': 7}, {'cursor': []}, {'notifications': 0}, {'protocolVersion': []},
       {'name': 'fake_typed', 'arguments': {}}, {'name': 'fake_exec', 'arguments': {}},
       {'name': 'fake_write', 'arguments': {'note': 'x'}}, {'_meta': 7}, {'_meta': {'x': 1}})
# What protocol.md §6 allows; -32021 and -32022 belong to the modern era.
LEGACY_CODES = {-32700, -32600, -32601, -32602, -32603, -32002}
MODERN_CODES = {-32600, -32601, -32602, -32603, -32021, -32022}


@test('P1 P45 P122 whatever is asked, each request gets one answer, with a code of its era')
def one_answer_each():
    with Box() as box:
        server = box.serve('--allow-write', 'fake')
        server.shake()
        eras = {}
        for method in METHODS:
            for params in ODD:
                is_meta = params is not None and '_meta' in params
                for modern in (None,) if is_meta else (None, {}, {'elicitation': {}}):
                    # A stream that is opened has no answer as long as it lives.
                    eras[server.ask(method, params, modern=modern)] = modern is not None
        for identity, is_modern in eras.items():
            answer = server.answer(identity, 20)
            if 'error' in answer:
                allowed = MODERN_CODES if is_modern else LEGACY_CODES
                check(answer['error']['code'] in allowed, answer)
                check('resultType' not in answer['error'], answer)
            else:
                equal('resultType' in answer['result'], is_modern, f'kind of {answer}')
        server.end()
        check(all(server.answered[('int', i)] == 1 for i in eras), 'one answer each')
        check(not [m for m in server.notes() if 'id' in m], 'the server asked on its own account')


def many_tools(box, name, count):
    text = f'stile: 1\nsurface: {name}\nprogram: {{ run: fake }}\ntools:\n'
    text += ''.join(f'- {{ name: {name}_{i}, description: {"Nothing. " * 100}, effect: read, '
                    f'argv: [args] }}\n' for i in range(count))
    path = box.write(f'{name}.yaml', text)
    box.trust(path)
    return path


@test('P73 P74 a walk over pages ends, meets each tool once and in order; an empty cursor is the first')
def pages():
    with Box() as box:
        names = [f's{k}' for k in range(5)]
        server = box.serve(surfaces=[many_tools(box, name, 200) for name in names])
        server.shake()
        wanted = [f'{name}_{i}' for name in names for i in range(200)]
        for modern in (None, {}):
            met = []
            cursor = ''
            pages_walked = 0
            while cursor is not None:
                params = {'cursor': cursor} if pages_walked else {}
                page = server.result('tools/list', params, modern)
                if not pages_walked:
                    again = server.result('tools/list', {'cursor': ''}, modern)
                    equal(again['tools'], page['tools'], 'the page of an empty cursor')
                met += [tool['name'] for tool in page['tools']]
                check('nextCursor' not in page or isinstance(page['nextCursor'], str), page.keys())
                cursor = page.get('nextCursor')
                pages_walked += 1
                check(pages_walked <= 64, 'clients stop after 64 pages')
            equal(met, wanted, 'tools of all pages')


@test('P126 P137 modern: nobody is asked on the wire, and only a call that writes needs input')
def no_server_requests():
    with Box() as box:
        server = box.serve('--allow-write', 'fake')
        can = {'elicitation': {}, 'roots': {}, 'sampling': {}}
        equal(server.call('fake_write', {'note': 'x'}, can)['resultType'], 'input_required')
        for method in ('tools/list', 'server/discover'):
            equal(server.result(method, {}, can)['resultType'], 'complete', method)
        equal(server.call('fake_args', {}, can)['resultType'], 'complete')
        equal(server.notes(), [], 'what the server said unasked')
        equal(box.started(), [['args', '--']], 'what ran')


@test('P120 modern: notifications of the handshake era are as silent as unknown ones')
def removed_notifications():
    with Box() as box:
        server = box.serve()
        meta = {META + 'protocolVersion': MODERN, META + 'clientCapabilities': {}}
        for method in ('initialized', 'roots/list_changed', 'elicitation/complete', 'x'):
            server.notify(f'notifications/{method}', {'_meta': meta})
        check('result' in server.answer(server.ask('server/discover', {}, modern={})), 'alive')
        equal(server.error('tools/list')['code'], -32602, 'no handshake came of it')
        equal(server.notes(), [], 'what the server said')


@test('P42 a batch is one invalid request in each revision that has none, and nothing runs')
def batches():
    for revision in ('2024-11-05', '2025-06-18', '2025-11-25'):
        with Box() as box:
            server = box.serve()
            server.shake(revision)
            server.send([request(9, 'tools/call', {'name': 'fake_args'}), request(10, 'ping')])
            equal(server.ordered()['id'], 1, 'the handshake')
            error = server.ordered()
            check('id' not in error and error['error']['code'] == -32600, revision, error)
            server.result('ping')
            check(not server.has_answer(9) and not server.has_answer(10), revision)
            equal(box.started(), [], revision)


@test('P38 P141 streams: a false wish is not honoured, an id in use is refused, their number is bound')
def streams():
    with Box() as box:
        server = box.serve()
        wish = {'notifications': {'toolsListChanged': False, 'nosuch': True}}
        server.ask('subscriptions/listen', wish, 'a', modern={})
        acknowledged = server.note('notifications/subscriptions/acknowledged')
        equal(acknowledged['params']['notifications'], {}, 'honoured')
        server.asked[('str', 'a')] += 1
        server.send(request('a', 'subscriptions/listen', wish, {}))
        equal(server.answer('a')['error']['code'], -32600, 'an id in flight')
        for i in range(255):
            server.ask('subscriptions/listen', wish, f's{i}', modern={})
        server.ask('subscriptions/listen', wish, 'more', modern={})
        equal(server.answer('more')['error']['code'], -32603, 'one stream too many')
        server.cancel('s7')
        server.ask('subscriptions/listen', wish, 'again', modern={})
        poll(lambda: any(m['params']['_meta'][META + 'subscriptionId'] == 'again'
                         for m in server.notes()), 5, 'a stream in the place of the cancelled one')


@test('Q68 two sessions may use one id for different calls, one after the other and at once')
def ids_are_no_keys():
    with Box() as box:
        words = ('--allow-write', 'fake', '--allow-noninteractive-write', 'fake')
        servers = [box.serve(*words), box.serve(*words)]
        for server in servers:
            server.shake()
        for turn in range(2):
            for i, server in enumerate(servers):
                server.start('fake_write', {'note': f'{turn}-{i}'}, identity=7)
            for server in servers:
                check(not server.answer(7)['result'].get('isError'), 'both run')
        notes = sorted(word for words in box.started() for word in words if '-' in word[1:2])
        equal(len(box.started()), 4, f'runs: {notes}')
        outcomes = [row for row in box.ledger() if row['kind'] == 'outcome']
        equal(len({row['intent'] for row in outcomes}), 4, 'outcomes, each of its own intent')
