import { findChromium, isExecutable } from './chromium.ts'

/** Before the tests in a browser: without one the run fails, rather than skipping them. */
export function setup (): void {
  const path = findChromium()

  if (path == null || !isExecutable(path)) {
    throw new Error(`There is no Chromium ${path == null ? 'on the PATH' : `where $CHROMIUM says (${path})`}: on Debian: apt-get install chromium`)
  }
}
