# SPDX-License-Identifier: MIT
"""The ground under the end-to-end tests: checks, waiting, places, a terminal, processes."""

import os
import pty
import re
import select
import stat
import subprocess
import tempfile
import time

SANITIZER = re.compile(rb'ERROR: \w+Sanitizer|runtime error:|SUMMARY: \w+Sanitizer')


class Failure(Exception):
    """What a test says when the product did something else."""


def check(condition, *message):
    if not condition:
        raise Failure(' '.join(m if isinstance(m, str) else repr(m) for m in message) or 'not so')


def equal(got, wanted, what='value'):
    check(got == wanted, f'{what}: got {got!r}, wanted {wanted!r}')


class Setup:
    """What the runner was told: the same for all tests."""
    binary = None
    fake = None
    patience = 1.0      # factor on deadlines: a sanitizer build is slow
    is_sanitized = False
    template = None     # data directory that holds the trust of tests/data/surfaces/fake.yaml
    surface = None      # the copy of fake.yaml that was trusted
    base = None         # folder of all boxes


def deadline(seconds):
    return time.monotonic() + seconds * Setup.patience


def poll(question, seconds, what):
    """Asks until the answer is true (and returns it), or fails after so many seconds."""
    end = deadline(seconds)
    pause = 0.001
    while True:
        answer = question()
        if answer:
            return answer
        if time.monotonic() > end:
            raise Failure(f'not within {seconds} s: {what}')
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)


# ---- places ----

def is_safe(path):
    """Would the product run a program from here? (owner root or us; nobody else may write)"""
    path = os.path.realpath(path)
    while True:
        info = os.stat(path)
        if info.st_uid not in (0, os.getuid()) or info.st_mode & stat.S_IWOTH:
            return False
        if info.st_mode & stat.S_IWGRP and info.st_gid != 0:
            return False
        if path == '/':
            return True
        path = os.path.dirname(path)


def place():
    """A folder that others cannot write to, for programs: /tmp is none."""
    for candidate in (os.environ.get('STILE_TEST_DIR'), os.environ.get('XDG_RUNTIME_DIR'),
                      os.environ.get('HOME'), os.getcwd(), '/var/lib'):
        if candidate and os.path.isdir(candidate) and os.access(candidate, os.W_OK) \
                and is_safe(candidate):
            return tempfile.mkdtemp(prefix='.stile-e2e-', dir=os.path.realpath(candidate))
    raise SystemExit('no folder that only we can write to; set STILE_TEST_DIR to one')


def environment(**more):
    """What an SDK client hands on, and no more."""
    names = ('HOME', 'LOGNAME', 'SHELL', 'TERM', 'USER', 'ASAN_OPTIONS', 'UBSAN_OPTIONS',
             'LSAN_OPTIONS')
    env = {n: os.environ[n] for n in names if n in os.environ}
    env['PATH'] = '/usr/local/bin:/usr/bin:/bin'
    env.update({k: v for k, v in more.items() if v is not None})
    return env


# ---- trust: a person at a terminal ----

def at_terminal(argv, env, answer, seconds=20):
    """Runs argv on a terminal of its own. answer(text so far) gives what the person types, or None
    while there is nothing to say. Returns (exit status, all text)."""
    master, slave = pty.openpty()
    name = os.ttyname(slave)
    # A session leader that opens a terminal makes it its controlling one.
    child = subprocess.Popen(['sh', '-c', f'exec "$0" "$@" <{name} >{name} 2>&1', *argv], env=env,
                             start_new_session=True)
    text = b''
    answered = False
    end = deadline(seconds)
    try:
        while time.monotonic() < end:
            is_over = child.poll() is not None
            while select.select([master], [], [], 0 if is_over else 0.02)[0]:
                text += os.read(master, 65536)
            if is_over:
                return child.returncode, text.decode('utf-8', 'replace')
            line = None if answered else answer(text.decode('utf-8', 'replace'))
            if line is not None:
                os.write(master, line.encode() + b'\n')
                answered = True
        raise Failure('still waiting at the terminal after: ' + text.decode('utf-8', 'replace'))
    finally:
        child.kill()
        child.wait()
        os.close(master)
        os.close(slave)     # kept till now: without an open side the terminal reads as gone


def last_four(text):
    """The answer that consents: the last four characters of the surface's digest."""
    if not re.search(r'last four[^\n]*[:?>]\s*$', text, re.IGNORECASE):
        return None
    digests = re.findall(r'\b[0-9a-f]{64}\b', text)
    return digests[0][-4:] if digests else None


def trust(binary, data, path, env=None):
    status, text = at_terminal([binary, 'surface', 'trust', path],
                               environment(STILE_DATA_DIR=data, **(env or {})), last_four)
    check(status == 0, f'surface trust {path}: exit status {status}:\n{text}')


def last_of_id(text):
    """What approves: the last four characters of the plan's id, once they are asked for."""
    if 'last four' not in text or not text.rstrip(' ').endswith(':'):
        return None
    return text[text.index('pln_'):][:20][-4:]


# ---- processes ----

def processes(folder):
    """Living processes whose program, working folder or arguments lie in a folder."""
    found = []
    needle = folder.encode()
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/cmdline', 'rb') as f:
                words = f.read()
            with open(f'/proc/{pid}/stat', 'rb') as f:
                state = f.read().rsplit(b')', 1)[1].split()[0]
            links = [os.readlink(f'/proc/{pid}/{link}').encode() for link in ('exe', 'cwd')]
        except OSError:
            continue
        if state != b'Z' and any(needle in text for text in [words, *links]):
            found.append(int(pid))
    return [pid for pid in found if pid != os.getpid()]


def children(pid):
    """Direct children, zombies included."""
    try:
        with open(f'/proc/{pid}/task/{pid}/children') as f:
            return [int(word) for word in f.read().split()]
    except OSError:
        return []


def memory_kib(pid, field='VmHWM'):
    with open(f'/proc/{pid}/status') as f:
        for line in f:
            if line.startswith(field + ':'):
                return int(line.split()[1])
    raise Failure(f'no {field} of process {pid}')


def exe(pid):
    try:
        return os.readlink(f'/proc/{pid}/exe')
    except OSError:
        return ''


def comm(pid):
    """The name it goes by."""
    try:
        with open(f'/proc/{pid}/comm', encoding='utf-8') as f:
            return f.read().strip()
    except OSError:
        return ''


def kill(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def is_alive(pid):
    try:
        with open(f'/proc/{pid}/stat', 'rb') as f:
            return f.read().rsplit(b')', 1)[1].split()[0] != b'Z'
    except OSError:
        return False


def test(title):
    """Marks a function as a test of that name."""
    def mark(function):
        function.title = title
        return function
    return mark
