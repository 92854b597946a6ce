/// A snapshot that knows which numbers its store has reserved.
///
/// A copy that keeps the numbers of objects asks for them, so that the copy does not give the number of a deleted object to
/// a new one.
package protocol KeyCountingSnapshot: StoreSnapshot {
  /// The number that the store records for each entity and link table: no number from it on was reserved in the lane in
  /// which the file counts (spec §4.4.3).
  var nextKeys: [UInt16: UInt64] { get }
}
