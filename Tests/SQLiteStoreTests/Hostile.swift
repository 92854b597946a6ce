import DurableFiles
import Foundation
import ObjectModel
import Rows
import SQLiteStore
import StoreInterface
import Testing

/// Reads everything in a file, for tests of files with false contents.
enum Hostile {
  /// The outcome of reading a file.
  enum Outcome {
    /// The number of objects and links that were read.
    case read(Int)
    case refused(StoreError)

    var error: StoreError? {
      if case .refused(let error) = self { error } else { nil }
    }
  }

  /// Opens a file and reads every value. An error that is not a `StoreError`, or that does not name the file, fails the
  /// test.
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

  /// Reads all values of a snapshot, in blocks and one by one, and returns their number.
  static func count(_ snapshot: any StoreSnapshot) throws -> Int {
    var count = 0
    for layout in snapshot.schema.layouts + snapshot.schema.linkTables.map(\.layout) {
      for number in try snapshot.view.keys(ofEntity: layout.entityNumber) {
        let key = ObjectKey(entity: layout.entityNumber, number: number)
        guard let row = try snapshot.view.row(of: key) else { continue }
        for column in layout.columns { _ = try row.value(column) }
        count += 1
      }
      // A key that belongs to no object, requested separately.
      _ = try snapshot.view.row(of: ObjectKey(entity: layout.entityNumber, number: 1 << 40))
    }
    return count
  }
}
