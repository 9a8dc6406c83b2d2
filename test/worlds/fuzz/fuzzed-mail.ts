import { MailHost } from '../../../src/mail/host/mail-host.ts';
import { parseProtocol } from '../../../src/mail/protocol/read.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { idleRunner, mailPorts } from '../../support/mail-ports.ts';
import type { Exit, Outcome } from '../../../src/providers/provider.ts';
import type { Runner } from '../../../src/host/runner/runner.ts';

/** A maker who may be told anything, and may say things. */
const text = `name: mail
version: '1'
roles:
  maker: { provider: claude, capabilities: [READ], retries: 1 }
  reader: { provider: human }
messages:
  task: { from: user, to: maker }
  memo: { from: [user, maker], to: reader, fields: { size: { type: integer }, tags: { type: list }, more: { type: object } } }
  done: { from: maker, to: [user, reader] }
limits: { corrections: 1 }
`;

const checked = parseProtocol([{ file: 'desk.yaml', text }]);

/** A whole host on a disk in memory, with a clock of its own, and agents who end as they are told. */
export class FuzzedMail {
  now = Date.parse('2026-11-21T20:45:12.345Z');
  readonly disk = new MemoryDisk(() => this.now);
  #ids = 0;
  #started: string[] = [];
  host = this.open();

  /** Starts a host on what lies on the disk. */
  open(): MailHost {
    if (!checked.ok) throw new Error(checked.problems[0]?.message ?? 'the protocol is wrong');
    const started = (this.#started = [] as string[]);
    const runner: Runner = { ...idleRunner, start: ({ key }) => void started.push(key) };
    const host = new MailHost(mailPorts(this.disk, { runner, newId: () => this.#newId() }), {
      protocol: checked.value,
      protocolHash: 'mail',
      version: 'test',
    });
    host.start();
    return host;
  }

  /** Looks as often, and waits as long, as any dropped file needs to be taken or refused. */
  settle(): void {
    for (const wait of [0, 20, 2_500, 20]) {
      this.now += wait;
      this.host.look();
    }
  }

  /** The invocations that began since the last call. */
  begun(): string[] {
    return this.#started.splice(0);
  }

  /** Ends an invocation. */
  end(key: string, outcome: Outcome, exit: Exit): void {
    this.host.turns.ready(key, { pid: 1, startTime: '1', mark: key }, null);
    this.host.look();
    this.host.turns.ended(key, outcome, exit);
    this.host.look();
  }

  #newId(): string {
    this.#ids += 1;
    return `019a0000-0000-7000-8000-${String(this.#ids).padStart(12, '0')}`;
  }
}
