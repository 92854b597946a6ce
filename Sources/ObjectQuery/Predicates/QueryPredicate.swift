/// A condition that objects meet or do not: what `NSPredicate` is to Core Data.
///
///     let long = try QueryPredicate("name BEGINSWITH[cd] %@ AND stops.@count > 3", "lake")
///
/// A predicate is a tree and nothing more: it knows no model and no store, may be made before either,
/// sent anywhere, printed, and read back as an equal tree. ``CompiledPredicate`` binds it to an entity.
public indirect enum QueryPredicate: Sendable, Hashable {
  /// Always true or always false: `TRUEPREDICATE`, `FALSEPREDICATE`.
  case constant(Bool)
  /// Two expressions compared.
  case comparison(Comparison)
  /// True when every one is: `AND`. True when there is none.
  case and([QueryPredicate])
  /// True when any one is: `OR`. False when there is none.
  case or([QueryPredicate])
  /// True when the other is not: `NOT`.
  case not(QueryPredicate)
}

extension QueryPredicate {
  /// Two expressions and how they are compared.
  public struct Comparison: Sendable, Hashable {
    /// What stands on the left.
    public var left: QueryExpression
    /// How the sides are compared.
    public var operation: Operator
    /// What stands on the right.
    public var right: QueryExpression
    /// Which of many values on the left must compare so.
    public var modifier: Modifier
    /// What the comparison of text passes over.
    public var options: TextOptions

    /// A comparison of two expressions.
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

  /// How two expressions are compared.
  public enum Operator: String, Sendable, Hashable, CaseIterable {
    /// The left is less.
    case lessThan = "<"
    /// The left is less or equal.
    case lessThanOrEqual = "<="
    /// The left is greater.
    case greaterThan = ">"
    /// The left is greater or equal.
    case greaterThanOrEqual = ">="
    /// Both are equal.
    case equal = "=="
    /// The sides are different.
    case notEqual = "!="
    /// The left lies within the two bounds on the right, or is one of them.
    case between = "BETWEEN"
    /// The right, a collection or a text, contains the left.
    case `in` = "IN"
    /// The left, a collection or a text, contains the right.
    case contains = "CONTAINS"
    /// The left text begins with the right.
    case beginsWith = "BEGINSWITH"
    /// The left text ends with the right.
    case endsWith = "ENDSWITH"
    /// The left text has the form of the right: `?` stands for one character, `*` for any number.
    case like = "LIKE"
    /// The whole left text matches the regular expression on the right.
    case matches = "MATCHES"
  }

  /// Which of many values on the left of a comparison must compare so. `NONE` is ``any``, negated.
  public enum Modifier: String, Sendable, Hashable, CaseIterable {
    /// The left is one value.
    case direct = ""
    /// At least one: false when there are none.
    case any = "ANY"
    /// Each one: true when there are none.
    case all = "ALL"
  }
}

/// What a comparison of text passes over: the letters in brackets behind an operator.
public struct TextOptions: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt8
  /// The options with the given bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `c`: capital and small letters are the same.
  public static let caseInsensitive = TextOptions(rawValue: 1 << 0)
  /// `d`: letters with and without diacritical marks are the same.
  public static let diacriticInsensitive = TextOptions(rawValue: 1 << 1)
  /// `n`: the texts are known to be in one normal form, and compared as they are.
  public static let normalized = TextOptions(rawValue: 1 << 2)
  /// `l`: text is ordered as readers of the current language expect.
  public static let localeSensitive = TextOptions(rawValue: 1 << 3)
}

extension QueryPredicate {
  /// True when both are.
  public static func && (left: QueryPredicate, right: QueryPredicate) -> QueryPredicate {
    switch (left, right) {
    case (.and(let some), .and(let others)): .and(some + others)
    case (.and(let some), _): .and(some + [right])
    case (_, .and(let others)): .and([left] + others)
    default: .and([left, right])
    }
  }

  /// True when either is.
  public static func || (left: QueryPredicate, right: QueryPredicate) -> QueryPredicate {
    switch (left, right) {
    case (.or(let some), .or(let others)): .or(some + others)
    case (.or(let some), _): .or(some + [right])
    case (_, .or(let others)): .or([left] + others)
    default: .or([left, right])
    }
  }

  /// True when the predicate is not.
  public static prefix func ! (predicate: QueryPredicate) -> QueryPredicate { .not(predicate) }
}
