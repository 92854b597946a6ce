// SAFETY: The batch owns both structures from the end of an initializer until the structures are moved out or the
// batch ends. At the end of the batch only `release` is called on them.

public import CArrow

/// Rows as Arrow arrays, in the form that passes to code without knowledge of blocks: a plug-in, or any library
/// that reads the Arrow C Data Interface.
///
///     let batch = try ArrowBatch(block, layout: layout)
///     unsafe batch.move(to: array, schema: arraySchema)     // The other side releases them.
///
///     let received = unsafe ArrowBatch(taking: array, schema: arraySchema)
///     let blocks = try received.blocks(layout)
///
/// A batch is one array of structures with a child for each column (spec §3.7). The batch owns both structures of
/// the interface. It releases them when it ends, unless they were moved to another owner. A batch can't be copied,
/// so each structure is released once.
@safe
public struct ArrowBatch: ~Copyable {
  var array: ArrowArray
  var schema: ArrowSchema

  /// Takes ownership of both structures from another side, and marks the originals as released, as the interface
  /// requires.
  ///
  /// The initializer checks nothing: ``blocks(_:)`` checks the data that it reads. No reader can check the lengths
  /// of buffers, because the interface does not carry them.
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
    // SAFETY: `release` gets its own structure, and no code reads the structure afterwards.
    var array = unsafe array
    var schema = unsafe schema
    if let release = unsafe array.release { unsafe release(&array) }
    if let release = unsafe schema.release { unsafe release(&schema) }
  }

  public var rowCount: Int { unsafe Int(array.length) }

  /// Moves both structures to memory of another side, which then owns them and releases each once.
  @unsafe public consuming func move(
    to array: UnsafeMutablePointer<ArrowArray>, schema: UnsafeMutablePointer<ArrowSchema>
  ) {
    unsafe array.initialize(to: self.array)
    unsafe schema.initialize(to: self.schema)
    discard self
  }
}
