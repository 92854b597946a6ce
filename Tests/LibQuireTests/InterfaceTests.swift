import CArrow
import CQuire
import Foundation
import LibQuire
import Testing

@Suite("The C interface of documents")
struct InterfaceTests {
  @Test("An object that is inserted and saved is found by another connection")
  func roundTrip() throws {
    let trips = try Trips()
    let lisbon = try trips.insert(
      "Trip", #"{"name": "Lisbon", "start": "2026-05-01T00:00:00.25Z", "budget": "1234.50"}"#)
    try trips.insert("Stop", #"{"name": "Alfama", "nights": 3, "trip": \#(lisbon)}"#)
    #expect(try trips.save("Planned") == 2)
    try trips.close()

    try trips.open(access: 2)

    let results = try trips.fetch("Trip", where: "stops.@count == 1")
    #expect(results.columns() == ["@id:L", "name:U", "start:tsu:UTC", "budget:U"])
    #expect(results.texts(1) == ["Lisbon"])
    #expect(try trips.fetch("Trip").numbers() == [lisbon])
    #expect(try trips.fetch("Trip").numbers(2) == [1_777_593_600_250_000])
    #expect(try trips.fetch("Trip", columns: #"["budget"]"#).texts() == ["1234.5"])
    let versions = try text { json in
      try check { quire_versions(trips.connection, json, $0) }
    }
    #expect(versions.contains("Planned"))
  }

  @Test("Related objects come in the order of the relationship")
  func relatedObjects() throws {
    let trips = try Trips()
    let trip = try trips.insert("Trip", #"{"name": "Porto"}"#)
    let stops = try ["Ribeira", "Foz", "Sé"].map {
      try trips.insert("Stop", #"{"name": "\#($0)"}"#)
    }
    let turned = [stops[2], stops[0], stops[1]]
    try withText("stops") { name in
      try check { quire_relate(trips.connection, trip, name, 0, turned, 3, $0) }

      let found = try trips.fetch("Stop", columns: #"["name"]"#) { request in
        request.owner = trip
        request.relationship = name
      }
      #expect(found.texts() == ["Sé", "Ribeira", "Foz"])
      let some = try trips.fetch("Stop", columns: #"["name"]"#) { request in
        request.owner = trip
        request.relationship = name
        request.offset = 1
        request.limit = 1
      }
      #expect(some.texts() == ["Ribeira"])
    }
    let named = [stops[2], 1 << 60, stops[0]]
    try named.withUnsafeBufferPointer { numbers in
      let found = try trips.fetch("Stop") { request in
        request.identifiers = numbers.baseAddress
        request.identifier_count = 3
      }
      #expect(found.numbers() == [stops[2], stops[0]])
    }
  }

  @Test("An error has a code, a message and a hint, and a caller may leave it out")
  func errors() throws {
    let trips = try Trips()

    let locked = #expect(throws: Reported.self) { try trips.open() }
    #expect(locked?.name == "locked")
    #expect(locked?.message.contains(trips.path) ?? false)
    #expect(locked?.hint != nil)
    let wrong = #expect(throws: Reported.self) { try trips.insert("Stop", #"{"nights": "many"}"#) }
    #expect(wrong?.name == "badChange")
    #expect(#expect(throws: Reported.self) { try trips.insert("Stop", "{") }?.name == "badArgument")
    #expect(#expect(throws: Reported.self) { try trips.count("Stopp") }?.name == "unknownName")
    #expect(
      #expect(throws: Reported.self) { try trips.count("Stop", where: "name ==") }?.name == "query")
    #expect(quire_undo(nil, nil, nil) == 23)
    #expect(quire_close(nil, nil) == 0)
    #expect(try trips.count("Stop") == 0)
    let handle = trips.connection
    try trips.close()
    #expect(quire_undo(handle, nil, nil) == 12)
    #expect(quire_close(handle, nil) == 12)
    quire_cancel(handle)
  }

  @Test("A failed call changes nothing")
  func wholeChanges() throws {
    let trips = try Trips()
    try trips.insert("Stop", #"{"name": "Foz"}"#)
    try trips.save()

    try withRequest("Stop") { request in
      try withText(#"{"nights": 7, "trip": 5}"#) { values in
        #expect(quire_set(trips.connection, request, values, nil, nil) == 19)
      }
      try withText(#"{"nights": 7, "name": 1}"#) { values in
        #expect(quire_set(trips.connection, request, values, nil, nil) == 13)
      }
    }

    var state = quire_state()
    state.struct_size = UInt32(MemoryLayout<quire_state>.size)
    try check { quire_get_state(trips.connection, &state, $0) }
    #expect(state.has_changes == 0)
    #expect(state.version == 2)
    #expect(try trips.count("Stop", where: "nights == 1") == 1)
  }

  @Test("A change that is ended halfway is taken back, and leaves nothing to save")
  func halfChanges() throws {
    let trips = try Trips()
    for index in 0..<1500 { try trips.insert("Stop", #"{"name": "\#(index)"}"#) }
    try trips.save()
    var progress = quire_progress()
    progress.struct_size = UInt32(MemoryLayout<quire_progress>.size)
    progress.report = { _, done, total in done == 1024 && total == 1500 ? 1 : 0 }
    quire_set_progress(trips.connection, &progress)

    try withRequest("Stop") { request in
      try withText(#"{"nights": 7}"#) { values in
        #expect(quire_set(trips.connection, request, values, nil, nil) == 14)
      }
    }

    quire_set_progress(trips.connection, nil)
    #expect(try trips.count("Stop", where: "nights == 7") == 0)
    var state = quire_state()
    state.struct_size = UInt32(MemoryLayout<quire_state>.size)
    try check { quire_get_state(trips.connection, &state, $0) }
    #expect(state.has_changes == 0)
  }

  @Test("A missing value is a null, and a related object has a column of its own")
  func columns() throws {
    let trips = try Trips()
    let trip = try trips.insert("Trip", #"{"name": "Porto"}"#)
    try trips.insert("Stop", #"{"name": "Foz", "trip": \#(trip)}"#)
    try trips.insert("Stop", #"{"name": "Sé"}"#)

    #expect(try trips.fetch("Trip", columns: #"["budget"]"#).texts() == [nil])
    let results = try trips.fetch("Stop", columns: #"["trip.name", "name"]"#)
    #expect(results.texts() == ["Porto", nil])
    #expect(try trips.fetch("Stop", columns: #"["count:(SELF)"]"#).numbers() == [2])
  }

  @Test("A program that knows fewer members of a structure works")
  func smallerStructures() throws {
    let trips = try Trips()
    for name in ["a", "b", "c"] { try trips.insert("Stop", #"{"name": "\#(name)"}"#) }

    let results = try trips.fetch("Stop", columns: #"["name"]"#) { request in
      // The limit lies behind the end of the structure that this program knows.
      request.limit = 1
      request.distinct = 1
      request.struct_size = UInt32(MemoryLayout<quire_request>.offset(of: \.limit)!)
    }
    #expect(results.texts() == ["a", "b", "c"])

    var state = quire_state()
    state.struct_size = 8
    state.can_undo = 77
    try check { quire_get_state(trips.connection, &state, $0) }
    #expect(state.has_changes == 1)
    #expect(state.can_undo == 77)
    #expect(state.struct_size == 8)
    try withRequest("Stop") { request in
      request.pointee.struct_size = 0
      #expect(quire_count(trips.connection, request, nil, nil) == 23)
    }
  }

  @Test("A stream shows the moment of its fetch, also after the connection was closed")
  func streams() throws {
    let trips = try Trips()
    for name in ["a", "b"] { try trips.insert("Stop", #"{"name": "\#(name)"}"#) }

    let results = try trips.fetch("Stop", columns: #"["name"]"#)
    try withRequest("Stop") { request in
      try check { quire_delete(trips.connection, request, nil, $0) }
    }
    #expect(try trips.count("Stop") == 0)
    try trips.close()

    #expect(results.texts() == ["a", "b"])
    #expect(results.texts() == [])
  }

  @Test("Threads share a connection, and have their own")
  func threads() async throws {
    let trips = try Trips()
    try trips.insert("Trip", #"{"name": "Lisbon"}"#)
    try trips.save()
    nonisolated(unsafe) let shared = trips
    let path = trips.path

    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask {
          for index in 0..<20 {
            try shared.insert("Stop", #"{"name": "\#(number)/\#(index)"}"#)
            var opening = quire_opening()
            opening.struct_size = UInt32(MemoryLayout<quire_opening>.size)
            opening.access = 2
            var other: OpaquePointer?
            try withText(path) { path in try check { quire_open(path, &opening, &other, $0) } }
            try withRequest("Trip") { request in
              var count: UInt64 = 0
              try check { quire_count(other, request, &count, $0) }
              #expect(count == 1)
            }
            try check { quire_close(other, $0) }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try trips.count("Stop") == 80)
  }

  @Test("Progress ends a call, and a cancellation without a call does nothing")
  func cancellation() throws {
    let trips = try Trips()
    for index in 0..<10 { try trips.insert("Stop", #"{"name": "\#(index)"}"#) }
    quire_cancel(trips.connection)
    #expect(try trips.count("Stop", where: "name CONTAINS '1'") == 1)

    var calls = 0
    withUnsafeMutablePointer(to: &calls) { calls in
      var progress = quire_progress()
      progress.struct_size = UInt32(MemoryLayout<quire_progress>.size)
      progress.context = UnsafeMutableRawPointer(calls)
      progress.report = { context, _, _ in
        context!.assumingMemoryBound(to: Int.self).pointee += 1
        return 1
      }
      quire_set_progress(trips.connection, &progress)
      try? withRequest("Stop", "name CONTAINS '1'") { request in
        #expect(quire_count(trips.connection, request, nil, nil) == 14)
      }
    }
    quire_set_progress(trips.connection, nil)
    #expect(calls > 0)
    #expect(try trips.count("Stop", where: "name CONTAINS '1'") == 1)
  }
}
