import { findOnPath } from './chromium.ts'

/**
 * The Firefox to run: $FIREFOX, or the first on the PATH.
 *
 * @throws if there is none, with how to install it
 */
export function findFirefox (): string {
  const path = process.env.FIREFOX ?? findOnPath(['firefox-esr', 'firefox'])

  if (path == null) {
    throw new Error('There is no Firefox on the PATH. On Debian: apt-get install firefox-esr')
  }

  return path
}
