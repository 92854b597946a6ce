// SAFETY: A source is kept by its entity as long as rows are gathered, and there are as many rows as numbers.

/// Found rows, from which objects are made in groups. The memory of all objects of a group is prefetched together.
@safe
struct GatheredRows {
  private static let most = 64
  private var entity: EntityState?
  private var numbers: [UInt64] = []
  private var rows: [(source: Unmanaged<RowSource>, row: Int)] = unsafe []
  /// The objects of all rows, in the order in which the rows were added.
  private(set) var objects: [ManagedObject] = []

  mutating func reserve(_ count: Int) { objects.reserveCapacity(count) }

  /// Adds rows of a source.
  ///
  /// - Parameters:
  ///   - count: The number of rows.
  ///   - row: Returns the row at an index below `count`.
  @inline(__always)
  mutating func add(_ source: RowSource, count: Int, row: (Int) -> Int) throws {
    let entity = source.entity
    if self.entity !== entity {
      finish()
      self.entity = entity
    }
    let source = unsafe Unmanaged.passUnretained(source)
    if count < GatheredRows.most {
      for row in (0..<count).lazy.map(row) {
        if numbers.count == GatheredRows.most { finish() }
        numbers.append(unsafe try source._withUnsafeGuaranteedRef { try $0.number(row) })
        unsafe rows.append((source, row))
      }
      return
    }
    // The rows of a large group are in one block, so their objects are likely to be near each other in memory. No
    // prefetch is needed.
    finish()
    try objects.append(addingCapacity: count) { objects in
      for index in 0..<count {
        let row = row(index)
        let number = unsafe try source._withUnsafeGuaranteedRef { try $0.number(row) }
        unsafe objects.append(entity.object(number, at: source, row))
      }
    }
  }

  /// Makes the objects of the gathered rows.
  mutating func finish() {
    guard let entity, !numbers.isEmpty else { return }
    for index in numbers.indices {
      if index.isMultiple(of: EntityState.nearStep) {
        unsafe entity.prefetch(numbers, from: index)
      }
      let place = unsafe rows[index]
      unsafe objects.append(entity.object(numbers[index], at: place.source, place.row))
    }
    numbers.removeAll(keepingCapacity: true)
    unsafe rows.removeAll(keepingCapacity: true)
  }
}
