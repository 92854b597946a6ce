import FuzzDriver
import HostileInputs

fuzz(HostileInputs.metadata)
