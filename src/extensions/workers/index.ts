import type { Extension } from '../../cli/extension.ts';
import { json } from '../../cli/commands/table.ts';

/** Turns and steps with `on: workers`, which run on other hosts. */
export const workers: Extension = {
  name: 'workers',
  workers: {
    turns: async (...given) => (await import('./controller/turns.ts')).openTurns(...given),
    steps: async (...given) => (await import('./controller/steps.ts')).openSteps(...given),
  },
  examine: async (project) =>
    project.config.workers === null ? [] : (await import('./examine.ts')).examineWorkers(project),
  routes: async () => (await import('./routes.ts')).workerRoutes,
  commands: {
    mail: {
      worker: {
        about: 'run turns and steps with `on: workers` on another host',
        options: {
          '--roles <names>': 'the roles whose turns it runs: engineer,qa',
          '--steps <kinds>': 'the steps of workflows that it runs: agents, commands, or both',
          '--labels <names>': 'what this host has, for roles and steps that ask for it: linux,gpu',
          '--login <name>': 'whose usage limits its agents have; default: this host',
          '--slots <n>': 'how many turns and steps it runs at once; default 1',
          '--queue <url>': 'redis://host:6379; default: as mailroom.yaml or $MAILROOM_QUEUE say',
        },
        examples: ['mailroom worker --roles engineer,qa --slots 2'],
        run: async () => (await import('./cli/worker.ts')).worker,
      },
      workers: {
        about: 'list the worker hosts, invite one, or drain, pause or unpause one',
        arguments: {
          '[action]': {
            about: 'what to do',
            choices: ['list', 'invite', 'drain', 'pause', 'unpause'],
            default: 'list',
          },
          '[worker]': 'the host, or the id of one of its workers; of a new one, its name',
        },
        options: json,
        examples: [
          'mailroom workers',
          'mailroom workers invite builder-2',
          'mailroom workers drain builder-2',
        ],
        run: async () => (await import('./cli/workers.ts')).workers,
      },
    },
  },
};
