/**
 * Stores many files through two nodes that share a store on Ceph, kills one of its storage daemons meanwhile, starts it
 * again, and checks that nothing is lost:
 *
 *   node scripts/soak.ts [--files N] [--size MIB] [--batch N] [--seed N] [--json FILE]
 *
 * It starts the cluster itself, on loopback: three storage daemons, each with a copy of everything, and two gateways.
 * The files are generated, a few thousand at a time: half of them text, half of them noise, from 1 KiB up to a hundred
 * times their mean. The directory for temporary files needs four times their size.
 *
 * --json FILE writes the result if nothing is lost.
 */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { describeMachine, versions } from '../bench/support/machine.ts'
import { printTables } from '../bench/support/print.ts'
import { writeResult } from '../bench/support/results.ts'
import { cephEngine } from './soak/ceph.ts'
import { soak } from './soak/soak.ts'
import { toTables } from './soak/tables.ts'

const MIB = 1024 * 1024

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '10000' },
    size: { type: 'string', default: '1024' },
    batch: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' }
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
  const tables = toTables(result, await engine.describe())
  console.log()
  printTables(tables)

  if (values.json != null) {
    writeResult(values.json, {
      name: 'soak',
      question: 'whether anything is lost when two nodes of one store on Ceph add many files, and one of its three ' +
        'storage daemons is killed with a third of them stored, and started again with two thirds',
      date: new Date().toISOString().slice(0, 10),
      smoke: false,
      machine: describeMachine(),
      versions: { ...versions(), ceph: cephVersion() },
      seconds: Math.round((performance.now() - since) / 1000),
      tables
    })
  }

  say('0 lost')
} finally {
  await engine.stop()
  await rm(directory, { recursive: true, force: true, maxRetries: 5 })
}

function cephVersion (): string {
  return execFileSync('ceph', ['--version'], { encoding: 'utf8' }).split(' ')[2]
}
