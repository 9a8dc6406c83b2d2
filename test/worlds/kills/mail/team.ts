import { sealScript } from '../seal.ts';

/** Everybody writes down that they were asked. */
const mayWrite = 'capabilities: [READ, EDIT]';
const mayCommit = 'capabilities: [READ, EDIT, RUN_COMMANDS]';

/** Where turns work: in the project, in a git worktree of their thread, or in one of their role. */
export type Workspace = '.' | 'worktree' | `{ worktree: role${string} }`;

/** What roles with checkouts of their own have besides. */
const parallel = {
  roles: `
  left: { provider: sh, ${mayWrite}, retries: 6, concurrency: 2 }
  right: { provider: sh, ${mayCommit}, retries: 6 }`,
  messages: `
  pair: { from: maker, to: { all: [left, right] }, reply: [piece], blocking: true }
  piece: { from: [left, right], to: maker }
  part: { from: maker, to: left, thread: new, reply: [built], fan_out: 2 }
  built: { from: left, to: maker }
  shipped: { from: maker, to: user, closes: true, lands: main, gates: [{ run: [sh, gate.sh] }] }`,
};

/** Its agent asks for permission as it sees fit. */
const asker = `
  asker: { provider: asker, ${mayWrite}, retries: 6, ask: user }`;

/** What the roles may do, as a protocol. `asks`: one of them asks a person. */
export function protocol(workspace: Workspace, asks: boolean): string {
  const more = workspace.includes('role') ? parallel : { roles: '', messages: '' };
  const gates = workspace !== '.' ? 'gates: [{ changed: ["made/**"] }], ' : '';
  return `
name: kills
version: "1"
workspace: ${workspace}
roles:
  maker: { provider: sh, ${mayWrite}, retries: 6 }
  checker: { provider: sh, ${mayWrite}, retries: 6 }
  writer: { provider: talker, ${mayWrite}, retries: 6 }
  one: { provider: sh, ${mayWrite}, retries: 6 }
  two: { provider: sh, ${mayWrite}, retries: 6 }
  key: { provider: sh, ${mayWrite}, retries: 6 }
  boss: { provider: human }${more.roles}${asks ? asker : ''}
messages:
  task: { from: user, to: [maker, writer${asks ? ', asker' : ''}] }
  review: { from: maker, to: checker, reply: [verdict], blocking: true, gates: [{ run: [sh, gate.sh] }] }
  verdict: { from: checker, to: maker }
  done: { from: [maker, writer${asks ? ', asker' : ''}], to: user, ${gates}closes: true }
  aside: { from: maker, to: user }
  note: { from: user, to: boss }
  word: { from: boss, to: user }
  go: { from: user, to: [one, key] }
  ask: { from: one, to: two, reply: [say] }
  say: { from: two, to: one }
  turned: { from: key, to: two }${more.messages}
expects:
  two: [{ all: [ask, turned] }]
limits: { turns_per_thread: 30, corrections: 2, nesting: 3 }
start: { type: task, to: maker }
`;
}

export function settings(options: { readonly trail: boolean; readonly sandbox: boolean }): string {
  return `providers:
  sh: { command: [sh, agent.sh] }
  talker: { kind: gemini, command: [sh, talker.sh] }
  asker: { kind: acp, command: [node, asker.mjs] }
notify: { user: [sh, told.sh] }
keep: 1ms
${options.trail ? '' : 'trail: off\n'}${options.sandbox ? 'sandbox: required\n' : ''}`;
}

const opening = `
echo "$MAILROOM_TURN $MAILROOM_ATTEMPT $MAILROOM_ROUND $MAILROOM_ROLE" >> "$MAILROOM_PROJECT/asked.log" || : # In a sandbox a worktree hides the project.
mail=$(printf '%s' "$MAILROOM_MESSAGES" | head -n 1)
type=$(sed -n 's/^type: //p' "$mail" | head -n 1)
subject=$(sed -n 's/^subject: //p' "$mail" | head -n 1)
say() { printf -- '---\\ntype: %s\\nto: %s\\nsubject: %s\\n---\\nWords\\n' "$1" "$2" "$subject" > "$MAILROOM_OUTBOX/$1.md"; }
`;

/** What agents do is told by the subject that they were given. They write down first that they were asked. */
export const scripts: Readonly<Record<string, string>> = {
  'agent.sh': `${opening}
deaf() { trap '' TERM; setsid sh -c 'trap "" TERM; exec sleep 600' > /dev/null 2>&1 & }
work() { mkdir -p made; echo "$subject" > made/work.txt; }
# Keeps what both sides of a conflict have.
resolve() { sed -i '/^[<=>|]\\{7\\}/d' made/both.txt; }
# Everybody that must have changed a file has.
both() { grep -q left made/both.txt && grep -q right made/both.txt; }
case "$type $subject" in
  'task plain'*) work; say done user ;;
  'task deaf'*) deaf; echo 'at work'; sleep 0.2; say done user ;;
  'task aside'*)
    printf -- '---\\ntype: aside\\nto: user\\nsubject: %s\\n---\\nWords\\n' "$subject" > aside.md
    # In a sandbox its own outbox is nobody's to write to.
    mv aside.md "$MAILROOM_PROJECT/agents/maker/outbox/aside.md" || mv aside.md "$MAILROOM_OUTBOX/aside.md"
    sleep 0.2; say done user ;;
  'task review'*) say review checker; head -c 70000 /dev/zero | tr '\\0' 'x' >> "$MAILROOM_OUTBOX/review.md" ;;
  review*) say verdict maker ;;
  verdict*) work; say done user ;;
  'task land'*) mkdir -p made; echo "$subject" > "made/\${subject#land }.txt"; say shipped user ;;
  'task parts'*)
    for part in red blue; do
      say part left; sed "s/^subject: .*/subject: $part/" "$MAILROOM_OUTBOX/part.md" > "$MAILROOM_OUTBOX/$part.md"
    done
    rm "$MAILROOM_OUTBOX/part.md" ;;
  part*) mkdir -p made; echo "$subject" > "made/$subject.txt"; say built maker ;;
  built*) [ -e made/red.txt ] && [ -e made/blue.txt ] && { subject=parts; work; say done user; } ;;
  'pair pair clash'*)
    mkdir -p made; [ -e made/both.txt ] || echo "$MAILROOM_ROLE" > made/both.txt
    resolve; say piece maker ;;
  'piece pair clash'*) resolve; both && { work; say done user; } ;;
  'pair pair undone'*)
    mkdir -p made; echo "$subject" > "made/$MAILROOM_ROLE.txt"; say piece maker
    # As a git leaves it that is killed, and as a careless agent does.
    : > "$(git rev-parse --git-path index.lock)"; rm .git ;;
  'task pair'*) say pair '[left, right]' ;;
  pair*) mkdir -p made; echo "$subject" > "made/$MAILROOM_ROLE.txt"; say piece maker ;;
  # What both wrote must have come together.
  piece*) [ -e made/left.txt ] && [ -e made/right.txt ] && { work; say done user; } ;;
  'task wrong'*) if [ "$MAILROOM_ROUND" = 0 ]; then say nonsense user; else say done user; fi ;;
  'task again'*)
    [ "$MAILROOM_ATTEMPT" = 1 ] && exit 1
    [ -e limited ] || { : > limited; echo 'retry-after: 3' >&2; exit 75; }
    say done user ;;
  'task cancel'*)
    deaf
    id="01900000-0000-7000-8000-$(printf '%012d' "$MAILROOM_ATTEMPT")"
    printf '{"id":"%s","at":0,"by":"maker","verb":"cancel","target":{"kind":"turn","turn":"%s"},"now":false}' "$id" "$MAILROOM_TURN" |
      node "$MAILROOM_PROJECT/seal.mjs" ".mailroom/control/$id.json"
    while :; do sleep 1; done ;;
  'go crossed'*) say ask two ;;
esac
`,
  'seal.mjs': sealScript,
  'talker.sh': `${opening}
if [ "$MAILROOM_ROUND" = 0 ]; then say nonsense user; else rm -f "$MAILROOM_OUTBOX/nonsense.md"; say done user; fi
echo '{"type":"init","session_id":"talk"}'
echo '{"type":"message","role":"assistant","content":"nothing to send"}'
echo '{"type":"result","status":"success","stats":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}'
`,
  // It wants to run a command, and says that all is done once it may.
  'asker.mjs': `
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const { MAILROOM_PROJECT, MAILROOM_TURN, MAILROOM_ATTEMPT, MAILROOM_ROUND, MAILROOM_ROLE } = process.env;
appendFileSync(MAILROOM_PROJECT + '/asked.log', [MAILROOM_TURN, MAILROOM_ATTEMPT, MAILROOM_ROUND, MAILROOM_ROLE].join(' ') + '\\n');
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const wish = { toolCallId: 'one', kind: 'execute', title: 'make it', rawInput: { command: 'make it' } };
const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];
const done = { type: 'text', text: '---\\ntype: done\\nto: user\\nsubject: permit\\n---\\nWords' };
const answers = {
  initialize: { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } }, authMethods: [] },
  'session/new': { sessionId: 'one' },
  'session/resume': {},
};
let prompt = null;
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, result } = JSON.parse(line);
  if (method === 'session/prompt') {
    prompt = id;
    send({ id: 'may', method: 'session/request_permission', params: { sessionId: 'one', toolCall: wish, options } });
  } else if (id === 'may') {
    const update = { sessionUpdate: 'agent_message_chunk', content: done };
    if (result.outcome.optionId === 'yes') send({ method: 'session/update', params: { sessionId: 'one', update } });
    send({ id: prompt, result: { stopReason: 'end_turn' } });
  } else if (answers[method]) send({ id, result: answers[method] });
});
`,
  'gate.sh': 'echo checked\n',
  'told.sh': 'echo "$MAILROOM_MESSAGE" >> told.log\n',
};
