import DurableFiles
import Testing

@Suite("Directories and names")
struct DirectoryTests {
  @Test("A listing is sorted and tells the kinds of its entries", arguments: TestDisk.allCases)
  func listing(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      try disk.write("", to: directory + "/b")
      try disk.makeDirectory(directory + "/c")
      try disk.makeSymbolicLink(directory + "/a", to: "nowhere")

      let entries = try disk.list(directory + "/")

      #expect(
        entries == [
          DirectoryEntry(name: "a", kind: .symbolicLink), DirectoryEntry(name: "b", kind: .file),
          DirectoryEntry(name: "c", kind: .directory),
        ])
      try disk.syncDirectory(directory)
      #expect(try disk.exists(directory + "/a"))
      #expect(try !disk.exists(directory + "/d"))
      expect(.notFound) { try disk.status(of: directory + "/a") }
      expect(.notADirectory) { try disk.list(directory + "/b") }
      expect(.notFound) { try disk.list(directory + "/d") }
    }
  }

  @Test("Names are created and removed", arguments: TestDisk.allCases)
  func makingAndRemoving(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      try disk.makeDirectory(directory + "/d")
      expect(.exists) { try disk.makeDirectory(directory + "/d") }
      expect(.notFound) { try disk.makeDirectory(directory + "/x/y") }
      try disk.write("", to: directory + "/d/f")
      expect(.notEmpty) { try disk.removeDirectory(directory + "/d") }
      expect(.notADirectory) { try disk.removeDirectory(directory + "/d/f") }
      #expect(throws: DiskError.self) { try disk.remove(directory + "/d") }

      try disk.remove(directory + "/d/f")
      expect(.notFound) { try disk.remove(directory + "/d/f") }
      try disk.removeDirectory(directory + "/d")

      #expect(try disk.names(directory) == [])
    }
  }

  @Test(
    "A rename replaces a file or an empty directory, and nothing else", arguments: TestDisk.allCases
  )
  func renaming(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      let (a, b) = (directory + "/a", directory + "/b")
      try disk.write("a", to: a)
      try disk.write("b", to: b)
      try disk.rename(a, to: b)
      #expect(try disk.text(b) == "a")
      #expect(try disk.names(directory) == ["b"])

      let (full, empty) = (directory + "/full", directory + "/empty")
      try disk.makeDirectory(full)
      try disk.rename(b, to: full + "/b")
      try disk.makeDirectory(empty)
      expect(.notFound) { try disk.rename(a, to: b) }
      expect(.isDirectory) { try disk.rename(full + "/b", to: empty) }
      expect(.notADirectory) { try disk.rename(empty, to: full + "/b") }
      expect(.notEmpty) { try disk.rename(empty, to: full) }
      expect(.unsupported) { try disk.rename(full, to: full + "/inside") }
      try disk.rename(full, to: empty)

      #expect(try disk.text(empty + "/b") == "a")
      #expect(try disk.names(directory) == ["empty"])
    }
  }

  @Test("A tree is removed without following its links", arguments: TestDisk.allCases)
  func removingATree(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      try disk.makeDirectory(directory + "/kept")
      try disk.write("", to: directory + "/kept/file")
      try disk.makeDirectory(directory + "/tree")
      try disk.makeDirectory(directory + "/tree/inner")
      try disk.write("", to: directory + "/tree/inner/file")
      try disk.makeSymbolicLink(directory + "/tree/link", to: directory + "/kept")

      try disk.removeTree(directory + "/tree")
      try disk.removeTree(directory + "/tree")

      #expect(try disk.names(directory) == ["kept"])
      #expect(try disk.names(directory + "/kept") == ["file"])
    }
  }

  @Test("An existing name is not replaced by a link", arguments: TestDisk.allCases)
  func linking(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      try disk.write("a", to: directory + "/a")
      try disk.link(directory + "/a", to: directory + "/b")

      expect(.exists) { try disk.link(directory + "/a", to: directory + "/b") }
      try disk.remove(directory + "/a")

      #expect(try disk.text(directory + "/b") == "a")
    }
  }

  @Test("Symbolic links are followed or refused as the caller asks", arguments: TestDisk.allCases)
  func symbolicLinks(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      let document = directory + "/doc"
      try disk.makeDirectory(document)
      try disk.makeDirectory(document + "/parts")
      try disk.write("in", to: document + "/parts/file")
      try disk.write("out", to: directory + "/secret")
      try disk.makeSymbolicLink(document + "/leak", to: "../secret")
      try disk.makeSymbolicLink(document + "/up", to: "..")
      try disk.makeSymbolicLink(directory + "/alias", to: "doc")
      try disk.makeSymbolicLink(directory + "/circle", to: "circle")
      func open(_ path: String, _ links: LinkRule) throws {
        try disk.open(directory + path, for: .read, links: links).close()
      }

      try open("/doc/leak", .followed)
      try open("/alias/parts/file", .followed)
      try open("/alias/parts/file", .refused)
      try open("/doc/up/secret", .refused)
      expect(.symbolicLink) { try open("/doc/leak", .refused) }
      expect(.symbolicLink) { try open("/circle", .followed) }
      let below = LinkRule.refusedBelow(document)
      try open("/doc/parts/file", below)
      expect(.symbolicLink) { try open("/doc/leak", below) }
      expect(.symbolicLink) { try open("/doc/up/secret", below) }
      expect(.notFound) { try open("/doc/parts/none", below) }
      expect(.notFound) { try open("/doc/none/file", below) }
      expect(.notADirectory) { try open("/doc/parts/file/x", below) }
      expect(.invalidPath) { try open("/doc/../secret", below) }
      expect(.invalidPath) { try open("/doc", below) }
      expect(.invalidPath) { try open("/document", below) }
      expect(.invalidPath) { try open("/secret", below) }
      // Links on the way to the document belong to the user and are followed.
      try open("/alias/parts/file", .refusedBelow(directory + "/alias"))
      // Creating a file follows no link, and creates no file at the target of a link.
      expect(.exists) { try disk.open(document + "/leak", for: .create) }
      expect(.symbolicLink) {
        try disk.open(document + "/up/new", for: .create, links: below)
      }
      expect(.symbolicLink) { try disk.list(document + "/up", links: below) }
    }
  }
}
