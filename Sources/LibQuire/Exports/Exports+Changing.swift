// SAFETY: The caller passes pointers as quire.h demands.

public import CArrow
public import CQuire
import Documents
import JSONText
import ObjectGraph
import ObjectModel
import ObjectQuery

/// Implements the function `quire_insert` of quire.h.
@_cdecl("quire_insert")
public func insert(
  _ connection: OpaquePointer?, _ entity: quire_text, _ values: quire_text,
  _ identifier: UnsafeMutablePointer<UInt64>?, _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    let name = try unsafe entity.required("entity")
    try connection.check(entity: name)
    let json = try unsafe values.json("values") ?? .members([])
    let object = try connection.change {
      let values = try ObjectValues(json, of: name, connection)
      let object = try connection.context.insert(name)
      try values.set(object)
      return object
    }
    unsafe put(object.objectID.key.rawValue, identifier)
  }
}

/// Implements the function `quire_insert_rows` of quire.h.
@_cdecl("quire_insert_rows")
public func insertRows(
  _ connection: OpaquePointer?, _ entity: quire_text,
  _ rows: UnsafeMutablePointer<ArrowArrayStream>?, _ count: UnsafeMutablePointer<UInt64>?,
  _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(error) {
    guard let rows = unsafe rows else { throw CallError(.badArgument, "The stream is missing.") }
    // The stream is released also if the connection was closed.
    let input = try unsafe RowInput(taking: rows)
    let connection = try unsafe Connection.at(connection)
    let inserted = try connection.run {
      let name = try unsafe entity.required("entity")
      try connection.check(entity: name)
      return try connection.change { try input.insert(name, connection) }
    }
    unsafe put(UInt64(inserted), count)
  }
}

/// Implements the function `quire_set` of quire.h.
@_cdecl("quire_set")
public func set(
  _ connection: OpaquePointer?, _ request: UnsafePointer<quire_request>?, _ values: quire_text,
  _ count: UnsafeMutablePointer<UInt64>?, _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    let reading = try unsafe RequestReading(request, connection)
    let json = try unsafe values.json("values")
    let changed = try connection.change {
      let objects = try connection.objects(reading)
      // Objects of a subentity may have further properties.
      var known: [UInt16: ObjectValues] = [:]
      // Values are also checked if there is no object.
      if objects.isEmpty { _ = try ObjectValues(json, of: reading.query.entity, connection) }
      for (index, object) in objects.enumerated() {
        let values =
          try known[object.entityNumber]
          ?? ObjectValues(json, of: object.entity.name, connection)
        known[object.entityNumber] = values
        try values.set(object)
        if index.isMultiple(of: 1024) {
          try connection.interruption.check(index, of: objects.count)
        }
      }
      return objects.count
    }
    unsafe put(UInt64(changed), count)
  }
}

/// Implements the function `quire_delete` of quire.h.
@_cdecl("quire_delete")
public func delete(
  _ connection: OpaquePointer?, _ request: UnsafePointer<quire_request>?,
  _ count: UnsafeMutablePointer<UInt64>?, _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    let reading = try unsafe RequestReading(request, connection)
    let deleted = try connection.change {
      let objects = try connection.objects(reading)
      for object in objects { connection.context.delete(object) }
      return objects.count
    }
    unsafe put(UInt64(deleted), count)
  }
}

/// Implements the function `quire_relate` of quire.h.
@_cdecl("quire_relate")
public func relate(
  _ connection: OpaquePointer?, _ object: UInt64, _ relationship: quire_text, _ how: Int32,
  _ others: UnsafePointer<UInt64>?, _ count: UInt64, _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    let numbers = unsafe Array(UnsafeBufferPointer(start: others, count: Int(count)))
    let name = try unsafe relationship.required("relationship")
    try connection.change {
      try connection.relate(object, name, how, numbers)
    }
  }
}

/// Implements the function `quire_save` of quire.h.
@_cdecl("quire_save")
public func save(
  _ connection: OpaquePointer?, _ message: quire_text, _ version: UnsafeMutablePointer<Int64>?,
  _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    unsafe put(try connection.save(message.string), version)
  }
}

/// Implements the function `quire_discard` of quire.h.
@_cdecl("quire_discard")
public func discard(
  _ connection: OpaquePointer?, _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    connection.context.rollback()
    connection.document?.discardStaged()
  }
}

/// Implements the function `quire_undo` of quire.h.
@_cdecl("quire_undo")
public func undo(
  _ connection: OpaquePointer?, _ done: UnsafeMutablePointer<Int32>?,
  _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    let stack = try connection.idleUndoStack
    unsafe put(try stack.undo() ? 1 : 0, done)
  }
}

/// Implements the function `quire_redo` of quire.h.
@_cdecl("quire_redo")
public func redo(
  _ connection: OpaquePointer?, _ done: UnsafeMutablePointer<Int32>?,
  _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    let stack = try connection.idleUndoStack
    unsafe put(try stack.redo() ? 1 : 0, done)
  }
}

/// Implements the function `quire_begin` of quire.h.
@_cdecl("quire_begin")
public func begin(
  _ connection: OpaquePointer?, _ name: quire_text, _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    try connection.context.undoStack?.beginGroup(unsafe name.string)
  }
}

/// Implements the function `quire_end` of quire.h.
@_cdecl("quire_end")
public func end(
  _ connection: OpaquePointer?, _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    guard let stack = connection.context.undoStack, stack.groupingLevel > 0 else {
      throw CallError(.badArgument, "There is no step to end: quire_begin was not called.")
    }
    try stack.endGroup()
  }
}

/// Implements the function `quire_refresh` of quire.h.
@_cdecl("quire_refresh")
public func refresh(
  _ connection: OpaquePointer?, _ changed: UnsafeMutablePointer<Int32>?,
  _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    unsafe put(try connection.refresh() ? 1 : 0, changed)
  }
}
