import FuzzDriver
import HostileInputs

fuzz(HostileInputs.block)
