// SAFETY: There is a raw column and a state for each column of the layout. A raw column is read only once
// it was loaded, its memory is kept alive by `owners`, and rows are those of the block. Entity states
// outlive their sources: a context detaches its objects before it goes.

import CProcessor
import ObjectModel
import Rows
import Synchronization

/// Where objects find their values: rows of one block, or of a draft of the context's own.
///
/// An object is a source and a row; a fault is no more than that. Columns are read when they are first
/// asked for: the first few values one by one, and then the whole column, from which each further value
/// is read in place.
@safe
final class RowSource {
  /// The entity of the rows, in the context that reads them.
  let entity: EntityState
  /// The same, to be used without being counted.
  let entityReference: Unmanaged<EntityState>
  /// Which thread has the context's turn.
  private let turn: UnsafeMutablePointer<Atomic<UInt>>
  private let codes: UnsafeMutablePointer<PropertyCode>
  private let codeMask: Int
  /// Which column of such rows was read last.
  private let lastRead: UnsafeMutablePointer<Int>
  /// The rows, where somebody else wrote them.
  let block: Block?
  /// The number of the first row's object.
  private let firstNumber: UInt64
  /// Whether the numbers of the block's objects have no holes.
  private let isConsecutive: Bool
  /// The rows, where this context writes them or wrote them.
  let draft: Draft?
  /// The same, to be written without being counted.
  let draftReference: Unmanaged<Draft>?
  @exclusivity(unchecked) private var storedIsOpen: Bool
  @exclusivity(unchecked) private var storedIsPending: Bool

  /// Whether the draft may still be written in.
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
  /// Whether the rows are of a block that was pending before it was saved.
  private var wasPending = false
  /// Whether the values of the rows are known to obey the rules of the model.
  var isValidated = false
  /// The commit that saved the context's own rows; `nil` where versions count how often a row was saved.
  private(set) var version: Int64? = 0
  /// Whether a row gives some values only, and the others lie beneath it.
  let isSparse: Bool
  /// The row beneath each sparse row; `nil` for a row of a block that no object leads to.
  private var beneath: [Beneath?] = []
  /// How many objects of the context's table lead here. As long as any does this is kept, counted once for all
  /// of them: counting for each is an atomic step, which takes longer than all else in making an object.
  @exclusivity(unchecked) private var lentCount = 0
  /// How many sources may have to be asked for a value.
  private(set) var depth = 1

  private let columns: UnsafeMutablePointer<RawColumn>
  private let states: UnsafeMutablePointer<UInt8>
  /// The texts of each column's dictionary that were read, each made once for all rows that have it.
  private let texts: UnsafeMutablePointer<UnsafeMutablePointer<String?>?>
  private let columnCount: Int
  /// The versions of the block's rows, where they have their own and one was asked for.
  private var versions: Column?
  /// The version of all rows of the block, where that is known to be one.
  private var onlyVersion: Int64?
  /// The numbers of the block's objects, where they are not consecutive and were asked for.
  private var numbers: Column?
  /// What keeps the memory of the raw columns alive.
  private var owners: [Column] = []

  private struct Beneath {
    let source: RowSource
    let row: Int
  }

  /// A column's state: read this often by single values, or one of these.
  private enum State {
    static let loaded: UInt8 = 255
    /// Values lie outside of the block and are always read one by one.
    static let single: UInt8 = 254
    /// From so many single reads on the column is loaded.
    static let enough: UInt8 = 3
  }

  /// The rows of a block; of nothing, when what objects are is not known yet.
  convenience init(_ entity: EntityState, block: Block?) {
    self.init(entity, block, isPending: false, isSparse: false)
  }

  /// The rows of a block of changes that are not saved.
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
    unsafe lastRead = entity.lastRead
    self.block = block
    firstNumber = block?.minimumKey ?? 0
    isConsecutive = block?.isConsecutive ?? false
    draft = nil
    unsafe draftReference = nil
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

  /// The rows of a new draft.
  init(_ entity: EntityState, role: Draft.Role) {
    self.entity = entity
    unsafe entityReference = Unmanaged.passUnretained(entity)
    unsafe turn = entity.place.turn
    unsafe codes = entity.graph.table
    codeMask = entity.graph.mask
    unsafe lastRead = entity.lastRead
    block = nil
    isSparse = role == .changes
    firstNumber = 0
    isConsecutive = false
    let draft = Draft(entity.graph.layout, role: role)
    self.draft = draft
    unsafe draftReference = Unmanaged.passUnretained(draft)
    unsafe storedIsOpen = true
    unsafe storedIsPending = true
    columnCount = entity.graph.layout.columns.count
    unsafe columns = .allocate(capacity: 0)
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

  /// Whether whoever asks may use the objects.
  @inline(__always)
  var isCurrent: Bool {
    unsafe turn.pointee.load(ordering: .relaxed) == ContextPlace.currentThread
  }

  /// Notes that one more object of the table leads here.
  @inline(__always)
  func lend() {
    if unsafe lentCount == 0 { _ = unsafe Unmanaged.passUnretained(self).retain() }
    unsafe lentCount &+= 1
  }

  /// Notes that an object does not lead here any more.
  ///
  /// An object leaves the table in a turn of its context. One that somebody has found by a weak reference in that
  /// very moment may end elsewhere; for that rare one the source stays in memory.
  @inline(__always)
  func giveBack() {
    guard isCurrent else { return }
    unsafe lentCount &-= 1
    if unsafe lentCount == 0 { unsafe Unmanaged.passUnretained(self).release() }
  }

  /// Whether an object of the context's table leads here.
  var isLent: Bool { unsafe lentCount != 0 }

  /// Whether the rows of another source are of the same store in the same context.
  func shares(_ other: RowSource) -> Bool {
    unsafe turn == other.turn && entity.store === other.entity.store
  }

  /// What is known of the property whose name has the given number.
  @inline(__always)
  func code(_ hash: UInt64) -> PropertyCode { unsafe GraphEntity.code(hash, in: codes, codeMask) }

  /// Whether what the objects are has to be looked up.
  var isUnresolved: Bool { block == nil && draft == nil }

  /// The column, if it is in memory.
  @inline(__always)
  @unsafe func loaded(_ column: Int) -> UnsafePointer<RawColumn>? {
    // SAFETY: The entity has the column, and a source without columns has no loaded state.
    guard columnCount != 0, unsafe states[column] == State.loaded else { return nil }
    unsafe lastRead.pointee = column
    return unsafe UnsafePointer(columns + column)
  }

  /// The text of a row of a column that is in memory, and has one there.
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

  /// Brings near the value of a row that is likely to be read next: the one that was read last of others.
  @inline(__always)
  func bringNear(_ row: Int) {
    let column = unsafe lastRead.pointee
    guard column < columnCount, unsafe states[column] == State.loaded,
      let data = unsafe columns[column].data
    else { return }
    let isBits = unsafe columns[column].encoding == .bits
    unsafe quire_prefetch(data + (isBits ? row >> 3 : row * Int(columns[column].width)))
  }
}

// The objects of a block's rows.
extension RowSource {
  /// The number of a row's object.
  @inline(__always)
  func number(_ row: Int) throws -> UInt64 {
    isConsecutive ? firstNumber &+ UInt64(row) : try storedNumber(row)
  }

  private func storedNumber(_ row: Int) throws -> UInt64 {
    guard let block else { return 0 }
    let numbers = try numbers ?? block.keys
    self.numbers = numbers
    return UInt64(bitPattern: numbers.integer(at: row))
  }

  /// The row of an object whose number is not below nor above all of the block's, where these are not
  /// consecutive and one was asked for; `nil` when there is none.
  func row(_ number: UInt64) -> Int? {
    guard let block, let numbers else { return nil }
    // SAFETY: The column is kept here and has a row for each of the block.
    return unsafe numbers.raw.row(
      ofKey: number, minimum: block.minimumKey, maximum: block.maximumKey)
  }
}

// Reading what is not loaded.
extension RowSource {
  /// One value.
  func value(_ column: Int, _ row: Int) -> Value {
    if isSparse || draft != nil {
      if let value = given(column, row) { return value }
      guard let below = isSparse ? beneath[row] : nil else { return .null }
      return below.source.value(column, below.row)
    }
    if let raw = unsafe loaded(column) { return unsafe raw.pointee.value(row) }
    guard let block else { return .null }
    do { return try read(column, row, of: block) } catch {
      entity.workspace?.note(error)
      return .null
    }
  }

  private func read(_ column: Int, _ row: Int, of block: Block) throws -> Value {
    let wanted = entity.graph.layout.columns[column]
    switch unsafe states[column] {
    case State.single: break
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

  /// Loads a column at once, for whoever is going to read most of it.
  func load(_ column: Int) {
    guard let block, !isSparse, unsafe loaded(column) == nil, unsafe states[column] != State.single
    else { return }
    unsafe states[column] = State.enough
    do { _ = try read(column, 0, of: block) } catch { entity.workspace?.note(error) }
  }

  /// The version of a row, which a change of it is based on.
  func version(_ row: Int) throws -> Int64 {
    if isPending { return 0 }
    if isOwn { return try version ?? basis(row) + 1 }
    if let onlyVersion { return onlyVersion }
    guard let block else { return 0 }
    if let versions { return versions.integer(at: row) }
    guard let versions = try block.column(LayoutColumn.Number.version) else {
      onlyVersion = block.version
      return block.version
    }
    self.versions = versions
    return versions.integer(at: row)
  }

  /// What lies beneath a row of changes.
  func below(_ row: Int) -> (source: RowSource, row: Int)? {
    guard isSparse, let below = beneath[row] else { return nil }
    return (below.source, below.row)
  }

  /// The value that a row gives itself; `nil` if it leaves the value to the row beneath.
  func given(_ column: Int, _ row: Int) -> Value? {
    if let draft { return draft.value(column: column, row: row) }
    guard let block else { return nil }
    do {
      return try block.value(entity.graph.layout.columns[column], row: row)
    } catch {
      entity.workspace?.note(error)
      return nil
    }
  }

  /// The columns that a row gives values of itself.
  func givenColumns(_ row: Int) -> [Int] {
    if let draft { return draft.givenColumns(row: row) }
    return entity.graph.layout.columns.indices.filter { given($0, row) != nil }
  }

  /// The version that a row of the context's own changes is based on.
  func basis(_ row: Int) throws -> Int64 {
    if let draft { return draft.basis(row: row) }
    return try block.map { try RowLocation(block: $0, row: row).basis } ?? 0
  }

  /// The values that a row gives and those beneath it, of each column the newest, as long as the sources are as
  /// asked for; and what lies beneath all of them.
  func given(
    _ row: Int, while isWanted: (RowSource) -> Bool
  ) -> (values: [Int: Value], beneath: (source: RowSource, row: Int)?) {
    var values: [Int: Value] = [:]
    var next: (source: RowSource, row: Int)? = (self, row)
    while let (source, row) = next, source.isOwn, isWanted(source) {
      for column in source.givenColumns(row) where values[column] == nil {
        values[column] = source.given(column, row) ?? .null
      }
      next = source.below(row)
    }
    return (values, next)
  }
}

// Writing.
extension RowSource {
  /// Adds a row that changes what another source has.
  func append(_ key: UInt64, basis: Int64, above source: RowSource, _ row: Int) -> Int {
    beneath.append(Beneath(source: source, row: row))
    depth = max(depth, source.depth + 1)
    return draft!.append(key: key, basis: basis)
  }

  /// Notes what lies beneath a sparse row of a block.
  func setBelow(_ row: Int, _ source: RowSource, _ sourceRow: Int) {
    beneath[row] = Beneath(source: source, row: sourceRow)
    depth = max(depth, source.depth + 1)
  }

  /// Notes that a commit has saved the rows.
  ///
  /// - Parameter version: The version that they all have since; `nil` when each was saved once more.
  func setSaved(_ version: Int64?) {
    isPending = false
    wasPending = true
    self.version = version
  }
}

extension RowSource {
  /// Returns the unsaved values of a row, by column.
  func pendingValues(_ row: Int) -> [(column: Int, value: Value)] {
    guard isPending else { return [] }
    if below(row)?.source.isPending != true {
      return givenColumns(row).map { ($0, given($0, row) ?? .null) }
    }
    let values = given(row, while: \.isPending).values
    return values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
