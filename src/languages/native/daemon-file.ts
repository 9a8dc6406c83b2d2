import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { ownValue } from '../../kernel/own.ts';
import { flowText } from '../../yaml/suggest.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';

/** Whether a file says for the daemon of another program when it starts which workflows. */
export function isDaemonFile({ events, triggers, steps }: JsonObject): boolean {
  return isJsonObject(events) && isJsonObject(triggers) && steps === undefined;
}

/** Reports that the file is not a workflow, and at each of its triggers what to write instead. */
export function refuseDaemonFile(file: JsonObject, diagnostics: Diagnostics): void {
  const [events, triggers] = [objectOf(file['events']), objectOf(file['triggers'])];
  diagnostics.error(
    'E_WORKFLOW',
    ['events'],
    'this file says when workflows start, and is not a workflow itself',
    'write the `triggers` into the workflows, as it is said at each of them; `mailroom up` starts those in `workflows/`',
    'key',
  );
  for (const [id, given] of Object.entries(triggers)) {
    const trigger = objectOf(given);
    const started = startOf(objectOf(ownValue(events, textOf(trigger['on']))));
    const own = started && flowText({ [id]: { ...started, ...settingsOf(trigger, started) } });
    const others = Object.entries(elsewhere).flatMap(([key, hint]) =>
      ownValue(trigger, key) === undefined ? [] : [hint],
    );
    const place = typeof trigger['workflow'] === 'string' ? `\`${trigger['workflow']}\`` : 'its workflow';
    const hints = [...(own === null ? [] : [`write there \`triggers: ${own}\``]), ...others];
    const message = `the trigger \`${id}\` belongs in ${place}`;
    diagnostics.error('E_WORKFLOW', ['triggers', id], message, hints.join('; ') || null, 'key');
  }
}

/** Where a workflow has what its triggers here do not. */
const elsewhere: Readonly<Record<string, string>> = {
  filter: '`filter` is an expression over `trigger`',
  evaluate: '`evaluate` is a first step whose result the `when` of the others reads',
  analyze: '`analyze` is a last step',
  context:
    '`context.env` is `env` of the workflow, and its expressions read the event as `trigger`; in place of `last_result`, the last step leaves a file for the next run',
  max_retries: 'a failed step is tried again by its own `on_failure: retry`',
};

/** When an event happens, as a trigger; null: unknown. */
function startOf(event: JsonObject): JsonObject | null {
  const { type, every, schedule, interval, command, path, secret, trigger_on: on } = event;
  if (type === 'interval' && every !== undefined) return { every };
  if (type === 'cron' && schedule !== undefined) return { cron: schedule };
  if (type === 'fswatch')
    return {
      files: [...listOf(event['paths']), ...listOf(event['ignore']).map((glob) => `!${textOf(glob)}`)],
    };
  if (type === 'webhook' && path !== undefined)
    return { webhook: path, secret: /\w+/.exec(textOf(secret))?.[0] ?? 'HOOK_SECRET' };
  if (type === 'command' && command !== undefined && interval !== undefined)
    return { command: ['sh', '-c', command], every: interval, on: on === 'always' ? 'success' : 'change' };
  return null;
}

/** The settings of a trigger that a trigger of a workflow has, too. */
function settingsOf({ enabled, debounce, cooldown }: JsonObject, { files }: JsonObject): JsonObject {
  return {
    ...(files !== undefined && debounce !== undefined && { debounce }),
    ...(cooldown !== undefined && { cooldown }),
    ...(enabled === false && { enabled }),
  };
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
