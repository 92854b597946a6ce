# set-up
#   Installs the Debian packages that the other commands need, and the hook that checks commit subjects.

git config core.hooksPath scripts/hooks
say "set-up: done"
