import CQuire
import Foundation
import LibQuire
import Testing

@Suite("The stability of the C interface")
struct StabilityTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../..").standardizedFileURL

  private func file(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
  }

  @Test("The library shows the functions of the header, and each of them is implemented")
  func functions() throws {
    let header = try file("Sources/CQuire/include/quire.h")
    let declared = Set(
      header.matches(of: #/(?m)^[a-z][^\n]*?[ *](quire_[a-z_]+)\(/#).map { String($0.1) })
    let shown = Set(
      try file("Sources/LibQuire/exports.map").matches(of: #/(quire_[a-z_]+);/#)
        .map { String($0.1) })
    let folder = Self.root.appending(path: "Sources/LibQuire/Exports")
    var implemented: Set<String> = []
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let source = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      for match in source.matches(of: #/@_cdecl\("(quire_[a-z_]+)"\)/#) {
        implemented.insert(String(match.1))
      }
    }

    #expect(declared.count > 40)
    #expect(shown == declared)
    #expect(implemented == declared)
  }

  @Test("The codes have the names of the header")
  func codes() throws {
    let header = try file("Sources/CQuire/include/quire.h")
    for match in header.matches(of: #/(?m)^  QUIRE_E_([A-Z_]+) = (\d+),/#) {
      let words = match.1.lowercased().split(separator: "_")
      let name = words[0] + words.dropFirst().map(\.capitalized).joined()
      #expect(String(cString: quire_code_name(Int32(match.2)!)) == name)
    }
    #expect(String(cString: quire_code_name(9999)) == "failed")
    #expect(quire_api() == 1)
  }

  // A program that was compiled with the header of version 1.0 has these numbers in it. Members may only follow.
  @Test("The structures of version 1.0 keep the places of their members")
  func places() {
    #expect(MemoryLayout<quire_text>.size == 16)
    #expect(MemoryLayout<quire_bytes>.size == 32)
    #expect(MemoryLayout<quire_error>.size == 40)
    #expect(MemoryLayout<quire_error>.offset(of: \.release) == 24)
    #expect(MemoryLayout<quire_opening>.offset(of: \.author) == 56)
    #expect(MemoryLayout<quire_creation>.offset(of: \.model) == 16)
    #expect(MemoryLayout<quire_creation>.offset(of: \.author) == 80)
    #expect(MemoryLayout<quire_state>.offset(of: \.version) == 16)
    #expect(MemoryLayout<quire_progress>.offset(of: \.context) == 16)
    #expect(MemoryLayout<quire_request>.offset(of: \.entity) == 8)
    #expect(MemoryLayout<quire_request>.offset(of: \.limit) == 120)
    #expect(MemoryLayout<quire_request>.offset(of: \.identifiers) == 136)
    #expect(MemoryLayout<quire_request>.offset(of: \.owner) == 152)
    #expect(MemoryLayout<quire_request>.offset(of: \.distinct) == 176)
  }
}
