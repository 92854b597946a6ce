import Testing

@testable import ObjectModel

@Suite("Parts of composite attributes")
struct AttributePartsTests {
  private static func model(_ attribute: Attribute, _ types: CompositeType...) throws -> Model {
    try Model(
      Model.Description(
        entities: [Entity("Trip", properties: [.attribute(attribute)])], composites: types))
  }

  private static func composite(_ name: String, _ type: String) -> Attribute {
    Attribute(name, .composite, compositeName: type)
  }

  private static let old = Result {
    try model(
      composite("place", "Place"),
      CompositeType(
        "Place",
        attributes: [
          composite("spot", "Point"), Attribute("town", .string), Attribute("zip", .string),
        ]),
      CompositeType(
        "Point", attributes: [Attribute("x", .double), Attribute("y", .double)]))
  }
  private static let new = Result {
    try model(
      composite("site", "Place"),
      CompositeType(
        "Place",
        attributes: [
          composite("spot", "Point"), Attribute("city", .string, renamingIdentifier: "town"),
          Attribute("zip", .string, isTransient: true), Attribute("land", .string),
        ]),
      CompositeType("Point", attributes: [Attribute("x", .double)]))
  }

  private static func attribute(_ model: Model) throws -> Attribute {
    guard case .attribute(let attribute) = model["Trip"]?.declaredProperties.first else {
      throw CancellationError()
    }
    return attribute
  }

  @Test("The stored parts of an attribute are found at any depth")
  func storedParts() throws {
    let model = try Self.new.get()

    let parts = model.storedParts(of: try Self.attribute(model))

    #expect(
      parts.map { $0.map(\.name) } == [
        ["site", "spot", "x"], ["site", "city"], ["site", "land"],
      ])
    let plain = Attribute("name", .string)
    #expect(model.storedParts(of: plain) == [[plain]])
  }

  @Test("A path leads to a part of an attribute")
  func path() throws {
    let model = try Self.old.get()
    let attribute = try Self.attribute(model)

    #expect(model.part(at: ["spot", "y"], of: attribute)?.type == .double)
    #expect(model.part(at: ["spot", "z"], of: attribute) == nil)
    #expect(model.part(at: ["town", "y"], of: attribute) == nil)
    #expect(model.part(at: [], of: attribute) == attribute)
  }

  @Test("A stored part continues a stored part, and a part that is stored no more is removed")
  func continuation() throws {
    let (old, new) = (try Self.old.get(), try Self.new.get())
    let continuation = ModelContinuation(from: old, to: new)

    let (parts, removed) = continuation.parts(
      of: try Self.attribute(new), continuing: try Self.attribute(old))

    #expect(parts.map(\.path) == [["site", "spot", "x"], ["site", "city"], ["site", "land"]])
    #expect(parts.map { $0.before?.path } == [["place", "spot", "x"], ["place", "town"], nil])
    #expect(removed.map(\.path) == [["site", "spot", "y"], ["site", "zip"]])
    #expect(removed.map(\.oldPath) == [["place", "spot", "y"], ["place", "zip"]])
  }

  @Test("A composite attribute continues an attribute of another type as a whole")
  func otherType() throws {
    let new = try Self.new.get()
    let attribute = try Self.attribute(new)
    let old = try Self.model(Attribute("site", .string))
    let continuation = ModelContinuation(from: old, to: new)

    let (parts, removed) = continuation.parts(
      of: attribute, continuing: try Self.attribute(old))

    #expect(parts.map(\.path) == [["site"]] && parts[0].before?.path == ["site"])
    #expect(removed.isEmpty)
    #expect(continuation.parts(of: attribute, continuing: nil).parts.count == 3)
  }
}
