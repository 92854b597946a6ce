import FuzzDriver
import HostileInputs

fuzz(HostileInputs.mapping)
