import Archives
import CommandInterface
import Comparison
import Documents
import DurableFiles
import StoreInterface

/// One run of `quire merge`: the checks of the command line, the answers to the conflicts, and the output.
struct MergeRun {
  private let sources: MergeSources
  /// Returns the changes of one store.
  private let layers: (MergePart) throws -> MergeLayers
  /// The versions of other heads and replicas that the result names as merged.
  private let taken: TakenVersions
  private let reader: StoreReader
  private let models: ModelReader
  private let invocation: Invocation

  init(
    _ sources: MergeSources, taken: TakenVersions = TakenVersions(), _ reader: StoreReader,
    _ models: ModelReader,
    _ invocation: Invocation, _ layers: @escaping (MergePart) throws -> MergeLayers
  ) {
    self.sources = sources
    self.taken = taken
    self.layers = layers
    self.reader = reader
    self.models = models
    self.invocation = invocation
  }

  private var opening: PlaceOpening {
    PlaceOpening(reader.places) { place, access in
      try reader.document(place.path, access: access, version: place.version)
    } store: { path, readOnly in
      try DiffSides.store(path, reader, models, invocation, readOnly: readOnly)
    }
  }

  /// Prints the conflicts alone.
  func showConflicts() throws {
    let merge = try Merge(sources, opening, taken: taken, layers)
    try MergeReport(merge.conflicts, invocation).showConflicts()
  }

  /// Merges, and prints the result.
  ///
  /// - Parameter output: The new copy; `nil` to change the copy that receives the changes, or in a dry run.
  func run(_ output: Output?) throws -> ExitCode {
    let origin = try invocation.saveOrigin()
    if let store = sources.ours.stores.first?.store {
      try reader.checkMessage(for: store, at: sources.ours.place.path, invocation)
    }
    if let output { try check(output, MergeTarget(sources.ours, opening)) }
    let merge = try Merge(sources, opening, taken: taken, layers)
    (merge.author, merge.message) = (origin.author, origin.message)
    let report = MergeReport(merge.conflicts, invocation)
    guard let sides = try report.sides() else {
      try report.writeConflicts()
      return .no
    }
    let resolved = try merge.resolved(by: sides)
    var renumbered = resolved.renumbered
    if invocation.has(.dryRun) {
      try report.write(resolved.counts, sides, renumbered, isWritten: false)
      return .done
    }
    func put(into opened: MergeTarget.Opened) throws {
      renumbered = try merge.put(resolved, into: opened)
    }
    do {
      if let output {
        try make(output, merge.target, put)
      } else if resolved.hasChanges {
        try merge.target.checkChangeable()
        invocation.console.outcome.willChange("Nothing was saved.")
        try merge.target.change(put)
        try invocation.console.outcome.didChange("The change is saved.")
      }
    } catch let error as ArchiveError where error.path != sources.ours.place.path {
      // The error is about the new archive, and not about the source.
      throw CommandError(.inputOutput, error.message)
    }
    try report.write(resolved.counts, sides, renumbered, isWritten: true)
    return .done
  }

  // MARK: - A new file or folder

  /// Throws an error for an output whose name asks for another kind of result.
  private func check(_ output: Output, _ target: MergeTarget) throws {
    let name = sources.ours.name
    if sources.ours.document != nil {
      guard case .archive? = OutputEnding(output.path) else {
        if target.isPacked, OutputEnding(output.path) == nil { return }
        return try OutputEnding.checkDocument(output.path, from: name)
      }
      return
    }
    let wanted =
      try reader.backends.backend(ofAddress: output.path)?.type
      ?? OutputEnding.storeType(of: output.path, from: name)
    let type = sources.ours.stores[0].store.type
    // Both types have the same ending.
    guard let wanted, wanted != type, !(wanted == .binary && type == .compressed) else { return }
    throw CommandError.wrongUsage(
      "The name '\(oneLine(output.path))' is for a store of type \(wanted.rawValue), but "
        + "'\(oneLine(name))' has the type \(type.rawValue).",
      hint: "Give the result another name. 'quire convert' changes the type of a store.")
  }

  /// Makes the output: a copy of the document or store that receives the changes, with the changes.
  private func make(
    _ output: Output, _ target: MergeTarget, _ put: (MergeTarget.Opened) throws -> Void
  ) throws {
    guard sources.ours.document != nil else {
      let type = sources.ours.stores[0].store.type
      return try output.makeStore(type, in: reader.places) { temporary in
        try target.makeStore(at: temporary, put)
      }
    }
    let packs =
      switch OutputEnding(output.path) {
      case .archive?: true
      case nil: target.isPacked
      default: false
      }
    try output.make { temporary in try target.makeDocument(at: temporary, packs: packs, put) }
  }
}
