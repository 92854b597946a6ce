package import Foundation
package import Rows

/// The record of a commit: all data that are alive after it (spec §4.4).
package struct CommitRecord: Hashable {
  package static let magic: UInt32 = 0x544D_4351
  package static let magicBytes = Array("QCMT".utf8)

  package var number: Int64
  /// The time of the commit, in milliseconds since 2001-01-01 00:00 UTC.
  package var time: Int64
  /// The offset of the previous commit's trailer; 0 if the file contains no previous commit.
  package var previousTrailer: UInt64
  /// The offset of the first byte of this commit.
  package var start: UInt64
  /// The number of bytes of the file that are alive.
  package var liveByteCount: UInt64
  package var metadata: SectionReference
  package var model: SectionReference
  package var schema: SectionReference
  /// The number of the commit that set the model and the schema.
  package var schemaNumber: Int64
  /// The first free key of each entity, in the order of the record.
  package private(set) var listedKeys: [NextKey] = []
  /// The segments, the lowest first.
  package var segments: [SegmentRecord]
  /// The author of the commit; empty if unknown.
  package var author = ""
  /// The name of the context that made the changes; empty for an unnamed context.
  package var contextName = ""

  /// The first free key of an entity.
  package struct NextKey: Hashable {
    package var entity: UInt16
    package var key: UInt64
  }

  /// The first free key of each entity, by entity.
  package var nextKeys: [UInt16: UInt64] {
    get { Dictionary(listedKeys.map { ($0.entity, $0.key) }) { $1 } }
    set {
      listedKeys = newValue.sorted { $0.key < $1.key }.map { NextKey(entity: $0, key: $1) }
    }
  }

  /// The time at which the commit was made.
  package var date: Date { Date(timeIntervalSinceReferenceDate: Double(time) / 1000) }

  /// The number of bytes that ``bytes`` has.
  package var byteCount: Int {
    CommitRecord.fixedByteCount + listedKeys.count * CommitRecord.keyByteCount
      + segments.reduce(0) { $0 + $1.byteCountOfRecord } + author.utf8.count
      + contextName.utf8.count
  }

  /// The number of bytes of a record without keys, segments and texts.
  private static let fixedByteCount = 112
  private static let keyByteCount = 16

  package var bytes: [UInt8] {
    var writer = ByteWriter(capacity: byteCount)
    writer.append(CommitRecord.magic)
    writer.append(UInt16(author.utf8.count))
    writer.append(UInt16(contextName.utf8.count))
    writer.append(number)
    writer.append(time)
    writer.append(previousTrailer)
    writer.append(start)
    writer.append(liveByteCount)
    metadata.write(into: &writer)
    model.write(into: &writer)
    schema.write(into: &writer)
    writer.append(schemaNumber)
    writer.append(UInt32(listedKeys.count))
    writer.append(UInt32(segments.count))
    for next in listedKeys {
      writer.append(next.key)
      writer.append(next.entity)
      writer.append(zeros: 6)
    }
    for segment in segments { segment.write(into: &writer) }
    writer.append(Array(author.utf8))
    writer.append(Array(contextName.utf8))
    return writer.bytes
  }

  package init(
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
    self.segments = segments
    self.nextKeys = nextKeys
  }

  /// Reads the fields without checking them, except the magic.
  ///
  /// - Returns: The record, and the number of bytes that are left behind it.
  package static func unchecked(
    _ bytes: [UInt8], at offset: UInt64
  ) throws(FormatFault) -> (record: CommitRecord, excess: Int) {
    var reader = ByteReader(bytes, at: offset)
    let record = try CommitRecord(unchecked: &reader, at: offset)
    return (record, reader.remaining)
  }

  private init(unchecked reader: inout ByteReader, at offset: UInt64) throws(FormatFault) {
    guard try reader.next(UInt32.self) == CommitRecord.magic else {
      throw FormatFault("The bytes at \(offset) are not a commit record.")
    }
    let authorByteCount = Int(try reader.next(UInt16.self))
    let contextByteCount = Int(try reader.next(UInt16.self))
    number = try reader.next(Int64.self)
    time = try reader.next(Int64.self)
    previousTrailer = try reader.next(UInt64.self)
    start = try reader.next(UInt64.self)
    liveByteCount = try reader.next(UInt64.self)
    metadata = try SectionReference(unchecked: &reader)
    model = try SectionReference(unchecked: &reader)
    schema = try SectionReference(unchecked: &reader)
    schemaNumber = try reader.next(Int64.self)
    let keyCount = Int(try reader.next(UInt32.self))
    let segmentCount = Int(try reader.next(UInt32.self))
    guard keyCount <= reader.remaining / CommitRecord.keyByteCount,
      segmentCount <= reader.remaining / SegmentRecord.fixedByteCount
    else {
      throw FormatFault("The commit record at \(offset) is shorter than the size that it gives.")
    }
    segments = []
    for _ in 0..<keyCount {
      let key = try reader.next(UInt64.self)
      listedKeys.append(NextKey(entity: try reader.next(UInt16.self), key: key))
      try reader.skip(6)
    }
    for _ in 0..<segmentCount { segments.append(try SegmentRecord(unchecked: &reader)) }
    author = try reader.text(byteCount: authorByteCount)
    contextName = try reader.text(byteCount: contextByteCount)
  }

  /// Parses the record that lies at `offset`.
  package init(_ bytes: [UInt8], at offset: UInt64) throws(FormatFault) {
    let (record, excess) = try CommitRecord.unchecked(bytes, at: offset)
    try record.check(at: offset, excess: excess)
    self = record
  }

  /// Checks the fields of the record that lies at `offset` (spec §4.4.1).
  ///
  /// - Parameter excess: The number of bytes behind the record's last part.
  package func check(at offset: UInt64, excess: Int) throws(FormatFault) {
    guard number >= 1, number <= BlockFile.highestCommitNumber, startsInPlace(at: offset) else {
      throw FormatFault(
        "The commit \(number) at \(offset) gives \(start) as its start, which is not valid.")
    }
    for section in [metadata, model, schema] where !section.liesInPlace(before: offset) {
      throw FormatFault(
        "A section of \(section.byteCount) bytes at \(section.offset) is not between the header and \(offset)."
      )
    }
    guard (1...number).contains(schemaNumber) else {
      throw FormatFault(
        "Commit \(number) states that commit \(schemaNumber) set its model, which is not possible.")
    }
    var last: UInt16 = 0
    for next in listedKeys {
      guard next.entity > last, next.isPossible else {
        throw FormatFault(
          "The next key of entity \(next.entity) is \(next.key), which is not valid.")
      }
      last = next.entity
    }
    for segment in segments { try segment.check(before: offset) }
    guard excess == 0 else {
      throw FormatFault("The commit record at \(offset) has \(excess) surplus bytes.")
    }
  }

  /// Returns whether the commit begins at a multiple of 8, behind the header and the previous commit, and not behind
  /// its own record.
  package func startsInPlace(at offset: UInt64) -> Bool {
    start % 8 == 0 && start >= UInt64(BlockFile.headerByteCount) && start <= offset
      && previousTrailer < start
  }
}

extension CommitRecord.NextKey {
  /// Whether the key is possible.
  package var isPossible: Bool { key >= 1 && key <= 1 << 48 }
}
