import Comparison
import Documents
import Foundation
import JSONText
import QuireTools
import StoreInterface

extension Connection {
  /// The document.
  ///
  /// - Throws: ``CallError`` for the connection to a bare store.
  var requiredDocument: Document {
    get throws {
      guard let document else {
        throw CallError(.notSupported, "'\(path)' is a store, and only a document has these parts.")
      }
      return document
    }
  }

  /// The versions of the document, or the commits of the store.
  var versions: JSON {
    get throws {
      if let document { return .array(document.versions.map { JSON.version($0) }) }
      guard store.features.history != nil else {
        throw CallError(.notSupported, "'\(path)' keeps no versions.")
      }
      return .array(try store.commits().map { JSON.version($0) })
    }
  }

  /// Restores an earlier version of the document as a new version.
  func revert(to version: Int64, _ message: String?) throws {
    let document = try requiredDocument
    guard !hasChanges else {
      throw CallError(.badChange, "There are unsaved changes. Save or discard them first.")
    }
    try document.revert(to: version, author: context.transactionAuthor, message: message)
    context.undoStack?.removeAll()
    _ = try refresh()
  }

  /// Returns the saved changes after a version as the lines of a patch.
  func changes(since version: Int64) throws -> String {
    let head = document.map { $0.head == HeadName.main ? "" : $0.head } ?? ""
    let newest = head.isEmpty ? path : "\(path)@\(head)"
    return try Patch(from: "\(path)@\(version)", to: newest, in: places).text
  }
}
