// SAFETY: A distorted answer stays within the memory of the true answer: counts become smaller and never larger, and
// pointers become NULL or stay. The Arrow interface lets a reader check no more than that.

import CArrow
import CStorePlugin
import Foundation
import ObjectModel
import PluginHost
import PluginSupport
import Rows
import StoreInterface

/// A plug-in that follows an input: a store in memory behind the C interface, with distorted answers.
enum HostilePlugin {
  /// The rest of the input. One plug-in runs at a time, because the functions of a table take no context.
  private nonisolated(unsafe) static var script: ArraySlice<UInt8> = []
  private static let turn = NSLock()

  /// Calls `body` with a backend, and distorts the backend's answers as the bytes state.
  static func with(_ bytes: [UInt8], crossing blocks: Bool, _ body: (PluginBackend) -> Void) {
    turn.lock()
    defer { turn.unlock() }
    script = bytes[...]
    body(blocks ? withBlocks : withArrays)
    script = []
  }

  private static let withBlocks = backend(blocks: true)
  private static let withArrays = backend(blocks: false)

  private static func backend(blocks: Bool) -> PluginBackend {
    let functions = PluginFunctions(
      distorted(blocks: blocks), type: honest.pointee.types[0]!, flags: blocks ? 3 : 0,
      name: "Hostile")
    return PluginBackend(
      .memory, [.incremental, .history], recognizing: { _ in false }, load: { functions })
  }

  /// The table of the store in memory.
  nonisolated(unsafe) static let honest = StorePlugin.table("Hostile", "1", [MemoryStoreBackend()])
    .assumingMemoryBound(to: QuirePlugin.self)

  /// Returns the next byte; 0, which distorts nothing, after the end of the input.
  static func next() -> UInt8 { script.popFirst() ?? 0 }

  private static func distorted(blocks: Bool) -> UnsafePointer<QuirePlugin> {
    let table = UnsafeMutablePointer<QuirePlugin>.allocate(capacity: 1)
    table.initialize(to: honest.pointee)
    if !blocks { table.pointee.blocks = nil }
    table.pointee.commit_of = { snapshot in
      HostilePlugin.honest.pointee.commit_of(snapshot) &+ Int64(HostilePlugin.next() & 1)
    }
    table.pointee.describe = { snapshot, what, bytes, error in
      let code = HostilePlugin.honest.pointee.describe(snapshot, what, bytes, error)
      guard code == 0, let bytes, bytes.pointee.count > 0 else { return code }
      switch HostilePlugin.next() {
      case 1: bytes.pointee.count /= 2
      case 2:
        let place = Int(HostilePlugin.next()) * 7 % Int(bytes.pointee.count)
        UnsafeMutablePointer(mutating: bytes.pointee.start)?[place] ^= HostilePlugin.next()
      case 3:
        bytes.pointee.release?(bytes)
        return 6
      default: break
      }
      return code
    }
    table.pointee.tables = { snapshot, take, context, error in
      let distorting = Distorting(take: take, context: context)
      return HostilePlugin.honest.pointee.tables(
        snapshot,
        { distorting, table in
          let distorting = Unmanaged<Distorting>.fromOpaque(distorting!).takeUnretainedValue()
          var one = table!.pointee
          switch HostilePlugin.next() {
          case 1: one.row_count = .max
          case 2: one.version = .min
          case 3: _ = distorting.take?(distorting.context, &one)
          default: break
          }
          return distorting.take?(distorting.context, &one) ?? 0
        }, Unmanaged.passUnretained(distorting).toOpaque(), error)
    }
    table.pointee.rows = { snapshot, table, entity, kind, take, context, error in
      let handing = Handing(take: take, context: context)
      return HostilePlugin.honest.pointee.rows(
        snapshot, table, entity, kind,
        { handing, schema, array in
          let handing = Unmanaged<Handing>.fromOpaque(handing!).takeUnretainedValue()
          DistortedArray.distort(schema!, array!)
          return handing.take?(handing.context, schema, array) ?? 0
        }, Unmanaged.passUnretained(handing).toOpaque(), error)
    }
    table.pointee.read_block = { snapshot, table, block, offset, count, buffer, error in
      let code = HostilePlugin.honest.pointee.read_block(
        snapshot, table, block, offset, count, buffer, error)
      guard code == 0, count > 0, let buffer else { return code }
      for _ in 0..<Int(HostilePlugin.next() & 3) {
        let place = (Int(HostilePlugin.next()) << 8 | Int(HostilePlugin.next())) % Int(count)
        buffer.assumingMemoryBound(to: UInt8.self)[place] ^= HostilePlugin.next()
      }
      return code
    }
    table.pointee.commit = { store, commit, committed, error in
      for index in 0..<Int(commit!.pointee.batch_count) where HostilePlugin.next() & 1 != 0 {
        guard let batch = commit!.pointee.batches[index], let schema = batch.pointee.schema,
          let array = batch.pointee.array
        else { continue }
        DistortedArray.distort(schema, array)
        batch.pointee.kind ^= UInt16(HostilePlugin.next() & 3)
      }
      return HostilePlugin.honest.pointee.commit(store, commit, committed, error)
    }
    table.pointee.lease_keys = { store, entity, count, first, leased, error in
      let code = HostilePlugin.honest.pointee.lease_keys(
        store, entity, count, first, leased, error)
      switch HostilePlugin.next() {
      case 1: first?.pointee = 0
      case 2: leased?.pointee = .max
      case 3: first?.pointee = .max
      case 4: return Int32(HostilePlugin.next())
      default: break
      }
      return code
    }
    return UnsafePointer(table)
  }

  private final class Distorting {
    let take: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<QuireTable>?) -> Int32)?
    let context: UnsafeMutableRawPointer?
    init(
      take: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<QuireTable>?) -> Int32)?,
      context: UnsafeMutableRawPointer?
    ) {
      self.take = take
      self.context = context
    }
  }

  private final class Handing {
    typealias Take =
      @convention(c) (
        UnsafeMutableRawPointer?, UnsafeMutablePointer<ArrowSchema>?,
        UnsafeMutablePointer<ArrowArray>?
      ) -> Int32
    let take: Take?
    let context: UnsafeMutableRawPointer?
    init(take: Take?, context: UnsafeMutableRawPointer?) {
      self.take = take
      self.context = context
    }
  }
}

/// Distorts the contents of Arrow structures. A distorted structure releases the original.
enum DistortedArray {
  /// Replaces both structures by distorted copies.
  static func distort(
    _ schema: UnsafeMutablePointer<ArrowSchema>, _ array: UnsafeMutablePointer<ArrowArray>
  ) {
    let (keptSchema, keptArray) = (Kept(schema.pointee), Kept(array.pointee))
    array.pointee.children = keptArray.children(Int(array.pointee.n_children)) {
      array.pointee.children[$0]
    }
    schema.pointee.children = keptSchema.children(Int(schema.pointee.n_children)) {
      schema.pointee.children[$0]
    }
    array.pointee.private_data = Unmanaged.passRetained(keptArray).toOpaque()
    array.pointee.release = { array in
      let kept = Unmanaged<Kept<ArrowArray>>.fromOpaque(array!.pointee.private_data)
        .takeRetainedValue()
      kept.structure.release(&kept.structure)
      array!.pointee.release = nil
    }
    schema.pointee.private_data = Unmanaged.passRetained(keptSchema).toOpaque()
    schema.pointee.release = { schema in
      let kept = Unmanaged<Kept<ArrowSchema>>.fromOpaque(schema!.pointee.private_data)
        .takeRetainedValue()
      kept.structure.release(&kept.structure)
      schema!.pointee.release = nil
    }
    change(&array.pointee)
    change(&schema.pointee)
    for index in 0..<Int(max(0, array.pointee.n_children)) where HostilePlugin.next() & 1 != 0 {
      if HostilePlugin.next() == 1 {
        array.pointee.children?[index] = nil
        continue
      }
      if let child = array.pointee.children?[index] { change(&child.pointee) }
    }
    for index in 0..<Int(max(0, schema.pointee.n_children)) where HostilePlugin.next() & 1 != 0 {
      if HostilePlugin.next() == 1 {
        schema.pointee.children?[index] = nil
        continue
      }
      if let child = schema.pointee.children?[index] { change(&child.pointee) }
    }
  }

  private static func change(_ array: inout ArrowArray) {
    switch HostilePlugin.next() {
    case 1: array.length /= 2
    case 2: array.length = -1
    case 3: array.null_count = 7
    case 4: array.offset = -1
    case 5 where array.length > 0:
      array.offset = 1
      array.length -= 1
    case 6: array.n_buffers = 0
    case 7: array.n_buffers = 1
    case 8: array.buffers = nil
    case 9: array.n_children = max(0, array.n_children - 1)
    case 10: array.children = nil
    case 11: array.offset = .max
    case 12: array.n_children = -1
    default: break
    }
  }

  private static let texts: [StaticString] = [
    "", "u", "U", "l", "L", "g", "b", "z", "w:16", "w:0", "+s", "#key", "#version", "name", "s",
    "i",
  ]

  private static func change(_ schema: inout ArrowSchema) {
    let text = texts[Int(HostilePlugin.next()) % texts.count]
    let words = UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    switch HostilePlugin.next() {
    case 1: schema.format = words
    case 2: schema.name = words
    case 3: schema.format = nil
    case 4: schema.name = nil
    case 5: schema.n_children = max(0, schema.n_children - 1)
    case 6: schema.children = nil
    case 7: schema.metadata = nil
    case 8: schema.n_children = -1
    default: break
    }
  }

  /// The original of a replaced structure, and the copies of its children.
  private final class Kept<Structure> {
    var structure: Structure
    private var copies: [UnsafeMutablePointer<Structure>] = []
    private var places: UnsafeMutablePointer<UnsafeMutablePointer<Structure>?>?

    init(_ structure: Structure) { self.structure = structure }

    deinit {
      for copy in copies { copy.deallocate() }
      places?.deallocate()
    }

    func children(
      _ count: Int, _ child: (Int) -> UnsafeMutablePointer<Structure>?
    ) -> UnsafeMutablePointer<UnsafeMutablePointer<Structure>?> {
      let places = UnsafeMutablePointer<UnsafeMutablePointer<Structure>?>.allocate(
        capacity: max(count, 1))
      for index in 0..<count {
        guard let original = child(index) else { continue }
        let copy = UnsafeMutablePointer<Structure>.allocate(capacity: 1)
        copy.initialize(to: original.pointee)
        copies.append(copy)
        (places + index).initialize(to: copy)
      }
      self.places = places
      return places
    }
  }
}
