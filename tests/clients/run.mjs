// SPDX-License-Identifier: MIT
// Drives the real binary with the official SDK clients and with plain JSON lines; prints TAP.
//
//     node tests/clients/run.mjs --binary BUILD/stile [--fake BUILD/tests/data/fake]
//
// `npm ci` in this folder first. Needs python3 (a person at a terminal, for trust) and git.

import path from 'node:path';
import { parseArgs } from 'node:util';

import { conversePlans } from './plans.mjs';
import { REVISIONS, converseLegacy, converseModern } from './raw.mjs';
import { MODES, converse } from './sdk.mjs';
import { converseStory } from './story.mjs';
import { finish, ok } from './tap.mjs';
import { converseVault } from './vault.mjs';

const { values } = parseArgs({ options: { binary: { type: 'string' }, fake: { type: 'string' } } });
if (!values.binary) {
    console.error('usage: run.mjs --binary STILE [--fake FAKE]');
    process.exit(2);
}
const options = {
    binary: values.binary,
    fake: values.fake ?? path.join(path.dirname(values.binary), 'tests', 'data', 'fake'),
};

// Whatever escapes a conversation is a failure with its name, not the end of the others.
function held(name, conversation) {
    return conversation.catch((error) => ok(`${name}: held to its end`, () => Promise.reject(error)));
}

await Promise.all(MODES.map((mode) => held(mode.title, converse(mode, options))));
await Promise.all([held('story', converseStory(options)), held('plans', conversePlans(options)),
    ...MODES.map((mode) => held(`${mode.title}, vault`, converseVault(mode, options)))]);
for (const revision of REVISIONS) await held(revision, converseLegacy(revision, options));
await held('2026-07-28', converseModern(options));
process.exit(finish());
