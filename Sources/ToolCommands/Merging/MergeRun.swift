import Documents
import JSONText
import ObjectGraph
import StoreInterface

/// One run of `quire merge`: a trial that finds the conflicts and validates the result, and then the merge itself.
///
/// The trial writes nothing. New objects need keys that the changed store reserves, so the merge is computed again.
struct MergeRun {
  private let sources: MergeSources
  /// Returns the changes of one store.
  private let layers: (MergePart) throws -> MergeLayers
  private let reader: StoreReader
  private let models: ModelReader
  private let invocation: Invocation

  init(
    _ sources: MergeSources, _ reader: StoreReader, _ models: ModelReader,
    _ invocation: Invocation, _ layers: @escaping (MergePart) throws -> MergeLayers
  ) {
    self.sources = sources
    self.layers = layers
    self.reader = reader
    self.models = models
    self.invocation = invocation
  }

  /// Merges, and prints the result.
  ///
  /// - Parameter output: The new copy; `nil` to change the copy that receives the changes, or in a dry run.
  func run(_ output: Output?) throws -> ExitCode {
    let origin = try invocation.saveOrigin()
    if let store = sources.ours.stores.first?.store {
      try reader.checkMessage(for: store, at: sources.ours.place.path, invocation)
    }
    let target = MergeTarget(sources.ours, reader, models, invocation)
    if let output { try target.check(output) }
    let stores = sources.ours.stores.map { ($0.name, TrialStore($0.store) as any Store) }
    let trial = try StoreMerge(
      try sources.parts(into: stores), sources.ours.document, origin, layers)
    let attachments = AttachmentMerge(
      base: sources.base.document, ours: sources.ours.document, theirs: sources.theirs.document)
    let report = MergeReport(trial.conflicts, attachments.conflicts, invocation)
    guard let sides = try report.sides() else {
      try report.writeConflicts()
      return .no
    }
    let split = trial.conflicts.count
    let (ofObjects, ofAttachments) = (Array(sides.prefix(split)), Array(sides.dropFirst(split)))
    try trial.apply(ofObjects)
    let counts = trial.counts
    try trial.validate()
    var renumbered = trial.renumbered
    if invocation.has(.dryRun) {
      try report.write(counts, sides, renumbered, isWritten: false)
      return .done
    }
    let hasChanges = trial.hasChanges || attachments.hasChanges(ofAttachments)
    func merge(_ opened: MergeTarget.Opened) throws {
      guard hasChanges else { return }
      let merge = try StoreMerge(
        try sources.parts(into: opened.stores), opened.document, origin, layers)
      // The trial reserved no numbers.
      renumbered = merge.renumbered
      try merge.apply(ofObjects)
      if let document = opened.document {
        try attachments.apply(ofAttachments, to: document, base: sources.base.document)
      }
      if merge.hasChanges {
        try merge.save()
      } else {
        try opened.document?.save(author: origin.author, message: origin.message)
      }
    }
    if let output {
      try target.make(output, merge)
    } else if hasChanges {
      try target.change(merge)
      invocation.console.outcome.didChange("The change is saved.")
    }
    try report.write(counts, sides, renumbered, isWritten: true)
    return .done
  }
}
