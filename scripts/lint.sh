# lint
#   Checks that everything is formatted.

lint
say "lint: all formatted"
