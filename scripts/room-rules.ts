/** Turns the map in rooms.ts into rules of oxlint. */
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { OPEN_FILES, PACKAGES, ROOMS, SUBROOMS } from '../rooms.ts'
import type { OxlintOverride } from 'oxlint'

const ROOT = dirname(import.meta.dirname)

/** Imports to refuse, and the message. */
interface Restriction {
  /** Without `(?!` and the like: oxlint ignores patterns that contain them. */
  regex: string
  message: string
}

/** Which rooms, subrooms or files at the top of `src` each of them may import. */
type Arrows = Readonly<Record<string, readonly string[]>>

/** Other ways to write a path, such as `./../dag/x.ts` and `../dag/../read/x.ts`. */
const DETOUR: Restriction = {
  regex: '^\\./+\\.|\\./\\./|//|[^./]/\\.\\.?(/|$)',
  message: 'Write the shortest path (rooms.ts)'
}

/** The rules for every package, and for the code outside the packages. */
export function roomRules (): OxlintOverride[] {
  checkOrder('packages', PACKAGES)
  expectSame('packages', Object.keys(PACKAGES), folders('packages'))

  return [
    restrict(['{bench,examples,scripts,test}/**'], [
      DETOUR,
      refuse('^(\\.\\./)+packages/[^/]+/(bin|scripts|src|test)/', 'Import packages by their names (rooms.ts)')
    ]),
    ...Object.keys(PACKAGES).flatMap(name => [...rulesOfSources(name), ...rulesOfTests(name)])
  ]
}

/** If two overrides match a file, oxlint applies only the later one, so each repeats all restrictions. */
function rulesOfSources (name: string): OxlintOverride[] {
  const src = `packages/${name}/src`
  const rooms = ROOMS[name]
  const openFiles = OPEN_FILES[name]
  const everywhere = [DETOUR, otherPackages(name)]
  const names = Object.keys(rooms)
  const files = names.filter(isFile)
  const there = readdirSync(join(ROOT, src))

  checkOrder(name, rooms)
  expectSame(src, names.filter(room => !isFile(room)), folders(src))
  expectSame(src, [...openFiles, ...files], there.filter(file => openFiles.includes(file) || files.includes(file)))

  return [
    restrict([`${src}/*.ts`], [...everywhere, above(0)]),
    ...openFiles.map(file => restrict([`${src}/${file}`], [
      ...everywhere,
      above(0),
      refuseEntries('./', src, openFiles, `${file} imports only: ${list(openFiles)} (OPEN_FILES in rooms.ts)`)
    ])),
    ...files.map(file => restrict([`${src}/${file}`], [
      ...everywhere,
      above(0),
      refuseEntries('./', src, [...openFiles, ...rooms[file]], arrowMessage(file, rooms))
    ])),
    ...names.filter(room => !isFile(room)).flatMap(room => rulesOfRoom(name, room, everywhere))
  ]
}

function rulesOfRoom (name: string, room: string, everywhere: readonly Restriction[]): OxlintOverride[] {
  const src = `packages/${name}/src`
  const path = `${src}/${room}`
  const subrooms = SUBROOMS[name]?.[room] ?? {}
  const open = [...OPEN_FILES[name], ...ROOMS[name][room]]
  const message = arrowMessage(`${room}/`, { [`${room}/`]: ROOMS[name][room] })

  checkOrder(`${name}/${room}`, subrooms)
  expectSame(path, Object.keys(subrooms), folders(path))

  return [
    restrict([`${path}/*.ts`], [
      ...everywhere,
      above(1),
      refuseEntries('../', src, open, message),
      ...Object.keys(subrooms).length === 0
        ? []
        : [refuse(`^\\./(${folders(path).join('|')})/`, `Files of ${room}/ itself import no subroom (rooms.ts)`)]
    ]),
    ...Object.entries(subrooms).map(([subroom, allowed]) => {
      expectSame(`${path}/${subroom}`, [], folders(`${path}/${subroom}`))

      return restrict([`${path}/${subroom}/*.ts`], [
        ...everywhere,
        above(2),
        refuseEntries('../../', src, open, message),
        refuseEntries(
          '../',
          path,
          [...allowed, ...readdirSync(join(ROOT, path)).filter(isFile)],
          arrowMessage(`${room}/${subroom}/`, { [`${room}/${subroom}/`]: allowed })
        )
      ])
    })
  ]
}

/** Rules for tests, and for scripts that generate sources or try them out. */
function rulesOfTests (name: string): OxlintOverride[] {
  const message = 'Tests of a package import its own sources, and test/support (rooms.ts)'

  return [1, 2].map(depth => {
    const up = '../'.repeat(depth)

    return restrict([`packages/${name}/{scripts,test}/${'*/'.repeat(depth - 1)}*.ts`], [
      DETOUR,
      refuseEntries(`${up}../`, 'packages', [], message),
      refuseEntries(`${up}../../`, '.', ['test'], message),
      refuseEntries(`${up}../../test/`, 'test', ['support'], message),
      refuse(`^(\\.\\./){${depth + 3}}`, message)
    ])
  })
}

/** Refuses packages of this repository, except those that the map allows. */
function otherPackages (name: string): Restriction {
  const others = Object.keys(PACKAGES).filter(other => !PACKAGES[name].includes(other))

  return refuse(`^(@ipfsz/(${others.join('|')})|ipfsz)(/|$)`, arrowMessage(`packages/${name}`, {
    [`packages/${name}`]: PACKAGES[name]
  }))
}

/** Refuses paths above the package's `src`, for files `depth` folders below it. */
function above (depth: number): Restriction {
  return refuse(`^(\\.\\./){${depth + 1}}`, 'Import other packages by their names (rooms.ts)')
}

/** Refuses every entry of a directory except `open`. `up` is the path to it. `#platform` names a room too. */
function refuseEntries (up: string, directory: string, open: readonly string[], message: string): Restriction {
  const closed = readdirSync(join(ROOT, directory)).filter(entry => !open.includes(entry)).map(entry =>
    isFile(entry) ? `${escape(entry.replace(/\.ts$/, ''))}\\.[jt]s$` : `${escape(entry)}(/|$)`
  )

  return refuse(`^(${escape(up)}|#)(${closed.join('|')})`, message)
}

function arrowMessage (from: string, arrows: Arrows): string {
  return `${from} imports only: ${list(arrows[from])} (rooms.ts)`
}

function list (names: readonly string[]): string {
  return names.join(', ') || 'nothing'
}

function refuse (regex: string, message: string): Restriction {
  if (regex.includes('(?')) {
    throw new Error(`oxlint would ignore the pattern ${regex}`)
  }

  return { regex, message }
}

function restrict (files: string[], patterns: readonly Restriction[]): OxlintOverride {
  return { files, rules: { 'no-restricted-imports': ['error', { patterns: [...patterns] }] } }
}

/** Check that each place imports only places above it, so that there are no circles. */
function checkOrder (where: string, arrows: Arrows): void {
  const above = new Set<string>()

  for (const [from, to] of Object.entries(arrows)) {
    const wrong = to.find(other => !above.has(other))

    if (wrong != null) {
      throw new Error(`rooms.ts: in ${where} ${from} imports ${wrong}, which does not stand above it`)
    }

    above.add(from)
  }
}

function expectSame (where: string, expected: readonly string[], found: readonly string[]): void {
  for (const name of expected) {
    if (!found.includes(name)) {
      throw new Error(`rooms.ts: ${where}/${name} is on the map, but not there`)
    }
  }

  for (const name of found) {
    if (!expected.includes(name)) {
      throw new Error(`rooms.ts: ${where}/${name} is not on the map`)
    }
  }
}

function folders (path: string): string[] {
  return readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(({ name }) => name)
}

function isFile (name: string): boolean {
  return name.endsWith('.ts')
}

function escape (text: string): string {
  return text.replaceAll('.', '\\.')
}
