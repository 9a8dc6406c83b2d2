import { join } from 'node:path';
import type { AskedExecution, RemoteStatus, SentEvents } from './documents.ts';
import type { BeginOptions, FoundWorkflow, StoredRun } from '../../project/definition/contracts.ts';
import type { Project } from '../../project/project.ts';
import type { Workflows } from '../../workflow/runs/workflows.ts';
import type { Defined, ExecutionReport } from './nostr/documents.ts';
import type { NipSettings } from '../../config/config.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { Json } from '../../kernel/json.ts';
import { definitionId, definitionTemplate, definitionText, type NewDefinition } from './language/defining.ts';
import { currentDefinition } from './nostr/definitions.ts';
import { tagOf, type NostrEvent } from './letters/nostr-event.ts';
import { workflowList } from './nostr/listing.ts';
import type { WorkflowList } from './nostr/documents.ts';
import { checkInputs } from './nostr/request.ts';
import type { Workflow } from '../../workflow/model.ts';
import { ProblemsError } from '../../project/definition/problems.ts';
import { readParameters } from '../../workflow/runs/parameters.ts';
import { definitionFile, definitionLog, EventLog } from './nostr/event-log.ts';
import type { Disk } from '../../disk/disk.ts';
import type { Settings, SettingsReader } from '../../project/definition/definition.ts';
import { refuseTrackedState } from '../../host/tracked.ts';
import { fetchDefinition } from './nostr/fetched-definition.ts';
import { keepDefinition } from './executions.ts';
import { relaysOf } from './nostr/relays.ts';
import { reportRun, runOf, executionStatus } from './execution-status.ts';
import { keepSending, sendAll } from './unsent.ts';
import { checkWorkflow, readWorkflow, expectRead } from '../../project/definition/workflows.ts';

/** Workflows of the language nip by their ids: define them, run them, query their runs. */
export class NipWorkflows {
  readonly #disk: Disk;
  readonly #settings: SettingsReader;
  readonly #runs: Workflows;

  constructor({ disk, settings, workflows }: Project) {
    this.#disk = disk;
    this.#settings = settings;
    this.#runs = workflows;
  }

  async #read(): Promise<Settings> {
    return expectRead(await this.#settings.read());
  }

  async #nip(): Promise<NipSettings> {
    return (await this.#read()).config.nip;
  }

  /**
   * Signs a definition, unless its author has, and keeps it. A `text` is the content of `file`, a
   * path for people. Throws the definition's problems.
   */
  async define(asked: NewDefinition | { readonly text: string; readonly file: string }): Promise<Defined> {
    const all = await this.#read();
    const found =
      'text' in asked
        ? await checkWorkflow(this.#disk, all, asked.text, asked.file)
        : await checkArguments(this.#disk, all, asked);
    return define(this.#disk, all.config.nip, found);
  }

  /** The definitions that are known here, and the task kinds that roles do. */
  async list(): Promise<WorkflowList> {
    return workflowList(new EventLog(this.#disk, definitionLog).read(), (await this.#read()).protocol);
  }

  /**
   * The options to begin a run of a defined workflow. Throws `E_TARGET` where it is unknown, and
   * the problems of the rest.
   */
  async prepare(asked: AskedExecution): Promise<Omit<BeginOptions, 'watch'>> {
    return prepare(this.#disk, await this.#read(), asked);
  }

  /**
   * The run of this project that a word names: as `status`, without remote ones. Throws `E_TARGET`.
   */
  find(word: string): StoredRun {
    return runOf(this.#disk, this.#runs, word);
  }

  /** The status of a run, by its id. Throws `E_TARGET`. */
  async report(run: string): Promise<ExecutionReport> {
    return reportRun(this.#disk, await this.#nip(), this.#runs.run(run));
  }

  /**
   * The same, also by its `executionId` or the end of the run's id, and for the run of a request
   * (the id of its event), here or as relays report it. Throws `E_TARGET` where it is unknown.
   */
  status(word: string): Promise<ExecutionReport | RemoteStatus> {
    return executionStatus(this.#disk, this.#runs, () => this.#nip(), word);
  }

  /** Sends the relays of the project the events that they have not answered. */
  async send(): Promise<SentEvents> {
    return sendAll(this.#disk, await this.#nip());
  }

  /**
   * Sends events until closed, including those of earlier runs; null: the project has no relays.
   * `failed`: receives internal errors.
   */
  async keepSending(failed: (error: unknown) => void): Promise<{ close(): Promise<void> } | null> {
    return keepSending(this.#disk, await this.#nip(), failed);
  }
}

/**
 * Reads a definition from the arguments of a tool, whose names its problems use. Throws `E_VALUE`
 * where they have no id.
 */
async function checkArguments(disk: Disk, settings: Settings, asked: NewDefinition): Promise<FoundWorkflow> {
  if (definitionId(asked) === '')
    throw new MailroomError('E_VALUE', `no id can be made of the name \`${asked.name}\``, 'give an `id`');
  const text = definitionText(definitionTemplate(asked, Date.now()));
  const found = await checkWorkflow(disk, settings, text, 'definition');
  const { checked } = found;
  const { inArguments } = await import('./language/arguments.ts');
  const said = checked.ok
    ? { ...checked, warnings: inArguments(checked.warnings, asked) }
    : { ...checked, problems: inArguments(checked.problems, asked) };
  return { ...found, checked: said };
}

async function define(disk: Disk, nip: NipSettings, found: FoundWorkflow): Promise<Defined> {
  const { body } = expectNip(found);
  const warnings = found.checked.ok ? found.checked.warnings : [];
  await refuseTrackedState(disk);
  const definitions = new EventLog(disk, definitionLog);
  const before = definitions.read();
  const event = await keepDefinition(disk, found.text, true);
  const id = tagOf(event, 'd') ?? '';
  const [old, current] = [before, definitions.read()].map((all) => currentDefinition(all, id));
  const relays = nip.publishDefinitions ? await relaysOf(disk, nip) : null;
  relays?.want(definitionLog, [event], true);
  relays?.send(definitionLog);
  await relays?.close();
  return {
    workflowId: id,
    eventId: event.id,
    version: tagOf(event, 'version') ?? '1.0.0',
    stepCount: body.steps.length,
    replaced: current?.id === event.id && old !== null && old?.id !== event.id ? old!.id : null,
    newer: current?.id === event.id ? null : (current?.id ?? null),
    warnings,
    relays: relays?.verdicts(definitionLog, event) ?? null,
  };
}

function expectNip({ checked }: FoundWorkflow): Workflow {
  if (!checked.ok) throw new ProblemsError(checked.problems);
  if (checked.value.byEvents) return checked.value;
  throw new MailroomError(
    'E_WORKFLOW',
    `a workflow of the language ${checked.value.language} is not an event that could be signed`,
    '`mailroom run` runs it as it is',
  );
}

async function prepare(
  disk: Disk,
  settings: Settings,
  { workflow: word, inputs, msats, timeout }: AskedExecution,
): Promise<Omit<BeginOptions, 'watch'>> {
  const event = await named(disk, settings.config.nip, word);
  const workflow = await readWorkflow(disk, settings, join(disk.root, definitionFile(disk, event)));
  const definition = expectNip(workflow);
  return {
    workflow,
    definition: { ...definition, timeout: timeout ?? definition.timeout },
    parameters: inputsOf(definition, inputs),
    context: {},
    workspace: disk.root,
    budget: { ...definition.budget, ...(msats === null ? {} : { units: msats }) },
    only: null,
    record: null,
    replay: null,
  };
}

function inputsOf(
  { parameters }: Workflow,
  inputs: AskedExecution['inputs'],
): Readonly<Record<string, Json>> {
  if (isTexts(inputs)) return readParameters(parameters, inputs, 'input');
  const { values, problems } = checkInputs({ inputs }, parameters);
  if (problems.length > 0) throw new MailroomError('E_USAGE', problems.join('; '));
  return values;
}

function isTexts(inputs: AskedExecution['inputs']): inputs is readonly (readonly [string, string])[] {
  return Array.isArray(inputs);
}

/**
 * The definition that a word names: by the id of its event, else the current one with that `d`;
 * else from relays. Throws `E_TARGET`.
 */
async function named(disk: Disk, { relays }: NipSettings, word: string): Promise<NostrEvent> {
  const all = new EventLog(disk, definitionLog).read();
  const found = all.find(({ id }) => id === word) ?? currentDefinition(all, word);
  if (found !== null) return found;
  const { event, problems } = await fetchDefinition(relays, word);
  if (event !== null) return event;
  const known = [...new Set(all.map((each) => tagOf(each, 'd')))].join(', ');
  const hint = known === '' ? '`mailroom nip define` makes one known' : `there are ${known}`;
  const hints = [...problems, hint].join('; ');
  throw new MailroomError('E_TARGET', `no workflow is defined as \`${word}\``, hints);
}
