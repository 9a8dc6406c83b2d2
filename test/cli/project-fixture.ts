import { runCli } from '../../src/cli/main.ts';
import type {
  Controller,
  ControllerOptions,
  Finding,
  ProjectServices,
  Services,
  Start,
  WorktreeStatus,
} from '../../src/operations/services.ts';
import { defaultConfig } from '../../src/config/config.ts';
import { apply } from '../../src/mail/machine/apply.ts';
import type { Protocol } from '../../src/mail/format/protocol.ts';
import { emptyState, type MailState } from '../../src/mail/machine/state.ts';
import { MailHost } from '../../src/mail/host/mail-host.ts';
import { statusSource, type StatusSource } from '../../src/operations/project/kept-status.ts';
import type { FoundWorkflow, RunCard } from '../../src/operations/runs/services.ts';
import type { Prunable } from '../../src/operations/project/prune.ts';
import type { WorkflowStatus } from '../../src/operations/runs/run-status.ts';
import { MailroomError } from '../../src/kernel/errors.ts';
import { parseProtocol } from '../../src/mail/protocol/read.ts';
import { parseWorkflow, promptContextsOf } from '../../src/languages/parse.ts';
import type { LanguageContext } from '../../src/languages/shared/context.ts';
import * as identity from '../../src/languages/shared/identity.ts';
import { artifactsIn } from '../../src/languages/swdl/artifacts.ts';
import { effectiveDefinition, writeDefinition } from '../../src/operations/project/composing.ts';
import { identitiesBy } from '../../src/operations/project/find-workflow.ts';
import { keptParts, projectFiles } from '../../src/operations/project/workflows.ts';
import { nowhere } from '../support/nowhere.ts';
import { listWorkflowFiles, writeMissing } from '../../src/operations/project/project-files.ts';
import { Control, requestControl } from '../../src/host/control.ts';
import { JournalReader } from '../../src/disk/journal-reader.ts';
import { misplacedMail } from '../../src/mail/mailboxes/misplaced.ts';
import { mailNames, readMail, rolesOnDisk } from '../../src/mail/mailboxes/mail-files.ts';
import { MemoryDisk } from '../support/memory-disk.ts';
import { mailPorts } from '../support/mail-ports.ts';
import { FakeTerminal } from './fake-terminal.ts';
import { HandRunner, type Work } from './hand-runner.ts';
import { team } from './team.ts';
import type { MailEvent } from '../../src/mail/machine/event.ts';

/** What a command wrote, and how it ended. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const none = () => Promise.reject(new Error('no fixture of commands has this'));
const others = { editor: none, nip: none, api: none, closedApi: none, serve: none, worker: none };
const elsewhere: Pick<ProjectServices, keyof typeof others | 'past' | 'workers'> = {
  ...others,
  workers: { list: none, order: none, invite: none },
  past: () => {
    throw new Error('its journal keeps no past');
  },
};

/** The document that a command printed, and how it ended. */
export interface Told<Document> {
  readonly code: number;
  readonly document: Document;
}

/** The controller, while one runs. */
const holder = {
  pid: 4242,
  host: 'box',
  since: Date.UTC(2026, 10, 21, 20, 0, 0),
  triggers: true,
  slots: null,
} as const;
const templateOf = (name: string) => ({ name, about: '', protocol: () => Promise.resolve(null) });

/**
 * A project on a virtual disk with a virtual clock, a real host that looks when it is told to, agents that do what the test
 * says, and the program's commands.
 */
export class ProjectFixture {
  now = Date.UTC(2026, 10, 21, 20, 45, 0);
  readonly disk = new MemoryDisk(() => this.now);
  /** The protocol as text; what the commands read. */
  text: string;
  hash = 'one';
  /** Whether a controller holds the project. */
  up = true;
  /** The files of a protocol where `init` is called. */
  protocolFiles: readonly string[] = [];
  /** What the controller says is wrong. */
  problems: readonly string[] = [];
  /** What threads have worktrees of their own. */
  worktrees: readonly WorktreeStatus[] = [];
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
  /** What the last controller was told. */
  readonly ended: string[] = [];
  options: ControllerOptions | null = null;

  constructor(text = team) {
    this.text = text;
    this.terminal = new FakeTerminal(() => this.now);
    this.#host = this.#boot();
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

  #boot(): MailHost {
    const ports = mailPorts(this.disk, { runner: this.runner, newId: this.newId });
    const options = { protocol: this.protocol, protocolHash: this.hash, version: 'test' };
    const host = new MailHost(ports, options);
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

  /** How the program starts, with the fixture's services or some of a test's own. */
  start(services: Services = this.services()): Start {
    const { environment, cwd } = services;
    return {
      name: 'mailroom',
      version: '1.2.3',
      environment,
      cwd,
      services: () => Promise.resolve(services),
    };
  }

  services(): Services {
    return {
      environment: this.environment,
      onKey: this.terminal.onKey,
      cwd: this.cwd,
      findProject: (from) => (this.hasProject && !from.startsWith('/gone') ? this.disk.root : null),
      workflowFile: () => null,
      openProject: () => this.project(),
      openEdited: () => Promise.reject(new Error('no editor is tested here')),
      readText: (path) => this.files.get(path) ?? null,
      edit: () => Promise.resolve(null),
      scaffold: (_root, template, { provider }) =>
        Promise.resolve({
          written: [`protocols/${template}.yaml`, 'mailroom.yaml'],
          kept: ['agents/qa/role.md'],
          left_out: [],
          provider: provider ?? 'claude',
        }),
      templates: () => Promise.resolve(['feature-team', 'solo'].map(templateOf)),
      projects: {
        file: '/home/ada/.config/mailroom/projects',
        list: () => this.known,
        add: (root) => void this.known.push(root),
        drop: (roots) => void (this.known = this.known.filter((root) => !roots.includes(root))),
      },
      protocolFiles: () => this.protocolFiles,
      complete: () => Promise.resolve(['.gitignore']),
      installed: (provider) => provider !== 'codex',
      doctor: () => Promise.resolve(this.findings),
    };
  }

  project(): ProjectServices {
    const { disk } = this;
    return {
      ...elsewhere,
      root: disk.root,
      pruning: { list: () => Promise.resolve(this.prunable), remove: () => Promise.resolve(null) },
      definition: () => {
        const file = { file: 'protocols/team.yaml', text: this.text };
        const parsed = parseProtocol([file], defaultConfig, { cores: 4 });
        if (!parsed.ok) return Promise.resolve(parsed);
        const value = { protocol: parsed.value, config: defaultConfig, hash: () => this.hash };
        return Promise.resolve({ ok: true, value, warnings: parsed.warnings });
      },
      hash: () => this.hash,
      state: () => this.#read(),
      // As it is kept beside the journal: JSON must carry all of it.
      statusSource: () => JSON.parse(JSON.stringify(statusSource(this.#read()))) as StatusSource,
      holder: () => (this.up ? { ...holder, problems: this.problems } : null),
      mail: (role, folder) => readMail(disk, role, folder),
      names: (role, box, isMail) => mailNames(disk, `agents/${role}/${box}`, isMail),
      workspaceProblem: () => Promise.resolve(null),
      missingBranches: () => Promise.resolve(new Set()),
      misplaced: (protocol, config) => misplacedMail(disk, protocol, config),
      roles: () => rolesOnDisk(disk),
      drop: (role, box, name, text) => this.#put(`agents/${role}/${box}/${name}`, text),
      stage: (folder, name, text) =>
        `${disk.root}/${this.#put(`${folder.slice(disk.root.length + 1)}/${name}`, text)}`,
      request: (document) => void requestControl(disk, document.id, document),
      verdict: (id) => this.#verdict(id),
      worktrees: {
        list: () => Promise.resolve(this.worktrees),
        merge: () => Promise.resolve(),
        remove: () => Promise.resolve(),
      },
      workflows: this.#workflows(),
      prepare: () => [],
      files: {
        read: (path) => disk.read(path, 1_000_000)?.toString('utf8') ?? null,
        part: (path, from, most) => disk.read(path, most, from),
        commands: (folder) => new Control(disk, folder).list().flatMap(({ text }) => text ?? []),
        exists: (path) => disk.look(path) !== null,
        list: (folder) => disk.list(folder) ?? [],
      },
      newId: this.newId,
      changed: (milliseconds) => {
        this.meanwhile.shift()?.();
        if (this.up) this.look();
        this.now += milliseconds;
        return Promise.resolve();
      },
      controller: (options) => Promise.resolve(this.#controller(options)),
    };
  }

  /** Workflows can be read here; runs are not this fixture's matter. */
  #workflows(): ProjectServices['workflows'] {
    const { disk } = this;
    const workflows: Partial<ProjectServices['workflows']> = {
      list: () => listWorkflowFiles(disk),
      identities: () => Promise.resolve(identitiesBy(disk, identity)),
      effective: ({ text, path }) => effectiveDefinition(disk, text, path),
      write: (path, before, text) => writeDefinition(disk, path, before, text),
      writeMissing: (files) => writeMissing(disk, files),
      artifacts: () => Promise.resolve(artifactsIn({ ...this.#languageContext(), providers: [] })),
      planning: () =>
        Promise.resolve({ estimate: () => ({ usd: null, tokens: null, price: null }), slots: 4 }),
      check: (text, file) => Promise.resolve(this.#found(text, file.replace(`${disk.root}/`, ''))),
      status: () => Promise.resolve(this.workflowStatus),
      names: () => Promise.resolve(['release/ship']),
      isWorkflow: () => Promise.resolve(false),
      asked: () => Promise.resolve(null),
      runs: () => this.runs,
      find: () => null,
      waiting: () => null,
      askedStart: () => null,
      answerStart: () => false,
      locate: (path) => Promise.resolve({ file: path, path }),
      parts: keptParts(),
      read: (path) => {
        const text = disk.read(path, 1_000_000)?.toString('utf8');
        if (text === undefined) throw new MailroomError('E_TARGET', `there is no workflow \`${path}\``);
        return Promise.resolve(this.#found(text, path));
      },
    };
    return workflows as ProjectServices['workflows'];
  }

  #languageContext(): LanguageContext {
    const { disk } = this;
    return {
      ...nowhere,
      protocol: this.protocol,
      files: projectFiles(disk, []),
      workflows: () => identitiesBy(disk, identity),
    };
  }

  #found(text: string, path: string): FoundWorkflow {
    const context = this.#languageContext();
    return {
      file: path,
      path,
      text,
      checked: parseWorkflow(text, path, context),
      promptContexts: () => promptContextsOf(text, path, context),
      fingerprint: () => text,
      parts: () => [],
    };
  }

  #put(path: string, text: string): string {
    this.disk.write(path, text);
    return path;
  }

  #read(): MailState {
    const { snapshot, records } = new JournalReader<MailEvent>(this.disk).read();
    const start = (snapshot?.state as MailState | undefined) ?? emptyState();
    return records.reduce((state, { event }) => apply(state, event), start);
  }

  #verdict(id: string): { refusal: string | null } | undefined {
    for (const { event } of new JournalReader<MailEvent>(this.disk).read().records)
      if (event.type === 'controlled' && event.id === id) return { refusal: event.refusal?.text ?? null };
    return undefined;
  }

  /** A controller that does what `meanwhile` says, and ends when nothing is left of it. */
  #controller(options: ControllerOptions): Controller {
    this.options = options;
    const { host } = this;
    return {
      definition: { protocol: this.protocol, config: defaultConfig, hash: () => this.hash },
      get state() {
        return host.state;
      },
      notes: ['the trail is off'],
      problems: () => [],
      recoveries: () => [],
      latest: () => [],
      end: (how) => this.ended.push(how),
      run: () => {
        while (this.meanwhile.length > 0) {
          this.meanwhile.shift()?.();
          options.onChange(host.state);
          this.terminal.tick();
        }
        const idle = host.idle();
        const { failures, problem } = host;
        return Promise.resolve({ idle, failures, problem });
      },
    };
  }
}
