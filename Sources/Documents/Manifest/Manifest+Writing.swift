import Foundation
package import JSONText
import ObjectModel
package import Rows
import StoreInterface

extension Manifest {
  /// The manifest's text (spec §7.3.1).
  package var text: String { Manifest.sealed(json.text) }

  private var json: JSON {
    JSON.object([
      "format": .string(Manifest.format),
      "formatVersion": .number(Manifest.formatVersion),
      "features": Manifest.json(features),
      "uuid": .string(uuid.uuidString),
      "title": title.map(JSON.string),
      "created": Manifest.json(created),
      "metadata": metadata.isEmpty ? nil : Manifest.json(metadata),
      "model": .string(model),
      "models": .array(models.map(\.json)),
      "stores": .array(stores.map(\.json)),
      "log": log.map(JSON.string),
      "heads": heads.isEmpty ? nil : JSON.strings(heads),
      "head": head.map(JSON.string),
      "attachments": attachments.isEmpty ? nil : .array(attachments.map(\.json)),
      "versions": .array(versions.map(\.json)),
    ]).adding(others)
  }

  package static let format = "quire-document"

  static func json(_ date: Date) -> JSON { .string(ManifestDate.text(date)) }

  /// Returns the classes of features by their names; `nil` if there are none.
  package static func json(_ features: [FormatFeature]) -> JSON? {
    if features.isEmpty { return nil }
    return .members(
      features.map { JSON.Member(name: $0.name, value: .string($0.class.rawValue)) })
  }

  static func json(_ texts: [String: String]) -> JSON {
    .members(
      texts.sorted { $0.key < $1.key }.map { JSON.Member(name: $0, value: .string($1)) })
  }

  static func json(_ number: Int64) -> JSON { .number(String(number)) }
}

extension JSON {
  /// Returns the object with further members after its own.
  fileprivate func adding(_ members: [Member]) -> JSON {
    guard case .members(let own) = self else { return self }
    return .members(own + members)
  }
}

extension Manifest.ModelVersion {
  fileprivate var json: JSON {
    JSON.object([
      "name": .string(name),
      "file": .string(file),
      "entities": .members(
        hashes.sorted { $0.key < $1.key }.map {
          JSON.Member(name: $0, value: .string($1.description))
        }),
    ]).adding(others)
  }
}

extension Manifest.StoreEntry {
  fileprivate var json: JSON {
    JSON.object([
      "name": .string(name),
      "type": .string(type.rawValue),
      "file": .string(file),
      "uuid": .string(uuid.uuidString),
      "configuration": configuration.map(JSON.string),
      "options": options.isEmpty ? nil : Manifest.json(options),
      "commit": Manifest.json(commit),
      "earlier": earlier.isEmpty
        ? nil
        : .array(
          earlier.map {
            JSON.object([
              "commit": Manifest.json($0.commit), "until": Manifest.json($0.until),
              "file": .string($0.file), "model": .string($0.model),
              "uuid": $0.uuid.map { .string($0.uuidString) },
            ]).adding($0.others)
          }),
    ]).adding(others)
  }
}

extension Manifest.AttachmentEntry {
  fileprivate var json: JSON {
    JSON.object([
      "name": .string(name),
      "digest": .string(digest),
      "byteCount": .number(byteCount),
      "since": Manifest.json(since),
      "until": until.map(Manifest.json),
      "content": isContent ? .boolean(true) : nil,
    ]).adding(others)
  }
}

extension Manifest.VersionEntry {
  fileprivate var json: JSON {
    JSON.object([
      "number": Manifest.json(number),
      "saved": Manifest.json(saved),
      "model": .string(model),
      "name": name.map(JSON.string),
      "author": author.map(JSON.string),
      "message": message.map(JSON.string),
      "undoneTo": undoneTo.map(Manifest.json),
      "merged": merged.isEmpty ? nil : .array(merged.map(Manifest.json)),
      "received": received.isEmpty ? nil : .strings(received),
    ]).adding(others)
  }
}
