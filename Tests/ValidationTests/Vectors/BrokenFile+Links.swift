import ObjectModel
import Rows
import StoreInterface

extension BrokenFile {
  static let indexes = [
    BrokenFile("INDX-001", SmallFile.indexed) { $0.set("segment0.highest_index", 0) },
    BrokenFile("INDX-002", SmallFile.indexed) {
      $0.set("segment0.block1.column65532.number", 65_533)
    },
    BrokenFile("INDX-003", SmallFile.indexed) {
      for field in ["minimum_key", "maximum_key"] {
        for place in ["entry1", "block1"] {
          let name = "segment0.\(place).\(field)"
          $0.set(name, $0.number(name) + 1)
        }
      }
      $0.set("segment0.block1.column65535.base", 2)
    },
    BrokenFile("INDX-004", SmallFile.indexed) {
      // Two objects with keys of the same length are exchanged.
      let body = $0.body("segment0.block1.column65532")
      let (one, two) = (Array($0.bytes[body..<body + 2]), Array($0.bytes[body + 2..<body + 4]))
      $0.poke(body, two + one)
    },
    BrokenFile("INDX-005", SmallFile.indexed) {
      // One object is listed twice, and another object is missing.
      let body = $0.body("segment0.block1.column65532")
      $0.poke(body, Array($0.bytes[body + 2..<body + 4]))
    },
    BrokenFile("INDX-006", SmallFile.indexed) {
      // The last length exceeds the object's length by one.
      let body = $0.body("segment0.block1.column1")
      let last = body + $0.number("segment0.block1.column1.body_byte_count") - 1
      $0.poke(last, [$0.bytes[last] + 1])
    },
  ]

  /// Inserts a link between a note and a tag.
  private static func link(
    _ saving: Saving, _ number: UInt64, from note: UInt64?, to tag: UInt64, at place: Int64
  ) {
    let table = saving.base.schema.linkTables[0].layout
    let key = ObjectKey(entity: table.entityNumber, number: number)
    saving.builder.insert(key)
    func set(_ value: Value, _ name: String) {
      saving.builder.set(value, column: table.index(of: name)!, of: key)
    }
    let ends = [note.map { saving.key("Note", $0) }, saving.key("Tag", tag)]
    let isForward = saving.base.schema.links(of: "Note", "tags")!.isForward
    for (name, end) in zip(["source", "target"], isForward ? ends : ends.reversed()) {
      if let end { set(.object(end), name) }
    }
    set(.integer(place), isForward ? "target#order" : "source#order")
  }

  static let links = [
    BrokenFile("GRAF-019") {
      try storeBytes(tags) {
        $0.insert("Tag", 1)
        link($0, 1, from: nil, to: 1, at: 0)
      }
    },
    BrokenFile("GRAF-020") {
      try storeBytes(tags) {
        $0.insert("Note", 1)
        link($0, 1, from: 1, to: 1, at: 0)
      }
    },
    BrokenFile("GRAF-021") {
      try storeBytes(tags) {
        $0.insert("Note", 1)
        $0.insert("Tag", 1)
        link($0, 1, from: 1, to: 1, at: 0)
        link($0, 2, from: 1, to: 1, at: 1)
      }
    },
  ]
}
