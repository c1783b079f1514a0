/**
 * Stores many files through two nodes that share a store on Ceph, kills one of its storage daemons meanwhile, starts it
 * again, and checks that nothing is lost:
 *
 *   node scripts/soak.ts [--files N] [--size MIB] [--batch N] [--seed N]
 *
 * It starts the cluster itself, on loopback: three storage daemons, each with a copy of everything, and two gateways.
 * The files are generated, a few thousand at a time: half of them text, half of them noise, from 1 KiB up to a hundred
 * times their mean. The directory for temporary files needs four times their size.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cephEngine } from './soak/ceph.ts'
import { soak } from './soak/soak.ts'

const MIB = 1024 * 1024

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '10000' },
    size: { type: 'string', default: '1024' },
    batch: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' }
  }
})
const [files, size, batch, seed] = [values.files, values.size, values.batch, values.seed].map(Number)

if (![files, size, batch, seed].every(value => Number.isSafeInteger(value) && value > 0) || files < 3 * batch) {
  throw new Error('--files, --size, --batch and --seed are whole numbers, and --files at least three times --batch')
}

const engine = await cephEngine(size * MIB)
const directory = await mkdtemp(join(tmpdir(), 'ipfsz-soak-'))
const since = performance.now()
const say = (line: string): void => { console.log(`${((performance.now() - since) / 1000).toFixed(0)} s\t${line}`) }

try {
  const result = await soak(directory, engine, { files, size: size * MIB, batch, seed, onLine: say })
  say(`${result.files} files with ${(result.size / MIB).toFixed(0)} MiB were added in ${result.seconds.toFixed(0)} s, ${
    result.failures.length} commands failed and were run again`)

  for (const [verb, { runs, seconds, memory, requests }] of result.commands) {
    say(`${verb}: ${runs} processes, ${seconds.toFixed(0)} s together, at most ${(memory / MIB).toFixed(0)} MiB, ` +
      `answers and errors ${JSON.stringify(requests)}`)
  }

  for (const line of await engine.describe()) {
    say(line)
  }

  say('0 lost')
} finally {
  await engine.stop()
  await rm(directory, { recursive: true, force: true, maxRetries: 5 })
}
