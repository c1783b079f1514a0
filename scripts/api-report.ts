/**
 * Writes what each package exports into `etc/NAME.d.ts`, so that a change of a public type is seen in review: the names
 * of each entry, and their declarations with all that these name, without comments. Run after a build;
 * `test/integration/api-reports.test.ts` refuses reports that are not current.
 *
 * Ours, and not API Extractor: that needs the compiler's JavaScript interface, which TypeScript 7 does not have, and a
 * configuration for each entry; `@ipfsz/node` has thirty.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const ROOT = dirname(import.meta.dirname)
const COMMENT = /^\s*\/\*\*?[\s\S]*?\*\/\n?|^\/\/.*\n/gm
/** The compiler begins each declaration of a file at the start of a line, and indents or closes what belongs to it. */
const DECLARATIONS = /\n(?=[\w])/
const DECLARED = /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface|type|function|const|let|enum) (\w+)/
/** `import ... from '...'` and `export ... from '...'`. */
const FROM = /^(import|export) (?:type )?(\*(?: as (\w+))?|\{[^}]*\}) from '(.*)'/
/** `export { a, b as c }` of what the file has. */
const LISTED = /^export (?:type )?(\{[^}]*\});?$/

interface Found {
  file: string
  name: string
}

/** A file of declarations. */
interface Declarations {
  /** By the name in the file. A function may have several. */
  own: Map<string, string[]>
  /** What it takes from other files of the package. */
  imported: Map<string, Found>
  /** What it exports, by that name. */
  exported: Map<string, Found>
}

const files = new Map<string, Declarations>()

/** The pairs of `{ a, b as c, type d }`. */
function pairs (list: string): Array<[name: string, as: string]> {
  return list.replaceAll(/[{}]/g, '').split(',').map(part => part.trim().replace(/^type /, '')).filter(Boolean)
    .map(part => part.split(' as ') as [string, string?]).map(([name, as = name]) => [name, as])
}

function read (file: string): Declarations {
  const known = files.get(file)

  if (known != null) {
    return known
  }

  const found: Declarations = { own: new Map(), imported: new Map(), exported: new Map() }
  files.set(file, found)

  for (const text of readFileSync(file, 'utf8').replaceAll(COMMENT, '').trim().split(DECLARATIONS)) {
    const [, kind, list, , path] = FROM.exec(text) ?? []
    const [, listed] = LISTED.exec(text) ?? []
    const name = DECLARED.exec(text)?.[1]

    if (path != null) {
      const target = path.startsWith('.') ? join(dirname(file), path.replace(/\.[jt]s$/, '.d.ts')) : undefined
      const names = list.startsWith('*')
        ? target == null ? [] : [...read(target).exported.keys()].map(name => [name, name] as const)
        : pairs(list)

      for (const [name, as] of names) {
        const source = target == null ? { file: path, name } : read(target).exported.get(name) ?? { file: path, name }
        found[kind === 'import' ? 'imported' : 'exported'].set(as, source)
      }
    } else if (listed != null) {
      for (const [name, as] of pairs(listed)) {
        found.exported.set(as, found.imported.get(name) ?? { file, name })
      }
    } else if (name != null) {
      found.own.set(name, [...found.own.get(name) ?? [], text.trim()])

      if (text.startsWith('export ')) {
        found.exported.set(name, { file, name })
      }
    }
  }

  return found
}

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
  const declared = new Map<string, string>()
  const left: Found[] = []
  const entries = Object.entries(exports).flatMap(([key, value]) => [...new Set(typesIn(value))].map(path => {
    const exported = [...read(join(directory, path)).exported].toSorted(([a], [b]) => a < b ? -1 : 1)
    left.push(...exported.map(([, found]) => found))

    return `// ${join(name, key)}: ${exported.map(([as]) => as).join(', ')}\n`
  }))

  for (let next = left.pop(); next != null; next = left.pop()) {
    const { file, name } = next
    const { own, imported } = files.get(file) ?? {}
    const texts = own?.get(name)
    const key = `${name} ${file}`

    if (texts != null && !declared.has(key)) {
      const text = texts.map(text => text.replace(/^export /, '').replace(/^declare /, '')).join('\n')
        .replaceAll(/\n {4}(?:#private|private [^\n]*);/g, '')
      declared.set(key, text)

      for (const [word] of text.matchAll(/\b[A-Za-z_]\w*\b/g)) {
        left.push(...own?.has(word) === true ? [{ file, name: word }] : [imported?.get(word) ?? []].flat())
      }
    }
  }

  const texts = [...declared].toSorted(([a], [b]) => a < b ? -1 : 1).map(([, text]) => `\n${text}\n`)

  return `${entries.toSorted().join('')}${texts.join('')}`
}

/** The reports of all packages whose types are public, by their files. The command has none. */
export function reports (): Map<string, string> {
  const manifests = globSync('packages/*/package.json', { cwd: ROOT, exclude: ['packages/cli'] }).toSorted()

  return new Map(manifests.map(dirname).map(folder => [
    join(ROOT, 'etc', `${basename(folder)}.d.ts`),
    reportOf(join(ROOT, folder))
  ]))
}

if (import.meta.main) {
  for (const [file, text] of reports()) {
    writeFileSync(file, text)
  }
}
