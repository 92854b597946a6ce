public import ObjectGraph
public import ObjectModel
public import ObjectQuery

/// A value that a request computes for each group of objects, such as a sum.
///
///     let sums = Trip.all.grouped(by: \.name, fetching: .sum(\.cost), .count)
///     let table = try context.fetchTable(sums)
///     let costs = table.values(named: "sum(cost)", as: Double.self)
///
/// The name of a value is the function with the attribute in brackets, unless the program names it with `as:`.
/// `FetchedValue` takes any expression.
public struct GroupValue<Object: ManagedObject> {
  let value: FetchedValue

  /// Takes any expression with a name.
  public init(_ value: FetchedValue) { self.value = value }

  private init(
    _ function: QueryExpression.Function, _ word: String, _ path: PartialKeyPath<Object>,
    _ name: String?
  ) {
    let attribute = PropertyPaths.name(of: path, in: Object.self)
    value = FetchedValue(
      name ?? "\(word)(\(attribute))", .function(function, [.path(attribute)]))
  }

  /// The number of objects in the group, under the name `count`.
  public static var count: GroupValue {
    GroupValue(FetchedValue("count", .function(.count, [.evaluatedObject])))
  }

  /// Returns the sum of an attribute.
  public static func sum<Value: AttributeValue>(
    _ path: KeyPath<Object, Value>, as name: String? = nil
  ) -> GroupValue where Value.Bare: NumericAttributeValue {
    GroupValue(.sum, "sum", path, name)
  }

  /// Returns the mean of an attribute.
  public static func average<Value: AttributeValue>(
    _ path: KeyPath<Object, Value>, as name: String? = nil
  ) -> GroupValue where Value.Bare: NumericAttributeValue {
    GroupValue(.average, "average", path, name)
  }

  /// Returns the least value of an attribute.
  public static func min<Value: AttributeValue>(
    _ path: KeyPath<Object, Value>, as name: String? = nil
  ) -> GroupValue where Value.Bare: Comparable { GroupValue(.min, "min", path, name) }

  /// Returns the greatest value of an attribute.
  public static func max<Value: AttributeValue>(
    _ path: KeyPath<Object, Value>, as name: String? = nil
  ) -> GroupValue where Value.Bare: Comparable { GroupValue(.max, "max", path, name) }
}

extension FetchRequest {
  /// Returns the request for groups of objects with the same values of some properties, with values of each group. Use
  /// it with `fetchTable`.
  ///
  ///     let sums = Trip.all.grouped(by: \.name, fetching: .sum(\.cost))
  public func grouped<each Key>(
    by paths: repeat KeyPath<Object, each Key>, fetching value: GroupValue<Object>,
    _ others: GroupValue<Object>...
  ) -> FetchRequest {
    var names: [String] = []
    for path in repeat each paths { names.append(PropertyPaths.name(of: path, in: Object.self)) }
    return grouped(byPaths: names, fetching: values([value] + others))
  }

  /// Returns the request for groups of objects with the same value behind a relationship. Use it with `fetchTable`.
  ///
  ///     let sums = Trip.all.grouped(by: { $0.owner.name }, fetching: .sum(\.cost))
  ///     let names = try context.fetchTable(sums).values(named: "owner.name", as: String.self)
  public func grouped<each Key>(
    by fields: repeat (EntityField<Object, Object>) -> EntityField<Object, each Key>,
    fetching value: GroupValue<Object>, _ others: GroupValue<Object>...
  ) -> FetchRequest {
    var paths: [String] = []
    for field in repeat each fields { paths.append(path(to: field)) }
    return grouped(byPaths: paths, fetching: values([value] + others))
  }

  /// Returns the request for groups of objects with the same computed value, which the rows contain under a name. Use it
  /// with `fetchTable`.
  ///
  ///     let months = Trip.all.grouped(by: { $0.start.truncated(to: .month) }, as: "month", fetching: .count)
  ///     let starts = try context.fetchTable(months).values(named: "month", as: Date.self)
  public func grouped<Key>(
    by value: (EntityField<Object, Object>) -> ComputedExpression<Object, Key>, as name: String,
    fetching first: GroupValue<Object>, _ others: GroupValue<Object>...
  ) -> FetchRequest {
    let key = FetchedValue(name, value(EntityField<Object, Object>([])).queryExpression)
    var grouped = self
    grouped.query.propertiesToGroupBy = [name]
    grouped.query.propertiesToFetch = [key] + values([first] + others)
    return grouped
  }

  // A key path in a function with a pack of types stops the program, so the functions above call this one.
  private func values(_ values: [GroupValue<Object>]) -> [FetchedValue] { values.map(\.value) }

  func grouped(byPaths paths: [String], fetching values: [FetchedValue]) -> FetchRequest {
    var grouped = self
    grouped.query.propertiesToGroupBy = paths
    grouped.query.propertiesToFetch = paths.map { FetchedValue($0) } + values
    return grouped
  }
}
