import Testing

/// Limits the length of files. A file above the limit is split, or is listed here with the reason.
@Suite("File sizes")
struct FileSizeTests {
  static let limit = 500

  /// Files that may be longer, each with its reason.
  static let exceptions: [String: String] = [:]

  @Test("No Swift file exceeds the line limit without a reason")
  func sizes() {
    let files = House.swift(in: "Sources", "Tests", "Plugins", "Fuzz", "Benchmarks")
    let findings = tooLong(files, except: Self.exceptions)
    let stale = Self.exceptions.keys.filter { path in
      !files.contains { $0.path == path && $0.lines.count > Self.limit }
    }

    #expect(findings.isEmpty, "\(list(findings))")
    #expect(stale.isEmpty, "No longer needed as exceptions: \(stale)")
  }

  @Test("The rule reports a file that is too long")
  func canFail() {
    let long = SourceFile("Sources/A/Long.swift", String(repeating: "x\n", count: 500))
    let short = SourceFile("Sources/A/Short.swift", String(repeating: "x\n", count: 499))

    #expect(tooLong([long, short], except: [:]).map(\.line) == [501])
    #expect(tooLong([long, short], except: [long.path: "One table."]).isEmpty)
  }

  private func tooLong(_ files: [SourceFile], except exceptions: [String: String]) -> [Finding] {
    files.filter { $0.lines.count > Self.limit && exceptions[$0.path] == nil }
      .map { Finding($0, $0.lines.count, "Longer than \(Self.limit) lines.") }
  }
}
