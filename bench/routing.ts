import { closeSync, fdatasyncSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { defaultConfig } from '../src/core/config.ts';
import type { Exit, Outcome, Runner, RunnerEvents } from '../src/core/ports.ts';
import { inMemoryTrail } from '../src/engine/trail/memory.ts';
import { MailHost } from '../src/engine/mail-host.ts';
import { parseConfig } from '../src/spec/config.ts';
import { parseProtocol } from '../src/spec/protocol.ts';
import { DiskControl } from '../src/store/control.ts';
import { DiskJournal } from '../src/store/journal.ts';
import { DiskMailboxes } from '../src/store/mailboxes.ts';
import { RealDisk } from '../src/store/real-disk.ts';
import { DiskTurnFolders } from '../src/store/turn-folders.ts';
import { BenchProject, protocolOf } from './world.ts';
import { perSecond, timed, type Line } from './report.ts';

const exit: Exit = {
  code: 0,
  signal: null,
  ended: 'exited',
  error: null,
  stdout: '',
  stderr: '',
  durationMs: 1,
};
const done: Outcome = {
  is: 'done',
  text: '',
  session: null,
  usage: { usd: 0, tokens: 0 },
  model: null,
  denials: [],
};

/** A runner whose agents are done at once: what is left is what Mailroom itself does. */
function instantRunner(): Runner & { settle(to: RunnerEvents): void } {
  let started: string[] = [];
  const released = new Set<string>();
  return {
    start: ({ key }) => void started.push(key),
    release: (key) => void released.add(key),
    check: () => {},
    stop: () => {},
    sweep: () => Promise.resolve(),
    tree: () => Promise.resolve(null),
    settle(to) {
      const keys = started;
      started = [];
      for (const key of keys) to.ready(key, { pid: 1, startTime: '1', mark: key }, null);
      for (const key of keys) to.ended(key, done, exit);
    },
  };
}

/** Milliseconds from the first dropped file to the last consumed message. */
export function route(messages: number, roles: number): number {
  const project = new BenchProject(roles, ['true']);
  try {
    const disk = new RealDisk(project.root);
    const config = parseConfig(
      'providers: { bench: { command: ["true"] } }\nconcurrency: 64\n',
      'mailroom.yaml',
    );
    const protocol = parseProtocol(
      [{ file: 'bench.yaml', text: protocolOf(roles) }],
      config.ok ? config.value : defaultConfig,
    );
    if (!protocol.ok) throw new Error(protocol.problems[0]?.message);
    const runner = instantRunner();
    const host = new MailHost(
      {
        clock: { now: Date.now },
        journal: new DiskJournal(disk),
        mailboxes: new DiskMailboxes(disk),
        control: new DiskControl(disk),
        folders: new DiskTurnFolders(disk),
        runner,
        trail: inMemoryTrail(),
        trailAt: null,
        providers: new Map(),
        newId: v7,
        roleText: () => '',
        project: project.root,
        parking: { list: () => new Map(), park: () => {} },
        notify: () => {},
      },
      { protocol: protocol.value, protocolHash: 'bench', version: 'bench' },
    );
    host.start();
    for (let index = 0; index < messages; index += 1) project.drop(index % roles, `m${String(index)}.md`);
    const settled = Date.now() + 15;
    while (Date.now() < settled);
    return timed(() => {
      for (
        let committed = false;
        !committed;
        committed = host.state.lastMail >= messages && host.state.turns.size === 0
      ) {
        host.look();
        runner.settle(host.turns);
      }
    }).elapsed;
  } finally {
    project.remove();
  }
}

/** The same number of files written, synced in a journal and renamed twice, with nothing decided. */
function bare(messages: number): number {
  const project = new BenchProject(1, ['true']);
  try {
    const journal = openSync(join(project.root, 'journal'), 'a');
    const { elapsed } = timed(() => {
      for (let index = 0; index < messages; index += 1) {
        const path = join(project.root, `m${String(index)}`);
        writeFileSync(path, 'Do it\n');
        renameSync(path, `${path}.taken`);
        renameSync(`${path}.taken`, `${path}.done`);
        writeSync(journal, `${'x'.repeat(400)}\n`.repeat(4));
        if (index % 8 === 0) fdatasyncSync(journal);
      }
    });
    closeSync(journal);
    return elapsed;
  } finally {
    project.remove();
  }
}

export function routing(): Line[] {
  route(100, 10);
  const sizes = [100, 1_000, 10_000];
  const elapsed = sizes.map((size) => route(size, 10));
  const each = sizes.map((size, index) => (elapsed[index] ?? 0) / size);
  const rate = perSecond(1_000, elapsed[1] ?? 1);
  const against = (elapsed[1] ?? 0) / bare(1_000);
  const slope = (each[2] ?? 0) / (each[0] ?? 1);
  return [
    {
      what: 'routing without agents: accepted, delivered, consumed, journaled',
      seen: `${String(rate)} messages/s`,
      ratio: `${against.toFixed(1)} × bare write, two renames, journal lines, a sync for eight`,
      budget: '≥ 1,000 messages/s',
      met: rate >= 1_000,
    },
    {
      what: 'growth: cost per message at 100, 1,000 and 10,000 waiting',
      seen: each.map((ms) => `${ms.toFixed(2)} ms`).join(', '),
      ratio: `10,000 costs ${slope.toFixed(2)} × what 100 costs, per message`,
      budget: 'flat',
      met: slope <= 1.5,
    },
  ];
}
