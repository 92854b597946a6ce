import CommandInterface
import Documents
import Foundation
import JSONText
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

extension InfoCommand {
  /// Prints the description of a document.
  static func show(_ document: Document, _ invocation: Invocation) throws -> ExitCode {
    let manifest = document.manifest
    let counts = try counts(in: document)
    var words = WordIndexSizes()
    for store in document.stores { try words.add(store.snapshot()) }
    let output = invocation.console.output
    switch invocation.format {
    case .text:
      var table = Table()
      for fact in try facts(of: document) { table.add(fact.name, fact.text) }
      try output.write(table.text())
      var stores = Table()
      for store in document.stores {
        let size = try store.describe().byteCount
        let configuration = store.configuration.map { ", for \(oneLine($0))" } ?? ""
        let lanes = try store.snapshot().metadata.lanes
        stores.add(
          oneLine(store.name),
          "\(store.type.rawValue), \(Wording.count(size, "byte"))\(configuration)"
            + (lanes.isEmpty ? "" : ", counts in \(lane(lanes))")
            + (address(of: store).map { ", at \(oneLine($0))" } ?? ""))
      }
      try output.write("\n" + stores.text())
      var entities = Table()
      for (name, count) in counts { entities.add(name, Wording.count(count, "object")) }
      try output.write("\n" + entities.text() + words.text)
    case .json:
      let heads = try document.heads.names
      try output.writeLine(
        JSON.object([
          "format": .number(Manifest.formatVersion),
          "features": Manifest.json(manifest.features),
          "title": manifest.title.map(JSON.string),
          "uuid": .string(manifest.uuid.uuidString),
          "created": ValueText.exchange.json(.date(manifest.created)),
          "lastSave": ValueText.exchange.json(.date(manifest.saved)),
          "version": .number("\(document.shownVersion ?? manifest.number)"),
          "versionCount": .number(manifest.versions.count),
          "models": .strings(manifest.models.map(\.name)),
          "heads": heads.count > 1 ? .strings(heads) : nil,
          "currentHead": heads.count > 1 ? .string(try document.heads.current) : nil,
          "metadata": .members(
            manifest.metadata.sorted { $0.key < $1.key }.map {
              JSON.Member(name: $0.key, value: .string($0.value))
            }),
          "stores": .array(
            try document.stores.map {
              JSON.object([
                "name": .string($0.name), "type": .string($0.type.rawValue),
                "uuid": .string($0.uuid.uuidString),
                "configuration": $0.configuration.map(JSON.string),
                "lane": json(try $0.snapshot().metadata.lanes),
                "byteCount": .number(try $0.describe().byteCount),
                "address": address(of: $0).map(JSON.string),
              ])
            }),
          "attachments": .array(
            document.attachments.map {
              JSON.object([
                "name": .string($0.name), "digest": .string($0.digest),
                "byteCount": .number($0.byteCount),
              ])
            }),
          "entities": .members(
            counts.map { JSON.Member(name: $0.name, value: .number($0.count)) }),
          "words": words.json,
        ]))
    }
    return .done
  }

  private static func address(of store: DocumentStore) -> String? {
    store.isOnServer ? store.path : nil
  }

  /// Returns the identity, the dates and the size of a document.
  static func facts(of document: Document) throws -> [InfoFact] {
    let manifest = document.manifest
    let byteCount = manifest.attachments.filter { $0.until == nil }.reduce(0) { $0 + $1.byteCount }
    var facts = [InfoFact("document", "format \(Manifest.formatVersion)")]
    if let features = fact(manifest.features) { facts.append(features) }
    if let title = manifest.title { facts.append(InfoFact("title", title)) }
    facts += [
      InfoFact("UUID", manifest.uuid.uuidString), InfoFact("created", manifest.created),
      InfoFact("last save", manifest.saved),
      InfoFact(
        "versions",
        "\(manifest.versions.count), the newest is \(document.shownVersion ?? manifest.number)"),
      InfoFact("model", manifest.models.map(\.name).joined(separator: ", ")),
    ]
    let heads = try document.heads.names
    if heads.count > 1 {
      facts += [
        InfoFact("heads", heads.joined(separator: ", ")),
        InfoFact("current head", try document.heads.current),
      ]
    }
    if !document.attachments.isEmpty {
      facts.append(
        InfoFact(
          "attachments", "\(document.attachments.count), \(Wording.count(byteCount, "byte"))"))
    }
    return facts
      + manifest.metadata.sorted { $0.key < $1.key }.map { InfoFact($0.key, $0.value) }
  }

  /// Returns the number of objects of each entity in all stores, without subentities, by the entity's name.
  static func counts(in document: Document) throws -> [(name: String, count: Int)] {
    try EntityCounts.all(of: document.model) { request in
      try document.stores.reduce(0) { count, store in
        let snapshot = try store.snapshot()
        guard snapshot.schema[request.entity] != nil else { return count }
        return try count + store.count(request, in: snapshot)
      }
    }
  }
}
