import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What one agent saw of one task. */
export interface Seen {
  /** `task` for the first role of the thread, `next` for the second. */
  readonly step: string;
  readonly task: number;
  /** Milliseconds from the drop of the task to this agent. */
  readonly after: number;
}

/** Says in seen.log what it was asked and when, and hands the work on: to the next role, or back to `user`. */
const agent = `while IFS= read -r line; do
  case $line in
    'type: '*) type=\${line#type: } ;;
    'task '*) task=$line ;;
  esac
done <"$MAILROOM_MESSAGES"
echo "$type $task $EPOCHREALTIME" >>"$MAILROOM_PROJECT/seen.log"
number=\${MAILROOM_ROLE#role}
if [ "$type" = task ]; then head="type: next
to: role$(( (number + 1) % ROLES ))"; else head='type: done'; fi
printf -- '---\\n%s\\n---\\n%s\\n' "$head" "$task" >"$MAILROOM_OUTBOX/answer.md"
`;

function protocolOf(roles: number): string {
  const names = Array.from({ length: roles }, (_none, index) => `role${String(index)}`);
  const all = `[${names.join(', ')}]`;
  return `name: soak
version: '1'
roles:
${names.map((name) => `  ${name}: { provider: soak, capabilities: [READ] }`).join('\n')}
messages:
  task: { from: user, to: ${all} }
  next: { from: ${all}, to: ${all} }
  done: { from: ${all}, to: user, closes: true }
`;
}

/** A project of many roles in a temporary folder: a task is done by two of them, each once, and comes back to `user`. */
export class SoakProject {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'mailroom-soak-')));
  readonly #roles: number;
  #read = 0;

  constructor(roles: number, { trail }: { readonly trail: boolean }) {
    this.#roles = roles;
    const provider = 'providers: { soak: { command: [bash, agent.sh] } }';
    writeFileSync(join(this.root, 'mailroom.yaml'), `${provider}\n${trail ? '' : 'trail: off\n'}`);
    writeFileSync(join(this.root, 'agent.sh'), agent.replace('ROLES', String(roles)));
    mkdirSync(join(this.root, 'protocols'));
    writeFileSync(join(this.root, 'protocols/soak.yaml'), protocolOf(roles));
    mkdirSync(join(this.root, 'staged'));
    if (trail) execFileSync('git', ['init', '--quiet'], { cwd: this.root });
  }

  /** Drops a task by one rename. */
  drop(task: number): void {
    const staged = join(this.root, 'staged', `${String(task)}.md`);
    const inbox = join(this.root, `agents/role${String(task % this.#roles)}/inbox`);
    writeFileSync(staged, `task ${String(task)} ${(Date.now() / 1000).toFixed(6)}\n`);
    mkdirSync(inbox, { recursive: true });
    renameSync(staged, join(inbox, `${String(task)}.md`));
  }

  /** Takes away what came to `user`; returns how many messages that were. */
  readMail(): number {
    const inbox = join(this.root, 'agents/user/inbox');
    if (!existsSync(inbox)) return 0;
    const mail = readdirSync(inbox).filter((name) => name.includes('-done-'));
    for (const name of mail) rmSync(join(inbox, name));
    return mail.length;
  }

  /** What agents have logged since the last call. */
  seen(): Seen[] {
    const path = join(this.root, 'seen.log');
    const text = existsSync(path) ? readFileSync(path, 'latin1').slice(this.#read) : '';
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    this.#read += whole.length;
    return whole
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [step = '', , task, dropped, at] = line.split(' ');
        return { step, task: Number(task), after: (Number(at) - Number(dropped)) * 1000 };
      });
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
