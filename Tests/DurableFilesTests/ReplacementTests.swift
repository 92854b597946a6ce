import DurableFiles
import Testing

@Suite("Replacing a file")
struct ReplacementTests {
  @Test("The new contents are there, and nothing else is", arguments: TestDisk.allCases)
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

  @Test("The permissions stay", arguments: TestDisk.allCases)
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

  @Test("A failing writer leaves the old file and no other", arguments: TestDisk.allCases)
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

  @Test("Nothing is overwritten when that is not wanted", arguments: TestDisk.allCases)
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

  @Test("What a crash left is found by its file's name", arguments: TestDisk.allCases)
  func abandoned(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      let long = String(repeating: "ü", count: 120)
      for name in ["a", long] {
        try disk.replace(directory + "/" + name) { writer in
          try writer.write("x")
          let temporary = try #require(
            try disk.names(directory).first {
              $0.hasSuffix("-tmp") && !$0.contains("00112233445566ff")
            })
          // As if the process had ended here.
          try disk.link(
            directory + "/" + temporary,
            to: directory + "/" + temporary.replacing(/[0-9a-f]{16}/, with: "00112233445566ff"))
        }
      }
      try disk.write("", to: directory + "/.a.mine.quire-tmp")
      #expect(try disk.names(directory).count == 5)

      #expect(try disk.removeAbandonedReplacements(of: directory + "/a") == 1)
      #expect(try disk.removeAbandonedReplacements(of: directory + "/" + long) == 1)

      #expect(try disk.names(directory) == [".a.mine.quire-tmp", "a", long])
    }
  }
}
