import { expect, test } from 'vitest';
import { readPatch } from '../../src/web/patch.ts';

const patch = `diff --git a/src/a.ts b/src/a.ts
index 1111111..2222222 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,4 +1,4 @@ function f()
 one
-two
-three
+2
+++ 3
 four
@@ -10 +10 @@
-ten
\\ No newline at end of file
+10
\\ No newline at end of file
diff --git a/old name.ts b/new name.ts
similarity index 90%
rename from old name.ts
rename to new name.ts
diff --git "a/gr\\303\\274\\303\\237e \\"x\\".md" "b/gr\\303\\274\\303\\237e \\"x\\".md"
new file mode 100644
--- /dev/null
+++ "b/gr\\303\\274\\303\\237e \\"x\\".md"
@@ -0,0 +1,2 @@
+--- a title
+crlf\r
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/logo.png b/logo.png
deleted file mode 100644
Binary files a/logo.png and /dev/null differ
`;

test('a patch is read file by file, with what happened to each', () => {
  expect(readPatch(patch).map(({ hunks, ...file }) => ({ ...file, hunks: hunks.length }))).toEqual([
    { path: 'src/a.ts', from: null, notes: [], added: 3, removed: 3, hunks: 2 },
    { path: 'new name.ts', from: 'old name.ts', notes: ['renamed'], added: 0, removed: 0, hunks: 0 },
    { path: 'grüße "x".md', from: null, notes: ['new'], added: 2, removed: 0, hunks: 1 },
    { path: 'run.sh', from: null, notes: ['mode 100644 → 100755'], added: 0, removed: 0, hunks: 0 },
    { path: 'logo.png', from: null, notes: ['deleted', 'binary'], added: 0, removed: 0, hunks: 0 },
  ]);
});

test('lines have their numbers, and a missing end is marked', () => {
  const [file, , quoted] = readPatch(patch);
  expect(file?.hunks[0]?.lines.map(({ kind, text, before, after }) => [kind, text, before, after])).toEqual([
    ['same', 'one', 1, 1],
    ['removed', 'two', 2, null],
    ['removed', 'three', 3, null],
    ['added', '2', null, 2],
    ['added', '++ 3', null, 3],
    ['same', 'four', 4, 4],
  ]);
  expect(file?.hunks[1]?.lines.map(({ isUnended }) => isUnended)).toEqual([true, true]);
  expect(quoted?.hunks[0]?.lines.map(({ text }) => text)).toEqual(['--- a title', 'crlf\r']);
});

test('what is not a patch has no files, and a cut one ends where it was cut', () => {
  expect(readPatch('')).toEqual([]);
  expect(readPatch('hello\n@@ -1 +1 @@\n-x')).toEqual([]);
  expect(readPatch(patch.slice(0, 130))[0]).toMatchObject({ path: 'src/a.ts', removed: 1 });
});

test('5 MB are read', () => {
  const lines = Array.from({ length: 250_000 }, (_, index) => `+line ${String(index)} of it`).join('\n');
  const large = `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,250000 @@\n${lines}\n`;
  expect(readPatch(large)[0]?.added).toBe(250_000);
});
