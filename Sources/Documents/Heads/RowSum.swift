import Checksums
import Foundation
import ObjectModel
package import Rows
package import StoreInterface

/// The sum of the digests of all rows of a store, as numbers of 256 bits.
///
/// The order of the rows has no influence, and the sum of a later state follows from the rows that differ.
package struct RowSum: Sendable, Hashable, CustomStringConvertible {
  /// The parts of the number, the lowest first.
  private var parts: [UInt64] = [0, 0, 0, 0]

  init() {}

  /// Reads the digits of ``description``; `nil` if the text is not a sum.
  package init?(_ text: String) {
    guard text.isDigest, let bytes = [UInt8](hex: text) else { return nil }
    add(bytes)
  }

  package init(of snapshot: any StoreSnapshot) throws {
    let lines = try RowLines(snapshot)
    for layout in snapshot.schema.layouts + snapshot.schema.linkTables.map(\.layout) {
      for batch in try snapshot.view.batches(of: layout) {
        let keys = try batch.block.keys
        for row in 0..<batch.block.rowCount where !(batch.hidden?.contains(row) ?? false) {
          add(
            try lines.digest(layout, UInt64(bitPattern: keys.integer(at: row))) {
              try batch.block.value($0, row: row)
            })
        }
      }
    }
  }

  /// Returns the sum of a later or an earlier snapshot. Reads only the rows that differ.
  ///
  /// - Parameters:
  ///   - old: The snapshot with this sum.
  ///   - layer: The changes from `old` to `new`, in the schema of both.
  package func moved(
    from old: any StoreSnapshot, to new: View, by layer: Layer
  ) throws -> RowSum {
    var sum = self
    let lines = try RowLines(old)
    for changes in layer.entities {
      guard let layout = old.schema[changes.entityNumber] else { continue }
      for entry in try layer.entries(ofEntity: changes.entityNumber) {
        let key = ObjectKey(entity: changes.entityNumber, number: entry.key)
        if let row = try old.view.row(of: key) {
          sum.subtract(try lines.digest(layout, key.number, row.value))
        }
        if let row = try new.row(of: key) {
          sum.add(try lines.digest(layout, key.number, row.value))
        }
      }
    }
    return sum
  }

  /// Subtracts a number of 32 bytes, the lowest first: adds its complement to 2^256.
  private mutating func subtract(_ bytes: [UInt8]) {
    add(bytes.map { ~$0 })
    add([1] + [UInt8](repeating: 0, count: 31))
  }

  /// Adds a number of 32 bytes, the lowest first.
  private mutating func add(_ bytes: [UInt8]) {
    var carries = false
    for index in parts.indices {
      var part: UInt64 = 0
      for byte in bytes[8 * index..<8 * index + 8].reversed() { part = part << 8 | UInt64(byte) }
      let (sum, overflows) = parts[index].addingReportingOverflow(part)
      let (total, overflowsAgain) = sum.addingReportingOverflow(carries ? 1 : 0)
      parts[index] = total
      carries = overflows || overflowsAgain
    }
  }

  /// 64 hexadecimal digits, the lowest byte first.
  package var description: String {
    parts.flatMap { part in (0..<8).map { UInt8(truncatingIfNeeded: part >> (8 * UInt64($0))) } }
      .hex
  }
}
