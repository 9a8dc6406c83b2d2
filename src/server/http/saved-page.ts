import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Hono } from 'hono';
import { MailroomError, type ErrorCode } from '../../kernel/errors.ts';
import type { Json } from '../../kernel/json.ts';
import { iso } from '../../kernel/times.ts';
import { setOwn } from '../../kernel/own.ts';
import { makeApp } from './app.ts';
import type { HttpServices } from './route.ts';
import { allRoutes } from './routes/all.ts';
import { Streams } from './stream.ts';
import type { LogFiles } from '../../documents/logs.ts';
import { LogKeeper } from './log-keeper.ts';
import type { TimelineDocument } from '../../documents/runs.ts';
import type { Shown } from '../../documents/mail.ts';

/** What a saved page shows, by its whole id. */
export interface Subject {
  readonly kind: 'run' | 'thread';
  readonly id: string;
  /** Whole logs, however large the file becomes. */
  readonly all: boolean;
}

/** The size that a page has at most, unless all is asked for or its documents are larger; bytes. */
const pageBytes = 2_000_000;
/** The most characters of a prompt, or of changes, that are saved. */
const mostCharacters = 128 * 1024;
/** So many messages without work have their own view, the last ones: all are in the thread. */
const mostMessages = 50;

/**
 * The page with one run or thread in it, as a single HTML file that opens from disk: the script,
 * the styles, and the API's answers, masked as they always are. Its policy lets nothing else in,
 * and no request out. Throws `E_TARGET` where the installation has no page.
 */
export async function savedPage(services: HttpServices, subject: Subject): Promise<string> {
  const empty = assembled(services, '');
  const answers = new Answers(services);
  const logs = await (subject.kind === 'run' ? collectRun : collectThread)(answers, subject.id);
  // JSON escapes some characters by six.
  const used = Buffer.byteLength(empty + JSON.stringify([answers.documents, answers.texts]));
  const keeper = new LogKeeper(
    (path) => answers.optional(path, false),
    subject.all ? null : pageBytes - used,
  );
  for (const path of logs) await keeper.keep(path);
  const saved = {
    at: iso(services.now()),
    project: basename(services.project.root),
    route: `#/${subject.kind}s/${subject.id}`,
    documents: answers.documents,
    texts: answers.texts,
    logs: keeper.logs,
  };
  return assembled(services, JSON.stringify(saved));
}

/** Answers of the API, by the paths by which the page asks for them. */
class Answers {
  readonly documents: Record<string, Json> = {};
  readonly texts: Record<string, string> = {};
  readonly #app: Hono;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(services: HttpServices) {
    this.#app = makeApp(services, allRoutes(new Streams(services), []), () => {});
    this.#headers = { host: 'localhost', authorization: `Bearer ${services.api.keys()[0]?.key ?? ''}` };
  }

  #ask(path: string): Response | Promise<Response> {
    return this.#app.request(`/api/v1${path}`, { headers: this.#headers });
  }

  /** The document at a path, which is saved. Throws the problem that the API answers with. */
  async document<T>(path: string, isSaved = true): Promise<T> {
    const response = await this.#ask(path);
    const found = (await response.json()) as Json;
    if (!response.ok) {
      const { code, detail } = found as { readonly code: ErrorCode; readonly detail: string };
      throw new MailroomError(code, detail);
    }
    if (isSaved) setOwn(this.documents, path, found);
    return found as T;
  }

  /** The same; null: it does not exist any more. */
  async optional<T>(path: string, isSaved = true): Promise<T | null> {
    return await this.document<T>(path, isSaved).catch((error: unknown) => {
      if (error instanceof MailroomError && error.code === 'E_TARGET') return null;
      throw error;
    });
  }

  /**
   * The same for plain text, of which the beginning is saved; it is left out where there is none.
   */
  async text(path: string): Promise<void> {
    const response = await this.#ask(path);
    if (!response.ok) return;
    const text = await response.text();
    const rest = text.length - mostCharacters;
    const note = rest > 0 ? `\n… ${String(rest)} more characters are not in this file` : '';
    setOwn(this.texts, path, text.slice(0, mostCharacters) + note);
  }
}

/** Collects a run. Returns the paths of its logs, those of failed steps first. */
async function collectRun(answers: Answers, run: string): Promise<string[]> {
  const path = `/workflow-runs/${run}`;
  await answers.document(path);
  await answers.document(`${path}/definition`);
  const { steps } = await answers.document<TimelineDocument>(`${path}/timeline`);
  const { files } = await answers.document<LogFiles>(`${path}/logs/files`);
  for (const { path: step } of steps)
    await answers.document(`${path}/logs/files?stage=${encodeURIComponent(step)}`);
  const failed = new Set(
    steps.filter(({ stretches }) => stretches.at(-1)?.result === 'failed').map((step) => step.path),
  );
  return files
    .toReversed()
    .toSorted((a, b) => Number(failed.has(b.step)) - Number(failed.has(a.step)))
    .map(({ name }) => `${path}/logs/${encodeURIComponent(name)}`);
}

/** Collects a thread. Returns the paths of the logs of its turns, the last first. */
async function collectThread(answers: Answers, thread: string): Promise<string[]> {
  const shown = await answers.document<Shown>(`/threads/${thread}`);
  if (shown.kind !== 'thread') return [];
  await answers.document(`/threads?ids=${encodeURIComponent(thread)}`);
  for (const [index, { id, commit }] of shown.messages.entries()) {
    if (commit !== null || index >= shown.messages.length - mostMessages)
      await answers.document(`/messages/${id}`);
    if (commit !== null) await answers.optional(`/messages/${id}/diff`);
  }
  const turns = [...shown.messages.map(({ turn }) => turn), ...shown.turns.map(({ id }) => id)];
  const logs: string[] = [];
  for (const turn of new Set(turns.filter((id) => id !== null)))
    logs.unshift(...(await collectTurn(answers, turn)));
  return logs;
}

/** The folder of an old turn may be gone. */
async function collectTurn(answers: Answers, turn: string): Promise<string[]> {
  const shown = await answers.optional<Shown>(`/turns/${turn}`);
  if (shown?.kind !== 'turn') return [];
  const folders = shown.invocations.map(
    ({ attempt, round }) => `/turns/${turn}/${String(attempt)}/${String(round)}`,
  );
  for (const folder of folders)
    for (const file of ['prompt', 'changes']) await answers.text(`${folder}/${file}`);
  return folders.flatMap((folder) => [`${folder}/stderr`, `${folder}/stdout`]);
}

/** The page with its parts inside it, and the data as JSON that is never run. */
function assembled({ api }: HttpServices, data: string): string {
  const asset = (name: string): string => {
    const found = api.pageFile(name);
    if (found !== null) return found;
    throw new MailroomError('E_TARGET', 'this installation has no page', 'build it with `npm run build`');
  };
  const page = asset('saved.html');
  const [link = '', styleName = ''] = /<link rel="stylesheet" href="([^"]+)"[^>]*>/.exec(page) ?? [];
  const [tag = '', scriptName = ''] = /<script type="module" src="([^"]+)"><\/script>/.exec(page) ?? [];
  const style = asset(styleName);
  // Neither ends its own element.
  const script = asset(scriptName).replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  const parts: readonly (readonly [string, string])[] = [
    [
      '<meta charset="utf-8" />',
      `<meta charset="utf-8" />\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`,
    ],
    [link, `<style>${style}</style>`],
    [tag, `<script id="saved" type="application/json">${data.replaceAll('<', '\\u003c')}</script>`],
    // The script needs the elements above it.
    ['</body>', `<script type="module">${script}</script>\n  </body>`],
  ];
  return parts.reduce((text, [from, to]) => text.replace(from, () => to), page);
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
