// SAFETY: The stream, its description and its arrays belong to this object from the start until they are released, each once.
// Their addresses do not change, because the structures lie in memory of their own.

internal import CArrow
import ObjectGraph
import ObjectModel

/// Rows of another language that become objects.
@safe
final class RowInput {
  private let stream: UnsafeMutablePointer<ArrowArrayStream>
  private let schema: UnsafeMutablePointer<ArrowSchema>

  /// Takes ownership of a stream, and reads the description of its rows.
  @unsafe init(taking stream: UnsafeMutablePointer<ArrowArrayStream>) throws {
    unsafe self.stream = .allocate(capacity: 1)
    unsafe schema = .allocate(capacity: 1)
    unsafe self.stream.initialize(to: stream.pointee)
    unsafe schema.initialize(to: ArrowSchema())
    unsafe stream.pointee.release = nil
    guard unsafe self.stream.pointee.release != nil else {
      throw CallError(.badArgument, "The stream was released.")
    }
    guard unsafe self.stream.pointee.get_schema(self.stream, schema) == 0 else { throw failure }
    guard unsafe schema.pointee.format.map({ unsafe String(cString: $0) }) == "+s" else {
      throw CallError(.badArgument, "The stream does not contain rows of columns.")
    }
  }

  deinit {
    if let release = unsafe schema.pointee.release { unsafe release(schema) }
    if let release = unsafe stream.pointee.release { unsafe release(stream) }
    unsafe schema.deallocate()
    unsafe stream.deallocate()
  }

  private var failure: CallError {
    let text = unsafe stream.pointee.get_last_error(stream).map { unsafe String(cString: $0) }
    return CallError(.badArgument, "The stream can't be read: \(text ?? "unknown error")")
  }

  /// Inserts an object for each row.
  ///
  /// - Returns: The number of objects.
  func insert(_ entity: String, _ connection: Connection) throws -> Int {
    let columns = try unsafe (0..<Int(schema.pointee.n_children)).compactMap { index in
      try unsafe InputColumn(schema.pointee.children[index]!, at: index, of: entity, connection)
    }
    var count = 0
    let array = UnsafeMutablePointer<ArrowArray>.allocate(capacity: 1)
    defer { unsafe array.deallocate() }
    while true {
      unsafe array.initialize(to: ArrowArray())
      guard unsafe stream.pointee.get_next(stream, array) == 0 else { throw failure }
      guard let release = unsafe array.pointee.release else { return count }
      defer { unsafe release(array) }
      let rows = unsafe Int(array.pointee.length)
      let readers = columns.map { column in
        unsafe (column, InputCells(array.pointee.children[column.index]!, column.schema))
      }
      for row in 0..<rows {
        let object = try context(connection, entity)
        for (column, cells) in readers {
          let place = unsafe row + Int(array.pointee.offset)
          try column.set(cells.cell(place), of: object, row: count, connection)
        }
        count += 1
        if count.isMultiple(of: 1024) { try connection.interruption.check(count, of: 0) }
      }
    }
  }

  private func context(_ connection: Connection, _ entity: String) throws -> ManagedObject {
    try connection.context.insert(entity)
  }
}
