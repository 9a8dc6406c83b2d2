import { json } from '../../cli/commands/table.ts';
import type { Extension } from '../../cli/extension.ts';

/** Workflows that are signed events, with budgets in thousandths of a satoshi. */
export const nip: Extension = {
  name: 'nip',
  commands: {
    workflows: {
      nip: {
        about: 'define or execute a nip workflow, show the status of a run, or send events',
        arguments: {
          '<action>': { about: 'what to do', choices: ['define', 'execute', 'status', 'send'] },
          '[what]':
            'define: a file; execute: the id of a workflow or of its event; status: a run, or the id of a request; send: nothing',
        },
        options: {
          '--input <name=value>': { about: 'execute: set an input; repeatable', repeatable: true },
          '--budget <msats=N>': 'execute: stop the run at this cost',
          '--timeout <seconds>': 'execute: stop the run after this time',
          '--async': 'execute: run in the background and print the id of the run',
          ...json,
        },
        examples: [
          'mailroom nip define workflows/measure.json',
          'mailroom nip execute measure --input text="some words"',
        ],
        run: async () => (await import('./command.ts')).runNip,
      },
    },
  },
  tools: async (context) => (await import('./project-tools.ts')).nipTools(context),
  language: async () => (await import('./language/read.ts')).nip,
  events: async () => (await import('./events.ts')).runEvents,
  listen: async (up) => {
    const { enabled, relays } = up.reader.config.nip;
    return enabled && relays.length > 0 ? (await import('./requests.ts')).openRelays(up) : null;
  },
  currency: ({ nip: { unitsPerUsd: perUsd, budgetEnforcement: enforced } }) => ({
    name: 'msats',
    perUsd,
    enforced,
  }),
};
