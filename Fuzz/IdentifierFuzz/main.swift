import FuzzDriver
import HostileInputs

fuzz(HostileInputs.identifier)
