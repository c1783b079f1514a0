import { readFileSync } from 'node:fs'

/** The version of a package that is installed here. */
export function versionOf (packageName: string): string {
  const manifest = new URL(`../../node_modules/${packageName}/package.json`, import.meta.url)

  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}

/**
 * The message of an assertion about what a dependency does today. It is shown when upstream has
 * changed.
 *
 * @param ours - our file that works around it
 */
export function mended (packageName: string, ours: string): string {
  return `${packageName} ${versionOf(packageName)} no longer does this: ` +
    `see whether ${ours} can be deleted (docs/upstream.md)`
}
