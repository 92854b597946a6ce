// SAFETY: There is one draft column for each column of the layout. Rows are checked against the row count, and a
// column has room for every row before it is written.

public import ObjectModel

/// A block that can still be written: rows of one entity that are being inserted or changed.
///
///     let draft = Draft(layout, role: .insertions)
///     let row = draft.append(key: 17)
///     draft.set(.string("Lisbon"), column: name, row: row)
///     let blocks = draft.freeze()
///
/// Values lie in columns, never in one object or dictionary for each row. A draft is not `Sendable`: it belongs to
/// its writer. Readers share the blocks that the draft freezes into.
///
/// A row or column that does not exist, or a value of another kind than the column's, is a mistake of the caller
/// and traps.
@safe
public final class Draft {
  /// The kind of a draft's rows.
  public enum Role: Sendable, Hashable {
    /// New rows. They have every column, and begin with the defaults.
    case insertions
    /// Changes of existing rows. They have a column only after a value of it is set.
    case changes
  }

  /// The most rows that a draft can contain.
  public static let maximumRowCount = BlockFormat.targetRowCount
  /// The number of bytes of texts and binary values after which a caller should freeze a draft, although it is not full. A
  /// column has room for a few gibibytes.
  public static let fullByteCount = 1 << 28

  public let layout: Layout
  /// The kind of the rows.
  public let role: Role
  /// The number of rows, including removed rows.
  @exclusivity(unchecked) public private(set) final var rowCount = 0
  /// The number of removed rows.
  public private(set) final var removedCount = 0

  @exclusivity(unchecked) private final var capacity = 0
  private final let firstCapacity: Int
  private final let columns: UnsafeMutablePointer<DraftColumn>
  @exclusivity(unchecked) private final var keys: [UInt64] = []
  private final var bases: [Int64] = []
  private final var removed: [Bool] = []

  /// Creates an empty draft of rows with the given layout.
  ///
  /// - Parameter capacity: The expected number of rows.
  public init(_ layout: Layout, role: Role, capacity: Int = 16) {
    self.layout = layout
    self.role = role
    firstCapacity = min(max(capacity, 1), Draft.maximumRowCount)
    unsafe columns = .allocate(capacity: layout.columns.count)
    for index in layout.columns.indices {
      unsafe (columns + index).initialize(
        to: DraftColumn(layout.columns[index], tracksGiven: role == .changes))
    }
  }

  deinit {
    unsafe columns.deinitialize(count: layout.columns.count)
    unsafe columns.deallocate()
  }
}

extension Draft {
  /// Whether the draft has no room for another row.
  public var isFull: Bool { unsafe rowCount == Draft.maximumRowCount }

  /// The approximate number of bytes of memory in use.
  public var memoryByteCount: Int {
    var sum = unsafe keys.capacity * 8 + bases.capacity * 8 + removed.capacity
    for index in 0..<layout.columns.count { unsafe sum += columns[index].memoryByteCount }
    return sum
  }

  /// Adds a row for the object with the given key and returns the row's position.
  ///
  /// - Parameter basis: The version of the row that a change is based on; 0 for a new row.
  /// - Precondition: The draft is not full.
  @discardableResult
  public func append(key: UInt64, basis: Int64 = 0) -> Int {
    precondition(!isFull, "The draft is full: the limit is \(Draft.maximumRowCount) rows.")
    if unsafe rowCount == capacity {
      unsafe capacity = unsafe min(max(firstCapacity, capacity * 2), Draft.maximumRowCount)
      for index in 0..<layout.columns.count
      where unsafe role == .insertions || columns[index].exists {
        unsafe columns[index].reserve(capacity)
      }
    }
    unsafe keys.append(key)
    // A missing basis means zero, so a draft of new rows stores none.
    if basis != 0 || !bases.isEmpty {
      if unsafe bases.count < rowCount {
        unsafe bases.append(contentsOf: repeatElement(0, count: rowCount - bases.count))
      }
      bases.append(basis)
    }
    if !removed.isEmpty { removed.append(false) }
    unsafe rowCount += 1
    return unsafe rowCount - 1
  }

  /// Removes a row: it is not frozen. Its position is not reused.
  public func remove(row: Int) {
    check(row)
    if removed.isEmpty { removed = unsafe [Bool](repeating: false, count: rowCount) }
    if !removed[row] {
      removed[row] = true
      removedCount += 1
    }
  }

  /// Restores a removed row, with its values.
  public func restore(row: Int) {
    check(row)
    guard isRemoved(row: row) else { return }
    removed[row] = false
    removedCount -= 1
  }

  /// Returns whether the row was removed.
  public func isRemoved(row: Int) -> Bool {
    check(row)
    return !removed.isEmpty && removed[row]
  }

  /// Returns the key of the given row.
  public func key(row: Int) -> UInt64 {
    check(row)
    return unsafe keys[row]
  }

  /// Returns the version that the given row is based on; 0 for a new row.
  public func basis(row: Int) -> Int64 {
    check(row)
    return bases.isEmpty ? 0 : bases[row]
  }

  @inline(__always)
  private func check(_ row: Int) {
    unsafe precondition(row >= 0 && row < rowCount, "The row is out of range.")
  }

  @inline(__always)
  private func check(_ column: Int, _ row: Int) {
    precondition(column >= 0 && column < layout.columns.count, "The column is out of range.")
    check(row)
  }

  /// Returns the column, with room for every row.
  @inline(__always)
  private func writable(
    _ column: Int, _ row: Int, _ family: ColumnKind.Family
  ) -> UnsafeMutablePointer<DraftColumn> {
    check(column, row)
    // SAFETY: The column was checked, and there is one draft column for each column of the layout.
    let pointer = unsafe columns + column
    if unsafe !pointer.pointee.exists { unsafe pointer.pointee.reserve(capacity) }
    precondition(
      unsafe pointer.pointee.raw.kind.family == family,
      "The column contains values of another kind.")
    return unsafe pointer
  }
}

// Writing. The row was checked and has room, which is all that the columns' own methods require.
extension Draft {
  /// Sets a value of the column's kind, or null.
  public func set(_ value: Value, column: Int, row: Int) {
    check(column, row)
    if unsafe !columns[column].exists { unsafe columns[column].reserve(capacity) }
    unsafe columns[column].set(value, row)
  }

  public func setInteger(_ value: Int64, column: Int, row: Int) {
    let target = unsafe writable(column, row, .integers)
    precondition(
      unsafe target.pointee.raw.kind.integerRange.contains(value),
      "The number does not fit the column.")
    unsafe target.pointee.setInteger(value, row)
  }

  public func setBoolean(_ value: Bool, column: Int, row: Int) {
    setInteger(value ? 1 : 0, column: column, row: row)
  }

  /// Sets a reference to another object.
  public func setReference(_ key: ObjectKey, column: Int, row: Int) {
    unsafe writable(column, row, .integers).pointee
      .setInteger(Int64(bitPattern: key.rawValue), row)
  }

  /// Sets a floating-point number, or the seconds of a date.
  public func setDouble(_ value: Double, column: Int, row: Int) {
    let target = unsafe writable(column, row, .reals)
    if unsafe target.pointee.raw.kind == .float {
      unsafe target.pointee.setFloat(Float(value), row)
    } else {
      unsafe target.pointee.setDouble(value, row)
    }
  }

  public func setString(_ value: String, column: Int, row: Int) {
    let target = unsafe writable(column, row, .bytes)
    precondition(unsafe target.pointee.raw.kind.isText, "The column does not contain text.")
    var value = value
    value.withUTF8 { unsafe target.pointee.setBytes(UnsafeRawBufferPointer($0), row) }
  }

  public func setBytes(_ value: RawSpan, column: Int, row: Int) {
    let target = unsafe writable(column, row, .bytes)
    precondition(unsafe target.pointee.raw.kind == .binary, "The column does not contain bytes.")
    unsafe value.withUnsafeBytes { unsafe target.pointee.setBytes($0, row) }
  }

  /// Sets a text whose bytes are known to be UTF-8.
  package func setText(_ utf8: RawSpan, column: Int, row: Int) {
    let target = unsafe writable(column, row, .bytes)
    precondition(unsafe target.pointee.raw.kind.isText, "The column does not contain text.")
    unsafe utf8.withUnsafeBytes { unsafe target.pointee.setBytes($0, row) }
  }

  /// Sets a decimal number; `nil` is "not a number".
  package func setDecimal(_ parts: DecimalParts?, column: Int, row: Int) {
    let target = unsafe writable(column, row, .bytes)
    precondition(
      unsafe target.pointee.raw.kind == .decimal, "The column does not contain decimal numbers.")
    var bytes: [UInt8] = []
    parts?.write(into: &bytes)
    unsafe bytes.withUnsafeBytes { unsafe target.pointee.setBytes($0, row) }
  }

  /// Sets a value to null.
  public func setNull(column: Int, row: Int) {
    check(column, row)
    if unsafe !columns[column].exists { unsafe columns[column].reserve(capacity) }
    unsafe columns[column].setNull(row)
  }

  /// Returns whether a row can contain a text or bytes of the given size in place of a column's present value.
  ///
  /// Check this before a value of any size is set. A row that has more than ``maximumRowByteCount`` bytes does not fit
  /// into a block.
  public func hasRoom(for byteCount: Int, column: Int, row: Int) -> Bool {
    check(column, row)
    if byteCount <= Draft.fittingByteCount { return true }
    var sum = byteCount
    for index in 0..<layout.columns.count
    where index != column && layout.columns[index].kind.family == .bytes {
      guard layout.columns[index].kind != .uuid, unsafe columns[index].exists else { continue }
      unsafe sum += columns[index].raw.isNull(row) ? 0 : columns[index].raw.bytes(row).count
    }
    return sum <= Draft.maximumRowByteCount
  }

  /// The number of bytes that the texts and bytes of one row may have together.
  public static let maximumRowByteCount = BlockFormat.maximumByteCount / 2
  /// The size of a value that every row has room for. Such values may exceed ``maximumRowByteCount`` in a row that is
  /// full already; a block has room for as many of them as a layout has columns.
  public static let fittingByteCount = maximumRowByteCount / (1 << 16)

  /// Returns the number of bytes above which the texts and bytes of one row do not fit into a block. As in
  /// ``hasRoom(for:column:row:)``, a full row may have small values besides.
  package static func fullRowByteCount(columnCount: Int) -> Int {
    maximumRowByteCount + columnCount * fittingByteCount
  }

  /// Undoes the change of one value, so that the value of the row below shows again.
  ///
  /// - Precondition: The draft's rows are changes.
  public func unset(column: Int, row: Int) {
    precondition(role == .changes, "Only drafts of changes can revert a change.")
    check(column, row)
    if unsafe columns[column].exists { unsafe columns[column].unset(row) }
  }
}

// Reading.
extension Draft {
  /// Returns whether the draft gives the value: always for new rows, and for changes once the value was set.
  public func isGiven(column: Int, row: Int) -> Bool {
    check(column, row)
    return unsafe columns[column].exists && columns[column].raw.isGiven(row)
  }

  /// Returns the value of a row; `nil` when the row is a change that does not give the value.
  public func value(column: Int, row: Int) -> Value? {
    guard isGiven(column: column, row: row) else { return nil }
    return unsafe columns[column].raw.value(row)
  }

  /// Returns the whole number of a row; `nil` when the row has no value or the change does not give it.
  public func integer(column: Int, row: Int) -> Int64? {
    guard let raw = unsafe present(column, row, .integers) else { return nil }
    return unsafe raw.integer(row)
  }

  /// Returns the floating-point number or the seconds of a date; `nil` in the same cases as
  /// ``integer(column:row:)``.
  public func double(column: Int, row: Int) -> Double? {
    guard let raw = unsafe present(column, row, .reals) else { return nil }
    return unsafe raw.double(row)
  }

  /// Returns the text of a row; `nil` in the same cases as ``integer(column:row:)``.
  public func string(column: Int, row: Int) -> String? {
    guard let raw = unsafe present(column, row, .bytes) else { return nil }
    precondition(unsafe raw.kind.isText, "The column does not contain text.")
    return unsafe raw.text(row)
  }

  @inline(__always)
  @unsafe private func present(_ column: Int, _ row: Int, _ family: ColumnKind.Family) -> RawColumn?
  {
    guard isGiven(column: column, row: row) else { return nil }
    let raw = unsafe columns[column].raw
    precondition(unsafe raw.kind.family == family, "The column contains values of another kind.")
    return unsafe raw.isNull(row) ? nil : raw
  }

  /// Returns the positions of the columns that the row gives, in the layout's order.
  public func givenColumns(row: Int) -> [Int] {
    layout.columns.indices.filter { isGiven(column: $0, row: row) }
  }

  /// Returns whether the column has memory. In a draft of changes, only then may a row have a value in it.
  func hasValues(_ column: Int) -> Bool { unsafe columns[column].exists }

  /// Returns a reader of the column, valid until the draft changes.
  @unsafe package func raw(_ column: Int) -> RawColumn? {
    guard unsafe columns[column].exists else { return nil }
    var raw = unsafe columns[column].raw
    unsafe raw.rowCount = UInt32(rowCount)
    return unsafe raw
  }

  var liveByteCount: Int {
    var sum = 0
    for index in 0..<layout.columns.count { unsafe sum += columns[index].liveByteCount }
    return sum
  }

  /// Calls `body` with the keys and bases of all rows, including removed rows.
  func withKeys<R>(_ body: (UnsafeBufferPointer<UInt64>, [Int64]) throws -> R) rethrows -> R {
    try unsafe keys.withUnsafeBufferPointer { try unsafe body($0, bases) }
  }
}

extension Value {
  /// The number of bytes of a text, a URI or binary data, which lie in a heap; 0 for other values.
  package var byteStringByteCount: Int {
    switch self {
    case .string(let text), .uri(let text): text.utf8.count
    case .binary(let data): data.count
    default: 0
    }
  }
}
