import DurableFiles
import Foundation
import ObjectModel
import PropertyLists
import Rows
import StoreInterface
import XMLEvents

/// The constants of the grammar, and functions that read and write whole documents (spec §5).
struct XMLStoreFormat: AtomicFormat {
  let options: XMLStoreOptions

  var type: StoreType { .xml }
  var version: String { String(XMLStoreFormat.version) }

  /// The version that every known document has (spec §5.2.3).
  static let version = 134_481_920
  /// The highest version that can be read: the first byte is the major version.
  static let highestVersion = 0x08FF_FFFF

  /// Quire's own names in the metadata (spec §5.5.2, spec §5.5.3, spec §5.5.4).
  enum MetadataKey {
    static let model = "QuireModel"
    static let values = "QuireValues"
    static let entityNumbers = "QuireEntityNumbers"
    static let highestNumber = "QuireHighestEntityNumber"
    static let all = [model, values, entityNumbers, highestNumber]
  }

  /// The limits for documents that are read (spec §5.7.1).
  static let limits = XMLLimits(
    depth: 512, attributeCount: 64, textByteCount: greatestObjectByteCount, tokenByteCount: 64 << 20
  )
  /// The largest number of bytes in the texts of one object.
  static let greatestObjectByteCount = 1 << 28
  /// The largest number of bytes in a document.
  static let greatestByteCount = 1 << 33
  /// The largest number of bytes in the references of one relationship.
  static let greatestReferencesByteCount = 60 << 20

  /// The number of bytes that are read at a time.
  private static let pieceByteCount = 1 << 16

  /// Returns whether the bytes begin a document of this format (spec §5.2.1).
  static func recognizes(_ firstBytes: [UInt8]) -> Bool {
    var rest = narrowed(firstBytes)[...]
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    func skip(from start: String, to end: String) -> Bool {
      guard rest.starts(with: start.utf8) else { return false }
      while !rest.isEmpty, !rest.starts(with: end.utf8) { rest = rest.dropFirst() }
      rest = rest.dropFirst(end.utf8.count)
      return true
    }
    func skipBlank() { rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }
    repeat { skipBlank() } while skip(from: "<?", to: "?>") || skip(from: "<!--", to: "-->")
    if rest.starts(with: "<!DOCTYPE".utf8) {
      rest = rest.dropFirst("<!DOCTYPE".utf8.count)
      skipBlank()
      return rest.starts(with: "database".utf8)
    }
    guard rest.starts(with: "<database".utf8) else { return false }
    let next = rest.dropFirst("<database".utf8.count).first
    return next.map { [0x20, 0x09, 0x0A, 0x0D, 0x3E, 0x2F].contains($0) } ?? false
  }

  /// Returns the bytes of a text in UTF-16 as bytes of ASCII, and all other bytes unchanged (spec §5.2.1).
  private static func narrowed(_ bytes: [UInt8]) -> [UInt8] {
    let isBigEndian: Bool
    switch (bytes.first, bytes.dropFirst().first) {
    case (0xFE, 0xFF), (0x00, 0x3C): isBigEndian = true
    case (0xFF, 0xFE), (0x3C, 0x00): isBigEndian = false
    default: return bytes
    }
    let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
      let (first, second) = (bytes[index], bytes[index + 1])
      return isBigEndian ? (high: first, low: second) : (high: second, low: first)
    }
    let narrow = units.map { $0.high == 0 ? $0.low : 0x7F }
    return units.first?.high == 0 ? narrow : Array(narrow.dropFirst())
  }

  /// Reads a whole document.
  func read(_ file: DurableFile, model: Model?, evolving schema: Schema?) throws -> AtomicContents {
    let names = XMLNames()
    let reader = DatabaseReader(
      names, path: file.path, given: model, evolving: schema,
      checksHashes: options.checksVersionHashes)
    return try explaining(file) {
      guard try file.byteCount() <= XMLStoreFormat.greatestByteCount else {
        throw XMLStoreFault(
          "The document has more than \(XMLStoreFormat.greatestByteCount) bytes. Use another type "
            + "of store for this much data.")
      }
      var parser = XMLPushParser(
        handler: reader, names: names, limits: XMLStoreFormat.limits)
      try pieces(of: file) { try parser.parse($0) }
      return try parser.finish().contents()
    }
  }

  /// Reads the metadata before the objects.
  func metadata(_ file: DurableFile) throws -> StoreMetadata {
    let names = XMLNames()
    return try explaining(file) {
      do {
        var parser = XMLPushParser(
          handler: DatabaseReader(names, path: file.path, endsWithMetadata: true), names: names,
          limits: XMLStoreFormat.limits)
        try pieces(of: file) { try parser.parse($0) }
        let reader = try parser.finish()
        return try reader.info.metadata()
      } catch let end as MetadataRead {
        return end.metadata
      }
    }
  }

  func pieces(of file: DurableFile, _ body: (Span<UInt8>) throws -> Void) throws {
    var buffer = [UInt8](repeating: 0, count: XMLStoreFormat.pieceByteCount)
    var offset = 0
    while true {
      var memory = buffer.mutableSpan
      // SAFETY: Any byte is a valid element.
      var bytes = unsafe memory.mutableBytes
      let count = try file.readAvailable(into: &bytes, at: offset)
      if count == 0 { return }
      try body(buffer.span.extracting(first: count))
      offset += count
    }
  }

  /// Calls `body`, and adds the path of the file to the errors that it throws.
  private func explaining<R>(_ file: DurableFile, _ body: () throws -> R) throws -> R {
    let path = file.path
    do { return try body() } catch let fault as XMLStoreFault {
      throw StoreError(fault.code, fault.description, path: path)
    } catch let error as XMLError {
      // Any text file fails to parse. Only a file that begins as a store does is a damaged one.
      var firstBytes = [UInt8](repeating: 0, count: StoreBackends.firstByteCount)
      var memory = firstBytes.mutableSpan
      // SAFETY: Any byte is a valid element.
      var bytes = unsafe memory.mutableBytes
      let count = try file.readAvailable(into: &bytes, at: 0)
      guard XMLStoreFormat.recognizes(Array(firstBytes.prefix(count))) else {
        throw StoreError(
          .notAStore,
          "The file is not an XML store: it does not begin with the element 'database'. "
            + error.description, path: path, cause: error)
      }
      throw StoreError(.damaged, error.description, path: path, cause: error)
    } catch let error as PropertyListError {
      throw StoreError(
        .damaged, "The metadata can't be read: \(error.description)", path: path, cause: error)
    }
  }

  /// Writes a whole document.
  func write(_ contents: AtomicContents, to writer: inout FileWriter) throws {
    try DatabaseWriter(contents, options).write(to: &writer)
  }
}

/// A fault in a document, with its place.
struct XMLStoreFault: Error, CustomStringConvertible {
  let description: String
  let code: StoreError.Code

  init(_ description: String, code: StoreError.Code = .damaged) {
    self.description = description
    self.code = code
  }

  init(line: Int, _ words: String, code: StoreError.Code = .damaged) {
    self.init("line \(line): \(words)", code: code)
  }
}

/// The error that ends the reading of a document after its metadata.
struct MetadataRead: Error {
  let metadata: StoreMetadata
}
