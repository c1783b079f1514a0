/** @module-tag nightly */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect } from 'vitest'
import { feed } from './repo.ts'
import { expectSuccess, it } from './run-cli.ts'

const MIB = 1024 * 1024
const SIZE_MIB = 1024

describe('a file of 1 GiB', () => {
  it('is added from stdin and read back in less than 400 MB of memory', async ({ sandbox }) => {
    const maxRss = async (name: string): Promise<number> =>
      1024 * Number(await readFile(join(sandbox.directory, name), 'utf8'))
    const measure = (name: string) => ({ preload: 'max-rss.ts', env: { MAX_RSS_FILE: join(sandbox.directory, name) } })

    const given = createHash('sha256')
    const added = await sandbox.spawn(['add', '-Q', '-'], { stdin: hashed(feed(SIZE_MIB), given), ...measure('add') })
    expectSuccess(added)

    const child = sandbox.start(['cat', added.stdout.toString().trim()], measure('cat'))
    const errors = text(child.stderr)
    const got = createHash('sha256')
    let size = 0

    for await (const chunk of child.stdout as AsyncIterable<Uint8Array>) {
      got.update(chunk)
      size += chunk.byteLength
    }

    expect(await errors).toBe('')
    expect(size).toBe(SIZE_MIB * MIB)
    expect(got.digest('hex')).toBe(given.digest('hex'))
    expect(await maxRss('add')).toBeLessThan(400e6)
    expect(await maxRss('cat')).toBeLessThan(400e6)
  })
})

async function * hashed (
  source: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    hash.update(chunk)
    yield chunk
  }
}
