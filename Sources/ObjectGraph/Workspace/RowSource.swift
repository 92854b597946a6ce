// SAFETY: There is a raw column and a state for each column of the layout. A raw column is read only after it was
// loaded; `owners` keeps its memory alive; rows are rows of the block. Entity states outlive their sources: a context
// detaches its objects before it ends.

import CProcessor
import ObjectModel
import Rows
import Synchronization

/// The source of objects' values: the rows of one block, or of a draft of the context.
///
/// An object is a source and a row; a fault needs no more. Columns are read lazily: first a few single values, and then
/// the whole column, which gives all further values in place.
@safe
final class RowSource {
  /// The entity state of the context that reads the rows.
  let entity: EntityState
  /// The same entity state, for use without retaining it.
  let entityReference: Unmanaged<EntityState>
  /// The thread that holds the context's turn.
  private let turn: UnsafeMutablePointer<Atomic<UInt>>
  private let codes: UnsafeMutablePointer<PropertyCode>
  private let codeMask: Int
  /// The columns that were read lately of any object of the entity.
  private let readColumns: UnsafeMutablePointer<ReadColumns>
  /// The block with the rows; `nil` if the rows are in a draft.
  @inline(__always)
  var block: Block? { unsafe storedBlock }
  @exclusivity(unchecked) private var storedBlock: Block?
  /// The number of the first row's object.
  @exclusivity(unchecked) private var firstNumber: UInt64
  /// Whether the numbers of the block's objects are consecutive.
  @exclusivity(unchecked) private var isConsecutive: Bool
  /// The draft with the rows; `nil` if the rows are in a block.
  @inline(__always)
  var draft: Draft? { unsafe storedDraft }
  @exclusivity(unchecked) private var storedDraft: Draft?
  /// The same draft, for use without retaining it.
  @inline(__always)
  var draftReference: Unmanaged<Draft>? { unsafe storedDraftReference }
  @exclusivity(unchecked) private var storedDraftReference: Unmanaged<Draft>?
  @exclusivity(unchecked) private var storedIsOpen: Bool
  @exclusivity(unchecked) private var storedIsPending: Bool

  /// Whether the draft may still be written.
  @inline(__always)
  var isOpen: Bool {
    get { unsafe storedIsOpen }
    set { unsafe storedIsOpen = newValue }
  }

  /// Whether the rows are not saved yet.
  @inline(__always)
  var isPending: Bool {
    get { unsafe storedIsPending }
    set { unsafe storedIsPending = newValue }
  }
  /// Whether the context has written the rows itself.
  var isOwn: Bool { draft != nil || isPending || wasPending }
  /// Whether the rows are in a block that was pending before it was saved.
  private var wasPending = false
  /// Whether the values of the rows are known to obey the rules of the model.
  var isValidated = false
  /// The commit that saved the context's own rows; `nil` if the store counts the saves of each row instead.
  private(set) var version: Int64? = 0
  /// Whether a row gives only some values. The row below it gives the other values.
  let isSparse: Bool
  /// The row below each sparse row; `nil` for a row of a block that no object uses.
  private var beneath: [Beneath?] = []
  /// The number of objects of the context's table that use this source.
  ///
  /// While it is above 0, the source is retained once for all these objects. An atomic retain for each object would
  /// take longer than the rest of making the object.
  @exclusivity(unchecked) private var lentCount = 0
  /// The most sources that a read of one value may have to visit.
  private(set) var depth = 1

  private let columns: UnsafeMutablePointer<RawColumn>
  private let states: UnsafeMutablePointer<UInt8>
  /// The texts of each column's dictionary that were read. Each text is made once for all its rows.
  private let texts: UnsafeMutablePointer<UnsafeMutablePointer<String?>?>
  private let columnCount: Int
  private var versions = Versions.unread
  /// The column of the objects' numbers, once it was read, if they are not consecutive.
  private var numbers: Column?
  /// The columns for which rows of the block may give values, once they were asked for.
  private var givenByBlock: [Int]?
  /// The columns that own the memory of the raw columns.
  private var owners: [Column] = []

  /// The versions of the block's rows.
  private enum Versions {
    case unread
    /// All rows share one version.
    case same(Int64)
    /// Each row has its own version.
    case own(Column)
  }

  private struct Beneath {
    let source: RowSource
    let row: Int
    /// The row that the object showed before the change, where that is another row.
    var replaced: (source: RowSource, row: Int)?
  }

  /// The state of a column: the number of its single reads, or one of these constants.
  private enum State {
    static let loaded: UInt8 = 255
    /// Values are stored outside of the block, and are always read one by one.
    static let single: UInt8 = 254
    /// The number of single reads after which the column is loaded.
    static let enough: UInt8 = 3
  }

  /// Makes the source of a block. Without a block, makes the source of objects that have not been looked up.
  convenience init(_ entity: EntityState, block: Block?) {
    self.init(entity, block, isPending: false, isSparse: false)
  }

  /// Makes the source of a block of unsaved changes.
  convenience init(_ entity: EntityState, pending block: Block, isSparse: Bool) {
    self.init(entity, block, isPending: true, isSparse: isSparse)
    if isSparse { beneath = Array(repeating: nil, count: block.rowCount) }
  }

  private init(_ entity: EntityState, _ block: Block?, isPending: Bool, isSparse: Bool) {
    self.isSparse = isSparse
    self.entity = entity
    unsafe entityReference = Unmanaged.passUnretained(entity)
    unsafe turn = entity.place.turn
    unsafe codes = entity.graph.table
    codeMask = entity.graph.mask
    unsafe readColumns = entity.readColumns
    unsafe storedBlock = block
    unsafe firstNumber = block?.minimumKey ?? 0
    unsafe isConsecutive = block?.isConsecutive ?? false
    unsafe storedDraft = nil
    unsafe storedDraftReference = nil
    unsafe storedIsOpen = false
    unsafe storedIsPending = isPending
    columnCount = block == nil ? 0 : entity.graph.layout.columns.count
    unsafe columns = .allocate(capacity: columnCount)
    unsafe columns.initialize(repeating: RawColumn(), count: columnCount)
    unsafe states = .allocate(capacity: columnCount)
    unsafe states.initialize(repeating: 0, count: columnCount)
    unsafe texts = .allocate(capacity: columnCount)
    unsafe texts.initialize(repeating: nil, count: columnCount)
  }

  /// Makes the source of a new draft.
  init(_ entity: EntityState, role: Draft.Role) {
    self.entity = entity
    unsafe entityReference = Unmanaged.passUnretained(entity)
    unsafe turn = entity.place.turn
    unsafe codes = entity.graph.table
    codeMask = entity.graph.mask
    unsafe readColumns = entity.readColumns
    unsafe storedBlock = nil
    isSparse = role == .changes
    unsafe firstNumber = 0
    unsafe isConsecutive = false
    let draft = Draft(entity.graph.layout, role: role)
    unsafe storedDraft = draft
    unsafe storedDraftReference = Unmanaged.passUnretained(draft)
    unsafe storedIsOpen = true
    unsafe storedIsPending = true
    columnCount = entity.graph.layout.columns.count
    // Only inserted rows are read from a block later.
    let readCount = role == .insertions ? columnCount : 0
    unsafe columns = .allocate(capacity: readCount)
    unsafe columns.initialize(repeating: RawColumn(), count: readCount)
    unsafe states = .allocate(capacity: columnCount)
    unsafe states.initialize(repeating: 0, count: columnCount)
    unsafe texts = .allocate(capacity: columnCount)
    unsafe texts.initialize(repeating: nil, count: columnCount)
  }

  deinit {
    for column in 0..<columnCount {
      guard let known = unsafe texts[column] else { continue }
      unsafe known.deinitialize(count: Int(columns[column].dictionaryCount))
      unsafe known.deallocate()
    }
    unsafe texts.deallocate()
    unsafe columns.deallocate()
    unsafe states.deallocate()
  }

  /// Whether the calling thread may use the objects.
  @inline(__always)
  var isCurrent: Bool {
    unsafe turn.pointee.load(ordering: .relaxed) == ContextPlace.currentThread
  }

  /// Counts one more object of the table that uses this source.
  @inline(__always)
  func lend() {
    if unsafe lentCount == 0 { _ = unsafe Unmanaged.passUnretained(self).retain() }
    unsafe lentCount &+= 1
  }

  /// Counts one object fewer that uses this source.
  ///
  /// An object leaves the table in a turn of its context. An object that another thread finds by a weak reference at
  /// that moment may end outside of the turn. In that rare case the source stays in memory.
  @inline(__always)
  func giveBack() {
    guard isCurrent else { return }
    unsafe lentCount &-= 1
    if unsafe lentCount == 0 { unsafe Unmanaged.passUnretained(self).release() }
  }

  /// Whether an object of the context's table uses this source.
  var isLent: Bool { unsafe lentCount != 0 }

  /// Returns whether another source belongs to the same store in the same context.
  func shares(_ other: RowSource) -> Bool {
    unsafe turn == other.turn && entity.store === other.entity.store
  }

  /// Returns the code of the property with the given name hash.
  @inline(__always)
  func code(_ hash: UInt64) -> PropertyCode { unsafe GraphEntity.code(hash, in: codes, codeMask) }

  /// Whether this is the source of objects that have not been looked up.
  var isUnresolved: Bool { block == nil && draft == nil }

  @inline(__always)
  @unsafe func loaded(_ column: Int) -> UnsafePointer<RawColumn>? {
    // SAFETY: The entity has the column, and a source without columns has no loaded state.
    guard columnCount != 0, unsafe states[column] == State.loaded else { return nil }
    unsafe readColumns.pointee.record(column)
    return unsafe UnsafePointer(columns + column)
  }

  /// Returns the text of a row of a loaded column. The row must have a value.
  @inline(__always)
  @unsafe func text(_ row: Int, of raw: UnsafePointer<RawColumn>) -> String {
    guard unsafe raw.pointee.encoding == .dictionary else { return unsafe raw.pointee.text(row) }
    let code = unsafe Int(raw.pointee.integer(row))
    let known = unsafe texts[UnsafePointer(columns).distance(to: raw)]
    if let text = unsafe known?[code] { return text }
    return unsafe firstText(row, code, raw)
  }

  @inline(never)
  @unsafe private func firstText(
    _ row: Int, _ code: Int, _ raw: UnsafePointer<RawColumn>
  ) -> String {
    let column = unsafe UnsafePointer(columns).distance(to: raw)
    if unsafe texts[column] == nil {
      let count = unsafe Int(raw.pointee.dictionaryCount)
      let made = UnsafeMutablePointer<String?>.allocate(capacity: count)
      unsafe made.initialize(repeating: nil, count: count)
      unsafe texts[column] = made
    }
    let text = unsafe raw.pointee.text(row)
    unsafe texts[column].unsafelyUnwrapped[code] = text
    return text
  }

  /// Prefetches the values of a row in the columns that were read lately of any object.
  @inline(__always)
  func prefetchValues(_ row: Int) {
    unsafe forEachColumn(of: readColumns.pointee.wanted) { _, raw in
      if let data = unsafe raw.pointee.data {
        let isBits = unsafe raw.pointee.encoding == .bits
        unsafe quire_prefetch(data + (isBits ? row >> 3 : row * Int(raw.pointee.width)))
      } else if let offsets = unsafe raw.pointee.offsets {
        unsafe quire_prefetch(offsets + row * Int(raw.pointee.offsetWidth))
      }
    }
  }

  /// Prefetches the texts of a row in the columns that were read lately. ``prefetchValues(_:)`` has prefetched their
  /// codes and offsets some steps before.
  @inline(__always)
  func prefetchTexts(_ row: Int) {
    unsafe forEachColumn(of: readColumns.pointee.wantedTexts) { column, raw in
      if let known = unsafe texts[column] {
        unsafe quire_prefetch(known + Int(raw.pointee.integer(row)))
      } else if unsafe raw.pointee.encoding == .bytes && raw.pointee.heap != nil {
        let bytes = unsafe raw.pointee.heapBytes(row)
        unsafe quire_prefetch(bytes.baseAddress)
        unsafe quire_prefetch(bytes.baseAddress.unsafelyUnwrapped + max(0, bytes.count - 1))
      }
    }
  }

  /// Calls `body` with each loaded column among the first 64 whose bit is set.
  @inline(__always)
  @unsafe private func forEachColumn(
    of bits: UInt64, _ body: (Int, UnsafeMutablePointer<RawColumn>) -> Void
  ) {
    var bits = bits
    while bits != 0 {
      let column = bits.trailingZeroBitCount
      bits &= bits &- 1
      guard column < columnCount, unsafe states[column] == State.loaded else { continue }
      unsafe body(column, columns + column)
    }
  }
}

// The objects of a block's rows.
extension RowSource {
  /// Returns the number of a row's object.
  @inline(__always)
  func number(_ row: Int) throws -> UInt64 {
    unsafe isConsecutive ? firstNumber &+ UInt64(row) : try storedNumber(row)
  }

  private func storedNumber(_ row: Int) throws -> UInt64 {
    guard let block else { return 0 }
    let numbers = try numbers ?? block.keys
    self.numbers = numbers
    return UInt64(bitPattern: numbers.integer(at: row))
  }

  /// Returns the row of an object; `nil` if the block has none.
  ///
  /// The numbers of the block must not be consecutive and must have been read. The given number must be within their
  /// range.
  func row(_ number: UInt64) -> Int? {
    guard let block, let numbers else { return nil }
    // SAFETY: The column is retained here and has a row for each row of the block.
    return unsafe numbers.raw.row(
      ofKey: number, minimum: block.minimumKey, maximum: block.maximumKey)
  }
}

// Reading values of columns that are not loaded.
extension RowSource {
  func value(_ column: Int, _ row: Int) -> Value {
    if unsafe isSparse || draftReference != nil {
      if let value = given(column, row) { return value }
      guard let below = isSparse ? beneath[row] : nil else { return .null }
      return below.source.value(column, below.row)
    }
    if let raw = unsafe loaded(column) { return unsafe raw.pointee.value(row) }
    guard let block else { return .null }
    do { return try read(column, row, of: block) } catch {
      entity.workspace?.record(error)
      return .null
    }
  }

  private func read(_ column: Int, _ row: Int, of block: Block) throws -> Value {
    let wanted = entity.graph.layout.columns[column]
    switch unsafe states[column] {
    case State.single: break
    // Once the context has ended any thread may read, so a read keeps nothing.
    case _ where !isCurrent: break
    case State.enough...:
      if block.hasOutsideValues(in: wanted.number) {
        unsafe states[column] = State.single
      } else if let found = try block.column(wanted) {
        unsafe columns[column] = found.raw
        owners.append(found)
        unsafe states[column] = State.loaded
        return unsafe found.raw.value(row)
      }
    default: unsafe states[column] += 1
    }
    return try block.value(wanted, row: row) ?? .null
  }

  /// Loads a column at once, for a caller that is about to read most of it.
  func load(_ column: Int) {
    guard let block, !isSparse, unsafe loaded(column) == nil, unsafe states[column] != State.single
    else { return }
    unsafe states[column] = State.enough
    do { _ = try read(column, 0, of: block) } catch { entity.workspace?.record(error) }
  }

  /// Returns the version of a row. A change of the row is based on this version.
  func version(_ row: Int) throws -> Int64 {
    if isPending { return 0 }
    if isOwn { return try version ?? basis(row) + 1 }
    switch versions {
    case .same(let version): return version
    case .own(let column): return column.integer(at: row)
    case .unread: break
    }
    guard let block else { return 0 }
    guard let column = try block.column(LayoutColumn.Number.version) else {
      versions = .same(block.version)
      return block.version
    }
    versions = .own(column)
    return column.integer(at: row)
  }

  /// Returns the row below a row of changes.
  func below(_ row: Int) -> (source: RowSource, row: Int)? {
    guard isSparse, let below = beneath[row] else { return nil }
    return (below.source, below.row)
  }

  /// Returns the value that a row itself gives; `nil` if the row below gives the value.
  func given(_ column: Int, _ row: Int) -> Value? {
    // SAFETY: The source retains its draft until it takes the block of the draft's rows.
    if let draft = unsafe draftReference {
      return unsafe draft._withUnsafeGuaranteedRef { $0.value(column: column, row: row) }
    }
    guard let block else { return nil }
    do {
      return try block.value(entity.graph.layout.columns[column], row: row)
    } catch {
      entity.workspace?.record(error)
      return nil
    }
  }

  /// Returns the columns of the values that a row itself gives.
  func givenColumns(_ row: Int) -> [Int] {
    // SAFETY: As in `given`.
    if let draft = unsafe draftReference {
      return unsafe draft._withUnsafeGuaranteedRef { $0.givenColumns(row: row) }
    }
    guard let block else { return [] }
    let columns = givenByBlock ?? block.givenPositions(entity.graph.layout.columns)
    if isCurrent { givenByBlock = columns }
    return columns.filter { given($0, row) != nil }
  }
}

// Writing.
extension RowSource {
  /// Adds a row of changes above a row of another source.
  func append(_ key: UInt64, basis: Int64, above source: RowSource, _ row: Int) -> Int {
    beneath.append(Beneath(source: source, row: row))
    depth = max(depth, source.depth + 1)
    return draft!.append(key: key, basis: basis)
  }

  /// Records the row that an object showed before it was changed, where that is not the row below.
  func setReplaced(_ row: Int, _ source: RowSource, _ sourceRow: Int) {
    beneath[row]?.replaced = (source, sourceRow)
  }

  /// Releases the rows that objects showed before. Otherwise each freeze would keep the one before it in memory.
  func forgetReplaced() {
    for row in beneath.indices where beneath[row]?.replaced != nil { beneath[row]?.replaced = nil }
  }

  /// Returns the values that the objects of changed rows showed before. Only for an open draft of changes.
  func replacedValues() -> [ReplacedRow] {
    guard let draft else { return [] }
    return (0..<draft.rowCount).compactMap { row in
      guard !draft.isRemoved(row: row), let below = beneath[row] else { return nil }
      let before = below.replaced ?? (below.source, below.row)
      var values: [ReplacedRow.Replaced] = []
      for column in draft.givenColumns(row: row) {
        let value = before.source.value(column, before.row)
        if let now = draft.value(column: column, row: row), now.isIdentical(to: value) { continue }
        values.append((column, value))
      }
      return values.isEmpty ? nil : ReplacedRow(key: draft.key(row: row), values: values)
    }
  }

  /// Sets the row below a sparse row of a block.
  func setBelow(_ row: Int, _ source: RowSource, _ sourceRow: Int) {
    beneath[row] = Beneath(source: source, row: sourceRow)
    depth = max(depth, source.depth + 1)
  }

  /// Reads the rows from the block that the draft has become, and ends the draft. Both in memory at once would need more
  /// than twice the memory of the block.
  ///
  /// - Precondition: The draft has inserted rows, which are the rows of the block in the same order.
  func take(_ block: Block) {
    precondition(!isSparse && block.rowCount == draft?.rowCount, "The block has other rows.")
    // Nothing writes the values any more, so they are checked once.
    isValidated = !entity.graph.constraints.mayFail(draft!)
    isOpen = false
    unsafe storedBlock = block
    unsafe firstNumber = block.minimumKey
    unsafe isConsecutive = block.isConsecutive
    unsafe storedDraftReference = nil
    unsafe storedDraft = nil
  }

  /// Records that a commit has saved the rows.
  ///
  /// - Parameter version: The new version of all rows; `nil` if the store counts the saves of each row instead.
  func setSaved(_ version: Int64?) {
    isPending = false
    wasPending = true
    self.version = version
  }
}
