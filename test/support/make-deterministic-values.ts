/**
 * Writes deterministic-values.ts with the values that Node computes. Run it after a build,
 * with `node test/support/make-deterministic-values.ts`, and only if the frames of a
 * deterministic codec are meant to change.
 */
import { codecs } from '@ipfsz/codecs/all'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { computeDeterministic } from './deterministic.ts'
import type { Deterministic } from './deterministic.ts'
import type { CodecName } from '@ipfsz/codecs'

const values: Partial<Record<CodecName, Deterministic>> = {}

for (const name of Object.keys(codecs) as CodecName[]) {
  values[name] = await computeDeterministic(name)
}

writeFileSync(join(
  import.meta.dirname,
  'deterministic-values.ts'
), `import type { Deterministic } from './deterministic.ts'
import type { CodecName } from '@ipfsz/codecs'

/** The values of deterministic.ts, the same on every platform. Written by make-deterministic-values.ts. */
export const VALUES: Readonly<Record<CodecName, Deterministic>> = ${inspect(values, { compact: false, depth: 3 })}
`)
