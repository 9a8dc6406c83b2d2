/**
 * False for a path that would leave the folder it is relative to, on any system: absolute, with a drive, or with `..`.
 * Links are not followed here: that is for whoever opens the path.
 */
export function isInside(path: string): boolean {
  return path !== '' && !/^[/\\]|^[A-Za-z]:|\0/.test(path) && !path.split(/[/\\]/).includes('..');
}

/** `./src//app/` as `src/app`; nothing left is `.`. */
export function tidyPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.length === 0 ? '.' : parts.join('/');
}
