import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { RealDisk } from '../../../src/disk/real-disk.ts';
import type { MailEvent } from '../../../src/mail/machine/event.ts';
import { finished } from '../../support/project.ts';
import { readJournal } from '../../support/read-journal.ts';
import { Random } from '../../worlds/simulation/random.ts';
import { hostsFixture, kill, randomMoment, type Hosts, type WorkingHost } from './hosts.ts';
import type { TestServer } from './servers.ts';

/** `npm run ci` kills 200 times. */
const kills = Number(process.env['MAILROOM_KILLS'] ?? 8);
const seed = Number(process.env['MAILROOM_SEED'] ?? Date.now());

const team = `
workspace: { worktree: role }
roles:
  engineer: { capabilities: [READ, EDIT], on: workers, concurrency: 6, retries: 50 }
messages:
  task: { from: user, to: engineer }
  done: { from: engineer, to: user, closes: true }
start: { type: task, to: engineer }
`;

const engineer = `
  const [, task] = /Task (\\d+)/.exec(mail[0]);
  const { MAILROOM_TURN: turn, MAILROOM_ATTEMPT: attempt, MAILROOM_ROUND: round } = process.env;
  note(['start', turn, attempt, round, process.pid].join('.'));
  await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 800));
  writeFileSync('made-' + task + '.txt', task + '\\n');
  send('done', 'user', 'Words', 'subject: Made ' + task + '\\n');`;

/** The programs that are killed, and what starts each of them again. */
class Victims {
  readonly #hosts: Hosts;
  readonly #server: TestServer;
  readonly #workers: WorkingHost[] = [];
  #controller: ReturnType<Hosts['up']>;

  private constructor(hosts: Hosts, server: TestServer) {
    this.#hosts = hosts;
    this.#server = server;
    this.#controller = hosts.up();
  }

  static async open(hosts: Hosts, server: TestServer): Promise<Victims> {
    const victims = new Victims(hosts, server);
    for (let count = 0; count < 3; count += 1) victims.#workers.push(await hosts.work('--slots', '2'));
    return victims;
  }

  async kill(which: 'worker' | 'controller' | 'queue', index: number): Promise<void> {
    switch (which) {
      case 'worker': {
        const { program, project } = this.#workers[index]!;
        await kill(program);
        this.#workers[index] = await this.#hosts.workIn(project, '--slots', '2');
        return;
      }
      case 'controller':
        await kill(this.#controller);
        this.#controller = this.#hosts.up();
        return;
      case 'queue':
        await this.#server.kill();
        return this.#server.start();
      default:
        return which satisfies never;
    }
  }

  /** Lets everything come to its end, and ends all programs. */
  async rest(): Promise<string> {
    await kill(this.#controller);
    const { stdout } = await finished(this.#hosts.up('--until-idle'));
    for (const { program } of this.#workers) program.kill('SIGTERM');
    for (const { ended } of this.#workers) await ended;
    return stdout;
  }
}

describe('through Redis', () => {
  const bed = hostsFixture();

  test(
    'three workers, the queue and the controller are killed at random moments: nothing is lost, twice, or left running',
    { timeout: 60_000 + kills * 5_000 },
    async () => {
      const random = new Random(seed);
      const hosts = bed.open({ engineer }, team);
      const victims = await Victims.open(hosts, bed.server);
      const counts = { worker: 0, controller: 0, queue: 0 };
      for (let count = 0; count < kills; count += 1) {
        hosts.controller.drop(
          `agents/engineer/inbox/task-${String(count)}.md`,
          `---\ntype: task\n---\nTask ${String(count)}\n`,
        );
        await randomMoment(random.below(900));
        const which = random.pick(['worker', 'worker', 'controller', 'queue'] as const);
        counts[which] += 1;
        await victims.kill(which, random.below(3));
      }
      const printed = await victims.rest();
      const events = readJournal<MailEvent>(new RealDisk(hosts.controller.root)).records.map(
        ({ event }) => event,
      );
      const sent = events.flatMap((event) => (event.type === 'committed' ? event.sent : []));
      const made = sent.map(({ message }) => message.subject).toSorted();
      const wanted = Array.from({ length: kills }, (_none, task) => `Made ${String(task)}`).toSorted();
      const starts = hosts.noticed().map((name) => name.split('.').slice(0, 4).join('.'));
      const failed = events.filter(({ type }) => type === 'attempt-failed').length;
      const survivors = hosts.survivors();
      const counted = Object.entries(counts).map(([what, times]) => `${what} ${String(times)}`);
      const lost = wanted.filter((one) => !made.includes(one)).length;
      const twice = made.length - new Set(made).size + starts.length - new Set(starts).size;
      console.log(
        `Redis, seed ${String(seed)}, ${String(kills)} kills (${counted.join(', ')}): ${String(lost)} lost, ` +
          `${String(twice)} twice, ${String(survivors.length)} survivors, ${String(failed)} attempts failed`,
      );
      expect(made).toEqual(wanted);
      expect(printed).toMatch(/idle: done\n$/);
      expect(starts.length).toBe(new Set(starts).size);
      expect(survivors).toEqual([]);
      expect(hosts.shared()).toEqual(['refs/heads/main']);
    },
  );
});
