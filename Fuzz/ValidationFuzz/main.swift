import FuzzDriver
import HostileInputs

fuzz(HostileInputs.validation)
