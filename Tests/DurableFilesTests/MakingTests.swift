import DiskSimulation
import Testing

@testable import DurableFiles

@Suite("Making a file or a folder in the place of another")
struct MakingTests {
  /// Creates a folder with one file.
  private func makeFolder(_ text: String, _ disk: any Disk, _ path: String) throws {
    try disk.makeDirectory(path)
    try disk.write(text, to: path + "/file")
  }

  @Test("A new file and a new folder exist, and no other file does", arguments: TestDisk.allCases)
  func making(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      try disk.makeFile(directory + "/a", overwriting: false) { try $0.write("new") }
      try disk.make(directory + "/d", overwriting: false) { try makeFolder("new", disk, $0) }
      for overwriting in [false, true] {
        if !overwriting {
          expect(.exists) {
            try disk.makeFile(directory + "/a", overwriting: false) { try $0.write("x") }
          }
          expect(.exists) { try disk.make(directory + "/d", overwriting: false) { _ in } }
        } else {
          try disk.makeFile(directory + "/a", overwriting: true) { try $0.write("newer") }
          try disk.make(directory + "/d", overwriting: true) { try makeFolder("newer", disk, $0) }
        }
      }

      #expect(try disk.text(directory + "/a") == "newer")
      #expect(try disk.text(directory + "/d/file") == "newer")
      #expect(try disk.names(directory) == ["a", "d"])
    }
  }

  @Test("A new file has the permissions of the file that it replaces", arguments: TestDisk.allCases)
  func permissions(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      let isPrivate = FilePermissions(rawValue: 0o600)
      let isPrivateFolder = FilePermissions(rawValue: 0o700)
      try disk.write("old", to: directory + "/a")
      try makeFolder("old", disk, directory + "/d")
      try disk.setPermissions(of: directory + "/a", isDirectory: false, to: isPrivate)
      try disk.setPermissions(of: directory + "/d/file", isDirectory: false, to: isPrivate)
      try disk.setPermissions(of: directory + "/d", isDirectory: true, to: isPrivateFolder)

      try disk.makeFile(directory + "/a", overwriting: true) { writer in
        let workspace = try #require(
          try disk.list(directory).first { $0.kind == .directory && $0.name.hasPrefix(".") })
        let path = directory + "/" + workspace.name
        #expect(try disk.status(of: path).permissions == isPrivateFolder)
        try writer.write("new")
      }
      try disk.make(directory + "/d", overwriting: true) { try makeFolder("new", disk, $0) }
      try disk.copy(directory + "/a", to: directory + "/copy")

      for name in ["/a", "/d/file", "/copy"] {
        #expect(try disk.status(of: directory + name).permissions == isPrivate, "\(name)")
      }
      #expect(try disk.status(of: directory + "/d").permissions == isPrivateFolder)
    }
  }

  @Test("After any failing call the old file and its log are whole", arguments: [false, true])
  func failingCalls(_ hasLog: Bool) throws {
    func make(_ disk: SimulatedDisk) throws {
      try disk.makeFile("/d/a", overwriting: true, companionEndings: ["-wal"]) {
        try $0.write("new")
      }
    }
    try forEachFailure(make) {
      try $0.write("old", to: "/d/a")
      if hasLog { try $0.write("log", to: "/d/a-wal") }
    } check: { disk, error in
      let names = try disk.names("/d").filter { !$0.hasPrefix(".") }
      if error == nil {
        #expect(try disk.text("/d/a") == "new")
        #expect(names == ["a"])
      } else {
        #expect(try disk.text("/d/a") == "old")
        #expect(names == (hasLog ? ["a", "a-wal"] : ["a"]))
      }
    }
  }

  @Test("After any failing call the old folder is whole")
  func failingCallsOfFolders() throws {
    try forEachFailure {
      try $0.make("/d/a", overwriting: true) { [disk = $0] in try makeFolder("new", disk, $0) }
    } prepare: {
      try makeFolder("old", $0, "/d/a")
    } check: { disk, error in
      let text = try disk.text("/d/a/file")
      let names = try disk.names("/d").filter { !$0.hasPrefix(".") }
      #expect(text == (error == nil ? "new" : "old"))
      #expect(names == ["a"])
    }
  }

  /// Runs `body` again and again, and makes a different call fail each time.
  private func forEachFailure(
    _ body: (SimulatedDisk) throws -> Void, prepare: (SimulatedDisk) throws -> Void,
    check: (SimulatedDisk, (any Error)?) throws -> Void
  ) throws {
    var failureCount = 0
    for number in 1... {
      let disk = SimulatedDisk()
      try disk.makeDirectory("/d")
      try prepare(disk)
      disk.settle()
      disk.plan(.failing(.inputOutput, after: number - 1))
      var error: (any Error)?
      do { try body(disk) } catch let failure { error = failure }
      let isOver = disk.operationCount < number
      disk.planNoFailures()
      try check(disk, error)
      if error != nil { failureCount += 1 }
      if isOver { break }
    }
    #expect(failureCount > 20)
  }

  @Test("A crash leaves the old or the new file, or the next writer restores the old")
  func crashes() throws {
    let disk = SimulatedDisk()
    try disk.makeDirectory("/d")
    func prepareDurably(_ path: String, _ text: String) throws {
      try disk.replace(path) { try $0.write(text) }
    }
    try prepareDurably("/d/a", "old")
    try prepareDurably("/d/a-wal", "log")
    disk.settle()
    try disk.makeFile("/d/a", overwriting: true, companionEndings: ["-wal"]) {
      try $0.write("new")
    }

    var count = 0
    for state in disk.crashStates(limit: 5_000, seed: 1) {
      let crashed = state.disk
      if try crashed.exists("/d/a") {
        let text = try crashed.text("/d/a")
        let hasLog = try crashed.exists("/d/a-wal")
        #expect(text == "old" || !hasLog, "A new file has an old log: \(state)")
      }
      _ = try crashed.removeAbandonedReplacements(of: "/d/a")
      let text = try crashed.text("/d/a")
      let hasLog = try crashed.exists("/d/a-wal")
      #expect(text == "old" && hasLog || text == "new" && !hasLog, "\(state)")
      count += 1
    }
    #expect(count > 10)
  }

  @Test(
    "A crash while a folder is replaced leaves one of the two at the path, or any reader restores the old",
    arguments: [true, false])
  func crashesOfFolders(_ canExchange: Bool) throws {
    let disk = SimulatedDisk()
    try disk.makeDirectory("/d")
    func makeDurably(_ text: String, _ path: String) throws {
      try disk.makeDirectory(path)
      try disk.replace(path + "/file") { try $0.write(text) }
      try disk.syncDirectory(path)
    }
    try makeDurably("old", "/d/a")
    disk.settle()
    if !canExchange {
      disk.plan(.failing(.notSupported, on: .exchange, lasting: .forGood))
    }
    try disk.make("/d/a", overwriting: true) { try makeDurably("new", $0) }

    var (count, missing) = (0, 0)
    for state in disk.crashStates(limit: 5_000, seed: 1) {
      let crashed = state.disk
      if try !crashed.exists("/d/a") {
        missing += 1
        #expect(crashed.restoreMovedAway("/d/a"), "\(state)")
      }
      #expect(["old", "new"].contains(try crashed.text("/d/a/file")), "\(state)")
      count += 1
    }
    #expect(count > 10)
    #expect(canExchange == (missing == 0), "\(missing) of \(count)")
  }

  @Test("A path with nothing to restore is not touched", arguments: TestDisk.allCases)
  func nothingToRestore(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      #expect(!disk.restoreMovedAway(directory + "/a"))
      #expect(!disk.restoreMovedAway(directory + "/none/a"))
      try makeFolder("there", disk, directory + "/a")
      #expect(!disk.restoreMovedAway(directory + "/a"))
      #expect(try disk.list(directory).count == 1)
    }
  }

  @Test("Two folders change places in one step", arguments: TestDisk.allCases)
  func exchange(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      try makeFolder("one", disk, directory + "/a")
      try makeFolder("two", disk, directory + "/b")
      // Some file systems of test machines can't do this.
      guard try disk.exchange(directory + "/a", with: directory + "/b") else { return }
      #expect(try disk.text(directory + "/a/file") == "two")
      #expect(try disk.text(directory + "/b/file") == "one")
      expect(.notFound) { _ = try disk.exchange(directory + "/a", with: directory + "/none") }
    }
  }

  @Test("A check that fails restores the old file or folder", arguments: TestDisk.allCases)
  func failingCheck(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      try makeFolder("old", disk, directory + "/d")
      try disk.write("old", to: directory + "/a")

      #expect(throws: OwnFailure.self) {
        try disk.make(directory + "/d", overwriting: true) {
          try makeFolder("new", disk, $0)
        } check: { _ in
          #expect(try disk.text(directory + "/d/file") == "new")
          throw OwnFailure()
        }
      }
      #expect(throws: OwnFailure.self) {
        try disk.make(directory + "/a", overwriting: true) {
          try disk.write("new", to: $0)
        } check: { _ in
          throw OwnFailure()
        }
      }

      #expect(try disk.text(directory + "/d/file") == "old")
      #expect(try disk.text(directory + "/a") == "old")
      #expect(try disk.names(directory) == ["a", "d"])
    }
  }

  @Test("The second of two writers of one path is refused", arguments: TestDisk.allCases)
  func twoWriters(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      try disk.makeFile(directory + "/a", overwriting: true) { writer in
        expect(.locked) {
          try disk.makeFile(directory + "/a", overwriting: true) { try $0.write("second") }
        }
        try writer.write("first")
      }
      #expect(try disk.text(directory + "/a") == "first")
      #expect(try disk.names(directory) == ["a"])
    }
  }

  @Test(
    "A refused creation removes the leftovers of ended processes beside the file",
    arguments: TestDisk.allCases)
  func leftoversOfRefused(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      try disk.write("there", to: directory + "/a")
      func leftover(of name: String) -> String {
        var leftover = TemporaryName(for: name, disk.calls)
        // The process that made the name ran before the system was started last.
        leftover.origin = "\(leftover.origin.prefix(8))00000000"
        return directory + "/" + leftover.text
      }
      let own = leftover(of: "a")
      try makeFolder("old", disk, own)
      let other = leftover(of: "b")
      try makeFolder("of another file", disk, other)

      expect(.exists) {
        try disk.makeFile(directory + "/a", overwriting: false) { try $0.write("x") }
      }

      #expect(try disk.text(directory + "/a") == "there")
      #expect(try !disk.exists(own))
      #expect(try disk.exists(other))
      #expect(try disk.list(directory).count == 2)
    }
  }

  @Test("A link at the path stays, and its target is replaced")
  func links() throws {
    try TestDisk.real.run { disk, directory in
      try disk.makeDirectory(directory + "/d")
      try disk.write("old", to: directory + "/d/file")
      try disk.makeSymbolicLink(directory + "/link", to: "d/file")
      try disk.makeFile(directory + "/link", overwriting: true) { try $0.write("new") }
      #expect(try disk.text(directory + "/d/file") == "new")
      #expect(
        try disk.status(of: directory + "/link", followingLinks: false).kind == .symbolicLink)
    }
  }

  @Test("An output is recognised as an input by each of its names", arguments: TestDisk.allCases)
  func overlaps(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      try makeFolder("x", disk, directory + "/doc")
      try disk.write("x", to: directory + "/a")
      try disk.link(directory + "/a", to: directory + "/hard")
      try disk.link(directory + "/doc/file", to: directory + "/hard-of-doc")
      try disk.makeSymbolicLink(directory + "/soft", to: "a")
      try disk.makeSymbolicLink(directory + "/softdoc", to: "doc")
      func overlap(_ output: String, _ input: String) throws -> PathOverlap? {
        try disk.overlap(ofOutput: directory + output, withInput: directory + input)
      }
      for name in ["/a", "/hard", "/soft", "/doc/../a"] {
        #expect(try overlap(name, "/a") == .same, "\(name)")
      }
      #expect(try overlap("/a", "/soft") == .same)
      #expect(try overlap("/softdoc", "/doc/") == .same)
      for name in ["/doc/new", "/softdoc/new", "/doc/file", "/hard-of-doc"] {
        #expect(try overlap(name, "/doc") == .inside, "\(name)")
      }
      #expect(try overlap("/doc", "/doc/file") == .around)
      for name in ["/a-wal", "/a-shm", "/a-journal", "/a.lock", "/A-WAL"] {
        #expect(try overlap(name, "/a") == .companion, "\(name)")
        #expect(try overlap(name, "/soft") == .companion, "\(name)")
      }
      for name in ["/b", "/doc", "/ab"] { #expect(try overlap(name, "/a") == nil, "\(name)") }
      #expect(try overlap("/missing/b", "/a") == nil)
    }
  }
}
