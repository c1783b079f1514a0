import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { median, progress, rounded, spread, sum } from '../../benchmark.ts'
import { floorOf, MEGABIT } from '../links.ts'
import { shapedProxy } from '../shaped-proxy.ts'
import { addByCommand, runOverLink, startCommandGateway } from './command.ts'
import { portOf } from './command-sides.ts'
import type { Row } from '../../benchmark.ts'

/** The rates of the gateways, in Mbit/s. */
const PAIRS: ReadonlyArray<readonly number[]> = [[50], [50, 50], [50, 10]]
/** Of each of them, in milliseconds. */
const ROUND_TRIP = 50

/** What is fetched, and its bytes: a file is printed, a directory written to disk. */
export interface Fetchable {
  path: string
  isDirectory: boolean
  size: number
}

/** How long `ipfsz cat` or `ipfsz get` takes from several gateways, each behind a link of its own. */
export async function compareGatewayPairs (
  directory: string,
  { path, isDirectory, size }: Fetchable,
  rounds: number
): Promise<Row[]> {
  const repo = join(directory, 'gateway-pairs')
  await mkdir(repo, { recursive: true })
  const { cid, stored } = await addByCommand(repo, path)
  const gateway = await startCommandGateway(repo)
  const times = new Map(PAIRS.map(rates => [rates, { seconds: [] as number[], down: [] as number[] }]))

  progress(`${rounded(size / 1e6)} MB from several gateways, ${rounds} times`)

  try {
    for (let round = 0; round < rounds; round++) {
      for (const [rates, { seconds, down }] of times) {
        const links = await Promise.all(rates.map(async rate =>
          shapedProxy({ target: portOf(gateway.url), rate: rate * MEGABIT, roundTrip: ROUND_TRIP })
        ))
        const [fetched, output] = ['fetched', 'output'].map(name => join(directory, `gateway-pairs-${name}`))
        const command = isDirectory ? ['get', cid, '-o', output] : ['cat', cid]
        const from = links.flatMap(({ port }) => ['--gateway', `http://127.0.0.1:${port}`])

        try {
          const run = await runOverLink([...command, '--repo', fetched, ...from], links[0])

          if (!run.good || (!isDirectory && run.size !== size)) {
            const reason = run.stderr || `${run.size} bytes`
            throw new Error(`ipfsz ${command[0]} from ${links.length} gateways failed: ${reason}`)
          }

          seconds.push(run.wall / 1000)
          down.push(sum(links.map(link => link.traffic().down)))
        } finally {
          await Promise.all(links.map(async link => link.close()))
          await Promise.all([fetched, output].map(async path => rm(path, { recursive: true, force: true })))
        }
      }
    }
  } finally {
    await gateway.stop()
  }

  const [one] = [...times.values()].map(({ seconds }) => median(seconds))

  return [...times].map(([rates, { seconds, down }]) => ({
    'Mbit/s of the gateways': rates.join(' + '),
    seconds: rounded(median(seconds)),
    spread: spread(seconds),
    'floor, s': rounded(floorOf(stored, { rate: sum(rates) * MEGABIT, roundTrip: ROUND_TRIP }) / 1000),
    'times as fast as the first alone': rounded(one / median(seconds)),
    'stored MB': rounded(stored / 1e6),
    'MB down': rounded(median(down) / 1e6)
  }))
}
