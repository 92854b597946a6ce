import CommandInterface
import Foundation
import SystemPrograms
import ToolCommands

// If a reader such as `head` closes its end of a pipe, the signal ends the tool, as it ends any filter. The default is restored
// because the parent process may have chosen to ignore the signal.
_ = signal(SIGPIPE, SIG_DFL)

Tool.prepareProcess()

let environment = ThisProgram.environment
let tool = Tool.quire(environment: environment, executable: ThisProgram.path)
exit(tool.run(arguments: ThisProgram.arguments, on: .standard(environment: environment)).rawValue)
