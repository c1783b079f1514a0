import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { BUNDLERS } from '../../test/support/bundles.ts'
import { CHROMIUM_FLAGS, findChromium } from '../../test/support/chromium.ts'
import { serve } from '../../test/support/serve.ts'
import { withDirectory, withRemoved } from './temporary.ts'

/**
 * Measure in a page of Chromium.
 *
 * @param script - a module that sets `window.measure (rounds)`. It can fetch the bytes from `bytes`
 */
export async function measureInPage<T> (script: string, bytes: Uint8Array, rounds: number): Promise<T> {
  const bundle = await BUNDLERS.esbuild(script)

  return withRemoved(bundle.directory, async directory => {
    await writeFile(join(directory, 'bytes'), bytes)
    const { url, close } = await serve(directory)

    try {
      // as people's profiles are: without a directory it would be a private one, whose IndexedDB is in memory
      return await withDirectory(async profile => {
        const options = { executablePath: findChromium(), args: CHROMIUM_FLAGS }
        const browser = await chromium.launchPersistentContext(profile, options)

        try {
          const page = await browser.newPage()
          await page.goto(url)
          await page.waitForFunction('window.measure != null')

          return await page.evaluate<T>(`measure(${rounds})`)
        } finally {
          await browser.close()
        }
      })
    } finally {
      close()
    }
  })
}
