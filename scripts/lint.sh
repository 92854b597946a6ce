# lint
#   Checks the format of all Swift files.

lint
say "lint: all formatted"
