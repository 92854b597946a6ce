import BinaryStore
import Checksums
import DurableFiles
import Foundation
import FuzzDriver
import ObjectModel
import Rows
import StoreInterface

// A small sound file, changed where the input says. Checksums are mended, so that what lies behind
// them is reached: the file opens or is refused, and whatever opens can be read and saved to.

/// A store of several commits, with merged segments, changed rows and values outside of their blocks.
let options: BinaryStoreOptions = {
  var options = BinaryStoreOptions()
  options.leastOutsideByteCount = 64
  return options
}()

let sound: [UInt8] = {
  var note = Entity("Note")
  note.properties = [
    .attribute(Attribute("picture", .binary)), .attribute(Attribute("stars", .int16)),
    .attribute(Attribute("text", .string)),
    .relationship(Relationship("next", to: "Note")),
  ]
  let disk = SimulatedDisk()
  let store = try! BinaryStore.create(
    at: "/s", model: try! Model(entities: [note]), on: disk, options: options)
  for round in 0..<6 {
    let base = try! store.snapshot()
    let builder = LayerBuilder(base.schema)
    for number in 1...4 as ClosedRange<UInt64> {
      let key = ObjectKey(entity: 1, number: number * 10 + UInt64(round))
      builder.insert(key)
      builder.set(.string("text \(number)"), column: 3, of: key)
      builder.set(
        .binary(Data(repeating: UInt8(number), count: 40 + 30 * round)), column: 1, of: key)
    }
    if round > 0 {
      let old = ObjectKey(entity: 1, number: 10)
      let version = try! base.view.row(of: old)!.version
      builder.set(.integer(Int64(round)), column: 2, of: old, basis: version)
    }
    _ = try! store.commit(CommitRequest(builder.freeze(), basedOn: base))
  }
  return try! disk.read("/s", byteLimit: 1 << 20)
}()

func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
  guard offset >= 0, offset + count <= bytes.count else { return 0 }
  return (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
}

func seal(_ bytes: inout [UInt8], _ range: Range<Int>, at place: Int) {
  guard range.lowerBound >= 0, range.upperBound <= bytes.count, place + 4 <= bytes.count else {
    return
  }
  let sum = CRC32C.checksum(of: bytes.span.bytes.extracting(range))
  for i in 0..<4 { bytes[place + i] = UInt8(truncatingIfNeeded: sum >> (8 * UInt32(i))) }
}

/// Mends the blocks that the segments of a record list.
func mendBlocks(_ bytes: inout [UInt8], listedIn record: Int) {
  var place = record + 112 + 16 * number(bytes, record + 104, 2)
  for _ in 0..<min(number(bytes, record + 108, 4), 16) {
    let count = number(bytes, place + 24, 2)
    place += 32
    for entry in 0..<min(count, 16) {
      mendBlock(&bytes, at: number(bytes, place + 56 * entry, 6))
    }
    place += 56 * count
  }
}

func mendBlock(_ bytes: inout [UInt8], at block: Int) {
  var entry = block + 48
  for _ in 0..<min(number(bytes, block + 18, 2), 16) {
    let (chunk, count) = (number(bytes, entry + 8, 4), number(bytes, entry + 12, 4))
    seal(&bytes, block + chunk..<block + chunk + count, at: entry + 16)
    let (encoding, flags) = (number(bytes, entry + 3, 1), number(bytes, entry + 6, 1))
    entry += 24
    guard flags & 2 == 0 else { continue }
    if encoding == 1 || encoding == 2 { entry += flags & 4 != 0 ? 16 : 8 }
    if encoding == 5 || encoding == 6 { entry += 16 }
  }
  guard block + 16 <= bytes.count else { return }
  for i in 12..<16 { bytes[block + i] = 0 }
  let header = number(bytes, block + 4, 4)
  seal(&bytes, block..<block + header, at: block + 12)
}

func mended(_ bytes: [UInt8]) -> [UInt8] {
  var bytes = bytes
  seal(&bytes, 0..<60, at: 60)
  let trailer = bytes.count - 48
  let record = number(bytes, trailer + 24, 6)
  let count = number(bytes, trailer + 32, 4)
  guard record >= 64, count < 1 << 20, record + count <= trailer else { return bytes }
  for place in [record + 48, record + 64, record + 80] {
    let (offset, length) = (number(bytes, place, 6), number(bytes, place + 8, 4))
    if offset + length <= bytes.count { seal(&bytes, offset..<offset + length, at: place + 12) }
  }
  mendBlocks(&bytes, listedIn: record)
  seal(&bytes, record..<record + count, at: trailer + 36)
  let start = number(bytes, record + 32, 6)
  if start <= trailer { seal(&bytes, start..<trailer, at: trailer + 40) }
  seal(&bytes, trailer..<trailer + 44, at: trailer + 44)
  return bytes
}

fuzz { input in
  let input = Array(input)
  var bytes = sound
  // Each change is a place and a byte; places are spread over the end of the file, where the last
  // record and trailer are, and over all of it.
  for start in stride(from: 1, to: input.count - 2, by: 3) {
    let place = Int(input[start]) | Int(input[start + 1]) << 8
    let last = bytes.count - 1
    bytes[place & 0x8000 == 0 ? max(0, last - place % 1024) : place % bytes.count] =
      input[start + 2]
  }
  if let mode = input.first, mode & 1 == 0 { bytes = mended(bytes) }
  let disk = SimulatedDisk()
  guard let file = try? disk.open("/s", for: .create), (try? file.append(bytes)) != nil,
    let store = try? BinaryStore.open("/s", on: disk, options: options),
    let snapshot = try? store.snapshot()
  else { return }
  let view = snapshot.view
  for layout in snapshot.schema.layouts.prefix(8) {
    guard let keys = try? view.keys(ofEntity: layout.entityNumber) else { continue }
    for number in keys.prefix(100) {
      let key = ObjectKey(entity: layout.entityNumber, number: number)
      guard let row = try? view.row(of: key) else { continue }
      for column in layout.columns { _ = try? row.value(column) }
    }
    for batch in (try? view.batches(of: layout)) ?? [] { try? batch.block.verify() }
  }
  guard let layout = snapshot.schema.layouts.first else { return }
  let builder = LayerBuilder(snapshot.schema)
  builder.insert(ObjectKey(entity: layout.entityNumber, number: 77_777))
  _ = try? store.commit(CommitRequest(builder.freeze(), basedOn: snapshot))
  _ = try? store.leaseKeys(ofEntity: layout.entityNumber, count: 1)
}
