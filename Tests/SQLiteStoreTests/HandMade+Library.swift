import ObjectModel

extension HandMade {
  /// A model that uses the features for which Core Data derives special names of tables and columns.
  static let library: Model = {
    func many(
      _ name: String, to entity: String, _ inverse: String, isOrdered: Bool = false
    ) -> Property {
      .relationship(
        Relationship(name, to: entity, inverse: inverse, count: .toMany, isOrdered: isOrdered))
    }
    var item = Entity("Item")
    item.isAbstract = true
    item.declaredProperties = [
      .attribute(Attribute("added", .date)), .attribute(Attribute("length", .int32)),
      .relationship(Relationship("queuedBy", to: "Reader", inverse: "queue")),
      many("admirers", to: "Reader", "favourite"), many("tags", to: "Tag", "items"),
      many("readers", to: "Reader", "read"), many("shelvedBy", to: "Reader", "shelf"),
    ]
    let kinds = ["Article", "Book", "Clip"].map { name in
      var kind = Entity(name)
      kind.superentity = "Item"
      kind.declaredProperties = [.attribute(Attribute("title", .string))]
      return kind
    }
    var reader = Entity("Reader")
    reader.declaredProperties = [
      .attribute(Attribute("name", .string)),
      .relationship(Relationship("favourite", to: "Item", inverse: "admirers")),
      many("queue", to: "Item", "queuedBy", isOrdered: true), many("read", to: "Item", "readers"),
      many("shelf", to: "Item", "shelvedBy", isOrdered: true),
      many("friends", to: "Reader", "friends"),
    ]
    var tag = Entity("Tag")
    tag.declaredProperties = [
      .attribute(Attribute("name", .string)), many("items", to: "Item", "tags"),
      many("narrower", to: "Tag", "broader"), many("broader", to: "Tag", "narrower"),
    ]
    var sample = Entity("Sample")
    sample.declaredProperties = [
      ("flag", AttributeType.boolean), ("small", .int16), ("medium", .int32), ("large", .int64),
      ("ratio", .float), ("real", .double), ("money", .decimal), ("moment", .date),
      ("text", .string), ("link", .uri), ("token", .uuid), ("bytes", .binary),
    ].map { .attribute(Attribute($0, $1)) }
    sample.declaredProperties += [
      .attribute(Attribute("largeBytes", .binary, options: .allowsExternalStorage)),
      .attribute(
        Attribute(
          "colour", .transformable, valueTransformerName: "NSSecureUnarchiveFromData")),
    ]
    return try! Model(entities: [item] + kinds + [reader, tag, sample])
  }()
}
