import BlockFileFormat
import ObjectModel
import Rows
import StoreInterface

extension BinaryStore {
  /// Reserves keys for new objects of an entity.
  ///
  /// The file records the end of the reserved keys, so no other process uses them. Each reservation costs a sync, so each
  /// is twice as large as the one before, up to 4096 keys. A program that inserts few objects thus leaves few keys unused.
  ///
  /// If the file is a copy, the first reservation draws a lane for it: the file that it was copied from goes on giving out
  /// the numbers behind its own.
  public func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
    let count = UInt64(max(count, 1))
    if let known = leases.take(number, count) { return known }
    return try withExclusiveAccess { writing, head in
      // The previous lock holder may have reserved keys.
      if let known = leases.take(number, count) { return known }
      let before = leases[number]
      let reserved = max(count, min(2 * before.reserved, KeyLeases.mostReserved))
      let range = try freeKeys(number, reserved, after: head, &writing)
      let image = try image(after: head, number: head.commit, &writing) { image in
        // Keys of another lane say nothing about this one.
        if range.drawn != nil { image.record.nextKeys = [:] }
        image.record.nextKeys[number] = range.keys.upperBound
        guard let lanes = range.drawn else { return }
        var metadata = try head.metadata
        metadata.lanes = lanes
        try image.setMetadata(metadata)
      }
      if range.drawn == nil {
        _ = try append(image, to: head, &writing)
      } else {
        _ = try claiming { try append(image, to: head, &writing) }
      }
      let first = range.keys.lowerBound
      leases[number] = KeyLeases.Lease(
        left: first + count..<range.keys.upperBound, wanted: count, reserved: reserved,
        takings: before.takings + 1)
      return first..<first + count
    }
  }

  /// Returns free keys of an entity, and the lanes after a new one had to be drawn for them.
  private func freeKeys(
    _ number: UInt16, _ count: UInt64, after head: CommittedState, _ writing: inout Writing
  ) throws -> (keys: Range<UInt64>, drawn: StoreLanes?) {
    var lanes = try head.metadata.lanes
    var next = head.record.nextKeys[number]
    func keys() -> Range<UInt64>? {
      let first = lanes.firstFreeNumber(after: next)
      let end = first + count
      let limit = min(lanes.countedNumbers.upperBound, ObjectKey.highestNumber)
      return end <= limit ? first..<end : nil
    }
    if lanes.current != nil, try writing.isAtItsPlace(head) {
      if let keys = keys() { return (keys, nil) }
      // The next lane belongs to another replica. Only the last lane ends for want of numbers.
      guard lanes.isFollowed else { throw noKeysLeft(number) }
    } else {
      lanes.forgetUnused(head.record.nextKeys.values)
    }
    lanes.draw()
    next = nil
    guard let keys = keys() else { throw noKeysLeft(number) }
    return (keys, lanes)
  }

  private func noKeysLeft(_ number: UInt16) -> StoreError {
    StoreError(.badChange, "Entity \(number) has no keys left.", path: filePath)
  }

  /// Returns the lanes after a request; `nil` if the request can't change them.
  func lanes(
    after request: CommitRequest, _ head: CommittedState, _ writing: inout Writing
  ) throws -> CommitLanes? {
    let inserts = request.insertsRows
    guard inserts || request.metadata != nil || request.lanes != nil else { return nil }
    let metadata = try head.metadata
    let isCopy = inserts ? try !writing.isAtItsPlace(head) : false
    let (lanes, isDrawn) = request.lanes(
      after: metadata, isCopy: isCopy, nextKeys: head.record.nextKeys.values)
    return CommitLanes(all: lanes, isChanged: lanes != metadata.lanes, isDrawn: isDrawn)
  }

  /// Calls `commit`, which draws a lane. Once the lane is durable, the file is at its place.
  ///
  /// A crash in between leaves a copy that draws again. That is harmless: the first drawn lane stays unused.
  func claiming(_ commit: () throws -> CommittedState) throws -> CommittedState {
    let state = try commit()
    state.file.claimPlace()
    return state
  }
}

extension CommittedState {
  var nextKeys: [UInt16: UInt64] { record.nextKeys }
}

extension BinaryStore.Writing {
  /// Returns whether the file of a commit is the one that its writer made, and not a copy.
  fileprivate mutating func isAtItsPlace(_ head: CommittedState) throws -> Bool {
    if placedFile === head.file { return true }
    guard try head.file.reading({ head.file.isAtItsPlace }) else { return false }
    placedFile = head.file
    return true
  }
}
