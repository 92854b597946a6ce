# attack [OPTION...]
#   Runs the tool on damaged files, with outputs over its inputs, with kills, with failing calls, and (as root) on a
#   file system over a failing device. Options:
#   --minutes N, --seed N, --only damage|resealed|writing|kills|failing|device, --self-test.

build_tool
mkdir -p .build/attack
cc -shared -fPIC -O1 -o .build/attack/failing_calls.so Tests/attack/failing_calls.c -ldl
python3 Tests/attack/attack.py "$@"
