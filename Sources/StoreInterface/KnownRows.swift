package import ObjectModel
package import Rows

/// The rows of a database that were read so far: entities as a whole, and pieces of further entities.
package struct KnownRows: Sendable {
  /// The entities of which all rows were read.
  package private(set) var whole: [UInt16: BlockRun] = [:]
  /// The lowest and the highest keys of entities.
  package var ranges: [UInt16: KeyRanges] = [:]
  private var pieces: [Piece: BlockRun] = [:]
  /// Rows that were read without their neighbours; empty runs for objects that do not exist.
  private var rows: [ObjectKey: BlockRun] = [:]
  /// The first piece of the last read, and the number of pieces read with it.
  private var last: (piece: Piece, count: UInt64)?
  private let growth: UInt64
  private let mostPiecesAhead: UInt64
  /// Decides whether the neighbours of a row are read with it; `nil` to read them always.
  private let readAhead: ReadAhead?

  /// The number of cached pieces above which the cache is emptied.
  private static let mostPieces = 1024

  /// Rows with consecutive keys, which are read at once.
  package struct Piece: Hashable, Sendable {
    /// The number of the entity.
    package let entity: UInt16
    fileprivate let number: UInt64
    private static let keyCount: UInt64 = 64

    fileprivate init(entity: UInt16, number: UInt64) {
      (self.entity, self.number) = (entity, number)
    }

    /// The piece around a key.
    package init(around key: ObjectKey) {
      self.init(entity: key.entity, number: key.number / Piece.keyCount)
    }

    /// Returns the number of pieces from this one to the one that ends at a key.
    package func count(to end: UInt64) -> UInt64 {
      (end - number * Piece.keyCount + Piece.keyCount - 1) / Piece.keyCount
    }

    /// Returns the keys of this piece and of the pieces after it.
    package func keys(ofPieces count: UInt64) -> Range<UInt64> {
      let first = number * Piece.keyCount
      return first..<min(first + count * Piece.keyCount, ObjectKey.highestNumber + 1)
    }
  }

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - growth: The factor by which the number of pieces grows that a walk over the rows reads at once.
  ///   - mostPiecesAhead: The most pieces that are read at once.
  ///   - readAhead: Decides whether the neighbours of a row are read with it. Without it they always are, which is right for
  ///     a database in a file.
  package init(growth: UInt64, mostPiecesAhead: UInt64, readAhead: ReadAhead? = nil) {
    (self.growth, self.mostPiecesAhead) = (growth, mostPiecesAhead)
    self.readAhead = readAhead
  }

  /// The rows around a key, or the row alone; `nil` if they were not read.
  package subscript(key: ObjectKey) -> BlockRun? { pieces[Piece(around: key)] ?? rows[key] }

  /// Returns the number of pieces to read from that of a key on; 0 to read only the row. It grows each time the next piece
  /// is asked for, as in a walk over all rows.
  package mutating func begin(_ key: ObjectKey) -> UInt64 {
    let piece = Piece(around: key)
    if pieces.count >= KnownRows.mostPieces { pieces = [:] }
    if rows.count >= KnownRows.mostPieces { rows = [:] }
    var count: UInt64 = 1
    if let last, last.piece.entity == piece.entity, piece.number == last.piece.number + last.count {
      count = min(last.count * growth, mostPiecesAhead)
      readAhead?.recordWalk(piece.entity)
    } else if let readAhead, !readAhead.isWanted(piece) {
      return 0
    }
    last = (piece, count)
    return count
  }

  /// Adds the row of a key, or an empty run to record that the key does not exist.
  package mutating func add(_ run: BlockRun, of key: ObjectKey) { rows[key] = run }

  /// Adds the rows of a piece and of the pieces after it.
  package mutating func add(_ run: BlockRun, from piece: Piece, count: UInt64) {
    for number in piece.number..<piece.number + count {
      pieces[Piece(entity: piece.entity, number: number)] = run
    }
  }

  /// Adds all rows of an entity or of a link table, in place of pieces.
  package mutating func add(_ run: BlockRun, ofEntity number: UInt16) {
    whole[number] = run
    pieces = pieces.filter { $0.key.entity != number }
    rows = rows.filter { $0.key.entity != number }
  }
}
