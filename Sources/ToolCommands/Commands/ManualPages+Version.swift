import CommandInterface

extension ManualPages {
  /// Creates the pages of this version of the tool.
  init(of commands: [Command]) { self.init(of: commands, version: VersionCommand.version) }
}
