import ObjectModel

/// A number that two copies of a store have given to different objects.
struct NumberClash {
  /// The object of the second copy, with its key there.
  let object: ObjectKey
  let entity: String
  let reason: Reason

  enum Reason {
    /// Both copies count in one lane.
    case unnoticedCopies
    /// Two replicas have drawn lanes that overlap.
    case overlappingLanes
    /// The stores have different UUIDs.
    case otherStores
    /// A patch inserts the object with other values.
    case otherValues
    /// The objects are different for another reason, such as different keys.
    case other

    var sentence: String {
      switch self {
      case .unnoticedCopies:
        "Both count in the same lane, so one is a copy that could not be noticed, such as a snapshot "
          + "of a disk."
      case .overlappingLanes: "They come from different replicas, whose lanes overlap."
      case .otherStores: "The stores were made independently of each other."
      case .otherValues: "Their values differ, and the patch inserts them."
      case .other: "They differ, and the merge does not match them."
      }
    }
  }

  /// Returns the error for clashes, with the first objects.
  static func error(_ clashes: [NumberClash], _ ours: String, _ theirs: String) -> ComparisonError {
    let first = clashes[0]
    let same = clashes.filter { $0.entity == first.entity }
    let objects = same.prefix(5).map { ValueText.text($0.object) }
    let more = clashes.count - objects.count
    return ComparisonError(
      .sameIdentifiers,
      "'\(ours)' and '\(theirs)' have different objects of '\(first.entity)' with "
        + "the same identifiers: \(objects.joined(separator: ", "))"
        + (more > 0 ? " and \(more) more object\(more == 1 ? "" : "s")" : "")
        + ". \(first.reason.sentence) Nothing was written.",
      hint:
        "If they are the same objects, give a base that contains them. Otherwise give the objects of "
        + "'\(theirs)' new identifiers.", .clash(theirs: theirs))
  }
}
