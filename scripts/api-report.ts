/**
 * Writes what each package exports into a directory, so that a change of a public type is seen in review
 * (`.github/workflows/api.yml` compares a change with what it is based on): of each package, the declarations of all
 * files that its entries reach, without comments, in the order of their paths. Run after a build.
 *
 * Ours, and not API Extractor: that needs the compiler's JavaScript interface, which TypeScript 7 does not have, and a
 * configuration for each entry; `@ipfsz/node` has thirty. Reports are not committed: branches would conflict in them.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { argv } from 'node:process'

const ROOT = dirname(import.meta.dirname)
const COMMENT = /^\s*\/\*\*?[\s\S]*?\*\/\n?/gm
/** A file of the same package that a declaration names. */
const RELATIVE = /(?:from |import\()'(\.[^']+)'/g

/** All paths of declarations in a value of `exports`. */
function typesIn (value: unknown): string[] {
  if (typeof value === 'string') {
    return value.endsWith('.d.ts') ? [value] : []
  }

  return value != null && typeof value === 'object' ? Object.values(value).flatMap(typesIn) : []
}

/** What a package exports, as text. */
function reportOf (directory: string): string {
  const { name, exports } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
    name: string
    exports: object
  }
  const texts = new Map<string, string>()
  const left = typesIn(exports).flatMap(path => globSync(path.replace('*', '**'), { cwd: directory }))

  for (let file = left.pop(); file != null; file = left.pop()) {
    if (!texts.has(file)) {
      const text = readFileSync(join(directory, file), 'utf8').replaceAll(COMMENT, '')
      texts.set(file, text.replaceAll(/^\/\/.*\n/gm, '').trim())

      for (const [, path] of text.matchAll(RELATIVE)) {
        left.push(join(dirname(file), path.replace(/\.[jt]s$/, '.d.ts')))
      }
    }
  }

  const entries = Object.keys(exports).filter(key => !key.endsWith('.json')).map(key => `// ${join(name, key)}\n`)
  const files = [...texts].toSorted(([a], [b]) => a < b ? -1 : 1)

  return `${entries.join('')}${files.map(([file, text]) => `\n// ${file.replaceAll('\\', '/')}\n${text}\n`).join('')}`
}

const [, , directory] = argv

if (directory == null) {
  throw new Error('Which directory shall the reports be written to?')
}

mkdirSync(directory, { recursive: true })

for (const manifest of globSync('packages/*/package.json', { cwd: ROOT, exclude: ['packages/cli'] })) {
  const folder = dirname(manifest)
  writeFileSync(join(directory, `${basename(folder)}.d.ts`), reportOf(join(ROOT, folder)))
}
