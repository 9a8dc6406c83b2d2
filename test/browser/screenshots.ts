import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { BrowserFixture, findBrowser, workOfEveryKind } from './browser-fixture.ts';

/* `npm run screenshots`: the pictures of README and docs, of a project whose agents are scripts. */

const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url));

async function shoot(page: Page, name: string, route: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to;
  }, `#/${route}`);
  await page.waitForLoadState('networkidle').catch(() => undefined);
  await page.locator('.loading').waitFor({ state: 'detached' });
  await page.screenshot({ path: join(folder, `${name}.png`) });
  console.log(`docs/images/${name}.png`);
}

const path = findBrowser();
if (path === null) throw new Error('there is no browser: install chromium-headless-shell');
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox'] });
const fixture = new BrowserFixture(browser);
try {
  const made = await workOfEveryKind(fixture);
  const { address } = await fixture.serve();
  const light = await fixture.open(address, { width: 1280 });
  await shoot(light, 'page-inbox', `inbox/${made.question}`);
  await shoot(light, 'page-roles', 'roles');
  await shoot(light, 'composer', 'workflows/release/edit');
  const dark = await fixture.open(address, { width: 1280, dark: true });
  await shoot(dark, 'page-run-dark', `runs/${made.run}`);
} finally {
  await fixture.close();
  await browser.close();
}
