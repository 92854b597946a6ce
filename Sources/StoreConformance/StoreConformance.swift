public import ObjectModel
public import StoreInterface

/// What every store must do, written once over the interface.
///
/// The author of a backend hands in how to make a store, and how to open it again, and reads what failed:
///
///     let suite = StoreConformance(
///       make: { model in try backend.create(at: newPath(), model: model, on: disk, StoreCreation()) },
///       reopen: { store in
///         try store.close()
///         return try backend.open(store.path!, on: disk, StoreOpening())
///       })
///     print(suite.run())
///
/// A store that does not outlive its process hands back the one it has.
public struct StoreConformance: Sendable {
  let make: @Sendable (Model) throws -> any Store
  let reopen: @Sendable (any Store) throws -> any Store
  let keepsRows: Bool

  /// The cases for stores that `make` makes and `reopen` closes and opens again.
  ///
  /// - Parameters:
  ///   - keepsRows: Whether rows are kept as they are, whatever they refer to. Stores whose files hold objects keep
  ///     what objects say: numbers of links, of commits and of places in an order are their own.
  ///   - make: Makes a store of its own for each case.
  ///   - reopen: Closes a store, and opens it again.
  public init(
    keepsRows: Bool = true,
    make: @escaping @Sendable (Model) throws -> any Store,
    reopen: @escaping @Sendable (any Store) throws -> any Store = { $0 }
  ) {
    self.keepsRows = keepsRows
    self.make = make
    self.reopen = reopen
  }

  /// Tries the cases, one after another.
  ///
  /// - Parameters:
  ///   - only: The name of the one case to try; `nil` for all. There is none to try when no case has the name.
  ///   - progress: Called with each case once it is known what became of it.
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
  /// One thing that every store must do.
  public struct Case: Sendable, Hashable {
    /// The case's stable name.
    public let name: String
    /// What every store must do, in a sentence.
    public let promise: String

    let body: @Sendable (CaseRun) throws -> Void

    init(_ name: String, _ promise: String, _ body: @escaping @Sendable (CaseRun) throws -> Void) {
      self.name = name
      self.promise = promise
      self.body = body
    }

    /// Whether both have the same name.
    public static func == (left: Case, right: Case) -> Bool { left.name == right.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// What became of a case.
  public enum Outcome: Sendable, Hashable {
    /// The store does it.
    case passed
    /// It does not: for each place where it does not, what was expected and what was found.
    case failed([String])
    /// The store need not do it, and why.
    case skipped(String)
    /// The store refused something that it must do, and what it said.
    case brokeOff(String)
  }
}
