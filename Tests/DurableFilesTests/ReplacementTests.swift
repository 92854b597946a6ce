import DiskSimulation
import DurableFiles
import Testing

@Suite("Replacing a file")
struct ReplacementTests {
  @Test(
    "After a replacement the new contents exist, and no other file does",
    arguments: TestDisk.allCases)
  func replacing(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      let path = directory + "/a"
      let count = try disk.replace(path) { writer in
        try writer.write("first")
        return writer.offset
      }
      #expect(count == 5)
      let reader = try disk.open(path, for: .read)

      try disk.replace(path) { try $0.write("second") }

      #expect(try disk.text(path) == "second")
      #expect(try reader.read(byteCount: 5, at: 0) == Array("first".utf8))
      #expect(try !reader.isStillAtItsPath())
      #expect(try disk.names(directory) == ["a"])
      try reader.close()
    }
  }

  @Test("A replacement keeps the permissions", arguments: TestDisk.allCases)
  func permissions(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      for mode in [0o600, 0o666] as [UInt16] {
        let path = directory + "/\(mode)"
        let file = try disk.open(path, for: .create)
        try file.setPermissions(FilePermissions(rawValue: mode))
        try file.close()

        try disk.replace(path) { try $0.write("new") }

        #expect(try disk.status(of: path).permissions.rawValue == mode)
      }
    }
  }

  @Test(
    "A replacement whose writer fails leaves the old file and no other",
    arguments: TestDisk.allCases)
  func failingWriter(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      try disk.write("old", to: directory + "/a")

      #expect(throws: OwnFailure.self) {
        try disk.replace(directory + "/a") { writer in
          try writer.write([UInt8](repeating: 1, count: 200_000))
          throw OwnFailure()
        }
      }

      #expect(try disk.text(directory + "/a") == "old")
      #expect(try disk.names(directory) == ["a"])
    }
  }

  @Test(
    "A link stays and its file is replaced, unless links are refused", arguments: TestDisk.allCases)
  func symbolicLinks(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      try disk.makeDirectory(directory + "/d")
      try disk.write("old", to: directory + "/d/file")
      try disk.makeSymbolicLink(directory + "/one", to: "two")
      try disk.makeSymbolicLink(directory + "/two", to: directory + "/d/file")
      try disk.makeSymbolicLink(directory + "/circle", to: "circle")

      try disk.replace(directory + "/one") { try $0.write("new") }

      #expect(try disk.text(directory + "/d/file") == "new")
      #expect(
        try disk.status(of: directory + "/one", followingLinks: false).kind == .symbolicLink)
      for path in ["/one", "/circle"] {
        expect(.symbolicLink) {
          try disk.replace(directory + path, links: .refused) { try $0.write("x") }
        }
      }
      expect(.symbolicLink) { try disk.replace(directory + "/circle") { try $0.write("x") } }
      expect(.isDirectory) { try disk.replace(directory + "/d") { try $0.write("x") } }
      #expect(try disk.text(directory + "/d/file") == "new")
    }
  }

  @Test(
    "An existing file is not overwritten unless the caller asks for it",
    arguments: TestDisk.allCases)
  func notOverwriting(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      let path = directory + "/a"
      try disk.replace(path, overwriting: false) { try $0.write("first") }
      expect(.exists) { try disk.replace(path, overwriting: false) { try $0.write("x") } }
      expect(.exists) {
        try disk.replace(directory + "/b", overwriting: false) { writer in
          try writer.write("mine")
          try disk.write("theirs", to: directory + "/b")
        }
      }

      #expect(try disk.text(path) == "first")
      #expect(try disk.text(directory + "/b") == "theirs")
      #expect(try disk.names(directory) == ["a", "b"])
    }
  }

  @Test("Leftovers of ended processes are removed, and files of running processes stay")
  func abandoned() throws {
    let disk = SimulatedDisk()
    try disk.makeDirectory("/test")
    let ended = ProcessIdentity(hostName: "here", bootID: "boot-1", processID: 7, startTime: 5)
    let running = ProcessIdentity(hostName: "here", bootID: "boot-1", processID: 8, startTime: 5)
    let elsewhere = ProcessIdentity(hostName: "there", bootID: "b", processID: 7, startTime: 5)
    let beforeBoot = ProcessIdentity(hostName: "here", bootID: "b", processID: 100, startTime: 1)
    let long = String(repeating: "ü", count: 120)
    for name in ["a", long] {
      for process in [ended, running, elsewhere, beforeBoot] {
        let other = disk.seen(by: process)
        let path = other.temporaryPath(for: "/test/" + name)
        try disk.write("x", to: path)
        // Two files that must stay: the temporary file of a temporary file, and the log of a database.
        try disk.write("x", to: other.temporaryPath(for: path))
        try disk.write("x", to: path + "-wal")
      }
    }
    try disk.write("", to: "/test/.a.mine.quire-tmp")
    disk.endProcess(ended)

    #expect(try disk.removeAbandonedReplacements(of: "/test/a") == 6)
    #expect(try disk.removeAbandonedReplacements(of: "/test/" + long) == 6)

    #expect(try disk.names("/test").count == 13)
    #expect(try disk.names("/test").contains(".a.mine.quire-tmp"))
  }
}
