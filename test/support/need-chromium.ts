import { chromium } from 'playwright'
import { findChromium, isExecutable } from './chromium.ts'

/** Runs before the tests in a browser: without Chromium the run fails instead of skipping them. */
export function setup (): void {
  const path = findChromium()

  if (path != null && !isExecutable(path)) {
    throw new Error(`There is no Chromium at the path in $CHROMIUM (${path}): name another, or unset it`)
  } else if (path == null && !isExecutable(chromium.executablePath())) {
    throw new Error(
      'There is no Chromium on the PATH, and npm installs none on this system. Run: npx playwright install chromium'
    )
  }
}
