#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the documentation says is run: run.py --binary PATH

Pages are README.md, SECURITY.md, ARCHITECTURE.md and docs/*.md. Of each page:

  yaml     a block is a whole surface file (it begins with `stile: 1`) and must pass `stile surface
           check`; or it says in a comment on its first line what it is; `# config.yaml` is read,
           `# policy.yaml` is read and stays in force for the page's commands
  sh       `#!/bin/sh` is a program, named in the comment on its second line; commands find it
  console  each line that begins with `$ ` is run by bash, on a terminal, in a git repository made
           for the page, and must end with exit status 0. Lines below it are its output: each must
           come, in this order; `…` stands for anything. What is typed at a question is the text
           behind its colon; at the one for the last characters of a digest or a plan's id, those. In
           a command, `pln_…` is the plan's id that was printed last
  links    to files of this repository lead somewhere

The whole surface files of a page stand in its repository under the name of their surface. Then:
every key of surface files is explained, man pages are clean, and the completion completes. Prints TAP.
"""
import argparse
import glob
import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
from base import place  # noqa: E402

DEADLINE_S = 60
TYPED = re.compile(r"^(.*[Tt]ype .*: )(\S+)$")
LAST_FOUR = {  # the end of a question -> whose last four characters are its answer
    "last four characters of the digest: ": r"^digest +(\S+)$",
    "last four characters of the plan's id: ": r"^plan +(\S+)$",
}
PLAN = re.compile(r"\bpln_[0-9a-f]{16}\b")


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def case(self, name, why):
        """One case; why is None, or what is wrong."""
        self.count += 1
        self.failed += why is not None
        print(f"{'ok' if why is None else 'not ok'} {self.count} - {name}")
        for line in (why or "").splitlines():
            print(f"#   {line}")


# ---- pages ----


class Block:
    def __init__(self, kind, line):
        self.kind = kind
        self.line = line
        self.lines = []

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"


def blocks_of(path):
    blocks, block = [], None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file.read().splitlines(), 1):
            if line.startswith("```"):
                if block is not None:
                    blocks.append(block)
                block = None if block is not None else Block(line[3:].strip(), number)
            elif block is not None:
                block.lines.append(line)
    return blocks


def links_of(path):
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"```.*?```", "", file.read(), flags=re.S)
    return [link.split("#")[0] for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]


def commands_of(block):
    """(command, lines of shown output) of a console block."""
    commands = []
    for line in block.lines:
        if line.startswith("$ "):
            commands.append([line[2:], []])
        elif commands and commands[-1][0].endswith("\\") and not commands[-1][1]:
            commands[-1][0] = commands[-1][0][:-1] + line
        elif commands:
            commands[-1][1].append(line)
    return commands


# ---- the world of one page ----


class World:
    """A repository, a data directory, and a home of their own."""

    def __init__(self, folder, binary):
        self.folder = folder
        self.repository = os.path.join(folder, "project")
        self.programs = os.path.join(folder, "bin")
        self.plan = None  # the id that was printed last
        home = os.path.join(folder, "home")
        for path in (self.repository, self.programs, home):
            os.mkdir(path)
        os.symlink(binary, os.path.join(self.programs, "stile"))
        self.env = {
            "PATH": self.programs + ":/usr/local/bin:/usr/bin:/bin", "HOME": home, "LANG": "C.UTF-8",
            "STILE_DATA_DIR": os.path.join(folder, "data"), "TERM": "dumb", "PAGER": "cat",
        }
        self.fill()

    def fill(self):
        self.git("config", "--global", "user.name", "Ada")
        self.git("config", "--global", "user.email", "ada@example.org")
        self.git("init", "--quiet", "--initial-branch=main")
        for name, text in (("README", "A project.\n"), ("notes.txt", "one two\nthree\n")):
            with open(os.path.join(self.repository, name), "w", encoding="utf-8") as file:
                file.write(text)
            self.git("add", name)
            self.git("commit", "--quiet", "-m", f"Add {name}")

    def git(self, *words):
        subprocess.run(["git", *words], cwd=self.repository, env=self.env, check=True)

    def save(self, block):
        """A whole surface file, under the name of its surface."""
        name = re.search(r"^surface: *(\S+)", block.text, re.M).group(1)
        with open(os.path.join(self.repository, name + ".yaml"), "w", encoding="utf-8") as file:
            file.write(block.text)
        return name + ".yaml"

    def save_program(self, block):
        name = re.match(r"#!/bin/sh\n# (\w+)", block.text).group(1)
        with open(os.path.join(self.programs, name), "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), 0o755)
            file.write(block.text)

    def save_private(self, name, block):
        """A file of the data directory, as the owner of the host writes it."""
        path = os.path.join(self.env["STILE_DATA_DIR"], name)
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(block.text)
        return path

    def on_terminal(self, command, answers):
        """Runs command as a person would, typing answers; returns exit status and what came."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.repository)
            os.execve("/bin/bash", ["bash", "-c", command], self.env)
        text, answers, end = "", list(answers), time.monotonic() + DEADLINE_S
        while True:
            ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
            if not ready:
                os.kill(pid, 9)
                os.waitpid(pid, 0)
                os.close(terminal)
                return -1, text + "\n(it did not end)"
            try:
                data = os.read(terminal, 65536)
            except OSError:  # the other end of the terminal is closed
                data = b""
            if not data:
                break
            text += data.decode("utf-8", "replace").replace("\r\n", "\n")
            answer = self.answer(text, answers) if text.endswith(": ") else None
            if answer is not None:
                os.write(terminal, (answer + "\n").encode())
        _, status = os.waitpid(pid, 0)
        os.close(terminal)
        self.plan = (PLAN.findall(text) or [self.plan])[-1]
        return os.waitstatus_to_exitcode(status), text

    @staticmethod
    def answer(text, answers):
        for question, whose in LAST_FOUR.items():
            if text.endswith(question):
                return re.search(whose, text, re.M).group(1)[-4:]
        return answers.pop(0) if answers else None


def matches(shown, line):
    return re.fullmatch(".*".join(re.escape(part) for part in shown.split("…")), line) is not None


def compare(shown, came):
    """Each shown line must come, in this order."""
    lines = iter(line.rstrip() for line in came.splitlines())
    for want in (line.rstrip() for line in shown):
        if want and want != "…" and not any(matches(want, line) for line in lines):
            return f"this line does not come: {want}\nwhat came:\n{came}"
    return None


def run_command(world, command, shown):
    answers = [found.group(2) for found in map(TYPED.match, shown) if found and found.group(2) != "…"]
    status, came = world.on_terminal(command.replace("pln_…", world.plan or "pln_…"), answers)
    if status != 0:
        return f"exit status {status}\n{came}"
    return compare(shown, came)


# ---- cases ----


def check_config(tap, world, name, block):
    """It is read by a call; then the page goes on without it."""
    path = world.save_private("config.yaml", block)
    tap.case(name + "is read", run_command(world, "stile call git_branches --surface git", []))
    os.unlink(path)


def check_yaml(tap, world, page, block):
    name = f"{page}:{block.line}: "
    if block.lines[:1] == ["# config.yaml"]:
        check_config(tap, world, name, block)
        return
    if block.lines[:1] == ["# policy.yaml"]:
        world.save_private("policy.yaml", block)
        tap.case(name + "is read", run_command(world, "stile authz status", ["mode …enforced"]))
        return
    if not block.text.startswith("stile: 1\n"):
        is_marked = block.lines and block.lines[0].startswith("# ")
        tap.case(name + "says what it is", None if is_marked else "neither whole nor marked")
        return
    status, came = world.on_terminal(f"stile surface check ./{world.save(block)}", [])
    tap.case(name + "is proved safe", None if status == 0 else came)


def check_page(tap, page, binary):
    path = os.path.join(ROOT, page)
    blocks = blocks_of(path)
    folder = place()  # programs are run from no folder that others can write to
    try:
        world = World(folder, binary)
        for block in (block for block in blocks if block.text.startswith("#!/bin/sh\n# ")):
            world.save_program(block)
        for block in (block for block in blocks if block.kind == "yaml"):
            check_yaml(tap, world, page, block)
        for block in (block for block in blocks if block.kind == "console"):
            for command, shown in commands_of(block):
                tap.case(f"{page}:{block.line}: {command}", run_command(world, command, shown))
    finally:
        shutil.rmtree(folder)
    for link in dict.fromkeys(links_of(path)):
        there = os.path.exists(os.path.join(os.path.dirname(path), link)) if link else True
        tap.case(f"{page}: link to {link or 'itself'}", None if there else "there is no such file")


def keys_of(schema, keys):
    """Names of all properties in the schema of surface files."""
    if isinstance(schema, dict):
        keys.update(schema.get("properties", {}) if isinstance(schema.get("properties"), dict) else {})
        for value in schema.values():
            keys_of(value, keys)
    elif isinstance(schema, list):
        for value in schema:
            keys_of(value, keys)
    return keys


def check_keys(tap, binary):
    text = subprocess.run([binary, "surface", "schema"], capture_output=True, check=True).stdout
    keys = keys_of(json.loads(text), set())
    with open(os.path.join(ROOT, "docs/surfaces.md"), encoding="utf-8") as file:
        page = file.read()
    missing = sorted(key for key in keys if not re.search(rf"`[^`\n]*\b{re.escape(key)}\b[^`\n]*`", page))
    tap.case("docs/surfaces.md explains every key", f"not: {missing}" if missing else None)


def check_man(tap, binary):
    made = os.path.join(os.path.dirname(binary), "man", "stile.1")
    for path in (made, os.path.join(ROOT, "man", "stile-surface.5")):
        for command in (["man", "--warnings", "-l", path], ["groff", "-man", "-Kutf8", "-ww", "-Tutf8", "-z", path]):
            done = subprocess.run(command, capture_output=True, text=True, check=False,
                                  env={**os.environ, "MANPAGER": "cat", "MANWIDTH": "80"})
            why = done.stderr if done.returncode != 0 or done.stderr else None
            tap.case(f"{os.path.basename(path)} is clean for {command[0]}", why)


def check_completion(tap, binary):
    script = """
source <("$1" completion bash)
COMP_LINE=$2 COMP_POINT=${#2}
read -ra COMP_WORDS <<<"$2"
[[ $2 == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_stile
printf '%s\\n' "${COMPREPLY[@]}"
"""
    for line, wanted in (("stile aud", ["audit"]), ("stile surface ch", ["check"]),
                         ("stile mcp ", ["serve"]), ("stile mcp serve --allow-w", ["--allow-write"]),
                         ("stile vault file up", ["upload"]), ("stile vault file put --ex", ["--expect"]),
                         ("stile call git_log --r", ["--root"])):
        done = subprocess.run(["bash", "-c", script, "bash", binary, line], capture_output=True,
                              text=True, check=False)
        got = done.stdout.split()
        tap.case(f"bash completes {line!r}", None if got == wanted else f"{got}\n{done.stderr}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    binary = os.path.abspath(parser.parse_args().binary)
    tap = Tap()
    pages = ["README.md", "SECURITY.md", "ARCHITECTURE.md"] + sorted(
        os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, "docs", "*.md")))
    for page in pages:
        check_page(tap, page, binary)
    check_keys(tap, binary)
    check_man(tap, binary)
    check_completion(tap, binary)
    print(f"1..{tap.count}")
    sys.exit(tap.failed > 0)


main()
