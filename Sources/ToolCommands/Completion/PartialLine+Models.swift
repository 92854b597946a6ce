import CommandInterface

extension PartialLine {
  /// The name of the entity of the line's objects.
  var entity: String? {
    values(of: .entity).first { !$0.contains("=") }
      ?? options.first { $0.key.kind == .entity }?.value
  }

  /// The path that `--model` gives.
  var modelPath: String? {
    options.first { $0.key.name == Option.storeModel.name && $0.key.role == .input }?.value
  }
}
