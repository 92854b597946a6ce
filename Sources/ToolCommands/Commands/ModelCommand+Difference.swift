import CommandInterface
import JSONText
import ModelNotations
import ObjectModel

extension ModelCommand {
  /// Prints the differences between two models. The exit code shows whether there are none.
  static func compare(
    _ old: ModelVersions.Version, with new: ModelVersions.Version, _ invocation: Invocation
  ) throws -> ExitCode {
    let difference = ModelDifference(from: old.model, to: new.model)
    let output = invocation.console.output
    switch format(invocation) {
    case .text:
      for change in difference.changes {
        try output.writeLine(line(change))
      }
      try output.writeLine((difference.isEmpty ? "" : "\n") + difference.summary)
    case .json:
      let object = JSON.object([
        "from": .string(old.name), "to": .string(new.name),
        "isSeenByHashes": .boolean(difference.isSeenByHashes),
        "changes": .array(difference.changes.map(json)),
      ])
      try output.writeLine(object)
    }
    return difference.isEmpty ? .done : .no
  }

  /// Returns a change as a line of text. A star marks a change that version hashes see.
  static func line(_ change: ModelDifference.Change) -> String {
    (change.isSeenByHashes ? "* " : "  ") + oneLine(change.description)
  }

  /// Returns a change as an object.
  static func json(_ change: ModelDifference.Change) -> JSON {
    let place = place(of: change.subject)
    let action: (name: String, facet: String?, from: String?, to: String?) =
      switch change.action {
      case .added: ("added", nil, nil, nil)
      case .removed: ("removed", nil, nil, nil)
      case .renamed(let from): ("renamed", nil, from, nil)
      case .changed(let facet, let from, let to): ("changed", facet.rawValue, from, to)
      }
    return .object([
      "part": .string(place.part),
      "name": place.name.map(JSON.string),
      "of": place.owner.map(JSON.string),
      "action": .string(action.name),
      "facet": action.facet.map(JSON.string),
      "from": action.from.map(JSON.string),
      "to": action.to.map(JSON.string),
      "isSeenByHashes": .boolean(change.isSeenByHashes),
    ])
  }

  /// Returns the changed part of the model: its kind, its name, and the name of the part that contains it.
  private static func place(
    of subject: ModelDifference.Subject
  ) -> (part: String, name: String?, owner: String?) {
    switch subject {
    case .model: ("model", nil, nil)
    case .entity(let name): ("entity", name, nil)
    case .property(let name, let entity): ("property", name, entity)
    case .uniquenessConstraint(let columns, let entity):
      ("uniquenessConstraint", columns.joined(separator: ","), entity)
    case .fetchIndex(let name, let entity): ("fetchIndex", name, entity)
    case .compositeType(let name): ("compositeType", name, nil)
    case .compositeAttribute(let name, let type): ("compositeAttribute", name, type)
    case .configuration(let name): ("configuration", name, nil)
    case .template(let name): ("fetchRequestTemplate", name, nil)
    }
  }
}
