import CommandInterface
import DurableFiles
import JSONText
import ObjectModel
import Quire
import StoreInterface
import Validation

/// The command `quire validate`.
enum ValidateCommand {
  static let path = Argument(
    "PATH", "The documents or files to check. Not needed with --rules.", isRequired: false,
    isRepeating: true, role: .input)
  static let model = Option(
    "model", value: "MODEL", role: .input,
    "Another model to check the objects against, besides the model in the file.")
  static let rules = Option("rules", "Lists all rules.")

  /// Returns the command for files on the given disk and models from the given reader.
  ///
  /// - Parameter backends: Returns the backends, which recognise a store that lacks rules.
  static func command(
    on disk: any Disk, _ reader: ModelReader,
    backends: @escaping @Sendable () -> StoreBackends = { .builtIn }
  ) -> Command {
    Command(
      "validate", "checks a document or a file against all rules",
      discussion: """
        The command checks every byte of the format, the model and its hashes, and every object against the \
        model: types, required values, bounds, patterns, both ends of relationships, and uniqueness. It \
        continues after errors, and it checks the earlier saves in the file too. In a document it checks the \
        folder, the manifest, the models, the attachments and the stores. It writes nothing. No other \
        process should write to the file during the check. For each million objects it takes about 150 MB of \
        memory.

        A finding names its rule, its place and the clause of the specification. At most 20 findings of each \
        rule are shown. The exit code is 0 only if everything was checked and there are no errors. It is 1 \
        if there are errors, or if a part can't be checked, such as the objects of a store without its \
        model. It is 5 if only the objects of a store could be checked, because its plug-in has no rules for its \
        files, and if a document contains such a store. The plug-in SQLiteStore has the rules of SQLite stores, \
        and must be installed to check these stores.

        Each path has its own report; with --format json each report is one line. The exit code is 0 only if \
        it would be 0 for each path. If the paths have different exit codes, it is 1.
        """,
      arguments: [path], options: [model, ModelCommand.version, rules, .format],
      examples: [
        Example("quire validate Trips.store", "Prints the findings, or that there are none."),
        Example("quire validate Trip.quire", "Checks a document with all its parts."),
        Example("quire validate *.store", "Checks each of several files."),
        Example("quire validate --rules", "Lists the rules."),
      ]
    ) { invocation in
      if invocation.has(rules) {
        try list(backends(), invocation)
        return .done
      }
      let paths = invocation.values(of: path)
      if paths.isEmpty {
        throw CommandError.wrongUsage("Missing argument PATH: \(path.help)")
      }
      if invocation.has(ModelCommand.version), !invocation.has(model) {
        throw CommandError.wrongUsage(
          "--version names a version of the model that --model gives.",
          hint: "Give --model, too; 'quire info --version' looks into an earlier save.")
      }
      var validator = Validator(backends: backends())
      if let model = invocation.value(of: model) {
        validator.model =
          try reader.model(at: model, version: invocation.value(of: ModelCommand.version)).model
      }
      var failures: Set<ExitCode> = []
      for path in paths {
        let code = try check(path, with: validator, on: disk, invocation)
        if code == .unreadable, (try? reader.model(at: path)) != nil {
          try invocation.console.messages.writeLine(
            "hint: '\(oneLine(path))' is a model. 'quire model \(path.shellWord)' checks and prints it."
          )
        }
        if code != .done { failures.insert(code) }
      }
      return failures.count > 1 ? .no : failures.first ?? .done
    }
  }

  /// Returns the validator's report on a path, and shows the progress.
  static func report(
    on path: String, by validator: Validator, on disk: any Disk, _ console: Console
  ) throws -> ValidationReport {
    var validator = validator
    let progress = ProgressLine(console.messages, "checking \(oneLine(path))")
    defer { progress.end() }
    validator.progress = progress.show
    do { return try validator.validate(path, on: disk) } catch let error as DiskError {
      throw CommandError(.inputOutput, error.message)
    }
  }

  /// Validates one path, prints its report, and returns the exit code for this path.
  private static func check(
    _ path: String, with validator: Validator, on disk: any Disk, _ invocation: Invocation
  ) throws -> ExitCode {
    let report = try report(on: path, by: validator, on: disk, invocation.console)
    switch invocation.format {
    case .text: try invocation.console.output.write(printable(report.text))
    case .json:
      let isAlone = invocation.values(of: self.path).count == 1
      if isAlone {
        try invocation.console.output.writeLine(json(report))
      } else {
        try invocation.console.output.writeLine(json(report).line)
      }
    }
    return switch report.verdict {
    case .unknownFormat: .unreadable
    case .newerFormat: .newerFormat
    case .invalid: .no
    case .incomplete: report.hasUnknownStores ? .plugin : .no
    default: .done
    }
  }

  // MARK: - Rules

  /// Lists the rules of the validator, and the rules that the backends of other formats check.
  private static func list(_ backends: StoreBackends, _ invocation: Invocation) throws {
    let output = invocation.console.output
    var rules = Rule.all
    for backend in backends.backends {
      do { rules += try backend.rules() } catch {
        try invocation.console.messages.writeLine(
          "note: the rules of stores of type \(backend.type.rawValue) are not listed: \(error)")
      }
    }
    rules.sort { $0.id < $1.id }
    switch invocation.format {
    case .text:
      for rule in rules {
        try output.writeLine(
          "\(rule.id)  \(rule.severity.rawValue): \(rule.title) (\(rule.reference))")
      }
    case .json: try output.writeLine(JSON.array(rules.map(json)))
    }
  }

  private static func json(_ rule: Rule) -> JSON {
    .object([
      "rule": .string(rule.id), "severity": .string(rule.severity.rawValue),
      "title": .string(rule.title), "clause": .string(rule.clause),
    ])
  }

  // MARK: - Reports

  private static func json(_ report: ValidationReport) -> JSON {
    let rules = report.counts.keys.sorted { $0.id < $1.id }
    return .object([
      "path": .string(report.path), "verdict": .string(report.verdict.rawValue),
      "format": .string(report.format.rawValue),
      "counts": .members(
        Severity.allCases.map {
          JSON.Member(name: $0.rawValue, value: .number(report.count(of: $0)))
        }),
      "rules": .members(
        rules.map { JSON.Member(name: $0.id, value: .number(report.counts[$0] ?? 0)) }),
      "findings": .array(report.findings.map(json)),
      "passedOver": .strings(report.passedOver), "unchecked": .strings(report.unchecked),
      "checked": .object([
        "versions": ofDocument(report, report.checked.versionCount),
        "stores": ofDocument(report, report.checked.storeCount),
        "attachments": ofDocument(report, report.checked.attachmentCount),
        "bytes": .number(report.checked.byteCount),
        "liveBytes": .number(report.checked.liveByteCount),
        "commits": .number(report.checked.commitCount),
        "blocks": .number(report.checked.blockCount),
        "rows": .number(report.checked.rowCount),
        "objects": .number(report.checked.objectCount),
      ]),
    ])
  }

  /// Returns a number for the report on a document; `nil` for other reports.
  private static func ofDocument(_ report: ValidationReport, _ count: Int) -> JSON? {
    report.format == .document ? .number(count) : nil
  }

  private static func json(_ finding: Finding) -> JSON {
    let place = finding.place
    return .object([
      "rule": .string(finding.rule.id), "severity": .string(finding.rule.severity.rawValue),
      "clause": .string(finding.rule.clause), "message": .string(finding.message),
      "file": place.file.map { .string($0) },
      "section": place.section.map { .string($0) },
      "offset": place.offset.map { .number("\($0)") },
      "commit": place.commit.map { .number("\($0)") },
      "column": place.column.map { .number("\($0)") },
      "row": place.row.map { .number($0) },
      "entity": place.entity.map { .string($0) },
      "object": place.object.map { .number("\($0)") },
      "property": place.property.map { .string($0) },
    ])
  }
}
