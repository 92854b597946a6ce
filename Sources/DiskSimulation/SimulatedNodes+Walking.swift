import DurableFiles

/// The place to which a path resolves on a simulated disk.
struct SimulatedPlace {
  /// The directory that contains the last name.
  var directory: NodeNumber
  /// The last name; empty for the root, and where a path ends in `..`.
  var name: String
  /// The node with this name, if it exists.
  var node: NodeNumber?
}

extension SimulatedNodes {
  /// Follows a path as POSIX does. Relative paths begin at the root.
  ///
  /// If the rule refuses a link at the end of the path, the link itself is returned.
  func place(
    of path: String, _ links: LinkRule = .followed
  ) throws(ErrorNumber) -> SimulatedPlace {
    guard case .refusedBelow(let directory) = links else {
      return try walk(path, from: [.root], followsLast: links == .followed)
    }
    guard let names = path.pathComponents(below: directory),
      let start = try place(of: directory).node
    else { throw .noEntry }
    return try walk(
      names.joined(separator: "/"), from: [.root, start], followsLast: false, followsAny: false)
  }

  private func walk(
    _ path: String, from start: [NodeNumber], followsLast: Bool, followsAny: Bool = true
  ) throws(ErrorNumber) -> SimulatedPlace {
    var trail = start
    var rest = Array(path.pathComponents.reversed())
    var linkCount = 0
    var last = SimulatedPlace(directory: .root, name: "", node: start.last)
    while let name = rest.popLast() {
      let directory = trail[trail.count - 1]
      guard case .directory(let entries)? = self[directory]?.content else { throw .notDirectory }
      guard name.utf8.count <= 255 else { throw .nameTooLong }
      if name == ".." {
        if trail.count > 1 { trail.removeLast() }
        last = SimulatedPlace(directory: trail[trail.count - 1], name: "", node: trail.last)
        continue
      }
      guard let node = entries[name] else {
        guard rest.isEmpty else { throw .noEntry }
        return SimulatedPlace(directory: directory, name: name, node: nil)
      }
      last = SimulatedPlace(directory: directory, name: name, node: node)
      if case .symbolicLink(let destination)? = self[node]?.content {
        if rest.isEmpty, !followsLast { return last }
        linkCount += 1
        guard followsAny, linkCount <= 40 else { throw .tooManyLinks }
        if destination.utf8.first == UInt8(ascii: "/") { trail = [.root] }
        rest.append(contentsOf: destination.pathComponents.reversed())
      } else {
        trail.append(node)
      }
    }
    return last
  }

  /// Returns the number of entries that name the node.
  func nameCount(of number: NodeNumber) -> Int {
    values.reduce(0) { count, node in
      count + node.entries.values.count { $0 == number }
    }
  }

  /// Returns whether a directory is `other` or lies below it.
  func isDirectory(_ number: NodeNumber, within other: NodeNumber) -> Bool {
    if number == other { return true }
    return self[other]?.entries.values.contains { isDirectory(number, within: $0) } ?? false
  }
}
