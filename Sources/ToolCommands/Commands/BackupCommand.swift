import CommandInterface
import Documents
import DurableFiles
import Foundation
import JSONText
import ObjectModel
import QuireTools
import StoreInterface
import Validation

/// The command `quire backup`.
enum BackupCommand {
  static let source = Argument(
    "DOC", "A document with all its heads, or the file of a store. With --check, a backup.",
    role: .input)
  static let target = Argument(
    "TO", "The path of the backup.", isRequired: false, role: .output)
  static let follow = Option(
    "follow", "Brings the backup up to date after each save of other programs, until Ctrl-C.")
  static let timeout = Option("timeout", value: "SECONDS", "Ends --follow after this time.")
  static let check = Option(
    "check", "Checks every byte of the backup DOC, and prints the version that it has.")
  static let force = Option(
    Option.forceName,
    "Replaces a file or a document that is not a backup of DOC, or that was changed.")

  /// The time between two looks at the document.
  static let interval = 1.0

  /// Returns the command. It reads and writes through `reader`.
  static func command(_ reader: StoreReader) -> Command {
    Command(
      "backup", "makes a copy of a document in use, and brings it up to date",
      discussion: """
        The first backup is a whole copy. The next one to the same path writes the new bytes alone: the new \
        commits of the stores, new attachments, and the manifest. DOC may be open in other programs, which need not \
        wait: the backup takes no lock of DOC, and has one version of it. If the backup is interrupted, also by a \
        power cut, it is the document in its former state or in the new one.

        The backup is a document, or a store, as any other, and its identifier is that of DOC. To restore it, copy \
        it with 'cp -r TO DOC' to the place of the lost document. A program that only reads may open it at any time. \
        The command refuses a backup that a program has saved to, and a DOC that lacks versions of the backup, \
        unless --force is given.

        A database is copied whole, by SQLite's own backup interface. A store on a server is refused: it has the \
        backups of the server, such as pg_dump. Beside the backup of a store without a document, the file \
        TO.backup names the store.

        --check reads every byte. The exit code is 0 only if all of them are as they should be, and no program has \
        changed the backup.

        JSON is an object with 'path', 'version', 'date', 'isNew', 'writtenByteCount' and 'byteCount'; with \
        --follow, an object on a line for each version.
        """,
      arguments: [source, target], options: [follow, timeout, check, force, .format],
      examples: [
        Example("quire backup Trip.quire Backup.quire", "Makes a backup, or brings it up to date."),
        Example(
          "quire backup Trip.quire Standby.quire --follow --timeout 1",
          "Keeps a second copy seconds behind, for one second."),
        Example(
          "quire backup Trip.quire Backup.quire && quire backup --check Backup.quire",
          "Makes a backup, and reads it again."),
        Example("quire backup Trips.store Backup.store", "Makes a backup of a single store."),
      ]
    ) { invocation in
      if invocation.has(check) { return try check(reader, invocation) }
      guard let place = try invocation.output(target, on: reader.disk) else {
        throw CommandError.wrongUsage(
          "Missing argument TO: \(target.help)", hint: "Give the path of the backup.")
      }
      let end = try seconds(invocation).map { Date(timeIntervalSinceNow: $0) }
      let from = invocation[source]
      if try reader.isDocument(from) {
        try OutputEnding.checkDocument(place.path, from: from)
        guard try reader.headPlace(from).version == nil else {
          throw CommandError.wrongUsage(
            "A backup has all heads of a document.", hint: "Give the path without @.")
        }
      } else if reader.places.isAddress(place.path) {
        throw CommandError.wrongUsage(
          "A backup is a file or a folder, and not a store on a server.")
      }
      var backup = Backup(of: from, in: reader.places)
      backup.overwrites = place.overwrites
      let report = try run(backup, place)
      try write(report, place.path, invocation)
      guard invocation.has(follow) else { return .done }
      backup.overwrites = false
      try follow(backup, place, from: report, until: end, invocation)
      return .done
    }
  }

  private static func seconds(_ invocation: Invocation) throws(CommandError) -> Double? {
    guard let text = invocation.value(of: timeout) else { return nil }
    guard invocation.has(follow) else {
      throw .wrongUsage("--timeout is for --follow.", hint: "Leave out --timeout.")
    }
    guard let seconds = Double(text), seconds >= 0, seconds <= 1e9 else {
      throw .wrongUsage("--timeout needs a number of seconds, not '\(oneLine(text))'.")
    }
    return seconds
  }

  private static func run(_ backup: Backup, _ place: Output) throws -> Backup.Report {
    do { return try place.making { try backup.write(to: place.path) } } catch let error
      as DocumentError where error.code == .notABackup
    {
      throw CommandError(
        .inputOutput, "\(error)", hint: "Give another path, or --force to replace what is there.")
    }
  }

  /// Repeats the backup after each save. An error is printed once, and the backup is tried again.
  private static func follow(
    _ backup: Backup, _ place: Output, from first: Backup.Report, until end: Date?,
    _ invocation: Invocation
  ) throws {
    var (last, failure) = (first, "")
    while true {
      let left = end?.timeIntervalSinceNow ?? interval
      if left <= 0 { return }
      Thread.sleep(forTimeInterval: min(interval, left))
      do {
        guard try backup.isChanged(since: last) || !failure.isEmpty else { continue }
        let report = try run(backup, place)
        // Numbers that a program has set aside for new objects are a change of the file and not a version.
        if report.version != last.version || report.version == nil {
          try write(report, place.path, invocation)
        }
        (last, failure) = (report, "")
      } catch {
        let message = CommandError(explaining: error).message
        if message != failure {
          try invocation.console.messages.writeLine("error: \(message)")
          try invocation.console.messages.writeLine("note: The backup is tried again.")
        }
        failure = message
      }
    }
  }

  /// Prints the result of a backup.
  private static func write(
    _ report: Backup.Report, _ path: String, _ invocation: Invocation
  ) throws {
    let output = invocation.console.output
    switch invocation.format {
    case .text:
      let version = report.version.map { "version \($0), " } ?? ""
      try output.writeLine(
        "\(oneLine(path)): \(version)\(Wording.count(report.writtenByteCount, "byte")) written of "
          + "\(report.byteCount)")
    case .json:
      let json = JSON.object([
        "path": .string(path), "version": report.version.map { .number("\($0)") },
        "date": ValueText.exchange.json(.date(report.date)), "isNew": .boolean(report.isNew),
        "writtenByteCount": .number(report.writtenByteCount),
        "byteCount": .number(report.byteCount),
      ])
      if invocation.has(follow) {
        try output.writeLine(json.line)
      } else {
        try output.writeLine(json)
      }
    }
  }

  // MARK: - Checking

  private static func check(
    _ reader: StoreReader, _ invocation: Invocation
  ) throws -> ExitCode {
    for option in [follow, timeout, force] where invocation.has(option) {
      throw CommandError.wrongUsage(
        "--check reads a backup and writes nothing.", hint: "Leave out --\(option.name).")
    }
    if invocation.path(ofOutput: target) != nil {
      throw CommandError.wrongUsage(
        "--check takes one path.", hint: "Give the path of the backup.")
    }
    let path = invocation[source]
    var validator = Validator(backends: reader.backends)
    let progress = ProgressLine(invocation.console.messages, "checking \(oneLine(path))")
    defer { progress.end() }
    validator.progress = progress.show
    let check: Backup.Check
    do { check = try Backup.check(path, in: reader.places, with: validator) } catch let error
      as DiskError
    {
      throw CommandError(.inputOutput, error.message)
    }
    progress.end()
    try write(check, path, invocation)
    return switch check.validation.verdict {
    case .unknownFormat: .unreadable
    case .newerFormat: .newerFormat
    case .invalid: .no
    case .incomplete: check.validation.hasUnknownStores ? .plugin : .no
    case .valid: check.isSound ? .done : .no
    }
  }

  private static func write(
    _ check: Backup.Check, _ path: String, _ invocation: Invocation
  ) throws {
    let output = invocation.console.output
    switch invocation.format {
    case .text:
      if check.validation.verdict != .valid {
        try output.write(printable(check.validation.text))
      }
      guard let origin = check.origin, let date = check.date else {
        return try output.writeLine(
          "\(oneLine(path)): not a backup: nothing here says which document this is a backup of")
      }
      let version = check.version.map { "version \($0) of " } ?? "a backup of "
      let verdict =
        check.isSound ? "sound" : check.isChanged ? "changed by a program since" : "not sound"
      try output.writeLine(
        "\(oneLine(path)): \(version)\(origin.uuidString), brought up to date "
          + "\(ManifestDate.text(date)): \(verdict)")
    case .json:
      try output.writeLine(
        JSON.object([
          "path": .string(path), "isSound": .boolean(check.isSound),
          "isChanged": .boolean(check.isChanged),
          "verdict": .string(check.validation.verdict.rawValue),
          "origin": check.origin.map { .string($0.uuidString) },
          "version": check.version.map { .number("\($0)") },
          "date": check.date.map { ValueText.exchange.json(.date($0)) },
        ]))
    }
  }
}
