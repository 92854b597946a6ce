import AppleFixtures
import Foundation
import ModelNotations
import ObjectModel
import ProgramRuns
import PropertyLists
import Testing

@Suite(
  "Models that Apple's tools wrote",
  .enabled(if: AppleFixtures.areHere, "\(AppleFixtures.absence)"))
struct FixtureTests {
  @Test(
    "A source is read, written and read again without loss",
    arguments: AppleFixtures.paths("/contents", in: "xcdatamodeld"))
  func source(_ path: String) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let description = try ModelSource.read(bytes, path: path)
    let model = try Model(description)

    let again = try ModelSource.read(ModelSource.write(model))

    #expect(again == description)
  }

  @Test("Sources are written with the layout of Apple's editor")
  func identity() throws {
    let paths = AppleFixtures.paths("/contents", in: "xcdatamodeld")
    for path in paths {
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      let written = try ModelSource.write(Model(ModelSource.read(bytes, path: path)))
      // Some files got a final line feed after Apple's editor wrote them.
      let trimmed = bytes.last == 0x0A ? Array(bytes.dropLast()) : bytes
      #expect(written == trimmed, "\(path)")
    }
  }

  @Test(
    "Folders of versions state their current version",
    arguments: AppleFixtures.paths(".xcdatamodeld", in: "xcdatamodeld"))
  func versions(_ path: String) throws {
    let versions = try ModelVersions.read(path)
    #expect(!versions.versions.isEmpty && !versions.current.entities.isEmpty)
  }

  @Test(
    "Compiled models have the hashes in the file beside them",
    arguments: AppleFixtures.paths(".momd", in: "momd"))
  func compiled(_ path: String) throws {
    let versions = try ModelVersions.read(path)
    for version in versions.versions {
      #expect(!version.storedHashes.isEmpty, "\(version.name)")
      let computed = version.model.versionHashes.mapValues { Array($0.bytes) }
      for (entity, stored) in version.storedHashes {
        #expect(computed[entity] == stored, "\(version.name), \(entity)")
      }
    }
  }

  @Test("Source and compiled form have the same hashes")
  func sourceAndCompiled() throws {
    for (source, compiled) in [
      (
        "xcdatamodeld/alemar11+CoreDataPlus/Tests/Resources/SampleModel/SampleModel.xcdatamodeld",
        "momd/alemar11+CoreDataPlus/Tests/Resources/SampleModel/Fixtures/SampleModel.momd"
      ),
      (
        "xcdatamodeld/alemar11+CoreDataPlus/Tests/Resources/SampleModel3/SampleModel3.xcdatamodeld",
        "momd/alemar11+CoreDataPlus/Tests/Resources/SampleModel3/Fixtures/SampleModel3.momd"
      ),
    ] {
      let sources = try ModelVersions.read(
        AppleFixtures.folder!.appendingPathComponent(source).path)
      let compiled = try ModelVersions.read(
        AppleFixtures.folder!.appendingPathComponent(compiled).path)
      #expect(sources.currentName == compiled.currentName)
      for version in compiled.versions {
        let source = try #require(sources[version.name])
        #expect(source.versionHashes == version.model.versionHashes, "\(version.name)")
        let difference = ModelDifference(from: source, to: version.model)
        #expect(
          difference.changes.allSatisfy { !$0.isSeenByHashes }, "\(version.name): \(difference)")
      }
    }
  }

  @Test(
    "The model inside a store has the hashes of the store's metadata",
    .enabled(if: StoreModel.canExtract, "python3 is not there to open the stores."),
    arguments: AppleFixtures.paths(".sqlite", in: "sqlitestore"))
  func frozen(_ path: String) throws {
    guard let parts = try StoreModel.extract(path) else { return }
    let metadata = try BinaryPropertyList.read(parts.metadata)
    let model = try Model(CompiledModel.read(parts.model, path: path))

    let stored = try #require(metadata["NSStoreModelVersionHashes"]?.dictionary)
    #expect(Set(stored.keys) == Set(model.entities.map(\.name)))
    for (entity, hash) in stored {
      #expect(model.versionHashes[entity].map { Data($0.bytes) } == hash.data, "\(entity)")
    }
    if let digest = metadata["NSStoreModelVersionHashesDigest"]?.string {
      #expect(model.versionHashesDigest == digest)
    }
    if let checksum = metadata["NSStoreModelVersionChecksumKey"]?.string {
      #expect(model.versionChecksum == checksum)
    }
  }
}

/// The metadata and the model of a SQLite store, extracted by another program.
enum StoreModel {
  static let canExtract =
    (try? ProgramRun("python3", ["-c", "import sqlite3, zlib"]).status) == 0

  static func extract(_ path: String) throws -> (metadata: [UInt8], model: [UInt8])? {
    let script = """
      import sqlite3, zlib, sys
      db = sqlite3.connect('file:' + sys.argv[1] + '?mode=ro&immutable=1', uri=True)
      plist = bytes(db.execute('select Z_PLIST from Z_METADATA').fetchone()[0])
      try: model = zlib.decompress(bytes(db.execute('select Z_CONTENT from Z_MODELCACHE').fetchone()[0]), -15)
      except sqlite3.OperationalError: model = b''
      sys.stdout.buffer.write(len(plist).to_bytes(8, 'little') + plist + model)
      """
    let run = try ProgramRun("python3", ["-c", script, path], reading: .output)
    let output = run.bytes
    guard run.status == 0, output.count > 8 else { return nil }
    let count = output[..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
    let model = Array(output[(8 + count)...])
    return model.isEmpty ? nil : (Array(output[8..<8 + count]), model)
  }
}
