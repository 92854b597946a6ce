import DurableFiles

extension CrashPoint {
  /// Returns the files and directories that a crash leaves with the given settings of the dials.
  func nodes(_ settings: [Int]) -> SimulatedNodes {
    var nodes = image.settled
    var happened: Set<Int> = []
    var pieces: [Int: [Range<Int>]] = [:]
    var byteCounts: [NodeNumber: Int] = [:]
    var fillings: [NodeNumber: PagedBytes.Filling] = [:]
    for (dial, setting) in zip(dials, settings) {
      switch dial.subject {
      case .piece(let change, let range):
        if setting == 1 { pieces[change, default: []].append(range) }
      case .whole(let change):
        if setting == 1 { happened.insert(change) }
      case .byteCount(let node, let lowest): byteCounts[node] = lowest + setting
      case .filling(let node): fillings[node] = setting == 1 ? .garbage : .zeros
      }
    }
    lengthen(&nodes, fillings)
    for (index, change) in image.changes.enumerated() {
      if change.standing == .certain || happens(index, happened) {
        apply(change.change, to: &nodes[change.node]!, fillings[change.node] ?? .zeros)
      } else if case .write(let offset, let bytes, _) = change.change {
        for piece in pieces[index] ?? [] {
          let range = piece.lowerBound - offset..<piece.upperBound - offset
          nodes[change.node]!.bytes.write(bytes[range], at: piece.lowerBound)
        }
      }
    }
    for node in Set(image.changes.map(\.node)) where nodes[node]!.kind == .file {
      let byteCount = byteCounts[node] ?? image.certainByteCount(of: node)
      nodes[node]!.bytes.resize(to: byteCount)
    }
    return nodes
  }

  /// Returns whether a change happens: by its own dial, or by the dial of the next change, if that change needs this
  /// one.
  private func happens(_ index: Int, _ happened: Set<Int>) -> Bool {
    if happened.contains(index) { return true }
    guard index + 1 < image.changes.count,
      case .entries(_, needsPrevious: true) = image.changes[index + 1].change
    else { return false }
    return happened.contains(index + 1)
  }

  /// Lengthens every file to the furthest write; the parts that no write reached contain the filling.
  private func lengthen(
    _ nodes: inout SimulatedNodes, _ fillings: [NodeNumber: PagedBytes.Filling]
  ) {
    var byteCounts: [NodeNumber: Int] = [:]
    for change in image.changes {
      guard let byteCount = change.change.newByteCount else { continue }
      byteCounts[change.node] = max(byteCounts[change.node] ?? 0, byteCount)
    }
    for (node, byteCount) in byteCounts where byteCount > nodes[node]!.byteCount {
      nodes[node]!.bytes.resize(to: byteCount, filling: fillings[node] ?? .zeros)
    }
  }

  /// Applies a change completely, except for the size, which has its own dial.
  private func apply(
    _ change: NodeChange, to node: inout SimulatedNode, _ filling: PagedBytes.Filling
  ) {
    guard case .resize(let oldByteCount, let newByteCount) = change else {
      return change.apply(to: &node)
    }
    if newByteCount > oldByteCount {
      node.bytes.fill(oldByteCount..<newByteCount, with: .zeros)
    } else {
      node.bytes.fill(newByteCount..<node.byteCount, with: filling)
    }
  }
}
