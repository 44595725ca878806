// SPDX-License-Identifier: MIT
// TAP lines, and waiting for an event until a deadline.

let count = 0;
let failed = 0;

export async function ok(name, body) {
    try {
        await body();
        console.log(`ok ${++count} - ${name}`);
    } catch (error) {
        failed++;
        console.log(`not ok ${++count} - ${name}`);
        for (const line of String(error?.stack ?? error).split('\n')) console.log(`# ${line}`);
    }
}

export function finish() {
    console.log(`1..${count}`);
    return failed === 0 ? 0 : 1;
}

// Asks until the answer is true, and gives it; every wait ends.
export async function poll(question, seconds, what) {
    const end = Date.now() + seconds * 1000;
    for (;;) {
        const answer = await question();
        if (answer) return answer;
        if (Date.now() > end) throw new Error(`not within ${seconds} s: ${what}`);
        await new Promise((resolve) => setTimeout(resolve, 30));
    }
}
