public import DurableFiles
public import ObjectModel
public import StoreInterface

/// The rules that every store must follow, as test cases written once over the interface.
///
/// The author of a backend passes the backend and a folder, and reads the failures:
///
///     print(StoreConformance(backend, on: disk, in: "/stores").run())
///
/// A store that does not outlive its process has no place. The author passes a function instead:
///
///     print(StoreConformance(make: { model in try MemoryStore(model) }).run())
public struct StoreConformance: Sendable {
  let make: @Sendable (Model) throws -> any Store
  let reopen: @Sendable (any Store) throws -> any Store
  let keepsRows: Bool
  /// The seed of the random objects, changes and requests.
  public var seed: UInt64 = 1
  /// The reason why no program needs to recognise the stores, such as a manifest without `begins`; `nil` if the backend
  /// must recognise each store.
  package var unrecognizedReason: String?
  /// Starts another process, which runs a part of a case; `nil` to skip the cases of several processes.
  package var startHelper: (@Sendable (Part) throws -> any HelperProcess)?
  /// Starts another process that can lose power, as ``HelperProcess/cutPower()`` says; `nil`, or a result of `nil`, if
  /// the system can't do so. The process loses power on its own after a number of syncs, if the number is given.
  package var startPowerCutHelper: (@Sendable (Part, Int?) throws -> (any HelperProcess)?)?
  /// The places of the stores; `nil` for stores without a backend.
  let ground: TestGround?

  /// Makes the suite for the stores of a backend.
  ///
  /// - Parameters:
  ///   - folder: The folder for the stores, which must exist. The names of the stores in it are numbers.
  ///   - ending: The end of the names, such as `.sqlite`.
  ///   - keepsRows: Whether the store keeps rows unchanged, including references to objects that do not exist.
  ///     A store whose file contains objects keeps their values only, and numbers links, commits and places in an
  ///     order in its own way.
  public init(
    _ backend: any StoreBackend, on disk: any Disk, in folder: String, ending: String = "",
    keepsRows: Bool = true
  ) {
    let ground = TestGround(backend, disk, folder, ending)
    self.ground = ground
    self.keepsRows = keepsRows
    make = { model in try ground.create(at: ground.newPath(), model) }
    reopen = { store in
      guard let path = store.path else { return store }
      try store.close()
      return try ground.open(path)
    }
  }

  /// Makes the suite for stores that `make` makes and `reopen` closes and opens again. The cases about places are
  /// skipped.
  ///
  /// - Parameters:
  ///   - keepsRows: As for a backend.
  ///   - make: Makes a new store for each case.
  ///   - reopen: Closes a store, and opens it again.
  public init(
    keepsRows: Bool = true,
    make: @escaping @Sendable (Model) throws -> any Store,
    reopen: @escaping @Sendable (any Store) throws -> any Store = { $0 }
  ) {
    ground = nil
    self.keepsRows = keepsRows
    self.make = make
    self.reopen = reopen
  }

  /// Runs the cases, one after another.
  ///
  /// - Parameters:
  ///   - only: The name of the one case to run; `nil` for all. If no case has the name, none runs.
  ///   - progress: Called with each case and its outcome after the case has run.
  public func run(
    only: String? = nil, progress: (Case, Outcome) -> Void = { _, _ in }
  ) -> ConformanceReport {
    var report = ConformanceReport()
    for one in StoreConformance.cases where only == nil || only == one.name {
      let outcome = CaseRun(self).outcome(of: one)
      report.results.append(ConformanceReport.Result(testCase: one, outcome: outcome))
      progress(one, outcome)
    }
    return report
  }
}

extension StoreConformance {
  /// A rule that every store must follow, and the code that tests it.
  public struct Case: Sendable, Hashable {
    public let name: String
    /// The rule, in a sentence.
    public let promise: String

    /// The feature that the case tries; `nil` for a rule that all stores must follow.
    package let ability: StoreAbility?

    let body: @Sendable (CaseRun) throws -> Void

    init(
      _ name: String, _ promise: String, of ability: StoreAbility? = nil,
      _ body: @escaping @Sendable (CaseRun) throws -> Void
    ) {
      self.name = name
      self.promise = promise
      self.ability = ability
      self.body = body
    }

    /// Returns whether both cases have the same name.
    public static func == (left: Case, right: Case) -> Bool { left.name == right.name }

    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// The outcome of a case.
  public enum Outcome: Sendable, Hashable {
    /// The store follows the rule.
    case passed
    /// The store breaks the rule. Each finding names the expected and the found state.
    case failed([String])
    /// The store need not follow the rule, for the given reason.
    case skipped(String)
    /// The store refused an operation that it must perform, with the given error.
    case brokeOff(String)

    /// Whether the store breaks the rule, or refused an operation.
    package var isFailure: Bool {
      switch self {
      case .passed, .skipped: false
      case .failed, .brokeOff: true
      }
    }
  }
}
