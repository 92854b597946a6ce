import Foundation

/// What is alive after a commit (spec §4.4).
struct CommitRecord: Hashable {
  static let magic: UInt32 = 0x544D_4351

  var number: Int64
  /// Milliseconds since 2001-01-01 00:00 UTC.
  var time: Int64
  /// Where the trailer of the commit before is; 0 when there is none in the file.
  var previousTrailer: UInt64
  /// Where the bytes of this commit begin.
  var start: UInt64
  /// How many bytes of the file are alive.
  var liveByteCount: UInt64
  var metadata: SectionReference
  var model: SectionReference
  var schema: SectionReference
  /// The number of the commit that set the model and the schema.
  var schemaNumber: Int64
  /// The first key of each entity that nobody has, by entity.
  var nextKeys: [UInt16: UInt64]
  /// The segments, the lowest first.
  var segments: [SegmentRecord]

  /// When the commit was made.
  var date: Date { Date(timeIntervalSinceReferenceDate: Double(time) / 1000) }

  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.append(CommitRecord.magic)
    writer.append(UInt32(0))
    writer.append(number)
    writer.append(time)
    writer.append(previousTrailer)
    writer.append(start)
    writer.append(liveByteCount)
    metadata.write(into: &writer)
    model.write(into: &writer)
    schema.write(into: &writer)
    writer.append(schemaNumber)
    writer.append(UInt32(nextKeys.count))
    writer.append(UInt32(segments.count))
    for (entity, key) in nextKeys.sorted(by: { $0.key < $1.key }) {
      writer.append(key)
      writer.append(entity)
      writer.append(zeros: 6)
    }
    for segment in segments { segment.write(into: &writer) }
    return writer.bytes
  }

  init(
    number: Int64, time: Int64, previousTrailer: UInt64, start: UInt64, liveByteCount: UInt64,
    metadata: SectionReference, model: SectionReference, schema: SectionReference,
    schemaNumber: Int64, nextKeys: [UInt16: UInt64], segments: [SegmentRecord]
  ) {
    self.number = number
    self.time = time
    self.previousTrailer = previousTrailer
    self.start = start
    self.liveByteCount = liveByteCount
    self.metadata = metadata
    self.model = model
    self.schema = schema
    self.schemaNumber = schemaNumber
    self.nextKeys = nextKeys
    self.segments = segments
  }

  /// Parses the record that lies at `offset`.
  init(_ bytes: [UInt8], at offset: UInt64) throws(FormatFault) {
    var reader = ByteReader(bytes, at: offset)
    guard try reader.next(UInt32.self) == CommitRecord.magic else {
      throw FormatFault("There is no commit record at \(offset).")
    }
    _ = try reader.next(UInt32.self)
    number = try reader.next(Int64.self)
    time = try reader.next(Int64.self)
    previousTrailer = try reader.next(UInt64.self)
    start = try reader.next(UInt64.self)
    liveByteCount = try reader.next(UInt64.self)
    guard number >= 1, number <= BlockFile.highestCommitNumber, start % 8 == 0,
      start >= UInt64(BlockFile.headerByteCount), start <= offset,
      previousTrailer < start
    else {
      throw FormatFault("The commit \(number) at \(offset) says that it begins at \(start).")
    }
    metadata = try SectionReference(&reader, before: offset)
    model = try SectionReference(&reader, before: offset)
    schema = try SectionReference(&reader, before: offset)
    schemaNumber = try reader.next(Int64.self)
    guard (1...number).contains(schemaNumber) else {
      throw FormatFault("Commit \(number) says that commit \(schemaNumber) set its model.")
    }
    let keyCount = Int(try reader.next(UInt32.self))
    let segmentCount = Int(try reader.next(UInt32.self))
    guard keyCount <= reader.remaining / 16, segmentCount <= reader.remaining / 16 else {
      throw FormatFault("The commit record at \(offset) is shorter than it says.")
    }
    nextKeys = [:]
    var last: UInt16 = 0
    for _ in 0..<keyCount {
      let key = try reader.next(UInt64.self)
      let entity = try reader.next(UInt16.self)
      try reader.skip(6)
      guard entity > last, key >= 1, key <= 1 << 48 else {
        throw FormatFault("The next key of entity \(entity) is \(key).")
      }
      last = entity
      nextKeys[entity] = key
    }
    segments = []
    for _ in 0..<segmentCount { segments.append(try SegmentRecord(&reader, before: offset)) }
    guard reader.remaining == 0 else {
      throw FormatFault("\(reader.remaining) bytes of the commit record at \(offset) are too many.")
    }
  }
}
