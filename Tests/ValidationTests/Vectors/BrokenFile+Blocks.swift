extension BrokenFile {
  static let blocks = [
    BrokenFile("BLCK-060", SmallFile.one) { $0.set("segment0.block0.magic", 0) },
    BrokenFile("BLCK-061", SmallFile.one) { $0.set("segment0.block0.checksum", 1) },
    BrokenFile("BLCK-062", SmallFile.one) { $0.set("segment0.block0.row_count", 0) },
    BrokenFile("BLCK-063", SmallFile.one) { $0.set("segment0.block0.maximum_key", 2) },
    BrokenFile("BLCK-064", SmallFile.one) { $0.set("segment0.block0.flags", 3) },
    BrokenFile("BLCK-066", SmallFile.one) { $0.set("segment0.block0.column_count", 2) },
    BrokenFile("BLCK-067", SmallFile.pair) {
      $0.set("segment0.block0.column1.number", 2)
      $0.set("segment0.block0.column2.number", 1)
    },
    BrokenFile("BLCK-068", SmallFile.pair) { $0.set("segment0.block0.column1.number", 0) },
    BrokenFile("BLCK-069", SmallFile.pair) {
      $0.set("segment0.block0.column65535.number", 65_534)
    },
    BrokenFile("BLCK-070", SmallFile.pair) { $0.set("segment0.block0.column65535.kind", 3) },
    BrokenFile("BLCK-071", SmallFile.pair) { $0.set("segment0.block0.column1.kind", 14) },
    BrokenFile("BLCK-072", SmallFile.pair) { $0.set("segment0.block0.column1.width", 3) },
    BrokenFile("BLCK-073", SmallFile.pair) { $0.set("segment0.block0.column1.flags", 16) },
    BrokenFile("BLCK-074", SmallFile.pair) { $0.set("segment0.block0.column2.width", 1) },
    BrokenFile("BLCK-075", SmallFile.pair) {
      $0.set("segment0.block0.column1.dictionary_count", 1)
    },
    BrokenFile("BLCK-076", SmallFile.one) {
      $0.set(
        "segment0.block0.column2.chunk_offset",
        $0.number("segment0.block0.column2.chunk_offset") + 4)
    },
  ]

  static let columns = [
    BrokenFile("BLCK-078", SmallFile.one) { $0.set("segment0.block0.column2.checksum", 1) },
    BrokenFile("BLCK-079", SmallFile.one) { $0.set("segment0.block0.column1.body_byte_count", 4) },
    BrokenFile("BLCK-080", SmallFile.columns) {
      $0.poke($0.body("segment0.block0.column1") + 5, [1])
    },
    BrokenFile("BLCK-081", SmallFile.one) { $0.set("segment0.block0.column1.base", 32_767) },
    BrokenFile("BLCK-082", SmallFile.one) {
      $0.poke($0.body("segment0.block0.column65535") + 1, [0])
    },
    BrokenFile("BLCK-083", SmallFile.one) { $0.set("segment0.block0.column2.offset_base", 1) },
    BrokenFile("BLCK-084", SmallFile.one) {
      let body = $0.body("segment0.block0.column2")
      $0.poke(body + $0.number("segment0.block0.column2.body_byte_count") - 1, [0xFF])
    },
    BrokenFile("BLCK-085", SmallFile.columns) {
      // The sign of the last value, whose magnitude has one byte.
      let body = $0.body("segment0.block0.column3")
      $0.poke(body + $0.number("segment0.block0.column3.body_byte_count") - 2, [2])
    },
    BrokenFile("BLCK-086", SmallFile.columns) {
      // The dictionary ends with "gamma".
      let body = $0.body("segment0.block0.column4")
      $0.poke(body + $0.number("segment0.block0.column4.body_byte_count") - 5, [0x41])
    },
    BrokenFile("BLCK-087", SmallFile.columns) {
      $0.poke($0.body("segment0.block0.column4") + 3, [200])
    },
  ]
}
