import type { MailEvent } from '../../src/core/mail/event.ts';
import { typesFrom, type Protocol } from '../../src/core/mail/protocol.ts';
import type { MailState } from '../../src/core/mail/state.ts';
import { MailHost } from '../../src/engine/mail-host.ts';
import { DiskControl, requestControl } from '../../src/store/control.ts';
import { DiskJournal } from '../../src/store/journal.ts';
import { DiskMailboxes } from '../../src/store/mailboxes.ts';
import { MemoryDisk } from '../../src/store/memory-disk.ts';
import { park, readParked } from '../../src/store/parked.ts';
import { DiskTurnFolders } from '../../src/store/turn-folders.ts';
import { readJournal } from '../../src/store/journal-reader.ts';
import { MailroomError } from '../../src/core/errors.ts';
import { scriptedAgents } from './agents.ts';
import type { Random } from './random.ts';
import { ScriptedRunner, type Script } from './scripted-runner.ts';

/** What a schedule may do to the host. */
export interface Chaos {
  /** Chance that a look is killed at one of its next operations on the disk. */
  readonly crash: number;
  /** Chance that a crash takes unsynced bytes with it. */
  readonly powerLoss: number;
  /** Chance that a change is not announced: only the scan finds it. */
  readonly lostHint: number;
  /** Chance that the disk is full for one operation. */
  readonly full: number;
}

/** The controller is killed here. */
export class Crash extends Error {}

/** Between two scans that nothing asked for; as in the loop. */
const scanEvery = 2_000;

/** A project on a virtual disk, with a virtual clock, scripted agents and a person; everything from one seed. */
export class World {
  readonly random: Random;
  readonly protocol: Protocol;
  readonly chaos: Chaos;
  readonly disk: MemoryDisk;
  now = Date.UTC(2026, 0, 1);
  host: MailHost | null = null;
  calm = false;
  crashes = 0;
  /** Keys of invocations that passed the launch gate, over all hosts. */
  readonly launches: string[] = [];
  readonly #script: Script;
  #queue: { at: number; order: number; act: () => void }[] = [];
  #order = 0;
  #ids = 0;
  #runner: ScriptedRunner | null = null;
  #nextScan = 0;

  constructor(protocol: Protocol, random: Random, chaos: Chaos, script: Script | null = null) {
    this.protocol = protocol;
    this.random = random;
    this.chaos = chaos;
    this.disk = new MemoryDisk(() => this.now);
    this.#script = script ?? this.#scripted();
  }

  get state(): MailState {
    if (!this.host) throw new Error('no host');
    return this.host.state;
  }

  /** Everything that is durable, read as another process would. */
  events(): MailEvent[] {
    return readJournal(this.disk).records.map(({ event }) => event);
  }

  later = (after: number, act: () => void): void => {
    this.#queue.push({ at: this.now + after, order: (this.#order += 1), act });
  };

  #newId = (): string => {
    this.#ids += 1;
    const time = Math.floor(this.now).toString(16).padStart(12, '0');
    const count = this.#ids.toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${count}`;
  };

  /** Starts a host, as often as it takes: recovery may be killed as well. */
  start(): void {
    for (let tries = 0; this.host === null; tries += 1) {
      if (tries > 50) throw new Error('the host does not come up');
      this.#guarded(() => this.#boot());
    }
    this.#look();
  }

  #boot(): void {
    const runner = new ScriptedRunner(this.later, this.#script, this.random);
    this.#runner = runner;
    this.#arm();
    const host = new MailHost(
      {
        clock: { now: () => this.now },
        journal: new DiskJournal(this.disk, { segmentBytes: 64 * 1024 }),
        mailboxes: new DiskMailboxes(this.disk),
        control: new DiskControl(this.disk),
        folders: new DiskTurnFolders(this.disk),
        runner,
        trail: {
          record: () => {},
          position: () => Promise.resolve(null),
          settled: () => Promise.resolve(),
          problem: () => null,
        },
        providers: new Map(),
        newId: this.#newId,
        roleText: () => '',
        project: this.disk.root,
        parking: {
          list: () => readParked(this.disk),
          park: (provider, until) => park(this.disk, provider, until),
        },
        notify: () => {},
        trailAt: null,
      },
      { protocol: this.protocol, protocolHash: 'one', version: 'test' },
    );
    runner.events = {
      ready: (key, process, tree) => {
        this.#guarded(() => this.#current(runner)?.turns.ready(key, process, tree));
        this.later(this.random.below(5), () => this.#look(this.random.chance(0.5)));
      },
      ended: (key, outcome, exit) => {
        this.#guarded(() => this.#current(runner)?.turns.ended(key, outcome, exit));
        this.#hint();
      },
      gated: (key, problems) => {
        this.#guarded(() => this.#current(runner)?.turns.gated(key, problems));
        this.#hint();
      },
    };
    host.start();
    this.host = host;
  }

  #current(runner: ScriptedRunner): MailHost | null {
    return runner === this.#runner ? this.host : null;
  }

  #scripted(): Script {
    return scriptedAgents({
      disk: this.disk,
      protocol: this.protocol,
      random: this.random,
      state: () => this.state,
      calm: () => this.calm,
    });
  }

  /** Decides whether, and where, the disk will fail next. */
  #arm(): void {
    const until = this.random.chance(this.chaos.crash) && !this.calm ? 1 + this.random.below(25) : Infinity;
    let count = 0;
    this.disk.before = () => {
      count += 1;
      if (count >= until) throw new Crash('killed');
      if (!this.calm && this.random.chance(this.chaos.full))
        throw new MailroomError('E_DISK', 'no space left on device');
    };
  }

  /** Runs a step of the host; a crash or a journal that cannot be written ends the host. */
  #guarded(act: () => void): void {
    try {
      act();
    } catch (error) {
      if (!(error instanceof Crash) && !(error instanceof MailroomError && error.code === 'E_DISK'))
        throw error;
      this.kill();
    }
  }

  /** The controller dies, with everything that it ran. */
  kill(): void {
    this.crashes += 1;
    if (this.#runner) {
      this.#runner.alive = false;
      this.launches.push(...this.#runner.launches.splice(0));
    }
    this.host = null;
    this.disk.before = null;
    const lose = this.random.chance(this.chaos.powerLoss);
    this.disk.crash(lose ? { lose: 'unsynced', random: this.random.next } : {});
  }

  #look(scan = true): void {
    if (!this.host) return;
    if (scan) this.#nextScan = this.now + scanEvery;
    this.#arm();
    this.#guarded(() => {
      const look = this.host?.look(scan);
      if (look?.more) this.later(0, () => this.#look());
      if (look?.wake != null) this.later(Math.max(0, look.wake - this.now), () => this.#look());
    });
    this.disk.before = null;
  }

  /** Something changed: the watcher says so at once, late, twice or not at all. */
  #hint(): void {
    const times = this.random.chance(this.chaos.lostHint) ? 0 : this.random.chance(0.1) ? 2 : 1;
    for (let time = 0; time < times; time += 1) this.later(this.random.below(50), () => this.#look());
  }

  /** Lets time go on to the next thing that happens, or the next scan. */
  step(): void {
    if (!this.host) this.start();
    this.#queue.sort((a, b) => a.at - b.at || a.order - b.order);
    const next = this.#queue[0];
    if (!next || next.at > this.#nextScan) {
      this.now = Math.max(this.now, this.#nextScan);
      this.#look();
      return;
    }
    this.#queue.shift();
    this.now = Math.max(this.now, next.at);
    next.act();
  }

  /** A person writes a task, as a plain file or properly. */
  drop(): void {
    const types = typesFrom(this.protocol, 'user').filter(
      ({ reply, name }) => reply.length === 0 && !this.#isReply(name),
    );
    const type = this.random.pick(types);
    const to = this.random.pick(type.to);
    const plain = this.random.chance(0.5) && this.protocol.start?.to === to;
    const text = plain ? 'Do something\n' : `---\ntype: ${type.name}\n---\nDo something else\n`;
    this.disk.plant(`agents/${to}/inbox/task-${String(this.random.below(1e9))}.md`, text);
    this.#hint();
  }

  #isReply(name: string): boolean {
    return [...this.protocol.types.values()].some(({ reply }) => reply.includes(name));
  }

  /** A person answers everything that they are asked. */
  answer(): void {
    for (const { message, role } of this.host?.state.unread.values() ?? []) {
      const request = this.host?.state.mail.get(message.id)?.request;
      const type = request?.replies[0];
      const asks = [...(request?.asks.values() ?? [])];
      const asked = asks.some((ask) => ask.is === 'open' && ask.candidates.includes(role));
      if (type === undefined || !asked) continue;
      const text = `---\ntype: ${type}\nto: ${message.from}\nin_reply_to: ${message.id}\n---\nYes\n`;
      this.disk.plant(`agents/${role}/outbox/answer-${message.id}.md`, text);
    }
    this.#hint();
  }

  /** A person reads (removes) a message, or takes one away from an agent. */
  meddle(): void {
    const role = this.random.pick([...this.protocol.roles.keys()]);
    const names = (this.disk.list(`agents/${role}/inbox`) ?? []).filter((name) => name.endsWith('.md'));
    if (names.length === 0) return;
    this.disk.remove(`agents/${role}/inbox/${this.random.pick(names)}`);
    this.#hint();
  }

  control(): void {
    const role = this.random.pick([...this.protocol.roles.keys()]);
    const turn = this.random.pick([...(this.host?.state.turns.keys() ?? []), 't0']);
    const thread = this.random.pick([...(this.host?.state.threads.keys() ?? []), 'none']);
    const target = this.random.pick([
      { kind: 'role', role } as const,
      { kind: 'turn', turn } as const,
      { kind: 'thread', thread } as const,
    ]);
    const verb = this.random.pick(['pause', 'unpause', 'unpause', 'cancel'] as const);
    this.request(verb, target);
  }

  request(verb: string, target: object): void {
    const id = this.#newId();
    const now = this.random.chance(0.3);
    this.disk.before = null;
    requestControl(this.disk, id, { id, at: this.now, by: 'ada', verb, target, now });
    this.#hint();
  }

  /** Takes back every pause. */
  unpauseAll(): void {
    this.request('unpause', { kind: 'all' });
    for (const role of this.protocol.roles.keys()) this.request('unpause', { kind: 'role', role });
  }

  /** Nothing is on its way but scans. */
  quiet(): boolean {
    return this.#queue.length === 0;
  }

  allLaunches(): string[] {
    return [...this.launches, ...(this.#runner?.launches ?? [])];
  }
}
