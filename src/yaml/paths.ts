/**
 * False for a path that would leave its base folder, on any system: absolute, with a drive, or with
 * `..`. Does not follow links: the code that opens the path must.
 */
export function isInside(path: string): boolean {
  return path !== '' && !/^[/\\]|^[A-Za-z]:|\0/.test(path) && !path.split(/[/\\]/).includes('..');
}

/** `./src//app/` as `src/app`; an empty result is `.`. */
export function tidyPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.length === 0 ? '.' : parts.join('/');
}
