import { readFile } from 'node:fs/promises'

/** The scripts of published sites, which scripts/bundle-command.ts has bundled for browsers. */
export async function readSiteScripts (): Promise<{ loader: string, worker: string }> {
  const [loader, worker] = await Promise.all(['loader', 'worker'].map(async name =>
    // here and in the bundle of the command, this file is beside them
    readFile(new URL(`./${name}.bundle.js`, import.meta.url), 'utf8')))

  return { loader, worker }
}
