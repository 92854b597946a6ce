import StoreInterface

// The rules of blocks: header, directory, columns.
extension Rule {
  static let blocks = [
    blockMagic, blockChecksum, blockCounts, blockKeys, blockFlags, directoryEnd, columnOrder,
    columnNumber, keyColumn, ownColumns, columnKind, columnEncoding, columnFlags, emptyColumn,
    columnFields, chunkPlace, chunkChecksum, bodyParts, bodyPadding, integerRange, ascendingKeys,
    heapOffsets, textEncoding, decimalForm, dictionaryOrder, dictionaryCodes,
    outsideReference, outsideNothing, outsidePlace, outsideMeasure,
  ]

  static let blockMagic = Rule("BLCK-060", "A block begins with its magic number", "3.3.1")
  static let blockChecksum = Rule(
    "BLCK-061", "A block's header and directory match their checksum", "3.3.1")
  static let blockCounts = Rule("BLCK-062", "A block's sizes and counts are in range", "3.3.1")
  static let blockKeys = Rule(
    "BLCK-063", "A block's range of keys has room for its rows", "3.4.2")
  static let blockFlags = Rule("BLCK-064", "A block's flags are known and can be combined", "3.3.1")
  static let directoryEnd = Rule(
    "BLCK-066", "A block's directory ends at the offset that its header gives", "3.3.4")
  static let columnOrder = Rule("BLCK-067", "The numbers of a block's columns ascend", "3.3.4")
  static let columnNumber = Rule("BLCK-068", "No column has a reserved number", "3.3.3")
  static let keyColumn = Rule("BLCK-069", "A block has the keys of its rows", "3.3.3")
  static let ownColumns = Rule(
    "BLCK-070", "The block's own columns are integers, with a value in every row", "3.3.3")
  static let columnKind = Rule("BLCK-071", "A column's kind is known", "3.3.2")
  static let columnEncoding = Rule("BLCK-072", "A column's encoding is legal for its kind", "3.4")
  static let columnFlags = Rule("BLCK-073", "A column's flags are known and fit the block", "3.3.4")
  static let emptyColumn = Rule(
    "BLCK-074", "A column without values has the encoding of empty columns", "3.3.4")
  static let columnFields = Rule(
    "BLCK-075", "Fields without a meaning for a column's encoding are zero", "3.4")
  static let chunkPlace = Rule(
    "BLCK-076", "A column's bytes are in the block, after the directory, at a multiple of 8",
    "3.3.4")
  static let chunkChecksum = Rule("BLCK-078", "A column's bytes match their checksums", "3.3.5")
  static let bodyParts = Rule(
    "BLCK-079", "A column's bytes are exactly the bytes of its parts", "3.3.5")
  static let bodyPadding = Rule("BLCK-080", "Bytes between the parts of a column are zero", "3.3.5")
  static let integerRange = Rule("BLCK-081", "Integers fit their column's kind", "3.4.1")
  static let ascendingKeys = Rule(
    "BLCK-082", "Keys ascend strictly from the lowest to the highest", "3.4.2")
  static let heapOffsets = Rule(
    "BLCK-083", "Offsets begin with 0, never descend, and end with the heap", "3.4.5")
  static let textEncoding = Rule(
    "BLCK-084", "Text is UTF-8, and is divided between characters", "3.4.5")
  static let decimalForm = Rule("BLCK-085", "Decimal numbers are in canonical form", "3.4.6")
  static let dictionaryOrder = Rule("BLCK-086", "A dictionary's entries ascend strictly", "3.4.7")
  static let dictionaryCodes = Rule("BLCK-087", "Codes are below the number of entries", "3.4.7")
  static let outsideReference = Rule(
    "BLCK-088", "A value outside of its block has a reference in the block", "3.4.9")
  static let outsideNothing = Rule(
    "BLCK-089", "Rows without a value have no value outside of the block", "3.3.6")
  static let outsidePlace = Rule(
    "BLCK-090",
    "Values outside of blocks are between the header and their block, at multiples of 8", "4.5.7")
  static let outsideMeasure = Rule(
    "BLCK-093", "The values outside of one column do not exceed the limit of bytes", "3.4.9")
}
