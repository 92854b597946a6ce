// SAFETY: The two structures are ours from the moment one of the initializers ends until they are moved
// out or the batch ends, and `release` is the only thing called on them then.

public import CArrow

/// Rows as Arrow arrays: how they cross to code that knows nothing of blocks, a plug-in for one, or
/// any library that reads the Arrow C Data Interface.
///
///     let batch = try ArrowBatch(block, layout: layout)
///     unsafe batch.move(to: array, schema: arraySchema)     // The other side releases them.
///
///     let received = unsafe ArrowBatch(taking: array, schema: arraySchema)
///     let blocks = try received.blocks(layout)
///
/// One array of structures with a child for each column (spec §3.7). A batch owns both structures of
/// the interface and releases them when it ends, unless they were moved elsewhere; since it can't be
/// copied, that happens once.
@safe
public struct ArrowBatch: ~Copyable {
  var array: ArrowArray
  var schema: ArrowSchema

  /// Takes both structures over from where another side put them, and leaves them marked as
  /// released there, as the interface asks.
  ///
  /// Nothing is looked at yet: ``blocks(_:)`` checks what it reads. What no reader can check is the
  /// length of buffers, which the interface does not carry.
  ///
  /// - Parameters:
  ///   - array: The values, initialized and not released.
  ///   - schema: Their description, initialized and not released.
  @unsafe public init(
    taking array: UnsafeMutablePointer<ArrowArray>, schema: UnsafeMutablePointer<ArrowSchema>
  ) {
    unsafe self.array = unsafe array.pointee
    unsafe self.schema = unsafe schema.pointee
    unsafe array.pointee.release = nil
    unsafe schema.pointee.release = nil
  }

  @unsafe init(array: ArrowArray, schema: ArrowSchema) {
    unsafe self.array = unsafe array
    unsafe self.schema = unsafe schema
  }

  deinit {
    // SAFETY: A release is given a structure of its own; nobody reads it afterwards.
    var array = unsafe array
    var schema = unsafe schema
    if let release = unsafe array.release { unsafe release(&array) }
    if let release = unsafe schema.release { unsafe release(&schema) }
  }

  /// The number of rows.
  public var rowCount: Int { unsafe Int(array.length) }

  /// Moves both structures to where another side takes them over, which releases each once.
  @unsafe public consuming func move(
    to array: UnsafeMutablePointer<ArrowArray>, schema: UnsafeMutablePointer<ArrowSchema>
  ) {
    unsafe array.initialize(to: self.array)
    unsafe schema.initialize(to: self.schema)
    discard self
  }
}
