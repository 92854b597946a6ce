# attack [OPTION...]
#   Attacks the tool with damaged files, outputs over inputs, kills and failing calls, for minutes. Options:
#   --minutes N, --seed N, --only damage|resealed|writing|kills|failing, --self-test.

build_tool
mkdir -p .build/attack
cc -shared -fPIC -O1 -o .build/attack/failing_calls.so Tests/attack/failing_calls.c -ldl
python3 Tests/attack/attack.py "$@"
