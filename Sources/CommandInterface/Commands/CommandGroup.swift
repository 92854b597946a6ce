/// Commands with a common purpose, which stand below a title in the help of the tool.
package struct CommandGroup: Sendable {
  package let title: String
  package let commands: [Command]

  package init(_ title: String, _ commands: [Command]) {
    self.title = title
    self.commands = commands
  }
}
