import type { Page } from 'playwright-core';

/** Opens the composer of a workflow. */
export async function open(page: Page, id: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to;
  }, `#/workflows/${id}/edit`);
  await page.getByRole('group', { name: /^Graph of/ }).waitFor();
}

/** Opens the drawer of the text; by the keyboard, as buttons move while the editor is loaded. */
export async function openText(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Text', exact: true }).press('Enter');
  await page.getByRole('textbox', { name: 'Text of the workflow' }).waitFor();
}

/** The text as the editor has it: only the lines that are shown. */
export const shownText = (page: Page) => page.locator('.cm-content').first().innerText();
