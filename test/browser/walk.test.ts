import { expect, test } from 'vitest';
import { desks } from './browser.ts';

const bed = desks();

test('asks for the key where it has none, and takes a pasted address', async () => {
  const { desk } = bed;
  const { address } = await desk.serve();
  const page = await desk.open(address.replace(/#.*/, ''));
  await page.getByLabel('Or paste the address').fill(address);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  expect(page.url()).not.toContain('key=');
  expect(desk.faults).toEqual([]);
});
