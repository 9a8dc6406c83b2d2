import { MailHost } from '../../../src/mail/host/mail-host.ts';
import { maskerFactory, maskOf } from '../../../src/process/output/mask.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { TurnFolders } from '../../../src/mail/mailboxes/turn-folders.ts';
import type { Trail, TrailEntry } from '../../../src/git/trail.ts';
import { noTrail } from '../../../src/mail/trail/none.ts';
import { exit } from '../../providers/samples.ts';
import { protocolOf } from '../machine/texts.ts';
import { idleRunner, mailPorts } from '../../support/mail-ports.ts';
import { filesIn } from './secret-documents.ts';
import type { Outcome } from '../../../src/providers/provider.ts';
import type { AgentJob } from '../../../src/host/runner/runner.ts';
import { maskOutcome } from '../../../src/host/runner/agents.ts';

const protocol = protocolOf(`
roles: { one: { retries: 1, capabilities: [READ] }, ada: { provider: human } }
messages: { task: { from: user, to: one }, memo: { from: one, to: [ada, user] } }
limits: { corrections: 1 }
`);

/** What the agent says in each turn. */
export interface Said {
  readonly text: string;
  readonly subject: string;
  readonly ends: Outcome['is'];
  /** The message that it leaves is none. */
  readonly isWrong: boolean;
  /** It is left in the role's own outbox, not in that of the turn. */
  readonly isOwn: boolean;
  /** Of the file, without its ending; missing: `x`. */
  readonly name?: string;
}

function outcomeOf({ text, ends }: Said): Outcome {
  const usage = { usd: 1, tokens: 123_456 };
  const reason = { code: 'E_PROVIDER', text } as const;
  if (ends === 'never') return { is: 'never', reason, usage, session: null };
  if (ends === 'later')
    return { is: 'later', class: 'RETRYABLE_TRANSIENT', reason, until: null, usage, session: null };
  const session = { id: 's-1', usd: 1, tokens: 1 };
  return { is: 'done', text, session, usage, model: 'opus', denials: [text] };
}

/** Every file below the project, and what was committed, after a task whose agent says this. */
export function played(secrets: readonly string[], said: Said, trail: Trail = noTrail): Map<string, string> {
  let now = Date.UTC(2026, 0, 1);
  let ids = 0;
  const disk = new MemoryDisk(() => now);
  const mask = maskOf(secrets);
  const jobs: AgentJob[] = [];
  const entries: TrailEntry[] = [];
  const record = (entry: TrailEntry) => {
    entries.push(entry);
    trail.record(entry);
  };
  const ports = mailPorts(disk, {
    trail: { ...noTrail, record },
    trailAt: 0,
    newId: () => `01900000-0000-7000-8000-${String((ids += 1)).padStart(12, '0')}`,
    folders: new TurnFolders(disk, mask),
    runner: { ...idleRunner, start: (job) => void jobs.push(job) },
  });
  const host = new MailHost(ports, { protocol, protocolHash: 'one', version: 'test' });
  host.start();
  disk.write('agents/one/inbox/task.md', 'Do it.\n');
  const below = (path: string) => path.slice(disk.root.length + 1);
  for (let looks = 0; looks < 40; looks += 1) {
    host.look();
    now += 5_000;
    for (const { key, invocation } of jobs.splice(0)) {
      const { outbox, stdout } = invocation.paths;
      const header = `type: ${said.isWrong ? 'nothing' : 'memo'}\nto: ada\nsubject: ${JSON.stringify(said.subject)}\n`;
      const folder = said.isOwn ? 'agents/one/outbox' : below(outbox);
      disk.write(`${folder}/${said.name ?? 'x'}.md`, `---\n${header}---\n${said.text}\n`);
      const masker = maskerFactory(secrets)();
      disk.write(below(stdout), Buffer.concat([masker.push(Buffer.from(said.text)), masker.flush()]));
      host.turns.ended(key, maskOutcome(outcomeOf(said), mask), exit());
    }
  }
  host.flush();
  const own = /^\.mailroom\/turns\/[^/]+\/\d+\/outbox\/|^agents\/one\/outbox\//;
  const files = [...filesIn(disk, '')].filter(([path]) => !own.test(path));
  return new Map([
    ...files,
    ...entries.map((entry) => [`commit ${String(entry.seq)}`, wordsOf(entry)] as const),
  ]);
}

/** All that a commit says and holds. */
function wordsOf({ subject, trailers, changes }: TrailEntry): string {
  return [subject, ...trailers.flat(), ...changes.flatMap(({ path, text }) => [path, text ?? ''])].join('\n');
}
