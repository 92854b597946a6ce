import StoreInterface

/// The list that `quire history` prints of a store with a log of changes, the newest transaction first.
struct LoggedHistory {
  private let log: any ChangeLogStore
  private let path: String

  init(_ log: any ChangeLogStore, _ path: String) { (self.log, self.path) = (log, path) }

  func write(_ invocation: Invocation) throws -> ExitCode {
    let newest = try log.newestTransaction()
    let found =
      try newest < 1
      ? [] : log.transactions(in: 1...newest, newest: invocation.number(of: HistoryCommand.limit))
    let snapshot = try log.snapshot()
    let (schema, model) = try (snapshot.schema, snapshot.model)
    try HistoryOutput(
      versions: found.reversed().map { HistoryLine($0) },
      showsCounts: invocation.has(HistoryCommand.compared)
        || invocation.has(HistoryCommand.objects),
      showsObjects: invocation.has(HistoryCommand.objects)
    ) { number in
      LoggedVersion(
        try log.changes(ofTransactions: number...number)[number] ?? [], schema, model)
    }.write(invocation)
    return .done
  }
}
