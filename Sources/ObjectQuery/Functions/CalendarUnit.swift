extension QueryExpression {
  /// A unit of the calendar, to whose start `TRUNC` moves a date.
  public enum CalendarUnit: String, Sendable, Hashable, CaseIterable {
    /// A year, from January 1.
    case year
    /// Three months, from January, April, July or October.
    case quarter
    /// A month, from its first day.
    case month
    case week
    case day
    case hour
    case minute
    case second

    /// Creates the unit with a name, in letters of any case.
    init?(name: String) { self.init(rawValue: name.lowercased()) }
  }
}
