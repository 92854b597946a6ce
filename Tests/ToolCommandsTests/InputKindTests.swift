import CommandInterface
import DurableFiles
import Foundation
import ObjectModel
import Quire
import StoreInterface
import Testing

@testable import ToolCommands

/// Commands that read take every kind of input: documents, packed documents, pipes, and read-only files.
@Suite("Inputs of every kind")
struct InputKindTests {
  /// A document of the example's model, and the same document packed.
  private final class Folder {
    let path = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "inputs-\(UUID().uuidString)").path(percentEncoded: false)
    let model = packageRoot.appending(path: "Examples/Trips.xcdatamodeld").path(
      percentEncoded: false)
    var document: String { path + "/Trip.quire" }
    var packed: String { path + "/Trip.zip" }

    init() throws {
      try RealDisk().makeDirectory(path)
      #expect(quire(["new", document, "--model", model]).exitCode == .done)
      #expect(quire(["insert", document, "Trip", "name=Lisbon"]).exitCode == .done)
      #expect(quire(["pack", document, packed]).exitCode == .done)
    }

    deinit { try? RealDisk().removeTree(path) }
  }

  private func script(_ path: String, _ lines: String) -> RecordedRun {
    RecordedRun(["open", path], input: Array(lines.utf8))
  }

  @Test("model and hash read the model of a document, packed or not")
  func models() throws {
    let folder = try Folder()
    let wanted = quire(["hash", folder.model])
    #expect(wanted.exitCode == .done)

    for path in [folder.document, folder.document + "/", folder.packed] {
      let hash = quire(["hash", path])
      #expect(hash.exitCode == .done && hash.output == wanted.output, "\(hash.messages)")
      let model = quire(["model", path])
      #expect(model.exitCode == .done && model.output.contains("Trip"), "\(model.messages)")
      #expect(quire(["model", path, "--versions"]).output.hasPrefix("* "))
      #expect(quire(["model", folder.model, "--diff", path]).exitCode == .done)
    }
    let other = quire(["new", folder.path + "/Other.quire", "--model", folder.document])
    #expect(other.exitCode == .done, "\(other.messages)")
    // A folder that is neither a document nor a store is still refused.
    #expect(quire(["model", folder.path]).exitCode == .unreadable)
  }

  @Test("open reads and changes a packed document")
  func packed() throws {
    let folder = try Folder()

    let read = script(folder.packed, "fetch Trip --columns name\ncount Trip\n")
    let changed = script(folder.packed, "insert Trip name=Porto\nsave\n")

    #expect(read.exitCode == .done && read.output.contains("\"Lisbon\"\n1\n"), "\(read)")
    #expect(changed.exitCode == .done, "\(changed.messages)")
    #expect(script(folder.packed, "count Trip\n").output == "2\n")
  }

  @Test("open and pack read a read-only document", .enabled(if: geteuid() != 0))
  func readOnly() throws {
    let folder = try Folder()
    try setWritable(false, folder.document)
    defer { try? setWritable(true, folder.document) }

    let read = script(folder.document, "count Trip\n")
    let packed = quire(["pack", folder.document, folder.path + "/again.zip"])

    #expect(read.exitCode == .done && read.output == "1\n", "\(read.messages)")
    #expect(packed.exitCode == .done, "\(packed.messages)")
    #expect(quire(["count", folder.path + "/again.zip", "Trip"]).output == "1\n")
  }

  private func setWritable(_ isWritable: Bool, _ path: String) throws {
    let manager = FileManager.default
    for name in try manager.subpathsOfDirectory(atPath: path) + [""] {
      let file = path + "/" + name
      let isFolder = try RealDisk().status(of: file).kind == .directory
      let mode = (isWritable ? 0o600 : 0o400) | (isFolder ? 0o100 : 0)
      try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    }
  }

  @Test("import reads pipes, and standard input by each of its names")
  func pipes() throws {
    let folder = try Folder()
    let line = Array("{\"@entity\":\"Trip\",\"name\":\"Faro\"}\n".utf8)
    let pipe = folder.path + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    let writer = Thread {
      try? FileHandle(forWritingTo: URL(filePath: pipe)).write(contentsOf: Data(line))
    }
    writer.start()

    let piped = quire(["import", folder.document, pipe])
    let typed = RecordedRun(["import", folder.document, "-"], input: line)
    let twice = RecordedRun(["import", folder.document, "-", "-"], input: line)

    #expect(piped.output == "1 object inserted.\n", "\(piped.messages)")
    #expect(typed.output == "1 object inserted.\n", "\(typed.messages)")
    #expect(twice.exitCode == .wrongUsage)
    #expect(quire(["count", folder.document, "Trip"]).output == "3\n")
    let left = try RealDisk().list(folder.path).map(\.name).sorted()
    #expect(left == ["Trip.quire", "Trip.zip", "pipe"])
  }

  @Test("A message names the path in the command line, and no temporary path")
  func names() {
    let disk = RealDisk()
    let temporary = disk.temporaryPath(for: "/data/My trips.xml")
    func shown(_ message: String) -> String {
      CommandError(.inputOutput, message, hint: message).namingTargets.message
    }

    #expect(
      shown("Can't write '\(temporary)': no space.")
        == "Can't write '/data/My trips.xml': no space.")
    #expect(
      shown("Can't write '\(temporary)/new/My trips.xml': no space.")
        == "Can't write '/data/My trips.xml': no space.")
    #expect(
      shown("Can't write '\(temporary)/new/My trips.xml/stores/a': no space.")
        == "Can't write '/data/My trips.xml/stores/a': no space.")
    #expect(shown("\(temporary)-wal: damaged") == "/data/My trips.xml-wal: damaged")
    let relative = disk.temporaryPath(for: "b.c.xml")
    #expect(shown("a.b: '\(relative)' is there.") == "a.b: './b.c.xml' is there.")
    #expect(shown("'a/.b.quire-tmp' is there.") == "'a/.b.quire-tmp' is there.")
    #expect(shown("Nothing to replace / here") == "Nothing to replace / here")
  }

  @Test("A conflict has the same exit code, whichever part of Quire finds it")
  func conflicts() {
    for code: StoreError.Code in [.conflict, .overtaken] {
      #expect(
        CommandError(explaining: StoreError(code, "Somebody else has saved.")).exitCode == .no)
    }
    #expect(CommandError(explaining: StoreError(.locked, "Locked.")).exitCode == .inputOutput)
  }
}
