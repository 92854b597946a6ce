// SAFETY: A node allocates one place for each buffer or child and frees the places when it ends. The node is
// retained once for `private_data` and released in `release`, which the interface calls once.

internal import CArrow

/// The owner of the memory behind one exported array: the list of buffers, the children's structures, and the
/// memory of the buffers.
@safe
final class ArrowArrayNode {
  private let buffers: UnsafeMutablePointer<UnsafeRawPointer?>
  private let children: ArrowChildren<ArrowArray>
  private let memory: [BlockMemory?]

  private init(_ buffers: [ArrowBuffer], children: [ArrowArray]) {
    unsafe self.buffers = .allocate(capacity: buffers.count)
    for (i, buffer) in buffers.enumerated() {
      unsafe (self.buffers + i).initialize(to: buffer.start)
    }
    memory = buffers.map(\.memory)
    unsafe self.children = unsafe ArrowChildren(children)
  }

  deinit { unsafe buffers.deallocate() }

  /// Returns the structure of an array with the given buffers and children.
  @unsafe static func array(
    rowCount: Int, nullCount: Int, _ buffers: [ArrowBuffer], children: [ArrowArray] = unsafe []
  ) -> ArrowArray {
    let node = unsafe ArrowArrayNode(buffers, children: children)
    return unsafe ArrowArray(
      length: Int64(rowCount), null_count: Int64(nullCount), offset: 0,
      n_buffers: Int64(buffers.count), n_children: Int64(children.count), buffers: node.buffers,
      children: node.children.places, dictionary: nil,
      release: { array in
        guard let array = unsafe array, unsafe array.pointee.release != nil else { return }
        for i in 0..<Int(unsafe array.pointee.n_children) {
          // A child that was moved to another owner has no `release` left here.
          if let child = unsafe array.pointee.children[i],
            let release = unsafe child.pointee.release
          {
            unsafe release(child)
          }
        }
        unsafe array.pointee.release = nil
        unsafe Unmanaged<ArrowArrayNode>.fromOpaque(array.pointee.private_data).release()
      },
      private_data: Unmanaged.passRetained(node).toOpaque())
  }
}

/// The owner of the memory behind one exported array's description: its texts and the children's structures.
@safe
final class ArrowSchemaNode {
  private let texts: BlockMemory
  private let children: ArrowChildren<ArrowSchema>

  private init(_ texts: BlockMemory, children: [ArrowSchema]) {
    self.texts = texts
    unsafe self.children = unsafe ArrowChildren(children)
  }

  /// Returns the structure that describes an array.
  @unsafe static func schema(
    format: String, name: String, metadata: [(key: String, value: String)] = [],
    isOptional: Bool = false, children: [ArrowSchema] = unsafe []
  ) -> ArrowSchema {
    let pairs = encoded(metadata)
    let formatBytes = Array(format.utf8) + [0]
    // A C string ends at its first zero byte. Names here contain no zero bytes.
    let nameBytes = Array(name.utf8) + [0]
    let texts = BlockMemory(pairs + formatBytes + nameBytes)
    let node = unsafe ArrowSchemaNode(texts, children: children)
    let start = unsafe UnsafePointer(
      texts.start.bindMemory(to: CChar.self, capacity: texts.byteCount))
    return unsafe ArrowSchema(
      format: start + pairs.count, name: start + pairs.count + formatBytes.count,
      metadata: metadata.isEmpty ? nil : start,
      flags: isOptional ? Int64(ARROW_FLAG_NULLABLE) : 0, n_children: Int64(children.count),
      children: node.children.places, dictionary: nil,
      release: { schema in
        guard let schema = unsafe schema, unsafe schema.pointee.release != nil else { return }
        for i in 0..<Int(unsafe schema.pointee.n_children) {
          if let child = unsafe schema.pointee.children[i],
            let release = unsafe child.pointee.release
          {
            unsafe release(child)
          }
        }
        unsafe schema.pointee.release = nil
        unsafe Unmanaged<ArrowSchemaNode>.fromOpaque(schema.pointee.private_data).release()
      },
      private_data: Unmanaged.passRetained(node).toOpaque())
  }

  /// Returns metadata in the interface's form: counts and lengths as native integers of 32 bits.
  private static func encoded(_ metadata: [(key: String, value: String)]) -> [UInt8] {
    guard !metadata.isEmpty else { return [] }
    var bytes: [UInt8] = []
    func append(_ count: Int) {
      unsafe withUnsafeBytes(of: Int32(count)) { unsafe bytes.append(contentsOf: $0) }
    }
    append(metadata.count)
    for (key, value) in metadata {
      append(key.utf8.count)
      bytes.append(contentsOf: key.utf8)
      append(value.utf8.count)
      bytes.append(contentsOf: value.utf8)
    }
    return bytes
  }
}

/// The structures of an array's children, each with its own address.
@safe
private final class ArrowChildren<Structure> {
  let places: UnsafeMutablePointer<UnsafeMutablePointer<Structure>?>
  private let structures: UnsafeMutablePointer<Structure>
  private let count: Int

  @unsafe init(_ children: [Structure]) {
    count = children.count
    unsafe structures = .allocate(capacity: count)
    unsafe places = .allocate(capacity: count)
    for i in 0..<count {
      unsafe (structures + i).initialize(to: children[i])
      unsafe (places + i).initialize(to: structures + i)
    }
  }

  deinit {
    unsafe places.deallocate()
    unsafe structures.deallocate()
  }
}

/// One buffer of an exported array, with the memory it lies in.
@safe
struct ArrowBuffer {
  let start: UnsafeRawPointer?
  let memory: BlockMemory?

  /// An absent bitmap, which means that every bit is set.
  static var none: ArrowBuffer { unsafe ArrowBuffer(start: nil, memory: nil) }

  /// Refers to a buffer within existing memory.
  @unsafe init(start: UnsafeRawPointer?, memory: BlockMemory?) {
    unsafe self.start = unsafe start
    self.memory = memory
  }

  /// Creates a buffer of the given size, whose bytes `fill` writes.
  init(byteCount: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
    let memory = unsafe BlockMemory(byteCount: byteCount, fill: fill)
    unsafe start = unsafe UnsafeRawPointer(memory.start)
    self.memory = memory
  }

  /// Creates a buffer with one value for each row.
  init<T: BitwiseCopyable>(_ count: Int, of _: T.Type, value: (Int) -> T) {
    unsafe self.init(byteCount: count * MemoryLayout<T>.stride) { bytes in
      for i in 0..<count {
        unsafe bytes.storeBytes(of: value(i), toByteOffset: i &* MemoryLayout<T>.stride, as: T.self)
      }
    }
  }

  init(bits count: Int, isSet: (Int) -> Bool) {
    unsafe self.init(byteCount: (count + 7) / 8) { bytes in
      unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
      for i in 0..<count where isSet(i) { unsafe bytes[i >> 3] |= 1 << UInt8(i & 7) }
    }
  }
}
