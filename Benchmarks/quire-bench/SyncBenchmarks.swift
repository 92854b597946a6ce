import Foundation

extension ObjectBench {
  /// Measures what the disk takes for the bytes of a save of one object, without any work around them.
  ///
  /// The forms are those of a block file that grows with each save, of one that saves into zeros (decision 0033), and of
  /// SQLite's log. The first two also write the acknowledgement of the save before.
  func measureSyncs() {
    let saveCount = 200
    var measurement = Measurement(rounds: 10)
    let names = [
      "sync: append 912 bytes, and 16 in the header", "sync: write 912 bytes into zeros",
      "sync: write a page of 4096 bytes over old bytes",
    ]
    for (form, name) in names.enumerated() {
      let path = folder.appending(path: "sync-\(form)").path
      let file = newFile(path)
      let zeros = [UInt8](repeating: 0, count: 4 << 20)
      let bytes = [UInt8](repeating: 7, count: 4096)
      pwrite(file, zeros, zeros.count, 0)
      fdatasync(file)
      var end = form == 0 ? zeros.count : 4096
      measurement.add(name, saveCount, "save") {
        for _ in 0..<saveCount {
          switch form {
          case 0:
            pwrite(file, bytes, 912, off_t(end))
            pwrite(file, bytes, 16, 40)
            end += 912
          case 1:
            // The zeros would be written ahead again; here, the file begins anew.
            if end + 912 > zeros.count { end = 4096 }
            pwrite(file, bytes, 8, off_t(end - 8))
            pwrite(file, bytes, 912, off_t(end))
            end += 912
          default:
            if end + 4096 > zeros.count { end = 4096 }
            pwrite(file, bytes, 4096, off_t(end))
            end += 4096
          }
          fdatasync(file)
        }
        return 1
      }
    }
    let times = measurement.report("Syncs of the bytes of one save")
    target(
      "\(names[1]) / SQLite's page", Measurement.ratio(times, names[1], to: names[2]), atMost: 1.15)
    target(
      "\(names[1]) / append", Measurement.ratio(times, names[1], to: names[0]), atMost: 0.8)
  }
}

private func newFile(_ path: String) -> Int32 { open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600) }
