import ObjectModel
import Synchronization

/// The objects of a view, found by what they are sorted by.
///
///     let indexed = IndexedView(snapshot.view, schema)
///     let range = IndexRange(equalTo: IndexBound([.object(company)]))
///     let people = try indexed.keys(index, in: range)
///
/// Stores keep sorted entries for most of what they hold. For the rest, such as changes that are not
/// saved yet, they are made when they are first asked for, and kept as long as this is.
public final class IndexedView: Sendable {
  /// What is looked through.
  public let view: View
  private let schema: Schema
  private let made = Mutex<[Key: IndexRun]>([:])

  private struct Key: Hashable {
    var table: Int
    var index: IndexLayout
  }

  /// The objects of the given view.
  public init(_ view: View, _ schema: Schema) {
    self.view = view
    self.schema = schema
  }

  /// The entries of one of the view's tables.
  private func run(_ index: IndexLayout, ofTable position: Int) throws -> IndexRun {
    let key = Key(table: position, index: index)
    if let known = made.withLock({ $0[key] }) { return known }
    let table = view.tables[position]
    let run: IndexRun
    if let kept = try table.entries(of: index) {
      run = kept
    } else {
      // Made outside the lock: it may read much, and making it twice does no harm.
      guard let layout = schema[index.entityNumber] else { return IndexRun(index, []) }
      run = try IndexRun(
        index, of: table.changes(ofEntity: index.entityNumber), layout: layout,
        above: View(Array(view.tables[..<position])))
    }
    made.withLock { $0[key] = run }
    return run
  }

  /// At most how many objects are in a range: those that were moved out of it since count too.
  public func mostKeys(_ index: IndexLayout, in range: IndexRange) throws -> Int {
    var count = 0
    for position in view.tables.indices {
      count += try run(index, ofTable: position).places(range).count
    }
    return count
  }

  /// The numbers of the objects in a range of an index, in its order.
  public func keys(_ index: IndexLayout, in range: IndexRange) throws -> [UInt64] {
    try entries(index, in: range).map(\.object)
  }

  /// The entries in a range of an index that still hold, in its order.
  package func entries(_ index: IndexLayout, in range: IndexRange) throws -> [IndexEntry] {
    var found: [IndexEntry] = []
    var tableCount = 0
    for position in view.tables.indices {
      let run = try run(index, ofTable: position)
      let places = try run.places(range)
      guard !places.isEmpty else { continue }
      let before = found.count
      try run.forEach(places) { entry in
        if try isCurrent(entry, index, above: position) { found.append(entry) }
      }
      if found.count > before { tableCount += 1 }
    }
    if tableCount > 1 { try found.sort { try index.comesFirst($0, $1) } }
    return found
  }

  /// Whether nothing above a table says otherwise than an entry of it.
  private func isCurrent(
    _ entry: IndexEntry, _ index: IndexLayout, above position: Int
  ) throws -> Bool {
    let key = ObjectKey(entity: index.entityNumber, number: entry.object)
    for table in view.tables[(position + 1)...].reversed() {
      switch try table.entry(of: key) {
      case .absent: continue
      case .put, .removed: return false
      case .changed(let location):
        // Whoever gives one of the columns has an entry of its own.
        for column in index.columns {
          if let values = try location.block.column(column.number), values.isGiven(location.row) {
            return false
          }
        }
      }
    }
    return true
  }
}

extension IndexLayout {
  /// Whether one entry comes before another, perhaps of another run.
  fileprivate func comesFirst(_ left: IndexEntry, _ right: IndexEntry) throws -> Bool {
    for column in columns {
      let one = try left.block.column(column.number, as: column.kind)
      let other = try right.block.column(column.number, as: column.kind)
      switch Comparison(of: one, left.row, other, right.row) {
      case .less: return true
      case .greater: return false
      case .equal: continue
      }
    }
    return left.object < right.object
  }
}
