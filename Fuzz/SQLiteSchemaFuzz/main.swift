import FuzzDriver
import HostileInputs

fuzz(HostileInputs.sqliteSchema)
