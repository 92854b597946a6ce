import Foundation

/// Measures the work of a user in Quire and its peers. Prints one table, checks that all peers compute the same, and writes
/// the times and a chart into `.build/bench`.
func runPeerBenchmarks(_ count: Int) throws {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "quire-bench-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let world = PeerWorld(count: count, folder: folder)
  let peers: [any Peer] = [
    QuirePeer(world), SQLiteRecordsPeer(world), SQLiteObjectsPeer(world), LMDBPeer(world),
    CodablePeer(world), ObjectsPeer(world),
  ]
  var table = PeerTable(count: count, titles: peers.map(\.title))
  for peer in peers { peer.prepareCopy() }
  for work in PeerWork.allCases where Measurement.isWanted(work.rawValue) {
    if work == .byteCount {
      for peer in peers {
        if let size = peer.byteCount { table.note(work, peer.title, [Double(size) / 1e6]) }
      }
    } else {
      table.measure(work, peers)
    }
  }
  table.show()
  try table.write()
}

/// The times of peers, in milliseconds. The sizes of files are in megabytes.
struct PeerTable {
  private let count: Int
  private let titles: [String]
  private var times: [PeerWork: [String: [Double]]] = [:]

  init(count: Int, titles: [String]) {
    self.count = count
    self.titles = titles
  }

  mutating func note(_ work: PeerWork, _ title: String, _ values: [Double]) {
    times[work, default: [:]][title] = values
  }

  /// Measures a piece of work in rounds, each peer once in a round, and checks that all results are equal.
  mutating func measure(_ work: PeerWork, _ peers: [any Peer]) {
    let isChange = [.changeHundredth, .deleteTenth, .saveOne].contains(work)
    // Small work is repeated, so that the clock can measure it.
    let repetitions = work == .openOne ? 50 : 1
    var results: [String: Int] = [:]
    var slow: Set<String> = []
    for round in 0...5 {
      for peer in peers where !slow.contains(peer.title) {
        if isChange { peer.prepareCopy() }
        tidyMemory()
        let isSlowest = peer is CodablePeer
        let runs = isSlowest ? 1 : repetitions
        let start = DispatchTime.now().uptimeNanoseconds
        var result: Int?
        for _ in 0..<runs { result = peer.run(work) }
        let time = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6 / Double(runs)
        guard let result else {
          slow.insert(peer.title)
          continue
        }
        precondition(
          results.isEmpty || results.values.first == result,
          "\(peer.title) returns \(result) for '\(work.rawValue)'; others return \(results).")
        results[peer.title] = result
        // The first round warms memory and caches, and is not counted.
        if round > 0 || time > 3000 {
          times[work, default: [:]][peer.title, default: []].append(time)
        }
        // One round of a slow peer is enough, because its time varies little beside its distance.
        if time > 3000 { slow.insert(peer.title) }
      }
    }
  }

  private func median(_ work: PeerWork, _ title: String) -> Double? {
    times[work]?[title].map(Measurement.median)
  }

  /// Prints the medians, and how long Quire takes beside each peer.
  func show() {
    let widths = titles.map { max($0.count, 12) + 2 }
    func line(_ name: String, _ cells: [String]) {
      print("  \(pad(name, 40))" + zip(cells, widths).map { pad($0, $1) }.joined())
    }
    print("\n\(count) people: medians, in milliseconds")
    line("", titles)
    for work in PeerWork.allCases where times[work] != nil {
      line(
        work == .byteCount ? "\(work.rawValue), in MB" : work.rawValue,
        titles.map { median(work, $0).map(format) ?? "-" })
    }
    print("\nThe time of Quire, divided by the time of the other: below 1, Quire is faster")
    line("", titles.dropFirst().map { $0 })
    for work in PeerWork.allCases where times[work] != nil {
      guard let own = median(work, titles[0]) else { continue }
      let ratios = titles.dropFirst().map { title in
        median(work, title).map { format(own / $0) } ?? "-"
      }
      print(
        "  \(pad(work.rawValue, 40))" + zip(ratios, widths.dropFirst()).map { pad($0, $1) }.joined()
      )
    }
  }

  /// Writes the times as JSON, and the ratios as a chart.
  func write() throws {
    let folder = URL(filePath: ".build/bench")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let rows = PeerWork.allCases.compactMap { work in
      times[work].map { Row(work: work.rawValue, times: $0) }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let json = folder.appending(path: "people-\(count).json")
    try encoder.encode(
      File(
        count: count, date: Date().formatted(.iso8601), unit: "milliseconds; megabytes of a file",
        rows: rows)
    ).write(to: json)
    let chart = folder.appending(path: "people-\(count).svg")
    let bars = PeerWork.allCases.compactMap { work -> BarChart.Group? in
      guard let own = median(work, titles[0]) else { return nil }
      return BarChart.Group(
        name: work.rawValue,
        bars: titles.dropFirst().compactMap { title in
          median(work, title).map { .init(name: title, value: $0 / own) }
        })
    }
    let title = "\(count) people: how many times longer than Quire (to the left: faster than Quire)"
    try BarChart(title: title, series: Array(titles.dropFirst()), groups: bars).svg
      .write(to: chart, atomically: true, encoding: .utf8)
    print("\nWrote \(json.relativePath) and \(chart.relativePath).")
  }

  private struct File: Encodable {
    let count: Int
    let date: String
    let unit: String
    let rows: [Row]
  }

  private struct Row: Encodable {
    let work: String
    let times: [String: [Double]]
  }
}
