import type { Language } from '../../../core/expression/language.ts';
import type { Hook, Trigger } from '../../../core/workflow/model.ts';
import type { Path } from '../../yaml.ts';
import type { Scribe } from '../scribe.ts';
import type { Surroundings } from '../surroundings.ts';
import type { HooksInput, TriggersInput } from './trigger-schema.ts';

const defaultDebounce = 500;

export function lowerTriggers(scribe: Scribe, inputs: TriggersInput | undefined): Trigger[] {
  return Object.entries(inputs ?? {}).map(([name, input]) =>
    scribe.from(originOf(name, input), lowerTrigger(name, input)),
  );
}

type TriggerInput = TriggersInput[string];

function originOf(name: string, input: TriggerInput): Path {
  return ['triggers', name, ...('message' in input ? ['message'] : [])];
}

function lowerTrigger(name: string, input: TriggerInput): Trigger {
  if ('cron' in input)
    return { name, kind: 'cron', expression: input.cron, timezone: input.timezone ?? null };
  if ('files' in input) {
    const { debounce = defaultDebounce, cooldown = 0 } = input;
    return { name, kind: 'files', globs: input.files, debounce, cooldown };
  }
  if ('webhook' in input) return { name, kind: 'webhook', path: input.webhook, secret: input.secret };
  if ('command' in input)
    return { name, kind: 'command', argv: input.command, every: input.every, on: input.on ?? 'change' };
  return { name, kind: 'message', ...input.message };
}

const events = { on_start: 'start', on_complete: 'complete', on_failure: 'failure' } as const;

/** `notify`: the commands of mailroom.yaml that tell somebody, by scheme. */
export function lowerHooks(
  scribe: Scribe,
  inputs: HooksInput | undefined,
  language: Language,
  notify: Surroundings['notify'],
): Hook[] {
  return Object.entries(events).flatMap(([key, on]) => {
    const input = inputs?.[key as keyof typeof events];
    if (input === undefined) return [];
    const path = ['hooks', key];
    const command = [...path, 'run'];
    const run = input.run?.map((text, index) => scribe.template([...command, index], text, language)) ?? null;
    if (run !== null) scribe.from(command, run);
    const tell = lowerTell(scribe, input.tell, [...path, 'tell'], language, notify);
    return [scribe.from(path, { on, run, notify: input.notify ?? null, ...tell })];
  });
}

function lowerTell(
  scribe: Scribe,
  text: string | undefined,
  path: Path,
  language: Language,
  notify: Surroundings['notify'],
): Pick<Hook, 'tell'> {
  if (text === undefined) return {};
  const [scheme = ''] = text.split(':', 1);
  const target = scribe.template(path, text.slice(scheme.length + 1), language);
  return { tell: { scheme, target, command: notify[scheme] ?? null } };
}
