import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { measure, rotate, sum } from '../benchmark.ts'
import type { Series } from './version-series.ts'
import type { VersionSide } from './version-stores.ts'

/** One run of a side: what each version added, in bytes, and times in milliseconds. */
export interface Measured {
  added: number[]
  addFirst: number
  addLater: number
  readLast: number
}

interface Rounds {
  /** Files with the versions, for tools. */
  paths?: readonly string[]
  /** Where the stores go, one after the other. */
  directory: string
  /** Rounds that do not count. */
  warmUps: number
  rounds: number
}

/** Add and read the versions of a file with each side, several times: the sides take turns. */
export async function measureSides (
  sides: readonly VersionSide[],
  series: Series,
  { paths = [], directory, warmUps, rounds }: Rounds
): Promise<Record<string, Measured[]>> {
  const measured: Record<string, Measured[]> = Object.fromEntries(sides.map(({ name }) => [name, []]))

  for (let round = 0; round < warmUps + rounds; round++) {
    for (const side of rotate(sides, round)) {
      const one = await measureSide(side, series, paths, join(directory, 'store'))

      if (round >= warmUps) {
        measured[side.name].push(one)
      }
    }
  }

  return measured
}

async function measureSide (
  side: VersionSide,
  { versions }: Series,
  paths: readonly string[],
  directory: string
): Promise<Measured> {
  const store = await side.open(directory)
  const totals = [store.stored()]
  const times: number[] = []

  for (const [i, bytes] of versions.entries()) {
    const { wall } = await measure(async () => store.add(bytes, paths[i] ?? ''))
    times.push(wall)
    totals.push(store.stored())
  }

  const { wall: readLast, result } = await measure(async () => store.readLast())

  if (Buffer.compare(result, versions[versions.length - 1]) !== 0) {
    throw new Error(`${side.name} read back other bytes than it was given`)
  }

  await rm(directory, { recursive: true })

  return {
    added: versions.map((_, i) => totals[i + 1] - totals[i]),
    addFirst: times[0],
    addLater: sum(times.slice(1)),
    readLast
  }
}
