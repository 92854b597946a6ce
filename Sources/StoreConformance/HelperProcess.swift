package import DurableFiles
import Foundation
import ObjectModel
import Rows
package import StoreInterface

/// Another process, which runs a part of a case on the store of the case.
package protocol HelperProcess: AnyObject {
  /// Sends a line to the part.
  func send(_ line: String) throws

  /// Waits for the next line that the part writes. Returns `nil` if the process has ended.
  func nextLine() throws -> String?

  /// Kills the process as SIGKILL does, and waits for its end. Lines that the part wrote before can still be read.
  func kill() throws

  /// Undoes the writes of the process that no sync has made durable, and ends the process, as a power cut does.
  func cutPower() throws
}

extension HelperProcess {
  /// Kills the process: its memory is lost, and a simulated disk loses nothing.
  package func cutPower() throws { try kill() }
}

extension StoreConformance {
  /// A part of a case that another process runs.
  package enum Part: Sendable, Hashable {
    /// Opens the store at a path and obeys the lines of the case.
    case session(path: String)
    /// Opens the store at a path and commits without end. The first commit has the given number.
    case commits(path: String, first: Int64)

    /// Reads the words of a part; `nil` if they name none.
    package init?(words: [String]) {
      switch (words.first, words.count) {
      case ("session", 2): self = .session(path: words[1])
      case ("commits", 3):
        guard let first = Int64(words[2]) else { return nil }
        self = .commits(path: words[1], first: first)
      default: return nil
      }
    }

    /// The part as words of a command line.
    package var words: [String] {
      switch self {
      case .session(let path): ["session", path]
      case .commits(let path, let first): ["commits", path, "\(first)"]
      }
    }

    /// Runs the part in this process.
    ///
    /// - Parameters:
    ///   - read: Returns the next line of the case; `nil` if the case has ended.
    ///   - write: Sends a line to the case at once.
    package func run(
      _ backend: any StoreBackend, on disk: any Disk, reading read: () throws -> String?,
      writing write: (String) throws -> Void
    ) throws {
      do {
        switch self {
        case .session(let path):
          var session = HelperSession(store: try backend.open(path, on: disk, StoreOpening()))
          try write("ready")
          while let line = try read() {
            try session.obey(line, write)
            if line == "close" { return }
          }
        case .commits(let path, let first):
          let store = try backend.open(path, on: disk, StoreOpening())
          try write("ready")
          // The loop is finite, so that the process ends even if its case forgets it.
          for number in first..<first + 100_000 {
            try store.commit(NumberedCommit(number).request(above: store.snapshot()))
            try write("confirmed \(number)")
          }
        }
      } catch let error as StoreError {
        try write("refused \(error.code.rawValue) \(error)".replacing("\n", with: " "))
      }
    }
  }
}

/// The store of a process that obeys the lines of a case.
private struct HelperSession {
  let store: any Store
  /// The snapshot that late changes are based on.
  private var base: (any StoreSnapshot)?

  init(store: any Store) { self.store = store }

  /// Carries out the command in a line, and writes the answer. An error of the store is an answer.
  mutating func obey(_ line: String, _ write: (String) throws -> Void) throws {
    let words = line.split(separator: " ")
    let numbers = words.dropFirst().compactMap { Int64($0) }
    do {
      switch (words.first ?? "", numbers.count) {
      case ("save", 2):
        try write("saved \(save(numbers[0], numbers[1], above: store.snapshot()))")
      case ("base", 0):
        let snapshot = try store.snapshot()
        base = snapshot
        try write("based \(snapshot.commit)")
      case ("late", 2):
        try write("saved \(save(numbers[0], numbers[1], above: base ?? store.snapshot()))")
      case ("burst", 2):
        for number in 0..<numbers[1] {
          try write("saved \(save(numbers[0], number, above: store.snapshot()))")
        }
      case ("count", 2):
        for _ in 0..<numbers[1] { try StoreConformance.increment(UInt64(numbers[0]), in: store) }
        try write("counted \(numbers[1])")
      case ("show", 0):
        let found = try StoreConformance.objects(store.snapshot())
          .sorted { $0.key < $1.key }
        let all = found.map { key, values in
          guard case .integer(let number)? = values["large"] else { return "\(key.number)=none" }
          return "\(key.number)=\(number)"
        }
        try write((["shows"] + all).joined(separator: " "))
      case ("lease", 1):
        let thing = try StoreConformance.thing(1, in: store.snapshot())
        let lease = try store.leaseKeys(ofEntity: thing.entity, count: Int(numbers[0]))
        try write("leased \(lease.lowerBound) \(lease.upperBound)")
      case ("close", 0):
        try store.close()
        try write("closed")
      default: try write("unknown \(line)")
      }
    } catch let error as StoreError {
      try write("refused \(error.code.rawValue) \(error)".replacing("\n", with: " "))
    }
  }

  /// Gives a thing a number, and returns the number of the commit.
  private func save(
    _ thing: Int64, _ number: Int64, above base: any StoreSnapshot
  ) throws -> Int64 {
    let key = try StoreConformance.thing(UInt64(thing), in: base)
    return try store.commit(StoreConformance.request(number, for: key, above: base)).commit
  }
}

extension StoreConformance {
  /// Adds 1 to the number of a thing, again and again until no other save has changed the thing meanwhile.
  static func increment(_ thing: UInt64, in store: any Store) throws {
    while true {
      let base = try store.snapshot()
      let key = try self.thing(thing, in: base)
      guard let layout = base.schema[key.entity], let column = layout.index(of: "large") else {
        throw CaseRun.End.finding("The schema lacks 'large'.")
      }
      var number: Int64 = 0
      if case .integer(let known)? = try base.view.row(of: key)?.value(layout.columns[column]) {
        number = known
      }
      do {
        try store.commit(request(number + 1, for: key, above: base))
        return
      } catch let error as StoreError where error.code == .conflict {}
    }
  }

  /// Returns the key of a thing in the store of a snapshot.
  static func thing(_ number: UInt64, in snapshot: any StoreSnapshot) throws -> ObjectKey {
    guard let layout = snapshot.schema["Thing"] else {
      throw StoreError(
        .failed, "The schema of commit \(snapshot.commit) has no entity 'Thing'.")
    }
    return ObjectKey(entity: layout.entityNumber, number: number)
  }

  /// Returns a request that gives a thing a number. The thing is inserted unless it exists.
  static func request(
    _ number: Int64, for key: ObjectKey, above base: any StoreSnapshot
  ) throws -> CommitRequest {
    let builder = LayerBuilder(base.schema)
    let version = try base.view.row(of: key)?.version
    if version == nil { builder.insert(key) }
    builder.set(.integer(number), "large", of: key, base.schema, basis: version ?? 0)
    return CommitRequest(builder.freeze(), basedOn: base)
  }
}
