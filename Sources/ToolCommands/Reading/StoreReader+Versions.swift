import CommandInterface
import Comparison
import Documents
import ObjectModel
import Rows
import StoreInterface

extension StoreReader {
  /// Returns a store that is not part of a document, at the version that the command line names.
  ///
  /// - Throws: ``CommandError`` for options that do not apply to the store, and for a version that the store does not contain.
  func version(
    of store: any Store, at path: String, _ invocation: Invocation
  ) throws -> any Store {
    if invocation.has(.storeName) {
      throw CommandError.wrongUsage(
        "--in names a store of a document, but '\(oneLine(path))' is a store itself.",
        hint: "Leave out --in.")
    }
    guard let words = invocation.value(of: .version) else { return store }
    let reference = try Self.versionReference(words)
    if case .head = reference.start {
      throw CommandError.wrongUsage(
        "'\(oneLine(words))' names a version by a head, but '\(oneLine(path))' is a store, and only documents have heads.",
        hint:
          "Give the number of a version. 'quire history \(CommandError.quoted(path))' lists the numbers."
      )
    }
    try Self.checkHistory(of: store, at: path)
    guard let summary = try reference.commit(of: store) else {
      throw Self.noVersion(reference, of: path, known: try store.commits().map(\.number))
    }
    return StoreAtVersion(store, try store.snapshot(ofCommit: summary.number), summary)
  }

  /// Throws an error for `--model` with a document, because a document contains the model of its stores.
  static func checkModelOption(
    ofDocument path: String, _ invocation: Invocation
  ) throws(CommandError) {
    guard invocation.has(.storeModel) else { return }
    throw .wrongUsage(
      "--model is for a store that does not contain its model, but '\(oneLine(path))' is a document.",
      hint: "Leave out --model.")
  }

  /// Throws an error for a kind of store that keeps no earlier commits.
  static func checkHistory(of store: any Store, at path: String) throws(CommandError) {
    guard store.features.history == nil else { return }
    throw keepsNoVersions(store, at: path)
  }

  /// The error for a store that contains only its last save, or no earlier values.
  static func keepsNoVersions(_ store: any Store, at path: String) -> CommandError {
    let reason =
      store.features.changeLog == nil
      ? "it contains only its last save."
      : "its history names the changed objects, and has no earlier values."
    return .wrongUsage(
      "'\(oneLine(path))' keeps no versions: \(reason)",
      hint: "'quire convert' copies the store into one that keeps versions.")
  }

  /// Returns version numbers as text, with runs of adjacent numbers as ranges: "2–4, 7".
  static func ranges(of numbers: [Int64]) -> String {
    var ranges: [ClosedRange<Int64>] = []
    for number in numbers.sorted() {
      if let last = ranges.last, last.upperBound + 1 == number {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
    }
    return ranges.map { range in
      range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)–\(range.upperBound)"
    }.joined(separator: ", ")
  }
}
