// SPDX-License-Identifier: MIT
// One client's own world: data directory, root with a git repository, program folder, surface.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const HARNESS = path.join(HERE, '..', 'e2e', 'stile.py');
const SURFACE = path.join(HERE, '..', 'data', 'surfaces', 'fake.yaml');

export class World {
    constructor({ binary, fake }) {
        this.binary = path.resolve(binary);
        this.dir = execFileSync('python3', [HARNESS, 'place'], { encoding: 'utf8' }).trim();
        this.data = path.join(this.dir, 'data');
        this.root = path.join(this.dir, 'root');
        this.bin = path.join(this.dir, 'bin');
        fs.mkdirSync(this.data, { mode: 0o700 });
        fs.mkdirSync(this.root);
        fs.mkdirSync(this.bin, { mode: 0o755 });
        fs.copyFileSync(fake, path.join(this.bin, 'fake'));
        fs.chmodSync(path.join(this.bin, 'fake'), 0o755);
        this.path = `${this.bin}:/usr/local/bin:/usr/bin:/bin`;
        this.surface = path.join(this.dir, 'fake.yaml');
        fs.copyFileSync(SURFACE, this.surface);
        fs.chmodSync(this.surface, 0o644);
        this.trust();
        this.repository();
    }

    trust() {
        execFileSync('python3', [HARNESS, 'trust', '--binary', this.binary, '--data', this.data,
            '--path', this.path, this.surface]);
    }

    repository() {
        this.repo = path.join(this.root, 'repo');
        fs.mkdirSync(this.repo);
        const git = (...args) => execFileSync('git', ['-C', this.repo, '-c', 'user.name=Ada',
            '-c', 'user.email=ada@example.org', ...args], { stdio: 'pipe' });
        git('init', '-q', '-b', 'main');
        fs.writeFileSync(path.join(this.repo, 'a.txt'), 'one\n');
        git('add', '.');
        git('commit', '-q', '-m', 'first');
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

function link(pid, name) {
    try {
        return fs.readlinkSync(`/proc/${pid}/${name}`);
    } catch {
        return '';
    }
}
