import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ipfsz, unmark } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { noise, text } from '../support/data.ts'
import { useKubo } from '../support/kubo.ts'
import { tagCombinations } from '../support/pairwise.ts'
import { fromCar, RecordingBlockstore } from '../support/recording-blockstore.ts'
import { run } from '../support/tools.ts'

const FRAME_SIZE = 64 * 1024

const { directory, ipfs } = useKubo()

function hex (bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

const FILES = [
  { name: 'one block', bytes: text(20_000), metadata: { mode: 0o640, mtime: { secs: 1_700_000_000n } } },
  { name: 'several leaves', bytes: noise(2_500_000), metadata: {} }
] as const

// to Kubo, a block of one codec is like that of another
describe.each(tagCombinations({
  codec: ['zstd', 'gzip', 'lz4', 'lzo', 'brotli', 'snappy'], file: FILES
}, 'nightly'))('Kubo with a file compressed with $codec', ({ codec, file: { name, bytes, metadata }, tags }) => {
  it(`pins, reads, walks and exports it if it has ${name}`, { tags }, async () => {
    const blockstore = new RecordingBlockstore()
    const fs = ipfsz({ blockstore })
    const cid = await fs.addBytes(bytes, { ...metadata, compression: { codec, frameSize: FRAME_SIZE, detect: false } })
    const plain = unmark(cid).toString()
    const stored = Buffer.concat(await Array.fromAsync(fs.cat(unmark(cid))))
    const car = join(directory(), `${codec}.car`)
    await writeFile(car, await blockstore.toCar(unmark(cid)))

    await ipfs(['dag', 'import', '--pin-roots=true', car])

    expect((await ipfs(['pin', 'ls', '--type=recursive', '--quiet', plain])).toString()).toContain(plain)
    expect(Buffer.compare(await ipfs(['cat', plain]), stored)).toBe(0)
    expect(Buffer.compare(await ipfs(['cat', '--offset=1000', '--length=500', plain]), stored.subarray(1000, 1500)))
      .toBe(0)

    const { blocks = 0n, dagSize } = await fs.stat(cid, { extended: true })
    const stat = JSON.parse((await ipfs(['files', 'stat', '--enc=json', `/ipfs/${plain}`])).toString())
    expect(stat).toMatchObject({ Size: stored.byteLength, CumulativeSize: Number(dagSize), Type: 'file' })
    expect(Number(blocks) - 1).toBe(
      (await ipfs(['refs', '--recursive', plain])).toString().split('\n').filter(Boolean).length
    )

    // Kubo exports what we stored, header included, so ipfsz reads the original from it
    const exported = await fromCar(await ipfs(['dag', 'export', plain]))
    expect(Buffer.compare(Buffer.concat(await Array.fromAsync(ipfsz({ blockstore: exported }).cat(cid))), bytes))
      .toBe(0)
  })
})

describe('Kubo with a file that has a base', () => {
  it('pins, reads, walks and exports both', async () => {
    const first = noise(2_500_000)
    const second = Buffer.concat([text(3000), first.subarray(0, 2_000_000)])
    const blockstore = new RecordingBlockstore()
    const fs = ipfsz({ blockstore })
    const base = await fs.addBytes(first)
    const cid = await fs.addBytes(second, { compression: { base } })
    const plain = unmark(cid).toString()
    const stored = Buffer.concat(await Array.fromAsync(fs.cat(unmark(cid))))
    const car = join(directory(), 'based.car')
    await writeFile(car, await blockstore.toCar(unmark(cid)))

    await ipfs(['dag', 'import', '--pin-roots=true', car])

    expect((await ipfs(['refs', '--recursive', plain])).toString().split('\n')).toContain(unmark(base).toString())
    expect((await ipfs(['pin', 'ls', '--type=indirect', '--quiet', unmark(base).toString()])).toString())
      .toContain(unmark(base).toString())
    expect(Buffer.compare(await ipfs(['cat', plain]), stored)).toBe(0)
    expect(Buffer.compare(await ipfs(['cat', '--offset=1000', '--length=500', plain]), stored.subarray(1000, 1500)))
      .toBe(0)

    const exported = await fromCar(await ipfs(['dag', 'export', plain]))
    expect(Buffer.compare(Buffer.concat(await Array.fromAsync(ipfsz({ blockstore: exported }).cat(cid))), second))
      .toBe(0)
  })
})

describe('Kubo with a directory whose files share a dictionary', () => {
  it('pins, serves and exports the dictionary with it', async () => {
    const shared = hex(noise(2000))
    const files = Array.from({ length: 8 }, (_, i) => ({
      path: `tree/${i}.txt`,
      content: Buffer.from(`${shared.slice(0, 3000)} ${i} ${hex(noise(200, i + 2))} ${shared.slice(3000)}`)
    }))
    const blockstore = new RecordingBlockstore()
    const fs = ipfsz({ blockstore })
    const [cid] = (await Array.fromAsync(fs.addAll(files, { compression: { dictionaries: 'auto' } }))).slice(-1)
      .map(({ cid }) => cid)
    const { base, plainCid } = await fs.stat(cid, { path: '5.txt' })
    const dictionary = String(base)
    const car = join(directory(), 'dictionary.car')
    await writeFile(car, await blockstore.toCar(unmark(cid)))

    await ipfs(['dag', 'import', '--pin-roots=true', car])

    expect((await ipfs(['pin', 'ls', '--type=indirect', '--quiet', dictionary])).toString()).toContain(dictionary)

    const exported = await fromCar(await ipfs(['dag', 'export', unmark(cid).toString()]))
    const read = ipfsz({ blockstore: exported }).cat(cid, { path: '5.txt' })
    expect(Buffer.concat(await Array.fromAsync(read)).equals(files[5].content)).toBe(true)

    // with the tools of the format: the dictionary's content, then the file
    await writeFile(join(directory(), 'dictionary'), await run('zstd', ['-dc'], await ipfs(['cat', dictionary])))
    const stored = await ipfs(['cat', plainCid.toString()])
    const original = await run('zstd', ['-dc', '-D', join(directory(), 'dictionary')], stored)
    expect(original.equals(files[5].content)).toBe(true)
  })
})

describe('a file that Kubo added', () => {
  it.each([
    ['with default options', []],
    ['with raw leaves and CIDv1', ['--cid-version=1']],
    ['as a trickle DAG', ['--trickle']]
  ])('%s is read by its plain CID', async (_, flags) => {
    const bytes = noise(2_000_000)
    const plain = CID.parse((await ipfs(['add', '-Q', ...flags], bytes)).toString().trim())
    const blockstore = await fromCar(await ipfs(['dag', 'export', plain.toString()]))

    expect(Buffer.compare(Buffer.concat(await Array.fromAsync(ipfsz({ blockstore }).cat(plain))), bytes)).toBe(0)
  })
})

describe('a file stored plain', () => {
  it('has the CID that Kubo gives it with the same chunks and links', async () => {
    const bytes = noise(3_000_000)
    const cid = await ipfsz({ blockstore: new RecordingBlockstore() }).addBytes(bytes)
    const kubo = await ipfs(
      ['add', '-Q', '--cid-version=1', '--raw-leaves', '--chunker=size-1048576', '--max-file-links=1024'],
      bytes
    )

    expect(cid.toString()).toBe(kubo.toString().trim())
  })
})
