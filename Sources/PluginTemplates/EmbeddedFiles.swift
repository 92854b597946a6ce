// SAFETY: The names and the contents are constants of the program, and each ends with a zero.

import CPluginTemplates

/// Returns the contents of a file that is a part of the program. There must be a file with the name.
func embedded(_ name: String) -> [UInt8] {
  var file = unsafe plugin_template_files()!
  while let found = unsafe file.pointee.name {
    if unsafe String(cString: found) == name {
      return unsafe Array(String(cString: file.pointee.bytes).utf8)
    }
    unsafe file += 1
  }
  preconditionFailure("There is no file '\(name)' in the program.")
}
