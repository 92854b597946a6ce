import DiskSimulation
import DurableFiles
import Foundation
import Synchronization
import Testing

@Suite("Locks")
struct LockTests {
  @Test("Two handles of one process conflict", arguments: TestDisk.allCases)
  func handles(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      let path = directory + "/a"
      let first = try disk.open(path, for: .create)
      let second = try disk.open(path, for: .update)
      let reader = try disk.open(path, for: .read)

      try first.lock(.shared)
      try second.lock(.shared)
      expect(.locked) { try first.lock(.exclusive) }
      try second.unlock()
      try first.lock(.exclusive)
      expect(.locked) { try second.lock(.shared) }
      expect(.locked) { try reader.lock(.shared) }
      try first.lock(.shared)
      try second.lock(.shared)
      try first.close()
      try second.lock(.exclusive)
      try second.close()
      expect(.permissionDenied) { try reader.lock(.exclusive) }
      try reader.lock(.shared)
      try reader.close()
    }
  }

  @Test("A held lock names its holder, and is free once released", arguments: TestDisk.allCases)
  func holding(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      let path = directory + "/lock"
      let lock = try disk.lock(path)
      #expect(lock.abandonedBy == nil)

      let error = expect(.locked) { try disk.lock(path) }
      #expect(error?.holder?.standing == .thisProcess)
      #expect(error?.holder?.process == disk.calls.process)
      #expect(error?.message == "Can't lock '\(path)': this process holds the lock already.")
      try lock.release()
      try lock.release()

      let shared = try disk.lock(path, .shared)
      #expect(shared.abandonedBy == nil)
      let other = try disk.lock(path, .shared)
      #expect(expect(.locked) { try disk.lock(path) }?.holder?.standing == .unnamed)
      try shared.release()
      try other.release()
      #expect(try disk.status(of: path).byteCount == 0)
    }
  }

  @Test("A released lock is free while a starting child process has a copy of its descriptor")
  func copiedDescriptor() throws {
    try TestDisk.real.run { disk, directory in
      let path = directory + "/lock"
      for kind in [LockKind.exclusive, .shared] {
        let lock = try disk.lock(path, kind)
        // The copy is the one that a child process has between its start and its program.
        var file = stat()
        #expect(stat(path, &file) == 0)
        let copies = (0..<1024 as Range<Int32>).filter { descriptor in
          var open = stat()
          return fstat(descriptor, &open) == 0 && open.st_dev == file.st_dev
            && open.st_ino == file.st_ino
        }.map { dup($0) }
        defer { for copy in copies { close(copy) } }
        #expect(copies.count == 1)
        try lock.release()
        try disk.lock(path).release()
      }
    }
  }

  @Test("A file that is not a lock file keeps its bytes", arguments: TestDisk.allCases)
  func foreignFile(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      let path = directory + "/.lock"
      try disk.write("A letter.", to: path)
      let lock = try disk.lock(path)
      expect(.locked) { try disk.lock(path) }
      try lock.release()
      #expect(try disk.text(path) == "A letter.")
      try disk.remove(path)

      // A file of the user may be empty, or may look like a record too.
      for text in ["", "quire-lock 1\n"] {
        try disk.write(text, to: directory + "/notes")
        try disk.link(directory + "/notes", to: path)
        let lock = try disk.lock(path)
        #expect(try disk.text(directory + "/notes") == text)
        try lock.release()
        #expect(try disk.text(directory + "/notes") == text)
        try disk.remove(path)
        try disk.remove(directory + "/notes")
      }

      try disk.makeSymbolicLink(path, to: "notes")
      expect(.symbolicLink) { try disk.lock(path) }
      try disk.remove(path)

      for record in ["", "quire-lo", "quire-lock 1\nhost ad"] {
        try disk.write(record, to: path)
        try disk.lock(path).release()
        #expect(try disk.text(path) == "")
        try disk.remove(path)
      }
    }
  }

  @Test("A lock is released when its object is deallocated", arguments: TestDisk.allCases)
  func forgetting(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      _ = try disk.lock(directory + "/lock")
      let lock = try disk.lock(directory + "/lock")
      #expect(lock.abandonedBy == nil)
      try lock.release()
    }
  }

  @Test(
    "A lock file that is a link is refused, and a removed lock file is replaced by a new one",
    arguments: TestDisk.allCases)
  func strangeLockFiles(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      try disk.makeSymbolicLink(directory + "/link", to: "elsewhere")
      expect(.symbolicLink) { try disk.lock(directory + "/link") }

      let lock = try disk.lock(directory + "/lock")
      try disk.remove(directory + "/lock")
      let second = try disk.lock(directory + "/lock")
      expect(.locked) { try disk.lock(directory + "/lock") }
      try lock.release()
      expect(.locked) { try disk.lock(directory + "/lock") }
      try second.release()
    }
  }

  @Test(
    "Text that is not a record names no lock holder",
    arguments: [
      "", "hello", "quire-lock 1\n", "quire-lock 2\nhost h\nboot b\nprocess 1\nstarted 1\n",
      "quire-lock 1\nhost h\nboot b\nprocess 1\nstarted 1",
      "quire-lock 1\nhost h\nboot b\nprocess -\n",
      String(repeating: "quire-lock 1\n", count: 1000), "\u{0}\u{FF}",
    ])
  func foreignText(_ text: String) throws {
    let disk = SimulatedDisk()
    try disk.write(text, to: "/lock")

    let lock = try disk.lock("/lock")

    #expect(lock.abandonedBy == nil)
    try lock.release()
  }
}

@Suite("Locks between processes")
struct ProcessLockTests {
  let here = ProcessIdentity(hostName: "here", bootID: "boot-1", processID: 7, startTime: 5)
  let disk = SimulatedDisk()

  @Test("The error names a lock holder in another process of this host")
  func otherProcess() throws {
    let lock = try disk.seen(by: here).lock("/lock")

    let error = expect(.locked) { try disk.lock("/lock") }

    #expect(error?.holder?.standing == .otherProcess)
    #expect(error?.holder?.process == here)
    #expect(error?.description == "Can't lock '/lock': process 7 holds the lock.")
    try lock.release()
  }

  @Test("A process that ended leaves its name and no lock")
  func endedProcess() throws {
    let lock = try disk.seen(by: here).lock("/lock")
    disk.endProcess(here)

    let next = try disk.lock("/lock")
    #expect(next.abandonedBy == here)
    try next.release()
    #expect(try disk.lock("/lock").abandonedBy == nil)
    _ = lock
  }

  @Test("The name of an ended process is not taken for the present lock holder")
  func staleRecord() throws {
    let lock = try disk.seen(by: here).lock("/lock")
    disk.endProcess(here)
    let shared = try disk.lock("/lock", .shared)
    #expect(shared.abandonedBy == here)

    let error = expect(.locked) { try disk.lock("/lock") }

    #expect(error?.holder?.standing == .unnamedAfterEnded)
    try shared.release()
    _ = lock
  }

  @Test("A free lock with another host's name is taken only on demand")
  func otherHost() throws {
    let there = ProcessIdentity(hostName: "there", bootID: "boot-9", processID: 7, startTime: 5)
    _ = try disk.seen(by: there).lock("/lock").kind
    let held = try disk.seen(by: there).lock("/lock")
    disk.endProcess(there)

    let error = expect(.locked) { try disk.lock("/lock") }
    #expect(error?.holder?.standing == .otherHost)
    #expect(error?.message.contains("process 7 on host 'there'") == true)
    let lock = try disk.lock("/lock", takingOver: true)

    #expect(lock.abandonedBy == there)
    #expect(try disk.text("/lock").contains("host here\n"))
    try lock.release()
    _ = held
  }

  @Test("A name from before a restart of this host is abandoned")
  func earlierBoot() throws {
    let before = ProcessIdentity(hostName: "here", bootID: "boot-0", processID: 7, startTime: 5)
    let lock = try disk.seen(by: before).lock("/lock")
    disk.endProcess(before)

    #expect(try disk.lock("/lock").abandonedBy == before)
    _ = lock
  }

  @Test("Waiting ends when the lock is released or the time is over")
  func waiting() throws {
    let lock = try disk.lock("/lock")
    let pauseCount = Mutex(0)
    disk.whilePausing { pauseCount.withLock { $0 += 1 } }
    let start = disk.calls.uptime

    expect(.locked) { try disk.lock("/lock", waiting: .upTo(.seconds(2))) }
    #expect(disk.calls.uptime - start == .seconds(2))
    // The longest pause between two attempts is 10 ms.
    #expect(pauseCount.withLock { $0 } < 220)
    disk.whilePausing { try? lock.release() }
    let next = try disk.lock("/lock", waiting: .upTo(.seconds(2)))

    #expect(disk.calls.uptime - start == .milliseconds(2001))
    try next.release()
  }
}

@Suite(
  "Locks of a real second process", .enabled(if: OtherProcess.isPossible, "It needs Python 3."))
struct RealProcessLockTests {
  @Test("The error names the lock holder, and the holder's name stays after the process is killed")
  func secondProcess() throws {
    try TestDisk.real.run { disk, directory in
      let path = directory + "/lock"
      let other = try OtherProcess(
        """
        import fcntl, os, socket, struct, sys, time
        path = sys.argv[1]
        file = open(path, "w")
        fcntl.fcntl(file, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
        boot = open("/proc/sys/kernel/random/boot_id").read().strip()
        started = open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19]
        file.write("quire-lock 1\\nhost %s\\nboot %s\\nprocess %d\\nstarted %s\\n"
          % (socket.gethostname(), boot, os.getpid(), started))
        file.flush()
        print("locked", flush=True)
        time.sleep(600)
        """, argument: path)
      #expect(other.firstLine == "locked")

      let error = expect(.locked) { try disk.lock(path) }
      #expect(error?.holder?.standing == .otherProcess)
      #expect(error?.holder?.process?.processID == other.processID)
      other.kill()
      let lock = try disk.lock(path)

      #expect(lock.abandonedBy?.processID == other.processID)
      #expect(!disk.calls.isRunning(try #require(lock.abandonedBy)))
      #expect(disk.calls.isRunning(disk.calls.process))
      try lock.release()
    }
  }

  @Test("Another process meets our lock, and a child process inherits none")
  func ourLock() throws {
    try TestDisk.real.run { disk, directory in
      let path = directory + "/lock"
      let lock = try disk.lock(path)
      let trial = """
        import fcntl, struct, sys
        try:
          fcntl.fcntl(open(sys.argv[1], "r+"), 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
          print("free")
        except OSError:
          print("held")
        """
      #expect(try OtherProcess(trial, argument: path).firstLine == "held")
      let bystander = try OtherProcess(
        "import time; print('up', flush=True); time.sleep(600)", argument: path)
      #expect(bystander.firstLine == "up")
      try lock.release()

      #expect(try OtherProcess(trial, argument: path).firstLine == "free")
      bystander.kill()
    }
  }
}

/// A process that runs a few lines of Python.
private struct OtherProcess {
  static let path = "/usr/bin/python3"
  #if os(Linux)
    static let isPossible = FileManager.default.isExecutableFile(atPath: path)
  #else
    static let isPossible = false
  #endif

  private let process = Process()
  let firstLine: String

  init(_ program: String, argument: String) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: Self.path)
    process.arguments = ["-c", program, argument]
    process.standardOutput = output
    try process.run()
    var bytes: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 {
      bytes.append(byte)
    }
    firstLine = String(decoding: bytes, as: UTF8.self)
  }

  var processID: Int32 { process.processIdentifier }

  func kill() {
    Foundation.kill(processID, SIGKILL)
    process.waitUntilExit()
  }
}
