// SAFETY: `private_data` retains the stream until `release`, which the interface calls once. The functions get the structure
// that was filled, or a copy of it after a move.

internal import CArrow
import Foundation
import Rows
import Synchronization

/// Results as an Arrow stream. It reads immutable blocks, so it needs neither its connection nor its thread.
final class ResultStream: Sendable {
  /// The source of the arrays.
  enum Source: Sendable {
    case records(FoundRecords, [RecordField])
    case values(RecordValues)
  }

  private struct State: Sendable {
    var next = 0
    var error: ErrorText?
  }

  /// The text of an error at an address that does not change.
  @safe
  private final class ErrorText: @unchecked Sendable {
    // Sendable: the memory is written here alone.
    let start: UnsafeMutablePointer<CChar>

    init(_ text: String) {
      let bytes = Array(text.utf8CString)
      unsafe start = .allocate(capacity: bytes.count)
      unsafe start.initialize(from: bytes, count: bytes.count)
    }

    deinit { unsafe start.deallocate() }
  }

  private let source: Source
  private let state = Mutex(State())

  init(_ source: Source) { self.source = source }

  /// Moves the results into a structure of the caller.
  @unsafe static func move(_ source: Source, to target: UnsafeMutablePointer<ArrowArrayStream>) {
    let stream = ResultStream(source)
    unsafe target.initialize(
      to: ArrowArrayStream(
        get_schema: { stream, target in
          unsafe ResultStream.of(stream).write { try unsafe $0.schema(to: target) }
        },
        get_next: { stream, target in
          unsafe ResultStream.of(stream).write { try unsafe $0.next(to: target) }
        },
        get_last_error: { stream in
          // The text is kept by the structure until the next call.
          unsafe ResultStream.of(stream).lastError
        },
        release: { stream in
          guard let stream = unsafe stream, unsafe stream.pointee.release != nil else { return }
          unsafe stream.pointee.release = nil
          unsafe Unmanaged<ResultStream>.fromOpaque(stream.pointee.private_data).release()
        },
        private_data: Unmanaged.passRetained(stream).toOpaque()))
  }

  @unsafe private static func of(_ stream: UnsafeMutablePointer<ArrowArrayStream>?) -> ResultStream
  {
    unsafe Unmanaged<ResultStream>.fromOpaque(stream!.pointee.private_data).takeUnretainedValue()
  }

  /// Runs a function of the interface, keeps its error, and returns a number of errno.
  private func write(_ body: (ResultStream) throws -> Void) -> Int32 {
    do {
      try body(self)
      return 0
    } catch {
      state.withLock { $0.error = ErrorText("\(error)") }
      return EIO
    }
  }

  /// The last error. The address is valid until the next error of the stream.
  @unsafe private var lastError: UnsafePointer<CChar>? {
    let error = state.withLock { $0.error }
    return unsafe error.map { unsafe UnsafePointer($0.start) }
  }

  @unsafe private func schema(to target: UnsafeMutablePointer<ArrowSchema>?) throws {
    switch source {
    case .records(_, let fields):
      unsafe target?.initialize(to: FoundRecords.schema(fields))
    case .values(let values): unsafe target?.initialize(to: values.schema)
    }
  }

  @unsafe private func next(to target: UnsafeMutablePointer<ArrowArray>?) throws {
    switch source {
    case .records(let records, let fields):
      let range = state.withLock { state in
        let start = state.next
        state.next = records.endOfArray(from: start)
        return start..<state.next
      }
      guard !range.isEmpty else { return unsafe end(target) }
      unsafe target?.initialize(to: try records.array(range, fields))
    case .values(let values):
      let isFirst = state.withLock { state in
        defer { state.next = 1 }
        return state.next == 0
      }
      guard isFirst, values.count > 0 else { return unsafe end(target) }
      unsafe target?.initialize(to: try values.array())
    }
  }

  /// Marks the end of the stream.
  @unsafe private func end(_ target: UnsafeMutablePointer<ArrowArray>?) {
    unsafe target?.pointee.release = nil
  }
}
