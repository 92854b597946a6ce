import CommandInterface
import Documents
import DurableFiles
import Foundation
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// A document or a store that a report describes, open for reading.
struct ReportSource {
  /// The title of the document, or the name of its file.
  let name: String
  /// The kind of the file: `Document`, `Packed document`, `Binary store`.
  let kind: String
  let facts: [InfoFact]
  let model: Model
  let stores: [Part]
  /// The document; `nil` for a store.
  let document: Document?
  let history: ReportHistory

  /// A store of the document, or the store itself.
  struct Part {
    /// The name of the store in a document; `nil` for a store without a document.
    let name: String?
    let store: any Store
    let snapshot: any StoreSnapshot
    let description: StoreSummary
    /// The entities that are not abstract, by name.
    let entities: [StoredEntity]
  }

  /// An entity of a store.
  struct StoredEntity {
    let layout: Layout
    /// The number of objects, without objects of subentities.
    let count: Int
    /// The number of bytes of the rows; `nil` for a store that does not keep rows as blocks.
    let byteCount: Int?

    var name: String { layout.entity }
  }

  /// Opens the document or the store of the command line.
  init(_ reader: StoreReader, _ models: ModelReader, _ invocation: Invocation) throws {
    let path = invocation[.store]
    let ownName = path.lastPathComponent
    guard try reader.isDocument(path), !invocation.has(.storeName) else {
      let store = try reader.open(path, invocation, models)
      let snapshot = try store.snapshot()
      let part = try Self.part(nil, store, snapshot)
      name = ownName
      kind = "\(store.type.rawValue) store"
      facts = InfoCommand.facts(
        of: store, snapshot.commit, try snapshot.metadata, part.description)
      model = try snapshot.model
      stores = [part]
      document = nil
      history = try ReportHistory(of: store, at: snapshot, objectCount: part.objectCount)
      return
    }
    let document = try reader.document(path, toRead: invocation)
    do {
      let stores = try document.stores.map { try Self.part($0.name, $0, $0.snapshot()) }
      let title = document.manifest.title ?? ""
      name = title.isEmpty ? ownName : title
      kind = try reader.disk.status(of: path).kind == .directory ? "Document" : "Packed document"
      facts = try InfoCommand.facts(of: document)
      model = try document.model
      history = try ReportHistory(
        of: document, objectCount: stores.reduce(0) { $0 + $1.objectCount })
      self.stores = stores
      self.document = document
    } catch {
      try? document.close()
      throw error
    }
  }

  /// Closes the document. The reader closes a store.
  func close() { try? document?.close() }

  private static func part(
    _ name: String?, _ store: any Store, _ snapshot: any StoreSnapshot
  ) throws -> Part {
    let model = try snapshot.model
    let schema = snapshot.schema
    let hasBlocks = [StoreType.binary, .compressed].contains(store.type)
    let counts = try EntityCounts.all(of: model) { request in
      schema[request.entity] == nil ? 0 : try store.count(request, in: snapshot)
    }
    let view = snapshot.view
    return Part(
      name: name, store: store, snapshot: snapshot, description: try store.describe(),
      entities: try counts.compactMap { name, count in
        guard let layout = schema[name] else { return nil }
        let batches = hasBlocks ? try view.batches(of: layout) : nil
        return StoredEntity(
          layout: layout, count: count,
          byteCount: batches.map { $0.reduce(0) { $0 + $1.block.byteCount } })
      })
  }

  /// The number of objects of all stores.
  var objectCount: Int { stores.reduce(0) { $0 + $1.objectCount } }
  /// The size of all stores in bytes.
  var storeByteCount: Int { stores.reduce(0) { $0 + $1.description.byteCount } }
  var attachments: [Attachment] { document?.attachments ?? [] }

  /// The entities that have a table in the report, in the order of their names, each with the position of its store.
  ///
  /// - Parameter names: The names of the entities; `nil` for all entities.
  func tables(of names: Set<String>?) -> [(part: Int, entity: StoredEntity)] {
    stores.enumerated().flatMap { index, part in
      part.entities.filter { names?.contains($0.name) ?? true }.map { (index, $0) }
    }
  }
}

extension ReportSource.Part {
  /// The number of objects of the store.
  var objectCount: Int { entities.reduce(0) { $0 + $1.count } }
}
