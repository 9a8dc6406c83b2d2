import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { money } from '../../kernel/cost.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { span } from '../../kernel/times.ts';
import { planOf, startRun } from '../api/actions.ts';
import { Problem } from '../api/client.ts';
import { Fields, rethrowBeside, typedFields, type FieldShape } from '../parts/fields.tsx';
import { onSubmit, refuseField, useAction, WriteButton } from '../parts/form.tsx';
import { Panel, Table, Trouble } from '../parts/panel.tsx';
import { Facts, visible } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';
import { clearDrafts, draft } from '../state/drafts.ts';
import { go, link } from '../state/route.ts';
import { notify } from '../state/toasts.ts';
import { kindInWords } from './step-graph.tsx';
import type { PlanDocument, WorkflowRow } from '../../documents/workflows.ts';

/** The text of the workflow in an editor. */
interface Edited {
  readonly text: string;
  /** It is not what is stored. */
  readonly isDirty: boolean;
  /** False: the text could not be stored. */
  save(): Promise<boolean>;
}

interface StartProps {
  readonly id: string;
  readonly parameters: Readonly<Record<string, FieldShape>>;
  /** What is planned, and stored before it runs; absent while it is not edited. */
  readonly edited?: Edited;
}

/** What a run of a workflow would do; null: not planned yet. */
function usePlan({ id, parameters, edited }: StartProps, place: string) {
  const plan = useSignal<PlanDocument | null>(null);
  const refused = useSignal<Problem | null>(null);
  /** What was planned is what would run now. */
  const isNew = useSignal(false);
  const planning = useAction();
  const text = edited?.text ?? null;
  const preview = () => {
    const given = typedFields(parameters, place);
    if (given === null) return;
    void planning.run(async () => {
      isNew.value = true;
      try {
        plan.value = await planOf(id, given, edited?.isDirty === true ? text : null);
        refused.value = null;
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        [plan.value, refused.value] = [null, error];
      }
    });
  };
  useEffect(() => {
    isNew.value = false;
    const isComplete = Object.values(parameters).every((shape) => !shape.required || shape.default != null);
    if (isComplete && plan.value === null) preview();
  }, [text]);
  return {
    plan: plan.value,
    price: plan.value !== null && isNew.value ? priceOf(plan.value) : null,
    refused: refused.value,
    isBusy: planning.busy.value,
    preview,
    change: () => (isNew.value = false),
  };
}

/** Starts a run, and stores what was edited before. */
function useStart({ id, parameters, edited }: StartProps, place: string) {
  const starting = useAction();
  const refused = useSignal<Problem | null>(null);
  const start = () => {
    const given = typedFields(parameters, place);
    if (given === null) return;
    const usd = usdOf(draft(`${place}:usd`).value);
    if (usd === undefined) return refuseField(`${place}-usd`, 'It must be dollars, such as 2.50.');
    refused.value = null;
    void starting.run(async () => {
      if (edited?.isDirty === true && !(await edited.save())) return;
      const started = await startRun(id, given, usd).catch((error: unknown) => {
        if (!(error instanceof Problem) || error.code !== 'E_LOCKED')
          return rethrowBeside(error, parameters, place);
        refused.value = error;
        return null;
      });
      if (started === null) return;
      clearDrafts(`${place}:`);
      notify('The run has started.');
      go(link('runs', started.run));
    });
  };
  return { start, refused: refused.value, isBusy: starting.busy.value };
}

/**
 * The parameters of a workflow and its start; beside them what a run would do and cost at most,
 * which is shown at once where no parameter must be filled in.
 */
export function StartRun(props: StartProps) {
  const { id, parameters, edited } = props;
  const place = `run-${id}`;
  const { plan, price, refused, isBusy, preview, change } = usePlan(props, place);
  const starting = useStart(props, place);
  const limit = draft(`${place}:usd`);
  const verb = edited?.isDirty === true ? 'Save and run it' : 'Run it';
  return (
    <div class="beside">
      <form class="panel start" onInput={change} {...onSubmit(starting.start)}>
        <Fields shapes={parameters} place={place} />
        <div class="field">
          <label for={`${place}-usd`}>Stop at this cost, in dollars</label>
          <input
            id={`${place}-usd`}
            class="short"
            inputMode="decimal"
            autocomplete="off"
            value={limit.value}
            onInput={(event) => (limit.value = event.currentTarget.value)}
          />
          <p class="help">Empty: the limit of the workflow, if it has one.</p>
        </div>
        <div class="row">
          <WriteButton busy={starting.isBusy}>
            {starting.isBusy ? 'Starting …' : price === null ? verb : `${verb}: ${price}`}
          </WriteButton>
          <button type="button" aria-busy={isBusy} onClick={preview}>
            Show the price
          </button>
        </div>
        {starting.refused !== null && <InTheWay id={id} problem={starting.refused} />}
      </form>
      {refused !== null && <Trouble problem={refused} />}
      {plan !== null && <PlanPanel plan={plan} />}
    </div>
  );
}

/** Why a run cannot start beside another one, with the way to that. */
function InTheWay({ id, problem }: { readonly id: string; readonly problem: Problem }) {
  const rows = useLive<readonly WorkflowRow[]>('/workflows').value.value;
  const last = rows?.find(({ name, file }) => name === id || file === id)?.last_run ?? null;
  return (
    <>
      <Trouble problem={problem} />
      {last?.alive === true ? (
        <a href={link('runs', last.run)}>Go to the run in the way</a>
      ) : (
        <a href={link('runs')}>Go to the runs</a>
      )}
    </>
  );
}

/** A limit in dollars; null: none, undefined: not an amount. */
function usdOf(text: string): number | null | undefined {
  const trimmed = text.trim().replace(/^\$/, '');
  if (trimmed === '') return null;
  return /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : undefined;
}

/** The worst case in one phrase. */
function priceOf({ ceiling }: PlanDocument): string {
  const { usd, tokens, launches } = ceiling;
  if (launches === 0) return 'no cost';
  if (usd !== null) return `at most ${money({ usd, tokens: tokens ?? 0, unpriced: 0 }) || '$0.00'}`;
  return tokens === null ? 'an unknown price' : `at most ${String(tokens)} tokens`;
}

/** How many steps a sentence names. */
const mostNamed = 3;

/**
 * Why amounts have no bound, in a sentence for each reason. What a limit of the whole bounds is not
 * named.
 */
function unboundedIn(ceiling: PlanDocument['ceiling']): string[] {
  const steps = new Map<string, string[]>();
  for (const { step, what, why } of ceiling.unbounded) {
    if (ceiling[what] !== null) continue;
    const reason = `${what} without a bound: ${why}`;
    const known = steps.get(reason);
    if (known === undefined) steps.set(reason, [step]);
    else known.push(step);
  }
  return [...steps].map(([reason, [...names]]) => {
    const more = names.length - mostNamed;
    const named = names.slice(0, mostNamed).join(', ');
    return `${named}${more > 0 ? ` and ${String(more)} more` : ''}: ${reason}.`;
  });
}

function PlanPanel({ plan }: { readonly plan: PlanDocument }) {
  const { ceiling, expected, contracts, batches, assumptions } = plan;
  const orUnknown = (value: number | null, words: (value: number) => string) =>
    value === null ? 'unbounded' : words(value);
  return (
    <Panel title="What a run would do">
      <Facts
        of={[
          ['Price', priceOf(plan)],
          ['Agent launches', orUnknown(ceiling.launches, String)],
          ['Other processes', orUnknown(ceiling.processes, String)],
          ['Running time', orUnknown(ceiling.time, (time) => `at most ${span(time)}`)],
          ['Tokens', orUnknown(ceiling.tokens, String)],
          [
            'Expected',
            expected.usd === null ? null : money({ usd: expected.usd, tokens: expected.tokens, unpriced: 0 }),
          ],
        ]}
      />
      {unboundedIn(ceiling).map((each) => (
        <p key={each} class="dim">
          {visible(each)}
        </p>
      ))}
      <Table
        caption="Steps, by the time at which they can start"
        names={['#Batch', 'Step', 'Kind', 'Needs', '#Attempts', 'Capabilities']}
      >
        <tbody>
          {contracts.map((contract) => (
            <tr key={contract.step}>
              <td class="number">{batches.find(({ steps }) => steps.includes(contract.step))?.number}</td>
              <th scope="row">{oneLine(contract.step, 80)}</th>
              <td>{contract.provider ?? contract.role ?? kindInWords(contract.kind)}</td>
              <td>{oneLine(contract.needs.join(', '), 120)}</td>
              <td class="number">{contract.attempts}</td>
              <td>{contract.capabilities.join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </Table>
      <p class="help">Assumed: {assumptions.map(visible).join('; ')}.</p>
    </Panel>
  );
}
