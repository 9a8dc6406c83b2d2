import type { HeldWork } from '../../src/kernel/why.ts';
import { runCli } from '../../src/cli/main.ts';
import type { Controller, ControllerOptions } from '../../src/mail/controller/contract.ts';
import type { Finding } from '../../src/kernel/finding.ts';
import type { Worktree } from '../../src/git/worktrees.ts';
import { Project } from '../../src/project/project.ts';
import { Call } from '../../src/cli/call.ts';
import type { Start } from '../../src/cli/context.ts';
import { defaultConfig } from '../../src/config/config.ts';
import type { Protocol } from '../../src/mail/format/protocol.ts';
import type { MailEvent } from '../../src/mail/machine/event.ts';
import { type MailState } from '../../src/mail/machine/state.ts';
import type { MailPorts } from '../../src/mail/host/ports.ts';
import { MailHost } from '../../src/mail/host/mail-host.ts';
import type { RunCard } from '../../src/letters/letters.ts';
import type { Prunable } from '../../src/project/prune.ts';
import type { WorkflowStatus } from '../../src/workflow/runs/run-status.ts';
import { parseProtocol } from '../../src/mail/protocol/read.ts';
import { MemoryDisk } from '../support/memory-disk.ts';
import { mailPorts } from '../support/mail-ports.ts';
import { hashOf } from '../../src/project/definition/definition.ts';
import { MailroomError } from '../../src/kernel/errors.ts';
import { packageRoot } from '../support/in-process.ts';
import { FakeTerminal } from './fake-terminal.ts';
import { HandRunner, type Work } from './hand-runner.ts';
import { team } from './team.ts';

/** What a command wrote, and how it ended. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The document that a command printed, and how it ended. */
export interface Told<Document> {
  readonly code: number;
  readonly document: Document;
}

const protocolFile = 'protocols/team.yaml';

/** The controller, while one runs. */
const holder = {
  pid: 4242,
  host: 'box',
  since: Date.UTC(2026, 10, 21, 20, 0, 0),
  triggers: true,
  slots: null,
} as const;

const templateOf = (name: string) => ({ name, about: '', protocol: () => Promise.resolve(null) });

/** What a command reaches besides its project: no file, program or editor of this machine. */
class FixtureCall extends Call {
  readonly #fixture: ProjectFixture;
  override readonly projects: Call['projects'];

  constructor(fixture: ProjectFixture) {
    super({ packageRoot, environment: fixture.environment, cwd: fixture.cwd });
    this.#fixture = fixture;
    this.projects = {
      file: '/home/ada/.config/mailroom/projects',
      list: () => fixture.known,
      add: (root) => void fixture.known.push(root),
      drop: (roots) => void (fixture.known = fixture.known.filter((root) => !roots.includes(root))),
    };
  }

  override onKey = (act: (key: string) => void) => this.#fixture.terminal.onKey(act);
  override findProject = (from: string, _named: boolean): string | null =>
    this.#fixture.hasProject && !from.startsWith('/gone') ? this.#fixture.disk.root : null;
  override expectFolder = () => undefined;
  override openProject = (_root: string): Project => this.#fixture.project();
  override readText = (path: string) => this.#fixture.files.get(path) ?? null;
  override protocolFiles = () => this.#fixture.protocolFiles;
  override templates = () => Promise.resolve(['feature-team', 'solo'].map(templateOf));
  override complete = () => Promise.resolve(['.gitignore']);
  override installed = (provider: string) => provider !== 'codex';
  override up = (_project: Project, options: ControllerOptions) =>
    Promise.resolve(this.#fixture.control(options));
  override doctor = () => Promise.resolve(this.#fixture.findings);
  override scaffold: Call['scaffold'] = (_root, template, { provider }) =>
    Promise.resolve({
      written: [`protocols/${template}.yaml`, 'mailroom.yaml'],
      kept: ['agents/qa/role.md'],
      left_out: [],
      provider: provider ?? 'claude',
    });
}

/** The project over the virtual disk; what only processes and git could do is the fixture's. */
class FixtureProject extends Project {
  readonly #fixture: ProjectFixture;
  override readonly pruning: Project['pruning'];
  override readonly worktrees: Project['worktrees'];

  constructor(fixture: ProjectFixture) {
    super(fixture.disk, { packageRoot, environment: fixture.environment });
    this.#fixture = fixture;
    this.pruning = { list: () => Promise.resolve(fixture.prunable), remove: () => Promise.resolve(null) };
    this.worktrees = {
      list: () => Promise.resolve([...fixture.worktrees]),
      merge: () => Promise.resolve(),
      remove: () => Promise.resolve(),
    };
    const { workflows } = this;
    workflows.status = () => Promise.resolve(fixture.workflowStatus);
    workflows.runs = () => fixture.runs;
    workflows.names = () => Promise.resolve(['release/ship']);
    workflows.locate = (path) => Promise.resolve({ file: path, path });
    // A workflow that a command names is read from the disk of this machine.
    workflows.read = (reference) => {
      const path = reference.replace(`${this.root}/`, '');
      const text = this.files.read(path);
      if (text === null) throw new MailroomError('E_TARGET', `there is no workflow \`${path}\``);
      return workflows.check(text, `${this.root}/${path}`);
    };
  }

  override holder = () =>
    this.#fixture.up ? { ...holder, problems: this.#fixture.problems, held: this.#fixture.held } : null;
  override stage = (folder: string, name: string, text: string): string => {
    this.disk.write(`${folder.slice(this.root.length + 1)}/${name}`, text);
    return `${folder}/${name}`;
  };
  override newId = () => this.#fixture.newId();
  override changed = (milliseconds: number): Promise<void> => this.#fixture.wait(milliseconds);
}

/**
 * A project on a virtual disk with a virtual clock, a real host that looks when it is told to, agents that do what the test
 * says, and the program's commands.
 */
export class ProjectFixture {
  now = Date.UTC(2026, 10, 21, 20, 45, 0);
  readonly disk = new MemoryDisk(() => this.now);
  /** Whether a controller holds the project. */
  up = true;
  /** The files of a protocol where `init` is called. */
  protocolFiles: readonly string[] = [];
  /** What the controller says is wrong. */
  problems: readonly string[] = [];
  held: readonly HeldWork[] = [];
  /** What threads have worktrees of their own. */
  worktrees: readonly Worktree[] = [];
  environment: Record<string, string | undefined> = {};
  readonly terminal: FakeTerminal;
  readonly runner = new HandRunner(this.disk);
  /** What happens while a command waits: one at each wait. */
  readonly meanwhile: (() => void)[] = [];
  /** Files outside the project, by absolute path. */
  readonly files = new Map<string, string>();
  findings: Finding[] = [];
  /** The person's projects. */
  known: string[] = [];
  /** What is old. */
  prunable: Prunable[] = [];
  runs: RunCard[] = [];
  workflowStatus: WorkflowStatus = { runs: [], triggers: [], problems: [] };
  hasProject = true;
  /** Where the program is called. */
  cwd = this.disk.root;
  #ids = 0;
  readonly #host: MailHost;
  readonly #happened: MailEvent[] = [];
  /** What the last controller was told. */
  readonly ended: string[] = [];
  options: ControllerOptions | null = null;

  constructor(text = team, providers: MailPorts['providers'] = new Map()) {
    this.text = text;
    this.disk.plant('mailroom.yaml', 'concurrency: 4\n');
    this.terminal = new FakeTerminal(() => this.now);
    this.#host = this.#boot(providers);
  }

  /** The protocol as text; what the commands read. */
  get text(): string {
    return this.disk.read(protocolFile, 1_000_000)?.toString('utf8') ?? '';
  }

  set text(text: string) {
    this.disk.plant(protocolFile, text);
  }

  get host(): MailHost {
    return this.#host;
  }

  get state(): MailState {
    return this.host.state;
  }

  get protocol(): Protocol {
    const parsed = parseProtocol([{ file: 'protocols/team.yaml', text: this.text }], defaultConfig, {
      cores: 4,
    });
    if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('\n'));
    return parsed.value;
  }

  newId = (): string => {
    this.#ids += 1;
    const time = Math.floor(this.now).toString(16).padStart(12, '0');
    const mixed = ((this.#ids * 0x9e3779b1) % 0x1000000).toString(16).padStart(6, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000${mixed}`;
  };

  #boot(providers: MailPorts['providers']): MailHost {
    const ports = mailPorts(this.disk, { runner: this.runner, newId: this.newId, providers });
    const host = new MailHost(ports, {
      protocol: this.protocol,
      protocolHash: hashOf(this.disk),
      version: 'test',
      onEvents: (events) => this.#happened.push(...events),
    });
    this.runner.events = {
      ready: (key, process, tree) => host.turns.ready(key, process, tree),
      ended: (key, outcome, exit) => host.turns.ended(key, outcome, exit),
      checked: (key, problems) => host.turns.checked(key, problems),
      assigned: (key, worker) => host.turns.assigned(key, worker),
      landing: (key, report) => host.turns.landings.reported(key, report),
    };
    host.start();
    host.look();
    return host;
  }

  /** Lets the host look until nothing more comes of it. */
  look(): void {
    for (let count = 0; count < 3; count += 1) {
      this.now += 20;
      this.host.look();
      this.runner.letGo();
    }
  }

  /** A person drops a file. */
  drop(path: string, text: string): void {
    this.disk.plant(path, text);
    this.look();
  }

  /** The agent of the only running turn of a role ends its work. */
  work(role: string, work: Work): void {
    this.now += 1_000;
    this.runner.finish(role, work);
    this.look();
  }

  /** The id of the only message with this subject. */
  id(subject: string): string {
    const found = [...this.state.mail.values()].filter(({ message }) => message.subject === subject);
    if (found.length !== 1) throw new Error(`${String(found.length)} messages are called ${subject}`);
    return found[0]!.message.id;
  }

  async run(...argv: string[]): Promise<Ran> {
    this.terminal.clear();
    const code = await runCli(argv, this.start(), this.terminal);
    return { code, out: this.terminal.out, err: this.terminal.err };
  }

  /** Runs a command with `--json` and reads its document. */
  async json(...argv: string[]): Promise<Told<unknown>> {
    const { code, out } = await this.run(...argv, '--json');
    return { code, document: JSON.parse(out) };
  }

  /** How the program starts, with the fixture's call or some of a test's own. */
  start(call: Call = this.call()): Start {
    const { environment, cwd } = call;
    return {
      name: 'mailroom',
      version: '1.2.3',
      environment,
      cwd,
      call: () => Promise.resolve(call),
    };
  }

  call(): Call {
    return new FixtureCall(this);
  }

  project(): Project {
    return new FixtureProject(this);
  }

  /** What a command waits for happens. */
  wait(milliseconds: number): Promise<void> {
    this.meanwhile.shift()?.();
    if (this.up) this.look();
    this.now += milliseconds;
    return Promise.resolve();
  }

  /** A controller that does what `meanwhile` says, and ends when nothing is left of it. */
  control(options: ControllerOptions): Controller {
    this.options = options;
    this.#happened.length = 0;
    const { host } = this;
    return {
      definition: { protocol: this.protocol, config: defaultConfig, hash: () => hashOf(this.disk) },
      get state() {
        return host.state;
      },
      notes: ['the trail is off'],
      problems: () => [],
      held: () => this.held,
      recoveries: () => [],
      runs: () => 0,
      latest: () => [],
      end: (how) => this.ended.push(how),
      run: () => {
        while (this.meanwhile.length > 0) {
          this.meanwhile.shift()?.();
          options.onChange(host.state, this.#happened.splice(0));
          this.terminal.tick();
        }
        const idle = host.idle();
        const { failures, problem } = host;
        return Promise.resolve({ idle, failures, problem });
      },
    };
  }
}
