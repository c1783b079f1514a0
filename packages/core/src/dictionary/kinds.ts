/** A file whose content is in memory. */
export interface SmallFile {
  path: string
  bytes: Uint8Array
}

/** The fewest files that a dictionary is made for. */
export const MIN_FILES = 4

/** One or two extensions, such as `.min.js`. Numbers are none: `jquery-3.1.js` ends in `.js`. */
const EXTENSIONS = /(?:\.[a-z][a-z0-9]{0,9}){1,2}$/iu

/** Group files by the extensions of their names: by two if there are enough such files, and else by the last one. */
export function groupByKind (files: readonly SmallFile[]): SmallFile[][] {
  const byBoth = Map.groupBy(files, ({ path }) => extensionsOf(path))
  const byLast = Map.groupBy(files, ({ path }) => {
    const extensions = extensionsOf(path)

    return isKind(byBoth.get(extensions)) ? extensions : extensions.slice(Math.max(extensions.lastIndexOf('.'), 0))
  })

  return [...byLast.values()].filter(isKind)
}

function isKind (files: readonly SmallFile[] = []): boolean {
  return files.length >= MIN_FILES
}

function extensionsOf (path: string): string {
  return EXTENSIONS.exec(path.slice(path.lastIndexOf('/') + 1))?.[0].toLowerCase() ?? ''
}
