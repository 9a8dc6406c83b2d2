import { Control } from '../src/host/control.ts';
import { TurnFolders } from '../src/mail/mailboxes/turn-folders.ts';
import { Mailboxes } from '../src/mail/mailboxes/mailboxes.ts';
import { closeSync, fdatasyncSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { defaultConfig } from '../src/config/config.ts';
import { inMemoryTrail } from '../test/support/memory-trail.ts';
import { Loop, onceATurn } from '../src/host/loop.ts';
import { MailHost } from '../src/mail/host/mail-host.ts';
import { parseConfig } from '../src/config/read.ts';
import { parseProtocol } from '../src/mail/protocol/read.ts';
import { Journal } from '../src/disk/journal.ts';
import { RealDisk } from '../src/disk/real-disk.ts';
import { InstantRunner, noFolders } from './instant.ts';
import { benchFolder, BenchProject, protocolOf } from './world.ts';
import { perSecond, type Line } from './report.ts';
import type { Trail } from '../src/git/trail.ts';
import type { MailEvent } from '../src/mail/machine/event.ts';

const settings = 'providers: { bench: { command: ["true"] } }\nconcurrency: 64\n';

function hostOf(
  project: BenchProject,
  roles: number,
  trail: Trail,
  runner: InstantRunner,
  folders: TurnFolders,
): MailHost {
  const disk = new RealDisk(project.root);
  const config = parseConfig(settings, 'mailroom.yaml');
  const protocol = parseProtocol(
    [{ file: 'bench.yaml', text: protocolOf(roles) }],
    config.ok ? config.value : defaultConfig,
  );
  if (!protocol.ok) throw new Error(protocol.problems[0]?.message);
  return new MailHost(
    {
      clock: { now: Date.now },
      journal: new Journal<MailEvent>(disk),
      mailboxes: new Mailboxes(disk),
      control: new Control(disk),
      folders,
      runner,
      trail,
      trailAt: null,
      verifies: () => false,
      providers: new Map(),
      newId: v7,
      roleText: () => '',
      project: project.root,
      parking: { list: () => new Map(), park: () => {} },
      notify: () => {},
    },
    { protocol: protocol.value, protocolHash: 'bench', version: 'bench' },
  );
}

/**
 * Milliseconds from the first look at dropped files until the host is idle, by the controller's own loop: what it scans,
 * syncs and draws is what it does at work. `turnFolders`: with the files that each turn makes for its agent.
 */
export async function route(messages: number, roles: number, turnFolders: boolean): Promise<number> {
  const project = new BenchProject(roles, ['true']);
  const runner = new InstantRunner();
  const folders = turnFolders ? new TurnFolders(new RealDisk(project.root)) : noFolders;
  // One for both: snapshots wait for it.
  const trail = inMemoryTrail();
  const host = hostOf(project, roles, trail, runner, folders);
  host.start();
  for (let index = 0; index < messages; index += 1) project.drop(index % roles, `m${String(index)}.md`);
  const settled = Date.now() + 15;
  while (Date.now() < settled);
  const timer = (at: number, onTime: () => void) => {
    const timeout = setTimeout(onTime, Math.max(0, at - Date.now()));
    return { cancel: () => clearTimeout(timeout) };
  };
  const passed = () => new Promise<void>((resolve) => setImmediate(resolve));
  const watch = () => ({ close: () => Promise.resolve() });
  const loop = new Loop(host, { watch, timer, now: Date.now, passed, trail }, { untilIdle: true });
  const { turns } = host;
  runner.connect(
    {
      ready: (...note) => loop.report(() => turns.ready(...note)),
      assigned: (...note) => loop.report(() => turns.assigned(...note)),
      ended: (...note) => loop.report(() => turns.ended(...note)),
      checked: (...note) => loop.report(() => turns.checked(...note)),
      landing: (...note) => loop.report(() => turns.landings.reported(...note)),
    },
    onceATurn(() => loop.wake()),
  );
  const start = performance.now();
  await loop.run();
  const elapsed = performance.now() - start;
  if (host.state.lastMail < messages)
    throw new Error(`only ${String(host.state.lastMail)} messages were taken`);
  return elapsed;
}

/** The least that could be done with so many messages: each file written and renamed twice, the journal written and synced. */
function bare(messages: number): number {
  const folder = benchFolder();
  const journal = openSync(join(folder, 'journal'), 'a');
  const start = performance.now();
  for (let index = 0; index < messages; index += 1) {
    const path = join(folder, `m${String(index)}`);
    writeFileSync(path, 'Do it\n');
    renameSync(path, `${path}.taken`);
    renameSync(`${path}.taken`, `${path}.done`);
    writeSync(journal, `${'x'.repeat(400)}\n`.repeat(4));
    if (index % 8 === 0) fdatasyncSync(journal);
  }
  const elapsed = performance.now() - start;
  closeSync(journal);
  return elapsed;
}

export async function routing(): Promise<Line[]> {
  await route(500, 10, true);
  // First: where many files were removed lately, ext4 takes several times as long to make one.
  const withFolders = Math.min(await route(1_000, 10, true), await route(1_000, 10, true)) / 1_000;
  const sizes = [100, 1_000, 10_000];
  const each: number[] = [];
  // The better of two: others use the machine as well.
  for (const size of sizes)
    each.push(Math.min(await route(size, 10, false), await route(size, 10, false)) / size);
  const least = Math.min(bare(1_000), bare(1_000)) / 1_000;
  const [few = 0, some = 0, many = 0] = each;
  const times = (ms: number) =>
    `${(ms / least).toFixed(1)} × bare write, two renames, journal lines, a sync for eight`;
  return [
    {
      what: 'routing without agents: accepted, delivered, consumed, journaled',
      seen: `${String(perSecond(1, some))} messages/s`,
      ratio: times(some),
      budget: '≥ 1,000 messages/s',
      met: some <= 1,
    },
    {
      what: 'the same with the files that each turn makes for its agent: a prompt, a copy, a result, four folders',
      seen: `${String(perSecond(1, withFolders))} messages/s`,
      ratio: times(withFolders),
      budget: '',
      met: null,
    },
    {
      what: 'growth: cost per message at 100, 1,000 and 10,000 waiting',
      seen: each.map((ms) => `${ms.toFixed(2)} ms`).join(', '),
      ratio: `10,000 costs ${(many / few).toFixed(2)} × what 100 costs, per message`,
      budget: 'flat',
      met: many / few <= 1.5,
    },
  ];
}
