import Entities
import Foundation
import ObjectGraph
import ObjectModel

// The model that most tests use: trips with ordered stops, people with passports, and owners and members of trips.

@Entity class Person: ManagedObject {
  var name: String
  var age: Int32
  @Relationship var trips: RelatedObjects<Trip>
  @Relationship var joined: RelatedObjects<Trip>
  @Relationship var friends: RelatedObjects<Person>
  var passport: Passport?
  @Derived("trips.@count") var tripCount: Int
}

@Entity final class Guide: Person {
  var language: String?
}

@Entity final class Trip: ManagedObject {
  var name: String
  var start: Date?
  var cost: Double
  var owner: Person?
  @Relationship var members: RelatedObjects<Person>
  @Relationship var stops: RelatedObjects<Stop>
}

@Entity final class Stop: ManagedObject {
  var place: String
  var trip: Trip?
}

@Entity final class Passport: ManagedObject {
  var number: String
  var holder: Person?
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
