// SAFETY: The host's arguments are valid for the length of the call. Results are written only to the places that the
// host gave.

import CStorePlugin
import DurableFiles
import ObjectModel
import PluginExchange
import StoreInterface

extension QuirePlugin {
  /// Adds the function that checks a store against the rules of its type.
  @unsafe mutating func addChecking() {
    unsafe check = { host, type, path, opening, report, error in
      unsafe answering(error, text(path)) {
        let host = unsafe try usable(host)
        let backend = unsafe try ExportedBackend.of(type)
        let rules = try backend.rules()
        guard let path = unsafe text(path) else {
          unsafe report?.pointee = QuireBytes(try PluginReports.bytes(of: nil, rules: rules))
          return
        }
        var model: Model?
        if unsafe opening != nil {
          unsafe model = try PluginStructures.copy(of: opening).model.copied.map {
            try PluginDescriptions.model($0, path: path)
          }
        }
        let found = try backend.check(path, on: HostDisk(host: host), model: model) { done in
          host.showProgress(done)
        }
        guard let found else {
          throw StoreError(.notSupported, "The backend does not check stores.", path: path)
        }
        unsafe report?.pointee = QuireBytes(try PluginReports.bytes(of: found, rules: rules))
      }
    }
  }
}

extension HostTable {
  /// Reports the finished share of long work to the host, from 0 to 1.
  fileprivate func showProgress(_ share: Double) {
    _ = unsafe host.pointee.progress?(
      host.pointee.context, UInt64(max(0, min(1, share)) * 1000), 1000)
  }
}
