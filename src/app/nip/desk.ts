import { join } from 'node:path';
import type { AskedExecution, Defined, NipServices } from '../../cli/nip-services.ts';
import type { BeginOptions, FoundWorkflow, StoredRun } from '../../cli/run-services.ts';
import type { NipSettings } from '../../core/config.ts';
import { MailroomError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { definitionTemplate, definitionText } from '../../core/nip/defining.ts';
import { kinds, tagOf, type NostrEvent } from '../../core/nip/events.ts';
import { reportOf, type ExecutionReport } from '../../core/nip/report.ts';
import { checkInputs } from '../../core/nip/request.ts';
import type { Workflow } from '../../core/workflow/model.ts';
import { compile } from '../../core/workflow/rules.ts';
import { ProblemsError } from '../../engine/operations/problems.ts';
import { readParameters } from '../../engine/operations/runs/parameters.ts';
import { definitionFile, definitionLog, EventLog } from '../../store/nip/event-log.ts';
import type { RealDisk } from '../../store/real-disk.ts';
import { readSettings, type Settings } from '../definition.ts';
import { fetchDefinition } from './fetched-definition.ts';
import { definedBy, keepDefinition } from './executions.ts';
import { relaysOf } from './relays.ts';
import { expectRead } from '../workflow-services.ts';
import { checkWorkflow, readWorkflow } from '../workflows.ts';

/** Workflows of the language nip by their ids: defined, run and asked after. */
export function nipServices(
  disk: RealDisk,
  packageRoot: string,
  find: (run: string) => StoredRun,
): NipServices {
  const settings = async () => expectRead(await readSettings(disk, packageRoot));
  return {
    define: async (asked) => {
      const given =
        'text' in asked
          ? asked
          : { text: definitionText(definitionTemplate(asked, Date.now())), file: 'definition' };
      const all = await settings();
      return define(disk, all.config.nip, await checkWorkflow(disk, all, given.text, given.file));
    },
    prepare: async (asked) => prepare(disk, await settings(), asked),
    report: (run) => report(disk, find(run)),
  };
}

async function define(disk: RealDisk, nip: NipSettings, found: FoundWorkflow): Promise<Defined> {
  const { body } = expectNip(found);
  const event = await keepDefinition(disk, found.text);
  const relays = nip.publishDefinitions ? await relaysOf(nip) : null;
  relays?.publish([event]);
  await relays?.close();
  return {
    workflowId: tagOf(event, 'd') ?? '',
    eventId: event.id,
    version: tagOf(event, 'version') ?? '1.0.0',
    stepCount: body.steps.length,
    ...(relays && { relays: relays.verdicts(event) }),
  };
}

function expectNip({ checked }: FoundWorkflow): Workflow {
  if (!checked.ok) throw new ProblemsError(checked.problems);
  if (checked.value.language === 'nip') return checked.value;
  throw new MailroomError(
    'E_WORKFLOW',
    `a workflow of the language ${checked.value.language} is no event that could be signed`,
    '`mailroom run` runs it as it is',
  );
}

async function prepare(
  disk: RealDisk,
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
    budget: { ...definition.budget, ...(msats === null ? {} : { msats }) },
    only: null,
    record: null,
    replay: null,
  };
}

function inputsOf(
  { parameters }: Workflow,
  inputs: AskedExecution['inputs'],
): Readonly<Record<string, Json>> {
  if (isTexts(inputs)) return readParameters(parameters, inputs);
  const { values, problems } = checkInputs({ inputs }, parameters);
  if (problems.length > 0) throw new MailroomError('E_USAGE', problems.join('; '));
  return values;
}

function isTexts(inputs: AskedExecution['inputs']): inputs is readonly (readonly [string, string])[] {
  return Array.isArray(inputs);
}

/** The definition that a word means: by the id of its event, else the last one of that `d`; else relays are asked. Throws `E_TARGET`. */
async function named(disk: RealDisk, { relays }: NipSettings, word: string): Promise<NostrEvent> {
  const all = new EventLog(disk, definitionLog).read();
  const found = all.find(({ id }) => id === word) ?? all.findLast((event) => tagOf(event, 'd') === word);
  if (found !== undefined) return found;
  const fetched = await fetchDefinition(relays, word);
  if (fetched !== null) return fetched;
  const known = [...new Set(all.map((event) => tagOf(event, 'd')))].join(', ');
  const hint = known === '' ? '`mailroom nip define` makes one known' : `there are ${known}`;
  throw new MailroomError('E_TARGET', `no workflow is defined as \`${word}\``, hint);
}

function report(disk: RealDisk, stored: StoredRun): ExecutionReport {
  const { run, definition } = stored;
  if (definition.language !== 'nip')
    throw new MailroomError(
      'E_TARGET',
      `${run} is no run of the language nip`,
      '`mailroom show` tells of it',
    );
  const request = new EventLog(disk, run).read().find(({ kind }) => kind === kinds.request);
  const [event = null] = request === undefined ? [] : definedBy(disk, request);
  return reportOf(stored.state(), compile(definition), event);
}
