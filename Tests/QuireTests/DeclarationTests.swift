import ObjectModel
import ObjectQuery
import Quire
import Testing

@Entity private final class Shelf: ManagedObject {
  var name: String
  @Relationship(inverse: \Volume.shelf) var volumes: RelatedObjects<Volume>
  @Relationship(inverse: \Volume.home) var residents: RelatedObjects<Volume>
  @Relationship(inverse: \Volume.place) var others: RelatedObjects<Volume>
}

@Entity private final class Volume: ManagedObject {
  var title: String
  @Relationship(optional: true) var shelf: Shelf
  var home: Shelf
  var place: Shelf?
  var shortTitle: String { String(title.prefix(3)) }
}

// The macro knows the names of types, and not these aliases.
private typealias Name = String
private typealias Whole = Int
private typealias Real = Double

@Entity private final class Misbound: ManagedObject {
  @Attribute(.range(1...5)) var name: Name
  @Attribute(.length(1...5)) var count: Whole
  @Attribute(.length(...5)) var when: Real?
  @Attribute(.length(1...5)) var right: String
  @Attribute(.range(1...)) var also: Int16?
  var part: MisboundPart
}

@Composite private struct MisboundPart {
  @Attribute(.range(1...3)) var code: Name?
}

@Suite("Declarations of properties")
struct DeclarationTests {
  @Test("An optional relationship may lead to no object, whatever its Swift type is")
  func optional() throws {
    let model = try Model(classes: [Shelf.self, Volume.self])
    func relationship(_ name: String) -> Relationship? {
      if case .relationship(let found)? = model.property(name, of: "Volume") { found } else { nil }
    }
    #expect(relationship("shelf")?.count == .init(minimum: 0, maximum: 1))
    #expect(relationship("shelf")?.isOptional == true)
    #expect(relationship("home")?.count == .init(minimum: 1, maximum: 1))
    #expect(relationship("home")?.isOptional == false)
    // Both ways of writing an optional relationship are one model.
    #expect(relationship("shelf")?.count == relationship("place")?.count)
  }

  @Test("A bound that does not fit the attribute is an error with the option to write")
  func bounds() throws {
    let error = #expect(throws: ContextError.self) { try Model(classes: [Misbound.self]) }
    let lines = error?.message.split(separator: "\n").map(String.init) ?? []
    #expect(lines.count == 4)
    for (start, option) in [
      ("Misbound.name is a text", ".length"),
      ("Misbound.count is of the type Integer 64", ".range"),
      ("Misbound.when is of the type Double", ".range"), ("MisboundPart.code is a text", ".length"),
    ] {
      #expect(lines.contains { $0.hasPrefix(start) && $0.contains("Write \(option)") }, "\(lines)")
    }
  }

  @Test("A request that sorts by a computed property is refused with the stored properties")
  func computed() throws {
    let context = try ManagedObjectContext.inMemory([Shelf.self, Volume.self])
    let error = #expect(throws: QueryError.self) {
      try context.fetch(Volume.all.sorted(by: \.shortTitle))
    }
    #expect(error?.code == .unknownProperty)
    #expect(error?.message.contains("computed property") == true)
    #expect(error?.message.contains("title") == true)
    #expect(throws: QueryError.self) {
      try context.fetch(Volume.all.prefetching(\.shortTitle))
    }
  }
}
