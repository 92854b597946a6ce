import DiskSimulation
import DurableFiles
import SpecVectors
import Testing

@testable import Archives

@Suite("The vectors of packed documents")
struct ArchiveVectorTests {
  @Test("A packed folder has the bytes that the specification shows, and is read back")
  func vectors() throws {
    let vectors = try SpecVector.all("packed-document", on: "8-packed-document.md")
    #expect(vectors.count == 3)
    for vector in vectors {
      let disk = SimulatedDisk()
      try disk.makeDirectory("/d")
      for name in vector[all: "name"] {
        if name.hasSuffix("/") {
          try disk.makeDirectory("/d/" + name)
        } else {
          try disk.replace("/d/" + name) { _ in }
        }
      }

      let place = vector["place"].map { text in
        let words = text.split(separator: " ").map { UInt64($0)! }
        return ArchivePlace(
          number: words[0],
          file: FilePlace(inode: words[1], birthNanoseconds: Int64(words[2])))
      }

      try disk.makeFile("/d.zip", overwriting: false) { writer in
        _ = try FolderPacking("/d", on: disk).write(to: &writer, place: place)
      }

      let bytes = try disk.read("/d.zip", byteLimit: 1 << 20)
      #expect(bytes == vector.bytes("bytes"), "\(vector)")
      #expect(try Archive("/d.zip", on: disk).place == place)
      #expect(
        try Archive("/d.zip", on: disk).entries.map { $0.path + ($0.isDirectory ? "/" : "") }
          == vector[all: "name"])
    }
  }
}
