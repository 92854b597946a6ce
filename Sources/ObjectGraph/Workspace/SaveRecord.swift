import ObjectModel

/// The results of the save under way, and of the last one.
struct SaveRecord {
  /// The number of times that changes were frozen.
  var sealCount = 0
  /// The number of times that a store was moved to another base.
  var advanceCount = 0
  /// The objects for which the save under way has recorded its timestamp.
  var momentsTaken: Set<ObjectID> = []
  /// The inserted objects that the last save merged into existing ones.
  var replacements: [ObjectID: ObjectID] = [:]
}

extension Workspace {
  /// The number of times that changes were frozen.
  var sealCount: Int { saveRecord.sealCount }
  /// The number of times that a store was moved to another base.
  var advanceCount: Int {
    get { saveRecord.advanceCount }
    set { saveRecord.advanceCount = newValue }
  }
  /// The inserted objects that the last save merged into existing ones.
  var replacements: [ObjectID: ObjectID] {
    get { saveRecord.replacements }
    set { saveRecord.replacements = newValue }
  }
}
