/** @module-tag long */
import { join } from 'node:path'
import { formatSize } from '@ipfsz/utils/format-size'
import { CarReader } from '@ipld/car'
import { describe, expect } from 'vitest'
import { longText, noise, text } from '../support/data.ts'
import { startGateway } from './run-gateway.ts'
import { expectSuccess, it, parseLines } from './run-cli.ts'
import { makeTree } from './tree-files.ts'
import type { Sandbox } from './run-cli.ts'

type Told = Record<string, unknown>

const SHARED = Buffer.from(noise(2000)).toString('hex')
const BASE = noise(1_200_000)
const LONG = longText(2_500_000)

/** Plain and compressed files, equal ones, and ones that have a dictionary together. */
const MIXED = {
  'plain.bin': noise(300_000),
  'text.txt': text(200_000),
  'again/text.txt': text(200_000),
  'numbers': new Uint8Array(Int16Array.from({ length: 60_000 }, (_, i) => 8000 * Math.sin(i / 30)).buffer),
  'nothing': '',
  'link': { link: 'text.txt' },
  ...Object.fromEntries(Array.from({ length: 8 }, (_, i) =>
    [`pages/${i}.html`, Buffer.concat([Buffer.from(SHARED.slice(0, 3000)), text(300, i + 1)])]))
}

/** Files that share blocks with each other. */
const SHARING = { one: LONG, two: Buffer.concat([LONG, text(90_000)]) }

interface Root extends Told {
  cid: string
  plainCid: string
  name: string
  size: number
  storedSize: number
}

describe.each(['packs', 'files'])('one repo of %s', layout => {
  it('is told alike by add, stat, ls, du, pin ls, stats, verify, repair and the gateway', async ({ sandbox }) => {
    const { directory } = sandbox
    await sandbox.run(['init', '--layout', layout])
    await makeTree(join(directory, 'mixed'), MIXED)
    await makeTree(join(directory, 'sharing'), SHARING)
    await makeTree(join(directory, 'linked'), { 'a.txt': text(300_000, 7), 'b.txt': text(200_000, 8) })
    await makeTree(join(directory, 'old'), { changed: BASE, same: text(50_000, 3) })
    await makeTree(join(directory, 'new'), {
      changed: Buffer.concat([BASE.subarray(0, 500_000), text(999), BASE.subarray(500_000)]),
      same: text(50_000, 3)
    })

    const added = [
      await add(sandbox, '--dictionaries', 'mixed'),
      await add(sandbox, '--cut', 'content', 'sharing'),
      await add(sandbox, '--link', 'linked'),
      await add(sandbox, 'old')
    ]
    added.push(await add(sandbox, '--base', added[3].root.cid, 'new'))
    const { url } = await startGateway(sandbox)
    const pins = await told(sandbox, 'pin', 'ls', '-l')
    const usage = await told(sandbox, 'du')
    const all = new Map<string, number>()

    expect(pins).toHaveLength(added.length)

    for (const { root, entries } of added) {
      const { cid, plainCid, name, size, storedSize } = root
      const sizes = { size, storedSize }
      const blocks = await blocksOf(sandbox, cid)
      const own = [...blocks.values()].reduce((sum, length) => sum + length, 0)
      const [stat] = await told(sandbox, 'stat', cid)
      const isBased = name === 'new'
      blocks.forEach((length, block) => all.set(block, length))

      expect(stat).toMatchObject({ ...sizes, fetchSize: own, blocks: blocks.size, ratio: storedSize / size })
      expect(own > storedSize).toBe(isBased)
      const { size: _, ratio: __, ...stored } = stat
      // for others its files are the compressed bytes
      expect((await told(sandbox, 'stat', plainCid))[0]).toMatchObject(stored)
      expect((await told(sandbox, 'stat', name))[0]).toEqual(stat)
      expect((await told(sandbox, 'verify', cid))[0]).toMatchObject({ size, blocks: blocks.size })
      expect((await told(sandbox, 'repair', cid))[0]).toMatchObject({ blocks: blocks.size, state: 'good' })
      expect(pins.find(pin => pin.cid === cid)).toMatchObject({ name, ...sizes })
      expect((await told(sandbox, 'du', '-s', cid))[0]).toMatchObject({ storedSize })
      expect(await pageFacts(`${url}/ipfs/${cid}/`)).toMatchObject({
        Original: formatSize(size),
        Stored: formatSize(storedSize),
        ...isBased ? { 'With bases': formatSize(own) } : {}
      })

      const listed = await told(sandbox, 'ls', '-R', cid)
      const content = root.content as Told
      expect(content.files).toBe(entries.filter(({ type }) => type === 'file').length)

      for (const { name: path, type, ...entry } of entries) {
        const below = String(path).slice(name.length + 1)
        const same = { size: entry.size, storedSize: entry.storedSize, ratio: entry.ratio, codec: entry.codec }

        expect(listed.find(row => row.name === below)).toMatchObject(type === 'file' ? same : { type })

        if (type === 'file') {
          expect((await told(sandbox, 'stat', `${cid}/${below}`))[0]).toMatchObject(same)
        }
      }
    }

    // each block once, as in `stats`, which counts what is there
    const total = [...all.values()].reduce((sum, length) => sum + length, 0)
    expect(usage.at(-1)).toMatchObject({ storedSize: total, blocks: all.size })
    expect(usage.slice(0, -1).reduce((sum, row) => sum + Number(row.storedSize), 0)).toBe(total)
    expect((await told(sandbox, 'stats'))[0]).toMatchObject({ blocks: all.size, size: total })
  })
})

async function add (sandbox: Sandbox, ...args: string[]): Promise<{ root: Root, entries: Told[] }> {
  const lines = await told(sandbox, 'add', ...args)

  return { root: lines.at(-1) as Root, entries: lines.slice(0, -1) }
}

async function told ({ run }: Sandbox, ...args: string[]): Promise<Told[]> {
  const result = await run(['--json', ...args])
  expectSuccess(result)

  return parseLines(result.stdout)
}

/** The length of each block that another node needs, by its CID. */
async function blocksOf ({ run }: Sandbox, cid: string): Promise<Map<string, number>> {
  const { stdout } = await run(['car', 'export', cid, '-o', '-'])
  const reader = await CarReader.fromBytes(stdout)
  const blocks = await Array.fromAsync(reader.blocks())

  return new Map(blocks.map(({ cid, bytes }) => [cid.toString(), bytes.byteLength]))
}

async function pageFacts (url: string): Promise<Record<string, string>> {
  const page = await (await fetch(url)).text()
  const facts = [...page.matchAll(/<dt>(.*?)<\/dt><dd[^>]*>(.*?)<\/dd>/g)]

  return Object.fromEntries(facts.map(([, term, value]) => [term, value]))
}
