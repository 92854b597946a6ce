import CommandInterface
import Foundation
import SystemPrograms
import ToolCommands

// If a reader such as `head` closes its end of a pipe, the signal ends the tool, as it ends any filter. The default is restored
// because the parent process may have chosen to ignore the signal.
_ = signal(SIGPIPE, SIG_DFL)

Tool.prepareProcess()

// Swift's own `CommandLine.arguments` repairs invalid UTF-8, and a repaired path would name another file.
// SAFETY: The C runtime gives `argc` valid strings that live as long as the process.
let arguments = (0..<Int(CommandLine.argc)).map { index -> [UInt8] in
  guard let argument = unsafe CommandLine.unsafeArgv[index] else { return [] }
  return unsafe Array(UnsafeBufferPointer(start: argument, count: strlen(argument)))
    .map { UInt8(bitPattern: $0) }
}

let environment = ThisProgram.environment
let tool = Tool.quire(environment: environment, executable: ThisProgram.path)
exit(tool.run(arguments: arguments, on: .standard(environment: environment)).rawValue)
