import FuzzDriver
import HostileInputs

fuzz(HostileInputs.modelSource)
