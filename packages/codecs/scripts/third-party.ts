/** Writes LICENSE-THIRD-PARTY before packing: the licences of the packages that src/generated/ contains. */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'

const PACKAGES = [
  'brotli-wasm', 'brotli-dec-wasm', 'lz4-wasm', 'hysnappy',
  'crc-32', 'hash-wasm', 'pako', 'snappyjs'
]

function licence (name: string): string {
  const manifest = findPackageJSON(name, import.meta.url)

  if (manifest == null) {
    throw new Error(`${name} is not installed`)
  }

  const { version, license } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string, license: string }
  const [file] = globSync('LICEN[CS]E*', { cwd: dirname(manifest) }).toSorted(
    (a, b) => Number(b.includes('MIT')) - Number(a.includes('MIT'))
  )

  return `${name} ${version}: ${license}\n\n${readFileSync(join(dirname(manifest), file), 'utf8')}`
}

// the first file has the licences of code inside the WebAssembly modules, and of packages without a licence file
const texts = [readFileSync(join(import.meta.dirname, 'embedded-licences.txt'), 'utf8'), ...PACKAGES.map(licence)]

writeFileSync(
  join(import.meta.dirname, '../LICENSE-THIRD-PARTY'),
  texts.map(text => text.trim()).join(`\n\n${'-'.repeat(80)}\n\n`) + '\n'
)
