import { parseDuration } from '../../../src/kernel/duration.ts';
import { parse } from '../../../src/expressions/parse.ts';
import { parseTemplate, type Template } from '../../../src/expressions/template.ts';
import type { Tree } from '../../../src/expressions/tree.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { insideLoop, insideRound, nativeLanguage } from '../../../src/workflow/machine/language.ts';
import { withLast } from '../../../src/languages/native/read.ts';
import { usualChoices } from '../../../src/workflow/reserved.ts';
import type {
  Body,
  Check,
  Retry,
  Step,
  Target,
  ValueType,
  Work,
  Workflow,
} from '../../../src/workflow/model.ts';

const language = insideRound(insideLoop(nativeLanguage, 'x'));

export function template(text: string): Template {
  const read = parseTemplate(text, language);
  if (!read.ok) throw new Error(`${text}: ${JSON.stringify(read.problems)}`);
  return read.value;
}

export function tree(text: string): Tree {
  const read = parse(text, language);
  if (!read.ok) throw new Error(`${text}: ${JSON.stringify(read.problems)}`);
  return read.value;
}

export const anyValue: ValueType = {
  type: 'any',
  items: null,
  enum: null,
  required: false,
  description: null,
};

const noRetry: Retry = { max: 0, base: 1_000, factor: 2, cap: 30_000, jitter: false, codes: null };

export function step(id: string, changes: Partial<Step> = {}): Step {
  return {
    id,
    description: null,
    needs: [],
    join: 'all',
    when: null,
    work: { kind: 'command', argv: [template('true')], capabilities: null },
    workspace: null,
    env: {},
    secrets: null,
    stdin: null,
    stdout: null,
    inputs: [],
    outputs: [],
    values: { v: anyValue },
    timeout: null,
    grace: null,
    retry: noRetry,
    onFailure: 'abort',
    check: null,
    budget: null,
    next: null,
    ...changes,
  };
}

export function workflow(body: Body, changes: Partial<Workflow> = {}): Workflow {
  return {
    language: 'native',
    name: 'test',
    version: '1',
    description: null,
    timeout: null,
    concurrency: null,
    contextDir: 'context',
    ownWorkspace: null,
    parameters: {},
    context: {},
    env: {},
    inherit: [],
    secrets: [],
    budget: { usd: null, tokens: null },
    triggers: [],
    hooks: [],
    body,
    ...changes,
  };
}

interface Line {
  readonly id: string;
  readonly needs: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
  readonly inner: Line[];
}

/**
 * A body as text, a step a line: `fix <- review test : retry=2 check=3 when="steps.test.values.v == 1"`. Steps of a loop
 * (`each=[1,2]`) or of a sub-workflow (`child`) are indented below it. With `ok=`, `fail=` (a step, `_end`, `_error`,
 * `_break`, `_continue`, `_run`, `_failed` or `_failed:<message>`) in its first line it is a sequence.
 */
export function graph(text: string): Body {
  const root: Line = { id: '', needs: [], flags: new Map(), inner: [] };
  const open: { indent: number; line: Line }[] = [{ indent: -1, line: root }];
  for (const raw of text.split('\n')) {
    if (raw.trim() === '') continue;
    const indent = raw.length - raw.trimStart().length;
    while ((open.at(-1)?.indent ?? 0) >= indent) open.pop();
    const line = readLine(raw.trim());
    open.at(-1)?.line.inner.push(line);
    open.push({ indent, line });
  }
  return bodyOf(root.inner);
}

function readLine(text: string): Line {
  const [head = '', tail = ''] = text.split(/ :(?: |$)/, 2);
  const [id = '', needs = ''] = head.split('<-').map((part) => part.trim());
  const flags = [...tail.matchAll(/([\w-]+)(?:=("[^"]*"|\S+))?/g)].map(
    ([, name = '', value = '']) => [name, value.replace(/^"(.*)"$/, '$1')] as const,
  );
  return { id, needs: needs.split(' ').filter((one) => one !== ''), flags: new Map(flags), inner: [] };
}

function bodyOf(lines: readonly Line[]): Body {
  const steps = lines.map(stepOf);
  const isSequence = lines.some(({ flags }) => flags.has('ok') || flags.has('route'));
  if (isSequence) return { kind: 'sequence', steps, maxVisits: 4 };
  const last = steps.find(({ work }) => work.kind === 'finally') ?? null;
  return withLast({ kind: 'graph', steps: steps.filter((each) => each !== last) }, last);
}

const stalls = ['fail', 'retry', 'incomplete'] as const;
const policies = ['continue', 'skip-dependents', 'skip'] as const;
const joins = ['any', 'one_success', 'none_failed', 'all_done'] as const;

function stepOf({ id, needs, flags, inner }: Line): Step {
  const retries = flags.get('retry');
  const when = flags.get('when');
  const timeout = flags.get('timeout');
  const input = flags.get('input');
  const budget = flags.get('usd');
  const stall = stalls.find((each) => each === flags.get('silent'));
  const [ok, bad] = [flags.get('ok'), flags.get('fail')];
  return step(id, {
    needs: needs.map((need) => {
      const [source = '', condition] = need.split('?');
      return { step: source, when: condition === undefined ? null : tree(condition) };
    }),
    join: joins.find((join) => flags.has(join)) ?? 'all',
    when: when === undefined ? null : tree(when),
    work: workOf(flags, inner),
    timeout: timeout === undefined ? null : parseDuration(timeout),
    ...(stall && { stall: { after: 60_000, policy: stall } }),
    retry: { ...noRetry, max: Number(retries ?? 0), jitter: flags.has('jitter') },
    onFailure: flags.has('finally')
      ? 'skip-dependents'
      : (policies.find((policy) => flags.has(policy)) ?? (retries === undefined ? 'abort' : 'retry')),
    check: flags.has('check') ? checkOf(flags) : null,
    inputs: input === undefined ? [] : [{ from: input, artifact: 'out', as: 'in', required: true }],
    outputs: flags.has('out')
      ? [{ name: 'out', path: template('out.txt'), type: null, required: false }]
      : [],
    budget: budget === undefined ? null : { usd: Number(budget), tokens: null },
    next: ok === undefined ? null : { success: target(ok), failure: target(bad ?? '_error'), timeout: null },
  });
}

function target(word: string): Target {
  if (word === '_end') return { to: 'end' };
  if (word === '_error') return { to: 'error', message: null };
  if (word === '_break') return { to: 'break' };
  if (word === '_run') return { to: 'finish' };
  const failed = /^_failed(?::(.*))?$/.exec(word);
  if (failed) return { to: 'fail', message: failed[1] === undefined ? null : template(failed[1]) };
  return word === '_continue' ? { to: 'continue' } : { to: 'step', step: word };
}

/** `steps.a.values.v == 1->b`, or `b`. */
function wayOf(text: string): Extract<Work, { kind: 'route' }>['ways'][number] {
  const [condition = '', to] = text.split('->');
  if (to === undefined) return { when: null, to: target(condition.trim()) };
  return { when: tree(condition), to: target(to.trim()) };
}

function workOf(flags: ReadonlyMap<string, string>, inner: Line[]): Work {
  const text = template(flags.get('say') ?? 'work');
  const agent = flags.get('agent');
  if (agent !== undefined) return agentOf(agent, text);
  const each = flags.get('each');
  if (each !== undefined)
    return {
      kind: 'for-each',
      items: each.startsWith('[') ? (JSON.parse(each) as Json[]) : tree(each),
      as: 'x',
      ...(flags.has('key') && { key: template(flags.get('key') ?? '') }),
      concurrency: Number(flags.get('concurrency') ?? 1),
      body: bodyOf(inner),
    };
  const rounds = flags.get('rounds');
  if (rounds !== undefined)
    return {
      kind: 'while',
      condition: tree(flags.get('while') ?? 'true'),
      maxIterations: Number(rounds),
      body: bodyOf(inner),
    };
  const gate = flags.get('gate');
  if (gate !== undefined) {
    const [time = '', onTimeout = 'abort'] = gate.split('/');
    const policy = (['abort', 'approve', 'reject'] as const).find((one) => one === onTimeout) ?? 'abort';
    const choices = flags.get('choices')?.split('|') ?? usualChoices;
    const fields = fieldsOf(flags.get('fields') ?? '');
    const approvers = flags.get('approvers')?.split('|') ?? [];
    const asked = { message: text, approvers, choices, fields };
    return { kind: 'gate', ...asked, timeout: parseDuration(time), onTimeout: policy };
  }
  if (flags.has('child')) return childOf(flags, inner);
  if (flags.has('finally')) return { kind: 'finally', body: bodyOf(inner) };
  if (flags.has('fails')) return { kind: 'fail', message: template(flags.get('fails') ?? '') };
  const ways = flags.get('route');
  if (ways !== undefined) return { kind: 'route', ways: ways.split(';').map(wayOf) };
  const role = flags.get('role');
  if (role !== undefined) return { kind: 'role', role, others: [], instructions: text };
  return { kind: 'command', argv: [text], capabilities: null };
}

/** `risk:low|high!,note`: the fields of a gate; `!` is required, `:` lists the values. */
function fieldsOf(text: string): Record<string, ValueType> {
  const entries = text.split(',').flatMap((part): [string, ValueType][] => {
    const [name = '', values] = part.replace('!', '').split(':');
    const type = { ...anyValue, type: 'string', enum: values?.split('|') ?? null } as const;
    return name === '' ? [] : [[name, { ...type, required: part.endsWith('!') }]];
  });
  return Object.fromEntries(entries);
}

function childOf(flags: ReadonlyMap<string, string>, inner: Line[]): Work {
  const given = flags.get('with');
  const exported = flags.get('exports');
  const limit = flags.get('limit');
  return {
    kind: 'workflow',
    workflow: workflow(bodyOf(inner), {
      name: 'child',
      parameters: given === undefined ? {} : { p: anyValue },
      timeout: limit === undefined ? null : parseDuration(limit),
      concurrency: flags.has('concurrency') ? Number(flags.get('concurrency')) : null,
    }),
    with: given === undefined ? {} : { p: template(given) },
    exports: exported === undefined ? [] : [{ from: exported, artifact: 'out', as: 'made' }],
  };
}

function agentOf(provider: string, instructions: Template): Extract<Work, { kind: 'agent' }> {
  const rest = { model: null, maxSteps: null, maxCommandTime: null };
  return { kind: 'agent', provider, instructions, capabilities: ['READ'], ...rest };
}

function checkOf(flags: ReadonlyMap<string, string>): Check {
  const stall = flags.get('stall');
  const checker = flags.get('checker') ?? flags.get('agent');
  return {
    work:
      checker !== undefined
        ? agentOf(checker, template('check'))
        : { kind: 'command', argv: [template('check')], capabilities: null },
    timeout: 60_000,
    decisionFile: null,
    maxIterations: Number(flags.get('check')),
    onExhausted: flags.has('go-on') ? 'continue' : 'abort',
    budget: null,
    convergence:
      stall === undefined
        ? null
        : {
            stallThreshold: Number(stall),
            maxStage: 3,
            failOnMaxStage: !flags.has('hope'),
            stages: [],
            allowedPaths: [],
            ignoredPaths: [],
            diffBase: { kind: 'ref', ref: 'HEAD' },
            maxChangedFiles: null,
          },
  };
}
