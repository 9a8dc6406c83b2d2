import { accessSync, constants } from 'node:fs';
import type { ChildProcess } from 'node:child_process';
import { delimiter, join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { finished, said, type TestProject } from '../support/project.ts';
import { addressOf, shopProject } from './shop.ts';

const names = ['chromium-headless-shell', 'chromium', 'google-chrome'];

/** The program of a browser; null: there is none. Throws where `REQUIRE_BROWSER` is 1. */
export function findBrowser(): string | null {
  const { CHROMIUM, PATH = '', REQUIRE_BROWSER } = process.env;
  const places = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  const found = [...(CHROMIUM === undefined ? [] : [CHROMIUM]), ...places].find(isProgram);
  if (found === undefined && REQUIRE_BROWSER === '1')
    throw new Error(`there is no browser: install ${names.join(' or ')}`);
  return found ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A project that works, with a server, and pages of it. */
export class BrowserFixture {
  readonly project: TestProject;
  /** What no page may do: break its policy, fail, or ask another host. */
  readonly faults: string[] = [];
  readonly #browser: Browser;
  readonly #programs: ChildProcess[] = [];
  readonly #contexts: BrowserContext[] = [];

  constructor(browser: Browser, more: Readonly<Record<string, string>> = {}) {
    this.#browser = browser;
    this.project = shopProject(more);
  }

  /** Starts the program; it ends with the fixture. */
  start(args: readonly string[]): ChildProcess {
    const program = this.project.start(args);
    this.#programs.push(program);
    return program;
  }

  /** Starts the controller, and waits until it works. */
  async work(): Promise<void> {
    await said(this.start(['up']), 'roles');
  }

  /** Starts a server. Returns it with the address of its page. */
  async serve(port = 0): Promise<{ readonly address: string; readonly server: ChildProcess }> {
    const server = this.start(['serve', '--port', String(port)]);
    return { address: await addressOf(server), server };
  }

  /** Opens the page, as another person's browser would if there is one already. */
  async open(
    address: string,
    options: { readonly dark?: boolean; readonly width?: number } = {},
  ): Promise<Page> {
    const { dark = false, width = 1280 } = options;
    const context = await this.#browser.newContext({
      colorScheme: dark ? 'dark' : 'light',
      viewport: { width, height: 800 },
    });
    // Only what never comes takes so long, also on a busy machine.
    context.setDefaultTimeout(120_000);
    this.#contexts.push(context);
    return this.openIn(context, address);
  }

  /** Opens the page in one more window of a browser. */
  async openIn(context: BrowserContext, address: string): Promise<Page> {
    const page = await context.newPage();
    this.#watch(page);
    await page.goto(address);
    return page;
  }

  #watch(page: Page): void {
    page.on('pageerror', (error) => this.faults.push(`error: ${error.message}`));
    page.on('console', (message) => {
      if (/Content Security Policy|Trusted/i.test(message.text())) this.faults.push(message.text());
    });
    page.on('request', (request) => {
      const { protocol, hostname } = new URL(request.url());
      const isSaved = protocol === 'file:' && request.isNavigationRequest();
      if (protocol !== 'data:' && hostname !== '127.0.0.1' && !isSaved)
        this.faults.push(`request to ${request.url()}`);
    });
  }

  async close(): Promise<void> {
    for (const context of this.#contexts) await context.close();
    for (const program of this.#programs) await ended(program);
    this.project.remove();
  }
}

/** Ends a program, and waits until it is gone. */
export async function ended(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const end = finished(program);
  program.kill('SIGTERM');
  await end;
}

/** What a fixture has after work of every kind. */
export interface Made {
  readonly thread: string;
  readonly question: string;
  readonly run: string;
}

interface Item {
  readonly id: string;
  readonly kind: string;
  readonly run: string | null;
}

/** Makes a question, an approval, a turn that runs, and a role that waits for it. `words` are in all texts. */
export async function workOfEveryKind(fixture: BrowserFixture, words = ''): Promise<Made> {
  const { project } = fixture;
  await fixture.work();
  const text = ['--subject', `The price ${words}`, '--message', `Show the price. ${words}`];
  const sent = await project.run(['send', 'engineer', '--json', ...text]);
  await project.run(['send', 'writer', '--message', `Write about the shop. ${words}`]);
  fixture.start(['run', 'release', '--param', 'version=0.9.0', '--plain']);
  const inbox = () => finished(project.start(['inbox', '--json']));
  const items = async () => (JSON.parse((await inbox()).stdout) as { items: Item[] }).items;
  let all: Item[] = [];
  // Each look starts a program, so this waits without being busy.
  while (all.length < 2) all = await items();
  return {
    thread: (JSON.parse(sent.stdout) as { thread: string }).thread,
    question: all.find(({ kind }) => kind === 'request')?.id ?? '',
    run: all.find(({ kind }) => kind === 'approval')?.run ?? '',
  };
}
