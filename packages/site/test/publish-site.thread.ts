/** A worker thread that publishes a site, and its next release, for `many-files.test.ts`. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { workerData } from 'node:worker_threads'
import { publishSite } from '@ipfsz/site'
import type { Published } from './many-files.test.ts'

const { directory, changed } = workerData as Published
const [repo, site] = [join(directory, 'repo'), join(directory, 'dist')]

await publishSite(repo, site, { level: 1, base: 'latest' })
await writeFile(join(site, changed), 'changed')
const { newSize } = await publishSite(repo, site, { level: 1, base: 'latest', car: join(directory, 'site.car') })

if (newSize > 100_000) {
  throw new Error(`${newSize} bytes are new in a release with one changed file`)
}
