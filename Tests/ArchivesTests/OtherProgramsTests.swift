import DiskSimulation
import DurableFiles
import Foundation
import ProgramRuns
import Testing

@testable import Archives

/// Exchanges archives with other programs. A test is skipped if its program is missing.
@Suite("Archives and other programs")
struct OtherProgramsTests {
  private static func has(_ program: String) -> Bool {
    (try? ProgramRun("sh", ["-c", "command -v \(program)"]).status) == 0
  }

  /// Runs a program, which the first word names, in a folder.
  @discardableResult
  private static func run(_ words: [String], in folder: String) throws -> ProgramRun {
    try ProgramRun(words[0], Array(words[1...]), in: URL(filePath: folder))
  }

  /// Runs `body` in a folder with the sample as `Trip.quire` and packed as `Trip.zip`.
  private static func withFolder(
    _ limits: PackingLimits = PackingLimits(), _ body: (String, [String: [UInt8]]) throws -> Void
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    let disk = RealDisk()
    try disk.makeDirectory(folder)
    defer { try? disk.removeTree(folder) }
    let simulated = SimulatedDisk()
    try SampleFolder.make(on: simulated)
    try FolderPacking(SampleFolder.path, on: simulated).run(into: "/Trip.zip")
    try Archive("/Trip.zip", on: simulated).unpack(to: folder + "/Trip.quire", on: disk)
    var packing = FolderPacking(folder + "/Trip.quire", on: disk)
    packing.limits = limits
    try packing.run(into: folder + "/Trip.zip")
    try body(folder, SampleFolder.contents(SampleFolder.path, on: simulated))
  }

  static let limits = [
    PackingLimits(), PackingLimits(count: 3, byteCount: 1000),
    PackingLimits(count: 0, byteCount: 1),
  ]

  @Test("unzip reads our archives", .enabled(if: has("unzip")), arguments: limits.indices)
  func unzip(_ index: Int) throws {
    try Self.withFolder(Self.limits[index]) { folder, contents in
      let test = try Self.run(["unzip", "-t", "Trip.zip"], in: folder)
      #expect(test.status == 0, "\(test.text)")

      try Self.run(["unzip", "-q", "Trip.zip", "-d", "out"], in: folder)
      var found = try SampleFolder.contents(folder + "/out", on: RealDisk())
      #expect(
        found.removeValue(forKey: "mimetype") == Array("application/vnd.quire.document+zip".utf8))
      #expect(found == contents)
    }
  }

  @Test("Python reads our archives", .enabled(if: has("python3")), arguments: limits.indices)
  func pythonReads(_ index: Int) throws {
    try Self.withFolder(Self.limits[index]) { folder, contents in
      let script = """
        import zipfile
        z = zipfile.ZipFile("Trip.zip")
        assert z.testzip() is None
        i = z.infolist()
        assert i[0].filename == "mimetype" and i[0].compress_type == 0 and not i[0].extra
        assert all(e.date_time == (1980, 1, 1, 0, 0, 0) for e in i)
        z.extractall("out")
        """
      let run = try Self.run(["python3", "-c", script], in: folder)
      #expect(run.status == 0, "\(run.text)")
      var found = try SampleFolder.contents(folder + "/out", on: RealDisk())
      found["mimetype"] = nil
      #expect(found == contents)
    }
  }

  @Test(
    "Archives that Python packed are read", .enabled(if: has("python3")),
    arguments: ["file", "pipe", "large"])
  func pythonWrites(_ way: String) throws {
    try Self.withFolder { folder, contents in
      let script = """
        import os, sys, zipfile
        out = open("py.zip", "wb")
        if sys.argv[1] == "pipe":
            class Pipe:
                def write(self, b): return out.write(b)
                def flush(self): out.flush()
            target = Pipe()
        else:
            target = out
        z = zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED)
        for root, folders, files in os.walk("Trip.quire"):
            for f in folders:
                z.write(os.path.join(root, f), os.path.relpath(os.path.join(root, f), "Trip.quire"))
            for f in files:
                p = os.path.join(root, f)
                name = os.path.relpath(p, "Trip.quire")
                i = zipfile.ZipInfo.from_file(p, name)
                i.compress_type = 0 if f.endswith(".store") else 8
                with z.open(i, "w", force_zip64=sys.argv[1] == "large") as o: o.write(open(p, "rb").read())
        z.close()
        """
      let run = try Self.run(["python3", "-c", script, way], in: folder)
      #expect(run.status == 0, "\(run.text)")
      let disk = RealDisk()
      let archive = try Archive(folder + "/py.zip", on: disk)
      try archive.unpack(to: folder + "/out", on: disk)
      #expect(try SampleFolder.contents(folder + "/out", on: disk) == contents)
      #expect(try SampleFolder.contents("/d", on: PackedDisk(archive, at: "/d")) == contents)
    }
  }

  @Test(
    "Archives that zip packed are read", .enabled(if: has("zip")),
    arguments: [["-r"], ["-r", "-0"], ["-r", "-"]])
  func zip(_ options: [String]) throws {
    try Self.withFolder { folder, contents in
      let isPiped = options.contains("-")
      let words = options.filter { $0 != "-" } + [isPiped ? "- . | cat > ../z.zip" : "../z.zip ."]
      let run = try Self.run(
        ["sh", "-c", "zip -q " + words.joined(separator: " ")], in: folder + "/Trip.quire")
      #expect(run.status == 0, "\(run.text)")
      let disk = RealDisk()
      try Archive(folder + "/z.zip", on: disk).unpack(to: folder + "/out", on: disk)
      #expect(try SampleFolder.contents(folder + "/out", on: disk) == contents)
    }
  }

  @Test("The program file recognises a packed document", .enabled(if: has("file")))
  func fileType() throws {
    try Self.withFolder { folder, _ in
      let run = try Self.run(["file", "-b", "Trip.zip"], in: folder)
      #expect(
        run.text.contains("application/vnd.quire.document+zip") || run.text.contains("Zip"))
    }
  }
}
