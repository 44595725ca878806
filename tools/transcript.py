#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A vault that is left to try, and a readable transcript of how an owner and an agent use it.

    tools/transcript.py BINARY [FOLDER]

FOLDER is `quickstart-vault` of this project. A second run adds another workspace to it.
"""
import collections
import grp
import json
import os
import pwd
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STAGE = "01-research"
CONTRACT = f"stages/{STAGE}/CONTEXT.md"
BRIEF = f"stages/{STAGE}/output/brief.md"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "quickstart", "version": "1"},
}


def is_safe(path):
    """Would stile start a program from here? Nobody else may be able to put another one there."""
    while True:
        info = os.stat(path)
        if info.st_uid not in (0, os.geteuid()) or info.st_mode & stat.S_IWOTH:
            return False
        if info.st_mode & stat.S_IWGRP and info.st_gid != 0 and \
                grp.getgrgid(info.st_gid).gr_name != pwd.getpwuid(os.geteuid()).pw_name:
            return False
        if path == "/":
            return True
        path = os.path.dirname(path)


def aligned(lines):
    """The columns of a table, as wide as what is left in them."""
    rows = [re.split(r" {2,}", line) for line in lines]
    if len({len(row) for row in rows}) != 1:
        return lines
    widths = [max(len(cell) for cell in column) for column in zip(*rows)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


class Place:
    """The folder of the vault, its program, and what names them in commands."""

    def __init__(self, binary, folder):
        if not is_safe(os.path.realpath(os.path.dirname(folder))):
            # The vault's tools start stile again, which it does from no place such as /tmp.
            data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
            folder = os.path.join(data, "stile-quickstart")
        self.folder = folder
        self.work = os.path.join(folder, "work")
        self.binary = binary
        self.is_new = not os.path.exists(self.token("writer"))
        if self.is_new and os.path.isdir(folder) and os.listdir(folder):
            sys.exit(f"quickstart: {folder} holds something else, or a run that did not end; remove it")
        os.makedirs(self.work, exist_ok=True)
        os.chmod(folder, 0o700)
        if not is_safe(os.path.realpath(os.path.dirname(binary))):
            self.binary = os.path.join(folder, "stile")
            shutil.copy2(binary, self.binary + ".new")
            os.replace(self.binary + ".new", self.binary)   # a client may run the old one

    def token(self, name):
        return os.path.join(self.folder, f"{name}.token")

    def env(self, name):
        return {"STILE_DATA_DIR": os.path.join(self.folder, "data"), "STILE_TOKEN_FILE": self.token(name)}

    def short(self, text):
        """Paths from the folder, and of ids the end: enough to tell them apart."""
        return re.sub(r"\b([a-z]{3}_)[0-9a-z]{22}([0-9a-z]{4})\b", r"\1…\2", text.replace(self.folder + "/", ""))

    def stile(self, *words, stdin=None, show=1, shown=None):
        """A command of the owner: `$` and the first lines of its output. Returns the output."""
        command = ["stile", *words]
        print(f"$ {self.short(shown or shlex.join(command))}")
        done = subprocess.run([self.binary, *words], env={**os.environ, **self.env("owner")}, input=stdin,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=PROJECT)
        if done.returncode != 0:
            sys.exit(f"quickstart: {done.stderr}")
        for line in aligned(self.short(done.stdout).splitlines()[:show]):
            print("  " + line)
        return done.stdout

    def ask(self, *words):
        """The same, unseen: the result in JSON."""
        out = subprocess.run([self.binary, *words, "--json"], env={**os.environ, **self.env("owner")},
                             stdout=subprocess.PIPE, text=True, check=True).stdout
        return json.loads(out)["result"]


class Agent:
    """The smallest MCP client of the modern era, in one stage of a workspace."""

    def __init__(self, place, words):
        self.place = place
        self.next_id = 0
        self.notes = collections.deque()
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/",
            env={"PATH": os.environ["PATH"], **place.env("writer")})

    def send(self, method, **params):
        self.next_id += 1
        message = {"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": {**params, "_meta": META}}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        return self.next_id

    def receive(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit("quickstart: the server ended")
        return json.loads(line)

    def request(self, method, **params):
        identity = self.send(method, **params)
        while True:
            message = self.receive()
            if message.get("id") == identity:
                return message
            self.notes.append(message.get("method"))

    def note(self, method):
        """Waits for a notification."""
        while method not in self.notes:
            self.notes.append(self.receive().get("method"))
        self.notes.remove(method)
        print(f"← {method}")

    def tools(self):
        print("→ tools/list")
        names = [tool["name"] for tool in self.request("tools/list")["result"]["tools"]]
        if not names:
            sys.exit("quickstart: the server shows nothing; it says why above")
        line = ""
        for name in names:
            if len(line) + len(name) > 96:
                print("  " + line.rstrip())
                line = ""
            line += name + "  "
        print("  " + line.rstrip())

    def call(self, tool, show=None, **arguments):
        """A call and what came of it: both an answer and a refusal are something to see."""
        print(f"→ {tool} {self.place.short(json.dumps(arguments))}")
        answer = self.request("tools/call", name=tool, arguments=arguments)
        if "error" in answer:
            print(f"  refused: {answer['error']['message']} ({answer['error']['code']})")
            return
        result = answer["result"]
        if result.get("isError"):
            print("  refused: " + self.place.short(result["content"][0]["text"].splitlines()[0]))
            return
        print("  " + (show(result["structuredContent"]) if show else "done"))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def prepare(place):
    print("The owner makes a vault, a template, and an agent who may do nothing yet:")
    place.stile("vault", "init", "--org", "acme", "--owner", "ada", "--out", place.token("owner"), show=0)
    place.stile("vault", "file", "upload", "--recursive", "templates/article/.", "/article", show=0)
    place.stile("vault", "template", "create", "/article", show=0)
    place.stile("vault", "template", "publish", "article", show=0)
    place.stile("vault", "principal", "add", "writer", "--kind", "agent", show=0)


def token(place):
    """A new one each time, for it ends. Clients find it where the old one was."""
    words = ["vault", "token", "issue", "writer", "--expires-in", "30d", "--out"]
    if os.path.exists(place.token("new")):
        os.unlink(place.token("new"))
    place.stile(*words, place.token("new"), show=0, shown=shlex.join(["stile", *words, place.token("writer")]))
    os.replace(place.token("new"), place.token("writer"))


def workspace(place):
    """A new one each time: /owls, /owls-2, …"""
    taken = {entry["name"] for entry in place.ask("vault", "folder", "list", "/")["entries"]}
    name, number = "owls", 1
    while name in taken:
        number += 1
        name = f"owls-{number}"
    place.stile("vault", "workspace", "instantiate", "article", f"/{name}", "--set", "topic=Owls")
    place.stile("vault", "grant", "set", f"/{name}", "writer", "write")
    return name, place.ask("vault", "folder", "info", f"/{name}")["id"]


def widen(place, name):
    """The owner gives the stage three tools more."""
    file = f"/{name}/{CONTRACT}"
    text = place.ask("vault", "file", "get", file)["content"]
    more = "".join(f"    - vault_workspace_{verb}\n" for verb in ("checkout", "status", "commit"))
    text = text.replace("    - vault_file_put\n", "    - vault_file_put\n" + more)
    place.stile("vault", "file", "put", file, stdin=text,
                shown=f"stile vault file put {file} <with vault_workspace_checkout, status and commit")


def story(place, name, agent):
    print(f"\nThe agent connects to stage {STAGE}. It sees what the stage's contract names:")
    agent.send("subscriptions/listen", notifications={"toolsListChanged": True})
    agent.tools()
    agent.call("vault_file_put", lambda v: f"version {v['version']}", file=BRIEF, content="# Owls\n")
    agent.call("vault_workspace_checkout", dir=os.path.join(place.work, name))
    print("\nThe owner changes the contract, and the agent is told:")
    widen(place, name)
    agent.note("notifications/tools/list_changed")
    checkout = os.path.join(place.work, name)
    agent.call("vault_workspace_checkout", lambda v: f"{v['files']} files", dir=checkout)
    print(f"  … edits {place.short(os.path.join(checkout, BRIEF))}")
    with open(os.path.join(checkout, BRIEF), "a", encoding="utf-8") as f:
        f.write("They see in the dark.\n")
    agent.call("vault_workspace_commit", lambda v: ", ".join(f"{s['path']} version {s['version']}" for s in v["stored"]),
               dir=checkout, message="what they see")
    print("\nWhat it cannot do: use another tool, change its contract, leave its workspace or its folder:")
    agent.call("vault_file_trash", file=BRIEF)
    agent.call("vault_file_put", file=CONTRACT, content="---\nmcp: {tools: [vault_file_trash]}\n---\n")
    agent.call("vault_file_get", file="/article/CLAUDE.md")
    agent.call("vault_workspace_checkout", dir="/etc")


def record(place):
    print("\nThe owner reads what happened, and that nobody changed the record:")
    place.stile("vault", "audit", "list", "--limit", "5", show=6)
    place.stile("vault", "audit", "list", "--scope", "--limit", "2", show=3)
    place.stile("vault", "audit", "verify", show=1)
    place.stile("audit", "verify", show=1)


def connect(place, words):
    env = place.env("writer")
    pairs = [f"{name}={value}" for name, value in env.items()]
    line = shlex.join(["env", *pairs, *words])
    config = {"mcpServers": {"owls": {"command": words[0], "args": words[1:], "env": env}}}
    owner = " ".join(shlex.quote(f"{name}={value}") for name, value in place.env("owner").items())
    print(f"""
The vault is yours to try. Connect your client as that agent (codex mcp add takes the same words):
  claude mcp add owls -- {line}
  {json.dumps(config)}
and be its owner yourself:
  export {owner}
  {shlex.quote(place.binary)} vault folder tree /
All of it is in {place.folder}. README.md goes on from here.""")


def too_long(_signal, _frame):
    sys.exit("quickstart: no answer for two minutes")


def main():
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(120)
    folder = sys.argv[2] if len(sys.argv) > 2 else os.path.join(PROJECT, "quickstart-vault")
    place = Place(os.path.abspath(sys.argv[1]), os.path.abspath(folder))
    if place.is_new:
        prepare(place)
    else:
        print(f"The vault of an earlier run is in {place.folder}. The owner adds a workspace to it:")
    token(place)
    name, workspace_id = workspace(place)
    words = [place.binary, "mcp", "serve", "--surface", "vault", "--workspace", workspace_id, "--stage", STAGE,
             "--root", place.work]
    agent = Agent(place, [*words, "--scope-ttl", "1"])
    story(place, name, agent)
    agent.close()
    record(place)
    connect(place, words)


main()
