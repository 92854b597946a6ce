// SAFETY: Masks have a byte for every row of the batch, and columns of the batch have a value for every row.

import Foundation
import ObjectModel
import Rows

/// A byte for each row of a batch: 1 if the row is kept, 0 if not.
typealias RowFlags = UnsafeMutableBufferPointer<UInt8>

/// One scan with a predicate, with its temporary memory and the sets of objects that it computes.
final class ScanRun {
  let source: any QuerySource
  let watch: SearchWatch?
  private let interpreter: Interpreter
  private var keySets: [KeySet?]
  private var ownerCounts: [[UInt64: Int64]?]

  init(
    _ source: any QuerySource, now: Date, setCount: Int, slotCount: Int, sharedFetchCount: Int,
    watch: SearchWatch? = nil
  ) {
    self.source = source
    self.watch = watch
    interpreter = Interpreter(
      source, now: now, slotCount: slotCount, sharedFetchCount: sharedFetchCount)
    keySets = Array(repeating: nil, count: setCount)
    ownerCounts = Array(repeating: nil, count: setCount)
  }

  /// Calls `body` with the flags of a batch: 1 for each visible row that a node keeps.
  func select<R>(
    _ node: ScanNode, _ reader: BatchReader, _ body: (UnsafeBufferPointer<UInt8>) throws -> R
  ) throws -> R {
    // This call only checks for cancellation. Scans of related entities also run here, and their rows do not count as
    // progress.
    try watch?.pass(0)
    let count = reader.batch.block.rowCount
    return unsafe try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { flags in
      unsafe flags.initialize(repeating: 1)
      if let hidden = reader.batch.hidden {
        for row in 0..<count where hidden.contains(row) { unsafe flags[row] = 0 }
      }
      unsafe try filter(node, reader, flags)
      return unsafe try body(UnsafeBufferPointer(flags))
    }
  }

  /// Clears the flags of the rows that a node does not keep.
  func filter(_ node: ScanNode, _ reader: BatchReader, _ flags: RowFlags) throws {
    switch node {
    case .constant(let flag): if !flag { unsafe flags.update(repeating: 0) }
    case .and(let nodes):
      for (index, node) in nodes.enumerated() {
        // If no row is left, the remaining tests are skipped.
        if index > 0, unsafe !flags.hasAny { return }
        unsafe try filter(node, reader, flags)
      }
    case .or(let nodes): unsafe try filterEither(nodes, reader, flags)
    case .not(let node):
      unsafe try withCopy(of: flags) { kept in
        unsafe try filter(node, reader, kept)
        for row in flags.indices { unsafe flags[row] &= ~kept[row] }
      }
    case .column(let column, .isNull(let wanted)):
      try unsafe reader.presence(of: column).filter(.isNull(wanted), flags)
    case .column(let column, let test): try unsafe reader.column(column).filter(test, flags)
    case .computed(let expression, let test, let predicate):
      guard let column = try expression.column(in: reader) else {
        return unsafe try filter(.rows(predicate), reader, flags)
      }
      try unsafe column.filter(test, flags)
    case .columns(let left, let relation, let right):
      let left = try reader.column(left)
      unsafe left.filter(relation, try reader.column(right), flags)
    case .related(let test): unsafe try filter(test, reader, flags)
    case .owning(let test): unsafe try filter(test, reader, flags)
    case .rows(let predicate):
      for row in flags.indices where unsafe flags[row] != 0 {
        if try !interpreter.holds(predicate, for: reader.subject(row)) { unsafe flags[row] = 0 }
      }
    }
  }

  private func filterEither(
    _ nodes: [ScanNode], _ reader: BatchReader, _ flags: RowFlags
  ) throws {
    // `flags` contains the rows that no node has kept yet; `kept` collects the rows that a node keeps.
    unsafe try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: flags.count) { kept in
      unsafe kept.initialize(repeating: 0)
      for node in nodes where unsafe flags.hasAny {
        unsafe try withCopy(of: flags) { some in
          unsafe try filter(node, reader, some)
          for row in flags.indices {
            unsafe kept[row] |= some[row]
            unsafe flags[row] &= ~some[row]
          }
        }
      }
      for row in flags.indices { unsafe flags[row] = kept[row] }
    }
  }

  private func withCopy(of flags: RowFlags, _ body: (RowFlags) throws -> Void) throws {
    unsafe try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: flags.count) { copy in
      _ = unsafe copy.initialize(fromContentsOf: flags)
      unsafe try body(copy)
    }
  }

  // MARK: - Objects at relationships

  private func filter(_ test: RelatedTest, _ reader: BatchReader, _ flags: RowFlags) throws {
    let set = try keySet(of: test)
    let column = try reader.column(test.column)
    let none: UInt8 = test.holdsForNone ? 1 : 0
    // If the test is true for no object, the set contains the objects that fail it.
    let found: UInt8 = test.holdsForNone ? 0 : 1
    for row in flags.indices where unsafe flags[row] != 0 {
      guard let key = column.reference(at: row) else {
        unsafe flags[row] = none
        continue
      }
      unsafe flags[row] = set.contains(key) ? found : 1 - found
    }
  }

  private func keySet(of test: RelatedTest) throws -> KeySet {
    if let known = keySets[test.index] { return known }
    var keys: [ObjectKey] = []
    for layout in test.layouts {
      try forEachHit(test.node, layout) { reader, row in keys.append(try reader.key(row)) }
    }
    let set = KeySet(keys)
    keySets[test.index] = set
    return set
  }

  private func filter(_ test: OwningTest, _ reader: BatchReader, _ flags: RowFlags) throws {
    guard let count = test.count else {
      let owners = try keySet(of: test)
      for row in flags.indices where unsafe flags[row] != 0 {
        if try !owners.contains(reader.key(row)) { unsafe flags[row] = 0 }
      }
      return
    }
    let counts = try counts(of: test)
    for row in flags.indices where unsafe flags[row] != 0 {
      let found = counts[try reader.key(row).rawValue] ?? 0
      if count.range.contains(found) == count.inverted { unsafe flags[row] = 0 }
    }
  }

  private func keySet(of test: OwningTest) throws -> KeySet {
    if let known = keySets[test.index] { return known }
    var owners: [ObjectKey] = []
    try forEachOwner(of: test) { owners.append($0) }
    let set = KeySet(owners)
    keySets[test.index] = set
    return set
  }

  private func counts(of test: OwningTest) throws -> [UInt64: Int64] {
    if let known = ownerCounts[test.index] { return known }
    var counts: [UInt64: Int64] = [:]
    try forEachOwner(of: test) { counts[$0.rawValue, default: 0] += 1 }
    ownerCounts[test.index] = counts
    return counts
  }

  private func forEachOwner(of test: OwningTest, _ body: (ObjectKey) -> Void) throws {
    for rows in test.rows {
      try forEachHit(rows.node, rows.layout) { reader, row in
        if let owner = try reader.column(rows.owner).reference(at: row) { body(owner) }
      }
    }
  }

  /// Calls `body` with every row of an entity that a node keeps.
  func forEachHit(
    _ node: ScanNode, _ layout: Layout, _ body: (BatchReader, Int) throws -> Void
  ) throws {
    for batch in try source.batches(of: layout) {
      let reader = BatchReader(batch, entityNumber: layout.entityNumber)
      unsafe try select(node, reader) { flags in
        unsafe try flags.forEachKept { try body(reader, $0) }
      }
    }
  }
}

extension BatchReader {
  /// Returns the key of a row.
  @inline(__always)
  func key(_ row: Int) throws -> ObjectKey {
    if isConsecutive { return ObjectKey(rawValue: lowestKey.rawValue &+ UInt64(row)) }
    return ObjectKey(
      entity: entityNumber, number: UInt64(bitPattern: try batch.block.keys.integer(at: row)))
  }
}

extension UnsafeMutableBufferPointer<UInt8> {
  /// Whether any row is kept.
  var hasAny: Bool { UnsafeBufferPointer(self).hasAny }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether any row is kept.
  var hasAny: Bool {
    var any: UInt8 = 0
    for row in indices { unsafe any |= self[row] }
    return any != 0
  }

  /// Calls `body` with each row that is kept.
  @inline(__always)
  func forEachKept(_ body: (Int) throws -> Void) rethrows {
    var row = 0
    let bytes = UnsafeRawBufferPointer(self)
    while row &+ 8 <= count {
      // Most rows are not kept, so eight rows are skipped at a time.
      var word = unsafe UInt64(
        littleEndian: bytes.loadUnaligned(fromByteOffset: row, as: UInt64.self))
      while word != 0 {
        try body(row &+ word.trailingZeroBitCount &>> 3)
        word &= word &- 1
      }
      row &+= 8
    }
    while row < count {
      if unsafe self[row] != 0 { try body(row) }
      row &+= 1
    }
  }

  /// The number of rows that are kept.
  var keptCount: Int {
    var count = 0
    for row in indices { unsafe count &+= Int(self[row]) }
    return count
  }
}
