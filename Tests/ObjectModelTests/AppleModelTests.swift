import AppleFixtures
import Foundation
import PropertyLists
import Testing

@testable import ModelNotations
@testable import ObjectModel

/// Models of Apple's tools, as source and compiled, with the hashes in the files beside them.
@Suite("Models of Apple's tools", .enabled(if: AppleFixtures.areHere, "\(AppleFixtures.absence)"))
struct AppleModelTests {
  static let compiled = AppleFixtures.paths(".momd")
  static let sources =
    AppleFixtures.paths(".xcdatamodeld")
    + AppleFixtures.paths(".xcdatamodel").filter { !$0.contains(".xcdatamodeld/") }

  @Test("Every model passes the checks", arguments: sources + compiled)
  func passes(_ path: String) throws {
    #expect(throws: Never.self) { try ModelVersions.read(path) }
  }

  @Test("A compiled model has the hashes in the file beside it", arguments: compiled)
  func compiledHashes(_ path: String) throws {
    for version in try ModelVersions.read(path).versions {
      #expect(
        version.model.versionHashes.mapValues(\.bytes) == version.storedHashes, "\(version.name)")
    }
  }

  @Test("A model's source has the hashes in the file beside its compiled form", arguments: compiled)
  func sourceHashes(_ path: String) throws {
    // The two forms are in folders of different kinds, under the names of project and model.
    let project = AppleFixtures.project(of: path)
    let name = URL(filePath: path).deletingPathExtension().lastPathComponent
    let source = try #require(
      Self.sources.first {
        AppleFixtures.project(of: $0) == project && $0.hasSuffix("/\(name).xcdatamodeld")
      })
    let models = try ModelVersions.read(source)

    for version in try ModelVersions.read(path).versions {
      let model = try #require(models[version.name], "\(version.name)")
      #expect(model.versionHashes.mapValues(\.bytes) == version.storedHashes, "\(version.name)")
      let difference = ModelDifference(from: version.model, to: model)
      #expect(!difference.isSeenByHashes, "\(version.name)\n\(difference)")
    }
  }

  @Test("A model has the checksum in the file beside its compiled form", arguments: compiled)
  func checksums(_ path: String) throws {
    let file = URL(filePath: path).appending(path: "VersionInfo.plist")
    let info = try BinaryPropertyList.read(Array(Data(contentsOf: file)))
    let models = try ModelVersions.read(path)

    // Only recent tools write checksums.
    for (name, checksum) in info["NSManagedObjectModel_VersionChecksums"]?.dictionary ?? [:] {
      #expect(models[name]?.versionChecksum == checksum.string, "\(name)")
    }
  }
}
