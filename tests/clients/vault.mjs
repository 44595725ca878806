// SPDX-License-Identifier: MIT
// An agent in a stage of the vault, by the official SDK clients: what the contract names, and no more.

import assert from 'node:assert/strict';

import { ok } from './tap.mjs';
import { World } from './world.mjs';

function textOf(result) {
    return result.content.map((part) => part.text ?? '').join('\n');
}

async function call(peer, name, args = {}) {
    const result = await peer.call(name, args);
    assert.ok(!result.isError, textOf(result));
    return result.structuredContent;
}

async function lists(peer) {
    const { tools } = await peer.client.listTools();
    const names = tools.map((tool) => tool.name);
    assert.ok(names.includes('vault_file_put') && names.includes('vault_stage_show'), String(names));
    assert.ok(!names.includes('vault_file_trash'), String(names));
    const list = tools.find((tool) => tool.name === 'vault_file_list');
    assert.equal(list.annotations.readOnlyHint, true);
    assert.equal(list.outputSchema.type, 'object');
}

async function works(peer) {
    const stage = await call(peer, 'vault_stage_show', { stage: '01-research' });
    const contract = await call(peer, 'vault_file_get', { file: `${stage.path}/CONTEXT.md` });
    assert.match(contract.content, /^---\nmcp:/);
    const brief = { file: `${stage.path}/output/brief.md`, content: '# Owls\n', expect: '0' };
    assert.equal((await call(peer, 'vault_file_put', brief)).version, 1);
    const { items } = await call(peer, 'vault_file_find', { text: 'owls' });
    assert.deepEqual(items.map((item) => item.path), [brief.file]);
    const listed = await call(peer, 'vault_file_list', { folder: `${stage.path}/output` });
    assert.equal(listed.returned, 2);
}

async function isRefused(peer) {
    for (const [tool, args, code] of [
        ['vault_file_put', { file: 'stages/01-research/CONTEXT.md', content: 'x' }, 'PERMISSION_DENIED'],
        ['vault_file_get', { file: '/templates/article/CLAUDE.md' }, 'NOT_FOUND'],
        ['vault_file_list', { folder: 'nothing' }, 'NOT_FOUND'],
        ['vault_file_list', { folder: 7 }, 'INVALID_ARGUMENT']]) {
        const result = await peer.call(tool, args);
        assert.equal(result.isError, true, tool);
        assert.ok(textOf(result).startsWith(`[${code}] `), textOf(result));
    }
    await assert.rejects(peer.call('vault_file_trash', { file: 'CLAUDE.md' }),
        (error) => peer.isProtocolError(error) && error.code === -32602);
}

export async function converseVault(mode, options) {
    const world = await World.make(options);
    const server = await world.vault('01-research');
    const errors = [];
    const peer = mode.make(() => {});
    peer.client.onerror = (error) => errors.push(error);
    const say = (what, body) => ok(`${mode.title}, vault: ${what}`, body);

    await peer.connect(server);
    await say('lists what the contract names', () => lists(peer));
    await say('works in the stage', () => works(peer));
    await say('is refused what is not for it', () => isRefused(peer));
    await peer.client.close();
    assert.deepEqual(errors.map((error) => String(error.message ?? error)), []);
    world.remove();
}
