import CommandInterface
import Comparison

extension MatchChoices {
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
