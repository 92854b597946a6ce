import CommandInterface
import Comparison
import Interchange
import JSONText
import ObjectModel
import Rows
import StoreInterface

/// The command `quire tree`.
enum TreeCommand {
  static let entity = Argument(
    "ENTITY", "The entity of the topmost objects, with its subentities.", isRequired: false)
  static let identifier = Option(
    "id", value: "ID", "The identifier of the topmost object (4/p1).")
  static let along = Option(
    "along", value: "NAMES",
    "The relationships that the tree follows, separated by commas. The default is all to-many "
      + "relationships whose delete rule is cascade, or whose objects must have the inverse.")
  static let depth = Option(
    "depth", value: "COUNT",
    "The number of levels below the topmost objects. The default and the most is \(ObjectTree.mostLevels)."
  )
  static let limit = Option(
    "limit", value: "COUNT", "The largest number of shown objects.")
  static let all = Option(
    "all", "Shows all objects on a terminal, and not as many as it has lines.")

  /// Returns the command. It opens stores through `reader`.
  static func command(_ reader: StoreReader, _ models: ModelReader = .files) -> Command {
    Command(
      "tree", "shows objects as a tree along their relationships",
      discussion: """
        Each object has its entity, its identifier and the value that names it: the first value of the texts \
        with a uniqueness constraint, of 'name', of 'title', and of all texts. Without ENTITY and --id, \
        the topmost objects are the objects of all entities to which no followed relationship refers.

        An object that contains itself is marked as a cycle, and an object that occurs again is marked as \
        shown above; both are not followed again. If the objects of an entity follow several relationships, \
        the name of the relationship precedes each object. Objects below the last level are counted.

        On a terminal the lines are cut to its width, and as many objects are shown as it has lines; --all \
        shows all objects. The lines of the tree are box-drawing characters if the terminal uses UTF-8, and \
        otherwise ASCII. JSON is a list of objects with 'id', 'entity', 'name' and 'children'.
        """,
      arguments: [.store, entity],
      options: [
        identifier, along, depth, limit, all, .version, .storeName, .storeModel, .damaged, .format,
      ],
      examples: [
        Example("quire tree Trips.quire Trip", "Shows each trip with its stops."),
        Example(
          "quire tree Trips.quire --id 4/p1 --along stops,travellers --depth 2",
          "Shows two levels below one trip."),
      ]
    ) { invocation in
      let key = try invocation.value(of: identifier).map { try ObjectKey(word: $0) }
      if key != nil, invocation.value(of: entity) != nil {
        throw CommandError.wrongUsage(
          "Give either ENTITY or --id.", hint: "An identifier contains the entity.")
      }
      let levels = try invocation.number(of: depth) ?? ObjectTree.mostLevels
      guard levels <= ObjectTree.mostLevels else {
        throw CommandError.wrongUsage("--depth is at most \(ObjectTree.mostLevels).")
      }
      let store = try reader.open(invocation[.store], invocation, models)
      let snapshot = try store.snapshot()
      let names = invocation.value(of: along).map { FetchColumns.parts(of: $0) }
      let tree = try ObjectTree(
        ComparedStore(invocation[.store], snapshot), along: names, levels: levels)
      let roots = try roots(tree, key, invocation)
      switch invocation.format {
      case .text:
        var output = TreeText(
          tree, invocation.console, most: try mostRows(invocation),
          notesRest: !invocation.has(limit))
        try output.write(roots)
      case .json:
        var output = TreeJSON(tree, invocation.console.output, most: try limitedCount(invocation))
        try output.write(roots)
      }
      return .done
    }
  }

  /// Returns the topmost objects, entity by entity.
  private static func roots(
    _ tree: ObjectTree, _ key: ObjectKey?, _ invocation: Invocation
  ) throws -> TreeRoots {
    let model = tree.store.model
    if let key {
      guard try tree.exists(key) else {
        throw CommandError(.no, "There is no object \(Wording.text(.object(key))).")
      }
      return .object(key)
    }
    guard let name = invocation.value(of: entity) else { return .layouts(tree.topmostLayouts) }
    try FetchCommand.checkEntity(name, model, in: invocation[.store])
    return .layouts(model.family(of: name).compactMap { tree.layout(of: $0) })
  }

  private static func limitedCount(_ invocation: Invocation) throws -> Int? {
    try invocation.number(of: limit)
  }

  /// Returns the number of objects that are shown; `nil` for all.
  private static func mostRows(_ invocation: Invocation) throws -> Int? {
    if let limit = try limitedCount(invocation) { return limit }
    let console = invocation.console
    guard console.output.isTerminal, !invocation.has(all) else { return nil }
    return console.height.map { max(5, $0 - 4) }
  }
}

/// The topmost objects of a tree.
enum TreeRoots {
  case object(ObjectKey)
  /// All objects of the entities with these layouts.
  case layouts([Layout])

  /// Calls `body` with each object until `body` returns `false`.
  func forEach(in store: ComparedStore, _ body: (ObjectKey) throws -> Bool) throws {
    switch self {
    case .object(let key): _ = try body(key)
    case .layouts(let layouts):
      for layout in layouts {
        let rows = try RowStream(store.view, layout)
        while let place = try rows.next() {
          guard try body(ObjectKey(entity: layout.entityNumber, number: place.key)) else { return }
        }
      }
    }
  }
}
