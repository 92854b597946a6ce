import DurableFiles
import ObjectModel
import Rows
import StoreInterface

/// The check of a store whose format another module knows: the backend checks the format by its own rules if it has any,
/// and then the objects are checked against the model.
final class BackendFileCheck {
  private let path: String
  private let disk: any Disk
  private let backend: any StoreBackend
  private let givenModel: Model?
  private let counting: Int64?
  private let progress: (Double) -> Void
  private(set) var findings = Findings()
  private(set) var format: ValidationReport.Format
  private(set) var checked = ValidationReport.Checked()
  private(set) var passedOver: [String] = []
  private(set) var unchecked: [String] = []
  private(set) var facts = StoreFacts()
  /// Whether only the objects were checked, because the backend does not provide rules for the format.
  private(set) var lacksRules = false

  /// - Parameter counting: The commit that counts according to the document; `nil` for a store without a document.
  init(
    _ path: String, on disk: any Disk, _ backend: any StoreBackend, model: Model?,
    counting: Int64? = nil, progress: @escaping (Double) -> Void
  ) {
    self.counting = counting
    self.path = path
    self.disk = disk
    self.backend = backend
    givenModel = model
    self.progress = progress
    format = backend.type == FileChecks.sqlite ? .sqlite : .store
  }

  /// Checks the whole store.
  func run() throws {
    let found: StoreCheck?
    do {
      found = try backend.check(path, on: disk, model: givenModel) { [progress] in
        progress(0.6 * $0)
      }
    } catch let error as StoreError where error.code != .inputOutput {
      unchecked.append("The store can't be checked: \(error)")
      return
    }
    guard let found else {
      lacksRules = true
      unchecked.append(
        "The files were not checked: the plug-in for stores of type \(backend.type.rawValue) has no rules for them."
      )
      facts.type = backend.type
      return try checkObjects(nil, needsModel: false)
    }
    findings = found.findings
    checked.byteCount = found.byteCount
    checked.liveByteCount = found.liveByteCount
    checked.rowCount = found.rowCount
    passedOver = found.passedOver
    unchecked = found.unchecked
    facts = StoreFacts(uuid: found.uuid, type: backend.type, model: found.model)
    switch found.outcome {
    case .unknownFormat: format = .unknown
    case .newerFormat: format = .newer
    case .checked:
      if found.hasReadableObjects {
        try checkObjects(found.model, needsModel: found.needsModel)
      }
    }
  }

  /// Opens the store with its own model, or with the given model if the store does not contain one.
  private func open(needsModel: Bool) throws -> any Store {
    if needsModel {
      return try backend.openComplete(
        path, on: disk, StoreOpening(readOnly: true, model: givenModel, commit: counting))
    }
    do {
      return try backend.openComplete(
        path, on: disk, StoreOpening(readOnly: true, commit: counting))
    } catch let error as StoreError where error.code == .incompatibleModel && givenModel != nil {
      return try open(needsModel: true)
    }
  }

  /// Checks the objects against the model. The rows are read as the store reads them.
  ///
  /// - Parameter model: The model; `nil` for the store's own.
  private func checkObjects(_ model: Model?, needsModel: Bool) throws {
    do {
      let store = try open(needsModel: needsModel)
      if lacksRules {
        let description = try store.describe()
        (checked.byteCount, checked.liveByteCount) = (
          description.byteCount, description.liveByteCount
        )
      }
      let snapshot = try store.snapshot()
      if counting != nil { facts.commits = try store.commits().map(\.number) }
      let model = try model ?? snapshot.model
      facts.model = model
      let graph = GraphCheck(snapshot.tables, model, snapshot.schema, findings) {
        [progress] done in progress(0.6 + 0.4 * done)
      }
      try graph.run()
      checked.objectCount = graph.objectCount
      unchecked += graph.unchecked
      try store.close()
    } catch let error as DiskError {
      throw error
    } catch let error as StoreError where error.code == .inputOutput {
      throw error
    } catch {
      unchecked.append("The objects can't be read to the end: \(error)")
    }
  }
}

/// The report on a store that can't be checked, because the backend for its type is missing.
final class MissingBackendCheck: FileCheck {
  let format: ValidationReport.Format
  let findings = Findings()
  private(set) var checked = ValidationReport.Checked()
  let passedOver: [String] = []
  let unchecked: [String]
  let facts = StoreFacts()

  init(_ format: ValidationReport.Format, byteCount: Int, _ reason: String) {
    self.format = format
    checked.byteCount = byteCount
    checked.liveByteCount = byteCount
    unchecked = [reason]
  }

  func run() {}
}
