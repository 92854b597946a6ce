// SAFETY: The caller passes pointers as quire.h demands.

public import CQuire
import Comparison
import Documents
import JSONText
import StoreInterface

/// Implements the function `quire_versions` of quire.h.
@_cdecl("quire_versions")
public func versions(
  _ connection: OpaquePointer?, _ json: UnsafeMutablePointer<quire_bytes>?,
  _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { unsafe put(quire_bytes(try $0.versions), json) }
}

/// Implements the function `quire_name_version` of quire.h.
@_cdecl("quire_name_version")
public func nameVersion(
  _ connection: OpaquePointer?, _ version: Int64, _ name: quire_text,
  _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    try connection.requiredDocument.nameVersion(version, unsafe name.string)
  }
}

/// Implements the function `quire_revert` of quire.h.
@_cdecl("quire_revert")
public func revert(
  _ connection: OpaquePointer?, _ version: Int64, _ message: quire_text,
  _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    try connection.revert(to: version, unsafe message.string)
  }
}

/// Implements the function `quire_changes` of quire.h.
@_cdecl("quire_changes")
public func changes(
  _ connection: OpaquePointer?, _ version: Int64, _ lines: UnsafeMutablePointer<quire_bytes>?,
  _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    unsafe put(quire_bytes(Array(try connection.changes(since: version).utf8)), lines)
  }
}

/// Implements the function `quire_heads` of quire.h.
@_cdecl("quire_heads")
public func heads(
  _ connection: OpaquePointer?, _ json: UnsafeMutablePointer<quire_bytes>?,
  _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    let document = try connection.requiredDocument
    let heads = JSON.object([
      "open": .string(document.head), "current": .string(try document.heads.current),
      "heads": .strings(try document.heads.names),
    ])
    unsafe put(quire_bytes(heads), json)
  }
}

/// Implements the function `quire_make_head` of quire.h.
@_cdecl("quire_make_head")
public func makeHead(
  _ connection: OpaquePointer?, _ name: quire_text, _ version: Int64,
  _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    let name = try unsafe name.required("name of the head")
    try connection.requiredDocument.heads.make(name, at: version == 0 ? nil : version)
  }
}

/// Implements the function `quire_remove_head` of quire.h.
@_cdecl("quire_remove_head")
public func removeHead(
  _ connection: OpaquePointer?, _ name: quire_text, _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    try connection.requiredDocument.heads.remove(unsafe name.required("name of the head"))
  }
}
