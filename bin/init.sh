# The first process of a container: reaps orphans, passes on signals, and ends as the program does.
exec 3<&0
node "$0" "$@" <&3 3<&- &
program=$!
exec 3<&-
for signal in HUP QUIT TERM USR1 USR2; do trap "kill -$signal $program" "$signal"; done
# A terminal sends its Ctrl-C to both.
if [ -t 0 ]; then trap : INT; else trap "kill -INT $program" INT; fi
while :; do
  wait "$program"
  code=$?
  kill -0 "$program" 2>/dev/null || exit "$code"
done
