import type { Language } from '../../expressions/language.ts';
import { nativeLanguage } from '../../workflow/machine/language.ts';
import type { Hook, Trigger } from '../../workflow/automation.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';
import type { LanguageContext } from '../shared/context.ts';
import type { HooksInput, TriggersInput } from './trigger-schema.ts';
import { ownValue } from '../../kernel/own.ts';

const defaultDebounce = 500;

export function lowerTriggers(diagnostics: Diagnostics, inputs: TriggersInput | undefined): Trigger[] {
  return Object.entries(inputs ?? {}).map(([name, input]) =>
    diagnostics.from(originOf(name, input), {
      name,
      ...(input.enabled === false && { enabled: false }),
      ...(input.cooldown !== undefined && { cooldown: input.cooldown }),
      ...(input.by !== undefined && { by: input.by }),
      ...lowerFilter(diagnostics, input.filter, ['triggers', name, 'filter']),
      ...lowerKind(input),
    }),
  );
}

type TriggerInput = TriggersInput[string];

/** What differs between the kinds of triggers. */
type TriggerKind = Trigger extends infer T
  ? T extends Trigger
    ? Omit<T, 'name' | 'enabled' | 'cooldown' | 'by' | 'filter'>
    : never
  : never;

function originOf(name: string, input: TriggerInput): Path {
  return ['triggers', name, ...('message' in input ? ['message'] : [])];
}

/** Evaluated before there is a run: it sees only what fired, and no files. */
const filterLanguage: Language = {
  ...nativeLanguage,
  namespaces: ['trigger'],
  functions: nativeLanguage.functions.filter(({ kind }) => kind !== 'file'),
};

function lowerFilter(
  diagnostics: Diagnostics,
  text: string | undefined,
  path: Path,
): Pick<Trigger, 'filter'> {
  return text === undefined ? {} : { filter: diagnostics.expression(path, text, filterLanguage) };
}

function lowerKind(input: TriggerInput): TriggerKind {
  if ('cron' in input) {
    const expression = input.cron.trim().replaceAll(/\s+/g, ' ');
    return { kind: 'cron', expression, timezone: input.timezone ?? null };
  }
  if ('files' in input) {
    return { kind: 'files', globs: input.files, debounce: input.debounce ?? defaultDebounce };
  }
  if ('webhook' in input) return { kind: 'webhook', path: input.webhook, secret: input.secret };
  if ('command' in input)
    return { kind: 'command', argv: input.command, every: input.every, on: input.on ?? 'change' };
  if ('message' in input) return { kind: 'message', ...input.message };
  return { kind: 'interval', every: input.every };
}

const events = { on_start: 'start', on_complete: 'complete', on_failure: 'failure' } as const;

/** `notify`: the notification commands of mailroom.yaml, by scheme. */
export function lowerHooks(
  diagnostics: Diagnostics,
  inputs: HooksInput | undefined,
  language: Language,
  notify: LanguageContext['notify'],
): Hook[] {
  return Object.entries(events).flatMap(([key, on]) => {
    const input = inputs?.[key as keyof typeof events];
    if (input === undefined) return [];
    const path = ['hooks', key];
    const command = [...path, 'run'];
    const run =
      input.run?.map((text, index) => diagnostics.template([...command, index], text, language)) ?? null;
    if (run !== null) diagnostics.from(command, run);
    const tell = lowerTell(diagnostics, input.tell, [...path, 'tell'], language, notify);
    return [diagnostics.from(path, { on, run, notify: input.notify ?? null, ...tell })];
  });
}

function lowerTell(
  diagnostics: Diagnostics,
  text: string | undefined,
  path: Path,
  language: Language,
  notify: LanguageContext['notify'],
): Pick<Hook, 'tell'> {
  if (text === undefined) return {};
  const [scheme = ''] = text.split(':', 1);
  const target = diagnostics.template(path, text.slice(scheme.length + 1), language);
  return { tell: { scheme, target, notifier: ownValue(notify, scheme) ?? null } };
}
