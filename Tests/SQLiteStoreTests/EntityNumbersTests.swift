import ObjectModel
import Testing

@testable import SQLiteStore

@Suite("Numbers of entities in tables")
struct EntityNumbersTests {
  @Test("Entities are numbered depth first, and siblings by name regardless of case")
  func order() throws {
    var car = Entity("car")
    var sport = Entity("SportCar")
    sport.superentity = "car"
    var fast = Entity("FastCar")
    fast.superentity = "SportCar"
    var bus = Entity("Bus")
    bus.declaredProperties = [.attribute(Attribute("seats", .int16))]
    car.declaredProperties = [.attribute(Attribute("maker", .string))]
    let model = try Model(entities: [fast, sport, car, bus, Entity("Driver")])
    #expect(EntityNumbers(model).names == ["Bus", "car", "SportCar", "FastCar", "Driver"])
  }
}
