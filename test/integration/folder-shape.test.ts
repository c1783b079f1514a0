/** @module-tag long */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/* What adding a folder asks of the system: the calls of all threads, as Node's trace events list them. */

const COMMAND = join(import.meta.dirname, '../../packages/cli/bin/ipfsz.js')
const [FEW, MANY] = [300, 900]

let directory: string

interface TraceEvent {
  name: string
  ph: string
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-shape-'))
})

afterAll(async () => {
  await rm(directory, { recursive: true })
})

async function makeTree (files: number): Promise<string> {
  const tree = join(directory, `tree-${files}`)

  for (let i = 0; i < files; i++) {
    const below = join(tree, `directory ${i % 10}`)
    await mkdir(below, { recursive: true })
    await writeFile(join(below, `file ${i}`), `file ${i} `.repeat(50))
  }

  return tree
}

/** The calls of the file system that an add makes, by their names. Those of Node's thread pool are asynchronous. */
async function countCalls (repo: string, tree: string): Promise<Map<string, number>> {
  const trace = join(directory, 'trace.json')
  await promisify(execFile)(process.execPath, [
    '--trace-event-categories', 'node.fs.sync,node.fs.async', '--trace-event-file-pattern', trace,
    COMMAND, '--repo', repo, 'add', '-Q', tree
  ])
  const { traceEvents } = JSON.parse(await readFile(trace, 'utf8')) as { traceEvents: TraceEvent[] }
  const counts = new Map<string, number>()

  for (const { name, ph } of traceEvents) {
    // where a call begins: B for a synchronous one, b for another
    if (ph === 'B' || ph === 'b') {
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
  }

  return counts
}

function syncs (counts: ReadonlyMap<string, number>): number {
  return (counts.get('fsync') ?? 0) + (counts.get('fdatasync') ?? 0)
}

describe('adding a folder', () => {
  it('makes five calls for each small file, none in the thread pool, and syncs as often for more files', async () => {
    const few = await countCalls(join(directory, 'few'), await makeTree(FEW))
    const many = await countCalls(join(directory, 'many'), await makeTree(MANY))
    const more = (name: string): number => (many.get(name) ?? 0) - (few.get(name) ?? 0)
    const perFile = (names: Iterable<string>): number =>
      Array.from(names, more).reduce((sum, calls) => sum + calls, 0) / (MANY - FEW)
    const inPool = Array.from(many.keys()).filter(name => !name.startsWith('fs.sync.'))

    for (const [call, times] of [['lstat', 1], ['open', 1], ['fstat', 1], ['read', 1], ['close', 1]] as const) {
      expect(perFile([`fs.sync.${call}`]), call).toBeGreaterThan(times * 0.9)
      expect(perFile([`fs.sync.${call}`]), call).toBeLessThan(times * 1.1)
    }

    expect(perFile(many.keys())).toBeLessThan(5.2)
    expect(perFile(inPool)).toBeLessThan(0.05)
    expect(syncs(few)).toBeGreaterThan(0)
    expect(syncs(many)).toBe(syncs(few))
  })
})
