import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { browserFixture, expectAccessible } from './browser.ts';
import { workOfEveryKind } from './browser-fixture.ts';

const bed = browserFixture();
const hostile = '</script><img src=x onerror="document.title=1"><script>document.title=2</script>';
const secret = 'hunter2hunter2hunter2';

/** Saves what `show --html` prints. Returns the address of the file. */
async function save(word: string): Promise<string> {
  const { project } = bed.fixture;
  const ran = await project.run(['show', word, '--html']);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const file = join(project.root, `${word}.html`);
  writeFileSync(file, ran.stdout);
  return `file://${file}`;
}

test('a saved run opens from disk as the page shows it, and asks for nothing', async () => {
  const { fixture } = bed;
  const workflow = readFileSync(join(fixture.project.root, 'workflows/release.yaml'), 'utf8');
  fixture.project.write(
    'workflows/release.yaml',
    workflow.replace('echo "no problems"', `echo '${hostile}'; echo "$API_TOKEN"; exit 3`),
  );
  const env = { API_TOKEN: secret };
  await fixture.project.run(
    ['run', 'release', '--param', 'version=1.0.0', '--inherit', 'API_TOKEN', '--plain'],
    env,
  );
  const listed = await fixture.project.run(['runs', '--json']);
  const [{ run }] = JSON.parse(listed.stdout) as [{ run: string }];
  const address = await save(run);
  expect(readFileSync(new URL(address), 'utf8')).not.toContain(secret);

  const page = await fixture.open(address);
  await page.getByRole('heading', { name: 'release' }).waitFor();
  await page.getByRole('heading', { name: 'Timeline' }).waitFor();
  await page.locator('.timeline').getByText('lint').click();
  await page.getByRole('heading', { name: 'Output of lint' }).waitFor();
  expect(await page.locator('.log').innerText()).toContain(hostile);
  expect(await page.title()).toBe(`release, failed · ${basename(fixture.project.root)}`);
  expect(await page.locator('main img').count()).toBe(0);
  expect(await page.getByRole('button', { name: /Resume|Cancel|again/ }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Why?' }).count()).toBe(0);
  await expectAccessible(page, 'a saved run');
  expect(fixture.faults).toEqual([]);
});

test('a saved thread has its turns with their prompts', async () => {
  const { fixture } = bed;
  const made = await workOfEveryKind(fixture, hostile);
  const page = await fixture.open(await save(made.thread), { dark: true });
  await page.getByRole('heading', { name: 'The price' }).waitFor();
  expect(await page.locator('main').innerText()).toContain(hostile);
  const { stdout } = await fixture.project.run(['status', '--json']);
  const { threads } = JSON.parse(stdout) as { threads: { id: string; standing: { word: string } }[] };
  const word = threads.find(({ id }) => id === made.thread)?.standing.word ?? '';
  await page.locator('.facts .state', { hasText: word }).waitFor();
  expect(await page.locator('.message time').first().innerText()).toMatch(/\d\d:\d\d:\d\d$/);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByText(/^Saved .* It does not change any more\.$/).waitFor();
  await page.getByRole('link', { name: 'turn t1' }).first().click();
  await page.getByRole('heading', { name: /turn t1: The price/ }).waitFor();
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('button:visible, input:visible').count()).toBe(0);
  await page.emulateMedia({ media: 'screen' });
  const prompt = page.locator('details', { hasText: /^Prompt/ });
  await prompt.locator('summary').press('Enter');
  await prompt.getByText('Show the price.').waitFor();
  await expectAccessible(page, 'a saved turn');
  expect(await page.locator('main img').count()).toBe(0);
  expect(fixture.faults).toEqual([]);
});
