import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@Suite("Derived attributes")
struct DerivedTests {
  private static func derived(
    _ name: String, _ type: AttributeType, _ text: String, _ filter: String? = nil
  )
    -> Property
  {
    .attribute(Attribute(name, type, derivation: .init(text, filter: filter)))
  }

  /// The model: orders of customers of regions, with items.
  private static let model: Model = try! Model(entities: [
    Entity(
      "Region",
      properties: [
        .attribute(Attribute("name", .string)),
        .relationship(Relationship("customers", to: "Customer", inverse: "region", count: .toMany)),
        derived("orderCount", .int64, "customers.orders.@count"),
      ]),
    Entity(
      "Customer",
      properties: [
        .attribute(Attribute("name", .string)),
        .relationship(Relationship("region", to: "Region", inverse: "customers")),
        .relationship(
          Relationship(
            "orders", to: "Order", inverse: "customer", count: .toMany, deleteRule: .cascade)),
      ]),
    Entity(
      "Order",
      properties: [
        .attribute(Attribute("number", .string)),
        .relationship(Relationship("customer", to: "Customer", inverse: "orders")),
        .relationship(
          Relationship("items", to: "Item", inverse: "order", count: .toMany, deleteRule: .cascade)),
        derived("total", .decimal, "sum:(items.price)"),
        derived("most", .double, "items.@max.rate"),
        derived("least", .int32, "min:(items.count)"), derived("mean", .double, "items.@avg.count"),
        derived("newest", .date, "max:(items.made)"),
        derived("cheap", .int64, "items.@count", "price < 10"),
        derived("customerName", .string, "customer.name"),
        derived("regionName", .string, "customer.region.name"),
        derived("loud", .string, "uppercase:(customer.name)"),
        derived("quiet", .string, "lowercase:(number)"),
        derived("plain", .string, "canonical:(number)"),
        derived("saved", .date, "now()"),
      ]),
    Entity("Gift", superentity: "Order", properties: [.attribute(Attribute("note", .string))]),
    Entity(
      "Item",
      properties: [
        .attribute(Attribute("price", .decimal)), .attribute(Attribute("rate", .double)),
        .attribute(Attribute("count", .int32)), .attribute(Attribute("made", .date)),
        .relationship(Relationship("order", to: "Order", inverse: "items")),
      ]),
  ])

  private struct Shop {
    let graph: Graph
    let context: ManagedObjectContext
    let regions: [ManagedObject]
    let customers: [ManagedObject]
    let orders: [ManagedObject]

    init(_ kind: Kind) throws {
      graph = try Graph(kind, model: DerivedTests.model, classes: [])
      let context = graph.context()
      self.context = context
      func make(_ entity: String, _ key: String, _ name: String) throws -> ManagedObject {
        let object = try context.insert(entity)
        object[key] = .string(name)
        return object
      }
      regions = [try make("Region", "name", "North"), try make("Region", "name", "South")]
      customers = [try make("Customer", "name", "Ada"), try make("Customer", "name", "Émile")]
      orders = [try make("Order", "number", "Á-1"), try make("Gift", "number", "B-2")]
      for (customer, region) in zip(customers, regions) {
        customer.setObjects([region], forKey: "region")
      }
      for (order, customer) in zip(orders, customers) {
        order.setObjects([customer], forKey: "customer")
      }
      for number in 1...6 { try item(number, orders[number % 2]) }
    }

    @discardableResult
    func item(_ number: Int, _ order: ManagedObject) throws -> ManagedObject {
      let item = try context.insert("Item")
      try item.setValues([
        "price": .decimal(Decimal(number) * 5 / 2), "rate": .double(Double(number) / 4),
        "count": .integer(Int64(number)),
        "made": .date(Date(timeIntervalSinceReferenceDate: Double(number))),
      ])
      item.setObjects([order], forKey: "order")
      return item
    }

    func items(_ order: Int) -> [ManagedObject] {
      orders[order].value(forKey: "items") as? [ManagedObject] ?? []
    }

    /// Saves, and expects the right value of every derived attribute, in this context and in a new one.
    func check(_ step: String) throws {
      try context.save()
      for context in [context, try graph.again()] {
        for order in try context.fetch(FetchRequest("Order")) {
          let items = order.value(forKey: "items") as? [ManagedObject] ?? []
          let customer = order.value(forKey: "customer") as? ManagedObject
          let region = customer?.value(forKey: "region") as? ManagedObject
          let counts = items.compactMap { $0.value(forKey: "count") as? Int32 }.map { Int($0) }
          let prices = items.compactMap { $0.value(forKey: "price") as? Decimal }
          let name = customer?.value(forKey: "name") as? String
          let number = order.value(forKey: "number") as? String
          func expect<V: Equatable>(_ key: String, _ wanted: V?) {
            // A whole number has the type of its attribute.
            let value = order.value(forKey: key)
            let number = (value as? any BinaryInteger).map { Int($0) }
            let found = number as? V ?? value as? V
            #expect(found == wanted, "\(step): \(key)")
          }
          expect("total", prices.reduce(0, +) as Decimal?)
          expect("cheap", prices.count { $0 < 10 })
          expect("most", items.compactMap { $0.value(forKey: "rate") as? Double }.max())
          expect("least", counts.min())
          expect("mean", counts.isEmpty ? nil : Double(counts.reduce(0, +)) / Double(counts.count))
          expect("newest", items.compactMap { $0.value(forKey: "made") as? Date }.max())
          expect("customerName", name)
          expect("loud", name?.uppercased())
          expect("regionName", region?.value(forKey: "name") as? String)
          expect("quiet", number?.lowercased())
          expect(
            "plain",
            number?.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil))
          #expect(order.value(forKey: "saved") is Date, "\(step)")
        }
        for region in try context.fetch(FetchRequest("Region")) {
          let customers = region.value(forKey: "customers") as? [ManagedObject] ?? []
          let orders = customers.flatMap { $0.value(forKey: "orders") as? [ManagedObject] ?? [] }
          #expect(region.value(forKey: "orderCount") as? Int == orders.count, "\(step): orderCount")
        }
      }
    }
  }

  @Test(
    "Derived attributes follow their sources over any number of relationships",
    arguments: Kind.allCases)
  func follow(_ kind: Kind) throws {
    let shop = try Shop(kind)
    try shop.check("insert")
    shop.items(0)[0]["price"] = .decimal(100)
    try shop.check("change of an item")
    shop.items(0)[1].setObjects([shop.orders[1]], forKey: "order")
    try shop.check("move of an item")
    shop.context.delete(shop.items(1)[0])
    try shop.check("deletion of an item")
    shop.items(1)[0].setObjects([], forKey: "order")
    try shop.check("item without an order")
    for item in shop.items(0) { item["count"] = .null }
    try shop.check("no values")
    shop.customers[0]["name"] = .string("Grace")
    try shop.check("change of a customer")
    shop.orders[1].setObjects([shop.customers[0]], forKey: "customer")
    try shop.check("order into another region")
    shop.orders[1].setObjects([shop.customers[1]], forKey: "customer")
    try shop.check("order back")
    shop.regions[1]["name"] = .string("Far South")
    try shop.check("change of a region")
    shop.customers[0].setObjects([shop.regions[1]], forKey: "region")
    try shop.check("move of a customer")
    shop.orders[1].setObjects([shop.customers[0]], forKey: "customer")
    try shop.check("move of an order")
    shop.orders[0]["number"] = .string("ß-É")
    try shop.check("change of an order")
    shop.context.delete(shop.regions[1])
    try shop.check("deletion of a region")
    for item in shop.items(0) { shop.context.delete(item) }
    try shop.check("no items")
    shop.context.delete(shop.customers[0])
    try shop.check("deletion of a customer")
    #expect(try shop.context.count(for: FetchRequest("Order")) == 0)
  }

  @Test(
    "A derived save time changes when an object is saved with changes, and only then",
    arguments: Kind.allCases)
  func moment(_ kind: Kind) throws {
    let shop = try Shop(kind)
    let before = Date()
    try shop.context.save()
    let first = try #require(shop.orders[0].value(forKey: "saved") as? Date)
    #expect(first >= before.addingTimeInterval(-0.001) && first <= Date())
    shop.orders[1]["number"] = .string("C")
    try shop.context.save()
    #expect(shop.orders[0].value(forKey: "saved") as? Date == first)
    #expect(try #require(shop.orders[1].value(forKey: "saved") as? Date) >= first)
  }

  @Test(
    "Derived attributes follow a child's and undone changes at the save", arguments: Kind.allCases)
  func nested(_ kind: Kind) throws {
    let shop = try Shop(kind)
    try shop.check("insert")
    let undo = UndoStack()
    shop.context.undoStack = undo
    let child = ManagedObjectContext(parent: shop.context, concurrency: .confined)
    let item = child.object(shop.items(0)[0])
    item["price"] = .decimal(7)
    try child.save()
    try shop.check("change in a child")
    try undo.undo()
    try shop.check("undone")
    try undo.redo()
    try shop.check("redone")
    shop.context.delete(shop.items(0)[0])
    try shop.context.processPendingChanges()
    shop.context.rollback()
    #expect(!shop.context.hasChanges)
    shop.items(1)[0]["price"] = .decimal(1)
    try shop.check("after rolling back")
  }

  @Test(
    "A value derived over two relationships is right if its source was saved at the same moment",
    arguments: Kind.allCases, [false, true])
  func overtaken(_ kind: Kind, isOrderFirst: Bool) throws {
    let model = try Model(entities: [
      Entity(
        "Region",
        properties: [
          .attribute(Attribute("name", .string)),
          .relationship(
            Relationship("customers", to: "Customer", inverse: "region", count: .toMany)),
        ]),
      Entity(
        "Customer",
        properties: [
          .relationship(Relationship("region", to: "Region", inverse: "customers")),
          .relationship(Relationship("orders", to: "Order", inverse: "customer", count: .toMany)),
        ]),
      Entity(
        "Order",
        properties: [
          .relationship(Relationship("customer", to: "Customer", inverse: "orders")),
          Self.derived("regionName", .string, "customer.region.name"),
        ]),
    ])
    let graph = try Graph(kind, model: model, classes: [Interrupted.self, InterruptedOrder.self])
    let (one, two) = (graph.context(), graph.context())
    let region = try one.insert("Region")
    region["name"] = .string("North")
    let customer = try one.insert("Customer")
    customer.setObjects([region], forKey: "region")
    try one.save()

    func rename(_ region: Interrupted) { region["name"] = .string("South") }
    func order(_ order: InterruptedOrder, in context: ManagedObjectContext) throws {
      order.setObjects([try context.existingObject(with: customer.objectID)], forKey: "customer")
    }
    if isOrderFirst {
      let theirs = try #require(two.existingObject(with: region.objectID) as? Interrupted)
      rename(theirs)
      theirs.interruption = {
        try order(try one.insert(InterruptedOrder.self), in: one)
        try one.save()
      }
      try two.save()
    } else {
      let made = try one.insert(InterruptedOrder.self)
      try order(made, in: one)
      made.interruption = {
        rename(try #require(two.existingObject(with: region.objectID) as? Interrupted))
        try two.save()
      }
      try one.save()
    }

    let found = try graph.context().fetch(InterruptedOrder.self)
    #expect(found.map { $0["regionName"] } == [.string("South")])
  }
}

/// A region that saves another context during its own save.
private class Interrupted: ManagedObject {
  override class var entityName: String { "Region" }
  var interruption: (() throws -> Void)?

  override func willSave() {
    guard let body = interruption else { return }
    interruption = nil
    do { try body() } catch { Issue.record(error) }
  }
}

private final class InterruptedOrder: Interrupted {
  override class var entityName: String { "Order" }
}
