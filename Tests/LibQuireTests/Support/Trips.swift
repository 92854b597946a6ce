import CArrow
import CQuire
import Foundation
// The tests call the functions of the header, which this module exports.
import LibQuire
import Testing

/// A document of trips in a temporary folder, open through the C interface.
final class Trips {
  static let model = """
    entity Trip
      name: String, length 1...100
      start: Date?
      budget: Decimal?
      stops: [Stop], inverse trip, ordered, delete cascade

    entity Stop
      name: String
      nights: Int16 = 1, min 0
      trip: Trip?, inverse stops
    """

  let path = NSTemporaryDirectory() + "trips-\(UUID().uuidString).quire"
  private(set) var connection: OpaquePointer?

  init() throws {
    var creation = quire_creation()
    creation.struct_size = UInt32(MemoryLayout<quire_creation>.size)
    try withText(Trips.model) { model in
      creation.model_text = model
      try withText(path) { path in
        try check { quire_create(path, &creation, &connection, $0) }
      }
    }
  }

  deinit {
    if connection != nil { try? close() }
    try? FileManager.default.removeItem(atPath: path)
  }

  func close() throws {
    let handle = connection
    connection = nil
    try check { quire_close(handle, $0) }
  }

  /// Opens the document again.
  func open(access: Int32 = 0) throws {
    var opening = quire_opening()
    opening.struct_size = UInt32(MemoryLayout<quire_opening>.size)
    opening.access = access
    try withText(path) { path in try check { quire_open(path, &opening, &connection, $0) } }
  }

  /// Inserts an object, and returns its identifier.
  @discardableResult
  func insert(_ entity: String, _ values: String) throws -> UInt64 {
    var identifier: UInt64 = 0
    try withText(entity) { entity in
      try withText(values) { values in
        try check { quire_insert(connection, entity, values, &identifier, $0) }
      }
    }
    return identifier
  }

  @discardableResult
  func save(_ message: String? = nil) throws -> Int64 {
    var version: Int64 = 0
    try withText(message) { text in try check { quire_save(connection, text, &version, $0) } }
    return version
  }

  func count(_ entity: String, where predicate: String? = nil) throws -> UInt64 {
    var count: UInt64 = 0
    try withRequest(entity, predicate) { request in
      try check { quire_count(connection, request, &count, $0) }
    }
    return count
  }

  /// Returns the stream of a request.
  func fetch(
    _ entity: String, where predicate: String? = nil, columns: String? = nil,
    change: (inout quire_request) -> Void = { _ in }
  ) throws -> Results {
    let results = Results()
    try withRequest(entity, predicate, columns) { request in
      change(&request.pointee)
      try check { quire_fetch(connection, request, results.stream, $0) }
    }
    return results
  }
}

/// The results of a fetch.
final class Results {
  let stream = UnsafeMutablePointer<ArrowArrayStream>.allocate(capacity: 1)

  init() { stream.initialize(to: ArrowArrayStream()) }

  deinit {
    if let release = stream.pointee.release { release(stream) }
    stream.deallocate()
  }

  /// The names and formats of the columns.
  func columns() -> [String] {
    var schema = ArrowSchema()
    #expect(stream.pointee.get_schema(stream, &schema) == 0)
    defer { schema.release(&schema) }
    return (0..<Int(schema.n_children)).map { index in
      let child = schema.children[index]!.pointee
      return "\(String(cString: child.name)):\(String(cString: child.format))"
    }
  }

  /// Calls `body` with each array.
  func forEach(_ body: (ArrowArray) -> Void) {
    while true {
      var array = ArrowArray()
      #expect(stream.pointee.get_next(stream, &array) == 0)
      guard let release = array.release else { return }
      body(array)
      release(&array)
    }
  }

  /// The texts of a column.
  func texts(_ column: Int = 0) -> [String?] {
    var texts: [String?] = []
    forEach { array in
      let child = array.children[column]!.pointee
      let ends = child.buffers[1]!.assumingMemoryBound(to: Int64.self)
      let bits = child.buffers[0]?.assumingMemoryBound(to: UInt8.self)
      for row in 0..<Int(child.length) {
        let isGiven = bits.map { $0[row >> 3] >> UInt8(row & 7) & 1 != 0 } ?? true
        let heap = UnsafeRawBufferPointer(
          start: child.buffers[2]! + Int(ends[row]), count: Int(ends[row + 1] - ends[row]))
        texts.append(isGiven ? String(decoding: heap, as: UTF8.self) : nil)
      }
    }
    return texts
  }

  /// The numbers of a column of 64 bits.
  func numbers(_ column: Int = 0) -> [UInt64] {
    var numbers: [UInt64] = []
    forEach { array in
      let child = array.children[column]!.pointee
      let values = child.buffers[1]!.assumingMemoryBound(to: UInt64.self)
      for row in 0..<Int(child.length) { numbers.append(values[row]) }
    }
    return numbers
  }
}

/// An error that the interface has reported.
struct Reported: Error {
  let code: Int32
  let name: String
  let message: String
  let hint: String?
}

/// Runs a call, and throws its error.
func check(_ body: (UnsafeMutablePointer<quire_error>) throws -> Int32) throws {
  var error = quire_error()
  let code = try body(&error)
  guard code != 0 else { return }
  #expect(error.code == code)
  let reported = Reported(
    code: code, name: String(cString: quire_code_name(code)),
    message: String(cString: error.message), hint: error.hint.map { String(cString: $0) })
  error.release(&error)
  #expect(error.release == nil)
  throw reported
}

/// Calls `body` with a text as a parameter.
func withText<R>(_ text: String?, _ body: (quire_text) throws -> R) throws -> R {
  guard let text else { return try body(quire_text(start: nil, count: 0)) }
  return try Array(text.utf8).withUnsafeBytes { bytes in
    let place = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    // An empty text is not a missing text.
    return try withExtendedLifetime(text) {
      try "".withCString { empty in
        try body(quire_text(start: place ?? empty, count: UInt64(bytes.count)))
      }
    }
  }
}

/// Calls `body` with a request.
func withRequest<R>(
  _ entity: String?, _ predicate: String? = nil, _ columns: String? = nil,
  _ body: (UnsafeMutablePointer<quire_request>) throws -> R
) throws -> R {
  var request = quire_request()
  request.struct_size = UInt32(MemoryLayout<quire_request>.size)
  return try withText(entity) { entity in
    request.entity = entity
    return try withText(predicate) { predicate in
      request.predicate = predicate
      return try withText(columns) { columns in
        request.columns = columns
        return try body(&request)
      }
    }
  }
}

/// Returns the text of a result, and releases the result.
func text(_ body: (UnsafeMutablePointer<quire_bytes>) throws -> Void) throws -> String {
  var bytes = quire_bytes()
  try body(&bytes)
  defer { bytes.release(&bytes) }
  #expect(bytes.start[Int(bytes.count)] == 0)
  return String(
    decoding: UnsafeBufferPointer(start: bytes.start, count: Int(bytes.count)), as: UTF8.self)
}
