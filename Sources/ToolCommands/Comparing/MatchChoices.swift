/// The user's choices of the way in which objects of two stores are matched.
struct MatchChoices {
  /// The rule for the entities without a key of their own. If it is `nil`, the rule is `identifier` for two stores with
  /// equal UUIDs, and otherwise `unique`.
  var mode: Mode?
  /// The keys, in the order of the command line.
  var keys: [Key] = []

  enum Mode: String, CaseIterable {
    /// Objects with equal identifiers match.
    case identifier
    /// Objects with equal values of a uniqueness constraint match.
    case unique
  }

  /// The names of properties by which objects match.
  struct Key {
    /// The entity, which includes its subentities; `nil` for every entity that has the properties.
    var entity: String?
    var names: [String]
  }

  /// Parses keys in the form `Trip=name,Stop=trip+name`. A key without an entity is for every entity that has its
  /// properties.
  static func keys(_ text: String) throws(CommandError) -> [Key] {
    var keys: [Key] = []
    for part in FetchColumns.parts(of: text) {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let names = words[words.count - 1].split(separator: "+", omittingEmptySubsequences: false)
        .map { $0.trimmingSpaces }
      let entity = words.count == 2 ? words[0].trimmingSpaces : nil
      guard entity != "", !names.contains("") else {
        throw .wrongUsage(
          "'\(oneLine(part))' is not a key.",
          hint: "Write 'ENTITY=PROPERTY', or 'ENTITY=PROPERTY+PROPERTY' for several properties.")
      }
      keys.append(Key(entity: entity, names: names))
    }
    return keys
  }
}

extension Substring {
  fileprivate var trimmingSpaces: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
