import { expect, test } from 'vitest';
import { browserFixture, expectAccessible } from './browser.ts';

const bed = browserFixture();

test('the view of roles says what nothing moves for, and who may send what to whom', async () => {
  const { fixture } = bed;
  const page = await fixture.open((await fixture.serve()).address, { width: 390, dark: true });
  await page.getByRole('link', { name: 'Roles', exact: true }).click();
  // Commands in sentences are code.
  await page.locator('.problems code', { hasText: /^mailroom up$/ }).waitFor();
  await page.getByText('No role waits for another one.').waitFor();

  await page.getByText('Who may send what to whom').press('Enter');
  const picture = page.getByRole('img', { name: /engineer sends question, delivered to user/ });
  await picture.waitFor();
  await page
    .getByRole('row', { name: /^review-request engineer or writer qa review-feedback the sender/ })
    .waitFor();
  await expectAccessible(page, 'roles');
  const team = page.getByRole('region', { name: 'Roles and their waits' });
  expect(await team.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
  for (const graph of await page.locator('.graph').all()) {
    const boxes = await graph.locator('.node rect').evaluateAll((all) =>
      all.map((each) => {
        const { left, right, top, bottom } = each.getBoundingClientRect();
        return { left, right, top, bottom };
      }),
    );
    const near = boxes.flatMap((one, index) =>
      boxes.slice(index + 1).filter((other) => {
        const across = Math.max(one.left - other.right, other.left - one.right);
        return across < 12 && Math.max(one.top - other.bottom, other.top - one.bottom) < 12;
      }),
    );
    expect(near).toEqual([]);
  }
  expect(fixture.faults).toEqual([]);
});
