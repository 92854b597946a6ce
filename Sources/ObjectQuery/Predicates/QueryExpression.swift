public import ObjectModel

/// An expression, whose value may depend on an object; it corresponds to `NSExpression` in Core Data.
///
///     let total = try QueryExpression("stops.@sum.cost * 1.2")
public indirect enum QueryExpression: Sendable, Hashable {
  /// A value. 32-bit floating-point numbers become 64-bit numbers.
  case constant(Value)
  /// Another object, by its identifier.
  case object(ObjectID)
  /// Several values: `{1, 2, 3}`.
  case aggregate([QueryExpression])
  /// The object for which the predicate is evaluated: `SELF`.
  case evaluatedObject
  /// A variable, whose value is supplied later: `$name`.
  case variable(String)
  /// The value at the end of a path that starts at the value of another expression.
  ///
  /// `stops.cost` starts at ``evaluatedObject``. Elements with an `@` are collection operators, and apply to the
  /// elements after them: `["stops", "@sum", "cost"]`. The path is never empty.
  case keyPath(of: QueryExpression, [String])
  /// A function with as many arguments as it takes.
  case function(Function, [QueryExpression])
  /// A method of a value, by Apple's name for it: `FUNCTION(name, "substringFromIndex:", 2)`.
  case call(QueryExpression, String, [QueryExpression])
  /// One element of a collection: `stops[FIRST]`.
  case element(of: QueryExpression, Index)
  /// Two collections combined into one.
  case set(SetOperator, QueryExpression, QueryExpression)
  /// The objects of a collection that meet a predicate, in which a variable stands for the object: `SUBQUERY(stops,
  /// $s, $s.cost > 10)`.
  case subquery(QueryExpression, variable: String, QueryPredicate)
  /// One of two values: `TERNARY(predicate, then, otherwise)`.
  case conditional(QueryPredicate, QueryExpression, QueryExpression)
  /// A value converted to another type: `CAST(0, "NSDate")`.
  case cast(QueryExpression, CastType)
  /// The objects of an entity that meet a predicate, or their number. The predicate can use the variables from
  /// outside.
  case fetch(entity: String, QueryPredicate, countOnly: Bool)
}

extension QueryExpression {
  public static var null: QueryExpression { .constant(.null) }

  /// Returns the expression for a property of the object, or for the end of a path of names and dots.
  public static func path(_ path: String) -> QueryExpression {
    .keyPath(of: .evaluatedObject, path.split(separator: ".").map(String.init))
  }

  /// The position of an element in a collection.
  public indirect enum Index: Sendable, Hashable {
    case first
    case last
    /// The number of elements instead of an element.
    case size
    /// The element at the given position, counted from 0.
    case at(QueryExpression)
  }

  /// The way to combine two collections.
  public enum SetOperator: String, Sendable, Hashable, CaseIterable {
    /// The elements of either collection.
    case union = "UNION"
    /// The elements of both collections.
    case intersect = "INTERSECT"
    /// The elements of the first collection that are not in the second.
    case minus = "MINUS"
  }

  /// A type that values are cast to, by Apple's name for it.
  public enum CastType: String, Sendable, Hashable, CaseIterable {
    /// A number of 64 bits; whole if the text is a whole number.
    case number = "NSNumber"
    case decimal = "NSDecimalNumber"
    /// A date: from a number, the seconds since 2001-01-01 00:00 UTC; from a text, an ISO 8601 date.
    case date = "NSDate"
    case string = "NSString"
    case uuid = "NSUUID"
    case uri = "NSURL"
    /// Bytes, from their text in base 64.
    case binary = "NSData"
    /// An object, from the URI of its identifier.
    case object = "NSManagedObjectID"
  }
}

extension QueryExpression {
  /// The functions of expressions. The raw values are Apple's names, with a colon before each argument.
  public enum Function: String, Sendable, Hashable, CaseIterable {
    // Arithmetic. The first five and the bit functions of two numbers print as operators.
    case add = "add:to:"
    case subtract = "from:subtract:"
    case multiply = "multiply:by:"
    /// `a / b`, truncated to a whole number if both are whole.
    case divide = "divide:by:"
    case power = "raise:toPower:"
    /// The remainder of a division.
    case modulus = "modulus:by:"
    /// The number without its sign.
    case abs = "abs:"
    /// The greatest whole number that is not above the number.
    case floor = "floor:"
    /// The least whole number that is not below the number.
    case ceiling = "ceiling:"
    /// The number without its fraction. With a date, a ``CalendarUnit`` and perhaps a time zone: the start of that unit.
    case trunc = "trunc:"
    /// The number rounded to a whole number, or to a number of decimal places. Halves are rounded away from zero.
    case round = "round:"
    case sqrt = "sqrt:"
    /// The logarithm to base 10.
    case log = "log:"
    case ln = "ln:"
    /// e raised to the power of the number.
    case exp = "exp:"
    /// A number from 0 up to, but not including, 1.
    case random = "random"
    /// A whole number from 0 up to, but not including, the given number.
    case randomBelow = "randomn:"

    // Functions on the bits of whole numbers.
    /// The bits set in both numbers: `a & b`.
    case bitwiseAnd = "bitwiseAnd:with:"
    /// The bits set in either number: `a | b`.
    case bitwiseOr = "bitwiseOr:with:"
    /// The bits set in exactly one of the numbers: `a ^ b`.
    case bitwiseXor = "bitwiseXor:with:"
    /// The bits shifted up: `a << b`.
    case leftShift = "leftshift:by:"
    /// The bits shifted down: `a >> b`.
    case rightShift = "rightshift:by:"
    case onesComplement = "onesComplement:"

    // Functions of a collection, or of several arguments.
    case count = "count:"
    /// The sum; 0 for no values.
    case sum = "sum:"
    /// The mean; null for no values.
    case average = "average:"
    /// The least value; null for no values.
    case min = "min:"
    /// The greatest value; null for no values.
    case max = "max:"
    /// The middle value, or the mean of the two middle values.
    case median = "median:"
    /// The values that occur most often.
    case mode = "mode:"
    /// The standard deviation of the whole population.
    case standardDeviation = "stddev:"
    case distinct = "distinct:"

    // Functions of dates. Those with a second argument take the name of a time zone, and use UTC without it.
    /// The time at which the query begins.
    case now = "now"
    /// The year of a date in the proleptic Gregorian calendar.
    case year = "year:"
    /// The quarter of the year, from 1 to 4.
    case quarter = "quarter:"
    case month = "month:"
    /// The week of the year by ISO 8601, from 1 to 53.
    case week = "week:"
    /// The day of the month, from 1 to 31.
    case day = "day:"
    /// The day of the week by ISO 8601, from 1 for Monday to 7 for Sunday.
    case weekday = "weekday:"
    /// The hour of the day, from 0 to 23.
    case hour = "hour:"
    /// The minute of the hour, from 0 to 59.
    case minute = "minute:"
    /// The whole second of the minute, from 0 to 59.
    case second = "second:"

    // Functions of texts.
    case uppercase = "uppercase:"
    case lowercase = "lowercase:"
    /// Text without case and diacritical marks.
    case canonical = "canonical:"
    /// The number of characters of a text, or of elements of a collection.
    case length = "length:"
    /// The characters from a position on, counted from 1, or as many of them as a third argument asks for.
    case substring = "substring:"
    /// The text with each occurrence of a part replaced by another text.
    case replace = "replace:"
    /// The text without white space at its start and its end.
    case trim = "trim:"
    /// The texts of all values, one after the other.
    case concat = "concat:"

    // Functions of values of any type.
    /// The first value that is not null.
    case coalesce = "coalesce:"
    /// The value itself, with a hint to a store not to use an index.
    case noIndex = "noindex:"
  }
}
