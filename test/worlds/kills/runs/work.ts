import { sealScript } from '../seal.ts';

/** What workers do first and last: they write down that they were asked, and that they are done. */
export const scripts: Readonly<Record<string, string>> = {
  'asked.sh': `
echo "asked $MAILROOM_STEP_PATH@$MAILROOM_ITERATION.$MAILROOM_ATTEMPT $MAILROOM_COMPLETION_CHECK_ID" >> "$MAILROOM_PROJECT/asked.log"
over() { echo "over $MAILROOM_STEP_PATH" >> "$MAILROOM_PROJECT/asked.log"; }
# Leaves a child behind that nothing but KILL ends.
deaf() { trap '' TERM; setsid sh -c 'trap "" TERM; exec sleep 600' > /dev/null 2>&1 & }
# A command for the run, whole, once for each attempt: its verb, its path.
command() {
  id="01900000-0000-7000-8000-$(printf '%012d' "$MAILROOM_ATTEMPT")"
  printf '{"id":"%s","at":%s,"by":"tester","verb":"%s","path":"%s"}' "$id" "$(date +%s%3N)" "$1" "$2" |
    node "$MAILROOM_PROJECT/seal.mjs" ".mailroom/runs/$MAILROOM_RUN/control/$id.json"
}
`,
  'seal.mjs': sealScript,
  'told.sh': 'echo "$MAILROOM_GATE" >> told.log\n',
  'hook.sh': 'echo "hook $1" >> "$MAILROOM_PROJECT/asked.log"\n',
  'bin/claude': `#!/bin/sh
[ "$1" = "--version" ] && { echo "2.1.0 (Claude Code)"; exit 0; }
cat > /dev/null
. ./asked.sh
over
echo '{"type":"result","subtype":"success","is_error":false,"result":"Words","session_id":"s1","total_cost_usd":0.01,"usage":{"input_tokens":3,"output_tokens":4}}'
`,
  'role.sh': `
echo "turn $MAILROOM_TURN/$MAILROOM_ATTEMPT/$MAILROOM_ROUND" >> "$MAILROOM_PROJECT/asked.log"
mkdir -p made; echo 1 > made/a.txt; echo 1 > made/b.txt
# What says nothing has no file of its output.
echo made
echo "over build" >> "$MAILROOM_PROJECT/asked.log"
`,
};

/** The protocol of the kinds of work in which a role does a step. */
export const protocol = `name: kills
version: "1"
roles:
  maker: { provider: sh, capabilities: [READ, EDIT], retries: 6, kinds: [5100, 5300] }
messages:
  task: { from: user, to: maker }
  done: { from: maker, to: user, closes: true }
start: { type: task, to: maker }
`;

export const settings = (sandbox: boolean): string =>
  `providers: { sh: { command: [sh, role.sh] } }\nnotify: { user: [sh, told.sh] }\nkeep: 1ms\ntrail: off\n${sandbox ? 'sandbox: required\n' : ''}`;
