/**
 * Kills the command at random moments, then checks that nothing it acknowledged is lost:
 *
 *   node scripts/torture.ts [--kills N] [--seed N] [--time SECONDS]
 *
 * Two processes at a time work on one repo: they add, get, cat, pin, unpin, convert, collect
 * garbage, export and import CARs. One is killed with SIGKILL, and in half of the rounds the other
 * one too. Then the repo is checked: everything acknowledged is pinned and complete, files written
 * to disk are complete or missing, and nothing blocks the next command.
 *
 * The seed decides the actions and the moments of the kills; how far a process got depends on
 * the machine. Stops at the first failure and keeps the repo.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { torture } from './torture/torture.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(1 + Math.floor(Math.random() * (2 ** 31 - 2))) },
    time: { type: 'string' }
  }
})
const seed = Number(values.seed)

if (!Number.isInteger(seed) || seed < 1 || seed >= 2 ** 31) {
  throw new Error(`--seed ${values.seed}: not an integer from 1 to 2^31 - 1`)
}

const directory = await mkdtemp(join(tmpdir(), 'ipfsz-torture-'))
console.log(`Seed ${seed}, in ${directory}`)

try {
  const { kills, checks } = await torture(directory, {
    kills: Number(values.kills),
    seed,
    ...values.time == null ? {} : { time: Number(values.time) },
    onLine: line => { console.log(line) }
  })
  await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  console.log(`${kills} kills, ${checks} checks, 0 lost (seed ${seed})`)
} catch (err) {
  console.error(err)
  console.error(`Failed with seed ${seed}. The repo is kept: ${join(directory, 'repo')}`)
  process.exitCode = 1
}
