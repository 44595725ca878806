// SPDX-License-Identifier: MIT
// The official SDK clients, v1 and v2, in each way they can connect; the same conversation with all.

import assert from 'node:assert/strict';

import { Client as ClientV2, ProtocolError } from '@modelcontextprotocol/client';
import { StdioClientTransport as TransportV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';

import { ok, poll } from './tap.mjs';
import { World } from './world.mjs';

const INFO = { name: 'client-tests', version: '1.0.0' };

class V1 {
    constructor(onChanged) {
        this.client = new ClientV1(INFO, {
            listChanged: { tools: { autoRefresh: true, debounceMs: 0, onChanged } },
        });
    }
    connect(server) {
        this.transport = new TransportV1({ ...server, stderr: 'pipe' });
        // The v1 client keeps the negotiated revision to its transport.
        this.transport.setProtocolVersion = (version) => { this.version = version; };
        return this.client.connect(this.transport);
    }
    call(name, args, options) {
        return this.client.callTool({ name, arguments: args }, undefined, options);
    }
    isProtocolError(error) {
        return error instanceof McpError;
    }
}

class V2 {
    constructor(onChanged, mode) {
        this.client = new ClientV2(INFO, {
            versionNegotiation: { mode },
            listChanged: { tools: { autoRefresh: true, debounceMs: 0, onChanged } },
        });
    }
    async connect(server) {
        this.transport = new TransportV2({ ...server, stderr: 'pipe' });
        await this.client.connect(this.transport);
        this.version = this.client.getNegotiatedProtocolVersion();
    }
    call(name, args, options) {
        return this.client.callTool({ name, arguments: args }, options);
    }
    isProtocolError(error) {
        return error instanceof ProtocolError;
    }
}

export const MODES = [
    { title: 'v1', make: (changed) => new V1(changed), version: '2025-11-25' },
    { title: 'v2 legacy', make: (changed) => new V2(changed, 'legacy'), version: '2025-11-25' },
    { title: 'v2 auto', make: (changed) => new V2(changed, 'auto'), version: '2026-07-28' },
    { title: 'v2 pinned', make: (changed) => new V2(changed, { pin: '2026-07-28' }), version: '2026-07-28' },
];

function textOf(result) {
    return result.content.map((part) => part.text ?? '').join('\n');
}

async function names(peer) {
    return (await peer.client.listTools()).tools.map((tool) => tool.name);
}

async function lists(peer) {
    const { tools } = await peer.client.listTools();
    const log = tools.find((tool) => tool.name === 'git_log');
    assert.ok(log?.description);
    assert.equal(log.inputSchema.type, 'object');
    assert.equal(log.annotations.readOnlyHint, true);
    assert.ok(tools.some((tool) => tool.name === 'fake_args'));
}

async function calls(peer, world) {
    const result = await peer.call('git_log', { path: world.repo });
    assert.ok(!result.isError, textOf(result));
    assert.deepEqual(JSON.parse(textOf(result)), result.structuredContent);
    assert.equal(result.structuredContent.items[0].subject, 'first');
}

async function toolError(peer, world) {
    const result = await peer.call('git_log', { path: world.root });
    assert.equal(result.isError, true);
    assert.match(textOf(result), /NOT_A_REPOSITORY/);
    const invalid = await peer.call('git_log', { path: world.repo, limit: 'five' });
    assert.equal(invalid.isError, true);
    assert.match(textOf(invalid), /INVALID_ARGUMENT.*\/limit/s);
}

async function protocolError(peer) {
    await assert.rejects(peer.call('no_such_tool', {}),
        (error) => peer.isProtocolError(error) && error.code === -32602);
}

async function cancels(peer, world) {
    const abort = new AbortController();
    const call = peer.call('fake_tree', { ms: 60000, ignoreTerm: true }, { signal: abort.signal });
    const rejected = assert.rejects(call);
    await poll(() => world.fakes().length === 3, 10, 'a running tree');
    abort.abort('no longer wanted');
    await rejected;
    await poll(() => world.fakes().length === 0, 5, 'the end of the tree');
    const again = await peer.call('fake_tree', { ms: 1 });
    assert.deepEqual(again.structuredContent, { slept: true });
}

async function resources(peer) {
    const { resources: listed } = await peer.client.listResources();
    assert.deepEqual(listed.slice(0, 2).map((item) => item.uri), ['fake://constant', 'fake://text']);
    const { resourceTemplates } = await peer.client.listResourceTemplates();
    assert.ok(resourceTemplates.some((item) => item.uriTemplate === 'fake://word/{word}'));
    const { contents } = await peer.client.readResource({ uri: 'fake://word/a%20b' });
    assert.equal(contents.length, 1);
    assert.equal(contents[0].uri, 'fake://word/a%20b');
    assert.equal(contents[0].mimeType, 'application/json');
    assert.deepEqual(JSON.parse(contents[0].text), { args: ['--', 'a b'] });
}

async function unknownResource(peer) {
    // The older code stands for the same; the v2 client makes one of both.
    const codes = peer.version === '2026-07-28' ? [-32602] : [-32602, -32002];
    await assert.rejects(peer.client.readResource({ uri: 'fake://nothing' }),
        (error) => peer.isProtocolError(error) && codes.includes(error.code));
}

// A client with a limit of its own that only progress extends.
async function progresses(peer) {
    const seen = [];
    const result = await peer.call('fake_sleep', { ms: 9000 }, {
        timeout: 8000, resetTimeoutOnProgress: true,
        onprogress: (note) => seen.push(note.progress),
    });
    assert.deepEqual(result.structuredContent, { slept: true });
    assert.ok(seen.length > 0, 'no progress');
    assert.ok(seen.every((value, i) => i === 0 || value > seen[i - 1]), `not rising: ${seen}`);
}

async function timesOut(peer, world) {
    await assert.rejects(peer.call('fake_sleep', { ms: 60000 }, { timeout: 300 }));
    await poll(() => world.fakes().length === 0, 5, 'the end of the program');
}

async function manyAtOnce(peer) {
    const results = await Promise.all(Array.from({ length: 100 }, (_, i) =>
        peer.call('fake_args', { values: [String(i)] })));
    results.forEach((result, i) =>
        assert.deepEqual(result.structuredContent, { args: ['--', String(i)] }));
}

async function changes(peer, world, changed) {
    assert.ok((await names(peer)).includes('fake_args'));
    world.changeSurface('fake_new');
    const without = await poll(() => changed.find((tools) => !tools.includes('fake_args')), 30,
        'news of the withdrawn tools');
    assert.ok(without.includes('git_log'));
    await world.trust();
    await poll(() => changed.find((tools) => tools.includes('fake_new')), 30, 'news of the new tool');
    assert.ok((await names(peer)).includes('fake_new'));
    const result = await peer.call('fake_new', {});
    assert.deepEqual(result.structuredContent, { args: ['new'] });
}

async function closes(peer, world) {
    const pid = peer.transport.pid;
    const started = Date.now();
    await peer.client.close();
    assert.ok(Date.now() - started < 1900, 'the client had to send a signal');
    await poll(() => world.processes().length === 0, 3, `process ${pid} and all others gone`);
}

async function closesInFlight(mode, options) {
    const world = await World.make(options);
    const peer = mode.make(() => {});
    await peer.connect(world.server);
    const call = peer.call('fake_tree', { ms: 60000, ignoreTerm: true }).catch(() => ({ isError: true }));
    await poll(() => world.fakes().length === 3, 10, 'a running tree');
    await peer.client.close();
    assert.equal((await call).isError, true);
    await poll(() => world.processes().length === 0, 3, 'all processes gone');
    world.remove();
}

// The whole conversation of one mode, on one connection.
export async function converse(mode, options) {
    const world = await World.make(options);
    const errors = [];
    const changed = [];
    const peer = mode.make((error, tools) =>
        (error ? errors.push(error) : changed.push(tools.map((tool) => tool.name))));
    peer.client.onerror = (error) => errors.push(error);
    const say = (what, body) => ok(`${mode.title}: ${what}`, body);

    await say('connects with the newest revision it speaks', async () => {
        await peer.connect(world.server);
        assert.equal(peer.version, mode.version);
        assert.equal(peer.client.getServerVersion()?.name, 'stile');
        assert.ok(peer.client.getInstructions());
        assert.equal(peer.client.getServerCapabilities().tools.listChanged, true);
    });
    await say('lists tools', () => lists(peer));
    await say('calls a tool', () => calls(peer, world));
    await say('a tool error is a result', () => toolError(peer, world));
    await say('an unknown tool is a protocol error', () => protocolError(peer));
    await say('lists and reads resources', () => resources(peer));
    await say('an unknown resource is a protocol error', () => unknownResource(peer));
    await say('cancels a call, and its processes are gone', () => cancels(peer, world));
    await say('a call that runs out of the client\'s time is ended', () => timesOut(peer, world));
    await say('progress keeps a long call alive', () => progresses(peer));
    await say('100 calls at once', () => manyAtOnce(peer));
    await say('a changed surface is noticed', () => changes(peer, world, changed));
    await say('nothing it received was unexpected', () =>
        assert.deepEqual(errors.map((error) => String(error.message ?? error)), []));
    await say('closes, and no process is left', () => closes(peer, world));
    await say('closes during a call, and no process is left', () => closesInFlight(mode, options));
    world.remove();
}
