import Foundation
import ObjectModel
import PropertyLists
import Rows
import SeededRandom
import Testing

@testable import StoreInterface

@Suite("Lanes of object numbers")
struct StoreLanesTests {
  private static let first: UInt64 = 1 << 47
  private static let last: UInt64 = (1 << 48) - (1 << 32) - 65_536

  private static func lanes(_ starts: [UInt64], current: UInt64?) -> StoreLanes {
    StoreLanes(
      Dictionary(uniqueKeysWithValues: starts.map { ($0, $0 ^ 0xABCD) }), current: current)
  }

  private static func metadata(_ values: [String: PropertyList]) -> StoreMetadata {
    StoreMetadata(values: values)
  }

  @Test("A store that was never copied counts from 1, and its metadata have no lanes")
  func none() {
    var metadata = Self.metadata(["NSStoreType": .string("Binary")])
    let before = metadata

    #expect(metadata.lanes.isEmpty)
    #expect(metadata.lanes.countedNumbers == 1..<1 << 48)
    #expect(metadata.lanes.firstFreeNumber(after: nil) == 1)
    #expect(metadata.lanes.firstFreeNumber(after: 18) == 18)
    metadata.lanes = metadata.lanes
    #expect(metadata == before)
    #expect(metadata.faultOfLanes == nil)
  }

  @Test("Drawn lanes begin at multiples of 65,536, and cut no other lane off")
  func drawing() {
    var random = SeededGenerator(seed: 7)
    var lanes = StoreLanes()
    for count in 1...200 {
      lanes.draw(using: &random)
      #expect(lanes.replicas.count == count)
      #expect(StoreLanes.isStart(lanes.current!))
      #expect(lanes.countedNumbers.lowerBound == lanes.current! + 1)
      #expect(lanes.countedNumbers.count >= 1 << 32)
    }
    #expect(StoreLanes.isStart(Self.first) && StoreLanes.isStart(Self.last))
    #expect(!StoreLanes.isStart(Self.last + 65_536) && !StoreLanes.isStart(Self.first - 65_536))
    #expect(!StoreLanes.isStart(Self.first + 1) && !StoreLanes.isStart(0))
  }

  @Test("A lane that begins below the numbers of the file makes the file draw another")
  func cut() throws {
    let (own, next) = (Self.first, Self.first + 70_000)
    let base = try MemoryStore(Model(entities: [])).snapshot()
    func lanes(adding start: UInt64, _ nextKeys: [UInt64]) -> (lanes: StoreLanes, isDrawn: Bool) {
      var metadata = Self.metadata([:])
      metadata.lanes = Self.lanes([own], current: own)
      var request = CommitRequest(Layer(), basedOn: base)
      request.lanes = Self.lanes([start], current: nil)
      return request.lanes(after: metadata, isCopy: false, nextKeys: nextKeys)
    }
    for (start, isDrawn) in [(own + 65_536, true), (own + 131_072, false)] {
      let found = lanes(adding: start, [own + 5, next])
      #expect(found.isDrawn == isDrawn)
      #expect((found.lanes.current == own) == !isDrawn)
      #expect(found.lanes.replicas.count == (isDrawn ? 3 : 2))
      if !isDrawn { #expect(found.lanes.firstFreeNumber(after: next) == next) }
    }
    // Numbers of other lanes say nothing.
    #expect(!lanes(adding: own + 65_536, [5, own + 5]).isDrawn)
    #expect(!lanes(adding: own + 65_536, []).isDrawn)
  }

  @Test("Lanes are drawn even if they are known as closely as possible")
  func crowded() {
    let near = stride(from: Self.first, through: Self.last, by: 1 << 32).map { $0 }
    var lanes = Self.lanes(near, current: near[0])
    var random = SeededGenerator(seed: 8)
    for _ in 0..<3 { lanes.draw(using: &random) }
    #expect(lanes.replicas.count == near.count + 3)
  }

  @Test("A number belongs to the lane with the greatest start that is not above the number")
  func owners() {
    let lanes = Self.lanes([Self.first, Self.first + 131_072], current: Self.first)

    #expect(lanes.lane(of: 1) == .init(start: 0, replica: nil))
    #expect(lanes.lane(of: Self.first - 1).start == 0)
    #expect(lanes.lane(of: Self.first).start == Self.first)
    #expect(lanes.lane(of: Self.first + 131_071).start == Self.first)
    #expect(lanes.lane(of: Self.first + 131_072).replica == (Self.first + 131_072) ^ 0xABCD)
    #expect(lanes.countedNumbers == Self.first + 1..<Self.first + 131_072)
    #expect(lanes.isFollowed)
    #expect(Self.lanes([Self.first], current: 0).countedNumbers == 1..<Self.first)
  }

  @Test("A next key of another lane says nothing about this one")
  func nextKeys() {
    let lanes = Self.lanes([Self.first, Self.last], current: Self.first)

    #expect(lanes.firstFreeNumber(after: 18) == Self.first + 1)
    #expect(lanes.firstFreeNumber(after: Self.first + 9) == Self.first + 9)
    #expect(lanes.firstFreeNumber(after: Self.last) == Self.last)
    #expect(lanes.firstFreeNumber(after: Self.last + 1) == Self.first + 1)
  }

  @Test("Metadata keep lanes, and faults in them are found")
  func metadata() {
    var metadata = Self.metadata([:])
    let lanes = Self.lanes([Self.first, Self.last], current: Self.last)
    metadata.lanes = lanes
    #expect(metadata.lanes == lanes)
    #expect(metadata.values["QuireLane"] == .string("\(Self.last)"))
    #expect(metadata.faultOfLanes == nil)

    let text = PropertyList.string("00112233445566fF")
    for (values, current) in [
      (["QuireLane": .string("\(Self.first)")], nil),
      (["QuireLane": .integer(0)], nil),
      (["QuireLanes": .array([])], 0),
      (["QuireLanes": .dictionary(["5": text])], 0),
      (["QuireLanes": .dictionary(["0\(Self.first)": text])], 0),
      (["QuireLanes": .dictionary(["\(Self.first)": .string("+0112233445566ff")])], 0),
      (["QuireLanes": .dictionary(["\(Self.first)": text]), "QuireLane": .string("0")], nil),
    ] as [([String: PropertyList], UInt64?)] {
      #expect(Self.metadata(values).faultOfLanes != nil, "\(values)")
      #expect(Self.metadata(values).lanes.current == current, "\(values)")
    }
    #expect(Self.metadata(["QuireLanes": .dictionary(["\(Self.first)": text])]).faultOfLanes == nil)
  }

  @Test("Lanes that a caller sets or merges are added, and none is lost")
  func requests() throws {
    var head = Self.metadata([:])
    head.lanes = Self.lanes([Self.first], current: Self.first)
    let snapshot = try MemoryStore(Model(entities: [])).snapshot()
    func lanes(
      _ metadata: StoreMetadata?, _ merged: StoreLanes? = nil, isCopy: Bool = false
    ) -> StoreLanes {
      var request = CommitRequest(Layer(), basedOn: snapshot, metadata: metadata)
      request.lanes = merged
      return request.lanes(after: head, isCopy: isCopy, nextKeys: [UInt64]()).lanes
    }

    // The caller has read the metadata before the lane was drawn.
    #expect(lanes(Self.metadata([:])) == head.lanes)
    let other = Self.lanes([Self.last], current: Self.last)
    #expect(lanes(nil, other) == Self.lanes([Self.first, Self.last], current: Self.first))
    var copied = Self.metadata([:])
    copied.lanes = other
    #expect(lanes(copied).current == Self.last)
    // Only an insertion makes a copy a replica.
    #expect(lanes(copied, isCopy: true).replicas.count == 2)
  }

  @Test("A lane in which nothing was reserved is forgotten before the next one is drawn")
  func unused() {
    var lanes = Self.lanes([Self.first, Self.last], current: Self.first)
    lanes.forgetUnused([18, Self.first + 1, Self.last + 4])
    #expect(lanes.current == nil && Array(lanes.replicas.keys) == [Self.last])

    var used = Self.lanes([Self.first], current: Self.first)
    used.forgetUnused([Self.first + 2])
    #expect(used.current == Self.first)
    used = StoreLanes()
    used.forgetUnused([])
    #expect(used.current == 0)
  }

  @Test("The highest key below an end is found in blocks that reach beyond the end")
  func highestKeys() throws {
    let model = try Model(entities: [Entity("Note", properties: [])])
    let schema = try Schema(model)
    let builder = LayerBuilder(schema)
    let numbers: [UInt64] = [1, 7, Self.first + 1, Self.first + 5, Self.last + 2]
    for number in numbers { builder.insert(ObjectKey(entity: 1, number: number)) }
    let run = try #require(builder.freeze()[1]?.put)

    #expect(try run.highestKey(in: 1..<Self.first) == 7)
    #expect(try run.highestKey(in: Self.first + 1..<Self.last) == Self.first + 5)
    #expect(try run.highestKey(in: Self.last + 1..<1 << 48) == Self.last + 2)
    #expect(try run.highestKey(in: 8..<Self.first) == nil)
    #expect(try BlockRun([]).highestKey(in: 1..<5) == nil)
  }
}
