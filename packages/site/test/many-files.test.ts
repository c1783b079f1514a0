/** @module-tag nightly */
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

export interface Published {
  /** Has the site in `dist`. */
  directory: string
  /** A file of the site that changes with the next release. */
  changed: string
}

const COUNT = 4000
const IN_DIRECTORY = 250
/** The program alone needs nearly 30 MB. */
const HEAP_MB = 40

const pathOf = (i: number): string => `section-${Math.floor(i / IN_DIRECTORY)}/page-${i}.html`

describe('a site of 4,000 pages', () => {
  let directory: string

  beforeEach(async () => { directory = await mkdtemp(join(tmpdir(), 'ipfsz-many-')) })
  afterEach(async () => rm(directory, { recursive: true }))

  it('is published, and its next release, in a heap that has no room for 3 kB of each', async () => {
    for (let i = 0; i < COUNT; i++) {
      const path = join(directory, 'dist', pathOf(i))
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, `<!doctype html><title>Page ${i}</title>`)
    }

    await writeFile(join(directory, 'dist/index.html'), '<!doctype html>')
    const workerData: Published = { directory, changed: pathOf(1) }
    const resourceLimits = { maxOldGenerationSizeMb: HEAP_MB }
    const worker = new Worker(new URL('publish-site.thread.ts', import.meta.url), { workerData, resourceLimits })

    expect(await once(worker, 'exit')).toEqual([0])
  })
})
