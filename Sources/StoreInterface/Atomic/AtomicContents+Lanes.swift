import DurableFiles
import ObjectModel
import PropertyLists
import Rows

// A file shows whether it is a copy by the place on the disk that its writer has recorded in the metadata (spec §5.5.5).
extension AtomicContents {
  /// Returns the contents with the place of the file that is being written.
  func placed(in writer: borrowing FileWriter) throws(DiskError) -> AtomicContents {
    var placed = self
    placed.metadata.values[StoreMetadata.Key.place] = .string(AtomicContents.text(try writer.place))
    return placed
  }

  /// The contents with the place of no file. A copy into which no object was inserted stays a copy when it is saved.
  var unplaced: AtomicContents {
    var unplaced = self
    unplaced.metadata.values[StoreMetadata.Key.place] = .string("0")
    return unplaced
  }

  /// Returns whether a file with these contents is a copy of the file that its writer made. A file of another program
  /// does not record a place. It counts as a copy only if its metadata list lanes.
  func isCopy(in file: DurableFile) throws(DiskError) -> Bool {
    guard let place = metadata.values[StoreMetadata.Key.place] else {
      return !metadata.lanes.isEmpty
    }
    return try place != .string(AtomicContents.text(file.place))
  }

  /// Raises the next key above the objects of the lane in which the file counts, and removes the place, which changes with
  /// every save.
  mutating func prepareForCounting() throws {
    metadata = metadata.withoutPlace
    let lanes = metadata.lanes
    nextKey = lanes.firstFreeNumber(after: nextKey)
    let objects = Set(schema.layouts.map(\.entityNumber))
    for entity in layers.lazy.flatMap(\.entities) where objects.contains(entity.entityNumber) {
      guard let highest = try entity.put.highestKey(in: lanes.countedNumbers) else { continue }
      nextKey = max(nextKey, highest + 1)
    }
  }

  private static func text(_ place: FilePlace) -> String {
    "\(place.inode) \(place.birthNanoseconds)"
  }
}

extension StoreMetadata {
  /// The metadata without the place of their file, which changes with every save.
  package var withoutPlace: StoreMetadata {
    var metadata = self
    metadata.values[Key.place] = nil
    return metadata
  }
}
