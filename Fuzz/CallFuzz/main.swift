import FuzzDriver
import HostileInputs

fuzz(HostileInputs.calls)
