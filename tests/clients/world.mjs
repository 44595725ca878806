// SPDX-License-Identifier: MIT
// One client's own world: data directory, root with a git repository, program folder, surface.

import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const HERE = path.dirname(fileURLToPath(import.meta.url));
const HARNESS = path.join(HERE, '..', 'e2e', 'stile.py');
const SURFACE = path.join(HERE, '..', 'data', 'surfaces', 'fake.yaml');

export class World {
    // Nothing here is synchronous for long: other conversations go on meanwhile.
    static async make({ binary, fake }) {
        const world = new World();
        const { stdout } = await run('python3', [HARNESS, 'place']);
        world.binary = path.resolve(binary);
        world.dir = stdout.trim();
        world.data = path.join(world.dir, 'data');
        world.root = path.join(world.dir, 'root');
        world.bin = path.join(world.dir, 'bin');
        world.path = `${world.bin}:/usr/local/bin:/usr/bin:/bin`;
        world.surface = path.join(world.dir, 'fake.yaml');
        fs.mkdirSync(world.data, { mode: 0o700 });
        fs.mkdirSync(world.root);
        fs.mkdirSync(world.bin, { mode: 0o755 });
        await place(fake, path.join(world.bin, 'fake'), 0o755);
        await place(SURFACE, world.surface, 0o644);
        await world.trust();
        await world.#repository();
        return world;
    }

    async trust() {
        await run('python3', [HARNESS, 'trust', '--binary', this.binary, '--data', this.data,
            '--path', this.path, this.surface]);
    }

    async #repository() {
        this.repo = path.join(this.root, 'repo');
        fs.mkdirSync(this.repo);
        fs.writeFileSync(path.join(this.repo, 'a.txt'), 'one\n');
        const git = (...args) => run('git', ['-C', this.repo, '-c', 'user.name=Ada',
            '-c', 'user.email=ada@example.org', ...args]);
        await git('init', '-q', '-b', 'main');
        await git('add', '.');
        await git('commit', '-q', '-m', 'first');
    }

    // What a client is configured with.
    get server() {
        return {
            command: this.binary,
            args: ['mcp', 'serve', '--surface', 'git', '--surface', this.surface, '--root', this.root],
            env: { PATH: this.path, HOME: this.dir, STILE_DATA_DIR: this.data },
            cwd: this.root,
        };
    }

    // The same for a stage of the vault's demo, which is made here.
    async vault(stage) {
        const env = { PATH: this.path, HOME: this.dir, STILE_DATA_DIR: this.data };
        // It runs itself, which it does from a folder only that others cannot write to.
        const binary = path.join(this.bin, 'stile');
        await place(this.binary, binary, 0o755);
        const vault = async (...args) =>
            JSON.parse((await run(binary, ['vault', ...args, '--json'], { env })).stdout).result;
        await vault('init', '--demo');
        const [workspace] = (await vault('workspace', 'list')).workspaces;
        return {
            command: binary,
            args: ['mcp', 'serve', '--surface', 'vault', '--root', this.root,
                '--workspace', workspace.id, '--stage', stage],
            env,
            cwd: this.root,
        };
    }

    // The same for a surface of its own whose plans this policy is for.
    async planned(surface, policy) {
        const binary = path.join(this.bin, 'stile');
        await place(this.binary, binary, 0o755);
        fs.writeFileSync(this.surface, surface);
        await this.trust();
        fs.writeFileSync(path.join(this.data, 'policy.yaml'), policy, { mode: 0o600 });
        return { ...this.server, command: binary, args: ['mcp', 'serve', '--surface', this.surface, '--root', this.root] };
    }

    async approve(plan) {
        await run('python3', [HARNESS, 'approve', '--binary', this.binary, '--data', this.data, plan]);
    }

    // Adds a tool to the surface file, which withdraws its tools until it is trusted again.
    changeSurface(name) {
        fs.appendFileSync(this.surface,
            `- { name: ${name}, description: New., effect: read, argv: [args, new] }\n`);
    }

    // Living processes whose program, folder or arguments lie in this world.
    processes() {
        return fs.readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && this.#owns(pid));
    }

    fakes() {
        return this.processes().filter((pid) => link(pid, 'exe').startsWith(this.bin));
    }

    #owns(pid) {
        try {
            const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
            if (stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')) return false;
            return [fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8'), link(pid, 'exe'),
                link(pid, 'cwd')].some((text) => text.includes(this.dir));
        } catch {
            return false;
        }
    }

    remove() {
        fs.rmSync(this.dir, { recursive: true, force: true });
    }
}

async function place(from, to, mode) {
    await fs.promises.copyFile(from, to);
    await fs.promises.chmod(to, mode);
}

function link(pid, name) {
    try {
        return fs.readlinkSync(`/proc/${pid}/${name}`);
    } catch {
        return '';
    }
}
