import Foundation
import Quire
import Testing

enum HikesV1: ModelVersion {
  static let classes: [ManagedObject.Type] = [Hike.self]

  @Entity final class Hike: ManagedObject {
    var name: String
    var miles: Int = 0
  }
}

enum HikesV2: ModelVersion {
  static let classes: [ManagedObject.Type] = [Hike.self]

  @Entity final class Hike: ManagedObject {
    @Attribute(.originalName("name")) var title: String
    var miles: Int = 0
    var kilometres: Double = 0
  }
}

enum HikesV3: ModelVersion {
  static let versionName = "Hikes 3"
  static let classes: [ManagedObject.Type] = [Hike.self]

  @Entity final class Hike: ManagedObject {
    var title: String
    var kilometres: Double = 0
  }
}

@Suite("Versions of a model as classes")
struct ModelVersionTests {
  private static func stage() throws -> MigrationStage {
    try .custom(
      from: HikesV1.self, to: HikesV2.self,
      before: { context in
        for hike in try context.fetch(HikesV1.Hike.self) { hike.name = hike.name.capitalized }
      },
      after: { context in
        for hike in try context.fetch(HikesV2.Hike.self) {
          hike.kilometres = Double(hike.miles) * 1.6
        }
      })
  }

  @MainActor
  @Test("A store passes the stages between versions, each with the classes of its version")
  func stages() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "Hikes.store").path
    do {
      let container = try PersistentContainer(at: path, for: HikesV1.self)
      try container.viewContext.insert(HikesV1.Hike.self) {
        $0.name = "coast path"
        $0.miles = 10
      }
      try container.viewContext.save()
    }
    var migrator = try Migrator(
      HikesV1.self, HikesV2.self, HikesV3.self, stages: [Self.stage()])
    #expect(throws: MigrationError.self) {
      try PersistentContainer(at: path, for: HikesV3.self, migrator: migrator)
    }
    // At this point the distances are in kilometres.
    migrator.allowsLoss = true
    #expect(throws: ContextError.self) { try PersistentContainer(at: path, for: HikesV3.self) }

    let container = try PersistentContainer(at: path, for: HikesV3.self, migrator: migrator)

    let hikes = try container.viewContext.fetch(HikesV3.Hike.all)
    #expect(hikes.map(\.title) == ["Coast Path"] && hikes.map(\.kilometres) == [16])
  }
}
