#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A readable transcript of an MCP client that uses the git surface, and how to connect yours."""
import json
import os
import subprocess
import sys
import tempfile

BINARY = os.path.abspath(sys.argv[1])
REPOSITORY = os.getcwd()
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "quickstart", "version": "1"},
}


class Client:
    """The smallest MCP client of the modern era: one request a line, one answer a line."""

    def __init__(self, data_dir):
        command = [BINARY, "mcp", "serve", "--surface", "git", "--root", REPOSITORY]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "STILE_DATA_DIR": data_dir})
        self.next_id = 0

    def request(self, method, **params):
        self.next_id += 1
        message = {"jsonrpc": "2.0", "id": self.next_id, "method": method,
                   "params": {**params, "_meta": META}}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            sys.exit(f"quickstart: {method}: {answer['error']['message']}")
        return answer["result"]

    def call(self, tool, **arguments):
        print(f"\n→ {tool} {json.dumps(arguments)}")
        return self.request("tools/call", name=tool, arguments=arguments)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def show(result):
    """The call's answer, or why it was refused: both are answers."""
    if result.get("isError"):
        print("  " + result["content"][0]["text"])
        return None
    return result["structuredContent"]


def transcript(client):
    server = client.request("server/discover")
    print(f"connected: {json.dumps(server['_meta']['io.modelcontextprotocol/serverInfo'])}")
    print("\n→ tools/list")
    for tool in client.request("tools/list")["tools"]:
        writes = "" if tool["annotations"]["readOnlyHint"] else "   (writes)"
        print(f"  {tool['name']:<18} {tool['title']}{writes}")
    status = show(client.call("git_status", untracked="no"))
    if status:
        for line in status["branch"]:
            print(f"  {line['key']}: {line['value']}")
        print(f"  changed files: {len(status['changed'])}")
    log = show(client.call("git_log", limit=3))
    if log:
        for commit in log["items"]:
            print(f"  {commit['commit'][:10]}  {commit['date'][:10]}  {commit['subject']}")
    found = show(client.call("git_grep", pattern="THE ORDER", syntax="fixed", limit=3))
    if found:
        for hit in found["items"]:
            print(f"  {hit['path']}:{hit['line']}: {hit['text'].strip()}")
    print("\nWhat an agent cannot do: smuggle an option, leave its folder, write unless you allow it.")
    show(client.call("git_log", rev="--output=/tmp/x"))
    show(client.call("git_status", path="/etc"))
    show(client.call("git_tag_create", name="mine"))


def main():
    with tempfile.TemporaryDirectory() as data_dir:
        client = Client(data_dir)
        transcript(client)
        client.close()
    serve = f"{BINARY} mcp serve --surface git --root DIR"
    print(f"""
Connect your own client (DIR is the folder it may look at):

  Claude Code   claude mcp add git -- {serve}
  Codex         codex mcp add git -- {serve}

With --allow-write git behind it, it may commit, tag, branch and stash as well: you are asked each
time, in your client. README.md goes on from here: your own program, the record, the tests (./check).""")


main()
