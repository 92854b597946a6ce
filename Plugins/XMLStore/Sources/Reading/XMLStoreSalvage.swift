package import DurableFiles
package import ObjectModel
import Rows
package import StoreInterface
import XMLEvents

/// The part of a document that can be read before its first damage.
package struct XMLStoreSalvage {
  /// The contents before the damage; the damaged object is left out.
  package let contents: AtomicContents
  /// The fault and its place; `nil` if the document is sound.
  package let fault: String?
  /// The number of bytes before the damaged line, or of the whole document if it is sound.
  package let soundByteCount: Int
  /// The number of references to missing objects or to objects of a wrong entity.
  package let lostReferenceCount: Int

  /// Reads a document up to its first damage.
  ///
  /// - Throws: `StoreError` if even the part before the objects can't be read.
  package init(_ file: DurableFile, model: Model?) throws {
    let names = XMLNames()
    let format = XMLStoreFormat(options: XMLStoreOptions())
    var parser = XMLPushParser(
      handler: DatabaseReader(names, path: file.path, given: model, checksHashes: model == nil),
      names: names, limits: XMLStoreFormat.limits)
    var found: (any Error)?
    do {
      guard try file.byteCount() <= XMLStoreFormat.greatestByteCount else {
        throw XMLStoreFault("The document has too many bytes.")
      }
      try format.pieces(of: file) { piece in try parser.parse(piece) }
      try parser.end()
    } catch let error where !(error is DiskError) {
      found = error
    }
    soundByteCount =
      found == nil ? try file.byteCount() : try Self.offset(ofLine: parser.position.line, in: file)
    var reader = parser.abandoned()
    guard reader.schema != nil else {
      throw found as? StoreError
        ?? StoreError(
          .damaged, "The part before the objects is damaged: \(Self.words(found))",
          path: file.path)
    }
    fault = found.map(Self.words)
    var unfinished: ObjectKey?
    switch reader.place {
    case .object, .attribute, .relationship:
      unfinished = ObjectKey(
        entity: reader.plans[reader.entity].layout.entityNumber, number: reader.number)
    default: break
    }
    let lost = LostReferences()
    reader.lost = lost
    reader.place = .outside
    var contents: AtomicContents
    do { contents = try reader.contents() } catch let error as XMLStoreFault {
      throw StoreError(error.code, error.description, path: file.path)
    }
    if let unfinished {
      let builder = LayerBuilder(contents.schema)
      builder.remove(unfinished)
      contents.layers.append(builder.freeze())
    }
    self.contents = contents
    lostReferenceCount = lost.count
  }

  /// Returns the offset of the first byte of a line.
  private static func offset(ofLine line: Int, in file: DurableFile) throws -> Int {
    var (offset, left) = (0, line - 1)
    let end = try file.byteCount()
    let start = try file.read(byteCount: min(4, end), at: 0)
    let encoding = XMLEncoding.ofFirstBytes(start)?.encoding ?? .utf8
    let unit = encoding.unitByteCount
    while left > 0, offset < end {
      // A piece of this size ends with a whole unit, unless the file itself ends within a unit.
      let piece = try file.read(byteCount: min(1 << 18, end - offset), at: offset)
      for index in stride(from: 0, through: piece.count - unit, by: unit)
      where encoding.isLineFeed(piece[index..<index + unit]) {
        left -= 1
        if left == 0 { return offset + index + unit }
      }
      offset += piece.count
    }
    return offset
  }

  private static func words(_ error: (any Error)?) -> String {
    switch error {
    case let error as StoreError: error.message
    case let error?: "\(error)"
    case nil: "the document ends too early."
    }
  }
}

/// Counts the references that lead nowhere, for a reader that skips them.
final class LostReferences {
  var count = 0
}
