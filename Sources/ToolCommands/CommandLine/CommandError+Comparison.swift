import CommandInterface
import Comparison
import ObjectModel

extension CommandError {
  /// Creates the error that a command reports for an error of a comparison, a merge or a patch.
  ///
  /// The library's hints speak of programs. The hints of commands name the options and commands that help.
  init(_ error: ComparisonError) {
    let code: ExitCode =
      switch error.code {
      case .conflict, .sameIdentifiers: .no
      case .differentModels: .modelMismatch
      case .badPatch: .unreadable
      case .newerPatch: .newerFormat
      default: .wrongUsage
      }
    guard let detail = error.detail else {
      self.init(code, oneLine(error.message), hint: error.hint.map(oneLine))
      return
    }
    switch detail {
    case .noStores: self.init(.unreadable, oneLine(error.message))
    case .unknownEntity(let name, let known):
      self = .unknown(
        "entity", name, in: "in --key", known: known,
        otherwise: "The entities are \(known.map { "'\($0)'" }.joined(separator: ", ")).")
    case .duplicates(let found): self = .duplicateKeys(found)
    default: self.init(code, oneLine(error.message), hint: oneLine(Self.hint(detail)))
    }
  }

  private static func hint(_ detail: ComparisonError.Detail) -> String {
    switch detail {
    case .version(let name):
      "Write '\(name)@NUMBER'. 'quire history \(quoted(name))' lists the numbers."
    case .unchangeable: "Give the result with --output."
    case .severalStores(let names): "Choose one with --in: \(names.joined(separator: ", "))."
    case .unequalStores: "Choose one store with --in."
    case .unequalModels:
      "Migrate all three to one version first: 'quire migrate FILE --model MODEL --output COPY'."
    case .toManyKey: "Give attributes or to-one relationships with --key."
    case .oneSidedKey: "Give properties that both sides have with --key."
    case .cyclicKeys: "Choose attributes with --key."
    case .clash(let theirs):
      "If they are the same objects, give a BASE that contains them. Otherwise --renumber "
        + "gives the objects of '\(theirs)' new identifiers."
    case .noHeader: "'quire diff A B --format patch' writes a patch."
    case .noStores, .unknownEntity, .duplicates: ""
    }
  }

  private static func duplicateKeys(_ found: ComparisonError.DuplicateKeys) -> CommandError {
    let values = found.values.map { "\($0.name) \(oneLine(Wording.text($0.value, $0.precision)))" }
    let objects = found.objects.map { Wording.text(.object($0)) }
    let rest = found.objectCount - objects.count
    let more = found.moreKeyCount
    let names = found.values.map(\.name).joined(separator: "+")
    return .wrongUsage(
      "'\(oneLine(found.store))' has \(found.objectCount) objects of '\(found.entity)' "
        + "with \(values.joined(separator: ", ")): \(objects.joined(separator: ", "))"
        + (rest > 0 ? " and \(rest) more." : ".")
        + (more > 0
          ? " \(Wording.count(more, "other key")) occur\(more == 1 ? "s" : "") again." : ""),
      hint: "Match by more properties, such as "
        + "--key '\(found.entity)=\(names)+PROPERTY', or by --match identifier.")
  }
}
