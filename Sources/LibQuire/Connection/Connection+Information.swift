import Documents
import Foundation
import JSONText
import ObjectGraph
import ObjectModel
import Rows
import StoreInterface

extension Connection {
  /// Whether a save would do something.
  var hasChanges: Bool { context.hasChanges || document?.hasStagedAttachments ?? false }

  /// The description of the document or the store.
  var info: JSON {
    get throws {
      let snapshot = try store.snapshot()
      let manifest = document?.manifest
      let uuid = try manifest?.uuid ?? snapshot.metadata.uuid
      return .object([
        "path": .string(path), "kind": .string(document == nil ? "store" : "document"),
        "type": .string(store.type.rawValue),
        "store": (store as? DocumentStore).map { .string($0.name) },
        "uuid": uuid.map { .string($0.uuidString) },
        "title": manifest?.title.map { .string($0) },
        "head": document.map { .string($0.head) },
        "version": .number("\(document?.shownVersion ?? manifest?.number ?? snapshot.commit)"),
        "readOnly": .boolean(document?.isReadOnly ?? false),
        "entities": .members(
          try model.entities.filter { !$0.isAbstract }.map { entity in
            .init(
              name: entity.name,
              value: .object([
                "number": schema[entity.name].map { .number(Int($0.entityNumber)) },
                "count": .number(try count(of: entity.name)),
              ]))
          }),
      ])
    }
  }
}

extension JSON {
  /// Returns a version of a document.
  static func version(_ entry: Manifest.VersionEntry) -> JSON {
    .object([
      "number": .number("\(entry.number)"),
      "saved": .string(entry.saved.isoText(includingFractions: true)),
      "author": entry.author.map { .string($0) }, "message": entry.message.map { .string($0) },
      "name": entry.name.map { .string($0) }, "model": .string(entry.model),
    ])
  }

  /// Returns a commit of a store.
  static func version(_ commit: CommitSummary) -> JSON {
    .object([
      "number": .number("\(commit.number)"),
      "saved": .string(commit.time.isoText(includingFractions: true)),
      "author": commit.author.map { .string($0) }, "message": commit.message.map { .string($0) },
    ])
  }
}
