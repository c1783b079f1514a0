/** @module-tag slow */
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { OPEN_FILES, PACKAGES, ROOMS, SUBROOMS } from '../../rooms.ts'

const ROOT = join(import.meta.dirname, '../..')
const BIN = join(ROOT, 'node_modules/.bin')

const FILES = globSync(
  ['packages/*/src/**/*.ts', 'test/{support,integration}/*.ts', '{bench,scripts}/*.ts'],
  { cwd: ROOT }
)

/** Specifiers by the file that imports them. */
type Imports = Record<string, string[]>

/** The rules without those of style, which are plugins in JavaScript and take most of the time. */
const WITHOUT_STYLE = `
  import full from './full.config.ts'

  const rules = Object.entries(full.rules).filter(([name]) => !name.startsWith('@stylistic/'))

  export default { ...full, jsPlugins: [], rules: Object.fromEntries(rules) }
`

/** A copy of the repository: the rules, and its files with nothing in them. */
let copy: string

beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'ipfsz-rooms-'))

  for (const file of FILES) {
    write(file, '')
  }

  for (const file of ['rooms.ts', 'scripts/room-rules.ts']) {
    copyFileSync(join(ROOT, file), join(copy, file))
  }

  copyFileSync(join(ROOT, 'oxlint.config.ts'), join(copy, 'full.config.ts'))
  write('oxlint.config.ts', WITHOUT_STYLE)

  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))

  return () => { rmSync(copy, { recursive: true }) }
})

function write (file: string, text: string): void {
  const path = join(copy, file)

  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function lint (): { status: number | null, stdout: string } {
  return spawnSync('oxlint', ['--format', 'json'], {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: Infinity,
    env: { ...process.env, PATH: `${BIN}:${process.env.PATH}` }
  })
}

/** The imports that the rules refuse, each as its file and specifier. */
function refusals (): string[] {
  const { diagnostics } = JSON.parse(lint().stdout) as {
    diagnostics: Array<{ code: string, message: string, filename: string }>
  }
  const refused = diagnostics.filter(({ code }) => code === 'eslint(no-restricted-imports)')

  // of a file with several forms of an import, some are reported twice
  return [...new Set(refused.map(({ filename, message }) => `${filename}: ${message.split('\'')[1]}`))].toSorted()
}

function writeImports (imports: Readonly<Imports>): void {
  for (const [file, specifiers] of Object.entries(imports)) {
    write(file, specifiers.map(specifier => `import '${specifier}'\n`).join(''))
  }
}

function listed (imports: Readonly<Imports>): string[] {
  return Object.entries(imports).flatMap(([file, specifiers]) => specifiers.map(specifier => `${file}: ${specifier}`))
    .toSorted()
}

/** The places of a package: files, each with the room it is in and the entries of `src` that it may import. */
function placesOf (name: string): Array<{ file: string, room: string, allowed: readonly string[] }> {
  return [
    ...OPEN_FILES[name].map(file => ({ file, room: file, allowed: OPEN_FILES[name] })),
    ...Object.entries(ROOMS[name]).flatMap(([room, rooms]) => {
      const subrooms = Object.keys(SUBROOMS[name]?.[room] ?? {})
      const files = room.endsWith('.ts')
        ? [room]
        : [`${room}/probe.ts`, ...subrooms.map(subroom => `${room}/${subroom}/probe.ts`)]

      return files.map(file => ({ file, room, allowed: [...OPEN_FILES[name], ...rooms] }))
    })
    // the linter ignores what the build writes
  ].filter(({ room }) => room !== 'generated')
}

/** How a file imports another one of its package, or one in another room. */
function specifierOf (entry: string, from: string): string {
  const path = relative(dirname(from), entry.endsWith('.ts') ? entry : `${entry}/some.ts`)

  return path.startsWith('.') ? path : `./${path}`
}

/** A package and a subpath of it. */
function importsOf (folder: string): string[] {
  const name = folder === 'cli' ? 'ipfsz' : `@ipfsz/${folder}`

  return [name, `${name}/some`]
}

describe('the map of the rooms', () => {
  it('allows the imports between rooms that are on it, and no others', () => {
    const allowed: Imports = {}
    const refused: Imports = {}

    for (const name of Object.keys(PACKAGES)) {
      const src = `packages/${name}/src`

      for (const { file, room, allowed: open } of placesOf(name)) {
        const entries = readdirSync(join(copy, src)).filter(entry => entry !== room)
        const specifiersOf = (isOpen: boolean): string[] => entries
          .filter(entry => open.includes(entry) === isOpen)
          .map(entry => specifierOf(entry, file))

        allowed[`${src}/${file}`] = specifiersOf(true)
        refused[`${src}/${file}`] = specifiersOf(false)
        writeImports({ [`${src}/${file}`]: [...specifiersOf(true), ...specifiersOf(false)] })
      }
    }

    expect(listed(allowed).length).toBeGreaterThan(100)
    expect(refusals()).toEqual(listed(refused))
  })

  it('allows the imports between subrooms that are on it, and no others', () => {
    const refused: Imports = {}

    for (const [name, rooms] of Object.entries(SUBROOMS)) {
      for (const [room, subrooms] of Object.entries(rooms)) {
        const path = `packages/${name}/src/${room}`
        const inRoom = Object.keys(subrooms).map(subroom => `./${subroom}/some.ts`)

        refused[`${path}/probe.ts`] = inRoom
        writeImports({ [`${path}/probe.ts`]: inRoom })

        for (const [subroom, allowed] of Object.entries(subrooms)) {
          const others = Object.keys(subrooms).filter(other => other !== subroom)

          refused[`${path}/${subroom}/probe.ts`] = others.filter(other => !allowed.includes(other))
            .map(other => `../${other}/some.ts`)
          writeImports({
            [`${path}/${subroom}/probe.ts`]: ['./some.ts', '../probe.ts', ...others.map(other => `../${other}/some.ts`)]
          })
        }
      }
    }

    expect(refusals()).toEqual(listed(refused))
  })

  it('allows the imports between packages that are on it, and no others', () => {
    const refused: Imports = {}

    for (const [name, allowed] of Object.entries(PACKAGES)) {
      const file = `packages/${name}/src/index.ts`

      refused[file] = Object.keys(PACKAGES).filter(other => !allowed.includes(other)).flatMap(importsOf)
      writeImports({ [file]: Object.keys(PACKAGES).flatMap(importsOf) })
    }

    expect(refusals()).toEqual(listed(refused))
  })

  it('refuses paths that leave the sources of a package, or take a detour', () => {
    const refused: Imports = {
      'packages/cli/src/main.ts': [
        '../../core/dist/index.js',
        '../test/temporary.ts',
        './disk/../network/network.ts'
      ],
      'packages/node/src/disk/ignore.ts': [
        '../../../core/dist/index.js',
        '../../../core/test/fixtures.ts',
        '../../test/temporary.ts',
        './../network/network.ts',
        '../terminal/../network/network.ts',
        '.././network/network.ts',
        '..//network/network.ts'
      ],
      'packages/node/src/network/dht/dhts.ts': [
        '../../../test/temporary.ts',
        '../../network/bitswap/wants.ts',
        '../.././daemon/daemon.ts'
      ],
      'packages/libp2p-compression/src/frames/probe.ts': ['#platform']
    }

    writeImports(refused)

    expect(refusals()).toEqual(listed(refused))
  })

  it('refuses every form of an import', () => {
    const file = 'packages/node/src/disk/probe.ts'

    write(file, `
      import type { A } from '../network/a.ts'
      import { b } from '../network/b.ts'
      import * as c from '../network/c.ts'
      export * from '../network/d.ts'
      export { e } from '../network/e.ts'
      export type { F } from '../network/f.ts'
      export const g = async () => import('../network/g.ts')
      export type { A, b, c }
    `)

    expect(refusals()).toEqual([...'abcdefg'].map(name => `${file}: ../network/${name}.ts`))
  })

  it('lets tests and scripts of a package import its own sources and test/support, and nothing else', () => {
    const refused: Imports = {}

    for (const [file, up] of [['test/some.ts', '../'], ['scripts/some.ts', '../'], ['test/golden/some.ts', '../../']]) {
      const path = `packages/core/${file}`

      refused[path] = [
        `${up}../codecs/src/index.ts`,
        `${up}../../packages/codecs/src/index.ts`,
        `${up}../../test/integration/run-cli.ts`,
        `${up}../../bench/run.ts`,
        `${up}../../../elsewhere.ts`
      ]
      writeImports({
        [path]: [`${up}src/index.ts`, `${up}dist/index.js`, `${up}../../test/support/data.ts`, ...refused[path]]
      })
    }

    expect(refusals()).toEqual(listed(refused))
  })

  it('lets what is outside of packages import the built command, but no sources or tests', () => {
    const refused: Imports = {}

    for (const directory of ['bench', 'examples', 'scripts', 'test']) {
      refused[`${directory}/some.ts`] = ['../packages/cli/src/main.ts', '../packages/core/test/trees.ts']
      writeImports({ [`${directory}/some.ts`]: ['../packages/cli/dist/main.js', ...refused[`${directory}/some.ts`]] })
    }

    expect(refusals()).toEqual(listed(refused))
  })

  it.each([
    ['a package', 'packages/attic'],
    ['a room', 'packages/cli/src/attic'],
    ['a subroom', 'packages/node/src/network/attic'],
    ['a folder in a subroom', 'packages/codecs/src/format/zstd/attic']
  ])('refuses %s that is not on it', (_, folder) => {
    mkdirSync(join(copy, folder))

    expect(lint()).toMatchObject({
      status: 1,
      stdout: expect.stringContaining(`rooms.ts: ${folder} is not on the map`)
    })
  })

  it('refuses an arrow from a room to one below it', () => {
    const map = readFileSync(join(copy, 'rooms.ts'), 'utf8')

    write('rooms.ts', map.replace("format: ['filters', 'util']", "format: ['dag', 'filters', 'util']"))

    expect(lint()).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('in core format imports dag, which does not stand above it')
    })
  })

  it.each(['packages/node/src/car', 'packages/node/src/network/names', 'packages/core/src/unixfs.ts'])(
    'refuses %s where it is on it but does not exist',
    path => {
      rmSync(join(copy, path), { recursive: true })

      expect(lint()).toMatchObject({
        status: 1,
        stdout: expect.stringContaining(`rooms.ts: ${path} is on the map, but not there`)
      })
    }
  )
})
