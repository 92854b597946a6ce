import CLibXML2

/// A table of the names in XML texts. Each name has an identifier, so a handler compares integers instead of texts.
///
///     let names = XMLNames()
///     let object = names.id("object")       // …and in the handler: if tag.name == object
///
/// A table belongs to one parser at a time and is not `Sendable`. Parsers that run concurrently need separate tables.
/// Consecutive parsers may share a table.
@safe
public final class XMLNames {
  /// libxml2's string table. It gives equal names the same address, which is the identifier.
  let dictionary: xmlDictPtr

  public init() {
    _ = LibXML2.isInitialized
    // SAFETY: The object owns the new table until `deinit`.
    guard let dictionary = unsafe xmlDictCreate() else { fatalError("Out of memory.") }
    unsafe self.dictionary = dictionary
  }

  deinit {
    // SAFETY: Parsers that still use the table hold references of their own.
    unsafe xmlDictFree(dictionary)
  }

  /// Returns the identifier of a name. The same name always has the same identifier.
  public func id(_ name: String) -> XMLNameID {
    let count = Int32(name.utf8.count)
    // SAFETY: A zero byte follows the name, so that an empty name has an address too. libxml2 copies the bytes, so the
    // address is used only inside the closure. It returns `nil` only if memory is exhausted.
    return unsafe name.withCString(encodedAs: UTF8.self) { start in
      guard let address = unsafe xmlDictLookup(dictionary, start, count) else {
        fatalError("Out of memory.")
      }
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

/// The initialisation of libxml2, once in each process.
enum LibXML2 {
  static let isInitialized: Bool = {
    xmlInitParser()
    return true
  }()
}
