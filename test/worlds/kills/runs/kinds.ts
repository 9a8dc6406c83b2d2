import type { Kind } from '../matrix.ts';
import type { Kill } from '../order.ts';
import type { EffectName } from './effects.ts';

/** Contents of files by path; '' is none. */
type Texts = Readonly<Record<string, string>>;

export interface RolledBack {
  readonly committed: Texts;
  /** What workers did to it. */
  readonly undone: Texts;
  /** What they did, and git ignores. */
  readonly left: Texts;
}

/** One kind of work that the host of a run is killed in. */
export interface RunKind extends Kind {
  readonly steps: string;
  /** A role does one of the steps: there is mail. */
  readonly mail?: boolean;
  /** It is a workflow of the language nip, told to a relay: this project asks for it, or somebody else does. */
  readonly nip?: 'own' | 'asked';
  /** It is begun by `up`, as a trigger has asked for it before. */
  readonly triggered?: boolean;
  /** Two triggers have asked for runs: the newer cancels the older, which ends by nothing else. */
  readonly replaces?: boolean;
  /** It has run for long: its journal is due for a snapshot. */
  readonly long?: boolean;
  /** What lies there before the run begins, by path. */
  readonly before?: Texts;
  readonly first?: Kill<EffectName>;
  /** The workspace is one of git, with this in its first commit, and in the end it is as it was. */
  readonly rolledBack?: RolledBack;
  /** The project is one of git, with its files in the first commit, and these files have landed on main. */
  readonly landed?: Texts;
  /** How the run ends. */
  readonly status: 'SUCCEEDED' | 'CANCELLED' | 'FAILED';
  /** Paths that must have been done, and for each those that it comes after: once it was asked, they are not any more. */
  readonly done: Readonly<Record<string, readonly string[]>>;
}

const words = (text: string): string => `'. ./asked.sh; ${text}over'`;
const script = (text = '', more = '', may = 'READ, EDIT'): string =>
  `{ worker: CUSTOM, capabilities: [${may}], instructions: ${words(text)}${more} }`;
const command = (text = '', more = ''): string =>
  `{ command: [sh, -c, ${words(text)}], capabilities: [READ, EDIT]${more} }`;
const after = (...ids: string[]): string => `, depends_on: [${ids.join(', ')}]`;
const make = 'mkdir -p made; echo 1 > made/a.txt; echo 1 > made/b.txt; ';
const outputs = ', outputs: [{ name: made, path: made }]';
const inputs = (from: string, artifact = 'made'): string =>
  `${after(from)}, inputs: [{ from: ${from}, artifact: ${artifact}, as: in }]`;
const note = 'echo "{\\"note\\": \\"$KILLED_TOKEN\\"}" > $MAILROOM_VALUES; ';
const noted = ', values: { note: { type: string } }';
const artifacts = `
  one: ${script(make + note, outputs + noted)}
  two: ${script('cmp in/a.txt in/b.txt; ', inputs('one'))}
secrets: [KILLED_TOKEN]
`;

export const kinds: readonly RunKind[] = [
  {
    name: 'command',
    what: 'commands, and hooks when the run begins and ends',
    steps: `
  one: ${command()}
  two: ${command('', after('one'))}
hooks:
  on_start: { run: [sh, hook.sh, start] }
  on_complete: { run: [sh, hook.sh, complete] }
`,
    status: 'SUCCEEDED',
    done: { one: [], two: ['one'] },
  },
  {
    name: 'script',
    what: 'scripts that hand an artifact and a secret over, in a context folder that holds something already; a folder is in the place of a file',
    before: { 'context/one/old.txt': 'Old\n', '.mailroom/boot/folder': '' },
    steps: artifacts,
    status: 'SUCCEEDED',
    done: { one: [], two: ['one'] },
  },
  {
    name: 'agent',
    what: 'an embedded agent, and one whose answer becomes its output',
    steps: `
  one: { worker: CLAUDE_CODE, capabilities: [READ, EDIT], instructions: Work. }
  two: { worker: CLAUDE_CODE, capabilities: [READ], instructions: Say., outputs: [{ name: said, path: said.md }]${after('one')} }
  three: ${script('grep -q Words in/said.md; ', inputs('two', 'said'))}
`,
    status: 'SUCCEEDED',
    done: { one: [], three: ['one'] },
  },
  {
    name: 'role',
    what: 'a role of the protocol does a step, by mail',
    mail: true,
    steps: `
  build: { role: maker, instructions: Build it.${outputs} }
  two: ${script('cmp in/a.txt in/b.txt; ', inputs('build'))}
`,
    status: 'SUCCEEDED',
    done: { build: [], two: ['build'] },
  },
  {
    name: 'nip',
    what: 'a workflow of signed events: it is defined, asked for and done, and a relay is notified',
    mail: true,
    nip: 'own',
    steps: '',
    status: 'SUCCEEDED',
    done: {},
  },
  {
    name: 'nip request',
    what: 'the same, asked for by somebody else',
    mail: true,
    nip: 'asked',
    steps: '',
    status: 'SUCCEEDED',
    done: {},
  },
  {
    name: 'check',
    what: 'a worker that needs two iterations for its completion check',
    steps: `
  one:
    worker: CUSTOM
    capabilities: [READ, EDIT]
    instructions: ${words('echo 1 >> tries; ')}
    max_iterations: 12
    completion_check:
      worker: CUSTOM
      capabilities: [READ, EDIT]
      decision_file: decision
      instructions: '. ./asked.sh; [ $(wc -l < tries) -ge 2 ] && echo PASS > decision || echo FAIL > decision'
  two: ${script('', after('one'))}
`,
    status: 'SUCCEEDED',
    done: { one: [], two: ['one'] },
  },
  {
    name: 'retry',
    what: 'a worker that fails once, and one that fails permanently',
    steps: `
  one: ${script('[ -e tried ] || { touch tried; exit 1; }; ', ', on_failure: retry, max_retries: 2')}
  two: ${script('echo lost; exit 2; ', `, on_failure: continue${after('one')}`)}
  three: ${script('', after('two'))}
`,
    status: 'SUCCEEDED',
    done: { one: [], three: ['one', 'two'] },
  },
  {
    name: 'for_each',
    what: 'a loop over two items, both at once',
    steps: `
  each: { for_each: { items: [a, b], as: item, concurrency: 2, steps: { do: ${script('echo "${{ item }}"; ')} } } }
  two: ${script('', after('each'))}
`,
    status: 'SUCCEEDED',
    done: { 'each/0/do': [], 'each/1/do': [], two: ['each/0/do', 'each/1/do'] },
  },
  {
    name: 'gate',
    what: 'a gate that is opened by a command',
    commands: true,
    steps: `
  ask: { gate: { message: Go on? } }
  open: ${script('until grep -qs \'\'"type":"asked"\'\' .mailroom/runs/$MAILROOM_RUN/journal/*.log; do sleep 0.05; done; command approve ask; ')}
  two: ${script('', after('ask', 'open'))}
`,
    status: 'SUCCEEDED',
    done: { open: [], two: ['open'] },
  },
  {
    name: 'workflow',
    what: 'a sub-workflow that exports an artifact',
    steps: `
  child: { workflow: ./child.yaml, exports: [{ from: make, artifact: made, as: got }] }
  two: ${script('cmp in/a.txt in/b.txt; ', inputs('child', 'got'))}
`,
    status: 'SUCCEEDED',
    done: { 'child/make': [], two: ['child/make'] },
  },
  {
    name: 'cancelling',
    what: 'a deaf worker with a secret, whose child left its session; the run is cancelled',
    commands: true,
    steps: `
  one: ${script(`${note}deaf; command cancel ""; while :; do sleep 1; done; `, noted)}
  two: ${script('', after('one'))}
secrets: [KILLED_TOKEN]
`,
    status: 'CANCELLED',
    done: {},
  },
  {
    name: 'finally',
    what: 'what runs finally: two scripts after another',
    steps: `
  one: ${command()}
finally:
  tidy: ${script()}
  report: ${script('', after('tidy'))}
`,
    status: 'SUCCEEDED',
    done: { one: [], 'finally/tidy': ['one'], 'finally/report': ['one', 'finally/tidy'] },
  },
  {
    name: 'triggered',
    what: 'a run that waits in the memory of a trigger, and that `up` begins',
    mail: true,
    triggered: true,
    steps: artifacts,
    status: 'SUCCEEDED',
    done: { one: [], two: ['one'] },
  },
  {
    name: 'replacing',
    what: 'two runs that wait in the memory of triggers: the newer cancels the older, and begins',
    mail: true,
    triggered: true,
    replaces: true,
    steps: `
  hold: { command: [sh, -c, 'case $MAILROOM_RUN in 01900000-*) while :; do sleep 0.1; done ;; esac'] }
  two: ${script('', after('hold'))}
runs: { otherwise: cancel_older }
`,
    status: 'SUCCEEDED',
    done: { two: [] },
  },
  {
    name: 'rollback',
    what: 'a run that fails, and whose workspace is put back to what it was',
    rolledBack: {
      committed: { '.gitignore': '*.log\n.mailroom/\n', 'edited.txt': 'Old\n', 'gone.txt': 'There\n' },
      undone: { 'edited.txt': 'New\n', 'gone.txt': '', 'own.txt': 'New\n', 'new/more.txt': 'More\n' },
      left: { 'noise.log': 'Noise\n', 'new/noise.log': 'Noise\n' },
    },
    before: { 'own.txt': 'Never added\n' },
    steps: `
  one: ${script('echo New > edited.txt; echo New > own.txt; rm -f gone.txt; mkdir -p new; echo More > new/more.txt; echo Noise | tee noise.log > new/noise.log; ')}
  two: ${script('exit 2; ', `, on_failure: rollback${after('one')}`)}
hooks:
  on_failure: { run: [sh, hook.sh, failure] }
`,
    status: 'FAILED',
    done: { one: [] },
  },
  {
    name: 'worktrees',
    what: 'two steps in git worktrees of their own, whose work is merged and lands on the branch of the project',
    outside: true,
    landed: { 'left.txt': 'Left\n', 'right.txt': 'Right\n', 'kept.txt': 'Kept\n' },
    before: { 'kept.txt': 'Kept\n' },
    steps: `
  left: ${script('echo Left > left.txt; ', ', workspace: { worktree: step }')}
  right: ${script('echo Right > right.txt; ', ', workspace: { worktree: step }', 'READ, EDIT, RUN_COMMANDS')}
  both: { merge: [left, right] }
  land: { land: { branch: main, by: squash }${after('both')} }
  two: ${script('grep -q Left left.txt; ', after('land'))}
`,
    status: 'SUCCEEDED',
    done: { left: [], right: [], two: ['left', 'right'] },
  },
  {
    name: 'rotation',
    what: 'a long run, whose journal takes a snapshot, and a value that is too long for a record',
    long: true,
    steps: `
  one: ${script('printf \'\'{"note":"%070000d"}\'\' 0 > $MAILROOM_VALUES; ', noted)}
  two: ${script('', after('one'))}
`,
    status: 'SUCCEEDED',
    done: { one: [], two: ['one'] },
  },
  {
    name: 'recovery',
    what: 'a host was killed while a deaf worker ran; the next is killed while it recovers, and the one after it',
    steps: `
  zero: ${script(make, outputs)}
  one: ${script('cmp in/a.txt in/b.txt; deaf; sleep 0.3; ', inputs('zero'))}
  two: ${script('', after('one'))}
`,
    first: { name: 'step.spawn', nth: 2, moment: 'during' },
    status: 'SUCCEEDED',
    done: { zero: [], one: ['zero'], two: ['zero', 'one'] },
  },
  {
    name: 'half done',
    what: 'a host was killed when an artifact was there and the journal did not have it; the next two while they recover',
    steps: `
  one: ${script(`${make}echo "{\\"n\\": 1}" > $MAILROOM_VALUES; `, `${outputs}, values: { n: { type: integer, required: true } }`)}
  two: ${script('cmp in/a.txt in/b.txt; ', inputs('one'))}
`,
    first: { name: 'artifact.place', nth: 1, moment: 'after' },
    status: 'SUCCEEDED',
    done: { one: [], two: ['one'] },
  },
  {
    name: 'torn line',
    what: 'a host was killed in the middle of an append; the next is killed while it recovers, and the one after it',
    steps: artifacts,
    first: { name: 'journal.append', nth: 3, moment: 'during' },
    status: 'SUCCEEDED',
    done: { one: [], two: ['one'] },
  },
];

const header = (name: string): string => `name: ${name}\nversion: "1"\ntimeout: 1m\n`;

const yearly = 'triggers: { clock: { cron: "0 0 1 1 *" }, later: { cron: "0 0 1 1 *" } }\n';

export const workflowOf = ({ steps, triggered }: RunKind): string =>
  `${header('killed')}${triggered === true ? yearly : ''}steps:${steps}`;

export const child = `${header('child')}steps:\n  make: ${script(make, outputs)}\n`;
