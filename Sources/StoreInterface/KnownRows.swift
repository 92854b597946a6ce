package import ObjectModel
package import Rows

/// The rows of a database that were read so far: entities as a whole, and pieces of further entities.
package struct KnownRows: Sendable {
  /// The entities of which all rows were read.
  package private(set) var whole: [UInt16: BlockRun] = [:]
  /// The lowest and the highest keys of entities.
  package var ranges: [UInt16: KeyRanges] = [:]
  private var pieces: [Piece: BlockRun] = [:]
  /// The first piece of the last read, and the number of pieces read with it.
  private var last: (piece: Piece, count: UInt64)?
  private let growth: UInt64
  private let mostPiecesAhead: UInt64

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
  package init(growth: UInt64, mostPiecesAhead: UInt64) {
    (self.growth, self.mostPiecesAhead) = (growth, mostPiecesAhead)
  }

  /// The rows of a piece; `nil` if they were not read.
  package subscript(piece: Piece) -> BlockRun? { pieces[piece] }

  /// Returns the number of pieces to read from a piece on. It grows each time the next piece is asked for, as in a walk
  /// over all rows.
  package mutating func begin(_ piece: Piece) -> UInt64 {
    if pieces.count >= KnownRows.mostPieces { pieces = [:] }
    var count: UInt64 = 1
    if let last, last.piece.entity == piece.entity, piece.number == last.piece.number + last.count {
      count = min(last.count * growth, mostPiecesAhead)
    }
    last = (piece, count)
    return count
  }

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
  }
}
