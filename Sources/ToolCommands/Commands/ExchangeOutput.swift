import CommandInterface
import DocumentExchange
import Documents
import Foundation
import JSONText
import ObjectModel

/// Prints what an exchange did.
enum ExchangeOutput {
  static func write(
    _ report: ExchangeReport, _ document: String, _ invocation: Invocation
  ) throws {
    try warn(of: report.skipped, invocation)
    let output = invocation.console.output
    guard invocation.format == .text else {
      return try output.writeLine(
        JSON.object([
          "sent": .array(report.sent.map(json)), "sentBytes": .number(report.sentByteCount),
          "consolidated": .number(report.consolidatedCount),
          "received": .array(report.received.map(json)),
          "conflicts": .array(
            report.conflicts.map { one in
              .object([
                "version": json(one.version), "reasons": .strings(one.reasons),
                "head": one.head.map(JSON.string),
              ])
            }),
          "waiting": .array(report.waiting.map(json)),
          "newerModel": .array(report.newerModel.map(json)),
          "olderModel": .array(report.olderModel.map(json)), "skipped": json(report.skipped),
        ]))
    }
    for version in report.received { try output.writeLine("received \(text(version))") }
    for version in report.sent { try output.writeLine("sent     \(text(version))") }
    for version in report.waiting {
      try output.writeLine("waiting  \(text(version)): a file between has not arrived")
    }
    for version in report.newerModel {
      try output.writeLine(
        "waiting  \(text(version)): its model is newer, and the document keeps its own")
    }
    for version in report.olderModel {
      try output.writeLine(
        "waiting  \(text(version)): its model is older, and its device migrates it with its next sync"
      )
    }
    for conflict in report.conflicts {
      let shown = conflict.head.map { " is shown by the head '\($0)'" } ?? ""
      try output.writeLine(
        "\(conflict.reasons.isEmpty ? "kept    " : "conflict") \(text(conflict.version))\(shown)")
      for reason in conflict.reasons { try output.writeLine("  \(oneLine(reason))") }
    }
    if report.consolidatedCount > 0 {
      try output.writeLine("\(report.consolidatedCount) files were put into one.")
    }
    if report.sentByteCount > 0 {
      try output.writeLine("The new file has \(report.sentByteCount) bytes.")
    }
    if report.received.isEmpty, report.sent.isEmpty, report.consolidatedCount == 0,
      report.conflicts.isEmpty,
      report.waiting.isEmpty, report.newerModel.isEmpty, report.olderModel.isEmpty
    {
      try output.writeLine("There is nothing new.")
    }
    for case let head? in report.conflicts.filter({ !$0.reasons.isEmpty }).map(\.head) {
      try invocation.console.messages.writeLine(
        "To look at it: quire diff \(CommandError.quoted(document)) \(CommandError.quoted("\(document)@\(head)")). To merge it: quire pull \(CommandError.quoted(document)) --interactive"
      )
    }
  }

  /// Prints a warning for each file that was left out.
  static func warn(of skipped: [ExchangeReport.SkippedFile], _ invocation: Invocation) throws {
    for one in skipped {
      try invocation.console.messages.writeLine(
        "warning: \(oneLine(one.name)) \(oneLine(one.reason)) It was left out.")
    }
  }

  /// Returns a version as a line of text.
  static func text(_ version: SharedVersion) -> String {
    let words = [
      String(version.identity.prefix(8)), Wording.text(.date(version.saved)),
      version.author.map(oneLine), version.message.map(oneLine),
    ]
    return words.compactMap(\.self).joined(separator: "  ")
  }

  static func json(_ version: SharedVersion) -> JSON {
    .object([
      "identity": .string(version.identity), "head": .string(version.head),
      "saved": ValueText.exchange.json(.date(version.saved)),
      "author": version.author.map(JSON.string), "message": version.message.map(JSON.string),
    ])
  }

  static func json(_ skipped: [ExchangeReport.SkippedFile]) -> JSON {
    .array(
      skipped.map { .object(["name": .string($0.name), "reason": .string($0.reason)]) })
  }
}
