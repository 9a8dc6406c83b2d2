import { sealKey } from '../../../src/host/seal.ts';
import { MailHost } from '../../../src/mail/host/mail-host.ts';
import { readJournal } from '../../support/read-journal.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { RunOutbox } from '../../../src/workflow/files/run-outbox.ts';
import { protocolOf } from '../machine/texts.ts';
import { idleRunner, mailPorts } from '../../support/mail-ports.ts';
import { exit } from '../../providers/samples.ts';
import type { AgentJob } from '../../../src/host/runner/runner.ts';
import type { MailEvent } from '../../../src/mail/machine/event.ts';
import { RunMail } from '../../../src/host/run-mail.ts';

/** The process is gone. */
export class Crash extends Error {}

export const protocol = protocolOf(`
roles: { one: {}, ada: { provider: human } }
messages: { note: { from: [one], to: [ada] } }
`);
export const run = '019aa000-1111-7000-8000-000000000001';
export const key = { path: 'build', iteration: 1, attempt: 1, check: 0 };
const start = Date.UTC(2026, 0, 1);

/** A project with a run, and hosts of its mail that end every turn with the same words. */
export class HostedMail {
  now = start;
  readonly disk = new MemoryDisk(() => this.now);
  readonly run = new RunOutbox(this.disk, run);
  turns = 0;
  #jobs: AgentJob[] = [];
  host: MailHost = this.open();

  constructor() {
    sealKey(this.disk);
    this.disk.makeFolder(`.mailroom/runs/${run}/inbox`);
  }

  /** A controller begins. */
  open(): MailHost {
    const jobs: AgentJob[] = [];
    const runner = { ...idleRunner, start: (job: AgentJob) => void jobs.push(job) };
    const ports = mailPorts(this.disk, { runner, runs: new RunMail(this.disk) });
    this.host = new MailHost(ports, { protocol, protocolHash: 'one', version: 'test' });
    this.host.start();
    this.#jobs = jobs;
    return this.host;
  }

  /** Looks until nothing is on its way in; agents say what they always say. */
  settle(): void {
    for (let look = this.host.look(), looks = 0; ; look = this.host.look(), looks += 1) {
      if (looks > 1_000) throw new Error('the mail does not come to rest');
      const [job] = this.#jobs.splice(0, 1);
      if (job) {
        this.turns += 1;
        const usage = { usd: 0, tokens: 0 };
        const rest = { session: null, usage, model: null, denials: [] };
        this.host.turns.ended(job.key, { is: 'done', text: 'done it', ...rest }, exit());
      } else if (look.settled) return;
      this.now += 50;
    }
  }

  send(role: string, at = key): string {
    const id = this.run.idOf(at);
    this.run.send({
      id,
      run,
      role,
      subject: 'Step build',
      body: 'Build it.',
      fields: {},
      timeout: null,
      work: null,
    });
    return id;
  }

  heard(): (string | undefined)[] {
    return this.run
      .answers()
      .map(({ answer }) => (answer?.outcome.is === 'failed' ? answer.outcome.reason.code : answer?.text));
  }

  events(type: string): unknown[] {
    return readJournal<MailEvent>(this.disk).records.filter(({ event }) => event.type === type);
  }
}
