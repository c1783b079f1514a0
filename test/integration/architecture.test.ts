import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PACKAGES, ROOMS, SUBROOMS } from '../../rooms.ts'

const ROOT = join(import.meta.dirname, '../..')
const MAP = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
/** Bounds of the map: longer, and it is an index that nobody reads. */
const MAX_LINES = 150
const MAX_TERMS = 25
/** Rooms without files of their own: written by the build, or only subrooms. */
const WITHOUT_HEADER = ['packages/codecs/src/generated', 'packages/codecs/src/format']

/** The rows of the tables below a heading, without those of headers. */
function rowsBelow (heading: string): string[][] {
  const [, section] = MAP.split(`\n## ${heading}\n`)

  return section.split('\n## ', 1)[0].split('\n\n')
    .map(part => part.trim())
    .filter(part => part.startsWith('|'))
    .flatMap(table => table.split('\n').slice(2))
    .map(row => row.slice(2, -2).split(' | '))
}

it('is short', () => {
  expect(MAP.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_LINES)
})

it('explains each word once, and not too many', () => {
  const words = rowsBelow('Glossary').map(([word]) => word)

  expect(words.length).toBeGreaterThan(10)
  expect(words.length).toBeLessThanOrEqual(MAX_TERMS)
  expect(new Set(words).size).toBe(words.length)
})

it('draws each package above those that it imports', () => {
  const [, picture] = MAP.split('```')
  const names = Object.keys(PACKAGES)
  const rows = picture.trim().split('\n').map(row => row.split(/ {2,}/).filter(word => names.includes(word)))
  const rowOf = (name: string): number => rows.findIndex(row => row.includes(name))

  expect(rows.flat().toSorted()).toEqual(names.toSorted())

  for (const [name, imported] of Object.entries(PACKAGES)) {
    expect(imported.filter(other => rowOf(other) <= rowOf(name)), name).toEqual([])
  }
})

it('names rooms and folders that exist', () => {
  const rooms = rowsBelow('Packages').flatMap(([, where, what = '']) => {
    const directory = /^`(packages\/[a-z0-9-]+)`$/.exec(where)?.[1]
    const names = [...what.matchAll(/`([a-z0-9.-]+)`/g)].map(([, name]) => name)

    return directory == null ? [] : names.map(name => `${directory}/src/${name}`)
  })
  // paths with more than one name are checked with the links of all documents (scripts/broken-links.ts)
  const atTop = [...MAP.matchAll(/`(\.?[a-z]+\/|rooms\.ts)`/g)].map(([, path]) => path)

  expect(rooms.length).toBeGreaterThan(20)
  expect(atTop.length).toBeGreaterThan(5)
  expect([...rooms, ...atTop].filter(path => !existsSync(join(ROOT, path)))).toEqual([])
})

it('finds at the top of each room what it holds', () => {
  const rooms = Object.entries(ROOMS).flatMap(([name, rooms]) =>
    Object.keys(rooms).filter(room => !room.endsWith('.ts')).map(room => `packages/${name}/src/${room}`))
  const subrooms = Object.entries(SUBROOMS).flatMap(([name, rooms]) => Object.entries(rooms).flatMap(
    ([room, subrooms]) => Object.keys(subrooms).map(subroom => `packages/${name}/src/${room}/${subroom}`)
  ))
  const silent = [...rooms, ...subrooms]
    .filter(room => !WITHOUT_HEADER.includes(room))
    .filter(room => !hasHeader(room))

  expect(silent).toEqual([])
})

/** Whether the `index.ts` of a room has a comment at its top, or else one file a line that begins with `// Room:`. */
function hasHeader (room: string): boolean {
  const index = join(ROOT, room, 'index.ts')

  if (existsSync(index)) {
    return readFileSync(index, 'utf8').startsWith('/**\n')
  }

  const told = globSync('*.ts', { cwd: join(ROOT, room) })
    .filter(file => readFileSync(join(ROOT, room, file), 'utf8').startsWith('// Room: '))

  return told.length === 1
}
