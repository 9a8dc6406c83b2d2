/** What each role sends, by the mail that it received. */
export const plays = {
  tester: (mail, send) => {
    const passing = mail.find(({ type }) => type === 'passing');
    if (passing === undefined) send('failing-test', 'coder', 'Test 1 expects a result for empty input.');
    else if (passing.body.includes('Test 1')) send('failing-test', 'coder', 'Test 2 expects an error.');
    else send('delivered', 'user', 'Two tests, and both pass.');
  },
  coder: (mail, send) => {
    const [, name = 'The test'] = /^(Test \d)/m.exec(mail.at(-1)?.body.trim() ?? '') ?? [];
    send('passing', 'tester', `${name} passes.`);
  },
};
