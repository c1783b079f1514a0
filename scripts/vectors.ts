/**
 * Writes the conformance vectors, vectors/NAME.car and vectors/NAME.json. Run after a build:
 *
 *   node scripts/vectors.ts
 *
 * It writes the same bytes on every machine. Files there of which it knows nothing are removed.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeVectors } from './vectors/make-vectors.ts'

const FOLDER = join(dirname(import.meta.dirname), 'vectors')
const written = new Set(['README.md'])

mkdirSync(FOLDER, { recursive: true })

for await (const [name, bytes] of makeVectors()) {
  if (written.has(name)) {
    throw new Error(`There are two vectors with the name ${name}`)
  }

  writeFileSync(join(FOLDER, name), bytes)
  written.add(name)
}

for (const name of readdirSync(FOLDER)) {
  if (!written.has(name)) {
    rmSync(join(FOLDER, name))
  }
}

console.info(`${(written.size - 1) / 2} vectors`)
