import ObjectModel
import Rows
import StoreInterface

/// A run of one case: its stores and findings.
final class CaseRun {
  let suite: StoreConformance
  private var stores: [any Store] = []
  private var findings: [String] = []
  /// The number of findings beyond the limit, which are not kept.
  private var passedOver = 0

  private static let greatestFindingCount = 12

  init(_ suite: StoreConformance) { self.suite = suite }

  /// The errors that end a case early.
  enum End: Error {
    /// A finding without which the rest of the case can't run.
    case finding(String)
    /// The store need not pass the case, for the given reason.
    case skipped(String)
  }

  /// Runs a case and returns its outcome.
  func outcome(of one: StoreConformance.Case) -> StoreConformance.Outcome {
    // Closes the stores that a case leaves open when it ends early.
    defer { for store in stores { try? store.close() } }
    do {
      try one.body(self)
    } catch End.skipped(let reason) {
      return .skipped(reason)
    } catch End.finding(let sentence) {
      record(sentence)
    } catch {
      let words = CaseRun.text(error)
      if findings.isEmpty { return .brokeOff(words) }
      record("The case ended early: \(words)")
    }
    if findings.isEmpty { return .passed }
    if passedOver > 0 { findings.append("And \(passedOver) more findings.") }
    return .failed(findings)
  }

  /// Returns the text of an error for the author of a store, with the error's code.
  static func text(_ error: any Error) -> String {
    guard let error = error as? StoreError else { return "\(error)" }
    return "\(error) (code \(error.code.rawValue))"
  }

  private func record(_ sentence: String) {
    if findings.count < CaseRun.greatestFindingCount {
      findings.append(sentence)
    } else {
      passedOver += 1
    }
  }
}

// MARK: - Stores

extension CaseRun {
  /// Makes a store of the case's own, without objects.
  func make(_ model: Model = StoreConformance.model) throws -> any Store {
    let store = try suite.make(model)
    stores.append(store)
    try checkSchema(store, has: Schema(model), "A new store")
    return store
  }

  /// Returns the backend and its places, or skips the case.
  func ground() throws -> TestGround {
    guard let ground = suite.ground else {
      throw End.skipped(
        "the case needs a backend, and the suite has only a function that makes stores")
    }
    return ground
  }

  /// Makes a store at a path, which the case closes at its end.
  func create(
    at path: String, _ creation: StoreCreation = StoreCreation()
  ) throws -> any Store {
    let store = try ground().create(at: path, StoreConformance.model, creation)
    stores.append(store)
    return store
  }

  /// Opens a store, which the case closes at its end.
  func open(_ path: String, _ opening: StoreOpening = StoreOpening()) throws -> any Store {
    let store = try ground().open(path, opening)
    stores.append(store)
    return store
  }

  /// Returns a request that gives a thing a number. The thing is inserted unless it exists.
  func request(
    _ number: Int64, for key: ObjectKey, above base: any StoreSnapshot
  ) throws -> CommitRequest {
    try StoreConformance.request(number, for: key, above: base)
  }

  /// Closes the store and opens it again.
  func reopen(_ store: any Store) throws -> any Store {
    let schema = try store.snapshot().schema
    let again = try suite.reopen(store)
    stores.append(again)
    try checkSchema(again, has: schema, "The reopened store")
    return again
  }

  /// Ends the case unless the store's schema has the columns of its model. All later checks rely on them.
  private func checkSchema(_ store: any Store, has schema: Schema, _ which: String) throws {
    let own = try store.snapshot().schema
    for layout in schema.layouts {
      guard let other = own[layout.entity] else {
        throw End.finding("\(which) has no entity '\(layout.entity)' in its schema.")
      }
      for column in layout.columns {
        guard let index = other.index(of: column.name) else {
          throw End.finding("\(which) has no column '\(column.name)' of '\(layout.entity)'.")
        }
        guard other.columns[index].kind == column.kind else {
          throw End.finding(
            "\(which) has the column '\(column.name)' of '\(layout.entity)' as \(other.columns[index].kind): "
              + "expected \(column.kind).")
        }
      }
    }
    guard own.linkTables.count == schema.linkTables.count else {
      throw End.finding(
        "\(which) has \(own.linkTables.count) link tables in its schema: expected "
          + "\(schema.linkTables.count).")
    }
  }

  /// Returns an object's key in a store.
  func key(_ store: any Store, _ entity: String, _ number: UInt64) throws -> ObjectKey {
    try key(store.snapshot(), entity, number)
  }

  /// Returns an object's key in the store of a snapshot.
  func key(_ snapshot: any StoreSnapshot, _ entity: String, _ number: UInt64) throws -> ObjectKey {
    guard let layout = snapshot.schema[entity] else {
      throw End.finding("The schema of commit \(snapshot.commit) has no entity '\(entity)'.")
    }
    return ObjectKey(entity: layout.entityNumber, number: number)
  }

  /// Returns the version of an object that must exist, or ends the case.
  func version(of key: ObjectKey, in snapshot: any StoreSnapshot) throws -> Int64 {
    guard let row = try snapshot.view.row(of: key) else {
      throw End.finding(
        "Object \(StoreConformance.name(key, snapshot.schema)), which was saved, is not in the snapshot of "
          + "commit \(snapshot.commit).")
    }
    return try row.version
  }
}

// MARK: - Checks

extension CaseRun {
  /// Adds a finding unless a condition holds.
  func check(_ holds: Bool, _ finding: @autoclosure () -> String) {
    if !holds { record(finding()) }
  }

  /// Adds a finding unless a value is the expected one.
  func check<T: Equatable>(_ what: @autoclosure () -> String, is expected: T, found: T) {
    if found != expected {
      record(
        "\(what()): expected \(StoreConformance.cut("\(expected)")), found "
          + "\(StoreConformance.cut("\(found)")).")
    }
  }

  /// Adds a finding if objects differ from the expected objects.
  ///
  /// - Parameter place: The point of the comparison, as the beginning of a sentence.
  func check(
    _ place: @autoclosure () -> String, _ schema: Schema, holds expected: StoreConformance.Objects,
    found: StoreConformance.Objects
  ) {
    let differences = StoreConformance.differences(expected, found, schema)
    guard !differences.isEmpty else { return }
    let shown = differences.prefix(3).joined(separator: "; ")
    let more = differences.count > 3 ? "; and \(differences.count - 3) more differ" : ""
    record(
      "\(place()): expected \(StoreConformance.count(expected.count)), found "
        + "\(StoreConformance.count(found.count)): \(shown)\(more).")
  }

  /// Adds a finding if a store's objects differ from the expected objects.
  func check(
    _ place: @autoclosure () -> String, _ store: any Store, holds expected: StoreConformance.Objects
  ) throws {
    let snapshot = try store.snapshot()
    check(
      place(), snapshot.schema, holds: expected, found: try StoreConformance.objects(snapshot))
  }

  /// Adds a finding unless `body` is refused with the given code.
  ///
  /// - Parameter what: The action that must be refused, as the beginning of a sentence.
  @discardableResult
  func refused<R>(
    _ code: StoreError.Code, or other: StoreError.Code? = nil, _ what: @autoclosure () -> String,
    _ body: () throws -> R
  ) -> StoreError? {
    do {
      _ = try body()
      record("\(what()) must be refused with code \(code.rawValue), but succeeded.")
      return nil
    } catch let error as StoreError {
      if error.code != code, error.code != other {
        record(
          "\(what()) must be refused with code \(code.rawValue), but was refused with code "
            + "\(error.code.rawValue): \(error)")
      }
      return error
    } catch {
      record(
        "\(what()) must be refused with code \(code.rawValue), but was refused with an error that is not a StoreError: "
          + "\(error)")
      return nil
    }
  }
}
