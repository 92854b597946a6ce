import DurableFiles
import Foundation
import ObjectModel
import Rows
import SQLiteStore
import StoreInterface
import Testing

/// Reads whatever a file shows, for tests of files that are not what they say.
enum Hostile {
  /// How a file was taken.
  enum Outcome {
    /// So many objects and links were read.
    case read(Int)
    case refused(StoreError)

    var error: StoreError? {
      if case .refused(let error) = self { error } else { nil }
    }
  }

  /// Opens a file and reads every value in it. An error that is none of a store's, or that does not name the file, is a
  /// fault of its own.
  static func read(
    _ path: String, model: Model? = nil, writes: Bool = false,
    _ comment: @autoclosure () -> String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> Outcome {
    do {
      let store = try SQLiteStoreBackend().open(
        path, on: RealDisk(),
        StoreOpening(readOnly: !writes, model: model, writesForeign: writes))
      defer { try? store.close() }
      return .read(try count(store.snapshot()))
    } catch let error as StoreError {
      #expect(
        error.description.contains(path) && !error.message.isEmpty, "\(comment()): \(error)",
        sourceLocation: sourceLocation)
      return .refused(error)
    } catch {
      Issue.record("\(comment()): \(type(of: error)) \(error)", sourceLocation: sourceLocation)
      return .read(0)
    }
  }

  /// Reads all values of a snapshot: in blocks, and one by one.
  static func count(_ snapshot: any StoreSnapshot) throws -> Int {
    var count = 0
    for layout in snapshot.schema.layouts + snapshot.schema.linkTables.map(\.layout) {
      for number in try snapshot.view.keys(ofEntity: layout.entityNumber) {
        let key = ObjectKey(entity: layout.entityNumber, number: number)
        guard let row = try snapshot.view.row(of: key) else { continue }
        for column in layout.columns { _ = try row.value(column) }
        count += 1
      }
      // A key of nobody's, asked for by itself.
      _ = try snapshot.view.row(of: ObjectKey(entity: layout.entityNumber, number: 1 << 40))
    }
    return count
  }
}
