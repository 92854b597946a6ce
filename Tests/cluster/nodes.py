"""A cluster of PostgreSQL on the loopback: etcd, and three nodes of Patroni that replicate synchronously."""

import ctypes
import glob
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

# The seconds after which Patroni replaces a primary that gives no sign of life, between two looks, and for a request to
# etcd. The first is at least the second and twice the third.
TIMES = {"ttl": 5, "loop_wait": 1, "retry_timeout": 2}
START_LIMIT = 120
HOST = "127.0.0.1"


def programs():
    """Returns the folder with the programs of the newest server, or None."""
    def version(path):
        return float(path.split("/")[4])
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=version, reverse=True)
    found = folders[0] if folders else shutil.which("initdb")
    return os.path.dirname(os.path.realpath(found)) if found else None


def free_ports(count):
    sockets = [socket.create_server((HOST, 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def end_with_parent():
    """Makes the kernel end the process with this one, even if this one is killed."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


class Node:
    def __init__(self, name, port, rest):
        self.name, self.port, self.rest = name, port, rest
        self.process = None

    def answers(self, path):
        """Returns whether Patroni confirms that the node has a role, such as `primary`."""
        try:
            with urllib.request.urlopen(f"http://{HOST}:{self.rest}/{path}", timeout=2) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False


class Cluster:
    def __init__(self):
        # The server refuses to run as root.
        self.user = "postgres" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
        self.folder = tempfile.mkdtemp(prefix="quire-cluster-", dir="/tmp")
        os.chmod(self.folder, 0o755)
        ports = free_ports(8)
        self.etcd_ports = ports[:2]
        self.nodes = [Node(f"node{n + 1}", ports[2 + n], ports[5 + n]) for n in range(3)]
        self.etcd = None

    def address(self, nodes=None, session="read-write"):
        """Returns the address of the database on the given nodes."""
        hosts = ",".join(f"{HOST}:{node.port}" for node in nodes or self.nodes)
        return f"postgresql://{hosts}/postgres?user=postgres&target_session_attrs={session}"

    # --- Starting and stopping

    def start(self):
        client, peer = (f"http://{HOST}:{port}" for port in self.etcd_ports)
        data = self.own_folder("etcd")
        self.etcd = self.run(
            "etcd", "etcd", "--data-dir", data, "--listen-client-urls", client, "--advertise-client-urls", client,
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", f"default={peer}", "--unsafe-no-fsync")
        for node in self.nodes:
            data = self.own_folder(node.name)
            with open(f"{self.folder}/{node.name}.yml", "w") as file:
                json.dump(self.settings(node, data), file)
            self.start_node(node)
        self.wait_until_healthy()

    def own_folder(self, name):
        path = f"{self.folder}/{name}"
        os.mkdir(path, 0o700)
        shutil.chown(path, self.user)
        return path

    def settings(self, node, folder):
        """Returns the settings of a node. JSON is YAML, too."""
        postgresql = f"{HOST}:{node.port}"
        rest = f"{HOST}:{node.rest}"
        trust = ["local all all trust", f"host all all {HOST}/32 trust", f"host replication all {HOST}/32 trust"]
        return {
            "scope": "quire", "name": node.name, "etcd3": {"host": f"{HOST}:{self.etcd_ports[0]}"},
            "restapi": {"listen": rest, "connect_address": rest},
            "bootstrap": {
                # A save is confirmed after two nodes have written it, and waits as long as no second node runs.
                "dcs": {**TIMES, "synchronous_mode": True, "synchronous_mode_strict": True,
                        "postgresql": {"use_pg_rewind": True, "use_slots": True}},
                "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, "data-checksums", "no-sync"]},
            "postgresql": {
                "listen": postgresql, "connect_address": postgresql, "data_dir": f"{folder}/data",
                "bin_dir": programs(), "pgpass": f"{folder}/pgpass", "pg_hba": trust,
                "parameters": {"unix_socket_directories": folder, "shared_buffers": "32MB"},
                "authentication": {"superuser": {"username": "postgres"}, "replication": {"username": "postgres"}}}}

    def start_node(self, node):
        node.process = self.run(node.name, "patroni", f"{self.folder}/{node.name}.yml")

    def run(self, name, *command):
        """Starts a program as the cluster's user. Its output goes to a file in the cluster's folder."""
        group = pwd.getpwnam(self.user).pw_gid
        rights = {"user": self.user, "group": group, "extra_groups": []} if os.getuid() == 0 else {}
        with open(f"{self.folder}/{name}.log", "ab") as log:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
                                    preexec_fn=end_with_parent, **rights)

    def stop(self):
        for node in self.nodes:
            self.kill(node)
        if self.etcd:
            self.etcd.kill()
            self.etcd.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    # --- The state of the nodes

    def primary(self):
        """Returns the node that takes saves, or None."""
        return next((node for node in self.nodes if node.answers("primary")), None)

    def wait_for_primary(self, seconds):
        """Waits until a node takes saves, at most for the given time."""
        ends = time.monotonic() + seconds
        while not self.primary() and time.monotonic() < ends:
            time.sleep(0.1)

    def is_healthy(self):
        """Returns whether one node takes saves, two follow it, and saves wait for one of these two."""
        roles = [[role for role in ("primary", "replica", "sync") if node.answers(role)] for node in self.nodes]
        return sorted(roles) == [["primary"], ["replica"], ["replica", "sync"]]

    def wait_until_healthy(self):
        """Waits until the nodes are healthy for some seconds: a node answers with the roles of its last look."""
        ends = time.monotonic() + START_LIMIT
        since = None
        while since is None or time.monotonic() < since + 2 * TIMES["loop_wait"]:
            if time.monotonic() > ends:
                raise SystemExit(f"cluster: the nodes are not ready after {START_LIMIT} s:\n{self.logs()}")
            time.sleep(0.2)
            since = (since or time.monotonic()) if self.is_healthy() else None

    def logs(self):
        parts = []
        for path in sorted(glob.glob(f"{self.folder}/*.log")):
            with open(path, errors="replace") as file:
                parts.append(f"--- {os.path.basename(path)}\n{''.join(file.readlines()[-15:])}")
        return "".join(parts)

    # --- Kills

    def kill(self, node, only_server=False):
        """Kills the server of a node with all its processes, and Patroni too unless `only_server` is set."""
        if node.process and not only_server:
            node.process.kill()
            node.process.wait()
        try:
            with open(f"{self.folder}/{node.name}/data/postmaster.pid") as file:
                server = int(file.readline())
            with open(f"/proc/{server}/task/{server}/children") as file:
                processes = [server, *map(int, file.read().split())]
        except (OSError, ValueError):
            return
        for process in processes:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
