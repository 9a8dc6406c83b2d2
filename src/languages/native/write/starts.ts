import type { JsonObject } from '../../../kernel/json.ts';
import type { Hook, Trigger } from '../../../workflow/automation.ts';
import { expressionText, templateText } from './expression.ts';
import { duration, withoutNothing } from './parts.ts';

/** The triggers of runs, by name; null: none. */
export function writeTriggers(triggers: readonly Trigger[]): JsonObject | null {
  if (triggers.length === 0) return null;
  return Object.fromEntries(
    triggers.map((trigger) => {
      const { name, filter, enabled, by } = trigger;
      const rest = {
        filter: filter ? `\${{ ${expressionText(filter)} }}` : null,
        enabled: enabled ?? null,
        by: by ?? null,
      };
      return [name, withoutNothing({ ...writeTrigger(trigger), ...rest })];
    }),
  );
}

function writeTrigger(trigger: Trigger): JsonObject {
  switch (trigger.kind) {
    case 'interval':
      return { every: duration(trigger.every) };
    case 'cron':
      return withoutNothing({ cron: trigger.expression, timezone: trigger.timezone });
    case 'files':
      return withoutNothing({
        files: [...trigger.globs],
        debounce: duration(trigger.debounce),
        cooldown: trigger.cooldown === 0 ? null : duration(trigger.cooldown),
      });
    case 'webhook':
      return { webhook: trigger.path, secret: trigger.secret };
    case 'command':
      return { command: [...trigger.argv], every: duration(trigger.every), on: trigger.on };
    case 'message':
      return { message: { role: trigger.role, type: trigger.type } };
  }
}

const keys = { start: 'on_start', complete: 'on_complete', failure: 'on_failure' } as const;

/** The hooks at the start and end of a run; null: none. */
export function writeHooks(hooks: readonly Hook[]): JsonObject | null {
  if (hooks.length === 0) return null;
  return Object.fromEntries(
    hooks.map(({ on, run, notify, tell }) => [
      keys[on],
      withoutNothing({
        run: run && run.map(templateText),
        notify,
        tell: tell && `${tell.scheme}:${templateText(tell.target)}`,
      }),
    ]),
  );
}
