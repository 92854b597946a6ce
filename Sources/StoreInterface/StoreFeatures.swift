/// The abilities of an open store, beyond what every ``Store`` does. A store has the same features from its opening to its end,
/// so a program that needs them often asks once and keeps the value.
///
///     if let history = store.features.history { try history.forgetCommits(before: 100) }
///
/// ``StoreBackend/capabilities`` describe a kind of store before one is opened. A store makes its features from them, and
/// passes itself for each protocol that it conforms to, such as `StoreFeatures(LedgerBackend.capabilities, history: self)`.
public struct StoreFeatures: Sendable {
  /// The capabilities of the store. A capability of its kind is missing if the store lacks the functions for it.
  public let capabilities: StoreCapabilities
  /// Whether a commit that only sets a new model writes no rows if the rows stay the same.
  public let changesModelAlone: Bool
  /// Whether the store is on a server, so that each look at the newest commit takes a round trip.
  public let isRemote: Bool
  /// The earlier commits; `nil` without ``StoreCapabilities/history``.
  public let history: (any HistoryStore)?
  /// The log of changes; `nil` for a store without one. A store with ``history`` does not need it.
  public let changeLog: (any ChangeLogStore)?
  /// The answers to requests; `nil` without ``StoreCapabilities/querying``.
  public let querying: (any QueryingStore)?
  /// The commits that wait for a confirmation; `nil` without ``StoreCapabilities/confirmation``. To make such a commit, use
  /// ``Store/confirming``, which throws instead.
  public let confirming: (any ConfirmingStore)?
  /// The commits that one sync makes durable together; `nil` if each commit has its own.
  public let groupCommits: (any GroupCommitStore)?
  /// The announcements of commits by other processes; `nil` if the store learns of them only when it is read.
  public let announcements: (any AnnouncingStore)?
  /// The function that frees unused space; `nil` if the store frees such space on its own, or never has any.
  public let vacuuming: (any VacuumingStore)?
  /// The stores that this store commits with atomically; `nil` if it commits on its own. A weak reference, because the group
  /// holds its stores.
  public private(set) weak var group: (any StoreGroup)?

  /// Creates the features of a store.
  ///
  /// - Parameters:
  ///   - capabilities: The capabilities of the kind of store. A store that does not have ``StoreCapabilities/history``,
  ///     ``StoreCapabilities/querying`` or ``StoreCapabilities/confirmation`` has no such functions, although its class may
  ///     conform to the protocol.
  ///   - history: The store itself, if it conforms to the protocol, as for the following parameters.
  public init(
    _ capabilities: StoreCapabilities, changesModelAlone: Bool = false,
    isRemote: Bool = false, history: (any HistoryStore)? = nil,
    changeLog: (any ChangeLogStore)? = nil, querying: (any QueryingStore)? = nil,
    confirming: (any ConfirmingStore)? = nil, groupCommits: (any GroupCommitStore)? = nil,
    announcements: (any AnnouncingStore)? = nil, vacuuming: (any VacuumingStore)? = nil,
    group: (any StoreGroup)? = nil
  ) {
    var found = capabilities
    func promised<Functions>(
      _ functions: Functions?, by capability: StoreCapabilities
    ) -> Functions? {
      if functions == nil { found.remove(capability) }
      return capabilities.contains(capability) ? functions : nil
    }
    self.history = promised(history, by: .history)
    self.querying = promised(querying, by: .querying)
    self.confirming = promised(confirming, by: .confirmation)
    self.capabilities = found
    self.changeLog = changeLog
    self.changesModelAlone = changesModelAlone
    self.isRemote = isRemote
    self.groupCommits = groupCommits
    self.announcements = announcements
    self.vacuuming = vacuuming
    self.group = group
  }

  /// Whether commits write only the changes, and not the whole store.
  public var isIncremental: Bool { capabilities.contains(.incremental) }
  /// Whether commits survive the end of the process.
  public var isDurable: Bool { capabilities.contains(.durable) }
  /// Whether several processes may write the store, and it detects their commits.
  public var isShared: Bool { capabilities.contains(.shared) }
}
