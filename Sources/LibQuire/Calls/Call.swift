// SAFETY: The functions of the interface pass pointers from their caller, and the caller keeps to quire.h.

internal import CQuire
import JSONText

/// Runs the body of a function of the interface, and returns its code.
@unsafe func call(_ error: UnsafeMutablePointer<quire_error>?, _ body: () throws -> Void) -> Int32 {
  do {
    try body()
    return FailureCode.none.rawValue
  } catch let failure {
    return unsafe Failure.report(failure, to: error)
  }
}

/// Runs the body of a function in a turn of the connection, and returns its code.
@unsafe func call(
  _ connection: OpaquePointer?, _ error: UnsafeMutablePointer<quire_error>?,
  _ body: (Connection) throws -> Void
) -> Int32 {
  unsafe call(error) {
    let connection = try unsafe Connection.at(connection)
    try connection.run { try body(connection) }
  }
}

/// Writes a result to a place of the caller, which may be missing.
@unsafe func put<T>(_ value: T, _ place: UnsafeMutablePointer<T>?) {
  unsafe place?.initialize(to: value)
}

extension quire_text {
  /// The text; `nil` if it is missing.
  ///
  /// - Throws: ``CallError`` if the bytes are not UTF-8.
  var string: String? {
    get throws {
      guard let start = unsafe start else { return nil }
      let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(count))
      guard let text = unsafe String(validating: bytes, as: UTF8.self) else {
        throw CallError(.badArgument, "A text is not UTF-8.")
      }
      return text
    }
  }

  /// The text of a parameter that must not be missing.
  func required(_ name: String) throws -> String {
    guard let text = try unsafe string else {
      throw CallError(.badArgument, "The \(name) is missing.")
    }
    return text
  }

  /// The JSON value of the text; `nil` if it is missing.
  func json(_ name: String) throws -> JSON? {
    guard let text = try unsafe string else { return nil }
    do { return try JSON.read(Array(text.utf8)) } catch {
      throw CallError(.badArgument, "The \(name) can't be read as JSON: \(error)")
    }
  }

  /// The strings of a JSON array; `nil` if the text is missing.
  func strings(_ name: String) throws -> [String]? {
    guard let json = try unsafe json(name) else { return nil }
    guard case .array(let items) = json else {
      throw CallError(.badArgument, "The \(name) must be a JSON array of strings.")
    }
    return try items.map { item in
      guard case .string(let text) = item else {
        throw CallError(.badArgument, "The \(name) must be a JSON array of strings.")
      }
      return text
    }
  }
}

extension quire_bytes {
  /// Creates a buffer of some bytes, which its receiver releases.
  init(_ bytes: some Collection<UInt8>) {
    let count = bytes.count
    let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count + 1)
    // SAFETY: The memory has room for the bytes and the zero byte behind them.
    _ = unsafe memory.initialize(from: bytes)
    unsafe memory.initializeElement(at: count, to: 0)
    unsafe self.init(
      start: UnsafePointer(memory.baseAddress), count: UInt64(count),
      release: { buffer in
        guard let buffer = unsafe buffer, unsafe buffer.pointee.release != nil else { return }
        unsafe buffer.pointee.release = nil
        unsafe buffer.pointee.private_data?.deallocate()
      },
      private_data: UnsafeMutableRawPointer(memory.baseAddress))
  }

  init(_ json: JSON) { unsafe self.init(Array(json.text.utf8)) }
}
