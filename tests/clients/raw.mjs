// SPDX-License-Identifier: MIT
// A client of plain JSON lines for each revision, which checks every message of the server against
// the schemas that the SDKs publish (P66, P118).

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import readline from 'node:readline';

import * as modern from '@modelcontextprotocol/core';
import * as legacy from '@modelcontextprotocol/sdk/types.js';

import { ok, poll } from './tap.mjs';
import { World } from './world.mjs';

export const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const PREFIX = 'io.modelcontextprotocol/';

// Members that a revision does not know yet, and so must not be sent to it (protocol.md §4).
const LATER = {
    '2024-11-05': ['annotations', 'title', 'outputSchema', 'icons', 'execution'],
    '2025-03-26': ['title', 'outputSchema', 'icons', 'execution'],
    '2025-06-18': ['icons', 'execution'],
    '2025-11-25': [],
};

class Lines {
    constructor(server) {
        this.process = spawn(server.command, server.args, { env: server.env, cwd: server.cwd });
        this.messages = [];
        this.nextId = 0;
        readline.createInterface({ input: this.process.stdout }).on('line', (line) =>
            this.messages.push(JSON.parse(line)));
        this.exited = new Promise((resolve) => this.process.on('exit', resolve));
    }
    send(message) {
        this.process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    }
    async request(method, params) {
        const id = this.nextId++;
        this.send({ id, method, params });
        return poll(() => this.messages.find((m) => m.id === id && !m.method), 10, method);
    }
    async close() {
        this.process.stdin.end();
        return this.exited;
    }
}

function fits(schema, value) {
    const outcome = schema.safeParse(value);
    assert.ok(outcome.success, `${JSON.stringify(value).slice(0, 500)}: ${outcome.error}`);
    return value;
}

async function result(lines, schemas, method, params, schema) {
    const response = await lines.request(method, params);
    fits(schemas.JSONRPCMessageSchema, response);
    assert.ok(response.result, JSON.stringify(response));
    return fits(schema, response.result);
}

async function refusal(lines, schemas, method, params, code) {
    const response = await lines.request(method, params);
    fits(schemas.JSONRPCMessageSchema, response);
    assert.equal(response.error?.code, code);
}

async function handshake(lines, revision) {
    const init = await result(lines, legacy, 'initialize', {
        protocolVersion: revision, capabilities: {}, clientInfo: { name: 'raw', version: '1' },
    }, legacy.InitializeResultSchema.strict());
    assert.equal(init.protocolVersion, revision);
    lines.send({ method: 'notifications/initialized' });
}

function checkTools(tools, revision) {
    assert.ok(tools.length > 10);
    for (const tool of tools)
        for (const member of LATER[revision])
            assert.ok(!(member in tool), `${tool.name} has ${member}`);
}

export async function converseLegacy(revision, options) {
    const world = await World.make(options);
    const lines = new Lines(world.server);
    const structured = revision >= '2025-06-18';
    const say = (what, body) => ok(`P66 raw ${revision}: ${what}`, body);

    await say('initialize', () => handshake(lines, revision));
    await say('ping is empty', () =>
        result(lines, legacy, 'ping', undefined, legacy.EmptyResultSchema));
    await say('tools/list has members of this revision only', async () => {
        const list = await result(lines, legacy, 'tools/list', {}, legacy.ListToolsResultSchema);
        assert.deepEqual(Object.keys(list), ['tools']);
        checkTools(list.tools, revision);
    });
    await say('tools/call', async () => {
        const value = await result(lines, legacy, 'tools/call',
            { name: 'git_status', arguments: { path: world.repo } }, legacy.CallToolResultSchema);
        assert.equal('structuredContent' in value, structured);
        assert.ok(!('resultType' in value));
    });
    await say('a tool error', async () => {
        const value = await result(lines, legacy, 'tools/call',
            { name: 'git_log', arguments: { limit: 'five' } }, legacy.CallToolResultSchema);
        assert.equal(value.isError, true);
        assert.match(value.content[0].text, /^\[INVALID_ARGUMENT\]/);
    });
    await say('protocol errors', async () => {
        await refusal(lines, legacy, 'tools/call', { name: 'nosuch', arguments: {} }, -32602);
        await refusal(lines, legacy, 'nosuch', {}, -32601);
    });
    await say('ends with its input', async () => assert.equal(await lines.close(), 0));
    world.remove();
}

function meta(capabilities = {}) {
    return { _meta: { [`${PREFIX}protocolVersion`]: '2026-07-28', [`${PREFIX}clientCapabilities`]: capabilities } };
}

export async function converseModern(options) {
    const world = await World.make(options);
    const lines = new Lines(world.server);
    const say = (what, body) => ok(`P118 raw 2026-07-28: ${what}`, body);
    const whole = (value) => {
        assert.equal(value.resultType, 'complete');
        assert.equal(value._meta[`${PREFIX}serverInfo`].name, 'stile');
    };

    await say('server/discover', async () => whole(
        await result(lines, modern, 'server/discover', meta(), modern.DiscoverResultSchema)));
    await say('tools/list', async () => {
        const list = await result(lines, modern, 'tools/list', meta(), modern.ListToolsResultSchema);
        whole(list);
        assert.ok(Number.isInteger(list.ttlMs) && list.ttlMs >= 0);
        assert.ok(['public', 'private'].includes(list.cacheScope));
        assert.ok(list.tools.every((tool) => !('execution' in tool)));
    });
    await say('tools/call', async () => whole(await result(lines, modern, 'tools/call',
        { name: 'git_status', arguments: { path: world.repo }, ...meta() }, modern.CallToolResultSchema)));
    await say('subscriptions/listen', async () => {
        lines.send({ id: 'listen:0', method: 'subscriptions/listen', params: {
            notifications: { toolsListChanged: true }, ...meta() } });
        const ack = await poll(() => lines.messages.find((m) => m.method), 5, 'an acknowledgement');
        fits(modern.SubscriptionsAcknowledgedNotificationSchema, { method: ack.method, params: ack.params });
        world.changeSurface('fake_new');
        const note = await poll(() => lines.messages.find(
            (m) => m.method === 'notifications/tools/list_changed'), 10, 'news');
        fits(modern.ToolListChangedNotificationSchema, { method: note.method, params: note.params });
    });
    await say('protocol errors', async () => {
        await refusal(lines, modern, 'tools/call', { name: 'nosuch', arguments: {}, ...meta() }, -32602);
        await refusal(lines, modern, 'ping', meta(), -32601);
    });
    await say('ends with its input, closing the stream gracefully', async () => {
        assert.equal(await lines.close(), 0);
        const end = await poll(() => lines.messages.find((m) => m.id === 'listen:0'), 3, 'its result');
        fits(modern.SubscriptionsListenResultSchema, end.result);
    });
    world.remove();
}
