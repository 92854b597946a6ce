import BinaryStore
import CommandInterface
import Documents
import DurableFiles
import JSONText
import ObjectModel
import Quire
import StoreInterface

/// The command `quire vacuum`.
enum VacuumCommand {
  static let keep = Option(
    "keep", value: "HISTORY",
    "The earlier saves to keep: a number (5), a time (30d, 12h), all or none. The default is all."
  )

  /// Returns the command. It opens stores through `reader`.
  static func command(_ reader: StoreReader, _ models: ModelReader = .files) -> Command {
    Command(
      "vacuum", "shrinks the file of a store, and prints its sizes",
      discussion: """
        The command rewrites the file without the space that no save needs. It keeps the earlier saves, unless \
        --keep says which of them to keep: most of the space is theirs. The new file replaces the old one in one step; \
        processes that have the store open can still read the old file. A store that each save writes completely is \
        not changed. The versions of a document are removed with 'quire history --thin'.
        """,
      arguments: [.store], options: [keep, .storeModel, .format],
      changing: [.store],
      examples: [
        Example("quire vacuum Trips.store --keep none", "Keeps only the last save."),
        Example("quire vacuum Trips.store --keep 30d", "Keeps the saves of the last thirty days."),
      ]
    ) { invocation in
      let path = invocation[.store]
      if try reader.isDocument(path) { return try vacuum(document: path, reader, invocation) }
      var options = BinaryStoreOptions()
      options.history = try policy(invocation.value(of: keep) ?? "all")
      let backends = reader.backends.adding(BinaryStoreBackend(options: options))
        .adding(BinaryStoreBackend(isCompressed: true, options: options))
      let keeping = StoreReader(backends: backends, disk: reader.disk)
      let store = try keeping.open(invocation[.store], invocation, models, readOnly: false)
      if invocation.has(keep) { try StoreReader.checkHistory(of: store, at: path) }
      let before = try store.describe().byteCount
      // A binary store keeps commits by the policy in its options.
      if let history = store.features.history, !(store is BinaryStore) {
        let kept = options.history.kept(of: try history.commits())
        try history.keepCommits { kept.contains($0) }
      }
      try store.features.vacuuming?.vacuum()
      try invocation.console.outcome.didChange("The store is vacuumed.")
      let commits = try store.commits().count
      let described = try store.describe().byteCount
      // Closing the store moves a database's log into its file. The size of an address is unknown, and that of a
      // folder's entry is not the size of its files.
      try store.close()
      let status = try reader.disk.statusIfThere(path)
      let after = status?.kind == .file ? status!.byteCount : described
      let output = invocation.console.output
      switch invocation.format {
      case .text:
        var text = "\(Wording.count(before, "byte")) before, \(after) after"
        if commits > 0 { text += ", \(Wording.count(commits, "save")) kept" }
        try output.writeLine(text)
        if commits > 1, !invocation.has(keep) {
          try invocation.console.messages.writeLine(
            "The earlier saves are kept. '--keep none' or '--keep 30d' frees their space.")
        }
      case .json:
        try output.writeLine(
          JSON.object([
            "before": .number(before), "after": .number(after), "commits": .number(commits),
          ]))
      }
      return .done
    }
  }

  /// Removes the parts of a document that no version needs.
  private static func vacuum(
    document path: String, _ reader: StoreReader, _ invocation: Invocation
  ) throws -> ExitCode {
    try StoreReader.checkModelOption(ofDocument: path, invocation)
    guard !invocation.has(keep) else {
      throw CommandError.wrongUsage(
        "--keep is for stores, not for documents.",
        hint: "Remove versions with 'quire history --thin'.")
    }
    let document = try reader.document(path, access: .exclusive)
    defer { try? document.close() }
    func byteCount() throws -> Int {
      try document.stores.reduce(0) { try $0 + $1.describe().byteCount }
    }
    let before = try byteCount()
    try document.vacuum()
    try invocation.console.outcome.didChange("The document is vacuumed.")
    let after = try byteCount()
    let versions = document.versions.count
    let output = invocation.console.output
    switch invocation.format {
    case .text:
      try output.writeLine(
        "\(Wording.count(before, "byte")) before, \(after) after, "
          + "\(Wording.count(versions, "version")) kept")
    case .json:
      try output.writeLine(
        JSON.object([
          "before": .number(before), "after": .number(after), "versions": .number(versions),
        ]))
    }
    return .done
  }

  /// Parses a history policy.
  private static func policy(_ text: String) throws(CommandError) -> HistoryPolicy {
    switch text {
    case "all": return .all
    case "none": return .none
    default: break
    }
    if let count = Int(text), count >= 0 { return .last(count) }
    let units: [Character: Double] = ["m": 60, "h": 3600, "d": 86_400, "w": 604_800]
    if let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()), count >= 0 {
      return .newerThan(seconds: Double(count) * unit)
    }
    throw .wrongUsage(
      "--keep needs a number of saves, a time, all or none, not '\(text)'.",
      hint: "Write 5, 30d, 12h, all or none.")
  }
}
