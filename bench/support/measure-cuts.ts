import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright'
import { CHROMIUM_FLAGS, findChromium } from '../../test/support/chromium.ts'
import { serve } from '../../test/support/serve.ts'
import { median, rounded, spread } from '../benchmark.ts'
import type { Row } from '../benchmark.ts'

/** The compiled package. What cuts imports nothing that a page would have to resolve. */
const DIRECTORY = join(import.meta.dirname, '../../packages/core/dist')

/** How fast content is cut, on one thread of Node and of Chromium in turn. */
export async function measureCuts (rounds: number): Promise<Row[]> {
  const server = await serve(DIRECTORY)
  const browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_FLAGS })
  const speeds: Record<string, number[]> = { Node: [], Chromium: [] }

  try {
    const page = await browser.newPage()
    await page.goto(`${server.url}index.js`)

    for (let round = 0; round < rounds; round++) {
      speeds.Node.push(await cut(`${pathToFileURL(DIRECTORY).href}/`))
      speeds.Chromium.push(await page.evaluate(cut, server.url))
    }
  } finally {
    await browser.close()
    server.close()
  }

  return Object.entries(speeds).map(([side, all]) => ({ side, 'MB/s': rounded(median(all)), spread: spread(all) }))
}

/** Cut 8 MiB of random bytes. It runs in a page too, so it uses nothing from here. Returns MB a second. */
async function cut (url: string): Promise<number> {
  const { cutLength } = await import(`${url}cut/cut-by-content.js`) as { cutLength: (chunks: Uint8Array[]) => number }
  const bytes = new Uint8Array(8 * 1024 * 1024)

  for (let at = 0; at < bytes.byteLength; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  }

  const start = performance.now()

  for (let at = 0; at < bytes.byteLength;) {
    at += cutLength([bytes.subarray(at)])
  }

  return bytes.byteLength / 1000 / (performance.now() - start)
}
