import CArrow
import CQuire
import Foundation
// The functions of the header are in this module.
import LibQuire

extension HostileInputs {
  /// Passes the lines of a text to the functions of the C interface, as an entity, a predicate, its arguments, sort keys,
  /// columns and values. Errors are allowed. A failed change must leave no change behind.
  public static func calls(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: 0x0A, maxSplits: 6, omittingEmptySubsequences: false)
      .map(Array.init)
    guard lines.count == 7 else { return }
    let predicate = String(decoding: lines[1], as: UTF8.self).uppercased()
    // Regular expressions may run without end.
    guard !predicate.contains("MATCHES") else { return }
    let connection = CallWorld.shared.connection
    withTexts(lines) { texts in
      var request = quire_request()
      request.struct_size = UInt32(MemoryLayout<quire_request>.size)
      request.entity = texts[0]
      request.predicate = texts[1]
      if texts[2].count > 0 { request.arguments = texts[2] }
      request.sort = texts[3]
      if texts[4].count > 0 { request.columns = texts[4] }
      request.limit = 50
      read(request, connection)
      precondition(!hasChanges(connection), "A fetch changes something.")
      let values = texts[5]
      if quire_insert(connection, texts[0], values, nil, nil) != 0 {
        precondition(!hasChanges(connection), "A failed insertion leaves a change.")
      }
      _ = quire_set(connection, &request, values, nil, nil)
      _ = quire_relate(
        connection, CallWorld.shared.trip, texts[6], Int32(texts[6].count % 4), nil, 0, nil)
      _ = quire_delete(connection, &request, nil, nil)
      _ = quire_undo(connection, nil, nil)
      _ = quire_redo(connection, nil, nil)
      precondition(quire_discard(connection, nil) == 0)
      precondition(!hasChanges(connection), "Discarding leaves a change.")
    }
  }

  /// Fetches, counts and explains a request, and reads every array.
  private static func read(_ request: quire_request, _ connection: OpaquePointer?) {
    var request = request
    var error = quire_error()
    var stream = ArrowArrayStream()
    if quire_fetch(connection, &request, &stream, &error) == 0 {
      var array = ArrowArray()
      while stream.get_next(&stream, &array) == 0, let release = array.release {
        precondition(array.length <= 50)
        release(&array)
      }
      stream.release(&stream)
    } else {
      precondition(error.code != 0 && error.message != nil)
      error.release(&error)
    }
    var text = quire_bytes()
    if quire_explain(connection, &request, &text, nil) == 0 { text.release(&text) }
    _ = quire_count(connection, &request, nil, nil)
  }

  private static func hasChanges(_ connection: OpaquePointer?) -> Bool {
    var state = quire_state()
    state.struct_size = UInt32(MemoryLayout<quire_state>.size)
    precondition(quire_get_state(connection, &state, nil) == 0)
    return state.has_changes != 0
  }

  /// Calls `body` with texts in memory of their own, so that the address sanitizer finds a read behind their ends.
  private static func withTexts(_ lines: [[UInt8]], _ body: ([quire_text]) -> Void) {
    let memory = lines.map { line in
      let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: line.count)
      _ = copy.initialize(from: line.map { CChar(bitPattern: $0) })
      return copy
    }
    defer { for copy in memory { copy.deallocate() } }
    body(memory.map { quire_text(start: UnsafePointer($0.baseAddress), count: UInt64($0.count)) })
  }
}

/// A store of trips that all inputs use.
private final class CallWorld: @unchecked Sendable {
  // Sendable: nothing is changed after the initializer.
  static let shared = CallWorld()

  let connection: OpaquePointer?
  let trip: UInt64

  private static let model = """
    entity Trip
      name: String = "Trip", length 1...100
      start: Date?
      budget: Decimal?
      code: UUID?
      photo: Data?
      stops: [Stop], inverse trip, ordered, delete cascade

    entity Stop
      name: String = "Stop"
      nights: Int16 = 1, min 0
      trip: Trip?, inverse stops

    entity Museum: Stop
      isFree: Bool = false
    """

  private init() {
    let path = NSTemporaryDirectory() + "calls-\(UUID().uuidString).store"
    var made: OpaquePointer?
    var trip: UInt64 = 0
    func text(_ words: StaticString) -> quire_text {
      quire_text(
        start: UnsafeRawPointer(words.utf8Start).assumingMemoryBound(to: CChar.self),
        count: UInt64(words.utf8CodeUnitCount))
    }
    path.withCString { place in
      CallWorld.model.withCString { model in
        var creation = quire_creation()
        creation.struct_size = UInt32(MemoryLayout<quire_creation>.size)
        creation.is_store = 1
        creation.model_text = quire_text(start: model, count: UInt64(CallWorld.model.utf8.count))
        let code = quire_create(
          quire_text(start: place, count: UInt64(path.utf8.count)), &creation, &made, nil)
        precondition(code == 0)
      }
    }
    precondition(quire_insert(made, text("Trip"), text(#"{"name":"Lisbon"}"#), &trip, nil) == 0)
    precondition(
      quire_insert(made, text("Stop"), text(#"{"name":"Alfama"}"#), nil, nil) == 0)
    precondition(quire_save(made, quire_text(), nil, nil) == 0)
    connection = made
    self.trip = trip
    // The open store keeps its file.
    try? FileManager.default.removeItem(atPath: path)
  }
}
