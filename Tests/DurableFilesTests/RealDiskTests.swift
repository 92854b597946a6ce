import Foundation
import ProgramRuns
import Testing

@testable import DurableFiles

@Suite("The real disk")
struct RealDiskTests {
  @Test("A pipe in place of a file is refused without waiting")
  func pipe() throws {
    try TestDisk.real.run { disk, directory in
      #expect(mkfifo(directory + "/pipe", 0o600) == 0)

      for mode in [OpenMode.read, .update, .updateOrCreate] {
        expect(.notARegularFile) { try disk.open(directory + "/pipe", for: mode) }
      }
      expect(.notARegularFile) { try disk.replace(directory + "/pipe") { try $0.write("x") } }
      let kinds = try disk.list(directory).map(\.kind)
      #expect(kinds == [.special])
    }
  }

  @Test("The parts of a file that were never written are passed over, however long they are")
  func neverWritten() throws {
    try TestDisk.real.run { disk, directory in
      let file = try disk.open(directory + "/sparse", for: .create)
      try file.truncate(to: 1 << 40)
      #expect(file.endOfStoredBytes(before: 1 << 40) == 0)
      #expect(file.startOfStoredBytes(from: 0) == nil)
      let places = [0, 123_456, 1 << 30, (1 << 39) + 8]
      for place in places { try file.write(Array("bytes".utf8), at: place) }

      for (index, place) in places.enumerated() {
        // A disk keeps whole pages.
        let start = try #require(
          file.startOfStoredBytes(from: index == 0 ? 0 : places[index - 1] + 70_000))
        #expect(start <= place && start > place - 70_000)
        let end = file.endOfStoredBytes(before: index == 3 ? 1 << 40 : places[index + 1] - 70_000)
        #expect(end >= place + 5 && end < place + 140_000)
      }
      #expect(file.startOfStoredBytes(from: (1 << 39) + (1 << 20)) == nil)
      let whole = try disk.open(directory + "/whole", for: .create)
      try whole.append([UInt8](repeating: 0, count: 200_000))
      #expect(whole.endOfStoredBytes(before: 200_000) == 200_000)
      #expect(whole.startOfStoredBytes(from: 100_000) == 100_000)
    }
  }

  @Test("A copy does not store the parts of a file that were never written", arguments: [0, 5])
  func copyOfUnwrittenParts(_ tailByteCount: Int) throws {
    try TestDisk.real.run { disk, directory in
      let byteCount = 64 << 20
      let places = [0, 20 << 20, 40 << 20] + (tailByteCount > 0 ? [byteCount - tailByteCount] : [])
      let file = try disk.open(directory + "/sparse", for: .create)
      try file.truncate(to: byteCount)
      for place in places { try file.write(Array("bytes".utf8), at: place) }

      try disk.copy(directory + "/sparse", to: directory + "/copy")

      let copy = try disk.open(directory + "/copy", for: .read)
      #expect(try copy.byteCount() == byteCount)
      for start in stride(from: 0, to: byteCount, by: 4 << 20) {
        #expect(
          try copy.read(byteCount: 4 << 20, at: start)
            == file.read(byteCount: 4 << 20, at: start))
      }
      let next = try #require(copy.startOfStoredBytes(from: 4 << 20))
      #expect(next > 19 << 20)
      let last = try #require(copy.startOfStoredBytes(from: 44 << 20))
      #expect(last > 63 << 20)
    }
  }

  @Test("A copy of a file without any written byte has its length")
  func copyOfNothing() throws {
    try TestDisk.real.run { disk, directory in
      for byteCount in [0, 1, 3 << 20] {
        let file = try disk.open(directory + "/sparse\(byteCount)", for: .create)
        try file.truncate(to: byteCount)

        try disk.copy(directory + "/sparse\(byteCount)", to: directory + "/copy\(byteCount)")

        let copy = try disk.open(directory + "/copy\(byteCount)", for: .read)
        #expect(try copy.byteCount() == byteCount)
        #expect(try copy.read(byteCount: byteCount, at: 0).allSatisfy { $0 == 0 })
      }
    }
  }

  @Test("The process identity differs from that of every other process")
  func identity() {
    let calls = RealDisk().calls
    let process = calls.process

    #expect(process.processID == getpid())
    #expect(calls.isRunning(process))
    var earlier = process
    earlier.startTime += 1
    #expect(!calls.isRunning(earlier))
    var none = process
    none.processID = 0
    #expect(!calls.isRunning(none))
    #if os(Linux)
      #expect(process.startTime > 0)
      #expect(process.bootID.count == 36)
    #endif
  }

  @Test("A process that ends leaves no temporary file, even while its threads create some")
  func ending() async throws {
    let directory = FileManager.default.temporaryDirectory.path + "/ending-\(UUID())"
    try RealDisk().makeDirectory(directory)
    defer { try? RealDisk().removeTree(directory) }
    for round in 0..<40 {
      await #expect(processExitsWith: .success) { [directory = directory as String] in
        for thread in 0..<3 {
          Thread.detachNewThread {
            while true {
              _ = try? RealDisk().make("\(directory)/made\(thread)", overwriting: true) {
                try RealDisk().makeDirectory($0)
                for file in 0..<3 { try RealDisk().replace($0 + "/\(file)") { try $0.write("x") } }
              }
            }
          }
        }
        try await Task.sleep(for: .milliseconds(10))
        TemporaryFiles.removeAll { exit(0) }
      }
      let left = try RealDisk().names(directory).filter { $0.contains("quire-tmp") }
      #expect(left == [], "round \(round)")
    }
  }

  @Test("The clock advances during a pause")
  func pausing() {
    let calls = RealDisk().calls
    let start = calls.uptime

    calls.pause(for: .milliseconds(3))

    #expect(calls.uptime - start >= .milliseconds(3))
  }

  @Test("Every name in the listing of a large directory exists")
  func largeDirectory() throws {
    try TestDisk.real.run { disk, directory in
      let names = (0..<500).map { "\($0)-" + String(repeating: "x", count: $0 % 200) }.sorted()
      for name in names { try disk.write("", to: directory + "/" + name) }

      #expect(try disk.names(directory) == names)
    }
  }

  @Test("Descriptors of a file that another library has locked are kept and reused")
  func lockedFile() throws {
    try TestDisk.real.run { disk, directory in
      let path = directory + "/a"
      try disk.write("before", to: path)
      // As another library does, with a POSIX lock.
      let other = Foundation.open(path, O_RDWR)
      var lock = flock()
      lock.l_type = Int16(F_WRLCK)
      #expect(fcntl(other, F_SETLK, &lock) == 0)
      var held: LockedFile? = LockedFile(path)
      #expect(LockedFile.isHeld(path) && !LockedFile.isHeld(directory))

      func descriptorCount() -> Int {
        (0..<1024).count { descriptor in
          var (one, two) = (stat(), stat())
          return fstat(Int32(descriptor), &one) == 0 && stat(path, &two) == 0
            && one.st_ino == two.st_ino && one.st_dev == two.st_dev
        }
      }
      for _ in 0..<20 {
        let file = try disk.open(path, for: .read)
        #expect(throws: DiskError.self) { try file.append(Array("x".utf8)) }
        let writer = try disk.open(path, for: .update)
        try writer.append(Array("!".utf8))
        try file.close()
        try writer.close()
      }
      #expect(descriptorCount() == 3, "The other's, and one for each way to open it.")
      #expect(try disk.read(path, byteLimit: 100).count == 26)
      #expect(try isLockedForOthers(path))
      withExtendedLifetime(held) {}
      held = nil
      #expect(descriptorCount() == 1 && !LockedFile.isHeld(path))
      close(other)
    }
  }

  /// Whether another process is unable to lock the file now.
  private func isLockedForOthers(_ path: String) throws -> Bool {
    let script = """
      import fcntl, sys
      with open(sys.argv[1], "r+") as file:
          try: fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
          except OSError: sys.exit(7)
      """
    return try ProgramRun("python3", ["-c", script, path]).status == 7
  }
}
