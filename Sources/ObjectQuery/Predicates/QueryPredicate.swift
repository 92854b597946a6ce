/// A condition on objects; it corresponds to `NSPredicate` in Core Data.
///
///     let long = try QueryPredicate("name BEGINSWITH[cd] %@ AND stops.@count > 3", "lake")
///
/// Use the text form for conditions that are written outside of the program, such as in a model, a mapping or a command, and
/// for ports of Core Data's code. In a program, `Trip.where { $0.stops.count > 3 }` makes the same tree, and the compiler checks
/// its names and types.
///
/// A predicate is only a tree and refers to no model and no store. It can be created before either exists, sent
/// anywhere, printed, and read back as an equal tree. `CompiledPredicate` binds it to an entity, and reports names and types
/// that do not fit. Values belong into arguments (`%@`): a text that is pasted into the condition may change its meaning.
public indirect enum QueryPredicate: Sendable, Hashable {
  /// Always true or always false: `TRUEPREDICATE`, `FALSEPREDICATE`.
  case constant(Bool)
  /// A comparison of two expressions.
  case comparison(Comparison)
  /// True if every part is true: `AND`. True without parts.
  case and([QueryPredicate])
  /// True if any part is true: `OR`. False without parts.
  case or([QueryPredicate])
  /// True if the other predicate is false: `NOT`.
  case not(QueryPredicate)
}

extension QueryPredicate {
  /// A comparison: two expressions and an operator.
  public struct Comparison: Sendable, Hashable {
    public var left: QueryExpression
    public var operation: Operator
    public var right: QueryExpression
    /// The number of values on the left that must pass: one, any or all.
    public var modifier: Modifier
    /// The differences that a comparison of text ignores.
    public var options: TextOptions

    /// Creates a comparison of two expressions.
    public init(
      _ left: QueryExpression, _ operation: Operator, _ right: QueryExpression,
      modifier: Modifier = .direct, options: TextOptions = []
    ) {
      self.left = left
      self.operation = operation
      self.right = right
      self.modifier = modifier
      self.options = options
    }
  }

  /// The operator of a comparison.
  public enum Operator: String, Sendable, Hashable, CaseIterable {
    case lessThan = "<"
    /// The left is less or equal.
    case lessThanOrEqual = "<="
    case greaterThan = ">"
    /// The left is greater or equal.
    case greaterThanOrEqual = ">="
    case equal = "=="
    case notEqual = "!="
    /// The left is between the two bounds on the right, or equal to one of them.
    case between = "BETWEEN"
    /// The right, a collection or a text, contains the left.
    case `in` = "IN"
    /// The left, a collection or a text, contains the right.
    case contains = "CONTAINS"
    /// The left text begins with the right.
    case beginsWith = "BEGINSWITH"
    /// The left text ends with the right.
    case endsWith = "ENDSWITH"
    /// The left text matches the pattern on the right: `?` stands for one character, `*` for any number.
    case like = "LIKE"
    /// The whole left text matches the regular expression on the right.
    case matches = "MATCHES"
    /// The left text contains the words of the query on the right: `quick bro* -lazy "exact phrase"`. Case and diacritical
    /// marks make no difference. An index of the kind `FetchIndex.Element.Kind.fullText` finds them.
    case text = "TEXT"
  }

  /// The number of values on the left of a comparison that must pass. `NONE` is ``any``, negated.
  public enum Modifier: String, Sendable, Hashable, CaseIterable {
    /// The left is one value.
    case direct = ""
    /// At least one value must pass: false without values.
    case any = "ANY"
    /// Every value must pass: true without values.
    case all = "ALL"
  }
}

/// The differences that a comparison of text ignores: the letters in brackets after an operator.
public struct TextOptions: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8
  /// Creates the options with the given bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `c`: capital and small letters are equal.
  public static let caseInsensitive = TextOptions(rawValue: 1 << 0)
  /// `d`: letters with and without diacritical marks are equal.
  public static let diacriticInsensitive = TextOptions(rawValue: 1 << 1)
  /// `n`: the caller guarantees that the texts are in one normal form; they are compared as they are.
  public static let normalized = TextOptions(rawValue: 1 << 2)
  /// `l`: text is ordered by the rules of the current language.
  public static let localeSensitive = TextOptions(rawValue: 1 << 3)

  /// The options that are nearest to Foundation's comparison for lists (`localizedStandardCompare:`). That comparison
  /// also takes digits as numbers.
  static let localizedStandard: TextOptions = [.localeSensitive, .caseInsensitive]
}

extension QueryPredicate {
  /// Returns a predicate that is true if both predicates are true.
  public static func && (left: QueryPredicate, right: QueryPredicate) -> QueryPredicate {
    switch (left, right) {
    case (.and(let some), .and(let others)): .and(some + others)
    case (.and(let some), _): .and(some + [right])
    case (_, .and(let others)): .and([left] + others)
    default: .and([left, right])
    }
  }

  /// Returns a predicate that is true if either predicate is true.
  public static func || (left: QueryPredicate, right: QueryPredicate) -> QueryPredicate {
    switch (left, right) {
    case (.or(let some), .or(let others)): .or(some + others)
    case (.or(let some), _): .or(some + [right])
    case (_, .or(let others)): .or([left] + others)
    default: .or([left, right])
    }
  }

  /// Returns a predicate that is true if the predicate is false.
  public static prefix func ! (predicate: QueryPredicate) -> QueryPredicate { .not(predicate) }
}
