// SPDX-License-Identifier: MIT
// An agent with planned tools, by the official v2 client: it makes a plan, is told that a person must
// approve it, and applies it, once.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { MODES } from './sdk.mjs';
import { ok } from './tap.mjs';
import { World } from './world.mjs';

const MODE = MODES.find((mode) => mode.title === 'v2 auto');
const SURFACE = `stile: 1
surface: desk
program: { run: fake, env: [FAKE_LOG], output: json }
tools:
- { name: desk_state, description: Its state., effect: read, argv: [say, '--out={{"version": 7}'] }
- name: desk_send
  description: Sends a note.
  effect: destroy
  writes: plan
  input: { properties: { note: { type: string, description: The note. } }, required: [note] }
  argv: [args, '--note={note}']
  plan: { target: desk, preconditions: [{ tool: desk_state, at: /version }] }
`;
const POLICY = `schema_version: '1'
mode: enforced
rules:
- actor: { type: mcp, authenticated: false }
  surface: desk
  action: desk_send
  target: desk
  effect: allow
  require_approval: true
`;

// What the program was started for.
function sent(log) {
    return fs.existsSync(log) ? fs.readFileSync(log, 'utf8').split('\n').filter((line) => line.includes('--note=')) : [];
}

function failure(result) {
    assert.equal(result.isError, true, JSON.stringify(result));
    assert.equal(result.structuredContent.status, 'failed');
    return result.structuredContent.error;
}

function success(result) {
    assert.ok(!result.isError, JSON.stringify(result));
    return result.structuredContent.result;
}

async function lists(peer) {
    const { tools } = await peer.client.listTools();
    const names = tools.map((tool) => tool.name);
    assert.ok(!names.includes('desk_send'), 'a planned tool is no tool of its own');
    for (const name of ['desk_state', 'desk_plan_create', 'desk_plan_apply', 'desk_operation_status'])
        assert.ok(names.includes(name), name);
    const apply = tools.find((tool) => tool.name === 'desk_plan_apply');
    assert.deepEqual([apply.annotations.destructiveHint, apply.annotations.idempotentHint], [true, true]);
    await assert.rejects(peer.call('desk_send', { note: 'x' }), (error) => peer.isProtocolError(error));
}

export async function conversePlans(options) {
    const world = await World.make(options);
    const server = await world.planned(SURFACE, POLICY);
    const log = path.join(world.dir, 'started');
    server.env.FAKE_LOG = log;
    const peer = MODE.make(() => {});
    const say = (what, body) => ok(`plans: ${what}`, body);
    let plan;
    let operation;

    await peer.connect(server);
    await say('the tools for plans are there, the planned tool is not', () => lists(peer));
    await say('a plan describes and runs nothing', async () => {
        plan = success(await peer.call('desk_plan_create', { tool: 'desk_send', arguments: { note: '--hello' } }));
        assert.equal(plan.status, 'created');
        assert.deepEqual(plan.facts.argv.slice(1), ['args', '--note=--hello']);
        assert.deepEqual(sent(log), []);
    });
    await say('without an approval nothing runs, and the answer says who must do what', async () => {
        const error = failure(await peer.call('desk_plan_apply', { plan_id: plan.plan_id }));
        assert.equal(error.code, 'APPROVAL_REQUIRED');
        assert.ok(error.message.includes(`stile authz approve ${plan.plan_id}`), error.message);
        assert.deepEqual(sent(log), []);
    });
    await say('approved, it runs once, however often it is applied', async () => {
        await world.approve(plan.plan_id);
        const done = await peer.call('desk_plan_apply', { plan_id: plan.plan_id });
        operation = success(done).operation_id;
        assert.equal(done.structuredContent.operation_id, operation);
        const again = success(await peer.call('desk_plan_apply', { plan_id: plan.plan_id }));
        assert.deepEqual([again.already_applied, again.operation_id], [true, operation]);
        assert.equal(sent(log).length, 1);
    });
    await say('its operation tells what came of it', async () => {
        const found = success(await peer.call('desk_operation_status', { operation_id: operation }));
        assert.deepEqual([found.status, found.plan_id], ['succeeded', plan.plan_id]);
    });
    await peer.client.close();
    world.remove();
}
