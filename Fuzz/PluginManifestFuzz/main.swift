import FuzzDriver
import HostileInputs

fuzz(HostileInputs.pluginManifest)
