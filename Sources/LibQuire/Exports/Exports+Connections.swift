// SAFETY: The caller passes pointers as quire.h demands. Structures of parameters are copied, up to the size that the caller knows.

public import CQuire
import Documents
import Foundation
import JSONText
import ModelNotations
import ObjectGraph
import ObjectModel
import StoreInterface

/// Implements the function `quire_code_name` of quire.h.
@_cdecl("quire_code_name")
public func codeName(_ code: Int32) -> UnsafePointer<CChar>? {
  unsafe Names.codes[FailureCode(rawValue: code) ?? .failed]
}

/// Implements the function `quire_version` of quire.h.
@_cdecl("quire_version")
public func version() -> UnsafePointer<CChar>? { unsafe Names.version }

/// Implements the function `quire_api` of quire.h.
@_cdecl("quire_api")
public func api() -> UInt32 { UInt32(QUIRE_API) }

/// Implements the function `quire_open` of quire.h.
@_cdecl("quire_open")
public func open(
  _ path: quire_text, _ opening: UnsafePointer<quire_opening>?,
  _ connection: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(error) {
    let opened = try unsafe Connection.open(
      path.required("path"), Parameters.copy(opening, quire_opening()))
    unsafe put(opened.makeHandle(), connection)
  }
}

/// Implements the function `quire_create` of quire.h.
@_cdecl("quire_create")
public func create(
  _ path: quire_text, _ creation: UnsafePointer<quire_creation>?,
  _ connection: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(error) {
    let made = try unsafe Connection.create(
      path.required("path"), Parameters.copy(creation, quire_creation()))
    unsafe put(made.makeHandle(), connection)
  }
}

/// Implements the function `quire_close` of quire.h.
@_cdecl("quire_close")
public func close(
  _ connection: OpaquePointer?, _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(error) {
    if let connection = unsafe connection { try unsafe Connection.close(connection) }
  }
}

/// Implements the function `quire_info` of quire.h.
@_cdecl("quire_info")
public func info(
  _ connection: OpaquePointer?, _ json: UnsafeMutablePointer<quire_bytes>?,
  _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { unsafe put(quire_bytes(try $0.info), json) }
}

/// Implements the function `quire_model` of quire.h.
@_cdecl("quire_model")
public func model(
  _ connection: OpaquePointer?, _ json: UnsafeMutablePointer<quire_bytes>?,
  _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { unsafe put(quire_bytes(ModelJSON.json($0.model)), json) }
}

/// Implements the function `quire_get_state` of quire.h.
@_cdecl("quire_get_state")
public func state(
  _ connection: OpaquePointer?, _ state: UnsafeMutablePointer<quire_state>?,
  _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    let undo = connection.context.undoStack
    let now = quire_state(
      struct_size: UInt32(MemoryLayout<quire_state>.size),
      has_changes: connection.hasChanges ? 1 : 0, can_undo: undo?.canUndo ?? false ? 1 : 0,
      can_redo: undo?.canRedo ?? false ? 1 : 0, version: connection.document?.manifest.number ?? 0)
    unsafe Parameters.fill(state, with: now)
  }
}

/// Implements the function `quire_cancel` of quire.h.
@_cdecl("quire_cancel")
public func cancel(_ connection: OpaquePointer?) {
  unsafe (try? Connection.at(connection))?.interruption.interrupt()
}

/// Implements the function `quire_set_progress` of quire.h.
@_cdecl("quire_set_progress")
public func setProgress(
  _ connection: OpaquePointer?, _ progress: UnsafePointer<quire_progress>?
) {
  unsafe (try? Connection.at(connection))?.interruption.set(Reporter(progress))
}
