import DiskSimulation
import DurableFiles
import Foundation
import Testing

/// The disks on which every suite runs.
enum TestDisk: String, CaseIterable, CustomTestStringConvertible {
  case real
  case simulated

  var testDescription: String { rawValue }

  /// Runs `body` with a disk and an empty directory on it, which is removed afterwards.
  func run<Result>(_ body: (any Disk, _ directory: String) throws -> Result) throws -> Result {
    switch self {
    case .simulated:
      let disk = SimulatedDisk()
      try disk.makeDirectory("/test")
      let result = try body(disk, "/test")
      #expect(disk.openFileCount == 0, "A file was left open.")
      return result
    case .real:
      let directory = NSTemporaryDirectory() + "/quire-disk-\(UUID().uuidString)"
      let disk = RealDisk()
      try disk.makeDirectory(directory)
      defer { try? disk.removeTree(directory) }
      return try body(disk, directory)
    }
  }
}

extension Disk {
  func text(_ path: String) throws -> String {
    String(decoding: try read(path, byteLimit: 1 << 20), as: UTF8.self)
  }

  func write(_ text: String, to path: String) throws {
    let file = try open(path, for: .create)
    try file.append(Array(text.utf8))
    try file.close()
  }

  func names(_ directory: String) throws -> [String] { try list(directory).map(\.name) }
}

/// Checks that `body` throws an error with the code, and returns the error.
@discardableResult
func expect<Result>(
  _ code: DiskError.Code, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Result
) -> DiskError? {
  let error = #expect(throws: DiskError.self, sourceLocation: sourceLocation) { try body() }
  #expect(error?.code == code, "\(String(describing: error))", sourceLocation: sourceLocation)
  return error
}

struct OwnFailure: Error {}
