// SAFETY: The structures of parameters live as long as the call.

internal import CQuire
import Comparison
import Documents
import DurableFiles
import Foundation
import JSONText
import ModelNotations
import ObjectModel
import Quire
import StoreInterface

extension Connection {
  /// Opens a document or a store.
  static func open(_ path: String, _ opening: quire_opening) throws -> Connection {
    let places = StorePlaces.builtIn
    let access: Document.Access
    switch unsafe opening.access {
    case 0: access = .exclusive
    case 1: access = .shared
    case 2: access = .readOnly
    default: throw CallError(.badArgument, unsafe "\(opening.access) is not a kind of access.")
    }
    let author = try unsafe opening.author.string
    let version = try unsafe opening.version.string.map { text in
      guard let version = VersionReference(text) else {
        throw CallError(
          .badArgument, "'\(text)' is not the number of a version, nor the name of a head.")
      }
      return version
    }
    guard try places.isDocument(path) else {
      let model = try unsafe opening.model.string.map { try ModelVersions.read($0).current }
      let isReadOnly = access == .readOnly || version != nil
      let store = try places.openStore(
        path, version: version, model: model, readOnly: isReadOnly)
      return try opened(store, of: nil, at: path, in: places, author, isReadOnly: isReadOnly)
    }
    // A caller that asks for exclusive access gets it, or an error.
    let document: Document
    if version == nil || version?.head != nil && access != .readOnly {
      document = try Document.open(path, in: places, access: access, head: version?.head)
    } else {
      document = try places.openDocument(path, access: .readOnly, version: version)
    }
    do {
      let store = try unsafe document.store(opening.store.string)
      return try opened(store, of: document, at: path, in: places, author)
    } catch {
      try? document.close()
      throw error
    }
  }

  /// Makes a document or a store, and opens it.
  static func create(_ path: String, _ creation: quire_creation) throws -> Connection {
    let places = StorePlaces.builtIn
    let model = try unsafe model(creation)
    let type = try unsafe creation.type.string.map { StoreType(rawValue: $0) } ?? .binary
    let author = try unsafe creation.author.string
    if unsafe creation.is_store != 0 {
      var options = StoreCreation()
      options.overwriting = unsafe creation.overwriting != 0
      let store = try places.create(path, type: type, model: model, options)
      return try opened(store, of: nil, at: path, in: places, author)
    }
    let document = try unsafe Document.create(
      path, model: model, stores: [DocumentStoreDescription(type: type)],
      title: creation.title.string, in: places, overwriting: creation.overwriting != 0)
    return try opened(document.stores[0], of: document, at: path, in: places, author)
  }

  private static func opened(
    _ store: any Store, of document: Document?, at path: String, in places: StorePlaces,
    _ author: String?, isReadOnly: Bool = false
  ) throws -> Connection {
    do {
      return try Connection(
        store, of: document, at: path, in: places, author: author, isReadOnly: isReadOnly)
    } catch {
      if let document { try? document.close() } else { try? store.close() }
      throw error
    }
  }

  private static func model(_ creation: quire_creation) throws -> Model {
    if let path = try unsafe creation.model.string { return try ModelVersions.read(path).current }
    let text = unsafe Array(try creation.model_text.required("model").utf8)
    if text.first(where: { !" \n\r\t".utf8.contains($0) }) == UInt8(ascii: "{") {
      return try Model(ModelJSON.read(text, path: "model"))
    }
    return try Model(ModelText.read(text, path: "model"))
  }
}

extension Document {
  /// Returns the store with a name, or the only store.
  fileprivate func store(_ name: String?) throws -> DocumentStore {
    if let store = name.flatMap({ self[$0] }) { return store }
    if name == nil, stores.count == 1 { return stores[0] }
    let names = stores.map(\.name).joined(separator: ", ")
    throw CallError(
      .notSupported,
      name.map { "'\(path)' has no store \"\($0)\". Its stores are: \(names)." }
        ?? "'\(path)' has several stores. Name one of them: \(names).")
  }
}
