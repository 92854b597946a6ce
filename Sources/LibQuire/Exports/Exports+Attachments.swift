// SAFETY: The caller passes pointers as quire.h demands.

public import CQuire
import Documents
import JSONText

/// Implements the function `quire_attachments` of quire.h.
@_cdecl("quire_attachments")
public func attachments(
  _ connection: OpaquePointer?, _ json: UnsafeMutablePointer<quire_bytes>?,
  _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    let list = try connection.requiredDocument.attachments.map { attachment in
      JSON.object([
        "name": .string(attachment.name), "bytes": .number(attachment.byteCount),
        "digest": .string(attachment.digest),
      ])
    }
    unsafe put(quire_bytes(JSON.array(list)), json)
  }
}

/// Implements the function `quire_read_attachment` of quire.h.
@_cdecl("quire_read_attachment")
public func readAttachment(
  _ connection: OpaquePointer?, _ name: quire_text, _ bytes: UnsafeMutablePointer<quire_bytes>?,
  _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    let reader = try connection.requiredDocument.openAttachment(
      named: unsafe name.required("name of the attachment"))
    var contents: [UInt8] = []
    contents.reserveCapacity(reader.byteCount)
    try reader.forEachPiece { piece in
      contents += piece
      try connection.interruption.check(contents.count, of: reader.byteCount)
    }
    unsafe put(quire_bytes(contents), bytes)
  }
}

/// Implements the function `quire_attach` of quire.h.
@_cdecl("quire_attach")
public func attach(
  _ connection: OpaquePointer?, _ name: quire_text, _ bytes: UnsafePointer<UInt8>?,
  _ count: UInt64, _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    let name = try unsafe name.required("name of the attachment")
    let contents = unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    try connection.requiredDocument.addAttachment(named: name) { write in try write(contents) }
  }
}

/// Implements the function `quire_detach` of quire.h.
@_cdecl("quire_detach")
public func detach(
  _ connection: OpaquePointer?, _ name: quire_text, _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    try connection.requiredDocument.removeAttachment(
      named: unsafe name.required("name of the attachment"))
  }
}
