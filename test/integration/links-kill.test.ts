/** @module-tag slow */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { unixfs } from '@helia/unixfs'
import { ipfsz } from '@ipfsz/core'
import { FsBlockstore } from 'blockstore-fs'
import { FsDatastore } from 'datastore-fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { random } from '../support/data.ts'
import { linkedFiles } from './linked-files.ts'
import type { LinkedFile } from './linked-files.ts'

const KILLS = 10
const MANY_KILLS = 75
const PROGRAM = join(import.meta.dirname, 'add-and-link.ts')

/** The CID that each file is linked to, by the number of the file. */
type Table = Map<number, string>

let directory: string
let files: LinkedFile[]

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-test-'))
  files = await linkedFiles(unixfs)
})

afterEach(async () => {
  await rm(directory, { recursive: true, force: true, maxRetries: 5 })
})

/** What a killed process was about to do. */
interface Unfinished {
  verb: string
  number: number
}

/**
 * Run the program until it has printed this many lines, then kill it. Enter the steps
 * that it reported as finished in the table.
 */
async function runAndKill (seed: number, lines: number, table: Table): Promise<Unfinished | undefined> {
  const child = spawn(process.execPath, [PROGRAM, directory, String(seed)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  let unfinished: Unfinished | undefined
  let said = 0

  for await (const line of createInterface(child.stdout)) {
    if (++said === lines) {
      child.kill('SIGKILL')
    }

    // every line that it printed before it died counts
    const [step, verb = '', number] = line.split(' ')

    if (step === 'begin') {
      unfinished = { verb, number: Number(number) }
    } else if (step === 'end' && unfinished != null) {
      enter(table, unfinished.number, verb)
      unfinished = undefined
    }
  }

  expect(await closed).toEqual([null, 'SIGKILL'])

  return unfinished
}

function enter (table: Table, number: number, cid: string): void {
  if (cid === '') {
    table.delete(number)
  } else {
    table.set(number, cid)
  }
}

/** Open what the killed process left, and check all of it. Enter the result of its unfinished step. */
async function check (table: Table, unfinished: Unfinished | undefined): Promise<void> {
  const blockstore = new FsBlockstore(join(directory, 'blocks'))
  const datastore = new FsDatastore(join(directory, 'datastore'))
  await blockstore.open()
  await datastore.open()
  const fs = ipfsz({ blockstore, datastore })
  const links = new Map(
    (await Array.fromAsync(fs.links.list())).map(({ original, compressed }) => [original.toString(), compressed])
  )

  for (const [number, { original, bytes }] of files.entries()) {
    const cid = links.get(original.toString())
    expect(await fs.links.get(original)).toEqual(cid)
    links.delete(original.toString())

    if (number !== unfinished?.number) {
      expect(cid?.toString()).toBe(table.get(number))
    } else if (cid?.toString() !== table.get(number)) {
      // either as before, or as the unfinished step would leave it
      expect(unfinished.verb).toBe(cid == null ? 'delete' : 'add')
      enter(table, number, cid?.toString() ?? '')
    }

    if (cid != null) {
      expect(await fs.links.get(cid)).toEqual(original)
      expect(await fs.verify(cid)).toMatchObject({ size: BigInt(bytes.byteLength), contentCid: original })
    }
  }

  // there are no other links
  expect([...links.keys()]).toEqual([])
}

describe('kill -9', () => {
  it(`leaves links and their files whole, ${KILLS} times while files are linked and unlinked`, async () => {
    await killAndCheck(KILLS)
  })

  it(`leaves links and their files whole, ${MANY_KILLS} times`, { tags: 'nightly' }, async () => {
    await killAndCheck(MANY_KILLS)
  })
})

async function killAndCheck (kills: number): Promise<void> {
  const table: Table = new Map()
  const next = random(7)
  const verbs = new Set<string>()

  // go on until kills have hit an add, a delete, and the time between two steps
  for (let kill = 1; kill <= kills || (verbs.size < 3 && kill <= MANY_KILLS); kill++) {
    const unfinished = await runAndKill(kill, 1 + next() % 25, table)
    verbs.add(unfinished?.verb ?? '')
    await check(table, unfinished)
  }

  expect(verbs).toEqual(new Set(['add', 'delete', '']))
  expect(table.size).toBeGreaterThan(0)

  // prune removes what unfinished links left behind, and no link
  const fs = ipfsz({
    blockstore: new FsBlockstore(join(directory, 'blocks')),
    datastore: new FsDatastore(join(directory, 'datastore'))
  })
  expect(await fs.links.prune()).toBe(0)
  await check(table, undefined)
}
