public import ObjectModel

/// Something with a value that may depend on an object: what `NSExpression` is to Core Data.
///
///     let total = try QueryExpression("stops.@sum.cost * 1.2")
public indirect enum QueryExpression: Sendable, Hashable {
  /// A value. Floating-point numbers of 32 bits do not occur: they are given as 64 bits.
  case constant(Value)
  /// Another object, by its identifier.
  case object(ObjectID)
  /// Several values: `{1, 2, 3}`.
  case aggregate([QueryExpression])
  /// The object that the predicate is asked of: `SELF`.
  case evaluatedObject
  /// A value given later: `$name`.
  case variable(String)
  /// What lies at the end of a path that starts at the value of another expression.
  ///
  /// `stops.cost` starts at ``evaluatedObject``. Elements with an `@` are collection operators, and
  /// take what follows them: `["stops", "@sum", "cost"]`. The path is never empty.
  case keyPath(of: QueryExpression, [String])
  /// A function of the given arguments, as many as it takes.
  case function(Function, [QueryExpression])
  /// A method of a value, by Apple's name for it: `FUNCTION(name, "substringFromIndex:", 2)`.
  case call(QueryExpression, String, [QueryExpression])
  /// One element of a collection: `stops[FIRST]`.
  case element(of: QueryExpression, Index)
  /// Two collections made into one.
  case set(SetOperator, QueryExpression, QueryExpression)
  /// The objects of a collection for which a predicate holds, which knows each by a variable:
  /// `SUBQUERY(stops, $s, $s.cost > 10)`.
  case subquery(QueryExpression, variable: String, QueryPredicate)
  /// One of two values: `TERNARY(predicate, then, otherwise)`.
  case conditional(QueryPredicate, QueryExpression, QueryExpression)
  /// A value as one of another type: `CAST(0, "NSDate")`.
  case cast(QueryExpression, CastType)
  /// The objects of an entity for which a predicate holds, or their number. In the predicate,
  /// variables are those outside.
  case fetch(entity: String, QueryPredicate, countOnly: Bool)
}

extension QueryExpression {
  /// No value: `NULL`.
  public static var null: QueryExpression { .constant(.null) }

  /// The value of a property of the object, or what lies at the end of a path: names and dots.
  public static func path(_ path: String) -> QueryExpression {
    .keyPath(of: .evaluatedObject, path.split(separator: ".").map(String.init))
  }

  /// Which element of a collection.
  public indirect enum Index: Sendable, Hashable {
    /// The first.
    case first
    /// The last.
    case last
    /// Not an element but how many there are.
    case size
    /// The one at the given place, counted from 0.
    case at(QueryExpression)
  }

  /// How two collections are made into one.
  public enum SetOperator: String, Sendable, Hashable, CaseIterable {
    /// What is in either.
    case union = "UNION"
    /// What is in both.
    case intersect = "INTERSECT"
    /// What is in the first and not in the second.
    case minus = "MINUS"
  }

  /// A type that values are cast to, by Apple's name for it.
  public enum CastType: String, Sendable, Hashable, CaseIterable {
    /// A number: of 64 bits, whole if the text is.
    case number = "NSNumber"
    /// A decimal number.
    case decimal = "NSDecimalNumber"
    /// A moment: of a number, the seconds since 2001-01-01 00:00 UTC; of a text, as ISO 8601 has it.
    case date = "NSDate"
    /// Text.
    case string = "NSString"
    /// A UUID.
    case uuid = "NSUUID"
    /// A URI.
    case uri = "NSURL"
    /// Bytes, of their text in base 64.
    case binary = "NSData"
    /// An object, of the URI of its identifier.
    case object = "NSManagedObjectID"
  }
}

extension QueryExpression {
  /// What expressions can compute. The raw values are Apple's names; a colon stands before each
  /// argument.
  public enum Function: String, Sendable, Hashable, CaseIterable {
    // Arithmetic. The first five and the bit functions of two numbers print as operators.
    /// `a + b`
    case add = "add:to:"
    /// `a - b`
    case subtract = "from:subtract:"
    /// `a * b`
    case multiply = "multiply:by:"
    /// `a / b`, cut to a whole number when both are whole.
    case divide = "divide:by:"
    /// `a ** b`
    case power = "raise:toPower:"
    /// The rest of a division.
    case modulus = "modulus:by:"
    /// The number without its sign.
    case abs = "abs:"
    /// The greatest whole number that is not greater.
    case floor = "floor:"
    /// The least whole number that is not less.
    case ceiling = "ceiling:"
    /// The number without its fraction.
    case trunc = "trunc:"
    /// The square root.
    case sqrt = "sqrt:"
    /// The logarithm to base 10.
    case log = "log:"
    /// The natural logarithm.
    case ln = "ln:"
    /// e to the power of the number.
    case exp = "exp:"
    /// A number from 0 up to, but not including, 1.
    case random = "random"
    /// A whole number from 0 up to, but not including, the given one.
    case randomBelow = "randomn:"

    // Bits of whole numbers.
    /// The bits in both: `a & b`.
    case bitwiseAnd = "bitwiseAnd:with:"
    /// The bits in either: `a | b`.
    case bitwiseOr = "bitwiseOr:with:"
    /// The bits in one of the two: `a ^ b`.
    case bitwiseXor = "bitwiseXor:with:"
    /// The bits moved up: `a << b`.
    case leftShift = "leftshift:by:"
    /// The bits moved down: `a >> b`.
    case rightShift = "rightshift:by:"
    /// The bits turned over.
    case onesComplement = "onesComplement:"

    // Collections, or several arguments.
    /// How many.
    case count = "count:"
    /// The sum; 0 of none.
    case sum = "sum:"
    /// The mean; nothing of none.
    case average = "average:"
    /// The least; nothing of none.
    case min = "min:"
    /// The greatest; nothing of none.
    case max = "max:"
    /// The middle, or the mean of the two in the middle.
    case median = "median:"
    /// Those that occur most often.
    case mode = "mode:"
    /// The standard deviation of the whole population.
    case standardDeviation = "stddev:"
    /// Each different value once.
    case distinct = "distinct:"

    // Text and time.
    /// The moment when the query begins.
    case now = "now"
    /// Text in capital letters.
    case uppercase = "uppercase:"
    /// Text in small letters.
    case lowercase = "lowercase:"
    /// Text without case and diacritical marks.
    case canonical = "canonical:"
    /// The number of characters of a text, or of elements of a collection.
    case length = "length:"
    /// The value itself; tells a store not to use an index.
    case noIndex = "noindex:"

    /// How many arguments it takes; `nil` where any number from one.
    public var argumentCount: Int? {
      switch self {
      case .random, .now: 0
      case .count, .sum, .average, .min, .max, .median, .mode, .standardDeviation: nil
      default: rawValue.count { $0 == ":" }
      }
    }
  }
}
