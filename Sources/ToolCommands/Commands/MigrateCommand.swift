import CommandInterface
import Comparison
import Documents
import DurableFiles
import JSONText
import Migration
import ModelNotations
import ObjectModel
import StoreInterface
import Validation

/// The command `quire migrate`.
enum MigrateCommand {
  static let model = Option(
    "model", value: "MODEL", role: .input,
    "The model with the versions. The target is the current version.")
  static let version = Option(
    "to", value: "VERSION", kind: .modelVersion, "The name of another target version.")
  static let mappings = Option(
    "mapping", value: "FILES", role: .inputs,
    "Mapping files, separated by commas: text, or Apple's .xcmappingmodel or .cdm.")
  static let type = Option(
    "store", value: "TYPE", kind: .storeType,
    "The type of the new store: binary, compressed, xml, or a type of a plug-in. The default is "
      + "the type of the old store."
  )
  static let output = Option(
    "output", value: "PATH", role: .output,
    "Writes the new store to this path, and does not change the old store.")
  static let backup = Option(
    "backup", value: "PATH", role: .output, "Keeps the old store at this path.")
  static let allowLoss = Option(
    "allow-loss", "Permits the migration to drop the objects, values and links that the plan lists."
  )
  static let allowInvalid = Option(
    "allow-invalid", "Permits objects that break rules of the new version.")
  static let noInference = Option("no-inference", "Uses only the given mappings and infers none.")

  /// Returns the command. It opens stores through `reader` and reads models through `models`.
  static func command(_ reader: StoreReader, _ models: ModelReader) -> Command {
    Command(
      "migrate", "migrates a store to another version of its model",
      discussion: """
        The command finds the version of the store by its version hashes, and the shortest path from there \
        through the versions of MODEL. Each step uses a given mapping or an inferred one. Hashes do not include \
        rules, default values, indexes and the like: if only these differ, the store gets the new model and keeps \
        its version.

        The old store is replaced in one step, after the new store is complete, checked and on the disk. A \
        migration that writes no rows takes the same time for every size of store.

        The plan counts the objects and values that the migration would drop, and the objects that break \
        rules of the new version. Such a migration is refused unless --allow-loss or --allow-invalid permits \
        it.

        A database that another system wrote, such as Core Data, can't take another model in place. With \
        --write a new database with the same tables replaces the old one, and the old one stays beside it or \
        at the path of --backup. With --output the old database is not changed.

        With --dry-run the command prints the plan: the path, the number of objects, the reasons for writing \
        them again, and the losses. It changes nothing, and the exit code is that of the migration. If there is \
        no path, the command lists all reasons, and the exit code is 7.
        """,
      arguments: [.store],
      options: [
        model, version, mappings, type, output, backup, noInference, allowLoss, allowInvalid,
        .writesForeign, .dryRun, .message, .author, .format,
      ],
      changing: [.store],
      examples: [
        Example(
          "quire migrate Trips.store --model Trips.xcdatamodeld --dry-run",
          "Prints the plan."),
        Example(
          "quire migrate Trips.xml --model Trips.xcdatamodeld --store binary --backup Trips.old",
          "Migrates a store to the current version and another type, and keeps the old store."),
      ]
    ) { invocation in
      guard let file = invocation.value(of: model) else {
        throw CommandError.wrongUsage(
          "'migrate' needs --model.", hint: "Give the file with the versions of the model.")
      }
      let places = reader.places
      let path = invocation[.store]
      let (migrator, target) = try migrator(file, invocation, models, reader)
      let origin = try invocation.saveOrigin()
      if try reader.isDocument(path) {
        return try migrate(document: path, to: target, migrator, origin, reader, invocation)
      }
      for option in [Option.message, .author] where invocation.has(option) {
        throw CommandError.wrongUsage(
          "--\(option.name) is for documents, but '\(oneLine(path))' is a store.",
          hint: "Leave out --\(option.name).")
      }
      let made = try invocation.output(output, on: reader.disk)
      if let made, places.isAddress(made.path) {
        throw CommandError(
          .wrongUsage, "'migrate' writes files, and '\(oneLine(made.path))' is an address.",
          hint: hint(path, file, made))
      }
      try made?.checkFree()
      let wanted =
        try invocation.value(of: type).map { try ConvertCommand.type($0, reader) }
        ?? made.flatMap { try typeWanted(at: $0.path, of: path, in: places) }
      do {
        let plan = try migrator.plan(
          forStoreAt: path, to: target.model, as: wanted, in: places)
        if invocation.has(.dryRun) {
          if made == nil, !plan.isEmpty { try migrator.checkReplaces(storeAt: path, in: places) }
          try write(plan, nil, invocation)
          if invocation.format == .text, !plan.isEmpty {
            try invocation.console.output.writeLine("This is a dry run: nothing was written.")
          }
          return try outcome(ofDryRun: [plan], migrator, invocation)
        }
        let line = ProgressLine(invocation.console.messages, "migrating")
        var running = migrator
        running.progress = { line.show($0.share) }
        defer { line.end() }
        let report = try running.migrate(
          storeAt: path, to: target.model, as: wanted, output: made?.path,
          in: places)
        try invocation.console.outcome.didChange("The migration is complete.")
        line.end()
        try write(plan, report, invocation)
        return .done
      } catch let error as StoreError where error.code == .readOnly && made == nil {
        throw CommandError(
          .inputOutput, "\(error)",
          hint: hint(path, file, canBeWritten: !invocation.has(.writesForeign)))
      } catch let error as StoreError where error.code == .notSupported && places.isAddress(path) {
        throw CommandError(.inputOutput, "\(error)", hint: hint(path, file, made))
      } catch let error as StoreError where error.code == .notAStore {
        throw CommandError(.unreadable, "'\(path)' is not a store of a known type.")
      }
    }
  }

  /// Returns the hint with the commands that migrate a database, for a database that is read-only in its place.
  private static func hint(_ path: String, _ model: String, canBeWritten: Bool) -> String {
    let command = "quire migrate \(CommandError.quoted(path)) --model \(CommandError.quoted(model))"
    let output = CommandError.quoted(CommandError.path(path, beside: "-migrated"))
    return
      (canBeWritten
      ? "Run '\(command) --write' to replace the database by a migrated one and keep the old one, or "
      : "Run ")
      + "'\(command) --output \(output)' to leave the database unchanged."
  }

  /// Returns the hint with the commands that migrate a store at an address, or into an address, by means of a file.
  private static func hint(_ path: String, _ model: String, _ made: Output?) -> String {
    "Run 'quire migrate \(CommandError.quoted(path)) --model \(CommandError.quoted(model)) --output COPY.store', "
      + "and then 'quire convert COPY.store \(CommandError.quoted(made?.path ?? "ADDRESS"))'."
  }

  /// Returns the type of store that the name of the new store asks for; `nil` to keep the type of the old store.
  private static func typeWanted(
    at output: String, of path: String, in places: StorePlaces
  ) throws -> StoreType? {
    let wanted = try OutputEnding.storeType(of: output, from: path)
    // Plain and compressed block files have the same file name extension.
    let isBlockFile = try places.backend(ofStoreAt: path).type == .compressed
    return wanted == .binary && isBlockFile ? nil : wanted
  }

  /// Returns a migrator that knows the model's versions and the options of the command line, and the target version.
  private static func migrator(
    _ file: String, _ invocation: Invocation, _ models: ModelReader, _ reader: StoreReader
  ) throws -> (Migrator, ModelVersions.Version) {
    let versions = try models.read(file)
    let target = try models.model(at: file, version: invocation.value(of: version))
    for old in versions.oldVersions {
      try invocation.console.messages.writeLine(
        """
        note: The version '\(printable(old.name))' of '\(printable(file))' is in the format of Xcode before \
        version 4 and is omitted.
        """)
    }
    var known = [KnownVersion](versions)
    let own = ownVersion(of: invocation[.store], reader)
    if let own, !known.contains(where: { $0.name == own.name || $0.isSame(as: own) }) {
      known.append(own)
    }
    var migrator = Migrator(knowing: known)
    migrator.infersMappings = !invocation.has(noInference)
    if let place = try invocation.output(backup, on: reader.disk) {
      try place.checkFree()
      migrator.backup = .at(place.path)
    }
    migrator.writesForeign = invocation.has(.writesForeign)
    migrator.allowsLoss = invocation.has(allowLoss)
    migrator.allowsInvalid = invocation.has(allowInvalid)
    migrator.checksResult = { [allowsInvalid = migrator.allowsInvalid] path in
      try check(path, with: reader, allowsInvalid: allowsInvalid)
    }
    for path in invocation.value(of: mappings)?.split(separator: ",") ?? [] {
      do {
        var mapping = try WrittenMapping(contentsOf: String(path))
        var versions = known
        if let own {
          versions.append(KnownVersion(KnownVersion.nameOfStore, own.model))
          // A mapping of a single file needs no names: it leads from the store's version to the target.
          if mapping.sourceName == nil, mapping.sourceHashes.isEmpty {
            mapping.sourceName = KnownVersion.nameOfStore
          }
          if mapping.destinationName == nil, mapping.destinationHashes.isEmpty {
            mapping.destinationName = target.name
          }
        }
        migrator.mappings.append(try mapping.completed(among: versions))
      } catch let error as MigrationError {
        throw CommandError(
          error.code == .badMapping ? .wrongUsage : .modelMismatch, "\(error)")
      }
    }
    return (migrator, target)
  }

  /// Returns the version that a document or a store has now, with its name in `quire info`; `nil` if it contains no model.
  ///
  /// The migration itself reports the errors of a store that can't be read.
  private static func ownVersion(of path: String, _ reader: StoreReader) -> KnownVersion? {
    if let document = try? reader.modelVersions(ofDocumentAt: path) {
      return document.versions.first { $0.name == document.currentName }
        .map { KnownVersion($0.name, $0.model) }
    }
    return (try? reader.model(ofStoreAt: path))
      .map { KnownVersion(KnownVersion.nameOfStore, $0) }
  }

  /// Validates the new store by all rules, before it replaces the old store.
  private static func check(
    _ path: String, with reader: StoreReader, allowsInvalid: Bool
  ) throws {
    let report = try Validator(backends: reader.backends).validate(path, on: reader.disk)
    let errors = report.findings.filter { finding in
      // With `--allow-invalid`, objects may break the rules of the graph.
      finding.rule.severity == .error && !(allowsInvalid && finding.rule.id.hasPrefix("GRAF"))
    }
    // There are no rules for stores of a type that a plug-in adds.
    guard let first = errors.first, report.format != .unknown else { return }
    if errors.allSatisfy({ $0.rule.id.hasPrefix("GRAF") }) {
      throw CommandError(
        .modelMismatch,
        "Objects of the new store break rules, so the old store stays: "
          + first.description(inFile: path),
        hint: "Correct the objects first, or give --allow-invalid.")
    }
    throw CommandError(
      .internalFault,
      "The new store is not valid, so the old store stays: \(first.description(inFile: path))",
      hint: "Please report this fault with the command line.")
  }

  /// Migrates a document to another version of its model, with all its stores at once.
  private static func migrate(
    document path: String, to target: ModelVersions.Version, _ migrator: Migrator,
    _ origin: SaveOrigin, _ reader: StoreReader, _ invocation: Invocation
  ) throws -> ExitCode {
    for option in [type, output, backup] where invocation.has(option) {
      throw CommandError.wrongUsage(
        "--\(option.name) is for stores: a document is migrated in place.",
        hint: "Its earlier versions stay. 'quire save-as' writes a copy or another type.")
    }
    var plans: [(name: String, plan: MigrationPlan)] = []
    do {
      let document = try reader.document(path, access: .readOnly)
      defer { try? document.close() }
      for store in document.stores {
        guard let file = store.path else { continue }
        let wanted = store.configuration.flatMap {
          try? target.model.subset(configuration: $0)
        }
        plans.append(
          (
            store.name,
            try migrator.plan(
              forStoreAt: file, to: wanted ?? target.model, in: document.places)
          ))
      }
    }
    if !invocation.has(.dryRun) {
      let line = ProgressLine(invocation.console.messages, "migrating")
      var running = migrator
      running.progress = { line.show($0.share) }
      defer { line.end() }
      let place = try reader.headPlace(path)
      try Document.migrate(
        place.path, to: target.model, with: running, in: reader.places,
        whenHeld: .wait(.seconds(5)), head: place.head, author: origin.author,
        message: origin.message)
      try invocation.console.outcome.didChange("The migration is complete.")
    }
    for (name, plan) in plans {
      if plans.count > 1, invocation.format == .text {
        try invocation.console.output.writeLine("\(oneLine(name)):")
      }
      try write(plan, nil, invocation, isDone: !invocation.has(.dryRun))
    }
    if invocation.format == .text, plans.contains(where: { !$0.plan.isEmpty }) {
      try invocation.console.output.writeLine(
        invocation.has(.dryRun)
          ? "This is a dry run: nothing was written." : "Done.")
    }
    guard invocation.has(.dryRun) else { return .done }
    return try outcome(ofDryRun: plans.map(\.plan), migrator, invocation)
  }

  /// Returns the exit code of the real migration, and names the options that would permit a refused one.
  private static func outcome(
    ofDryRun plans: [MigrationPlan], _ migrator: Migrator, _ invocation: Invocation
  ) throws -> ExitCode {
    let loses = !migrator.allowsLoss && plans.contains { !$0.drops.isEmpty }
    let breaks =
      !migrator.allowsInvalid
      && plans.contains { !$0.violations.isEmpty || !$0.constraintConflicts.isEmpty }
    guard loses || breaks else { return .done }
    let options = [loses ? allowLoss : nil, breaks ? allowInvalid : nil].compactMap(\.self)
    try invocation.console.messages.writeLine(
      "The migration would be refused without \(options.map { "--\($0.name)" }.joined(separator: " and "))."
    )
    return loses ? .modelMismatch : .no
  }

  // MARK: - Messages

  private static func write(
    _ plan: MigrationPlan, _ report: MigrationReport?, _ invocation: Invocation,
    isDone: Bool? = nil
  ) throws {
    let console = invocation.console
    switch invocation.format {
    case .text:
      try console.output.writeLine("\(plan)")
      guard let report else { return }
      if report.lostReferenceCount > 0 {
        try console.messages.writeLine(
          "note: \(Wording.count(report.lostReferenceCount, "reference")) to missing objects "
            + (report.lostReferenceCount == 1 ? "was omitted." : "were omitted."))
      }
      if let backup = report.backupPath {
        try console.output.writeLine("The old store is at \(oneLine(backup)).")
      }
      if !plan.isEmpty { try console.output.writeLine("Done.") }
    case .json:
      try console.output.writeLine(json(plan, report, isDone: isDone ?? (report != nil)))
    }
  }

  private static func json(
    _ plan: MigrationPlan, _ report: MigrationReport?, isDone: Bool
  ) -> JSON {
    .object([
      "from": .string(plan.from.name), "to": .string(plan.to.name),
      "steps": .array(
        plan.steps.map { step in
          let means =
            switch step.means {
            case .inferred: "inferred"
            case .written: "written"
            }
          return .object([
            "from": .string(step.from.name), "to": .string(step.to.name), "means": .string(means),
          ])
        }),
      "typeBefore": .string(plan.type.before.rawValue),
      "typeAfter": .string(plan.type.after.rawValue),
      "objectCounts": .array(
        plan.objectCounts.map {
          .object(["entity": .string($0.entity), "count": .number($0.count)])
        }),
      "rewrites": .boolean(plan.rewrites), "reasons": .strings(plan.rewritings),
      "losses": .array(
        plan.losses.map {
          .object([
            "entity": .string($0.entity), "property": $0.property.map(JSON.string),
            "what": .string($0.reason),
          ])
        }),
      "drops": .array(
        plan.drops.map {
          .object([
            "entity": .string($0.entity), "property": $0.property.map(JSON.string),
            "count": .number($0.count), "order": $0.isOrder ? .boolean(true) : nil,
          ])
        }),
      "violations": .strings(
        (plan.violations.prefix(1000).map { "\($0)" }
          + plan.constraintConflicts.prefix(1000).map { "\($0)" }).prefix(1000).map { $0 }),
      "violationCount": .number(plan.violations.count + plan.constraintConflicts.count),
      "done": .boolean(isDone),
      "backup": (report?.backupPath).map(JSON.string),
      "lostReferenceCount": (report?.lostReferenceCount).map { .number($0) },
    ])
  }
}
