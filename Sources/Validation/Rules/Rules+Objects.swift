import StoreInterface

// The rules of the object graph, which follow from the model.
extension Rule {
  static let objects = [
    abstractEntity, missingValue, lowValue, highValue, patternMismatch, patternTime,
    foreignReference, danglingReference, missingReference, fewReferences, manyReferences, oneSided,
    doubledPlace, missingPlace, uselessPlace, sharedValues, baselessChange, otherBasis,
    missingEnd, danglingLink, doubledLink, fineValue, unmetPredicate, undecidedPredicate,
  ]

  static let abstractEntity = Rule("GRAF-001", "No object has an abstract entity", "6.3.1")
  static let missingValue = Rule("GRAF-002", "Required attributes have a value", "6.3.2")
  static let lowValue = Rule("GRAF-003", "No value is below its attribute's minimum", "6.3.3")
  static let highValue = Rule("GRAF-004", "No value is above its attribute's maximum", "6.3.3")
  static let patternMismatch = Rule("GRAF-005", "Texts match their attribute's pattern", "6.3.3")
  static let patternTime = Rule(
    "GRAF-006", .information, "Patterns are checked in bounded time", "6.3.3")
  static let foreignReference = Rule(
    "GRAF-007", "A relationship refers to objects of its destination", "6.3.4")
  static let danglingReference = Rule(
    "GRAF-008", "A relationship refers to existing objects", "6.3.4")
  static let missingReference = Rule(
    "GRAF-009", "A required relationship has an object", "6.3.5")
  static let fewReferences = Rule(
    "GRAF-010", "A relationship has at least its minimum count of objects", "6.3.5")
  static let manyReferences = Rule(
    "GRAF-011", "A relationship has at most its maximum count of objects", "6.3.5")
  static let oneSided = Rule(
    "GRAF-012",
    "Two relationships that are each other's inverse agree",
    "6.3.6")
  static let doubledPlace = Rule(
    "GRAF-013", "No two objects have the same position in an ordered relationship", "6.3.7")
  static let missingPlace = Rule(
    "GRAF-014", "An object in an ordered relationship has a position in it", "6.3.7")
  static let uselessPlace = Rule(
    "GRAF-015", .warning, "An object outside an ordered relationship has no position in it", "6.3.7"
  )
  static let sharedValues = Rule(
    "GRAF-016", "No two objects share the values of a uniqueness constraint", "6.3.8")
  static let baselessChange = Rule(
    "GRAF-017", "Commits change and remove only existing objects and links", "3.5.2")
  static let otherBasis = Rule(
    "GRAF-018", "A change is based on the version of the row beneath it", "4.7.2")
  static let missingEnd = Rule("GRAF-019", "A link has a source and a target", "3.2.4")
  static let danglingLink = Rule(
    "GRAF-020", .warning, "No link refers to a deleted object", "3.2.4")
  static let doubledLink = Rule("GRAF-021", .warning, "No link occurs twice", "3.2.4")
  static let fineValue = Rule(
    "GRAF-022", "No value is finer than the precision of its attribute", "6.3.3")
  static let unmetPredicate = Rule(
    "GRAF-030", "Properties meet their validation predicates", "6.3.9")
  static let undecidedPredicate = Rule(
    "GRAF-031", .warning, "Validation predicates can be evaluated for their property", "6.3.9")

  static let indexes = [
    segmentIndexes, indexColumns, indexPlaces, indexOrder, indexObjects, indexValues,
  ]

  static let segmentIndexes = Rule(
    "INDX-001", "A segment has the entries of exactly the indexes up to its highest",
    "4.5.6")
  static let indexColumns = Rule(
    "INDX-002", "Entries of an index have the index's columns, and refer to objects", "4.5.6")
  static let indexPlaces = Rule(
    "INDX-003", "The positions of index entries begin at 1 and have no gaps", "4.5.6")
  static let indexOrder = Rule("INDX-004", "Index entries ascend", "4.5.6")
  static let indexObjects = Rule(
    "INDX-005",
    "An index has exactly one entry for each row of the segment, or for each word of the row's text",
    "4.5.6")
  static let indexValues = Rule(
    "INDX-006", "An index entry has the values of its row, or a word of the row's text", "4.5.6")
}
