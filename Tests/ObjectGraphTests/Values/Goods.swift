import Entities
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface

// A model with every kind of value: composite, transient, transformable, external, and every attribute type.

@Entity final class Good: ManagedObject {
  var title: String
  var address: Address
  @Transient var nickname: String?
  @Transient var visits: Int32
  @Attribute(.transformable(by: "Colour")) var colour: Data?
  @Attribute(.externalStorage) var picture: Data?
  var text: String?

  /// A text computed from stored values, and not stored itself.
  var label: String { "\(title), \(address.street ?? "nowhere")" }

  override static var validatedKeys: [String] { ["nickname"] }

  override func validateValue(_ value: inout Value, forKey key: String) throws {
    if value == .string("forbidden") { throw Unwanted(what: "nickname") }
  }
}

@Composite struct Address {
  var street: String?
  @Attribute(.matches("[0-9]{5}")) var zip: String?
  var place: Place
}

@Composite struct Place {
  var latitude: Double
  var longitude: Double?
}

/// The error that tests throw.
struct Unwanted: Error, Equatable, CustomStringConvertible {
  var what: String
  var description: String { "unwanted \(what)" }
}

/// The value of the model's transformable attribute.
struct Colour: Codable, Equatable {
  var red: Double
  var name: String
}

enum Goods {
  static let model: Model = try! Model(
    Model.Description(
      entities: [
        Entity(
          "Good",
          properties: [
            .attribute(Attribute("title", .string, isOptional: false, defaultValue: .string("?"))),
            .attribute(Attribute("address", .composite, compositeName: "Address")),
            .attribute(
              Attribute(
                "nickname", .string, isTransient: true, defaultValue: .string("none"))),
            .attribute(Attribute("visits", .int32, isTransient: true)),
            .attribute(Attribute("colour", .transformable, valueTransformerName: "Colour")),
            .attribute(Attribute("plain", .transformable)),
            .attribute(Attribute("picture", .binary, options: .allowsExternalStorage)),
            .attribute(Attribute("text", .string)),
            .attribute(Attribute("int16", .int16)),
            .attribute(Attribute("int32", .int32)),
            .attribute(Attribute("int64", .int64)),
            .attribute(Attribute("decimal", .decimal)),
            .attribute(Attribute("double", .double)),
            .attribute(Attribute("float", .float)),
            .attribute(Attribute("flag", .boolean)),
            .attribute(Attribute("date", .date)),
            .attribute(Attribute("bytes", .binary)),
            .attribute(Attribute("uuid", .uuid)),
            .attribute(Attribute("uri", .uri)),
            .attribute(Attribute("upper", .string, derivation: .init("uppercase:(title)"))),
            .attribute(
              Attribute(
                "bounded", .double,
                validation: .init(minimum: .double(-1), maximum: .double(1)))),
            .attribute(
              Attribute(
                "since", .date,
                validation: .init(minimum: .date(Date(timeIntervalSinceReferenceDate: 0))))),
            .relationship(Relationship("shelf", to: "Shelf", inverse: "goods")),
            .fetched(
              FetchedProperty(
                "namesakes",
                request: FetchRequestTemplate(
                  "namesakes", entity: "Good",
                  predicate: "title == $FETCH_SOURCE.title AND SELF != $FETCH_SOURCE"))),
          ]),
        Entity(
          "Shelf",
          properties: [
            .relationship(
              Relationship("goods", to: "Good", inverse: "shelf", count: .toMany))
          ]),
      ],
      composites: [
        CompositeType(
          "Address",
          attributes: [
            Attribute("street", .string),
            Attribute("zip", .string, validation: .init(pattern: "[0-9]{5}")),
            Attribute("place", .composite, compositeName: "Place"),
          ]),
        CompositeType(
          "Place",
          attributes: [
            Attribute("latitude", .double, isOptional: false, defaultValue: .double(51.5)),
            Attribute("longitude", .double),
          ]),
      ]))

  static let classes: [ManagedObject.Type] = [Good.self]
  static let colours = ValueTransformer.coding("Colour", Colour.self)

  static func graph(_ kind: Kind, _ transformers: [ValueTransformer] = [colours]) throws -> Graph {
    try Graph(kind, model: model, classes: classes, transformers: transformers)
  }
}

extension Graph {
  /// Returns a context of a new coordinator over the same files, or over the same store if the store is in memory.
  func again(_ transformers: [ValueTransformer]? = nil) throws -> ManagedObjectContext {
    ManagedObjectContext(try reopened(transformers), concurrency: .confined)
  }
}
