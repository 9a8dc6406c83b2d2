import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { layered, workflowOf } from '../../bench/graphs.ts';
import { program } from '../../bench/measured.ts';
import { milliseconds, percentile, type Line } from '../../bench/report.ts';
import { BenchProject, removeAll } from '../../bench/world.ts';
import { ended, findBrowser } from './browser-fixture.ts';
import { enlarge } from './runs.ts';
import { addressOf } from './shop.ts';

/* The lines `pages` of `npm run bench`, as JSON: what a person waits for in a real browser. */

const threads = Number(process.argv[2] ?? 10_000);
const looks = 5;
const events = 40;
const openPages = 20;
const frames = 300;
const restMs = 10_000;

/** A project with so many open threads, whose roles are paused. */
function filled(count: number): BenchProject {
  const project = new BenchProject(10, ['true']);
  for (let index = 0; index < count; index += 1) project.drop(index % 10, `m${String(index)}.md`);
  spawnSync(process.execPath, [program, 'pause', 'all'], { cwd: project.root });
  spawnSync(process.execPath, [program, 'up', '--until-idle'], { cwd: project.root });
  return project;
}

interface Opened {
  /** Milliseconds until a new page shows something. */
  readonly paint: number;
  /** Milliseconds until a view of it has its document. */
  readonly view: number;
}

/** Opens a new page, and then a view of it; the medians of several. */
async function opened(
  browser: Browser,
  address: string,
  route: string,
  shows: (page: Page) => Promise<unknown>,
): Promise<Opened> {
  const all: Opened[] = [];
  for (let look = 0; look < looks; look += 1) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    await page.goto(address);
    await page.locator('main h1').waitFor();
    const paint = await page.evaluate(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    );
    const start = performance.now();
    await show(page, route);
    await shows(page);
    all.push({ paint, view: performance.now() - start });
    await context.close();
  }
  const middle = (of: keyof Opened) =>
    percentile(
      all.map((each) => each[of]),
      0.5,
    );
  return { paint: middle('paint'), view: middle('view') };
}

function show(page: Page, route: string): Promise<void> {
  return page.evaluate((to) => {
    location.hash = to;
  }, route);
}

function line(what: string, took: number, budget: number, how: string): Line {
  return {
    what,
    seen: milliseconds(took),
    ratio: how,
    budget: `≤ ${milliseconds(budget)}`,
    met: took <= budget,
  };
}

async function opening(browser: Browser, { address, project }: Served): Promise<Line[]> {
  for (const count of [200, 1_000])
    project.write(
      `workflows/w${String(count)}.yaml`,
      workflowOf(layered(count, 20)).replace('name: measured', `name: w${String(count)}`),
    );
  const graphOf = (steps: number) => (page: Page) =>
    page.getByRole('group', { name: `Graph of ${String(steps)} steps` }).waitFor();
  const many = await opened(browser, address, '#/threads', (page) =>
    page.locator('[data-row]').first().waitFor(),
  );
  const middle = await opened(browser, address, '#/workflows/w200/edit', graphOf(200));
  const large = await opened(browser, address, '#/workflows/w1000/edit', graphOf(1_000));
  const how = `median of ${String(looks)}, in a browser`;
  return [
    line(`first paint of the page, ${String(threads)} threads`, many.paint, 1_000, how),
    line(`the list of ${String(threads)} threads, until its first line`, many.view, 1_000, how),
    line('a workflow of 200 steps in the composer, until its graph', middle.view, 1_000, how),
    line('a workflow of 1,000 steps in the composer, until its graph', large.view, 3_000, how),
  ];
}

/** From the time of the record of a message until an open page shows it. */
async function arriving(browser: Browser, { address, project }: Served): Promise<Line> {
  const controller = spawn(process.execPath, [program, 'up'], { cwd: project.root, stdio: 'ignore' });
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(address);
    await page.locator('main h1').waitFor();
    await show(page, '#/threads');
    const took: number[] = [];
    for (let count = 0; count < events; count += 1) {
      const subject = `event ${String(count)}`;
      const shown = shownAt(page, subject);
      project.drop(
        count % 10,
        `event${String(count)}.md`,
        `---\ntype: task\nsubject: ${subject}\n---\nDo it\n`,
      );
      took.push(await shown);
    }
    const how = `p95 of ${String(events)}, p50 ${milliseconds(percentile(took, 0.5))}, in a browser`;
    return line('the record of a message, until an open page shows it', percentile(took, 0.95), 150, how);
  } finally {
    await context.close();
    await ended(controller);
  }
}

/**
 * Milliseconds from the record of a message with this subject until the page has drawn its row.
 * Watched in the page: a look from outside every 100 ms would be most of what it measures.
 */
function shownAt(page: Page, subject: string): Promise<number> {
  return page.evaluate(
    (of) =>
      new Promise<number>((resolve) => {
        new MutationObserver((_changes, observer) => {
          const row = [...document.querySelectorAll('.cards .card')].find((each) =>
            each.textContent.includes(of),
          );
          const recorded = row?.querySelector('time')?.dateTime;
          if (recorded === undefined) return;
          observer.disconnect();
          // The first task after a frame begins once the frame has been drawn.
          requestAnimationFrame(() => {
            setTimeout(() => resolve(performance.timeOrigin + performance.now() - Date.parse(recorded)));
          });
        }).observe(document.body, { childList: true, subtree: true, characterData: true });
      }),
    subject,
  );
}

/** A run that has failed with a log of 100 MB: until its error is shown, and how the log scrolls. */
async function largeLog(browser: Browser, { address, project }: Served): Promise<Line[]> {
  project.write(
    'workflows/failing.yaml',
    'name: failing\nversion: "1"\ntimeout: 1h\nsteps:\n  unit: { command: [sh, -c, "echo x; exit 3"] }\n',
  );
  spawnSync(process.execPath, [program, 'run', 'failing', '--plain'], { cwd: project.root });
  const listed = spawnSync(process.execPath, [program, 'runs', '--json'], { cwd: project.root });
  const [{ run }] = JSON.parse(listed.stdout.toString()) as [{ run: string }];
  enlarge(project, run, 'unit');
  const error = (page: Page) => page.getByText('AssertionError: far down').first().waitFor();
  const { view } = await opened(browser, address, `#/runs/${run}`, error);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(address);
  await page.locator('main h1').waitFor();
  await show(page, `#/runs/${run}`);
  await error(page);
  const gaps = await page.evaluate(async (count) => {
    const box = document.querySelector('.log-box')!;
    const times: number[] = [];
    for (let frame = 0; frame <= count; frame += 1) {
      box.scrollTop -= 400;
      times.push(await new Promise<number>((resolve) => requestAnimationFrame(resolve)));
    }
    return times.slice(1).map((time, index) => time - (times[index] ?? time));
  }, frames);
  await context.close();
  // A frame that is late is drawn with the next one; times of frames are rounded.
  const late = gaps.filter((gap) => gap > 17.7).length / frames;
  return [
    line('a run with a failed log of 100 MB, until its error', view, 1_000, `median of ${String(looks)}`),
    {
      what: 'frames that are late while a log of 100 MB scrolls',
      seen: `${(late * 100).toFixed(1)} %, the longest ${milliseconds(Math.max(...gaps))}`,
      ratio: `of ${String(frames)}, in a browser`,
      budget: '≤ 1 %',
      met: late <= 0.01,
    },
  ];
}

/** The share of a core that a server uses while many pages are open and nothing happens. */
async function resting(browser: Browser, { address, server }: Served): Promise<Line> {
  const contexts: BrowserContext[] = [];
  for (let count = 0; count < openPages; count += 1) {
    // A browser has at most six connections to a server, and each page has one for its stream.
    const context = await browser.newContext();
    contexts.push(context);
    const page = await context.newPage();
    await page.goto(address);
    await page.locator('main h1').waitFor();
  }
  const [start, before] = [performance.now(), processorTime(server)];
  await pause(restMs);
  const share = (processorTime(server) - before) / (performance.now() - start);
  for (const context of contexts) await context.close();
  return {
    what: `the server while ${String(openPages)} pages are open and nothing happens`,
    seen: `${(share * 100).toFixed(1)} % of a core`,
    ratio: `over ${String(restMs / 1_000)} s`,
    budget: '< 5 %',
    met: share < 0.05,
  };
}

/** Milliseconds of processor time of a process so far; the kernel counts hundredths of a second. */
function processorTime({ pid = 0 }: ChildProcess): number {
  const [, after = ''] = readFileSync(`/proc/${String(pid)}/stat`, 'utf8').split(') ');
  const [user = 0, system = 0] = after.split(' ').slice(11, 13).map(Number);
  return (user + system) * 10;
}

interface Served {
  readonly project: BenchProject;
  readonly address: string;
  readonly server: ChildProcess;
}

async function served<T>(project: BenchProject, act: (served: Served) => Promise<T>): Promise<T> {
  const server = spawn(process.execPath, [program, 'serve', '--port', '0'], {
    cwd: project.root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    return await act({ project, server, address: await addressOf(server) });
  } finally {
    const end = once(server, 'exit');
    server.kill('SIGTERM');
    await end;
  }
}

const path = findBrowser();
const lines: Line[] = [];
if (path !== null) {
  const browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox'] });
  try {
    lines.push(...(await served(filled(threads), (large) => opening(browser, large))));
    lines.push(
      ...(await served(filled(10), async (small) => [
        await arriving(browser, small),
        ...(await largeLog(browser, small)),
        await resting(browser, small),
      ])),
    );
  } finally {
    await browser.close();
    removeAll();
  }
}
process.stdout.write(JSON.stringify(lines));
