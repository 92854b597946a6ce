/// A moment at which the machine may stop, with all states that the crash may leave, by number.
///
/// Each uncertain fact is a **dial**: whether a sector arrived, whether a name was set, how long a file is. A state
/// is one setting of all dials.
struct CrashPoint: Sendable {
  /// The number of completed operations.
  let operationCount: Int
  let image: CrashImage
  let dials: [Dial]
  /// The number of states, or `Int.max` if there are more.
  let stateCount: Int

  /// One uncertain fact. If there are two settings, 1 means that it happened.
  struct Dial: Sendable {
    var subject: Subject
    var settingCount: Int
  }

  enum Subject: Sendable {
    /// Whether a piece of a write arrived. A piece lies within one sector.
    case piece(change: Int, Range<Int>)
    /// Whether an indivisible change happened.
    case whole(change: Int)
    /// The size of a file: the lowest size plus the setting.
    case byteCount(NodeNumber, lowest: Int)
    /// The contents of a file where no write arrived: zeros, or the previous contents of the sectors.
    case filling(NodeNumber)
  }

  /// The size of a sector. Disks write whole sectors.
  static let sectorByteCount = 512

  init(operationCount: Int, image: CrashImage) {
    self.operationCount = operationCount
    self.image = image
    dials = Self.dials(of: image)
    var count = 1
    for dial in dials {
      let (product, overflows) = count.multipliedReportingOverflow(by: dial.settingCount)
      count = overflows ? Int.max : product
    }
    stateCount = count
  }

  /// Returns the setting of each dial in the state of the given number, counted over every combination of settings.
  func settings(ofState number: Int) -> [Int] {
    var rest = number
    return dials.map { dial in
      defer { rest /= dial.settingCount }
      return rest % dial.settingCount
    }
  }

  private static func dials(of image: CrashImage) -> [Dial] {
    var dials: [Dial] = []
    var byteCounts: [NodeNumber: ClosedRange<Int>] = [:]
    for (index, change) in image.changes.enumerated() {
      if let byteCount = change.change.newByteCount {
        let certain = image.certainByteCount(of: change.node)
        let range = byteCounts[change.node] ?? certain...certain
        byteCounts[change.node] =
          change.isByteCountCertain
          ? range : min(range.lowerBound, byteCount)...max(range.upperBound, byteCount)
      }
      guard change.standing != .certain else { continue }
      if case .write(let offset, let bytes, _) = change.change {
        for piece in pieces(of: offset..<offset + bytes.count) {
          dials.append(Dial(subject: .piece(change: index, piece), settingCount: 2))
        }
      } else {
        dials.append(Dial(subject: .whole(change: index), settingCount: 2))
      }
    }
    for (node, range) in byteCounts.sorted(by: { $0.key < $1.key }) {
      if range.count > 1 {
        let subject = Subject.byteCount(node, lowest: range.lowerBound)
        dials.append(Dial(subject: subject, settingCount: range.count))
      }
      // The filling is visible only in a file that grew or whose size is uncertain.
      if range.count > 1 || range.upperBound > image.settled[node]!.byteCount {
        dials.append(Dial(subject: .filling(node), settingCount: 2))
      }
    }
    return dials
  }

  private static func pieces(of range: Range<Int>) -> [Range<Int>] {
    var pieces: [Range<Int>] = []
    var start = range.lowerBound
    while start < range.upperBound {
      let end = min(range.upperBound, (start / sectorByteCount + 1) * sectorByteCount)
      pieces.append(start..<end)
      start = end
    }
    return pieces
  }
}
