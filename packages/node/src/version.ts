import { createRequire } from 'node:module'

/** The version of this package, or of the command that it is bundled into: they are the same. */
export function packageVersion (): string {
  const { version } = createRequire(import.meta.url)('../package.json') as { version: string }

  return version
}

/** The agent string of our nodes. */
export function userAgent (): string {
  return `ipfsz/${packageVersion()}`
}
