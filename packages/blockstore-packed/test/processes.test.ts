/** @module-tag long */
/** Real processes, on the real file system. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { describe, expect, onTestFinished } from 'vitest'
import { PackedBlockstore } from '../src/index.ts'
import { present } from './check.ts'
import { it, putAll } from './fixtures.ts'
import { texts } from './texts.ts'
import type { ChildProcess } from 'node:child_process'

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i)
const isRoot = process.getuid?.() === 0
/** A user who may write nothing: root may write everything. */
const NOBODY = isRoot ? { uid: 65_534, gid: 65_534 } : {}

interface Actor {
  child: ChildProcess
  /** Lines that it has printed. */
  lines: () => string[]
  /** Resolves with its exit code. */
  ended: Promise<number | null>
}

describe('processes', () => {
  it('that are killed leave whole blocks, and all that were acknowledged', async ({ directory }) => {
    for (const after of [1, 10, 60]) {
      const { child, lines, ended } = act('put', directory, `run ${after}`, 100_000)
      await until(child, () => lines().length >= after)
      child.kill('SIGKILL')
      await ended
      const store = await opened(directory)

      expect(await present(store, texts(lines().length, `run ${after}`))).toEqual(range(lines().length))
      expect(await Array.fromAsync(store.verify())).toEqual([])
      await store.close()
    }

    // what they left is sealed by the next that writes
    const store = await opened(directory)
    await putAll(store, texts(1, 'the next'))
    await store.close()
    const again = await opened(directory)
    expect((await again.stats()).packs.every(({ isSealed }) => isSealed)).toBe(true)
    await again.close()
  })

  for (const number of [2, 4]) {
    it(`of which ${number} put the same and other blocks at once store all, and each once after a repack`, async ({
      directory
    }) => {
      const prefixes = range(number).map(i => `process ${i}`)
      const codes = await Promise.all(prefixes.map(async prefix => act('putMany', directory, prefix, 400).ended))
      expect(codes).toEqual(Array(number).fill(0))
      const store = await opened(directory)
      const all = ['common', ...prefixes].flatMap(prefix => texts(400, prefix))

      expect(await present(store, all)).toEqual(range(all.length))
      await store.repack({ maxUnused: 0 })
      expect((await store.stats()).blocks).toBe(all.length)
      expect((await store.stats()).dead).toBe(0)
      expect(await Array.fromAsync(store.verify())).toEqual([])
      await store.close()
    })
  }

  it('that put, delete, repack and are killed leave a reader every block that stays', async ({ directory }) => {
    const [kept, deleted] = [texts(200, 'kept'), texts(100, 'deleted')]
    const store = await opened(directory)
    await putAll(store, [...kept, ...deleted])
    await store.close()

    const reader = act('read', directory, 'kept', 200)
    const killed = act('put', directory, 'killed', 100_000)
    const putter = act('putMany', directory, 'put', 300)
    const collector = act('collect', directory, 'deleted', 100)
    await until(killed.child, () => killed.lines().length >= 20)
    killed.child.kill('SIGKILL')
    await killed.ended
    expect(await putter.ended).toBe(0)
    expect(await collector.ended).toBe(0)
    reader.child.stdin?.end()
    expect(await reader.ended).toBe(0)
    expect(new Set(reader.lines())).toEqual(new Set(['200']))

    const again = await opened(directory)
    const acknowledged = texts(killed.lines().length, 'killed')
    const all = [...kept, ...acknowledged, ...texts(300, 'put'), ...texts(300, 'common')]
    expect(await present(again, all)).toEqual(range(all.length))
    expect(await present(again, deleted)).toEqual([])
    expect(await Array.fromAsync(again.verify())).toEqual([])
    await again.close()
  })

  it('that may not write the directory read it, and refuse to put, with the index and without it', async ({
    directory
  }) => {
    const store = await opened(directory)
    await putAll(store, texts(50, 'read'))
    await store.close()
    const before = await readdir(directory, { recursive: true })

    for (const name of ['', 'packs', 'locks']) {
      await chmod(join(directory, name), 0o555)
    }

    // the second time the index may not be read either
    for (const mode of [0o555, 0]) {
      await chmod(join(directory, 'index'), mode)
      const { lines, ended } = act('readOnly', directory, 'read', 50, NOBODY)
      await ended
      expect(lines()).toEqual(['50 PutFailedError'])
    }

    for (const name of ['', 'packs', 'locks', 'index']) {
      await chmod(join(directory, name), 0o755)
    }

    expect(await readdir(directory, { recursive: true })).toEqual(before)
  })
})

function act (role: string, directory: string, prefix: string, count: number, options: object = {}): Actor {
  const child = spawn(
    execPath,
    [join(import.meta.dirname, 'actor.ts'), role, directory, prefix, String(count)],
    { stdio: ['pipe', 'pipe', 'inherit'], ...options }
  )
  onTestFinished(() => { child.kill('SIGKILL') })
  let printed = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => { printed += text })

  return {
    child,
    lines: () => printed.split('\n').slice(0, -1),
    ended: once(child, 'close').then(([code]) => code as number | null)
  }
}

/** Resolves when a process has printed enough. */
async function until (child: ChildProcess, isEnough: () => boolean): Promise<void> {
  while (!isEnough()) {
    await once(child.stdout as NodeJS.ReadableStream, 'data')
  }
}

async function opened (directory: string): Promise<PackedBlockstore> {
  const store = new PackedBlockstore(directory, { packSize: 100_000 })
  await store.open()

  return store
}
