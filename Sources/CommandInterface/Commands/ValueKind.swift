/// The kind of names that a value on the command line consists of. Completion suggests names of this kind.
package enum ValueKind: Sendable, Hashable {
  /// Any text. There are no names to suggest, except paths if the value has a ``PathRole``.
  case text
  /// A path. Most paths are declared by their ``PathRole``.
  case path
  /// Several paths, with commas between.
  case paths
  /// The path of a folder.
  case folder
  /// A command of the tool, or of the session.
  case command
  /// An entity of the model.
  case entity
  /// Entities of the model, with commas between.
  case entities
  /// Key paths of the line's entity, with commas between.
  case keyPaths
  /// Key paths, each with a dash before it for descending order.
  case sortKeys
  /// Functions of key paths, such as `sum(nights)`, with commas between.
  case aggregates
  case predicate
  /// A property and its value: `name=Lisbon`.
  case assignments
  /// A variable of the line's predicate and its value: `DATE=today`.
  case variables
  /// A fetch request template of the model.
  case template
  case modelVersion
  /// The number of a version of a document.
  case version
  /// A head of a document.
  case head
  /// A store of a document.
  case storeName
  case storeType
  /// An attachment of a document.
  case attachment
  case plugin
}

extension ValueKind {
  /// Creates the kind of a value with the given role and the declared kind.
  fileprivate init(_ role: PathRole, otherwise kind: ValueKind) {
    switch role {
    case .none: self = kind
    case .inputs: self = .paths
    case _ where role.isFolder: self = .folder
    case .input, .stream, .output, .file, .printed, .outputFolder: self = .path
    }
  }
}

extension Argument {
  /// The names to suggest for the value.
  package var suggestedKind: ValueKind { ValueKind(role, otherwise: kind) }
}

extension Option {
  /// The names to suggest for the value.
  package var suggestedKind: ValueKind { ValueKind(role, otherwise: kind) }
}
