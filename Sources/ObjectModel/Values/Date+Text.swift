package import Foundation
internal import PropertyLists

extension Date {
  /// Returns the moment in ISO 8601 form, in UTC, to the second or to the millisecond. A moment beyond the years of four
  /// digits is returned as seconds since 2001.
  package func isoText(includingFractions: Bool = false) -> String {
    let seconds = timeIntervalSinceReferenceDate
    guard let second = Int64(exactly: seconds.rounded(.down)),
      CivilDate.writtenSeconds.contains(second)
    else { return "\(seconds)" }
    var text: [UInt8] = []
    CivilDate.append(second: second, to: &text)
    if includingFractions, seconds != Double(second) {
      text.append(UInt8(ascii: "."))
      CivilDate.append(Int64((seconds - Double(second)) * 1000), 3, nil, to: &text)
    }
    return String(decoding: text, as: UTF8.self) + "Z"
  }
}
