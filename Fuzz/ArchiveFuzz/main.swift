import FuzzDriver
import HostileInputs

fuzz(HostileInputs.archive)
