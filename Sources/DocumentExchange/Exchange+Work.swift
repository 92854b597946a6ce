import Documents

extension Exchange {
  private func run(_ work: (ExchangeTurn) throws -> Void) throws -> ExchangeReport {
    let turn = try ExchangeTurn(self)
    try work(turn)
    return turn.finished
  }

  /// Sends the versions of the open head that the remote lacks. The first time, the whole document is sent.
  ///
  /// - Throws: ``ExchangeError``; `DocumentError`; `DiskError` if the folder can't be written. The remote is unchanged then.
  @discardableResult
  public func push() throws -> ExchangeReport {
    try run { try $0.push() }
  }

  /// Takes in the foreign versions.
  ///
  /// A document without new versions takes over the foreign ones as they are. Otherwise it merges them, by the
  /// rules of a merge of heads. A version in conflict is kept as a head, to be looked at, and the rest is taken in all the same. To
  /// decide the conflicts, set ``choose`` and pull again.
  ///
  /// - Throws: ``ExchangeError``; `DocumentError`; the errors of a save.
  @discardableResult
  public func pull() throws -> ExchangeReport {
    try run { try $0.pull() }
  }

  /// Shows each foreign version that is not taken in yet as a head, without a merge.
  ///
  /// - Throws: As ``pull()``.
  @discardableResult
  public func fetch() throws -> ExchangeReport {
    try run { try $0.fetch() }
  }

  /// Takes in the foreign versions, and sends the versions that the remote lacks. A version in conflict does not keep
  /// further versions from being sent.
  ///
  /// - Throws: As ``pull()`` and ``push()``.
  @discardableResult
  public func sync() throws -> ExchangeReport {
    try run { turn in
      try turn.pull()
      try turn.push()
    }
  }

  /// Puts the contents of small packs into one, and removes them. Nothing is forgotten: a device that was away for a year finds all
  /// versions.
  ///
  /// - Throws: As ``push()``.
  @discardableResult
  public func consolidate() throws -> ExchangeReport {
    try run { try $0.consolidate() }
  }

  /// Returns the versions that a ``sync()`` would exchange, and writes nothing.
  ///
  /// - Throws: ``ExchangeError``; `DocumentError`.
  public func status() throws -> Exchange.Status {
    let turn = try ExchangeTurn(self)
    return Exchange.Status(
      toSend: turn.known == nil ? document.versions.count : turn.own.count,
      toReceive: turn.news, conflictedHeads: try turn.conflictedHeads().map(\.head),
      skipped: turn.skipped)
  }
}
