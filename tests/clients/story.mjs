// SPDX-License-Identifier: MIT
// The whole story, by the official v2 client: an owner's template, workspace and contract; an agent with
// one grant works in one stage, is refused what is not for it, and is told when its contract changes; the
// owner reads the record of it all. Then what ./quickstart shows, and the lines that it prints.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { MODES } from './sdk.mjs';
import { ok, poll } from './tap.mjs';
import { World } from './world.mjs';

const run = promisify(execFile);
const TRANSCRIPT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'tools', 'transcript.py');
const MODE = MODES.find((mode) => mode.title === 'v2 auto');
const CONTRACT = 'stages/01-research/CONTEXT.md';
const NOTES = 'stages/01-research/output/notes.md';

const RESEARCH = ['vault_mcp_context', 'vault_file_info', 'vault_file_get', 'vault_file_put',
    'vault_file_versions', 'vault_workspace_checkout', 'vault_workspace_status', 'vault_workspace_commit'];
const DRAFT = ['vault_mcp_context', 'vault_file_get'];

function contract(tools) {
    return `---\nmcp:\n  tools: [${tools.join(', ')}]\n---\n# {{topic}}\n`;
}

function textOf(result) {
    return result.content.map((part) => part.text ?? '').join('\n');
}

// The owner's command line, and what it has made.
class Owner {
    constructor(world) {
        this.world = world;
        // The vault's surface starts this program again, which it does from no folder that others can write to.
        this.binary = path.join(world.bin, 'stile');
        this.env = { PATH: world.path, HOME: world.dir, STILE_DATA_DIR: world.data };
        this.token = path.join(world.dir, 'writer.token');
    }

    async stile(...args) {
        const { stdout } = await run(this.binary, [...args, '--json'], { env: this.env, cwd: this.world.dir });
        return JSON.parse(stdout).result;
    }

    vault(...args) {
        return this.stile('vault', ...args);
    }

    async put(ref, text) {
        const done = run(this.binary, ['vault', 'file', 'put', ref], { env: this.env });
        done.child.stdin.end(text);
        await done;
    }

    async begin() {
        fs.copyFileSync(this.world.binary, this.binary);
        const template = path.join(this.world.dir, 'template');
        for (const [stage, tools] of [['01-research', RESEARCH], ['02-draft', DRAFT]]) {
            fs.mkdirSync(path.join(template, 'stages', stage, 'output'), { recursive: true });
            fs.writeFileSync(path.join(template, 'stages', stage, 'CONTEXT.md'), contract(tools));
            fs.writeFileSync(path.join(template, 'stages', stage, 'output', 'notes.md'), 'About {{topic}}.\n');
        }
        fs.writeFileSync(path.join(template, 'template.yaml'), 'parameters: { topic: { description: It } }\n');
        await this.vault('init', '--org', 'acme', '--owner', 'ada');
        await this.vault('file', 'upload', '--recursive', `${template}/.`, '/article');
        await this.vault('template', 'create', '/article');
        assert.equal((await this.vault('template', 'publish', 'article')).version, 1);
        this.owls = await this.vault('workspace', 'instantiate', 'article', '/owls', '--set', 'topic=Owls');
        await this.vault('workspace', 'instantiate', 'article', '/hawks', '--set', 'topic=Hawks');
        await this.vault('principal', 'add', 'writer', '--kind', 'agent');
        await this.vault('grant', 'set', '/owls', 'writer', 'write');
        await this.vault('token', 'issue', 'writer', '--expires-in', '1d', '--out', this.token);
    }

    // All that lives in the vault, with its versions.
    async state() {
        const { entries } = await this.vault('folder', 'tree', '/', '--depth', '64');
        return entries;
    }

    // What an agent's client is configured with.
    server(stage, surfaces = ['vault']) {
        return {
            command: this.binary,
            args: ['mcp', 'serve', ...surfaces.flatMap((name) => ['--surface', name]), '--workspace', this.owls.id,
                '--stage', stage, '--root', this.world.root, '--scope-ttl', '1'],
            env: { ...this.env, STILE_TOKEN_FILE: this.token },
            cwd: this.world.root,
        };
    }
}

class Agent {
    constructor() {
        this.errors = [];
        this.changed = [];
        this.peer = MODE.make((error, tools) =>
            (error ? this.errors.push(error) : this.changed.push(tools.map((tool) => tool.name))));
        this.peer.client.onerror = (error) => this.errors.push(error);
    }

    async tools() {
        return (await this.peer.client.listTools()).tools.map((tool) => tool.name).sort();
    }

    async call(tool, args = {}) {
        const result = await this.peer.call(tool, args);
        assert.ok(!result.isError, `${tool}: ${textOf(result)}`);
        return result.structuredContent;
    }

    // The text of a refusal with that code; one of a tool that is not there is an error of the protocol.
    async refusal(code, tool, args) {
        const result = await this.peer.call(tool, args);
        assert.equal(result.isError, true, `${tool} ${JSON.stringify(args)}`);
        assert.ok(textOf(result).startsWith(`[${code}] `), textOf(result));
        return textOf(result);
    }

    async absent(tool, args = {}) {
        const texts = [];
        for (const name of [tool, 'no_such_tool'])
            await assert.rejects(this.peer.call(name, args), (error) => {
                texts.push(String(error.message).replace(name, 'TOOL'));
                return this.peer.isProtocolError(error) && error.code === -32602;
            });
        assert.equal(texts[0], texts[1]);
    }

    async close() {
        await this.peer.client.close();
        assert.deepEqual(this.errors.map((error) => String(error.message ?? error)), []);
    }
}

async function works(agent, dir) {
    const where = await agent.call('vault_mcp_context');
    assert.equal(where.stage.name, '01-research');
    assert.equal(where.rank, 'write');
    await agent.call('vault_workspace_checkout', { dir });
    fs.appendFileSync(path.join(dir, NOTES), 'They see in the dark.\n');
    const { changed } = await agent.call('vault_workspace_status', { dir });
    assert.deepEqual(changed.map((file) => file.path), [NOTES]);
    const { stored } = await agent.call('vault_workspace_commit', { dir, message: 'what they see' });
    assert.deepEqual(stored.map((file) => [file.path, file.version]), [[NOTES, 2]]);
    const { items } = await agent.call('vault_file_versions', { file: NOTES });
    assert.deepEqual(items.map((item) => [item.version, item.author]), [[2, 'writer'], [1, 'ada']]);
    const got = await agent.call('vault_file_get', { file: NOTES });
    assert.equal(got.content, 'About Owls.\nThey see in the dark.\n');
}

// Whatever happens in it, the vault is afterwards as it was before.
async function unchanged(owner, body) {
    const before = await owner.state();
    await body();
    assert.deepEqual(await owner.state(), before);
}

async function ownContract(agent, dir) {
    const wide = contract([...RESEARCH, 'vault_file_trash']);
    await agent.refusal('PERMISSION_DENIED', 'vault_file_put', { file: CONTRACT, content: wide });
    const own = fs.readFileSync(path.join(dir, CONTRACT));
    fs.writeFileSync(path.join(dir, CONTRACT), wide);
    fs.appendFileSync(path.join(dir, NOTES), 'And hear.\n');
    await agent.refusal('PERMISSION_DENIED', 'vault_workspace_commit', { dir, message: 'more tools' });
    fs.writeFileSync(path.join(dir, CONTRACT), own);
    assert.deepEqual(await agent.tools(), [...RESEARCH].sort());
}

async function foreign(owner, agent, dir) {
    const hawks = await owner.vault('file', 'info', `/hawks/${NOTES}`);
    const absent = `fil_${'0'.repeat(26)}`;
    for (const [tool, args] of [['vault_file_get', {}], ['vault_file_info', {}], ['vault_file_versions', {}],
        ['vault_file_put', { content: 'mine' }]]) {
        const [there, none] = [await agent.refusal('NOT_FOUND', tool, { file: hawks.id, ...args }),
            await agent.refusal('NOT_FOUND', tool, { file: absent, ...args })];
        assert.equal(there.replaceAll(hawks.id, 'ID'), none.replaceAll(absent, 'ID'));
    }
    await agent.refusal('NOT_FOUND', 'vault_workspace_checkout', { workspace: '/hawks', dir: `${dir}-hawks` });
    await agent.refusal('INVALID_ARGUMENT', 'vault_workspace_checkout', { dir: owner.world.data });
    assert.equal(fs.existsSync(path.join(`${dir}-hawks`, 'CLAUDE.md')), false);
}

async function isTold(owner, agent) {
    const narrow = RESEARCH.filter((tool) => tool !== 'vault_file_put').concat('vault_tag_add').sort();
    await owner.put(`/owls/${CONTRACT}`, contract(narrow));
    await poll(() => agent.changed.some((tools) => tools.includes('vault_tag_add')), 20, 'news of the contract');
    assert.deepEqual(await agent.tools(), narrow);
    await agent.absent('vault_file_put', { file: NOTES, content: 'x' });
    await agent.call('vault_tag_add', { file: NOTES, tag: 'for-review' });
}

async function record(owner) {
    const { events } = await owner.vault('audit', 'list', '--limit', '1000');
    const writer = (await owner.vault('principal', 'list')).principals.find((one) => one.name === 'writer');
    const of = (operation, result) => events.filter((event) => event.principal_id === writer.id &&
        event.caller === 'mcp' && event.operation === operation && event.result === result);
    assert.ok(of('file get', 'OK').length > 0 && of('tag add', 'OK').length === 1);
    assert.equal(of('file put', 'PERMISSION_DENIED').length, 2, 'the contract, put and committed');
    assert.ok(of('file put', 'NOT_FOUND').length === 2 && of('file get', 'NOT_FOUND').length === 2);
    const decisions = (await owner.vault('audit', 'list', '--scope', '--limit', '1000')).events;
    const byTime = decisions.sort((a, b) => a.sequence - b.sequence);
    assert.deepEqual(byTime.map((event) => event.result), ['initial', 'initial', 'changed']);
    assert.ok(byTime.every((event) => event.principal_id === writer.id));
}

async function isSound(owner) {
    const audit = await owner.vault('audit', 'verify');
    assert.ok(audit.rows > 30 && audit.scope_rows === 3, JSON.stringify(audit));
    assert.deepEqual((await owner.vault('fsck')).faults, []);
    await owner.stile('audit', 'verify');
    const { events = [], records = events } = await owner.stile('audit', 'list', '--limit', '1000');
    assert.ok(records.length > 20, 'rows of the ledger');
}

// What ./quickstart runs, twice, and a client that is configured with what it printed.
async function quickstart({ world, binary }) {
    const place = path.join(world.dir, 'quickstart-vault');
    const outputs = [];
    for (let i = 0; i < 2; i++)
        outputs.push((await run('python3', [TRANSCRIPT, binary, place], { cwd: world.root })).stdout);
    for (const output of outputs) {
        assert.ok(output.split('\n').length <= 71, `${output.split('\n').length} lines`);
        for (const part of ['$ stile vault workspace instantiate', '→ vault_file_put', '← notifications/tools/list_changed',
            'PERMISSION_DENIED', 'NOT_FOUND', 'no such tool', 'the chain holds', 'claude mcp add '])
            assert.ok(output.includes(part), `${part} in\n${output}`);
        assert.ok(!/stv_[A-Za-z0-9_-]{43}/.test(output), 'a token');
        const { owls } = JSON.parse(output.split('\n').find((line) => line.includes('"mcpServers"'))).mcpServers;
        const line = output.split('\n').find((text) => text.includes('claude mcp add owls -- '));
        const [assignments, words] = split(line.split(' -- ')[1].split(' '));
        for (const [command, args, env] of [[owls.command, owls.args, owls.env],
            ['env', [...assignments, ...words], {}]]) {
            const agent = new Agent();
            await agent.peer.connect({ command, args, env: { PATH: world.path, HOME: '/nonexistent', ...env }, cwd: '/' });
            const where = await agent.call('vault_mcp_context');
            assert.ok(where.workspace.name.startsWith('owls'), JSON.stringify(where));
            await agent.call('vault_file_get', { file: 'CLAUDE.md' });
            await agent.close();
        }
    }
}

function split(words) {
    assert.equal(words[0], 'env');
    const rest = words.findIndex((word, i) => i > 0 && !word.includes('='));
    return [words.slice(1, rest), words.slice(rest)];
}

export async function converseStory(options) {
    const world = await World.make(options);
    const owner = new Owner(world);
    const dir = path.join(world.root, 'owls');
    const agent = new Agent();
    const say = (what, body) => ok(`story: ${what}`, body);

    await say('an owner makes a template, a workspace, and an agent with one grant', () => owner.begin());
    await say('the agent sees what the contract of its stage names', async () => {
        await agent.peer.connect(owner.server('01-research', ['vault', 'git']));
        assert.deepEqual(await agent.tools(), [...RESEARCH].sort());
    });
    await say('in another stage it sees other tools', async () => {
        const other = new Agent();
        await other.peer.connect(owner.server('02-draft'));
        assert.deepEqual(await other.tools(), [...DRAFT].sort());
        await other.absent('vault_file_put', { file: NOTES, content: 'x' });
        await other.close();
    });
    await say('a tool outside of the contract is refused as one that is not there', () => unchanged(owner, async () => {
        for (const tool of ['vault_file_trash', 'vault_access_grant', 'vault_whoami', 'git_log'])
            await agent.absent(tool, { file: NOTES });
    }));
    await say('it checks out, edits, commits, and sees the versions', () => works(agent, dir));
    await say('its own contract is refused, put or committed', () => unchanged(owner, () => ownContract(agent, dir)));
    await say('what is in another workspace is as what is not there', () =>
        unchanged(owner, () => foreign(owner, agent, dir)));
    await say('a changed contract is told, and the tools differ', () => isTold(owner, agent));
    await say('nothing it received was unexpected', () => agent.close());
    await say('the owner reads who did what, and what was refused', () => record(owner));
    await say('the chains of vault and ledger hold', () => isSound(owner));
    await say('the quickstart leaves a vault, and its lines connect a client', () => quickstart(owner));
    world.remove();
}
