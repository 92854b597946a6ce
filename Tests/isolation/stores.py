"""The stores whose histories are judged: how they are made, and what goes wrong with them meanwhile."""

import ctypes
import glob
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time

START_LIMIT = 60


class Disk:
    """A small disk in memory, which can be filled up. Without the right to mount it, a folder that is never full."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="quire-isolation-")
        mount = ["mount", "-t", "tmpfs", "-o", "size=32m,mode=755", "quire-isolation", self.folder]
        done = subprocess.run(mount, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.is_small = done.returncode == 0
        self.filler = f"{self.folder}/filler"

    def fill(self):
        """Fills the disk to its last byte."""
        with open(self.filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(65_536))
            except OSError:
                pass

    def empty(self):
        """Removes what filled the disk."""
        if os.path.exists(self.filler):
            os.remove(self.filler)

    def end(self):
        if self.is_small:
            subprocess.run(["umount", "-l", self.folder], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


class FileStore:
    """A store or a document in files."""

    def __init__(self, name, kind=None, environment=None):
        self.name, self.kind = name, kind or name
        self.environment = environment or {}
        self.disk = None
        self.count = 0

    def missing(self):
        """Returns why the store can not be judged here, or None."""
        return None

    def start(self):
        self.disk = Disk()

    def new_address(self):
        """Returns the address of a new store. The former ones are removed."""
        self.count += 1
        for path in glob.glob(f"{self.disk.folder}/store-*"):
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        return f"{self.disk.folder}/store-{self.count}"

    def faults(self, unit):
        """Returns the kinds of faults that histories may have."""
        kinds = ["full disk"] if self.disk.is_small else []
        return kinds + (["kills"] if unit != "contexts" else [])

    def harm(self, chance):
        """Makes something go wrong with the store, for a moment."""
        self.disk.fill()
        time.sleep(chance.uniform(0.02, 0.2))
        self.disk.empty()

    def end(self):
        if self.disk:
            self.disk.end()


class MemoryStore(FileStore):
    """A store in memory, which one process has."""

    def __init__(self):
        super().__init__("memory")

    def start(self):
        pass

    def new_address(self):
        return "/dev/null"

    def faults(self, unit):
        return []


class PluginStore(FileStore):
    """A store whose backend is loaded from a library, through the interface of plug-ins."""

    def __init__(self, name, kind, manifest, make_library):
        super().__init__(name, kind)
        self.manifest, self.make_library = manifest, make_library

    def missing(self):
        return None if os.path.exists(self.manifest) else f"there is no {self.manifest}"

    def start(self):
        super().start()
        # Not on the small disk, where the library would be the larger part.
        self.plugins = tempfile.mkdtemp(prefix="quire-isolation-plugins-")
        folder = f"{self.plugins}/{os.path.basename(os.path.dirname(self.manifest))}"
        os.mkdir(folder)
        shutil.copy(self.manifest, folder)
        self.make_library(folder)
        self.environment = {"QUIRE_JUDGED_PLUGINS": self.plugins}

    def end(self):
        super().end()
        shutil.rmtree(getattr(self, "plugins", ""), ignore_errors=True)


def server_programs():
    """Returns the folder with the programs of the newest PostgreSQL server, or None."""
    folders = glob.glob("/usr/lib/postgresql/*/bin/initdb")
    folders.sort(key=lambda path: float(path.split("/")[4]))
    found = folders[-1] if folders else shutil.which("initdb")
    return os.path.dirname(os.path.realpath(found)) if found else None


class ServerStore:
    """A store on a PostgreSQL server, which is killed and started again."""

    name = kind = "PostgreSQL"
    environment = {}

    def __init__(self):
        self.folder = self.server = None
        self.count = 0

    def missing(self):
        return None if server_programs() else "PostgreSQL is not installed"

    def start(self):
        # The server refuses to run as root.
        self.user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.getuid() == 0 else {}
        self.folder = tempfile.mkdtemp(prefix="quire-isolation-", dir="/tmp")
        os.chmod(self.folder, 0o755)
        os.mkdir(f"{self.folder}/server", 0o755)
        if self.user:
            shutil.chown(f"{self.folder}/server", "postgres")
        subprocess.run([f"{server_programs()}/initdb", "-D", f"{self.folder}/server/data", "-A", "trust", "-U", "quire", "-E",
                        "UTF8", "--locale=C.UTF-8", "--no-sync"], check=True, stdout=subprocess.DEVNULL, cwd="/", **self.user)
        self.start_server()

    def start_server(self):
        folder = f"{self.folder}/server"
        with open(f"{self.folder}/log", "ab") as log:
            self.server = subprocess.Popen(
                [f"{server_programs()}/postgres", "-D", f"{folder}/data", "-c", "listen_addresses=", "-c",
                 f"unix_socket_directories={folder}", "-c", "max_connections=100", "-c", "shared_buffers=16MB"],
                stdout=log, stderr=log, cwd="/", preexec_fn=end_with_parent, **self.user)
        ready = [f"{server_programs()}/pg_isready", "-q", "-h", folder]
        ends = time.monotonic() + START_LIMIT
        while subprocess.run(ready, check=False).returncode != 0:
            if time.monotonic() > ends:
                raise SystemExit(f"isolation: the server does not start: see {self.folder}/log")
            time.sleep(0.05)

    def new_address(self):
        self.count += 1
        return f"postgresql:///postgres?host={self.folder}/server&user=quire&schema=history_{self.count}"

    def faults(self, unit):
        return ["server killed"] + (["kills"] if unit != "contexts" else [])

    def harm(self, chance):
        self.kill_server()
        time.sleep(chance.uniform(0, 0.2))
        self.start_server()

    def kill_server(self):
        """Kills all processes of the server at once."""
        with open(f"/proc/{self.server.pid}/task/{self.server.pid}/children") as file:
            processes = [self.server.pid, *map(int, file.read().split())]
        for process in processes:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.server.wait()

    def end(self):
        if self.server:
            self.kill_server()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


class ClusterStore:
    """A store on a cluster of PostgreSQL servers, whose primary is killed so that another server takes its place."""

    name, kind = "PostgreSQL cluster", "PostgreSQL"
    environment = {}

    def __init__(self):
        self.cluster = None
        self.count = 0

    def missing(self):
        has_all = server_programs() and shutil.which("patroni") and shutil.which("etcd")
        return None if has_all else "PostgreSQL, Patroni or etcd is not installed"

    def start(self):
        from nodes import Cluster
        self.cluster = Cluster()
        self.cluster.start()

    def new_address(self):
        self.count += 1
        return f"{self.cluster.address()}&schema=history_{self.count}"

    def faults(self, unit):
        return ["primary killed"]

    def harm(self, chance):
        node = self.cluster.primary()
        self.cluster.kill(node)
        self.cluster.wait_for_primary(15)
        self.cluster.start_node(node)
        self.cluster.wait_until_healthy()

    def end(self):
        if self.cluster:
            self.cluster.stop()


def end_with_parent():
    """Makes the kernel end a process with this one, even if this one is killed."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def all_stores(products):
    """Returns all stores, whether they can be judged here or not."""
    def copy_library(name):
        return lambda folder: shutil.copy(f"{products}/{name}", folder)

    def compile_example(folder):
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-ISources/CStorePlugin/include", "-ISources/CArrow/include",
                        *glob.glob("Examples/LMDBStore/*.c"), "-o", f"{folder}/libLMDBStore.so", "-llmdb", "-lm", "-pthread"],
                       check=True)

    return [MemoryStore(), FileStore("binary", "Binary"), FileStore("compressed", "CompressedBinary"), FileStore("XML"),
            FileStore("SQLite"), ServerStore(), ClusterStore(), FileStore("document"),
            FileStore("document of two stores", "documents"),
            PluginStore("SQLite as a plug-in", "SQLite", "Plugins/SQLiteStore/plugin.json", copy_library("libSQLiteStorePlugin.so")),
            PluginStore("LMDB as a plug-in", "LMDB", "Examples/LMDBStore/plugin.json", compile_example)]
