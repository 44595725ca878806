// SPDX-License-Identifier: MIT
// The benchmark's tool as a server of the official SDK: one child process a call, nothing recorded.
//
//     node server.mjs PROGRAM TOOLS

import { spawn } from 'node:child_process';

import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const [program, tools] = [process.argv[2], Number(process.argv[3])];

function run(words) {
    return new Promise((resolve, reject) => {
        const child = spawn(program, words, { env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
        let out = '';
        child.stdout.on('data', (data) => { out += data; });
        child.stderr.resume();
        child.on('error', reject);
        child.on('close', (code) => (code === 0 ? resolve(out) : reject(new Error(`status ${code}`))));
    });
}

async function call({ id, limit }) {
    const text = await run(['show', id, `--limit=${limit}`]);
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) };
}

const input = z.object({
    id: z.string().describe('Which.'),
    limit: z.number().int().min(1).max(100).default(10).describe('How many.'),
});

// The names of the surface files that bench/world.py writes.
function name(index) {
    return `bench${Math.floor(index / 200)}_item_${index % 200}`;
}

serveStdio(() => {
    const server = new McpServer({ name: 'peer', version: '1.0.0' });
    for (let i = 0; i < tools; i++) {
        server.registerTool(name(i), { description: 'Shows one item by its id, with its tags.',
            inputSchema: input, annotations: { readOnlyHint: true } }, call);
    }
    return server;
});
