import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TestProject, type Ran } from './project.ts';

/** One step that succeeded or failed, as `state.json` tells it. */
export interface ToldStep {
  readonly status: string;
  readonly exit_code: number | null;
  readonly output: string;
  readonly duration: number;
  readonly iterations?: readonly Readonly<Record<string, unknown>>[];
  readonly [key: string]: unknown;
}

/** What `state.json` says. */
export interface Told {
  readonly run_id: string;
  readonly workflow_name: string;
  readonly status: string;
  readonly started_at: string;
  readonly current_step: string | null;
  readonly context: Readonly<Record<string, unknown>>;
  readonly steps: Readonly<Record<string, ToldStep>>;
}

/** A project of the orchestrate language: files below `workspace/` unless they begin with another folder of it. */
export class OrchestrateProject extends TestProject {
  constructor(steps: string, more: Readonly<Record<string, string>> = {}) {
    const text = steps.startsWith('version:')
      ? steps
      : `version: "1.0"\nname: sample\nstrict_flow: true\n${steps}`;
    super({ 'workflows/flow.yaml': text, '.gitignore': '.orchestrator/\n', ...more });
  }

  flow(options: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    return this.run(['run', 'workflows/flow.yaml', ...options], env);
  }

  /** The ids of the runs that are shown. */
  get ids(): string[] {
    return existsSync(join(this.root, '.orchestrator/runs')) ? this.list('.orchestrator/runs') : [];
  }

  told(run = this.ids[0] ?? ''): Told {
    return JSON.parse(this.read(`.orchestrator/runs/${run}/state.json`)) as Told;
  }

  /** The lines of `events.jsonl`. */
  events(run = this.ids[0] ?? ''): Readonly<Record<string, unknown>>[] {
    const text = this.read(`.orchestrator/runs/${run}/logs/events.jsonl`);
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  }

  has(path: string): boolean {
    return existsSync(join(this.root, path));
  }
}

/** A step of a list: a program of the shell, which goes to the next one, or to the end. */
export function sh(name: string, script: string, more = '', to = '_end'): string {
  return `  - name: ${name}\n    command: [sh, -c, ${JSON.stringify(script)}]\n${more}    on: { success: { goto: ${to} }, failure: { error: ${name} failed } }\n`;
}
