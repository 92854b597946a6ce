import Foundation
import ObjectGraph
import ObjectModel

// The model that most tests use: trips with ordered stops, people who own and join them, passports.

class Person: ManagedObject {
  static let nameKey = AttributeName<String>("name")
  static let trips = ToManyName<Trip>("trips")
  static let joined = ToManyName<Trip>("joined")
  static let friends = ToManyName<Person>("friends")
  static let passport = ToOneName<Passport>("passport")
  var name: String {
    get { self[Person.nameKey] }
    set { self[Person.nameKey] = newValue }
  }
  var age: Int32 {
    get { self[AttributeName<Int32>("age")] }
    set { self[AttributeName<Int32>("age")] = newValue }
  }
  var trips: RelatedObjects<Trip> {
    get { self[Person.trips] }
    set { self[Person.trips] = newValue }
  }
  var joined: RelatedObjects<Trip> {
    get { self[Person.joined] }
    set { self[Person.joined] = newValue }
  }
  var friends: RelatedObjects<Person> {
    get { self[Person.friends] }
    set { self[Person.friends] = newValue }
  }
  var passport: Passport? {
    get { self[Person.passport] }
    set { self[Person.passport] = newValue }
  }
  var tripCount: Int { self[AttributeName<Int>("tripCount")] }
}

final class Guide: Person {
  var language: String? {
    get { self[AttributeName<String?>("language")] }
    set { self[AttributeName<String?>("language")] = newValue }
  }
}

final class Trip: ManagedObject {
  var name: String {
    get { self[AttributeName<String>("name")] }
    set { self[AttributeName<String>("name")] = newValue }
  }
  var start: Date? {
    get { self[AttributeName<Date?>("start")] }
    set { self[AttributeName<Date?>("start")] = newValue }
  }
  var cost: Double {
    get { self[AttributeName<Double>("cost")] }
    set { self[AttributeName<Double>("cost")] = newValue }
  }
  var owner: Person? {
    get { self[ToOneName<Person>("owner")] }
    set { self[ToOneName<Person>("owner")] = newValue }
  }
  var members: RelatedObjects<Person> {
    get { self[ToManyName<Person>("members")] }
    set { self[ToManyName<Person>("members")] = newValue }
  }
  var stops: RelatedObjects<Stop> {
    get { self[ToManyName<Stop>("stops")] }
    set { self[ToManyName<Stop>("stops")] = newValue }
  }
}

final class Stop: ManagedObject {
  var place: String {
    get { self[AttributeName<String>("place")] }
    set { self[AttributeName<String>("place")] = newValue }
  }
  var trip: Trip? {
    get { self[ToOneName<Trip>("trip")] }
    set { self[ToOneName<Trip>("trip")] = newValue }
  }
}

final class Passport: ManagedObject {
  var number: String {
    get { self[AttributeName<String>("number")] }
    set { self[AttributeName<String>("number")] = newValue }
  }
  var holder: Person? {
    get { self[ToOneName<Person>("holder")] }
    set { self[ToOneName<Person>("holder")] = newValue }
  }
}

enum Travels {
  static let classes: [ManagedObject.Type] = [
    Person.self, Guide.self, Trip.self, Stop.self, Passport.self,
  ]

  static let model: Model = try! Model(entities: [
    Entity(
      "Person",
      properties: [
        .attribute(Attribute("name", .string, isOptional: false)),
        .attribute(
          Attribute(
            "age", .int32, isOptional: false, defaultValue: .integer(0),
            validation: .init(minimum: .integer(0), maximum: .integer(150)))),
        .attribute(Attribute("photo", .binary, options: .allowsExternalStorage)),
        .attribute(Attribute("nickname", .string, isTransient: true)),
        .attribute(
          Attribute("tripCount", .int64, derivation: .init("trips.@count"))),
        .attribute(
          Attribute("plainName", .string, derivation: .init("canonical:(name)"))),
        .relationship(
          Relationship(
            "trips", to: "Trip", inverse: "owner", count: .toMany, deleteRule: .cascade)),
        .relationship(Relationship("joined", to: "Trip", inverse: "members", count: .toMany)),
        .relationship(Relationship("friends", to: "Person", inverse: "friends", count: .toMany)),
        .relationship(
          Relationship("passport", to: "Passport", inverse: "holder", deleteRule: .cascade)),
      ]),
    Entity(
      "Guide", superentity: "Person", properties: [.attribute(Attribute("language", .string))]),
    Entity(
      "Trip",
      properties: [
        .attribute(
          Attribute(
            "name", .string, isOptional: false,
            validation: .init(minimum: .integer(1), maximum: .integer(80)))),
        .attribute(Attribute("start", .date)),
        .attribute(Attribute("cost", .double, defaultValue: .double(0))),
        .relationship(Relationship("owner", to: "Person", inverse: "trips")),
        .relationship(Relationship("members", to: "Person", inverse: "joined", count: .toMany)),
        .relationship(
          Relationship(
            "stops", to: "Stop", inverse: "trip", count: .toMany, isOrdered: true,
            deleteRule: .cascade)),
      ]),
    Entity(
      "Stop",
      properties: [
        .attribute(Attribute("place", .string, isOptional: false, defaultValue: .string(""))),
        .relationship(Relationship("trip", to: "Trip", inverse: "stops")),
      ]),
    Entity(
      "Passport",
      properties: [
        .attribute(Attribute("number", .string, isOptional: false)),
        .relationship(Relationship("holder", to: "Person", inverse: "passport")),
      ], uniquenessConstraints: [["number"]]),
  ])
}
