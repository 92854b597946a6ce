import FuzzDriver
import HostileInputs

fuzz(HostileInputs.pluginBatch)
