"""Saves on a real file system over a failing device: writes and reads end with an error, and the device goes away.

The device is a server of blocks (nbdkit, with its filter for errors) behind a loop device with ext4. After each round the file
system is mounted again, so that nothing is read from the system's memory: each save that was acknowledged is there.
Needs root, loop devices, FUSE, and the packages nbdkit, libnbd-bin and e2fsprogs; without them the part is left out.
"""

import os
import shutil
import signal
import subprocess
import time

import stores
from kills import check
from tool import copy

PROGRAMS = ["nbdkit", "nbdfuse", "mkfs.ext4", "losetup", "mount", "umount", "e2fsck"]
SIZE = 48 << 20
ROUNDS = 5


def objection():
    """Returns the reason why this system can't have such a device, or None."""
    if os.geteuid() != 0:
        return "only root mounts a file system"
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    missing += [path for path in ["/dev/loop-control", "/dev/fuse"] if not os.path.exists(path)]
    return f"missing: {', '.join(missing)}" if missing else None


class Device:
    """A file system over a device that fails while one of its files of errors exists."""

    def __init__(self, folder, rate):
        self.folder, self.rate = folder, rate
        self.blocks, self.server, self.loop = os.path.join(folder, "blocks"), None, None
        self.mount = os.path.join(folder, "mount")
        os.makedirs(self.mount)
        with open(self.blocks, "wb") as file:
            file.truncate(SIZE)
        with open(self.path("device"), "wb"):
            pass
        self.attach()
        # For a write that begins within a page, FUSE sends two requests. If the server refuses the second request, the loop
        # device reports the short write as complete, and the store loses bytes that were acknowledged. With blocks of a page,
        # every write begins at a page.
        subprocess.run(["mkfs.ext4", "-q", "-b", "4096", self.loop], check=True)
        self.mounted()

    def path(self, name):
        return os.path.join(self.folder, name)

    def attach(self):
        self.server = subprocess.Popen(
            ["nbdfuse", self.path("device"), "--command", "nbdkit", "-s", "--filter=error", "file", self.blocks,
             f"error-pwrite-rate={self.rate}%", f"error-pread-rate={self.rate}%", "error-trim-rate=0", "error-zero-rate=0",
             "error-extents-rate=0", f"error-pwrite-file={self.path('writes')}", f"error-pread-file={self.path('reads')}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        for _ in range(200):
            if os.path.getsize(self.path("device")) == SIZE:
                break
            time.sleep(0.02)
        self.loop = subprocess.run(
            ["losetup", "-f", "--show", self.path("device")], check=True, capture_output=True, text=True).stdout.strip()

    def mounted(self):
        subprocess.run(["mount", "-o", "errors=remount-ro", self.loop, self.mount], check=True)

    def detach(self):
        for _ in range(100):
            if subprocess.run(["umount", self.mount], capture_output=True).returncode == 0:
                break
            time.sleep(0.05)
        else:
            subprocess.run(["umount", "-l", self.mount], capture_output=True)
        subprocess.run(["losetup", "-d", self.loop], capture_output=True)
        self.stop(signal.SIGTERM)

    def stop(self, how):
        try:
            os.killpg(self.server.pid, how)
        except ProcessLookupError:
            pass
        self.server.wait()
        subprocess.run(["umount", "-l", self.path("device")], capture_output=True)

    def again(self):
        """Takes the device away and mounts it again, as after a restart of the system."""
        for name in ["writes", "reads"]:
            self.fail(name, False)
        self.detach()
        self.attach()
        subprocess.run(["e2fsck", "-fy", self.loop], capture_output=True)
        self.mounted()

    def fail(self, name, fails=True):
        if fails:
            with open(self.path(name), "wb"):
                pass
        elif os.path.exists(self.path(name)):
            os.remove(self.path(name))


def case(part, made, kind):
    folder = part.place()
    device = Device(folder, part.random.choice([3, 10, 30, 100]))
    try:
        path = copy(made[kind], os.path.join(device.mount, os.path.basename(made[kind])))
        os.sync()
        acknowledged = []
        for number in range(ROUNDS):
            fault = part.random.choice(["writes", "writes", "reads", "gone", "none"])
            if fault in ("writes", "reads"):
                device.fail(fault)
            for one in range(part.random.randint(1, 3)):
                name = f"Device {number}.{one} {part.random.randrange(1 << 30)}"
                arguments = ["insert", path, "Trip", f"name={name}"]
                if part.random.random() < 0.15:
                    arguments, name = ["vacuum", path], None
                process = part.tool.start(*arguments)
                if fault == "gone" and part.random.random() < 0.5:
                    time.sleep(part.random.uniform(0.005, 0.15))
                    device.stop(signal.SIGKILL)
                process.communicate(timeout=60)
                if process.returncode == 0 and name:
                    acknowledged.append(name)
                if process.returncode < 0 or process.returncode == 70:
                    part.find(f"{arguments[0]} ends with {process.returncode} on a failing device", arguments)
            device.again()
            text = stores.state(part.tool, path)
            if text is None:
                part.find("a store can't be read after its device failed", ["export", path], device.mount)
                return
            for name in acknowledged:
                if name.encode() not in text:
                    part.find(f"an acknowledged save is lost after {fault}", ["export", path], device.mount)
                    return
        check(part, path, device.mount, acknowledged)
    finally:
        for name in ["writes", "reads"]:
            device.fail(name, False)
        device.detach()


def run(part, made, _):
    """Runs one case after another, because a system has few loop devices."""
    reason = objection()
    if reason:
        print(f"attack: device: left out: {reason}", flush=True)
        return
    while part.has_time():
        case(part, made, part.random.choice(["plain", "compressed", "document", "xml", "sqlite"]))
        shutil.rmtree(os.path.join(part.folder, str(part.tried)), ignore_errors=True)
