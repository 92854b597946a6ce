import BinaryStore
import DiskSimulation
import DurableFiles
import StoreInterface
import Validation

extension HostileInputs {
  private static let sound: [[UInt8]] = SampleStore.allCases.map { try! $0.bytes() }

  /// Validates a sound file that is changed as in ``store(_:)``. The validator must end. If it finds no error, the
  /// library must read the file completely, earlier commits and indexes included.
  public static func validation(_ input: [UInt8]) {
    guard let mode = input.first else { return }
    var bytes = sound[Int(mode & 7) % sound.count]
    for start in stride(from: 1, to: input.count - 2, by: 3) {
      let place = Int(input[start]) | Int(input[start + 1]) << 8
      let last = bytes.count - 1
      bytes[place & 0x8000 == 0 ? max(0, last - place % 1024) : place % bytes.count] =
        input[start + 2]
    }
    validate(mode & 8 == 0 ? BlockFileMap.mended(bytes) : bytes)
  }

  /// Validates a file of the given bytes, and reads the whole file if the validator finds no error.
  public static func validate(_ bytes: [UInt8]) {
    let disk = SimulatedDisk()
    try! disk.open("/s", for: .create).append(bytes)
    let report = try! Validator().validate("/s", on: disk)
    guard report.verdict == .valid else { return }
    do {
      let store = try BinaryStore.open("/s", on: disk, readOnly: true)
      _ = try StoreContents(store)
    } catch {
      fatalError("No error was found, and the library refuses it: \(error)\n\(report.text)")
    }
  }
}
