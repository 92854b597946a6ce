import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import SeededRandom
import TestEffort

/// Random work of every kind on trips and people, in small steps.
struct UndoWork {
  var random: SeededGenerator
  private var passportNumber = 0

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// Returns the seeds to try.
  static func seeds(_ kind: Kind) -> [UInt64] { Effort.seeds(kind == .memory ? 4 : 1) }

  private mutating func one<T: ManagedObject>(
    of type: T.Type, in context: ManagedObjectContext
  ) throws -> T? {
    try context.fetch(type).randomElement(using: &random)
  }

  private mutating func several<T: ManagedObject>(
    of type: T.Type, in context: ManagedObjectContext
  ) throws -> [T] {
    let all = try context.fetch(type).shuffled(using: &random)
    return Array(all.prefix(Int.random(in: 0...4, using: &random)))
  }

  /// Does one step.
  mutating func step(in context: ManagedObjectContext) throws {
    switch Int.random(in: 0..<20, using: &random) {
    case 0...3:
      let age = Int32.random(in: 0..<100, using: &random)
      if Bool.random(using: &random) {
        try context.insert(Person.self) {
          $0.name = "P\(age)"
          $0.age = age
        }
      } else {
        try context.insert(Guide.self) {
          $0.name = "G\(age)"
          $0.language = age % 2 == 0 ? nil : "L\(age)"
        }
      }
    case 4...6:
      let owner = try one(of: Person.self, in: context)
      try context.insert(Trip.self) {
        $0.name = "Trip"
        $0.owner = owner
      }
    case 7:
      let trip = try one(of: Trip.self, in: context)
      try context.insert(Stop.self) {
        $0.place = "S"
        $0.trip = trip
      }
    case 8:
      passportNumber += 1
      let holder = try one(of: Person.self, in: context)
      try context.insert(Passport.self) {
        $0.number = "\(passportNumber)"
        $0.holder = holder
      }
    case 9...10:
      guard let person = try one(of: Person.self, in: context) else { return }
      person.age = Int32.random(in: 0..<100, using: &random)
      if Bool.random(using: &random) { person.name += "!" }
    case 11:
      guard let person = try one(of: Person.self, in: context) else { return }
      person["nickname"] = .string("N\(Int.random(in: 0..<100, using: &random))")
    case 12: try one(of: Trip.self, in: context)?.cost = 7
    case 13: try one(of: Trip.self, in: context)?.owner = one(of: Person.self, in: context)
    case 14:
      guard let trip = try one(of: Trip.self, in: context) else { return }
      trip.members = RelatedObjects(try several(of: Person.self, in: context))
    case 15:
      guard let person = try one(of: Person.self, in: context) else { return }
      person.friends = RelatedObjects(try several(of: Person.self, in: context))
    case 16:
      guard let trip = try one(of: Trip.self, in: context) else { return }
      trip.stops = RelatedObjects(try several(of: Stop.self, in: context))
    case 17:
      guard let passport = try one(of: Passport.self, in: context) else { return }
      passport.holder = try one(of: Person.self, in: context)
    case 18:
      let entity = ["Stop", "Passport", "Trip"].randomElement(using: &random)!
      let doomed = try context.fetch(FetchRequest(entity)).randomElement(using: &random)
      if let doomed { context.delete(doomed) }
    default: if let doomed = try one(of: Person.self, in: context) { context.delete(doomed) }
    }
  }

  /// Does a few steps in a row.
  mutating func turn(in context: ManagedObjectContext) throws {
    for _ in 0..<Int.random(in: 1...4, using: &random) { try step(in: context) }
  }
}
