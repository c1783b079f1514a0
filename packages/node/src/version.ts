import { createRequire } from 'node:module'

/** The version of this package. */
export function packageVersion (): string {
  const { version } = createRequire(import.meta.url)('../../cli/package.json') as { version: string }

  return version
}

/** The agent string of our nodes. */
export function userAgent (): string {
  return `ipfsz/${packageVersion()}`
}
