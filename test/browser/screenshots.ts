import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { BrowserFixture, findBrowser, workOfEveryKind } from './browser-fixture.ts';
import { ranRun, runFiles } from './runs.ts';

/* `npm run screenshots`: the pictures of README and docs, of a project whose agents are scripts. */

const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url));

/** Shows a view, and waits for what it is about. */
async function shoot(page: Page, name: string, route: string, about: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to;
  }, `#/${route}`);
  await page.locator(about).first().waitFor();
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  await page.screenshot({ path: join(folder, `${name}.png`) });
  console.log(`docs/images/${name}.png`);
}

const path = findBrowser();
if (path === null) throw new Error('there is no browser: install chromium-headless-shell');
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox'] });
const { 'workflows/failing.yaml': failing = '', 'big.mjs': big = '' } = runFiles;
const fixture = new BrowserFixture(browser, { 'workflows/failing.yaml': failing, 'big.mjs': big });
try {
  const failed = await ranRun(fixture, 'failing');
  const made = await workOfEveryKind(fixture);
  const { address } = await fixture.serve();
  const light = await fixture.open(address, { width: 1280 });
  await shoot(light, 'page-inbox', `inbox/${made.question}`, 'form textarea');
  await shoot(light, 'page-roles', 'roles', 'svg');
  await shoot(light, 'composer', 'workflows/release/edit', 'main svg');
  const dark = await fixture.open(address, { width: 1280, dark: true });
  await shoot(dark, 'page-run-dark', `runs/${failed}`, '.log-row.failed');
} finally {
  await fixture.close();
  await browser.close();
}
