// SAFETY: Each structure is in memory of its own during the calls that read it, and is released once after them.

internal import CArrow

extension FoundRecords {
  /// Returns a writer of records with the given columns, which has written the description of the columns.
  package static func writer(
    _ fields: [RecordField], as form: ArrowFileWriter.Form, to sink: ArrowFileWriter.Sink
  ) throws -> ArrowFileWriter {
    var schema = unsafe FoundRecords.schema(fields)
    defer { if let release = unsafe schema.release { unsafe release(&schema) } }
    return try unsafe ArrowFileWriter(&schema, as: form, to: sink)
  }

  /// Writes some of the records.
  ///
  /// - Throws: The error of a damaged block; ``RecordError`` for a value that the file can't contain; the error of `sink`.
  package func write(
    _ range: Range<Int>, _ fields: [RecordField], to writer: inout ArrowFileWriter,
    _ sink: ArrowFileWriter.Sink
  ) throws {
    var array = unsafe try self.array(range, fields)
    defer { if let release = unsafe array.release { unsafe release(&array) } }
    try unsafe writer.write(&array, to: sink)
  }
}
