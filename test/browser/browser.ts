import axe, { type AxeResults, type RunOptions } from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { BrowserFixture, findBrowser } from './browser-fixture.ts';

/**
 * A fixture for each test of a file. Without a browser its tests are skipped. `options`: more of the
 * browser's command line.
 */
export function browserFixture(
  more: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
): { readonly fixture: BrowserFixture } {
  const path = findBrowser();
  let browser: Browser | null = null;
  let fixture: BrowserFixture | null = null;
  beforeAll(async () => {
    const args = ['--no-sandbox', ...options];
    if (path !== null) browser = await chromium.launch({ executablePath: path, args });
  });
  beforeEach(({ skip }) => {
    if (browser === null)
      return skip('there is no browser: install chromium-headless-shell, or name one in CHROMIUM');
    fixture = new BrowserFixture(browser, more);
  });
  afterEach(async () => {
    await fixture?.close();
    fixture = null;
  });
  afterAll(() => browser?.close());
  return {
    get fixture() {
      if (fixture === null) throw new Error('no test runs');
      return fixture;
    },
  };
}

/** What of axe is used in the page. */
interface Rules {
  run(of: Document, options: RunOptions): Promise<AxeResults>;
}

/** Expects that axe finds nothing wrong with what the page shows. */
export async function expectAccessible(page: Page, where: string): Promise<void> {
  // The policy of the page forbids scripts of others, so the rules come in by the debugger.
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const { axe: rules } = globalThis as unknown as { axe: Rules };
    // What fades in has its colours at the end.
    const ending = document
      .getAnimations()
      .filter((each) => each.effect?.getTiming().iterations !== Infinity);
    await Promise.allSettled(ending.map((each) => each.finished));
    const found = await rules.run(document, { resultTypes: ['violations'] });
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html.slice(0, 200)}`),
    );
  });
  expect({ where, violations }).toEqual({ where, violations: [] });
}

/**
 * Presses Tab, or Shift+Tab, until what has the focus has this name, as a person does who uses no
 * mouse.
 */
export async function tabTo(page: Page, name: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const seen: string[] = [];
  for (let presses = 0; presses < 120; presses += 1) {
    await page.keyboard.press(key);
    const focused = await page.evaluate(() => {
      const { activeElement } = document;
      const element = (activeElement?.shadowRoot?.activeElement ?? activeElement) as HTMLInputElement | null;
      return (
        element?.getAttribute('aria-label') ?? element?.labels?.[0]?.textContent ?? element?.textContent ?? ''
      );
    });
    seen.push(focused.slice(0, 40));
    if (name.test(focused)) return;
  }
  throw new Error(`no ${key} reaches ${String(name)}, only ${seen.join(' | ')}`);
}
