import CommandInterface
import JSONText
import ObjectQuery
import Tracing

extension Option {
  static let explain = Option(
    "explain",
    "Prints how the store finds the objects, what it reads and how long that takes. The objects are not shown, and nothing is changed."
  )
}

/// The output of `--explain`.
enum ExplainOutput {
  /// Prints an explanation, as JSON with `--format json` and as text otherwise.
  static func show(_ explanation: QueryExplanation, _ invocation: Invocation) throws {
    let output = invocation.console.output
    let format = invocation.value(of: .format) ?? invocation.value(of: FetchCommand.form)
    guard format == "json" || format == "jsonl" else {
      for line in explanation.lines { try output.writeLine(line) }
      return
    }
    try output.writeLine(json(explanation))
  }

  private static func json(_ explanation: QueryExplanation) -> JSON {
    func share(_ share: QueryExplanation.Share) -> JSON {
      .object([
        "read": .number(share.read), "skipped": .number(share.skipped), "all": .number(share.all),
      ])
    }
    return .object([
      "request": .string(explanation.request), "found": .number(explanation.foundCount),
      "steps": .array(
        explanation.steps.map { step in
          .object([
            "way": .string(step.way.rawValue), "entity": .string(step.entity),
            "columns": step.columns.isEmpty ? nil : .strings(step.columns),
            "candidates": .number(step.candidateCount),
          ])
        }),
      "statement": explanation.statement.map(JSON.string),
      "reason": explanation.reason.map(JSON.string),
      "blocks": share(explanation.blocks), "rows": share(explanation.rows),
      "sort": explanation.sortKeys.isEmpty
        ? nil
        : .object([
          "keys": .strings(explanation.sortKeys), "rows": .number(explanation.sortedCount),
        ]),
      "planningMicroseconds": .number(explanation.planning.microseconds),
      "answeringMicroseconds": .number(explanation.answering.microseconds),
    ])
  }
}
