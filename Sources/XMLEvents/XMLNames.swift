import CLibXML2

/// The names that a parser meets, each known by an identifier, so that a handler compares
/// integers where it would compare text.
///
///     let names = XMLNames()
///     let object = names.id("object")       // …and in the handler: if tag.name == object
///
/// A table belongs to one parser at a time; it is not `Sendable`, and several parsers that run at
/// once each have their own. Reusing a table for one parser after the other is fine.
@safe
public final class XMLNames {
  /// libxml2's string table: it gives equal names the same address, which is the identifier.
  let dictionary: xmlDictPtr

  /// An empty table.
  public init() {
    _ = LibXML2.isInitialized
    // SAFETY: A fresh table, owned by this object until `deinit`.
    guard let dictionary = unsafe xmlDictCreate() else { fatalError("Out of memory.") }
    unsafe self.dictionary = dictionary
  }

  deinit {
    // SAFETY: Parsers that still use the table hold a count of their own.
    unsafe xmlDictFree(dictionary)
  }

  /// The identifier of the given name, the same each time.
  public func id(_ name: String) -> XMLNameID {
    var name = name
    return name.withUTF8 { utf8 in
      // SAFETY: libxml2 copies the bytes; it answers `nil` only when memory is exhausted.
      guard
        let start = unsafe utf8.baseAddress ?? UnsafePointer(bitPattern: 1),
        let address = unsafe xmlDictLookup(dictionary, start, Int32(utf8.count))
      else { fatalError("Out of memory.") }
      return unsafe XMLNameID(address)
    }
  }
}

/// The identifier of a name in one ``XMLNames``. Identifiers of different tables never match.
public struct XMLNameID: Hashable, Sendable {
  @usableFromInline let address: UInt

  @inlinable init(_ name: UnsafePointer<UInt8>) {
    address = UInt(bitPattern: name)
  }
}

/// What the process does once before it uses libxml2.
enum LibXML2 {
  static let isInitialized: Bool = {
    xmlInitParser()
    return true
  }()
}
