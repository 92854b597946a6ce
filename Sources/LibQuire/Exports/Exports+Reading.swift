// SAFETY: The caller passes pointers as quire.h demands.

public import CArrow
public import CQuire
import ObjectGraph
import ObjectQuery

/// Implements the function `quire_fetch` of quire.h.
@_cdecl("quire_fetch")
public func fetch(
  _ connection: OpaquePointer?, _ request: UnsafePointer<quire_request>?,
  _ stream: UnsafeMutablePointer<ArrowArrayStream>?, _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    guard let stream = unsafe stream else {
      throw CallError(.badArgument, "The stream is missing.")
    }
    let results = try unsafe connection.results(RequestReading(request, connection))
    unsafe ResultStream.move(results, to: stream)
  }
}

/// Implements the function `quire_count` of quire.h.
@_cdecl("quire_count")
public func count(
  _ connection: OpaquePointer?, _ request: UnsafePointer<quire_request>?,
  _ count: UnsafeMutablePointer<UInt64>?, _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    let reading = try unsafe RequestReading(request, connection)
    unsafe put(UInt64(try connection.count(reading)), count)
  }
}

/// Implements the function `quire_explain` of quire.h.
@_cdecl("quire_explain")
public func explain(
  _ connection: OpaquePointer?, _ request: UnsafePointer<quire_request>?,
  _ text: UnsafeMutablePointer<quire_bytes>?, _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(connection, error) { connection in
    let reading = try unsafe RequestReading(request, connection)
    let parts = try connection.context.explain(FetchRequest<ManagedObject>(reading.query))
    unsafe put(quire_bytes(Array(parts.map(\.description).joined(separator: "\n").utf8)), text)
  }
}
