import DurableFiles
import Testing

@Suite("An open file")
struct FileTests {
  @Test("Appended bytes are read back at their offset", arguments: TestDisk.allCases)
  func appending(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      let file = try disk.open(directory + "/a", for: .create)

      #expect(try file.append([1, 2, 3]) == 0)
      #expect(try file.append([4, 5]) == 3)
      try file.write([9], at: 1)
      try file.write([7], at: 6)

      #expect(try file.byteCount() == 7)
      #expect(try file.read(byteCount: 7, at: 0) == [1, 9, 3, 4, 5, 0, 7])
      #expect(try file.read(byteCount: 2, at: 3) == [4, 5])
      try file.sync()
      try file.close()
      #expect(try disk.read(directory + "/a", byteLimit: 7).count == 7)
    }
  }

  @Test("A read beyond the end reports how many bytes there were", arguments: TestDisk.allCases)
  func readingBeyondTheEnd(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      try disk.write("abc", to: directory + "/a")
      let file = try disk.open(directory + "/a", for: .read)

      let error = expect(.unexpectedEnd) { try file.read(byteCount: .max / 2, at: 1) }

      #expect(error?.message.hasSuffix("the file ends after 2 of these bytes.") == true)
      #expect(error?.path == directory + "/a")
      expect(.unexpectedEnd) { try file.read(byteCount: 1, at: 100) }
      #expect(try file.read(byteCount: 0, at: 100) == [])
      var memory = [UInt8](repeating: 0, count: 4)
      try memory.withUnsafeMutableBytes { try file.read(into: .init(rebasing: $0[..<3]), at: 0) }
      #expect(memory == Array("abc".utf8) + [0])
      _ = memory.withUnsafeMutableBytes { memory in
        expect(.unexpectedEnd) { try file.read(into: memory, at: 0) }
      }
      try file.close()
    }
  }

  @Test("A file is truncated, and lengthened with zeros", arguments: TestDisk.allCases)
  func truncating(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      let file = try disk.open(directory + "/a", for: .create)
      try file.append([1, 2, 3, 4])

      try file.truncate(to: 2)
      try file.truncate(to: 5000)

      #expect(try file.read(byteCount: 5000, at: 0) == [1, 2] + [UInt8](repeating: 0, count: 4998))
      try file.close()
    }
  }

  @Test("Each mode of opening behaves as documented", arguments: TestDisk.allCases)
  func opening(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      let path = directory + "/a"
      expect(.notFound) { try disk.open(path, for: .read) }
      expect(.notFound) { try disk.open(path, for: .update) }
      try disk.open(path, for: .updateOrCreate).append([1])
      expect(.exists) { try disk.open(path, for: .create) }
      try disk.open(path, for: .updateOrCreate).append([2])
      try disk.open(path, for: .update).append([3])
      let reader = try disk.open(path, for: .read)
      #expect(try reader.read(byteCount: 3, at: 0) == [1, 2, 3])
      expect(.permissionDenied) { try reader.append([4]) }
      #expect(!reader.allowsWriting)
      try reader.close()
      expect(.isDirectory) { try disk.open(directory, for: .read) }
      expect(.isDirectory) { try disk.open(directory, for: .update) }
      expect(.notADirectory) { try disk.open(path + "/b", for: .read) }
      expect(.invalidPath) { try disk.open(path + "\0b", for: .read) }
      expect(.invalidPath) { try disk.open("", for: .read) }
      expect(.invalidPath) {
        try disk.open(directory + "/" + String(repeating: "n", count: 300), for: .create)
      }
      expect(.tooLarge) { try disk.read(path, byteLimit: 2) }
    }
  }

  @Test("A closed handle refuses every use, and closes once", arguments: TestDisk.allCases)
  func closing(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      let file = try disk.open(directory + "/a", for: .create)
      try file.close()
      try file.close()

      expect(.closed) { try file.append([1]) }
      expect(.closed) { try file.sync() }
      expect(.closed) { try file.read(byteCount: 1, at: 0) }
    }
  }

  @Test("A handle stays usable after its file's name is removed", arguments: TestDisk.allCases)
  func outlivingTheName(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      let path = directory + "/a"
      try disk.write("old", to: path)
      let old = try disk.open(path, for: .update)
      #expect(try old.isStillAtItsPath())

      try disk.rename(path, to: directory + "/b")
      #expect(try !old.isStillAtItsPath())
      try disk.write("new", to: path)
      #expect(try !old.isStillAtItsPath())
      try disk.remove(directory + "/b")

      #expect(try old.status().nameCount == 0)
      try old.append(Array("er".utf8))
      #expect(try old.read(byteCount: 5, at: 0) == Array("older".utf8))
      #expect(try disk.text(path) == "new")
      try old.close()
    }
  }

  @Test(
    "The status tells kind, size, permissions, number of names and changes",
    arguments: TestDisk.allCases)
  func status(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      let path = directory + "/a"
      let file = try disk.open(path, for: .create, permissions: .ownerOnly)
      try file.append([1, 2, 3])
      let status = try disk.status(of: path)
      #expect(status.kind == .file)
      #expect(status.byteCount == 3)
      #expect(status.permissions == .ownerOnly)
      #expect(status.nameCount == 1)
      #expect(try file.status() == status)

      try disk.link(path, to: directory + "/b")
      try file.setPermissions(FilePermissions(rawValue: 0o640))

      #expect(try file.status().nameCount == 2)
      #expect(try file.status().permissions.rawValue == 0o640)
      #expect(try disk.status(of: directory + "/b").identity == status.identity)
      #expect(try disk.status(of: directory).kind == .directory)
      #expect(try disk.status(of: directory).identity != status.identity)
      try file.close()
    }
  }

  @Test("Small and large pieces are appended in order", arguments: TestDisk.allCases)
  func gatheringPieces(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      let file = try disk.open(directory + "/a", for: .create)
      try file.append([0xFF])
      let sizes = [1, 100, 65_535, 1, 65_536, 3, 70_000, 65_000, 500, 600]
      var expected: [UInt8] = [0xFF]

      try file.append { writer in
        for (index, size) in sizes.enumerated() {
          #expect(writer.offset == expected.count)
          let piece = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ index) }
          try writer.write(piece)
          expected += piece
        }
      }

      #expect(try file.read(byteCount: expected.count, at: 0) == expected)
      #expect(try file.byteCount() == expected.count)
      try file.close()
    }
  }

  @Test("An append whose writer throws leaves the length unchanged", arguments: TestDisk.allCases)
  func takingAnAppendBack(_ kind: TestDisk) throws {
    try kind.run { disk, directory in
      let file = try disk.open(directory + "/a", for: .create)
      try file.append([1, 2])

      #expect(throws: OwnFailure.self) {
        try file.append { writer in
          try writer.write([UInt8](repeating: 3, count: 100_000))
          throw OwnFailure()
        }
      }

      #expect(try file.byteCount() == 2)
      #expect(try file.append([9]) == 2)
      try file.close()
    }
  }
}
