import Foundation
import ObjectModel
import ObjectQuery
import Rows
import Synchronization
import Testing

/// Paths through one object with many related objects, evaluated for each of them. The time must not grow with the number
/// of pairs.
@Suite("Paths that many objects share")
struct SharedPathTests {
  /// A source that counts followed relationships and object look-ups.
  private final class Counting: QuerySource {
    let source: ViewSource
    let count = Mutex(0)
    var model: Model { source.model }
    var schema: Schema { source.schema }

    init(_ source: ViewSource) { self.source = source }

    func batches(of layout: Layout) throws -> [RowBatch] { try source.batches(of: layout) }
    func row(of key: ObjectKey) throws -> ViewRow? {
      count.withLock { $0 += 1 }
      return try source.row(of: key)
    }
    func objects(
      relatedTo key: ObjectKey, through relationship: ToManyRelationship
    ) throws -> [ObjectKey] {
      count.withLock { $0 += 1 }
      return try source.objects(relatedTo: key, through: relationship)
    }
  }

  private static let employeeCount = 600
  private static let departmentCount = 3

  private func company() throws -> Counting {
    var employee = Entity("Employee")
    employee.declaredProperties = [
      .attribute(Attribute("salary", .int32)), .attribute(Attribute("bonus", .int32)),
      .relationship(Relationship("department", to: "Department", inverse: "employees")),
      .relationship(Relationship("teams", to: "Team", inverse: "members", count: .toMany)),
    ]
    var department = Entity("Department")
    department.declaredProperties = [
      .relationship(
        Relationship("employees", to: "Employee", inverse: "department", count: .toMany))
    ]
    var team = Entity("Team")
    team.declaredProperties = [
      .relationship(Relationship("members", to: "Employee", inverse: "teams", count: .toMany))
    ]
    let model = try Model(entities: [employee, department, team])
    let schema = try Schema(model)
    func key(_ entity: String, _ number: Int) -> ObjectKey {
      ObjectKey(entity: schema[entity]!.entityNumber, number: UInt64(number))
    }
    let builder = LayerBuilder(schema)
    for number in 1...Self.departmentCount { builder.insert(key("Department", number)) }
    builder.insert(key("Team", 1))
    let side = schema.links(of: "Employee", "teams")!
    let links = side.table.layout
    for number in 1...Self.employeeCount {
      let layout = schema["Employee"]!
      let one = key("Employee", number)
      builder.insert(one)
      builder.set(.integer(Int64(number)), column: layout.index(of: "salary")!, of: one)
      builder.set(.integer(Int64(number - 1)), column: layout.index(of: "bonus")!, of: one)
      let department = key("Department", number % Self.departmentCount + 1)
      builder.set(.object(department), column: layout.index(of: "department")!, of: one)
      let link = ObjectKey(entity: links.entityNumber, number: UInt64(number))
      builder.insert(link)
      builder.set(.object(one), column: links.index(ofNumber: side.owner.number)!, of: link)
      builder.set(
        .object(key("Team", 1)), column: links.index(ofNumber: side.destination.number)!, of: link)
    }
    return Counting(ViewSource(View([builder.freeze()]), model: model, schema: schema))
  }

  @Test(
    "Each object on a path is followed once, and not once for each pair",
    arguments: [
      ("ANY department.employees.salary > 598", 400),
      ("ALL department.employees.salary < 600", 400),
      ("NONE department.employees.salary > 599", 400),
      ("department.employees.@max.salary > 598", 400), ("department.employees.@count == 200", 600),
      ("SUBQUERY(department.employees, $e, $e.salary > 598).@count > 0", 400),
      ("SUBQUERY(department.employees, $e, $e.salary > 598).@count == 0", 200),
      ("ANY department.employees.department.employees.salary == 600", 200),
      ("ANY teams.members.salary == 600", 600), ("ALL teams.members.salary > 0", 600),
      ("max(department.employees.salary) == 600", 200),
      ("count(department.employees) > 199", 600), ("sum(department.employees.bonus) > 60000", 200),
      ("ANY department.employees.salary > bonus + 597", 3),
      ("department.employees.@max.salary > bonus + 1", 597),
    ])
  func linear(_ text: String, _ expected: Int) throws {
    let source = try company()
    let plan = try QueryPlan(
      QueryRequest("Employee", where: QueryPredicate(text)), model: source.model,
      schema: source.schema)

    #expect(try plan.count(in: source) == expected, "\(text)")
    // There are 120 000 pairs.
    #expect(source.count.withLock { $0 } <= 3 * Self.employeeCount, "\(text)")
  }
}
