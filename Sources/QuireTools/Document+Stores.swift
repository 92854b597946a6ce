import Documents
import StoreInterface

extension Document {
  /// Returns the store with a name, or the only store.
  ///
  /// - Throws: `DocumentError` with code `DocumentError.Code.notSupported` if the document does not contain a store
  ///   with the name, or contains several stores and `name` is `nil`.
  func store(named name: String?) throws(DocumentError) -> DocumentStore {
    if let found = name.flatMap({ self[$0] }) { return found }
    if name == nil, stores.count == 1 { return stores[0] }
    let names = stores.map(\.name).joined(separator: ", ")
    throw DocumentError(
      .notSupported,
      name.map { "The document has no store \"\($0)\". Its stores are: \(names)." }
        ?? "The document has several stores. Name one of them: \(names).", path: path)
  }
}
