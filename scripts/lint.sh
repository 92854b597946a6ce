# lint
#   Checks the format of all Swift files, and the syntax of the styles and the script of reports.

lint
say "lint: all formatted"
